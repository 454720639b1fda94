"""Affinities of layouts: memberships (UMAP) or probabilities (LargeVis) of neighbors, made
symmetric, led by labels."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit
from emberscope.base.segments import segment_reduce
from emberscope.neighbors.graph import Neighbors

# exponent between different labels at supervision 1/2, as in umap-learn;
# that of unknown labels is 1
_FAR = 5.0
_FARTHEST = 50.0  # keeps the edges of an instance among other labels, however faint


def bandwidths(dist: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Per row of distances (N, k), ascending, that to the nearest other point, rho,
    and the bandwidth sigma.

    sum_j exp(-max(0, d_j - rho) / sigma) = log2(k + 1) (McInnes et al. 2018, section 3.1). As
    umap-learn with n_neighbors = k + 1: there the instance itself is one of its neighbors. O(N k)
    per step of a search with bisection, about 20.
    """
    dist = np.ascontiguousarray(dist, np.float64)
    rho, sigma = np.zeros(len(dist), np.float32), np.zeros(len(dist), np.float32)
    mean = float(dist.mean()) * dist.shape[1] / (dist.shape[1] + 1)
    _search_bandwidth(dist, np.log2(dist.shape[1] + 1), mean, rho, sigma)
    return rho, sigma


def memberships(neighbors: Neighbors, *, n: int | None = None) -> csr_array:
    """Directed memberships (M, n), exp(-max(0, d - rho) / sigma), float32,
    of M rows with neighbors among n (M)."""
    rho, sigma = bandwidths(neighbors.dist)
    beyond = np.maximum(neighbors.dist - rho[:, None], 0).astype(np.float32)
    weight = np.exp(
        -np.divide(beyond, sigma[:, None], out=np.zeros_like(beyond), where=sigma[:, None] > 0)
    )
    return directed(neighbors, weight, n)


def probabilities(neighbors: Neighbors, perplexity: float, *, n: int | None = None) -> csr_array:
    """Directed Gaussian probabilities (M, n), every row of the given perplexity, float32."""
    dist = np.ascontiguousarray(neighbors.dist, np.float64)
    weight = np.zeros(dist.shape, np.float32)
    _search_perplexity(dist, np.log(min(perplexity, dist.shape[1])), weight)
    return directed(neighbors, weight, n)


def directed(neighbors: Neighbors, weight: NDArray, n: int | None = None) -> csr_array:
    """A weight (M, k) per listed neighbor as a sparse matrix (M, n); n is M unless given."""
    m, k = neighbors.idx.shape
    shape = (m, m if n is None else n)
    ends = _ends(np.arange(0, m * k + 1, k))
    return csr_array((weight.ravel(), neighbors.idx.flatten(), ends), shape=shape)


def _ends(indptr: NDArray) -> NDArray:
    """Ends of the rows of a sparse matrix, as narrow as they can be: SciPy keeps the columns of all
    entries as wide as these."""
    return indptr.astype(np.int32) if indptr[-1] < np.iinfo(np.int32).max else indptr


def union(A: csr_array, *, mix: float = 1.0) -> csr_array:
    """The symmetric graph of directed memberships,
    mix (a + b - a b) + (1 - mix) a b of both directions; float32. Sorts the rows of A."""
    A = A.astype(np.float32, copy=False)
    A.sort_indices()  # in place: there is no room for a second one where N is large
    T = A.tocsc()  # row i of the transpose, in the same form
    indptr = np.zeros(A.shape[0] + 1, np.int64)
    indices, weight = np.empty(2 * A.nnz, np.int32), np.empty(2 * A.nnz, np.float32)
    ends = [part.astype(np.int64) for part in (A.indptr, T.indptr)]
    lists = [part.astype(np.int32, copy=False) for part in (A.indices, T.indices)]
    _merge(ends[0], lists[0], A.data, ends[1], lists[1], T.data, np.float32(mix), indptr, indices,
           weight)
    for part in (indices, weight):
        part.resize(indptr[-1], refcheck=False)
    return csr_array((weight, indices, _ends(indptr)), shape=A.shape)


def led_by_labels(W: csr_array, y: NDArray, weight: NDArray, *, supervision: float) -> csr_array:
    """Affinities intersected with labels: edges between different labels fade,
    those of unknown ones a little.

    Parameters
    ----------
    y : (N,) class; weight : (N,) in [0, 1], how sure it is, 0 = unknown.
    supervision : in [0, 1]. At 1/2 an edge between sure, different labels fades by exp(-5), one to
        an unknown label by exp(-1), as in umap-learn; at 0 nothing changes.

    Notes
    -----
    Weak labels count in proportion to the product of both weights. Afterwards every row is scaled
    to largest weight 1 and the union is taken again, so that no instance is left without one.
    """
    rows = np.repeat(np.arange(len(y)), np.diff(W.indptr))
    sure = weight[rows] * weight[W.indices]
    far = min(_FAR * supervision / max(1 - supervision, 1e-3), _FARTHEST)
    exponent = (
        far * np.where(y[rows] != y[W.indices], sure, 0.0) + min(far / _FAR, 1.0) * (1 - sure)
    )
    faded = csr_array(((W.data * np.exp(-exponent)).astype(W.dtype), W.indices, W.indptr),
                      shape=W.shape)
    most = segment_reduce(np.maximum, faded.data, W.indptr[:-1], empty=0.0)
    faded.data = faded.data / np.where(most > 0, most, 1)[rows]
    return union(faded)


