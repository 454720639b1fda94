"""Affinities of t-SNE: Gaussian, of a width per instance that gives every instance the same
perplexity."""

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.search import Neighbors

_TOLERANCE = 1e-6  # of the entropy
_STEPS = 100
_ROWS = 1024


def fitting(perplexity: float, n: int) -> tuple[float, list[str]]:
    """The perplexity that n different instances allow, (n - 1) / 3 at most and 1 at least, and the
    sentence that says so where it is lower than asked."""
    lowered = min(float(perplexity), max((n - 1) / 3, 1.0))
    if lowered >= perplexity:
        return lowered, []
    return lowered, [f"Perplexity was lowered from {perplexity:g} to {lowered:.3g}: there are {n} "
                     "different instances."]


def conditional(
    neighbors: Neighbors, perplexity: float, pool: Executor | None = None
) -> NDArray[np.float32]:
    """p(j | i) over the list of each row, (N, k), rows sum to 1;
    entropy log(perplexity) where the list allows it.

    Parameters
    ----------
    neighbors : lists of k neighbors; longer than the perplexity,
        else all affinities of a row are equal.
    perplexity : float, 1 or more.

    Notes
    -----
    exp(-d² / (2 sigma²)); sigma by Newton steps on log(1 / sigma²), kept in a bracket.
    O(N k) times about 6 steps.
    """
    p = np.empty(neighbors.dist.shape, np.float32)
    entropy = np.log(perplexity)

    def part(start: int) -> None:
        rows = slice(start, start + _ROWS)
        _fill(neighbors.dist[rows], entropy, p[rows])

    starts = range(0, len(p), _ROWS)
    list(map(part, starts) if pool is None else pool.map(part, starts))
    return p


def joint(
    neighbors: Neighbors, perplexity: float, pool: Executor | None = None, *,
    monitor: Monitor | None = None
) -> csr_array:
    """P = (p(j | i) + p(i | j)) / 2N, sums to 1; (N, N), sorted columns, float32.

    Van der Maaten and Hinton 2008. Less than 2 N k entries of 8 bytes, twice that while it is made.
    """
    n, k = neighbors.idx.shape
    watch = monitored(monitor)
    watch.step(0.0, "Affinities")
    p = conditional(neighbors, perplexity, pool)
    p /= np.float32(2 * n)
    wide = np.int64 if 2 * n * k > np.iinfo(np.int32).max else np.int32
    indptr = np.arange(0, n * k + 1, k, dtype=wide)
    listed = csr_array((p.ravel(), neighbors.idx.astype(wide).ravel(), indptr), shape=(n, n))
    watch.step(0.4, "Affinities")
    listed.sort_indices()  # of the copy; sums of sorted lists are much faster
    watch.step(0.6, "Affinities")
    turned = listed.T.tocsr()
    watch.step(0.8, "Affinities")
    return listed + turned


@njit(cache=True, nogil=True, error_model="numpy")
def _fill(dist: NDArray, entropy: float, p: NDArray) -> None:
    k = dist.shape[1]
    excess = np.empty(k)  # squared distances beyond the nearest, in units of their mean
    for i in range(dist.shape[0]):
        mean = 0.0
        nearest = np.float64(dist[i, 0])
        for j in range(k):
            d = np.float64(dist[i, j])
            excess[j] = (d - nearest) * (d + nearest)
            mean += excess[j] / k
        for j in range(k):
            excess[j] = excess[j] / mean if mean > 0 else 0.0
        width = _width(excess, entropy)
        total = 0.0
        for j in range(k):
            total += np.exp(-width * excess[j])
        for j in range(k):
            value = np.exp(-width * excess[j]) / total
            p[i, j] = value if value > 1e-30 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _width(excess: NDArray, entropy: float) -> float:
    """The b at which weights exp(-b excess) have the entropy wanted."""
    low, high = 0.0, np.inf
    b = 1.0
    for _ in range(_STEPS):
        total, first, second = 0.0, 0.0, 0.0
        for value in excess:
            weight = np.exp(-b * value)
            total += weight
            first += weight * value
            second += weight * value * value
        first /= total
        beyond = np.log(total) + b * first - entropy
        if abs(beyond) < _TOLERANCE:
            break
        if beyond > 0:
            low = b
        else:
            high = b
        slope = b * b * (second / total - first * first)  # minus the derivative by log b
        b *= np.exp(min(max(beyond / slope, -2.0), 2.0)) if slope > 1e-12 else 2.0
        if not low < b < high:
            b = 2 * low if high == np.inf else 0.5 * (low + high)
        if high - low < 1e-12 * low:
            break
    return b
