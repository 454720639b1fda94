"""A run that keeps all that a run can keep, a project with all records, and what the window shows
of both."""

import json

import msgspec
import numpy as np

from emberscope.base.monitor import Silent
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.labels.side_info import Actions, Distance, Pair
from emberscope.metric.pairs import Deck, Pairs
from emberscope.metric.triplet_rows import EASY, HARD, SEMI_HARD, TripletRows
from emberscope.project import Project, Recipe, Run
from emberscope.project.model.next_ids import NextIds
from emberscope.tasks.concepts import PlaceConcepts, PlacedConcepts
from emberscope.tasks.motions import DescribeActions, describe_actions
from emberscope.tasks.neighbors import CompareNeighbors
from emberscope.tasks.questions import PrepareQuestions
from emberscope.tasks.synthetic import DrawChips, SyntheticChips

NAMES = [f"hog block 0,0 cell {r},{c} {a} deg" for r in (0, 1) for c in (0, 1) for a in (0, 90)]


def full_run(run: Run, *, K: int = 2, method: str = "pca") -> Run:
    """The run with concepts, neighbors, ellipses, loadings, rounds of imputed labels, other
    strengths, measures."""
    n, d, D = len(run.ids), run.Z.shape[1], len(NAMES)
    rng = np.random.default_rng(n)
    distances = np.abs(rng.normal(2, 1, (n, K))).astype(np.float32)
    distances[: 2 * K] = np.eye(K).repeat(2, axis=0) * -9 + 9
    metrics = np.tile(np.eye(d, dtype=np.float32), (n, 1, 1))
    axes = np.linalg.qr(rng.normal(size=(n, 4)))[0].astype(np.float32)
    diagnostics = {
        "neighbors": (np.arange(n)[:, None] + np.arange(1, 6)).astype(np.int32) % n,
        "ellipses": metrics,
        "loadings": rng.uniform(-1, 1, (D, d)), "bag_score": rng.normal(size=len(run.bag_ids)),
        "bag_purity": rng.uniform(size=len(run.bag_ids)).astype(np.float32),
        "concept_distances": distances, "concept_stars": run.Z[:K].astype(np.float32),
        "concept_ellipses": metrics[:K], "concept_ground": run.Z[-3:].astype(np.float32),
        "concept_halves": (distances < 1).astype(np.int8),
        "concept_centers": rng.normal(size=(K, D)),
        "concept_weights": np.full((K, D), 1 / D), "concept_widths": np.ones((K, D)),
        "curve_k": np.array([1, 4, 16]), "q_nx": np.array([0.4, 0.6, 0.8]),
        "r_nx": np.array([0.3, 0.5, 0.7]),
        "lcmc": np.array([0.3, 0.5, 0.7]), "b_nx": np.array([0.0, 0.1, 0.0]),
        "shepard_local": rng.integers(0, 9, (4, 4)), "shepard_global": rng.integers(0, 9, (4, 4)),
        "shepard_edges_x": np.geomspace(0.1, 1, 5),
        "shepard_edges_z": np.geomspace(0.1, 1, 5),
    }  # fmt: skip
    state = {
        **{name: np.full(K, 0.5) for name in ("coverage_", "contrast_", "purity_")},
        "scales_": np.ones((K, D)),
        "gains_": np.array([0.5, 0.2]), "suggested_": K, "feature_names": NAMES,
        "params": json.dumps({"strength": 0.5}),
        "basis_": axes, "far_": np.diag([4.0, 3, 2, 1]), "near_": np.diag([4.0, 3, 2, 1]),
        "history_": rng.integers(-1, 2, (4, n)).astype(np.int8),
        "changes_": np.array([0.3, 0.1, 0.0]),
        "kept_round_": 2,
    }  # fmt: skip
    scores = {**run.point_scores, "witness": run.point_scores["score"]}
    recipe = Recipe(method=method, features=Recipe().features, classifier="mi-svm-instance")
    metrics_ = {**run.metrics, "method_bag_auc": 0.8, "method_bag_auc_low": 0.6,
                "method_bag_auc_high": 0.9,
                "bag_auc": 0.8, "bag_accuracy": 0.7}  # fmt: skip
    return msgspec.structs.replace(
        run,
        diagnostics=diagnostics,
        state=state,
        point_scores=scores,
        recipe=recipe,
        metrics=metrics_,
        notes=["A note of the run."],
    )


def part_of(run: Run, count: int) -> Run:
    """The first instances of a run, and of its bags what is left of them."""
    members = run.members[run.members < count]
    sizes = [
        int((run.members[a:b] < count).sum())
        for a, b in zip(run.indptr[:-1], run.indptr[1:], strict=True)
    ]
    kept = {
        name: getattr(run, name)[:count] for name in ("ids", "source", "frame", "box", "y", "Z")
    }
    scores = {name: values[:count] for name, values in run.point_scores.items()}
    return msgspec.structs.replace(
        run,
        **kept,
        members=members,
        indptr=np.cumsum([0, *sizes]),
        point_scores=scores,
        diagnostics={},
        state={},
    )


def add_records(project: Project, run: Run) -> None:
    """Pairs, distances, a track, marks and a kept selection, all of instances of one run."""
    ids = run.ids.tolist()
    records = [Pair(id=900 + k, a=ids[k], b=ids[-1 - k], same=bool(k % 2)) for k in range(6)]
    one_a_frame = [ids[int(np.flatnonzero(run.frame == frame)[0])] for frame in range(3)]
    records.append(Distance(id=920, a=ids[0], b=ids[9], distance=4.0, unit="m"))
    records.append(Actions(id=921, instances=tuple(one_a_frame), actions=("left", "right")))
    project.side = {record.id: record for record in records}
    project.marks = {ids[3]: 1, ids[-3]: 0}
    project.selections = {"kept": run.ids[-20:]}
    project.use(NextIds(record=1001))


def answers() -> dict:
    """What the worker says when it is asked about a run."""

    return {
        DescribeActions: lambda request: describe_actions(request, Silent()),
        CompareNeighbors: lambda request: neighborhoods(request.run),
        PrepareQuestions: lambda request: deck(request.run),
        PlaceConcepts: lambda request: PlacedConcepts(None),
        DrawChips: lambda request: SyntheticChips(np.zeros((len(request.Z), 8, 8), np.float32)),
    }


def neighborhoods(run: Run) -> Neighborhoods:
    """Neighbors are the next rows before, every second one after; three triplets of rows at both
    ends."""
    n, step = len(run.ids), np.arange(1, 9)
    before, after = ((np.arange(n)[:, None] + k * step).astype(np.int32) % n for k in (1, 2))
    triplets = np.array([(0, 1, n - 1), (2, 3, n - 2), (n - 3, n - 4, 0)])
    near, far, hardness = (
        np.array([2.0, 1, 1]),
        np.array([1.0, 1.5, 9]),
        np.array([HARD, SEMI_HARD, EASY], np.int8),
    )
    rows = TripletRows(triplets, near, far, hardness)
    edges_of = np.unique(triplets)
    kind = np.where(np.arange(n) < n // 2, 1, -1).astype(np.int8)
    impostors, edges = (
        np.tile(np.array([[5, 1]], np.int32), (n, 1)),
        np.ones((len(edges_of), len(NAMES)), np.float32),
    )
    return Neighborhoods(before, after, kind, impostors, rows, "LMNN", 1.0, edges_of, edges, NAMES)


def deck(run: Run) -> Deck:
    n = len(run.ids)
    T = np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32)
    return Deck(
        run.ids, T, Pairs(np.empty((0, 2), np.int64), np.empty(0, bool), np.empty(0)), np.ones(n)
    )
