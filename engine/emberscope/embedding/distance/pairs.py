"""Squared distances between rows, as matrices: the input of classical scaling and of kernels."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored, slices

METRICS = ("euclidean", "cosine", "cityblock")
_VALUES = 1 << 21  # distances at a time: 0.1 s of work
_NEAR = 1e-6  # of the squared lengths: below, the matrix product has lost the digits


def squared_distances(
    Q: NDArray, X: NDArray, *, metric: str = "euclidean", same: bool = False,
    monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Squared distances of rows of Q (M, D) to rows of X (N, D), (M, N) float64.

    Parameters
    ----------
    metric : "euclidean"; "cosine": of rows scaled to length 1 (a row of zeros stays);
        "cityblock": sum of magnitudes.
    same : Q is X; then the diagonal is 0 and the matrix exactly symmetric.

    Notes
    -----
    |q|² + |x|² - 2 q·x about the mean of X; pairs so near that this loses digits are computed from
    differences, so that a row is exactly 0 from its copy. O(M N D) and 8 M N bytes.
    """
    watch = monitored(monitor)
    if metric == "cosine":
        Q, X = unit_rows(Q), unit_rows(X)
    out = np.empty((len(Q), len(X)))
    center = X.mean(axis=0, dtype=np.float64)
    there = X - center
    lengths = np.einsum("ij,ij->i", there, there)
    rows = max(1, _VALUES // max(len(X), 1))
    for part in slices(len(Q), rows, watch, "Distances"):
        if metric == "cityblock":
            out[part] = _cityblock(Q[part], X)
        else:
            _euclidean(Q[part], X, Q[part] - center, there, lengths, out[part])
    if same:
        symmetrize(out, monitor=Portion(watch, 1.0, 1.0))
        np.fill_diagonal(out, 0.0)
    return out


def symmetrize(A: NDArray, *, monitor: Monitor | None = None) -> None:
    """A becomes (A + A') / 2 in place, block by block; 4 MB beside it. `A` : (N, N)."""
    size, watch = 512, monitored(monitor)
    for i in range(0, len(A), size):
        watch.step(i / len(A), "Centering")
        for j in range(i, len(A), size):
            mean = (A[i : i + size, j : j + size] + A[j : j + size, i : i + size].T) / 2
            A[i : i + size, j : j + size] = mean
            A[j : j + size, i : i + size] = mean.T


def check_square(X: NDArray, what: str) -> None:
    """DataError unless X is a symmetric matrix of `what` between instances."""
    if X.shape[0] != X.shape[1]:
        raise DataError(f"{what} of shape {X.shape} do not pair instances",
                        hint="Give a square matrix.")
    if not np.allclose(X, X.T, rtol=1e-6, atol=1e-8 * np.abs(X).max()):
        raise DataError(f"the matrix of {what} is not symmetric",
                        hint="Give the mean of it and its transpose.")


def unit_rows(X: NDArray) -> NDArray[np.float64]:
    """Rows scaled to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(X.astype(np.float64), axis=1, keepdims=True)
    return np.divide(X, lengths, out=np.zeros(X.shape), where=lengths > 0)


def _euclidean(
    Q: NDArray, X: NDArray, here: NDArray, there: NDArray, lengths: NDArray, out: NDArray
) -> None:
    own = np.einsum("ij,ij->i", here, here)
    np.matmul(here, there.T, out=out)
    out *= -2
    out += lengths
    out += own[:, None]
    doubtful = out <= _NEAR * np.maximum(own[:, None], lengths)
    i, j = np.nonzero(doubtful)
    for start in range(0, len(i), 1 << 14):
        a, b = i[start : start + (1 << 14)], j[start : start + (1 << 14)]
        difference = Q[a].astype(np.float64) - X[b]
        out[a, b] = np.einsum("ij,ij->i", difference, difference)


def _cityblock(Q: NDArray, X: NDArray) -> NDArray[np.float64]:
    from scipy.spatial.distance import cdist

    return np.square(cdist(Q, X, "cityblock"))
