"""Distances of pairs of rows, from differences in double precision."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit


def squared_distances(X: NDArray, first: NDArray, second: NDArray) -> NDArray[np.float64]:
    """(P,) squared Euclidean distances of rows X[first] and X[second]."""
    out = np.empty(len(first))
    _squared_distances(X, first.astype(np.int64), second.astype(np.int64), out)
    return out


@njit(cache=True, nogil=True)
def _squared_distances(X: NDArray, first: NDArray, second: NDArray, out: NDArray) -> None:
    for p in range(len(first)):
        total = 0.0
        for c in range(X.shape[1]):
            difference = np.float64(X[first[p], c]) - np.float64(X[second[p], c])
            total += difference * difference
        out[p] = total
