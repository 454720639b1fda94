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
    watch = monitored(monitor)
    n, k = neighbors.idx.shape
    weights = np.empty((n, k))
    rows = max(1, _CHUNK // (k * k * max(X.shape[1], k)))
    over_rows(lambda *part: _weights(X, neighbors.idx, ridge, weights, *part), n, rows, watch,
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
    X: NDArray, idx: NDArray, ridge: float, weights: NDArray, first: int, last: int
) -> None:
    k, features = idx.shape[1], X.shape[1]
    offsets = np.empty((k, features))
    gram = np.empty((k, k))
    for i in range(first, last):
        for a in range(k):
            for f in range(features):
                offsets[a, f] = np.float64(X[idx[i, a], f]) - np.float64(X[i, f])
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
        _solve_ones(gram, weights[i])


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
