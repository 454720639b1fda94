"""Trustworthiness and continuity of an embedding, per instance and overall."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import neighbors_within

EXACT_LIMIT = 3000
_SEEN = 32  # neighbors whose ranks are known exactly in the sampled estimate
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How well neighborhoods survived.

    trust : (N,), 1 = all neighbors in the picture are neighbors in X; low = false neighbors.
    continuity : (N,), 1 = all neighbors in X are neighbors in the picture; low = torn apart.
    trustworthiness, overall_continuity : their means over distinct instances. k : neighbors compared.
    exact : ranks were counted (True) or estimated from a reference sample.
    """

    trust: NDArray
    continuity: NDArray
    trustworthiness: float
    overall_continuity: float
    k: int
    exact: bool


def faithfulness(
    X: NDArray,
    Z: NDArray,
    *,
    k: int = 10,
    exact_limit: int = EXACT_LIMIT,
    n_reference: int = 1000,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Faithfulness:
    """Compare k-neighborhoods of X (N, D) and of its embedding Z (N, d).

    Parameters
    ----------
    k : int. Lowered to (U - 1) // 2 for U distinct rows; the k used is in the result.
    exact_limit : up to this many distinct rows all ranks are counted, O(N² (D + k)).
    n_reference : above, a rank beyond the stored neighbors is estimated from this many random rows,
        O(N n_reference (D + k)).

    Notes
    -----
    Venna and Kaski 2001; spec 02 section 12. T_i = 1 - 2 / (k (2N - 3k - 1)) sum over false neighbors of (rank - k);
    continuity swaps X and Z. Ranks by (distance, index). Exact copies in X count as one instance.
    Raises DataError with fewer than 4 distinct rows.
    """
    if len(X) != len(Z):
        raise DataError(f"X has {len(X)} rows and the embedding {len(Z)}")
    watch = monitored(monitor)
    X, Z = _floats(X), _floats(Z)
    distinct = distinct_rows(X)
    X, Z = np.ascontiguousarray(X[distinct.rows]), np.ascontiguousarray(Z[distinct.rows])
    n = len(X)
    if n < 4:
        raise DataError(f"{n} different instances", hint="Faithfulness needs at least 4.")
    k = min(k, (n - 1) // 2)
    seen = min(max(k, _SEEN), n - 1)
    in_X = knn(X, seen, monitor=Portion(watch, 0.0, 0.2)).idx
    in_Z = neighbors_within(Z, seen, monitor=Portion(watch, 0.2, 0.4)).idx
    exact = n <= exact_limit
    reference = np.arange(n) if exact else np.sort(np.random.default_rng(seed).choice(n, n_reference, replace=False))
    false = _penalty(X, in_X, in_Z[:, :k], reference, exact, Portion(watch, 0.4, 0.7))
    missing = _penalty(Z, in_Z, in_X[:, :k], reference, exact, Portion(watch, 0.7, 1.0))
    norm = 2 / (k * (2 * n - 3 * k - 1))
    trust, continuity = 1 - norm * false, 1 - norm * missing
    return Faithfulness(
        distinct.restore(trust), distinct.restore(continuity), float(trust.mean()), float(continuity.mean()), k, exact
    )


def _floats(X: NDArray) -> NDArray:
    X = np.asarray(X)
    return np.ascontiguousarray(X, X.dtype if X.dtype in (np.float32, np.float64) else np.float64)


def _penalty(X: NDArray, seen: NDArray, other: NDArray, reference: NDArray, exact: bool, watch: Monitor) -> NDArray:
    """Per row, the sum of max(0, rank in X - k) over the k neighbors that the other space lists."""
    out = np.empty(len(X))
    for start in range(0, len(X), _BLOCK):
        watch.step(start / len(X), "Faithfulness")
        rows = np.arange(start, min(start + _BLOCK, len(X)))
        if exact:
            _exact_rows(X, rows, other, out)
        else:
            _sampled_rows(X, rows, seen, other, reference, out)
    return out


@njit(cache=True, nogil=True)
def _exact_rows(X, rows, other, out):
    n, k = len(X), other.shape[1]
    distance = np.empty(n)
    for i in rows:
        for j in range(n):
            distance[j] = _squared(X[i], X[j])
        total = 0.0
        for c in range(k):
            j = other[i, c]
            rank = 1
            for m in range(n):
                closer = distance[m] < distance[j] or (distance[m] == distance[j] and m < j)
                if closer and m != i:
                    rank += 1
            total += max(0, rank - k)
        out[i] = total


@njit(cache=True, nogil=True)
def _sampled_rows(X, rows, seen, other, reference, out):
    """A rank within `seen` is known; beyond, the unseen rows are represented by the unseen reference rows."""
    n, k, n_seen = len(X), other.shape[1], seen.shape[1]
    distance = np.empty(len(reference))
    place = np.full(n, -1)
    for i in rows:
        for c in range(n_seen):
            place[seen[i, c]] = c
        place[i] = n_seen  # neither seen nor a stand-in
        for s in range(len(reference)):
            distance[s] = _squared(X[i], X[reference[s]])
        total = 0.0
        for c in range(k):
            j = other[i, c]
            if place[j] >= 0:
                total += max(0, place[j] + 1 - k)
                continue
            own = _squared(X[i], X[j])
            closer, counted = 0, 0
            for s in range(len(reference)):
                m = reference[s]
                if place[m] < 0 and m != j:
                    counted += 1
                    if distance[s] < own or (distance[s] == own and m < j):
                        closer += 1
            rank = n_seen + 1 + (n - 2 - n_seen) * closer / max(counted, 1)
            total += rank - k
        for c in range(n_seen):
            place[seen[i, c]] = -1
        place[i] = -1
        out[i] = total


@njit(cache=True, nogil=True)
def _squared(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        difference = np.float64(a[i]) - np.float64(b[i])
        total += difference * difference
    return total
