"""Weighted scatters and the generalized eigenproblem that LDA, LFDA, LPP and NPE share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.embedding.linear.linear import BLOCK, VANISHING, blocks
from emberscope.embedding.linear.pca import gram
from emberscope.neighbors.spectral import fix_signs

_LEAST_SHRINKAGE = 1e-4
_LEAST_TRACE = 1e-200  # of a spread within classes that is none: a ratio to it does not overflow
_FEATURES = 1 << 22  # numbers in a block of whole features: 32 MB, a graph sees few of them


def ratio_axes(
    A: NDArray,
    B: NDArray,
    m: int,
    *,
    smallest: bool = False,
    factor: bool = False,
    ridge: float = 0.0,
    vanishing: float = VANISHING,
) -> tuple[NDArray, NDArray]:
    """Axes W (D, c), c <= m, that make w'A w / w'B w stationary: largest first, or smallest first.

    Parameters
    ----------
    A : (D, D) symmetric; where `factor`, (D, K) with A A' in its place (largest only).
    B : (D, D) positive semidefinite. Directions with less than `vanishing` of its largest
        eigenvalue take no part.
    ridge : share of the mean eigenvalue of B that is added to it and, where the smallest ratios are
        wanted, to A as well: then a direction without variance has ratio 1, not 0.

    Returns
    -------
    values : (c,), the ratios. W : W' (B + ridge) W = I; entry of largest magnitude positive.

    Notes
    -----
    B is whitened by its eigenvectors, which also finds its rank, then a symmetric
    eigenproblem; never inv(B) A. O(D³).
    """
    spread, vectors = eigh(B, check_finite=False)
    kept = spread > vanishing * max(spread[-1], np.finfo(np.float64).tiny)
    added = ridge * spread[kept].mean()
    T = vectors[:, kept] / np.sqrt(spread[kept] + added)
    if factor:
        turned, singular, _ = np.linalg.svd(T.T @ A, full_matrices=False)
        return singular[:m] ** 2, fix_signs(T @ turned[:, :m])
    inner = T.T @ A @ T
    if smallest:
        inner[np.diag_indices_from(inner)] += added / (spread[kept] + added)
    m, r = min(m, len(inner)), len(inner)
    chosen = (0, m - 1) if smallest else (r - m, r - 1)
    values, turned = eigh((inner + inner.T) / 2, subset_by_index=chosen, check_finite=False)
    step = 1 if smallest else -1
    return values[::step], fix_signs(T @ turned[:, ::step])


def least_axes(A: NDArray, B: NDArray, m: int) -> tuple[NDArray, NDArray]:
    """Orthonormal axes W (D, c), c <= m, of the smallest w'A w among directions in which B does not
    vanish."""
    spread, vectors = eigh(B, check_finite=False)
    basis = vectors[:, spread > VANISHING * max(spread[-1], np.finfo(np.float64).tiny)]
    inner = basis.T @ A @ basis
    m = min(m, len(inner))
    values, turned = eigh((inner + inner.T) / 2, subset_by_index=(0, m - 1), check_finite=False)
    return values, fix_signs(basis @ turned)


def span(X: NDArray, mean: NDArray) -> NDArray | None:
    """An orthonormal basis (D, r) of the rows about `mean` where they are not more than the
    features, else None.

    Raises DataError where all instances are the same.
    """
    if len(X) > X.shape[1]:
        return None
    values, left = eigh(gram(X, mean), check_finite=False)
    if values[-1] <= 0:
        raise DataError("all instances are the same",
                        hint="Choose other features or more instances.")
    left = left[:, values > VANISHING * max(values[-1], np.finfo(np.float64).tiny)]
    return np.linalg.qr(X.T @ left - np.outer(mean, left.sum(axis=0)))[0]


def in_span(X: NDArray, mean: NDArray) -> tuple[NDArray, NDArray, NDArray | None]:
    """X and mean as they are, or coordinates (N, r) within their span, mean 0, and its basis,
    where N <= D."""
    basis = span(X, mean)
    if basis is None:
        return X, mean, None
    return (X - mean) @ basis, np.zeros(basis.shape[1]), basis


@dataclass(frozen=True, slots=True)
class ClassScatter:
    """Moments of one class of weighted instances.

    rows : (n,) rows of X. weights : (n,) theirs. total : float, sum of the weights. mean : (D,).
    scatter : (D, D) = sum of w (x - mean)(x - mean)'. fourth : float, sum of w |x - mean|⁴.
    """

    rows: NDArray[np.int64]
    weights: NDArray
    total: float
    mean: NDArray
    scatter: NDArray
    fourth: float


def class_scatters(
    X: NDArray, y: NDArray, weights: NDArray, *, monitor: Monitor | None = None
) -> list[ClassScatter]:
    """The moments of every class in y that has weight, ascending,
    by blocks of rows. `weights` : (N,)."""
    watch = monitored(monitor)
    classes = [c for c in np.unique(y) if weights[y == c].sum() > 0]
    out = []
    for done, c in enumerate(classes):
        watch.step(done / len(classes), "Scatter")
        rows = np.flatnonzero((y == c) & (weights > 0))
        out.append(_scatter(X, rows, weights[rows], watch, done / len(classes)))
    return out


def _scatter(
    X: NDArray, rows: NDArray, w: NDArray, watch: Monitor, fraction: float
) -> ClassScatter:
    total = float(w.sum())
    mean = np.zeros(X.shape[1])
    for part, block in _row_blocks(X, rows):
        mean += w[part] @ block
    mean /= total
    S = np.zeros((X.shape[1], X.shape[1]))
    fourth = 0.0
    for part, block in _row_blocks(X, rows):
        watch.step(fraction, "Scatter")
        block -= mean
        fourth += float(w[part] @ np.einsum("nd,nd->n", block, block) ** 2)
        block *= np.sqrt(w[part])[:, None]
        S += block.T @ block
    return ClassScatter(rows, w, total, mean, S, fourth)


def _row_blocks(X: NDArray, rows: NDArray) -> Iterator[tuple[slice, NDArray]]:
    for part in slices(len(rows), BLOCK // max(1, X.shape[1])):
        yield part, X[rows[part]].astype(np.float64)


def between_factor(classes: list[ClassScatter]) -> tuple[NDArray, NDArray]:
    """The mean of all classes and the factor F (D, K), F F' = between-class covariance."""
    shares = np.array([c.total for c in classes])
    shares /= shares.sum()
    centers = np.stack([c.mean for c in classes], axis=1)
    mean = centers @ shares
    return mean, (centers - mean[:, None]) * np.sqrt(shares)


