"""The bag constraint on instance labels: no target in a negative bag,
at least one in a positive one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags


@dataclass(frozen=True, slots=True)
class Known:
    """What is certain about n instances.

    bag_label : (n,) int8, -1 in a negative bag, else +1 in a positive one, else 0. fixed : (n,)
    int8, -1 or +1 where the label of the instance is known (a negative bag, or given as such), else
    0. free : (n,) bool, in a positive bag and not fixed.
    """

    bag_label: NDArray[np.int8]
    fixed: NDArray[np.int8]

    @property
    def free(self) -> NDArray[np.bool_]:
        """(n,) bool, as above."""
        return (self.bag_label > 0) & (self.fixed == 0)


def known_labels(y: NDArray | None, bags: Bags, n: int, *, min_witness: int = 0) -> Known:
    """Bag labels spread, and instance labels `y` where no negative bag contradicts them.

    With `min_witness`, a positive bag of no more candidates than that makes all of them certain.
    """
    bag_label = bags.instance_labels(n)
    fixed = np.zeros(n, np.int8) if y is None else np.sign(np.asarray(y)).astype(np.int8)
    fixed[bag_label < 0] = -1
    owner = bags.bag_of_member
    candidate = (bags.labels[owner] > 0) & (fixed[bags.members] >= 0)
    count = np.bincount(owner[candidate], minlength=len(bags))
    fixed[bags.members[candidate & (count[owner] <= min_witness)]] = 1
    return Known(bag_label, fixed)


def restore_witnesses(
    labels: NDArray, score: NDArray, bags: Bags, fixed: NDArray, *, min_witness: int = 1,
    second: NDArray | None = None
) -> NDArray[np.int8]:
    """`labels` with `fixed` ones put back and at least `min_witness` positives in every positive
    bag.

    Where too few are positive, the best-scored candidates become so (ties: the larger `second`,
    then the lower row); a candidate is not fixed as negative. A bag of fewer candidates has all of
    them positive. All bags at once, so their order does not matter. O(M log M). `labels`, `score`,
    `fixed` and `second` : (N,); returns (N,).
    """
    out = np.where(fixed != 0, fixed, labels).astype(np.int8)
    owner = bags.bag_of_member
    use = (bags.labels[owner] > 0) & (fixed[bags.members] >= 0)
    rows, owner = bags.members[use], owner[use]
    tie = np.zeros(len(score)) if second is None else second
    order = np.lexsort((rows, -tie[rows], -score[rows], out[rows] <= 0, owner))
    rows, owner = rows[order], owner[order]
    place = np.arange(len(rows)) - np.searchsorted(owner, owner, side="left")
    out[rows[place < min_witness]] = 1
    return out
