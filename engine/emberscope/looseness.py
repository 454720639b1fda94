"""What does a loose label cost? Out-of-fold accuracy by looseness and representation (spec 01, sections 3.3, 5.6, 9).

Chips of truth boxes weakened by u and background chips of the same size; features; for every fold of frame blocks
each method is fitted on the other folds, the held-out chips are mapped out of sample and classified by k-NN.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import frame_blocks, grouped_folds
from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.evaluate.knn import knn_scores
from emberscope.evaluate.scores import accuracy_interval
from emberscope.features import FeatureRecipe
from emberscope.features.extract import extract
from emberscope.frames.source import FrameSource
from emberscope.labels.relax import background_boxes, base_size, relax
from emberscope.labels.truth import TruthBox
from emberscope.project.report import Table

REPRESENTATIONS = ("hog", "pca", "laplacian-eigenmaps", "s-le", "mida")
_TITLES = {"hog": "HOG", "pca": "PCA", "laplacian-eigenmaps": "Laplacian eigenmaps", "s-le": "S-LE", "mida": "MIDA"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the study: 3-NN accuracy of a representation of `d` dimensions at looseness `u`."""

    u: int
    representation: str
    d: int
    accuracy: float
    interval: tuple[float, float]
    n: int
    majority: float


def study(
    truth: Mapping[int, Sequence[TruthBox]], open_source: Callable[[int], FrameSource], *,
    us: Sequence[int] = (0, 1, 2, 3), representations: Sequence[str] = REPRESENTATIONS, d: int = 10, k: int = 3, every: int = 1, per_frame: int = 10,
    n_background: int = 10, block: int = 10, folds: int = 5, base: tuple[int, int] | None = None,
    features: FeatureRecipe | None = None, seed: int = 0, monitor: Monitor | None = None,
) -> list[Cell]:
    """Run the study on truth boxes per source.

    Parameters
    ----------
    truth : source id -> boxes. every, per_frame, n_background : chips drawn of every n-th frame. block : frames that
        share a fold. base : rows, cols of a chip at u = 1; default: the largest box of the truth.
    d : dimensions of the reduced representations (at most what the method has).
    """
    monitor = monitored(monitor)
    corners = np.array([[t.x0, t.y0, t.x1, t.y1] for boxes in truth.values() for t in boxes], float)
    if not len(corners):
        raise DataError("there is no truth box to weaken", hint="Give truth with boxes.")
    base = base or base_size(corners)
    cells: list[Cell] = []
    for i, u in enumerate(us):
        part = Portion(monitor, i / len(us), (i + 1) / len(us))
        instances, y = sample(
            truth, open_source, u=u, base=base, every=every, per_frame=per_frame, n_background=n_background, seed=seed
        )
        X = extract(instances, open_source, features or FeatureRecipe(), monitor=Portion(part, 0.0, 0.5))
        groups = frame_blocks(instances.source, instances.frame, block=block)
        fold = grouped_folds(groups, y, n_folds=folds, seed=seed)
        for j, name in enumerate(representations):
            part.step(0.5 + 0.5 * j / len(representations), f"{_TITLES.get(name, name)} at looseness {u}")
            right, width = _out_of_fold(X, y, fold, name, d, k, seed)
            interval = accuracy_interval(right, len(y))
            cells.append(Cell(u, name, width, right / len(y), interval, len(y), majority(y)))
    return cells


def sample(
    truth: Mapping[int, Sequence[TruthBox]], open_source: Callable[[int], FrameSource], *, u: int, base: tuple[int, int],
    every: int, per_frame: int, n_background: int, seed: int,
) -> tuple[Instances, NDArray[np.int64]]:
    """Target chips weakened by u and background chips of the same size, of every n-th frame; y (N,) is +-1."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[int, int, tuple[float, ...], int]] = []
    for source, boxes in truth.items():
        shape = open_source(source).shape
        frames: dict[int, list[TruthBox]] = {}
        for box in boxes:
            frames.setdefault(box.frame, []).append(box)
        for frame in sorted(frames)[::every]:
            own = frames[frame]
            avoid = np.array([[t.x0, t.y0, t.x1, t.y1] for t in own])
            for pick in rng.permutation(len(own))[:per_frame]:
                rows.append((source, frame, relax(avoid[pick], u, frame_shape=shape, rng=rng, base=base), 1))
            size = base if u == 0 else (u * base[0], u * base[1])
            size = (min(size[0], shape[0]), min(size[1], shape[1]))
            if u == 0:
                size = base_size(avoid)
            for corners in background_boxes(n_background, size, avoid, frame_shape=shape, rng=rng):
                rows.append((source, frame, tuple(corners), -1))
    source, frame, corners, y = (np.array(column) for column in zip(*rows, strict=True))
    return Instances.at(source, frame, corners), y.astype(np.int64)


def majority(y: NDArray) -> float:
    """Accuracy of always saying the more frequent class."""
    return float(max(np.mean(y > 0), np.mean(y < 0)))


def looseness_table(cells: Sequence[Cell], *, title: str = "What a loose label costs", where: str = "") -> Table:
    """The study as a table of a report: a row per looseness, a column per representation."""
    names = list(dict.fromkeys(cell.representation for cell in cells))
    rows = []
    for u in dict.fromkeys(cell.u for cell in cells):
        own = {cell.representation: cell for cell in cells if cell.u == u}
        first = next(iter(own.values()))
        rows.append([f"u = {u}", f"{first.n}", f"{first.majority:.3f}", *(_written(own[name]) for name in names)])
    width = {cell.representation: cell.d for cell in cells}
    dims = ", ".join(f"{_TITLES.get(name, name)} {width[name]}" for name in names)
    text = (
        "Target chips against background chips, out-of-fold accuracy of 3-NN with its 95 % interval. u = 0 is the tight "
        "box; u = 1, 2, 3 are chips of one, two, three times the largest box, shifted at random with at least half of the "
        "target inside. Folds are blocks of frames; every method was fitted without the fold it is tested on. "
        f"Dimensions: {dims}. {where}"
    )
    return Table(title, ["Looseness", "Chips", "Majority", *(_TITLES.get(name, name) for name in names)], rows, text=text)


def _written(cell: Cell) -> str:
    return f"{cell.accuracy:.3f} ({cell.interval[0]:.2f}-{cell.interval[1]:.2f})"


def _out_of_fold(
    X: NDArray, y: NDArray, fold: NDArray, name: str, d: int, k: int, seed: int
) -> tuple[int, int]:
    """How many are right, and the dimensions used."""
    right, width = 0, X.shape[1]
    for test in (fold == f for f in np.unique(fold)):
        Z, Z_new = X[~test], X[test]
        if name != "hog":
            estimator = _make(name, d, seed).fit(Z, y[~test], bags=_single_bags(y[~test]))
            Z, Z_new = estimator.embedding_, estimator.transform(Z_new)
            width = Z.shape[1]
        right += int((np.where(knn_scores(Z, y[~test], Z_new, k=k) > 0.5, 1, -1) == y[test]).sum())
    return right, width


def _make(name: str, d: int, seed: int):
    cls = catalogue.load(name)
    known = {param.name for param in cls.params}
    values = {"n_components": d, "random_state": seed}
    return cls(**{key: value for key, value in values.items() if key in known})


def _single_bags(y: NDArray) -> Bags:
    return Bags.from_column(np.arange(len(y)), y.astype(np.int8))
