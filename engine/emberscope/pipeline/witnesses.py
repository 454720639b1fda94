"""Whether the witnesses found in positive bags are targets, where truth is known."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import label_of_bag
from emberscope.base.proportion import wilson_interval
from emberscope.labels.geometry import Corners
from emberscope.labels.model import Box
from emberscope.project.model import Project

GROWN = 8.0  # px on every side; an instance whose center lies in the tight box grown by so much is a target


def witnesses_found(
    project: Project, instances: Instances, bags: Bags, score: NDArray, y: NDArray
) -> dict[str, float]:
    """Share of positive bags whose instance of highest score is a target; empty where no bag's truth is known.

    Parameters
    ----------
    project : its labels. A relaxed box whose `core`, the tight box of imported truth, is known makes a bag that is
        judged; cores and tight boxes of targets tell which instances are targets.
    score : (N,) how target-like, NaN for none. y : (N,), an instance with y < 0 is no candidate.

    Returns
    -------
    "witness_found", the share, where instances tie the share of targets among them; "witness_found_low", "_high", its
    95 % Wilson interval; "witness_found_chance", the share for an instance drawn from each bag; "witness_found_bags".

    Notes
    -----
    A bag without a target counts as not found. O(M).
    """
    judged = [k for k in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist() if _known(project, bags.ids[k])]
    if not judged:
        return {}
    target = targets(project, instances)
    value = np.where(np.isfinite(score) & (y >= 0), score, -np.inf)
    found, chance = 0.0, 0.0
    for k in judged:
        rows = bags.of(k)
        first = rows[(value[rows] == value[rows].max()) & np.isfinite(value[rows])]
        found += float(target[first].mean()) if len(first) else 0.0
        chance += float(target[rows].mean())
    low, high = wilson_interval(found, len(judged))
    return {
        "witness_found": found / len(judged), "witness_found_low": low, "witness_found_high": high,
        "witness_found_chance": chance / len(judged), "witness_found_bags": float(len(judged)),
    }


def targets(project: Project, instances: Instances, *, grown: float = GROWN) -> NDArray[np.bool_]:
    """(N,) True where the center of an instance lies in the tight box of a target, grown by `grown` px."""
    out = np.zeros(len(instances), bool)
    middle = (instances.box[:, :2] + instances.box[:, 2:]) / 2
    place = np.stack([instances.source, instances.frame.astype(np.int64)], axis=1)
    places, which = np.unique(place, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    starts = np.searchsorted(which.ravel()[order], np.arange(1, len(places)))
    for (source, frame), rows in zip(places.tolist(), np.split(order, starts), strict=True):
        cores = np.array(list(_tight(project, source, frame)), np.float64).reshape(-1, 1, 4)
        inside = (middle[rows] >= cores[..., :2] - grown) & (middle[rows] <= cores[..., 2:] + grown)
        out[rows] = inside.all(axis=2).any(axis=0)
    return out


def _known(project: Project, bag: int) -> bool:
    label = label_of_bag(int(bag))
    if label not in project.labels:
        return False
    found = project.labels[label]
    return isinstance(found, Box) and found.core is not None and found.looseness > 0


def _tight(project: Project, source: int, frame: int) -> Iterator[Corners]:
    """Where the targets of a frame are: what relaxed boxes were made of, and tight boxes."""
    for label in project.labels.on_frame(source, frame):
        if isinstance(label, Box) and project.role(label.class_id) > 0:
            if label.core is not None:
                yield label.core
            elif not label.looseness:
                yield label.x0, label.y0, label.x1, label.y1
