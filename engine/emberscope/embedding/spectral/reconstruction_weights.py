"""How every instance is a weighted mean of its neighbors:
the weights of LLE and of its linear relatives."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.graph import Neighbors
from emberscope.neighbors.rows import over_rows

_CHUNK = 1 << 24  # multiplications between two looks at the monitor, about 0.05 s


def reconstruction_weights(
    X: NDArray, neighbors: Neighbors, *, ridge: float = 1e-3, monitor: Monitor | None = None
) -> NDArray:
    """Weights (N, k) float64, each row of sum 1,
    with which the neighbors of an instance reconstruct it best.

    Parameters
    ----------
    X : (N, D), no two rows equal. neighbors : k lists.
    ridge : share of the trace of the local Gram matrix that is added to its diagonal.

    Notes
    -----
    Roweis and Saul 2000: (C + r I) w = e with C_ab = (x - x_a)'(x - x_b), r = ridge tr(C). Weights
    do not change when X is turned, moved or scaled. O(N k² D + N k³).
    """
    n, k = neighbors.idx.shape
    starts = np.arange(0, n * k + 1, k)
    return _of_lists(X, starts, neighbors.idx.ravel(), ridge, monitor).reshape(n, k)


def edge_weights(
    X: NDArray, lengths: csr_array, *, ridge: float = 1e-3, monitor: Monitor | None = None
) -> csr_array:
    """The same weights from all that an instance has an edge to, as a csr_array (N, N).

    X : (N, D), no two rows equal. lengths : (N, N), whose entries are the edges; an instance
    without one has an empty row. O(k² D + k³) for each, with k its edges.
    """
    starts = lengths.indptr.astype(np.int64)
    found = _of_lists(X, starts, lengths.indices, ridge, monitor)
    return csr_array((found, lengths.indices.copy(), lengths.indptr.copy()), shape=lengths.shape)


def full_weights(X: NDArray, *, ridge: float = 1e-3) -> NDArray[np.float64]:
    """The same weights from all others, (N, N). X : (N, D), no two rows equal.

    Not by N systems of N - 1 unknowns: offsets have no more directions than X, so that in the
    principal axes every system is a diagonal plus one vector (Sherman and Morrison). O(N² D).
    """
    A = X - X.mean(axis=0, dtype=np.float64)
    left, spread, _ = np.linalg.svd(A, full_matrices=False)
    C, spread, n = left * spread, np.square(spread), len(X)
    added = ridge * (spread.sum() + n * np.square(C).sum(axis=1))
    turned = C / (spread + added[:, None])
    turned *= (-n / (1 + n * (C * turned).sum(axis=1)))[:, None]
    W = 1 - turned @ C.T + (turned * C).sum(axis=1)[:, None]
    np.fill_diagonal(W, 0.0)
    W /= W.sum(axis=1, keepdims=True)
    return W


def _of_lists(
    X: NDArray, starts: NDArray, indices: NDArray, ridge: float, monitor: Monitor | None
) -> NDArray[np.float64]:
    """Weights of lists of any lengths, one after the other. starts : (N + 1,)."""
    n, watch = len(starts) - 1, monitored(monitor)
    weights = np.empty(len(indices))
    k = max(1, int(np.diff(starts).max(initial=1)))
    rows = max(1, _CHUNK // (k * k * max(X.shape[1], k)))
    over_rows(lambda *part: _weights(X, starts, indices, ridge, weights, *part), n, rows, watch,
              "Reconstruction weights")
    return weights


def weight_matrix(neighbors: Neighbors, weights: NDArray) -> csr_array:
    """Weights as a csr_array (N, N); rows sum to 1, columns of a row ascend."""
    n, k = weights.shape
    W = csr_array((weights.flatten(), neighbors.idx.flatten(), np.arange(0, n * k + 1, k)),
                  shape=(n, n))
    W.sort_indices()
    return W


def reconstruction_error(W: csr_array) -> csr_array:
    """M = (I - W)'(I - W): z' M z is the squared error with which the weights reconstruct z.
    Positive semidefinite."""
    A = csr_array(eye_array(W.shape[0], format="csr") - W)
    return csr_array(A.T.tocsr() @ A)


# "reassoc" and "contract" let the sums of products be vectorised;
# there is no NaN or inf to test for.
@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _weights(
    X: NDArray, starts: NDArray, indices: NDArray, ridge: float, weights: NDArray, first: int,
    last: int
) -> None:
    most, features = 0, X.shape[1]
    for i in range(first, last):
        most = max(most, starts[i + 1] - starts[i])
    offsets = np.empty((most, features))
    room = np.empty((most, most))
    for i in range(first, last):
        start, k = starts[i], starts[i + 1] - starts[i]
        gram = room[:k, :k]
        for a in range(k):
            for f in range(features):
                offsets[a, f] = np.float64(X[indices[start + a], f]) - np.float64(X[i, f])
        trace = 0.0
        for a in range(k):
            for b in range(a + 1):
                total = 0.0
                for f in range(features):
                    total += offsets[a, f] * offsets[b, f]
                gram[a, b] = total
            trace += gram[a, a]
        for a in range(k):
            gram[a, a] += ridge * trace if trace > 0 else 1.0
        _solve_ones(gram, weights[start : start + k])


@njit(cache=True, nogil=True)
def _solve_ones(gram: NDArray, w: NDArray) -> None:
    """Cholesky solution of gram w = e in place, scaled to sum 1. Reads the lower triangle only."""
    k = len(w)
    for a in range(k):
        for b in range(a + 1):
            total = gram[a, b]
            for c in range(b):
                total -= gram[a, c] * gram[b, c]
            gram[a, b] = np.sqrt(total) if a == b else total / gram[b, b]
    for a in range(k):
        total = 1.0
        for c in range(a):
            total -= gram[a, c] * w[c]
        w[a] = total / gram[a, a]
    whole = 0.0
    for a in range(k - 1, -1, -1):
        total = w[a]
        for c in range(a + 1, k):
            total -= gram[c, a] * w[c]
        w[a] = total / gram[a, a]
        whole += w[a]
    for a in range(k):
        w[a] /= whole
