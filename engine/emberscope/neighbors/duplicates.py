"""Exact duplicates are one instance to every graph method; its copies get its coordinates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Distinct:
    """Rows that differ, and how to get back.

    rows : (U,) int64, ascending, the first row of each kind. inverse : (N,) int64, distinct row of each instance.
    counts : (U,) int64, copies of each.
    """

    rows: NDArray[np.int64]
    inverse: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_merged(self) -> int:
        """How many rows were copies of an earlier one."""
        return len(self.inverse) - len(self.rows)

    def restore(self, values: NDArray) -> NDArray:
        """Per-distinct-row values spread over all instances."""
        return values[self.inverse]


def distinct_rows(X: NDArray, y: NDArray | None = None) -> Distinct:
    """Find exact duplicates among rows of X (with `y`: of rows that also share the label).

    -0.0 equals 0.0. O(N log N) row comparisons, N D bytes of copy. NaN is not expected here.
    """
    X = np.ascontiguousarray(X) + 0.0  # the sum turns -0.0 into 0.0
    keys = X.view(np.uint8).reshape(len(X), X.shape[1] * X.itemsize)
    if y is not None:
        keys = np.hstack([keys, np.ascontiguousarray(y, np.int64).view(np.uint8).reshape(len(X), 8)])
    whole = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, inverse, counts = np.unique(whole, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Distinct(first[order].astype(np.int64), rank[inverse.ravel()], counts[order].astype(np.int64))
