"""Coarsening: the graph of a layout made smaller level by level,
so that what moves together starts together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.neighbors.coarse import groups

COARSEST = 100  # groups at which no further level is made
_MOST = 8  # members of a group
_LEAST_GAIN = 0.8


@dataclass(frozen=True, slots=True)
class Level:
    """A graph and how the next finer one belongs to it.

    W : csr_array, (n, n), symmetric, largest weight at most 1.
        group : (finer n,) int32, row of W of each finer row.
    """

    W: csr_array
    group: NDArray[np.int32]


def levels(W: csr_array, *, seed: int, coarsest: int = COARSEST) -> list[Level]:
    """W (N, N), largest weight 1, and coarser graphs, the coarsest last;
    of the first `group` is every row itself.

    A row that belongs to no group yet starts one with its strongest such neighbors; rows come in
    random order. Weights between groups are sums, made comparable: divided by the roots of both row
    sums, then scaled to the mean row sum of W. Stops where groups no longer save a fifth of the
    rows (a graph of isolated ones). O(E) per level.
    """
    out = [Level(W, np.arange(W.shape[0], dtype=np.int32))]
    degree = float(W.sum()) / W.shape[0]
    rng = np.random.default_rng(seed)
    while (n := out[-1].W.shape[0]) > coarsest:
        finer = out[-1].W
        group, n_groups = groups(finer, rng.permutation(n), members=_MOST)
        if n_groups > _LEAST_GAIN * n:
            break
        out.append(Level(_scaled(_merged(finer, group, n_groups), degree), group.astype(np.int32)))
    return out


def _merged(W: csr_array, group: NDArray, n: int) -> csr_array:
    """Weights between groups, those within left out."""
    group = group.astype(np.int32, copy=False)  # half the memory, which is most of a layout's
    rows, cols = np.repeat(group, np.diff(W.indptr)), group[W.indices]
    apart = rows != cols
    rows, cols = rows[apart], cols[apart]
    return csr_array((W.data[apart].astype(np.float64), (rows, cols)), shape=(n, n))


def _scaled(W: csr_array, degree: float) -> csr_array:
    rows = np.repeat(np.arange(W.shape[0], dtype=np.int32), np.diff(W.indptr))
    root = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
    W.data /= root[rows] * root[W.indices]
    if W.nnz:
        W.data *= degree * W.shape[0] / W.data.sum()
    W.data = np.minimum(W.data, 1).astype(np.float32)
    return W
