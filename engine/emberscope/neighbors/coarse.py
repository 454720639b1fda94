"""A coarser version of a large graph: instances joined to groups, and the slow modes of the
groups."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from emberscope.base.kernels import njit

# a group of more hides too much: the hubs of graphs of many dimensions have hundreds of neighbors
_MEMBERS = 12


def grouped(W: csr_array) -> tuple[NDArray[np.int64], csr_array]:
    """Group of every row, and the affinities between groups, inside them on the diagonal.

    In the order of the rows, see `groups`. O(nnz).
    """
    group, n = groups(W, np.arange(W.shape[0]), members=_MEMBERS)
    rows = np.repeat(group, np.diff(W.indptr))
    return group, csr_array(coo_array((W.data, (rows, group[W.indices])), shape=(n, n)).tocsr())


def groups(W: csr_array, order: NDArray, *, members: int) -> tuple[NDArray[np.int64], int]:
    """Group of every row (N,) and how many there are.

    In the given order, each row that is in no group yet founds one with its strongest neighbors
    that are in none, up to `members` together. One that finds none joins the group of its strongest
    neighbor. O(nnz).
    """
    indices, weight = W.indices.astype(np.int32, copy=False), W.data.astype(np.float32, copy=False)
    return _groups(W.indptr.astype(np.int64), indices, weight, order.astype(np.int64), members)


@njit(cache=True, nogil=True)
def _groups(
    indptr: NDArray, indices: NDArray, data: NDArray, order: NDArray, members: int
) -> tuple[NDArray, int]:
    group = np.full(len(indptr) - 1, -1, np.int64)
    count = 0
    for i in order:
        if group[i] >= 0:
            continue
        group[i] = count
        held = 1
        strongest = -1
        while held < members:
            best = -1
            for p in range(indptr[i], indptr[i + 1]):
                if indices[p] != i and (strongest < 0 or data[p] > data[strongest]):
                    strongest = p
                if group[indices[p]] < 0 and (best < 0 or data[p] > data[best]):
                    best = p
            if best < 0:
                break
            group[indices[best]] = count
            held += 1
        if held == 1 and strongest >= 0:
            group[i] = group[indices[strongest]]
        else:
            count += 1
    return group, count
