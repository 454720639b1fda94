"""Groups that a layout drove far apart come near each other again, so that both can be seen."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import slices
from emberscope.neighbors.components import components_of

_FAR = 0.25   # of the extent: a longer edge does not make one group of its ends,
_USUAL = 5.0  # unless it is at most this many times as long as usual
_GAP = 0.5    # left between two groups, of the radius of the largest
_WORTH = 0.4  # share of their distances from which groups are left where they are
_ROWS = 1 << 13  # rows whose edges are measured at once
_MOST = 64    # groups; where there are more, the layout is no map of a few clumps


def gathered(Z: NDArray, W: csr_array) -> NDArray:
    """Coordinates Z (U, d), their groups nearer to each other where the gaps between them dwarf
    them.

    Groups are moved as they are, all in proportion, so that none comes to lie on another: nothing
    that holds inside a group changes, and what lies between groups means little in a layout.
    W : (U, U) affinities. O(edges).
    """
    extent = float(np.linalg.norm(np.ptp(Z, axis=0)))
    part = _parts(Z, W, _FAR * extent)
    if part.max() >= _MOST:
        return Z
    while True:
        centers, radii = _circles(Z, part)
        if len(centers) < 2 or not radii.max() > 0:
            return Z
        gaps = np.linalg.norm(centers[:, None] - centers[None], axis=2)
        wanted = radii[:, None] + radii[None] + _GAP * radii.max()
        i, j = np.triu_indices(len(centers), 1)
        touching = np.flatnonzero(gaps[i, j] * _WORTH < wanted[i, j])
        if not len(touching):
            break
        first = touching[0]
        part = np.where(part == j[first], i[first], part)
        part = np.unique(part, return_inverse=True)[1]
    share = float((wanted[i, j] / gaps[i, j]).max())
    kept = centers[np.argmax(np.bincount(part))]
    return Z + ((share - 1.0) * (centers - kept))[part]


def _parts(Z: NDArray, W: csr_array, longest: float) -> NDArray:
    """(U,) group of each row: those that edges up to a length, or of a usual one, join."""
    long, apart = np.empty(W.nnz, Z.dtype), W.data != 0
    for some in slices(W.shape[0], _ROWS):
        at = slice(*W.indptr[[some.start, some.stop]])
        degrees = np.diff(W.indptr[some.start : some.stop + 1])
        rows, cols = np.repeat(np.arange(some.start, some.stop), degrees), W.indices[at]
        long[at] = np.linalg.norm(Z[rows] - Z[cols], axis=1)
        apart[at] &= rows != cols
    usual = float(np.median(long[apart])) if apart.any() else 0.0
    return components_of(W, apart & (long <= max(longest, _USUAL * usual)))


def _circles(Z: NDArray, part: NDArray) -> tuple[NDArray, NDArray]:
    """Centers (P, d) of the boxes around groups, and how far (P,) their members are from these."""
    P = int(part.max()) + 1
    low, high = np.full((P, Z.shape[1]), np.inf), np.full((P, Z.shape[1]), -np.inf)
    np.minimum.at(low, part, Z)
    np.maximum.at(high, part, Z)
    centers, radii = (low + high) / 2, np.zeros(P)
    np.maximum.at(radii, part, np.linalg.norm(Z - centers[part], axis=1))
    return centers, radii
