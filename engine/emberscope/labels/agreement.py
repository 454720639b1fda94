"""How far two sets of labels agree: those of two people, or of a person and a detector."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from emberscope.labels.geometry import area, bounds, intersection
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
    boxes = [
        [tight_box(label) or bounds(label) or (0.0,) * 4 for label in labels] for labels in (a, b)
    ]
    common = intersection(*boxes)
    covered = area(boxes[0])[:, None] + area(boxes[1])[None] - common
    shares = common / np.maximum(covered, 1e-12)
    ranked = [
        (a[i].class_id != b[k].class_id, -float(shares[i, k]), i, k)
        for i in range(len(a))
        for k in range(len(b))
        if _are_one(a[i], b[k], boxes[0][i], boxes[1][k], float(shares[i, k]))
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, k in sorted(ranked):
        if i not in pairs and k not in taken:
            pairs[i] = k
            taken.add(k)
    return pairs


def _are_one(
    a: Label, b: Label, box: tuple[float, ...], other: tuple[float, ...], share: float
) -> bool:
    if tight_box(a) is not None and tight_box(b) is not None:
        return share >= ENOUGH
    inner, outer = sorted((box, other), key=lambda corners: float(area(corners)[0]))
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
