"""Point sets that are generated, as a table: surfaces, rolls, curves, planted targets and concepts.

A new one is a function that draws it and a row of `SETS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ParamError
from emberscope.base.grouping import how_many
from emberscope.datasets.bags_of_points import random_bags
from emberscope.datasets.curves import circles, moons
from emberscope.datasets.model import Points
from emberscope.datasets.planted import planted_bags, planted_classes
from emberscope.datasets.planted_concepts import ONE, TWO, disk_concepts
from emberscope.datasets.rolls import flat_roll
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.datasets.topics import topic_bags

LARGEST = 1_000_000  # of a number that is asked for
_CELLS = 100_000_000  # of a table of features, 0.8 GB
_NOISE, _IRRELEVANT, _BAGS = 1, 2, 3  # draws of their own, so that what is added changes no other
CLASSES, _ALL = "instances of each class", "instances"
_QUARTERS = np.array(["first quarter", "second quarter", "third quarter", "last quarter"])


@dataclass(frozen=True, slots=True)
class Drawn:
    """A point set. truth : what is known of it besides, by name, (N, ...) or (K, ...) each."""

    points: Points
    truth: dict[str, NDArray] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GeneratedSet:
    """A row. id, title, about : in sentences. number : how many there are of `counts`, as long as
    nobody asks for others. cells : values of features of each of them, at most. draw : of a number
    and a seed. least : the fewest."""

    id: str
    title: str
    about: str
    counts: str
    number: int
    cells: int
    draw: Callable[[int, int], Drawn]
    least: int = 2

    @property
    def takes_bags(self) -> bool:
        """Whether its instances are targets and background that lie in no bag yet."""
        return self.counts == CLASSES


def generated(
    name: str, *, number: int | None = None, noise: float = 0.0, irrelevant: int = 0,
    bag_size: int = 0, seed: int = 0,
) -> Drawn:
    """A set of `SETS`, the same to the bit for the same arguments.

    Parameters
    ----------
    number : of what the set counts; None for its usual one. noise : standard deviation that is
        added to every feature. irrelevant : how many features say nothing: normal, with the mean
        standard deviation of the others; they follow these. bag_size : of sets without bags, random
        bags of 1 to so many instances, positive where one is a target; 0 for none.

    Raises ParamError for a set that there is not, a number out of range, and bags of a set that has
    bags or whose instances are neither target nor background.
    """
    row = next((each for each in SETS if each.id == name), None)
    if row is None:
        known = ", ".join(each.id for each in SETS)
        raise ParamError(f"no generated set is called {name!r}", hint=f"Known: {known}.")
    _check(row, row.number if number is None else number, noise, irrelevant, bag_size)
    made = row.draw(row.number if number is None else number, seed)
    X, points = made.points.X, made.points
    if bag_size:
        points = _in_bags(row, points, bag_size, seed)
    if noise:
        X = X + noise * np.random.default_rng((seed, _NOISE)).standard_normal(X.shape)
    if irrelevant:
        _check_fits(f"{irrelevant} irrelevant features of {len(X)} instances", irrelevant * len(X))
        drawn = np.random.default_rng((seed, _IRRELEVANT)).standard_normal((len(X), irrelevant))
        X = np.hstack([X, X.std(axis=0).mean() * drawn])
    return replace(made, points=replace(points, X=X))


def arrays_of(made: Drawn) -> dict[str, NDArray]:
    """What a file of a set holds, by name, as `datasets.points.read_points` reads it."""
    points, out = made.points, {"X": made.points.X}
    if points.y is not None:
        out["y"] = points.y.astype(np.int8)
    elif points.classes is not None:
        out["y"] = points.classes
    if points.bags is not None:
        bags = points.bags
        out |= {"indptr": bags.indptr, "members": bags.members, "bag_y": bags.labels,
                "bag_class": bags.classes}  # fmt: skip
    return out | made.truth


def _check(row: GeneratedSet, number: int, noise: float, irrelevant: int, bag_size: int) -> None:
    asked = f"{row.id}: number is {number}"
    if not row.least <= number <= LARGEST:
        raise ParamError(asked, hint=f"Ask for {row.least} to {LARGEST} {row.counts}.")
    _check_fits(asked, number * row.cells)
    if not 0 <= noise < np.inf:
        raise ParamError(f"noise is {noise:g}", hint="Give a standard deviation of 0 or more.")
    for name, value in (("irrelevant", irrelevant), ("bag size", bag_size)):
        if not 0 <= value <= LARGEST:
            raise ParamError(f"{name} is {value}", hint=f"Give a number from 0 to {LARGEST}.")


def _check_fits(asked: str, cells: int) -> None:
    if cells > _CELLS:
        raise ParamError(f"{asked}, which is too large a table", hint="Ask for fewer.")


def _in_bags(row: GeneratedSet, points: Points, size: int, seed: int) -> Points:
    if points.bags is not None:
        raise ParamError(f"{row.id} has {how_many(len(points.bags), 'bag')} of its own",
                         hint="Leave out the size of bags.")
    if points.y is None:
        raise ParamError(f"instances of {row.id} are neither target nor background",
                         hint="Leave out the size of bags.")
    drawn = np.random.default_rng((seed, _BAGS)).integers(2**31)
    return replace(points, bags=random_bags(points.y, max_size=size, seed=int(drawn)))


def _labeled(X: NDArray, y: NDArray[np.int8]) -> Drawn:
    return Drawn(Points(X, y=y.astype(np.int64)))


def _roll(n: int, seed: int, *, hole: bool = False) -> Drawn:
    """The quarter of its length that an instance lies in is its class."""
    X, U = flat_roll(n, hole=hole, seed=seed)
    ends = np.quantile(U[:, 0], (0.25, 0.5, 0.75))
    quarter = _QUARTERS[np.searchsorted(ends, U[:, 0], side="right")]
    return Drawn(Points(X, classes=quarter), {"flat": U})


def _planted(n: int, seed: int) -> Drawn:
    X, bags, truth = planted_bags(n, seed=seed)
    return Drawn(Points(X, y=np.where(truth, 1, -1), bags=bags))


def _planted_classes(n: int, seed: int) -> Drawn:
    X, bags, truth = planted_classes(n, seed=seed)
    return Drawn(Points(X, y=np.where(truth, 1, -1), bags=bags))


def _concepts(centers: tuple[tuple[float, float], ...], n: int, seed: int) -> Drawn:
    made = disk_concepts(centers, n_positive=n, n_negative=n, seed=seed)
    y = np.where(made.concept >= 0, 1, -1)
    return Drawn(Points(made.X, y=y, bags=made.bags),
                 {"concept": made.concept, "centers": made.centers})


def _topics(n: int, seed: int) -> Drawn:
    X, bags, topic = topic_bags(n, seed=seed)
    return Drawn(Points(X, bags=bags), {"topic": topic})


SETS = (
    GeneratedSet(
        "surfaces", "Two surfaces",
        "Two quadratic surfaces in 3-D, a class each, that do not touch.",
        CLASSES, 1000, 6, lambda n, seed: _labeled(*quadratic_surfaces(n, seed=seed)),
    ),
    GeneratedSet(
        "crossing-surfaces", "Two surfaces that cross",
        "Two quadratic surfaces in 3-D, a class each, that meet in a circle.",
        CLASSES, 1000, 6,
        lambda n, seed: _labeled(*quadratic_surfaces(n, kind="crossing", seed=seed)),
    ),
    GeneratedSet(
        "roll", "Swiss roll",
        "A rectangle that is rolled up without stretching; classes are quarters of its length.",
        _ALL, 1000, 3, _roll, 8,
    ),
    GeneratedSet(
        "roll-with-hole", "Swiss roll with a hole",
        "The same without the middle ninth of the rectangle.",
        _ALL, 1000, 3, lambda n, seed: _roll(n, seed, hole=True), 8,
    ),
    GeneratedSet(
        "circles", "Two circles",
        "A circle of targets in a circle of background.",
        CLASSES, 500, 4, lambda n, seed: _labeled(*circles(n, seed=seed)),
    ),
    GeneratedSet(
        "moons", "Two moons",
        "Two half circles that interlock, a class each.",
        CLASSES, 500, 4, lambda n, seed: _labeled(*moons(n, seed=seed)),
    ),
    GeneratedSet(
        "planted-targets", "Planted targets",
        "Bags of 8 instances in 32-D; in half of them one is a target, and 2 features tell it.",
        "bags", 40, 256, _planted,
    ),
    GeneratedSet(
        "planted-classes", "Planted targets of three classes",
        "Bags of 8 instances in 32-D with one target each, of one of three classes.",
        "bags", 60, 256, _planted_classes, 3,
    ),
    GeneratedSet(
        "one-concept", "One target concept",
        "Bags of 2 to 6 instances in a square; one of a positive bag lies in a small disk.",
        "bags of each kind", 20, 24, lambda n, seed: _concepts(ONE, n, seed), 1,
    ),
    GeneratedSet(
        "two-concepts", "Two target concepts",
        "The same with two disks, and as many positive bags of each.",
        "bags of each kind", 20, 36, lambda n, seed: _concepts(TWO, n, seed), 1,
    ),
    GeneratedSet(
        "topics", "Documents of five topics",
        "Bags of 5 to 19 instances in 300-D about the middle of their topic, with outliers.",
        "bags of each topic", 50, 28_500, _topics, 1,
    ),
)  # fmt: skip
