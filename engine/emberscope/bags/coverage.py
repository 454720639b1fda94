"""Coverage: how many positive bags hold a patch on their target, where its tight box is known; how
loose their boxes are."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import label_of_bag
from emberscope.labels.geometry import area, centers, distance_to_boxes, intersection
from emberscope.labels.model import Box, Label, tight_box

# px from the target, on either axis: a patch whose center is farther off shows something else
REACH = 8.0
_HALF = 0.5


class Labels(Container[int], Protocol):
    """What labels are looked up in, a `LabelSet`."""

    def __getitem__(self, label_id: int, /) -> Label: ...


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many positive bags know their target, how many of these miss it, and how many more cut
    it."""

    bags: int
    missed: int
    cut: int

    @property
    def metrics(self) -> dict[str, float]:
        """ "bags_missed" and "bags_cut"; empty where no bag knows its target."""
        return {"bags_missed": float(self.missed), "bags_cut": float(self.cut)} if self.bags else {}

    @property
    def notes(self) -> list[str]:
        """A sentence where there is something to mend."""
        if not self.missed and not self.cut:
            return []
        of = f"{self.bags} positive bag{'s' * (self.bags != 1)}"
        cut = "the best patch sees less than half of the target"
        if not self.missed:
            return [f"In {self.cut} of {of} {cut}; larger patches or smaller steps help."]
        also = f", and in {self.cut} more {cut}" if self.cut else ""
        return [f"In {self.missed} of {of} no patch lies on the target{also}; smaller steps or "
                "another patch help."]


def coverage(instances: Instances, bags: Bags, labels: Labels) -> Coverage:
    """What the patches of positive bags show of the targets they were labeled for.

    Parameters
    ----------
    instances, bags : as `make_bags` returns them, the supports grown where features look further
        (features.extract).
    labels : the labels they were made of, by id.

    Notes
    -----
    Judged are bags of tight boxes, and of relaxed ones whose core is known. Missed: no center of a
    patch within 8 px of the target's box. Cut: not missed, and no patch covers half of the target's
    area. O(members).
    """
    judged = missed = cut = 0
    for k in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
        key = label_of_bag(int(bags.ids[k]))
        target = tight_box(labels[key]) if key in labels else None
        if target is None:
            continue
        patches = instances.box[bags.of(k)].astype(np.float64)
        reach = np.array(target) + np.array([-REACH, -REACH, REACH, REACH])
        judged += 1
        if distance_to_boxes(centers(patches), reach).min() > 0:
            missed += 1
        elif intersection(patches, target).max() < _HALF * area(target)[0]:
            cut += 1
    return Coverage(judged, missed, cut)


def label_looseness(bags: Bags, labels: Labels) -> dict[str, float]:
    """ "label_looseness", the mean looseness of the boxes that positive bags were made of; empty
    where none was made of a box."""
    keys = [label_of_bag(bag) for bag in bags.ids[bags.labels > 0].tolist()]
    known = [labels[key] for key in keys if key in labels]
    found = [label.looseness for label in known if isinstance(label, Box)]
    return {"label_looseness": float(np.mean(found))} if found else {}
