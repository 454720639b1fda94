"""The bags a weakly supervised method learns from: labelled, not empty, without what is known not to be a target."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels


@dataclass(frozen=True, slots=True)
class TrainingBags:
    """bags : labelled bags with at least one usable instance each. rows : (K',) their numbers among the bags given.

    n_bags : bags given. notes : what was left out, one sentence each.
    """

    bags: Bags
    rows: NDArray[np.int64]
    n_bags: int
    notes: list[str]


def training_bags(
    y: NDArray | None, bags: Bags | None, n: int, *, method: str, negative: bool = True
) -> TrainingBags:
    """What to learn from bags of n instances.

    Parameters
    ----------
    y : (n,) instance labels or None. An instance with y < 0 is no candidate of its positive bags, nor is one that also
        lies in a negative bag. Without bags every instance with y != 0 is a bag of its own.
    method : for the words of an error. negative : whether negative bags are needed too.

    Notes
    -----
    Raises MissingLabels without a positive (or a negative) bag that has a usable instance. O(M).
    """
    if bags is None:
        own = np.flatnonzero(y) if y is not None else np.empty(0, np.int64)
        bags = Bags.from_lists([own[i : i + 1] for i in range(len(own))], np.sign(y[own]) if y is not None else own)
    negated = np.zeros(n, bool) if y is None else np.asarray(y) < 0
    owner = bags.bag_of_member
    negated[bags.members[bags.labels[owner] < 0]] = True
    kept = (bags.labels[owner] < 0) | ((bags.labels[owner] > 0) & ~negated[bags.members])
    sizes = np.bincount(owner[kept], minlength=len(bags))
    rows = np.flatnonzero(sizes)
    for label, kind in ((1, "positive"), (-1, "negative")):
        if not (bags.labels[rows] == label).any() and (label > 0 or negative):
            raise MissingLabels(f"{method} has no {kind} bag with an instance", hint=f"Label at least one {kind} bag.")
    lost = int(((bags.labels != 0) & (sizes == 0)).sum())
    notes = [f"{lost} bags without a usable instance take no part."] if lost else []
    indptr = np.concatenate([[0], np.cumsum(sizes[rows])]).astype(np.int64)
    usable = Bags(indptr, bags.members[kept], bags.labels[rows], bags.ids[rows], bags.classes[rows])
    return TrainingBags(usable, rows, len(bags), notes)
