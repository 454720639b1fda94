"""What does a loose label cost? Out-of-fold accuracy by looseness and representation.

Chips of truth boxes weakened by u and background chips of the same size; features; for every fold
of frame blocks each method is fitted on the other folds, the held-out chips are mapped out of
sample and classified by k-NN.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import frame_blocks, grouped_folds
from emberscope.bags.model import Bags, Instances
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.of_points import plan_of_points
from emberscope.evaluate.knn import CrossValidated, embed_cross_validated, knn_cross_validated
from emberscope.features import FeatureRecipe
from emberscope.features.extract import extract
from emberscope.frames.source import FrameSource
from emberscope.labels.model import BACKGROUND, Box
from emberscope.labels.relax import base_size
from emberscope.labels.truth_objects import TruthBox
from emberscope.labels.weaken import Place, Weakening, sample_chips
from emberscope.report.drawing import short_title
from emberscope.report.table import Table

REPRESENTATIONS = ("features", "pca", "laplacian-eigenmaps", "s-le", "mida")
Truth = Mapping[int, Sequence[TruthBox]]
Opener = Callable[[int], FrameSource]


@dataclass(frozen=True, slots=True)
class Chips:
    """How chips are drawn: of every n-th frame, so many targets and backgrounds per frame."""

    every: int = 1
    per_frame: int = 10
    n_background: int = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """k-NN accuracy of one representation at looseness u; `d` is the number of dimensions asked for
    (0 = all)."""

    u: int
    representation: str
    d: int
    found: CrossValidated


def study(
    truth: Truth,
    open_source: Opener,
    *,
    us: Sequence[int] = (0, 1, 2, 3),
    d: int = 10,
    k: int = 3,
    representations: Sequence[str] = REPRESENTATIONS,
    chips: Chips | None = None,
    block: int = 10,
    folds: int = 5,
    features: FeatureRecipe | None = None,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> list[Cell]:
    """Run the study on truth boxes per source id.

    Parameters
    ----------
    us : looseness levels. d : dimensions of the reduced representations. k : neighbors that vote.
    block : consecutive frames of a source that share a fold. features : default HOG, 324-D.

    Raises DataError where there is no truth, or too little for the folds.
    """
    monitor = monitored(monitor)
    cells: list[Cell] = []
    for i, u in enumerate(us):
        part = Portion(monitor, i / len(us), (i + 1) / len(us))
        instances, y = sample(truth, open_source, u=u, chips=chips or Chips(), seed=seed)
        X = extract(
            instances, open_source, features or FeatureRecipe(), monitor=Portion(part, 0.0, 0.5)
        )
        fold = grouped_folds(
            frame_blocks(instances.source, instances.frame, block=block),
            y,
            n_folds=folds,
            seed=seed,
        )
        for j, name in enumerate(representations):
            part.step(0.5 + 0.5 * j / len(representations), f"{_title(name)} at looseness {u}")
            cells.append(
                Cell(
                    u, name, d if name != "features" else 0, _classify(X, y, fold, name, d, k, seed)
                )
            )
    return cells


def sample(
    truth: Truth, open_source: Opener, *, u: int, chips: Chips, seed: int
) -> tuple[Instances, NDArray[np.int64]]:
    """Target chips weakened by u and background chips of the same size; y (N,) is +1 and -1.

    Raises DataError where there is no truth box.
    """
    corners = np.array([t.box for t in _targets(truth)])
    if not len(corners):
        raise DataError("there is no truth box to weaken", hint="Give truth with boxes.")
    how = Weakening(
        u=u, base=base_size(corners), seed=seed, every=chips.every, n_background=chips.n_background
    )
    boxes: list[Box] = []
    for source, found in truth.items():
        place = Place(
            source=source,
            frame_shape=open_source(source).shape,
            classes=_one_class(found),
            ids=count(1),
        )
        labels = sample_chips(found, how, place, per_frame=chips.per_frame)
        boxes += [label for label in labels if isinstance(label, Box)]
    places = np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes])
    y = np.array([-1 if box.class_id == BACKGROUND else 1 for box in boxes], np.int64)
    return Instances.at(
        np.array([box.source for box in boxes]), np.array([box.frame for box in boxes]), places
    ), y


def looseness_table(
    cells: Sequence[Cell], *, title: str = "What a loose label costs", where: str = ""
) -> Table:
    """The study as a table of a report: a row per looseness, a column per representation."""
    names = list(dict.fromkeys(cell.representation for cell in cells))
    rows = []
    for u in dict.fromkeys(cell.u for cell in cells):
        own = {cell.representation: cell.found for cell in cells if cell.u == u}
        first = own[names[0]]
        rows.append(
            [
                f"u = {u}",
                str(first.n),
                f"{first.majority:.3f}",
                *(_written(own[name]) for name in names),
            ]
        )
    d = max(cell.d for cell in cells)
    text = (
        "Target chips against background chips, out-of-fold accuracy of 3-NN with its 95 % "
        "interval. u = 0 is the tight box; u = 1, 2, 3 are chips of one, two, three times the "
        "largest box, shifted at random with at least half of the target inside. Folds are blocks "
        f"of frames; every method was fitted without the fold it is tested on, with {d} "
        f"dimensions. {where}"
    )
    return Table(
        title, ["Looseness", "Chips", "Majority", *map(_title, names)], rows, text=text, best_from=3
    )


def _classify(
    X: NDArray, y: NDArray, fold: NDArray, name: str, d: int, k: int, seed: int
) -> CrossValidated:
    if name == "features":
        return knn_cross_validated(X, y, fold, k=k)
    # At chip level every chip is a bag
    bags = Bags.from_column(np.arange(len(y)), y.astype(np.int8))
    takes_d = any(param.name == "n_components" for param in catalogue.load(name).params)
    plan = plan_of_points(name, {"n_components": d} if takes_d else {}, seed=seed)
    return embed_cross_validated(plan.method.make, X, y, bags, fold, k=k)


def _targets(truth: Truth) -> Iterator[TruthBox]:
    return (t for found in truth.values() for t in found if not t.ignore and not t.is_point)


def _one_class(found: Sequence[TruthBox]) -> dict[str, int]:
    return {t.name: 1 for t in found}


def _title(name: str) -> str:
    return "HOG" if name == "features" else short_title(name)


def _written(found: CrossValidated) -> str:
    return f"{found.accuracy:.3f} ({found.interval[0]:.2f}-{found.interval[1]:.2f})"
