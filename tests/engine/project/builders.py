"""Small project parts that the tests of this folder share."""

import numpy as np

from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.project import Recipe, Run, SourceRef


def a_source(source_id=10, path="/frames/pass_03.arf"):
    return SourceRef(
        id=source_id,
        path=path,
        name="pass_03.arf",
        fingerprint=f"f{source_id}",
        n_frames=600,
        rows=512,
        cols=640,
    )


def a_run(run_id=11, n=3, **changes):
    fields = {
        "id": run_id,
        "recipe": Recipe(method="mida", params={"alpha": 1.0, "n_neighbors": None}),
        "created": "2025-01-01T00:00:00+00:00",
        "seconds": 0.5,
        "versions": {"emberscope": "0.1.0"},
        "ids": np.arange(1, n + 1),
        "source": np.full(n, 10),
        "frame": np.zeros(n, np.int32),
        "box": np.zeros((n, 4), np.float32),
        "indptr": np.array([0, n]),
        "members": np.arange(n),
        "bag_labels": np.array([1], np.int8),
        "bag_ids": np.array([12 << 16]),
        "bag_classes": np.array([1]),
        "y": np.ones(n, np.int8),
        "Z": np.arange(2 * n, dtype=np.float32).reshape(n, 2),
        "point_scores": {"trustworthiness": np.linspace(0, 1, n, dtype=np.float32)},
        "metrics": {"purity": 0.5, "knn_balanced": float("nan")},
        "notes": ["the graph had 3 parts, bridged"],
        "state": {
            "W": np.eye(2),
            "deep": {"list": [np.array(3.0), 1, "x", True]},
            "n_features_in_": 2,
        },
    }
    return Run(**{**fields, **changes})


def side_information(first_id=30):
    """A record of each kind, about instances 1 to 3."""
    return [
        Pair(
            id=first_id,
            a=1,
            b=2,
            same=True,
            attribute="vehicle type",
            created="2025-01-01T00:00:00+00:00",
        ),
        Distance(
            id=first_id + 1, a=1, b=3, distance=30.0, unit="deg", weight=0.5, origin="imported"
        ),
        Invariance(id=first_id + 2, family="translate", step=1.0, reach=3.0, direction=90.0),
        Actions(id=first_id + 3, instances=(1, 2, 3), actions=("pan", "")),
    ]