def ledoit_wolf(classes: list[ClassScatter], n_features: int) -> float:
    """Ledoit and Wolf's (2004) shrinkage of the within-class covariance, at least 1e-4;
    weights count as copies."""
    total = sum(c.total for c in classes)
    S = np.sum([c.scatter for c in classes], axis=0) / total
    square = float(np.square(S).sum())
    noise = (sum(c.fourth for c in classes) / total - square) / (n_features * total)
    distance = (square - np.trace(S) ** 2 / n_features) / n_features
    noise = min(noise, distance)
    return max(noise / distance if noise > 0 else 0.0, _LEAST_SHRINKAGE)


def shrunk(S: NDArray, shrinkage: float, n_features: int) -> NDArray:
    """(1 - s) S + s tr(S)/D I, with a floor on the diagonal so that it can be inverted.
    `S` : (D, D), symmetric."""
    trace = max(np.trace(S), 0.0) / n_features
    out = (1 - shrinkage) * S
    out[np.diag_indices_from(out)] += shrinkage * trace + 1e-11 * max(trace, _LEAST_TRACE)
    return out


def weighted_scatter(X: NDArray, mean: NDArray, weights: NDArray) -> NDArray:
    """Sum of w (x - mean)(x - mean)', (D, D), by blocks of rows."""
    S = np.zeros((X.shape[1], X.shape[1]))
    root = np.sqrt(weights)[:, None]
    for part, block in blocks(X, mean):
        block *= root[part]
        S += block.T @ block
    return S


def quadratic_form(
    X: NDArray,
    mean: NDArray,
    apply: Callable[[NDArray], NDArray],
    *,
    monitor: Monitor | None = None,
) -> NDArray:
    """(X - mean)' M (X - mean), (D, D), for a symmetric M (N, N) given as ``apply(B) -> M B``.

    By blocks of features on the right and of rows on the left:
    a few blocks of 32 MB beside X, whatever its size.
    """
    watch = monitored(monitor)
    n, dim = X.shape
    width, rows = max(1, _FEATURES // n), max(1, BLOCK // dim)
    out = np.empty((dim, dim))
    for start in range(0, dim, width):
        watch.step(start / dim, "Quadratic form")
        part = slice(start, start + width)
        image = apply(X[:, part] - mean[part])
        out[:, part] = 0.0
        for first in range(0, n, rows):
            watch.step(start / dim, "Quadratic form")
            some = slice(first, first + rows)
            out[:, part] += (X[some] - mean).T @ image[some]
    return (out + out.T) / 2


def laplacian_form(
    X: NDArray, mean: NDArray, A: csr_array, *, monitor: Monitor | None = None
) -> NDArray:
    """X' L X = 1/2 sum over pairs of A_mn (x_m - x_n)(x_m - x_n)', (D, D),
    for L = diag(A e) - A of a symmetric A."""
    degree = np.asarray(A.sum(axis=1)).ravel()[:, None]
    return quadratic_form(X, mean, lambda B: degree * B - A @ B, monitor=monitor)
