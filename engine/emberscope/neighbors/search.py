"""Nearest neighbors of query rows: exact by blocks of matrix products, approximate for large N."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from emberscope.base.errors import DataError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors import exact
from emberscope.neighbors.descent import descend
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.joins import settle
from emberscope.neighbors.rows import over_rows
from emberscope.neighbors.threads import thread_count

EXACT_LIMIT = 30_000  # rows; above, the search is approximate and its recall is measured
# and as many for each neighbor wanted: with many of them the short cut is longer
_ROWS_PER_NEIGHBOR = 500
# rows of at most 3 features: an embedding of 10 000 takes a tenth of the time by the tree
TREE_FROM = 2000
_TREE_FEATURES = 3
_VALUES = 1 << 23  # distances of a matrix looked through at a time


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The k nearest rows of every row, each row sorted by (distance, index).

    idx : (N, k) int32. dist : (N, k), precision of X, plain Euclidean distances.
    recall : float. Share of true neighbors found; 1 where the search was exact.
    distances : what was searched where it was not the rows of X: between the same N instances.
    """

    idx: NDArray[np.int32]
    dist: NDArray
    recall: float = 1.0
    distances: Distances | None = None

    @property
    def k(self) -> int:
        """How many neighbors each row has."""
        return self.idx.shape[1]

    def first(self, k: int) -> "Neighbors":
        """The k nearest of those known."""
        return Neighbors(self.idx[:, :k], self.dist[:, :k], self.recall, self.distances)


def nearest(X: NDArray, Q: NDArray, k: int, *, monitor: Monitor | None = None) -> Neighbors:
    """The k rows of X nearest to each row of Q.

    Parameters
    ----------
    X : (N, D) float. The rows searched. Q : (M, D) float. The queries.
    k : int, 1 to N.

    Returns
    -------
    Neighbors with M rows. Exact; ties go to the lower index.

    Notes
    -----
    O(M N D) in matrix products. Candidates come from |x|² - 2 q·x in float32; the final distances
    are recomputed from differences, and a row whose k-th neighbor the rounding could have hidden is
    searched again. Raises DataError for k outside 1 to N.
    """
    if not 1 <= k <= len(X):
        raise DataError(f"{k} neighbors wanted among {len(X)} instances",
                        hint=f"Choose k from 1 to {len(X)}.")
    return _plain(X, *exact.search(X, Q, k, np.full(len(Q), -1), monitored(monitor)))


def neighbors_within(X: NDArray, k: int, *, monitor: Monitor | None = None) -> Neighbors:
    """The k rows of X nearest to each row of X, itself excluded by index.

    Exact for up to `exact_up_to(k)` rows and, by a k-d tree, for up to 3 features; else approximate
    with measured recall. k from 1 to N - 1. Raises DataError for k outside 1 to N - 1.
    """
    if not 1 <= k <= len(X) - 1:
        raise DataError(f"{k} neighbors wanted among {len(X)} instances",
                        hint=f"Choose k from 1 to {len(X) - 1}.")
    X = np.require(X, requirements=["C", "W"])
    if len(X) > TREE_FROM and X.shape[1] <= _TREE_FEATURES:
        return _tree(X, k, monitored(monitor))
    if len(X) > exact_up_to(k):
        found = descend(X, k, monitored(monitor))
        return _plain(X, found.idx, found.dist2, found.recall)
    return _plain(X, *exact.search(X, X, k, np.arange(len(X)), monitored(monitor)))


def neighbors_by(
    distances: Distances, k: int, *, dtype: DTypeLike = np.float32, monitor: Monitor | None = None
) -> Neighbors:
    """The k nearest of every instance, itself excluded, by distances that are given. O(N²).

    dtype : of the lists. Raises DataError for k outside 1 to N - 1.
    """
    n = len(distances)
    if not 1 <= k <= n - 1:
        raise DataError(f"{k} neighbors wanted among {n} instances",
                        hint=f"Choose k from 1 to {n - 1}.")
    found = _listed(distances.squared, k, np.arange(n), dtype, monitored(monitor))
    return Neighbors(found.idx, found.dist, distances=distances)


