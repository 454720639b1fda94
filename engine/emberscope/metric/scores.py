"""Principal component scores: the few directions, on one scale, in which a metric is learned."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.neighbors.spectral import fix_signs

_BLOCK = 1 << 18  # numbers in one centered block: 2 MB, which stays in the cache of the processor
# variance of a direction, as a share of the largest one, below which there is none
_VANISHING = 1e-12
_ROUNDED = 0.05  # of the mean variance, added to each before the scores are made round


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores T (N, r) = (X - mean) @ axes, float64, of mean variance 1. mean : (D,). axes : (D, r).

    unit : what 1 of T is in units of X, so that (X - mean) @ (axes * unit) has the distances of X.
    """

    T: NDArray
    mean: NDArray
    axes: NDArray
    unit: float


def principal_scores(
    X: NDArray, most: int, *, whiten: bool = False, monitor: Monitor | None = None
) -> Scores:
    """The first `most` principal components at most, those without variance left out,
    divided by one number.

    whiten : divide each by its own deviation instead, sqrt(variance + 5 % of the mean variance).
    Raises DataError where all instances are the same. O(N D min(N, D)).
    """
    mean = X.mean(axis=0, dtype=np.float64)
    values, axes = _principal(X, mean, min(most, *X.shape), monitored(monitor))
    kept = values > _VANISHING * max(values[0], np.finfo(np.float64).tiny)
    if not kept.any():
        raise DataError("all instances are the same", hint="Choose other features.")
    # Whatever signs the solver chose here: what starts at random sees the same on any computer
    values, axes = values[kept], fix_signs(axes[:, kept])
    unit = float(np.sqrt(values.mean()))
    axes = axes / (np.sqrt(values + _ROUNDED * values.mean()) if whiten else unit)
    return Scores(mapped(X, mean, axes, monitor=monitor), mean, axes, unit)


def mapped(
    X: NDArray, mean: NDArray, W: NDArray, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """(X - mean) @ W by blocks, (N, d). `mean` : (D,). `W` : (D, d)."""
    out = np.empty((len(X), W.shape[1]))
    for part in slices(len(X), _BLOCK // max(1, X.shape[1]), monitor, "Mapping"):
        out[part] = (X[part] - mean) @ W
    return out


def _principal(X: NDArray, mean: NDArray, count: int, watch: Monitor) -> tuple[NDArray, NDArray]:
    """Variances (count,), descending, and orthonormal axes (D, count),
    by the smaller Gram matrix."""
    n, dim = X.shape
    if dim <= n:
        S = np.zeros((dim, dim))
        for part in slices(n, _BLOCK // dim, watch, "Principal components"):
            centered = X[part] - mean
            S += centered.T @ centered
        values, V = eigh(S, subset_by_index=(dim - count, dim - 1), check_finite=False)
        return np.maximum(values[::-1], 0) / n, V[:, ::-1]
    watch.step(0.0, "Principal components")
    A = X - mean
    values, U = eigh(A @ A.T, subset_by_index=(n - count, n - 1), check_finite=False)
    values, U = np.maximum(values[::-1], 0), U[:, ::-1]
    V = A.T @ U
    length = np.linalg.norm(V, axis=0)
    return values / n, V / np.where(length > 0, length, 1.0)
