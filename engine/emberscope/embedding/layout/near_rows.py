"""An order of many rows in which those that lie near each other are near each other in memory.

A step of a layout reads the coordinates of all neighbors of every row. Where a processor's cache
does not hold all of them, that takes longer than the forces.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.embedding.layout.sgd import Edges

_BITS = 10  # of each coordinate


def along_curve(Z: NDArray) -> NDArray[np.int64]:
    """Rows of Z (N, d), finite, d from 1 to 3, in their order along a Z-order curve (Morton 1966).
    O(N log N)."""
    low = Z.min(axis=0)
    cell = (Z - low) * ((2**_BITS - 1) / np.maximum(np.ptp(Z, axis=0), 1e-30))
    return np.argsort(_codes(cell.astype(np.uint32)), kind="stable")


@njit(cache=True, nogil=True)
def _codes(cell: NDArray) -> NDArray:
    """(N,) uint32, the bits of the coordinates (N, d) uint32 in turn."""
    n, d = cell.shape
    out = np.zeros(n, np.uint32)
    for i in range(n):
        for bit in range(_BITS):
            for c in range(d):
                out[i] |= ((cell[i, c] >> np.uint32(bit)) & np.uint32(1)) << np.uint32(d * bit + c)
    return out


def in_order(edges: Edges, order: NDArray[np.int64], place: NDArray[np.int64]) -> Edges:
    """Edges (M rows, which act on each other) of the rows in another order. place : (M,) where each
    row went. O(E)."""
    indptr = np.concatenate([[0], np.cumsum(np.diff(edges.indptr)[order])])
    indices = np.empty_like(edges.indices)
    weight, reach = np.empty_like(edges.weight), np.empty_like(edges.reach)
    _reorder(edges.indptr, edges.indices, edges.weight, edges.reach, order, place, indptr, indices,
             weight, reach)
    return replace(edges, indptr=indptr, indices=indices, weight=weight, reach=reach,
                   repel=edges.repel[order], pool=place[edges.pool].astype(np.int32))


@njit(cache=True, nogil=True)
def _reorder(
    indptr: NDArray, indices: NDArray, weight: NDArray, reach: NDArray, order: NDArray,
    place: NDArray, new_indptr: NDArray, new_indices: NDArray, new_weight: NDArray,
    new_reach: NDArray,
) -> None:
    for row in range(len(order)):
        at = new_indptr[row]
        for p in range(indptr[order[row]], indptr[order[row] + 1]):
            new_indices[at], new_weight[at] = place[indices[p]], weight[p]
            if len(reach):
                new_reach[at] = reach[p]
            at += 1