def without_weakest(W: csr_array, share: float) -> csr_array:
    """Affinities scaled to largest 1, without edges below `share` of it."""
    scaled = W.data / W.data.max()
    scaled[scaled < share] = 0
    W = csr_array((scaled, W.indices.copy(), W.indptr.copy()), shape=W.shape)
    W.eliminate_zeros()
    return W


@lru_cache
def curve(min_dist: float, spread: float) -> tuple[float, float]:
    """(a, b) of 1 / (1 + a x^(2b)) nearest to 1 up to min_dist and exp(-(x - min_dist) / spread)
    beyond."""
    from scipy.optimize import curve_fit

    x = np.linspace(0, 3 * spread, 300)
    wanted = np.where(x < min_dist, 1.0, np.exp(-(x - min_dist) / spread))
    a, b = curve_fit(lambda x, a, b: 1 / (1 + a * x ** (2 * b)), x, wanted)[0]
    return float(a), float(b)


@njit(cache=True, nogil=True, error_model="numpy")
def _search_bandwidth(
    dist: NDArray, target: float, mean: float, rho: NDArray, sigma: NDArray
) -> None:
    """Newton's steps in log sigma from the mean distance beyond rho;
    bisection where they leave what is known."""
    n, k = dist.shape
    for i in range(n):
        own = 0.0
        for j in range(k):
            own += dist[i, j]
            if rho[i] == 0 and dist[i, j] > 0:
                rho[i] = dist[i, j]
        own /= k + 1
        low, high, value = 0.0, np.inf, max(own - rho[i], 1e-6 * own)
        if value <= 0:
            value = 1.0
        for _ in range(64):
            total, slope = 0.0, 0.0
            for j in range(k):
                beyond = max(0.0, dist[i, j] - rho[i]) / value
                e = np.exp(-beyond)
                total += e
                slope += beyond * e
            if abs(total - target) < 1e-5:
                break
            if total > target:
                high = value
            else:
                low = value
            value *= np.exp(min(max((target - total) / slope, -2.0), 2.0)) if slope > 0 else 0.5
            if not low < value < high:
                value = 2 * low if high == np.inf else (low + high) / 2
        sigma[i] = max(value, 1e-3 * (own if rho[i] > 0 else mean))


@njit(cache=True, nogil=True)
def _merge(
    a_ends: NDArray, a_list: NDArray, a_weight: NDArray, b_ends: NDArray, b_list: NDArray,
    b_weight: NDArray, mix: np.float32, indptr: NDArray, indices: NDArray, weight: NDArray,
) -> None:
    """Rows of two sparse matrices with sorted columns, joined; zeros are left out."""
    none, one = a_list.dtype.type(2147483647), np.float32(1)
    at = 0
    for i in range(len(indptr) - 1):
        p, q = a_ends[i], b_ends[i]
        while p < a_ends[i + 1] or q < b_ends[i + 1]:
            left = a_list[p] if p < a_ends[i + 1] else none
            right = b_list[q] if q < b_ends[i + 1] else none
            a, b = np.float32(0), np.float32(0)
            if left <= right:
                a = a_weight[p]
                p += 1
            if right <= left:
                b = b_weight[q]
                q += 1
            value = mix * (a + b - a * b) + (one - mix) * a * b
            if value != 0:
                indices[at], weight[at] = min(left, right), value
                at += 1
        indptr[i + 1] = at


@njit(cache=True, nogil=True, error_model="numpy")
def _search_perplexity(dist: NDArray, entropy: float, weight: NDArray) -> None:
    """Per row exp(-d² beta), summing to 1, with the entropy wanted; bisection of beta."""
    n, k = dist.shape
    for i in range(n):
        least = dist[i, 0] * dist[i, 0]
        scale = 0.0
        for j in range(k):
            scale += dist[i, j] * dist[i, j] - least
        low, high, beta = 0.0, np.inf, k / scale if scale > 0 else 1.0
        for _ in range(64):
            total, moment = 0.0, 0.0
            for j in range(k):
                e = dist[i, j] * dist[i, j] - least
                p = np.exp(-e * beta)
                weight[i, j] = p
                total += p
                moment += e * p
            for j in range(k):
                weight[i, j] /= total
            found = np.log(total) + beta * moment / total
            if abs(found - entropy) < 1e-5:
                break
            if found > entropy:
                low = beta
            else:
                high = beta
            beta = 2 * beta if high == np.inf else (low + high) / 2
