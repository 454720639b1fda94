"""Components of a large symmetric graph, found where it lies: SciPy's way holds it three times."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit

_EVERY = np.empty(0, np.bool_)


def components_of(W: csr_array, joins: NDArray[np.bool_] = _EVERY) -> NDArray[np.int32]:
    """Component (N,) of every row of a symmetric graph (N, N), counted from 0 in the order of their
    first rows.

    joins : (E,), optional. Whether each stored entry is an edge, both directions alike; all are by
    default. O(N + E); 8 bytes a row.
    """
    return _components(W.indptr, W.indices, joins)


@njit(cache=True, nogil=True)
def _components(indptr: NDArray, indices: NDArray, joins: NDArray) -> NDArray:
    n = len(indptr) - 1
    part, waiting = np.full(n, -1, np.int32), np.empty(n, np.int32)
    count = 0
    for first in range(n):
        if part[first] >= 0:
            continue
        part[first] = count
        waiting[0], left = first, 1
        while left > 0:
            left -= 1
            row = waiting[left]
            for p in range(indptr[row], indptr[row + 1]):
                if part[indices[p]] < 0 and (len(joins) == 0 or joins[p]):
                    part[indices[p]] = count
                    waiting[left] = indices[p]
                    left += 1
        count += 1
    return part
