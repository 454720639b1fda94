"""Whether the witnesses found in positive bags are targets, where truth is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import label_of_bag
from emberscope.base.proportion import mean_wilson_interval
from emberscope.labels.geometry import Corners
from emberscope.labels.model import Box, tight_box
from emberscope.pipeline.judging_rows import judging_labels_of
from emberscope.project.model.project import Project

# Px on every side; an instance whose center lies in the tight box grown by so much is a target
GROWN = 8.0


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of targets: any (N,) True where an instance shows one; of_class the same for
    the targets of each class; bags (J,) int64 numbers of the positive bags that can be judged,
    which know the tight box of their target."""

    any: NDArray[np.bool_]
    of_class: Mapping[int, NDArray[np.bool_]]
    bags: NDArray[np.int64]

    def right(self, kind: int) -> NDArray[np.bool_]:
        """(N,) True where an instance is one that a bag of this class is about."""
        return self.of_class.get(kind, self.any)


def truth_of(project: Project, instances: Instances, bags: Bags) -> Truth:
    """What the labels of a project know, of point sets what labels of their instances say that
    only judge. O(N + labels)."""
    if project.of_points:
        return _truth_of_rows(judging_labels_of(project, instances), bags)
    of_class = targets_by_class(project, instances)
    whole = np.zeros(len(instances), bool)
    for own in of_class.values():
        whole |= own
    judged = [
        k
        for k in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist()
        if _known(project, bags.ids[k])
    ]
    return Truth(whole, of_class, np.array(judged, np.int64))


def _truth_of_rows(y: NDArray[np.int8], bags: Bags) -> Truth:
    """y : (N,) labels of instances, 0 for unknown. Positive bags are judged all of whose instances
    are known, and some are targets."""
    of_class: dict[int, NDArray[np.bool_]] = {}
    judged = []
    for k in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
        rows = bags.of(k)
        shown = of_class.setdefault(int(bags.classes[k]), np.zeros(len(y), bool))
        shown[rows] |= y[rows] > 0
        if (y[rows] != 0).all() and (y[rows] > 0).any():
            judged.append(k)
    return Truth(y > 0, of_class, np.array(judged, np.int64))


class Found(NamedTuple):
    """Of judged bags (J,): whether the witness is a target, and the share of targets among the
    instances."""

    hit: NDArray[np.float64]
    chance: NDArray[np.float64]


def found_in(truth: Truth, bags: Bags, score: NDArray, y: NDArray) -> Found:
    """Whether the instance of highest score is a target of the bag's class, for every bag that is
    judged.

    score : (N,) how target-like, NaN for none. y : (N,), an instance with y < 0 is no candidate.
    Where instances tie, a bag is found by the share of targets among them; one without a target, or
    without a score, is not. O(M).
    """
    value = np.where(np.isfinite(score) & (y >= 0), score, -np.inf)
    hit, chance = np.zeros(len(truth.bags)), np.zeros(len(truth.bags))
    for at, k in enumerate(truth.bags.tolist()):
        rows, right = bags.of(k), truth.right(int(bags.classes[k]))
        first = rows[(value[rows] == value[rows].max()) & np.isfinite(value[rows])]
        hit[at] = right[first].mean() if len(first) else 0.0
        chance[at] = right[rows].mean()
    return Found(hit, chance)


def mean_found(found: Found, clip: NDArray[np.int64]) -> dict[str, float]:
    """Means over clips of the shares in each; empty for no bag.

    clip : (J,). "witness_found" with the ends "_low" and "_high" of its 95 % interval, for which
    bags count as independent; "witness_found_chance", the share for an instance drawn from each
    bag; "witness_found_bags".
    """
    if not len(clip):
        return {}
    numbers, which, counts = np.unique(clip, return_inverse=True, return_counts=True)
    hit, chance = (
        float((np.bincount(which.reshape(-1), each, minlength=len(numbers)) / counts).mean())
        for each in found
    )
    low, high = mean_wilson_interval(hit, counts.tolist())
    return {
        "witness_found": hit,
        "witness_found_low": low,
        "witness_found_high": high,
        "witness_found_chance": chance,
        "witness_found_bags": float(len(clip)),
    }


def targets(project: Project, instances: Instances, *, grown: float = GROWN) -> NDArray[np.bool_]:
    """(N,) True where the center of an instance lies in the tight box of a target, grown by `grown`
    px."""
    out = np.zeros(len(instances), bool)
    for own in targets_by_class(project, instances, grown=grown).values():
        out |= own
    return out


def targets_by_class(
    project: Project, instances: Instances, *, grown: float = GROWN
) -> dict[int, NDArray[np.bool_]]:
    """The same for the targets of each class that has some, by its id."""
    out: dict[int, NDArray[np.bool_]] = {}
    middle = (instances.box[:, :2] + instances.box[:, 2:]) / 2
    place = np.stack([instances.source, instances.frame.astype(np.int64)], axis=1)
    places, which = np.unique(place, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    starts = np.searchsorted(which.ravel()[order], np.arange(1, len(places)))
    for (source, frame), rows in zip(places.tolist(), np.split(order, starts), strict=True):
        for kind, boxes in _tight(project, source, frame).items():
            cores = np.array(boxes, np.float64).reshape(-1, 1, 4)
            inside = (middle[rows] >= cores[..., :2] - grown) & (
                middle[rows] <= cores[..., 2:] + grown
            )
            out.setdefault(kind, np.zeros(len(instances), bool))[rows] |= inside.all(axis=2).any(
                axis=0
            )
    return out


def _known(project: Project, bag: int) -> bool:
    label = label_of_bag(int(bag))
    if label not in project.labels:
        return False
    found = project.labels[label]
    return isinstance(found, Box) and found.core is not None and found.looseness > 0


def _tight(project: Project, source: int, frame: int) -> dict[int, list[Corners]]:
    """Where the targets of a frame are, by class: what relaxed boxes were made of, tight boxes, and
    what outlines enclose."""
    out: dict[int, list[Corners]] = {}
    for label in project.labels.on_frame(source, frame):
        target = tight_box(label)
        if target is not None and project.role(label.class_id) > 0:
            out.setdefault(label.class_id, []).append(target)
    return out
