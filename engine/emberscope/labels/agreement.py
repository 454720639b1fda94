"""How far two sets of labels agree: those of two people, or of a person and a detector."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.geometry import area, bounds, centers, intersection
from emberscope.labels.model import FrameLabel, Ignore, Label, tight_box

ENOUGH = 0.5  # share of two tight boxes that both have in common, of all that either covers


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing on which they do not agree, on a frame of a source. a, b : the labels, None where
    one set has none."""

    source: int
    frame: int
    a: Label | None
    b: Label | None

    @property
    def why(self) -> str:
        """ "other class", "only the first" or "only the second"."""
        return (
            "only the first"
            if self.b is None
            else "only the second"
            if self.a is None
            else "other class"
        )


@dataclass(slots=True)
class Agreement:
    """What was found. both, only_a, only_b : how many objects of each class, by its id. mixed : how
    many objects have one class in the first set and another in the second. differences : in the
    order of sources and frames."""

    both: Counter[int] = field(default_factory=Counter)
    only_a: Counter[int] = field(default_factory=Counter)
    only_b: Counter[int] = field(default_factory=Counter)
    mixed: Counter[tuple[int, int]] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Objects that both have in one class, of all objects; NaN where there are none."""
        total = self.both.total() + self.only_a.total() + self.only_b.total() + self.mixed.total()
        return self.both.total() / total if total else float("nan")


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    """Of one class how many objects both sets have, only the first, only the second, and how many
    have this class in one set and another in the other."""

    class_id: int
    both: int
    only_a: int
    only_b: int
    mixed: int


def by_class(found: Agreement) -> list[ClassAgreement]:
    """The table of an agreement, in the order of the ids of classes."""
    mixed: Counter[int] = Counter()
    for pair, count in found.mixed.items():
        mixed.update(dict.fromkeys(pair, count))
    classes = sorted({*found.both, *found.only_a, *found.only_b, *mixed})
    return [
        ClassAgreement(key, found.both[key], found.only_a[key], found.only_b[key], mixed[key])
        for key in classes
    ]


def agreement(a: Iterable[Label], b: Iterable[Label]) -> Agreement:
    """Compare labels, frame by frame; words about whole frames and regions to ignore are left out.

    Two labels are of one object where their tight boxes have half of what either covers in common,
    or, where one is loose, a spot or a line, where the middle of the smaller one lies in the other.
    Each label is of one object, the nearest first; one of the same class before one of another.
    O(labels of a frame squared).
    """
    first, second = _by_frame(a), _by_frame(b)
    found = Agreement()
    for source, frame in sorted(first.keys() | second.keys()):
        mine, other = first.get((source, frame), []), second.get((source, frame), [])
        pairs = _pairs(mine, other)
        for i, label in enumerate(mine):
            match = other[pairs[i]] if i in pairs else None
            if match is None:
                found.only_a[label.class_id] += 1
            elif match.class_id == label.class_id:
                found.both[label.class_id] += 1
                continue
            else:
                found.mixed[label.class_id, match.class_id] += 1
            found.differences.append(Difference(source, frame, label, match))
        for k in sorted(set(range(len(other))) - set(pairs.values())):
            found.only_b[other[k].class_id] += 1
            found.differences.append(Difference(source, frame, None, other[k]))
    return found


def _by_frame(labels: Iterable[Label]) -> dict[tuple[int, int], list[Label]]:
    found: dict[tuple[int, int], list[Label]] = {}
    for label in labels:
        if not isinstance(label, FrameLabel | Ignore):
            found.setdefault((label.source, label.frame), []).append(label)
    return found


def _pairs(a: list[Label], b: list[Label]) -> Mapping[int, int]:
    """Which of `b` each of `a` is, for those that are one object."""
    if not a or not b:
        return {}
    (first, known), (second, known_too) = _places(a), _places(b)
    common = intersection(first, second)
    covered = area(first)[:, None] + area(second)[None] - common
    shares = common / np.maximum(covered, 1e-12)
    measured = known[:, None] & known_too[None]
    one = np.where(measured, shares >= ENOUGH, _middle_inside(first, second))
    ranked = [
        (a[i].class_id != b[k].class_id, -float(shares[i, k]), i, k)
        for i, k in np.argwhere(one).tolist()
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, k in sorted(ranked):
        if i not in pairs and k not in taken:
            pairs[i] = k
            taken.add(k)
    return pairs


def _places(labels: list[Label]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Where labels lie, (n, 4): their targets where they know them (n,), else they themselves."""
    tight = [tight_box(label) for label in labels]
    boxes = [box or bounds(label) or (0.0,) * 4 for box, label in zip(tight, labels, strict=True)]
    return np.array(boxes, np.float64), np.array([box is not None for box in tight])


def _middle_inside(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n, m) True where the middle of the smaller of two boxes lies in the larger one."""
    smaller = area(a)[:, None] <= area(b)[None]
    return np.where(smaller, _holds(b[None], centers(a)[:, None]), _holds(a[:, None], centers(b)))


def _holds(boxes: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside = (boxes[..., :2] <= points) & (points <= boxes[..., 2:])
    return np.asarray(np.all(inside, axis=-1))