def neighbors_listed(squared: NDArray, k: int, *, dtype: DTypeLike = np.float32) -> Neighbors:
    """The k columns of least distance in each row of squared distances (M, N); as `nearest` of M
    queries."""
    return _listed(squared, min(k, squared.shape[1]), np.full(len(squared), -1), dtype,
                   monitored(None))


def nearest_of(
    X: NDArray, rows: NDArray, others: NDArray, k: int, *, distances: Distances | None = None,
    monitor: Monitor | None = None,
) -> Neighbors:
    """The k of `others` (n,) nearest to each of `rows` (m,), all of them rows of X (N, D); n of
    them where k is more.

    distances : between all N rows, where it is not those of X that say which ones are near.

    Returns
    -------
    Neighbors of m rows, numbered among `others`. A row that is one of them is its own nearest. O(m
    n D), or O(m n).
    """
    if distances is not None:
        return neighbors_listed(distances.squared[np.ix_(rows, others)], k, dtype=X.dtype)
    some, queries = np.ascontiguousarray(X[others]), np.ascontiguousarray(X[rows])
    return nearest(some, queries, min(k, len(others)), monitor=monitor)


def _listed(squared: NDArray, k: int, skip: NDArray, dtype: DTypeLike, watch: Monitor) -> Neighbors:
    """skip : (M,) a column that is none, of each row."""
    m, n = squared.shape
    idx, dist2 = np.empty((m, k), np.int32), np.empty((m, k))

    def part(first: int, last: int) -> None:
        # Kernels are compiled for arrays that can be written only, and those from the cache cannot.
        rows = np.require(squared[first:last], requirements=["C", "W"])
        _least(rows, skip[first:last], idx[first:last], dist2[first:last])

    over_rows(part, m, _VALUES // max(n, 1), watch, "Neighbors")
    return Neighbors(idx, np.sqrt(dist2, out=dist2).astype(dtype, copy=False))


@njit(cache=True, nogil=True)
def _least(squared: NDArray, skip: NDArray, idx: NDArray, dist2: NDArray) -> None:
    """The smallest values of each row, ascending, and their columns; of equal ones the lower column
    first."""
    k = idx.shape[1]
    for i in range(len(squared)):
        known = 0
        for j in range(squared.shape[1]):
            value = squared[i, j]
            if j == skip[i] or (known == k and value >= dist2[i, k - 1]):
                continue
            at = min(known, k - 1)
            while at > 0 and dist2[i, at - 1] > value:
                dist2[i, at], idx[i, at] = dist2[i, at - 1], idx[i, at - 1]
                at -= 1
            dist2[i, at], idx[i, at] = value, j
            known = min(known + 1, k)


def exact_up_to(k: int) -> int:
    """Rows up to which a search for k neighbors is exact."""
    return max(EXACT_LIMIT, _ROWS_PER_NEIGHBOR * k)


def _plain(X: NDArray, idx: NDArray[np.int32], dist2: NDArray, recall: float = 1.0) -> Neighbors:
    return Neighbors(idx, np.sqrt(dist2, out=dist2).astype(X.dtype, copy=False), recall)


def _tree(X: NDArray, k: int, monitor: Monitor) -> Neighbors:
    """Exact search of embeddings, O(N k log N); above `EXACT_LIMIT`, ties may go to a higher
    index."""
    from scipy.spatial import cKDTree

    tree = cKDTree(X)
    m = min(k + 1 + exact.SPARE, len(X))
    idx, dist2 = np.empty((len(X), k), np.int32), np.empty((len(X), k))
    for part in exact.blocks(len(X), 8192):
        monitor.step(part.start / len(X), "Searching neighbors")
        reach, found = tree.query(X[part], k=m, workers=thread_count())
        found = found.astype(np.int32)
        found[found == np.arange(part.start, part.stop)[:, None]] = -1
        settle(X, X, part.start, found, idx[part], dist2[part])
        # off from ties, perhaps
        cut = part.start + np.flatnonzero(~(dist2[part, -1] < reach[:, -1] ** 2 * (1 - 1e-9)))
        if len(cut) and m < len(X) <= EXACT_LIMIT:
            idx[cut], dist2[cut] = exact.search(X, X[cut], k, cut, monitor)
    return _plain(X, idx, dist2)
