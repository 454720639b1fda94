"""Nearest neighbors of query rows: exact by blocks of matrix products, approximate for large N."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored

EXACT_LIMIT = 30_000  # rows; above, the search is approximate and its recall is measured
_SPARE = 8  # candidates beyond k, so that rounding in the matrix product cannot lose a neighbor
_BLOCK = 1 << 22  # distances held at a time, about 0.05 s of work
_RECALL_WANTED = 0.95
TREE_FROM = 2000  # rows of at most 3 features: a picture of 10 000 takes 0.07 s by the tree, 0.66 s by blocks
_TREE_FEATURES = 3


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The k nearest rows of every row, each row sorted by (distance, index).

    idx : (N, k) int32. dist : (N, k), precision of X, plain Euclidean distances.
    recall : float. Share of true neighbors found; 1 where the search was exact.
    """

    idx: NDArray[np.int32]
    dist: NDArray
    recall: float = 1.0

    @property
    def k(self) -> int:
        return self.idx.shape[1]

    def first(self, k: int) -> "Neighbors":
        """The k nearest of those known."""
        return Neighbors(self.idx[:, :k], self.dist[:, :k], self.recall)


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
    O(M N D) in matrix products. Candidates come from |q|² + |x|² - 2 q·x; the final distances are recomputed
    from differences, and a row whose k-th neighbor the rounding could have hidden is searched again directly.
    """
    if not 1 <= k <= len(X):
        raise DataError(f"{k} neighbors wanted among {len(X)} instances", hint=f"Choose k from 1 to {len(X)}.")
    return _exact(X, Q, k, np.full(len(Q), -1, np.int64), monitored(monitor))


def neighbors_within(X: NDArray, k: int, *, monitor: Monitor | None = None) -> Neighbors:
    """The k rows of X nearest to each row of X, itself excluded by index.

    Exact up to `EXACT_LIMIT` rows and, by a k-d tree, for up to 3 features; else approximate with measured recall.
    k from 1 to N - 1.
    """
    if not 1 <= k <= len(X) - 1:
        raise DataError(f"{k} neighbors wanted among {len(X)} instances", hint=f"Choose k from 1 to {len(X) - 1}.")
    if len(X) > TREE_FROM and X.shape[1] <= _TREE_FEATURES:
        return _tree(X, k, monitored(monitor))
    if len(X) > EXACT_LIMIT:
        return _approximate(X, k, monitored(monitor))
    return _exact(X, X, k, np.arange(len(X)), monitored(monitor))


def _exact(X: NDArray, Q: NDArray, k: int, exclude: NDArray, monitor: Monitor) -> Neighbors:
    small = X.dtype == Q.dtype == np.float32 and X.shape[1] <= 256 and np.abs(X).max() < 1e15 > np.abs(Q).max(initial=0)
    work: Any = np.float32 if small else np.float64
    center = X.mean(axis=0, dtype=np.float64)
    Xc: Any = np.ascontiguousarray(X - center, work)
    norms = np.einsum("ij,ij->i", Xc, Xc)
    spread = (X.shape[1] + 8) * np.finfo(work).eps
    available = len(X) - int(len(exclude) > 0 and exclude[0] >= 0)
    m = min(k + _SPARE, available)
    idx = np.empty((len(Q), k), np.int32)
    dist2 = np.empty((len(Q), k), np.float64)
    rows = max(1, _BLOCK // max(len(X), 1))
    for start in range(0, len(Q), rows):
        monitor.step(start / len(Q), "Searching neighbors")
        part = slice(start, min(start + rows, len(Q)))
        Qc: Any = np.ascontiguousarray(Q[part] - center, work)
        found, bound = _candidates(Qc @ Xc.T, norms, exclude[part], m)
        own = np.einsum("ij,ij->i", Qc, Qc)
        # Every row that is no candidate is at least this far away, rounding included.
        reach = own + bound - spread * (own + norms.max(initial=0.0)) if m < available else np.full(len(Qc), np.inf)
        _settle(X, Q[part], exclude[part], found, reach.astype(np.float64), idx[part], dist2[part])
    return Neighbors(idx, np.sqrt(dist2).astype(X.dtype))


@njit(cache=True, nogil=True)
def _candidates(dots, norms, exclude, m):
    """Per query row, the m columns of least norms[j] - 2 dots[r, j], and the largest such value kept."""
    n_rows, n = dots.shape
    found = np.empty((n_rows, m), np.int64)
    bound = np.empty(n_rows, norms.dtype)
    best = np.empty(m, norms.dtype)
    for r in range(n_rows):
        held = 0
        for j in range(n):
            value = norms[j] - dots[r, j] - dots[r, j]
            if j == exclude[r] or (held == m and not value < best[m - 1]):
                continue
            spot = held if held < m else m - 1
            while spot > 0 and best[spot - 1] > value:
                best[spot] = best[spot - 1]
                found[r, spot] = found[r, spot - 1]
                spot -= 1
            best[spot] = value
            found[r, spot] = j
            held = min(held + 1, m)
        bound[r] = best[m - 1]
    return found, bound


@njit(cache=True, nogil=True)
def _settle(X, Q, exclude, found, reach, idx, dist2):
    """Order candidates by their true distances; rows not safely within `reach` are searched directly."""
    k = idx.shape[1]
    for r in range(Q.shape[0]):
        held = 0
        for c in range(found.shape[1]):
            held = _insert(_squared(X[found[r, c]], Q[r]), found[r, c], idx[r], dist2[r], held)
        if dist2[r, k - 1] < reach[r]:
            continue
        held = 0
        for j in range(X.shape[0]):
            if j != exclude[r]:
                held = _insert(_squared(X[j], Q[r]), j, idx[r], dist2[r], held)


@njit(cache=True, nogil=True)
def _insert(value, j, idx, dist2, held):
    """Keep (value, j) among the nearest, sorted by (value, j); returns how many are held."""
    k = len(idx)
    if held == k and (value > dist2[k - 1] or (value == dist2[k - 1] and j > idx[k - 1])):
        return held
    spot = held if held < k else k - 1
    while spot > 0 and (dist2[spot - 1] > value or (dist2[spot - 1] == value and idx[spot - 1] > j)):
        dist2[spot] = dist2[spot - 1]
        idx[spot] = idx[spot - 1]
        spot -= 1
    dist2[spot] = value
    idx[spot] = j
    return min(held + 1, k)


@njit(cache=True, nogil=True)
def _squared(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        difference = np.float64(a[i]) - np.float64(b[i])
        total += difference * difference
    return total


def _tree(X: NDArray, k: int, monitor: Monitor) -> Neighbors:
    """Exact search of embeddings, O(N k log N); above `EXACT_LIMIT`, ties may go to a higher index."""
    from scipy.spatial import cKDTree

    tree = cKDTree(X)
    idx = np.empty((len(X), k), np.int32)
    dist2 = np.empty((len(X), k), np.float64)
    for start in range(0, len(X), 8192):
        monitor.step(start / len(X), "Searching neighbors")
        rows = np.arange(start, min(start + 8192, len(X)))
        reach, found = tree.query(X[rows], k=min(k + 1 + _SPARE, len(X)))
        idx[rows], dist2[rows] = _ordered(X, rows, found.astype(np.int64), k)
        hidden = rows[dist2[rows, -1] >= reach[:, -1] ** 2 * (1 - 1e-9)]  # a tie may be cut off
        if len(hidden) and len(X) <= EXACT_LIMIT:
            idx[hidden], dist2[hidden] = _ordered(X, hidden, np.full((len(hidden), 1), -1), k)
    return Neighbors(idx, np.sqrt(dist2).astype(X.dtype))


def _approximate(X: NDArray, k: int, monitor: Monitor) -> Neighbors:
    """Inverted-file search; probes are doubled until 500 random queries show the recall wanted."""
    import faiss

    data = np.ascontiguousarray(X - X.mean(axis=0), np.float32)
    n_lists = int(4 * np.sqrt(len(X)))
    index: Any = faiss.index_factory(X.shape[1], f"IVF{n_lists},Flat")
    index.cp.seed = 1
    monitor.step(0.0, "Building the neighbor index")
    index.train(data[np.random.default_rng(0).choice(len(data), min(len(data), 40 * n_lists), replace=False)])
    index.add(data)
    probe = np.random.default_rng(1).choice(len(X), min(500, len(X)), replace=False)
    truth = _exact(X, np.ascontiguousarray(X[probe]), k, probe.astype(np.int64), monitor)
    index.nprobe = 16
    while (recall := _recall(truth.idx, _refine(X, index, data, probe, k)[0])) < _RECALL_WANTED:
        if index.nprobe >= n_lists:
            break
        index.nprobe = min(2 * index.nprobe, n_lists)
    idx = np.empty((len(X), k), np.int32)
    dist2 = np.empty((len(X), k), np.float64)
    for start in range(0, len(X), 2048):
        monitor.step(start / len(X), "Searching neighbors")
        rows = np.arange(start, min(start + 2048, len(X)))
        idx[rows], dist2[rows] = _refine(X, index, data, rows, k)
    return Neighbors(idx, np.sqrt(dist2).astype(X.dtype), recall)


def _refine(X: NDArray, index: Any, data: NDArray, rows: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """Approximate candidates of some rows, put in order by their true distances."""
    found = index.search(data[rows], min(k + 1 + _SPARE, len(X)))[1].astype(np.int64)
    return _ordered(X, rows, found, k)


def _ordered(X: NDArray, rows: NDArray, found: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """The k nearest of some rows' candidates, and their squared distances."""
    idx = np.empty((len(rows), k), np.int32)
    dist2 = np.empty((len(rows), k), np.float64)
    _order(X, X[rows], rows.astype(np.int64), found, idx, dist2)
    return idx, dist2


@njit(cache=True, nogil=True)
def _order(X, Q, exclude, found, idx, dist2):
    """Order candidates (-1 = none) by true distances; a row with fewer than k is searched directly."""
    for r in range(Q.shape[0]):
        held = 0
        for c in range(found.shape[1]):
            if found[r, c] >= 0 and found[r, c] != exclude[r]:
                held = _insert(_squared(X[found[r, c]], Q[r]), found[r, c], idx[r], dist2[r], held)
        if held < idx.shape[1]:
            held = 0
            for j in range(X.shape[0]):
                if j != exclude[r]:
                    held = _insert(_squared(X[j], Q[r]), j, idx[r], dist2[r], held)


def _recall(truth: NDArray, found: NDArray) -> float:
    hits = sum(len(np.intersect1d(a, b, assume_unique=True)) for a, b in zip(truth, found))
    return hits / truth.size
