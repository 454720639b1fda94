"""Modified locally linear embedding: several weight vectors per neighborhood instead of one."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor, Portion
from emberscope.embedding.components import Part
from emberscope.embedding.spectral.alignment import CHUNK, sum_of_blocks
from emberscope.embedding.spectral.lle import Rebuilt
from emberscope.neighbors.rows import over_rows

_RIDGE = 1e-3


class MLLE(Rebuilt):
    """Minimize the sum over neighborhoods of |z_i e' - Z_i' W_i|²,
    each W_i with as many columns as the data allow.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending. stretch_ : (d,), see `NullSpaceMethod`.

    Notes
    -----
    Zhang and Wang 2006. The columns of W_i are weight vectors (sum 1) near the null space of the
    local Gram matrix. Its size s_i comes from the eigenvalues: those that together are less than
    the median share of what lies outside the first d. Written with the projector P on that space,
    so that its basis does not matter: W W' = P + (1 - a) / a (P e w' + w e'P) + (1 - a)² s w w',
    a = |P e| / sqrt(s), w LLE's regularized weights. One neighborhood has one solution less to slip
    away by than in LLE: on a flat roll the misfit is a fifth.
    """

    def _least_neighbors(self) -> int:
        return self.n_components + 1

    def _misfit(self, part: Part, watch: Monitor) -> csr_array:
        X, neighbors = part.X, part.neighbors
        n, k = neighbors.idx.shape
        values, vectors = np.empty((n, k)), np.empty((n, k, k))

        def decompose(first: int, last: int) -> None:
            offsets = X[neighbors.idx[first:last]].astype(np.float64) - X[first:last, None]
            found = np.linalg.eigh(offsets @ offsets.transpose(0, 2, 1))
            values[first:last], vectors[first:last] = np.maximum(
                found[0][:, ::-1], 0.0
            ), found[1][:, :, ::-1]

        rows = CHUNK // (k * max(X.shape[1], k))
        over_rows(decompose, n, rows, Portion(watch, 0.0, 0.5), "Local weights")
        sizes = null_sizes(values, self.n_components, min(X.shape[1], k))
        blocks = np.empty((n, k + 1, k + 1))

        def fill(first: int, last: int) -> None:
            blocks[first:last] = local_misfit(values[first:last], vectors[first:last],
                                              sizes[first:last])

        over_rows(fill, n, CHUNK // (k * k), Portion(watch, 0.5, 0.9), "Local weights")
        return sum_of_blocks(np.hstack([np.arange(n, dtype=np.int32)[:, None], neighbors.idx]),
                             blocks)


def null_sizes(values: NDArray, d: int, rank: int) -> NDArray[np.int64]:
    """How many trailing eigenvalues (n, k), descending,
    of each neighborhood count as its null space, 1 to k - d.

    rank : of the Gram matrices at most; eigenvalues beyond are zero but for rounding.
    """
    tiny = np.finfo(float).tiny
    kept = np.maximum(values[:, :d].sum(axis=1), tiny)
    eta = np.median(values[:, d:].sum(axis=1) / kept)
    trailing = values[:, ::-1].cumsum(axis=1)[:, ::-1]  # sums from column j on
    share = trailing[:, 1:] / np.maximum(values.cumsum(axis=1)[:, :-1], tiny)
    sizes = (share <= eta).sum(axis=1)
    return np.clip(sizes, max(1, values.shape[1] - rank), values.shape[1] - d).astype(np.int64)


def local_misfit(values: NDArray, vectors: NDArray, sizes: NDArray) -> NDArray:
    """B B' (n, k + 1, k + 1) of B = [-e'; W], rows: the instance, then its neighbors."""
    n, k = values.shape
    ridge = _RIDGE * values.sum(axis=1, keepdims=True)
    sums = vectors.sum(axis=1)  # e'V
    w = np.einsum("nkj,nj->nk", vectors, sums / np.where(ridge > 0, values + ridge, 1.0))
    w /= w.sum(axis=1, keepdims=True)
    outside = np.arange(k) >= k - sizes[:, None]
    P = (vectors * outside[:, None, :]) @ vectors.transpose(0, 2, 1)
    Pe = np.einsum("nkj,nj->nk", vectors, sums * outside)
    s = sizes.astype(np.float64)
    a = np.sqrt(np.maximum(np.einsum("nk->n", Pe), 0.0) / s)
    turned = Pe / np.maximum(a, 1e-12)[:, None]  # V H e, the columns' sum after the reflection
    a = a[:, None]
    block = np.empty((n, k + 1, k + 1))
    cross = turned[:, :, None] * ((1 - a) * w)[:, None, :]
    block[:, 1:, 1:] = P + cross + cross.transpose(0, 2, 1)
    block[:, 1:, 1:] += ((1 - a) ** 2 * s[:, None])[:, :, None] * w[:, :, None] * w[:, None, :]
    block[:, 0, 1:] = block[:, 1:, 0] = -(turned + (1 - a) * s[:, None] * w)
    block[:, 0, 0] = s
    return block
