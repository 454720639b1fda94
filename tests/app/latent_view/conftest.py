"""A run that looks like one: three classes in a curved cloud, bags of twenty, over frames that can
be read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import bag_id
from emberscope.findings.shown_axes import FIRST, of_axes
from emberscope.labels.model import TargetClass
from emberscope.project import Project, Recipe, Run, SourceRef
from emberscope.project.model.next_ids import NextIds
from emberscope_app.latent_view.points.rasterizer import kernels
from emberscope_app.state.core.session import Session

CLASSES = (
    TargetClass(id=1, name="Vehicle", role=1, slot=1),
    TargetClass(id=2, name="Background", role=-1, slot=2),
    TargetClass(id=3, name="Person", role=1, slot=3),
)


def cloud_coordinates(rng: np.random.Generator, classes: np.ndarray, d: int) -> np.ndarray:
    """Vehicles in small tight clumps, background in one broad drop, persons in a tilted lens."""
    n = len(classes)
    Z = np.empty((n, 3))
    clumps = np.array(
        [
            (-0.7, 1.9, 0.6),
            (-0.2, 2.2, 0.2),
            (0.1, 1.7, 0.5),
            (-1.0, 1.6, 0.3),
            (-0.5, 1.4, 0.9),
            (0.4, 1.1, 0.1),
            (-1.5, 0.3, 0.2),
        ]
    )
    which = rng.choice(len(clumps), n, p=(0.2, 0.2, 0.15, 0.15, 0.15, 0.1, 0.05))
    Z[:] = (
        clumps[which]
        + rng.normal(0, 0.07, (n, 3))
        + rng.normal(0, 0.12, (n, 3)) * rng.random((n, 1)) ** 3
    )
    back = classes == 2
    t = np.sqrt(rng.random(n)) * 1.25
    a = rng.random(n) * 2 * np.pi
    drop = np.column_stack(
        [t * np.cos(a) * 0.85 - 0.5 + 0.15 * t, t * np.sin(a) - 0.75, 0.5 * np.cos(2 * a) * t]
    )
    Z[back] = (drop + rng.normal(0, 0.12, (n, 3)))[back]
    person = classes == 3
    lens = np.column_stack(
        [1.5 + 0.5 * t * np.cos(a), 0.1 + 0.95 * t * np.sin(a) * 0.8, 0.7 * np.sin(a + 1) * t - 0.4]
    )
    Z[person] = (lens + rng.normal(0, 0.1, (n, 3)))[person]
    return Z[:, :d].astype(np.float32)


def believable_run(
    *, n: int = 2700, d: int = 3, seed: int = 3, n_frames: int = 40, size: int = 20
) -> Run:
    """A run of n instances in bags of `size`."""
    rng = np.random.default_rng(seed)
    bag = np.arange(n) // size
    class_of_bag = rng.choice([1, 2, 3], bag[-1] + 1, p=(0.12, 0.53, 0.35))
    classes = class_of_bag[bag]
    mixed = (classes != 2) & (rng.random(n) < 0.12)
    Z = cloud_coordinates(rng, np.where(mixed, 2, classes), d)
    x, y = rng.uniform(0, 170, n), rng.uniform(0, 130, n)
    frame = rng.integers(0, n_frames, bag[-1] + 1)[bag]
    instances = Instances.at(np.full(n, 10), frame, np.column_stack([x, y, x + 20, y + 20]))
    signs = np.where(class_of_bag == 2, -1, 1).astype(np.int8)
    bags = Bags.from_column(bag, signs)
    score = np.clip(rng.normal(np.where((classes != 2) & ~mixed, 0.8, 0.2), 0.12), 0, 1)
    trust = rng.uniform(0.6, 1, n).astype(np.float32)
    points, numbers = {"trustworthiness": trust}, {"trustworthiness": 0.93, "continuity": 0.96}
    if d > 2:  # all axes together are more faithful than the two that a flat map shows
        points = {"trustworthiness": (trust + 1) / 2, of_axes("trustworthiness", FIRST): trust}
        numbers = {of_axes(name, FIRST): value for name, value in numbers.items()}
        numbers |= {"trustworthiness": 0.98, "continuity": 0.99}
    return Run(
        id=12,
        recipe=Recipe(method="s-le", seed=7),
        created="2026-01-05T10:41:00+00:00",
        seconds=5.8,
        versions={"emberscope": "0"},
        ids=instances.ids,
        source=instances.source,
        frame=instances.frame,
        box=instances.box,
        indptr=bags.indptr,
        members=bags.members,
        bag_labels=bags.labels,
        bag_ids=np.array([bag_id(100 + int(k)) for k in range(len(bags))]),
        bag_classes=class_of_bag.astype(np.int64),
        y=bags.instance_labels(n),
        Z=Z,
        point_scores={"score": score.astype(np.float32), **points},
        metrics={
            **numbers,
            "knn_balanced": 0.91,
            "method_bag_auc": 0.84,
            "method_bag_auc_low": 0.61,
            "method_bag_auc_high": 0.94,
        },
    )


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """`make_run(n=..., d=..., seed=...)`: a run of three classes."""
    return believable_run


@pytest.fixture
def map_session(
    empty_session: Session, build_frames: Callable[..., Path], tmp_path: Path
) -> Callable[..., Session]:
    """`map_session(n=..., d=...)`: a session with frames, three classes and one run on show."""

    def build(**options: int) -> Session:
        path = build_frames(tmp_path / "130m_50deg_07191.npy", n_frames=40)
        project = Project()
        project.classes = {info.id: info for info in CLASSES}
        project.sources[10] = SourceRef(
            id=10,
            path=str(path),
            name=path.name,
            fingerprint="test",
            n_frames=40,
            rows=160,
            cols=200,
            format="npy",
        )
        run = believable_run(**options)
        project.runs[run.id] = run
        project.use(NextIds(record=5001))
        empty_session.replace(project, None)
        return empty_session

    return build


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Kernels are there before the first map, so that every test draws with the same code."""
    kernels().wait()
    assert not kernels().error
