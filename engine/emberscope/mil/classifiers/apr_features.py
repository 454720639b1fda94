"""The few features with which a box may begin: those in which an interval around its first instance
holds instances of many positive bags and of few negative ones."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.mil.boxes import PRICE, REACH, WIDTHS, Field, firsts, grown


def features_around(
    A: NDArray, bags: Bags, rows: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """For each of these rows of A (N, D) the features of the best box around it, ascending, one at
    least.

    Features that say nothing cost a box more than they tell, see `mil.boxes`.
    O(D W M + rows M D) for M members of bags and W widths.
    """
    Z = np.ascontiguousarray(A[bags.members].T, np.float64)
    spread = np.maximum(Z.std(axis=1, keepdims=True), np.finfo(float).tiny)
    Z = (Z - Z.mean(axis=1, keepdims=True)) / spread
    half = REACH * np.array(WIDTHS)
    price = PRICE * float(np.log(len(Z) * len(half)))
    field = Field(Z, bags.bag_of_member, bags.labels > 0, half, price)
    _, at = np.unique(bags.members, return_index=True)  # an instance of two bags stands for one
    candidates = at[np.searchsorted(np.unique(bags.members), rows)]
    place = np.full(Z.shape[1], -1)
    place[candidates] = np.arange(len(rows))
    first, wide = firsts(field, np.argsort(Z, axis=1, kind="stable"), place, len(rows))
    _, halves = grown(field, candidates, first, wide)
    return [np.flatnonzero(np.isfinite(own)) if np.isfinite(own).any() else first[:, [j]].argmax(0)
            for j, own in enumerate(halves)]
