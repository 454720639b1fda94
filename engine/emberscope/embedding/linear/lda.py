"""Linear discriminant analysis with shrinkage; further axes from the PCA of what it leaves."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, eigh, solve_triangular

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import N_COMPONENTS, Param
from emberscope.embedding.linear.pca import principal_axes
from emberscope.neighbors.spectral import fix_signs

_LEAST_SHRINKAGE = 1e-4


class LDA(Embedder):
    """The directions that separate the labelled classes best for their spread; Z = (X - mean) W.

    C classes give at most C - 1 discriminants; further axes are principal components of the part of X that is
    orthogonal to them, so that two classes still make a 2-D picture. All axes have unit within-class variance.

    Attributes
    ----------
    components_ : (D, d) float64. mean_ : (D,). eigenvalues_ : (c,) ratios between / within of the discriminants.
    shrinkage_ : float. The shrinkage used. n_discriminants_ : int. Leading axes that are discriminants.

    Notes
    -----
    Fisher 1936; spec 02 section 2.6. Labels are instance labels (bag labels spread where only bags are given, a
    baseline); 0 is unknown: it takes no part in the axes but is mapped. More than two classes are allowed.
    Within-class scatter is shrunk, (1 - s) S + s tr(S)/D I, whitened by Cholesky, then a symmetric eigenproblem.
    O(N D² + D³); where D exceeds the labelled instances the work is done in their span, O(N² D).
    """

    params = (
        N_COMPONENTS,
        Param("shrinkage", "float", None, low=0, high=1, group="Embedding", auto="Ledoit-Wolf",
              help="How far the spread within classes is made round; more is safer with few instances."),
    )
    state = ("mean_", "components_", "eigenvalues_", "shrinkage_", "n_discriminants_")

    def __init__(self, *, n_components: int = 2, shrinkage: float | None = None) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    @property
    def reads_labels(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the axes from labelled instances. Raises MissingLabels without two classes."""
        watch = monitored(monitor)
        X, labels = self._validate(X, y, bags, labels="required")
        assert labels is not None
        if self.n_components > min(X.shape):
            raise DataError(
                f"n_components is {self.n_components} with n_samples = {X.shape[0]} and n_features = {X.shape[1]}",
                hint=f"Choose at most {min(X.shape)} dimensions.",
            )
        watch.step(0.1, "Scatter")
        known = labels != 0
        mean = X[known].mean(axis=0, dtype=np.float64)
        within = _within_deviations(X[known] - mean, labels[known])
        self.shrinkage_ = _shrinkage(within) if self.shrinkage is None else float(self.shrinkage)
        watch.step(0.3, "Discriminants")
        values, W = discriminants(X[known] - mean, labels[known], shrinkage=self.shrinkage_)
        W = W[:, : self.n_components]
        watch.step(0.7, "Further axes")
        further = residual_axes(X, W, self.n_components - W.shape[1])
        W = _unit_within(np.hstack([W, further]), within)
        self.n_discriminants_ = self.n_components - further.shape[1]
        if not self.n_discriminants_:
            self.notes_.append("No direction separates the classes; all axes are principal components.")
        elif further.shape[1]:
            self.notes_.append(f"Axes from {self.n_discriminants_ + 1} on are principal components of the rest.")
        self.mean_, self.components_, self.eigenvalues_ = mean, W, values[: self.n_components]
        self.embedding_ = ((X - mean) @ W).astype(X.dtype)
        return self

    def transform(self, X: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return ((X - self.mean_) @ self.components_).astype(X.dtype)


def discriminants(
    X: NDArray, y: NDArray, *, weights: NDArray | None = None, shrinkage: float = 0.0
) -> tuple[NDArray, NDArray]:
    """Fisher's axes of weighted instances.

    Parameters
    ----------
    X : (N, D). y : (N,) class of each, any integers. weights : (N,) >= 0, default 1; 2 equals a doubled row.
    shrinkage : in [0, 1], towards tr(S_w)/D I.

    Returns
    -------
    values : (c,), c <= C - 1, ratio of between to within scatter, descending. W : (D, c), W' S_w W = I
        for the shrunk within-class covariance S_w.
    """
    w = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
    mean = w @ X / w.sum()
    basis = _span(X - mean)
    A = (X - mean) @ basis
    classes = np.unique(y)
    centers = np.stack([w[y == c] @ A[y == c] / w[y == c].sum() for c in classes])
    shares = np.array([w[y == c].sum() for c in classes]) / w.sum()
    inner = A - centers[np.searchsorted(classes, y)]
    S = (inner * w[:, None]).T @ inner / w.sum()
    trace = np.trace(S) / X.shape[1]
    S *= 1 - shrinkage
    S[np.diag_indices_from(S)] += shrinkage * trace + 1e-12 * max(trace, np.finfo(np.float64).tiny * 1e12)
    lower = cho_factor(S, lower=True)[0]
    # The between scatter is a short matrix times its transpose, so its few axes follow from an SVD.
    spread = solve_triangular(lower, (centers * np.sqrt(shares)[:, None]).T, lower=True)
    left, singular, _ = np.linalg.svd(spread, full_matrices=False)
    useful = singular > 1e-10 * max(singular[0], np.finfo(np.float64).tiny)
    useful[len(classes) - 1 :] = False
    W = basis @ solve_triangular(lower, left[:, useful], lower=True, trans="T")
    return singular[useful] ** 2, fix_signs(W)


def residual_axes(X: NDArray, W: NDArray, m: int) -> NDArray:
    """m orthonormal principal axes (D, m) of the part of X that is orthogonal to the columns of W."""
    if m <= 0:
        return np.empty((X.shape[1], 0))
    Q = np.linalg.qr(W)[0]
    rest = X - X.mean(axis=0, dtype=np.float64)
    rest = rest - (rest @ Q) @ Q.T
    axes = principal_axes(rest, np.zeros(X.shape[1]), m)[1]
    # An axis without variance is arbitrary and may lean on W; take that part out.
    axes = np.linalg.qr(np.hstack([Q, axes]))[0][:, Q.shape[1] :]
    return fix_signs(axes)


def _span(X: NDArray) -> NDArray:
    """An orthonormal basis of the rows where they are fewer than the features, else the identity."""
    n, dim = X.shape
    if n > dim:
        return np.eye(dim)
    values, left = eigh(X @ X.T)
    keep = values > 1e-12 * max(values[-1], np.finfo(np.float64).tiny)
    return X.T @ (left[:, keep] / np.sqrt(values[keep]))


def _within_deviations(X: NDArray, y: NDArray) -> NDArray:
    out = np.array(X, np.float64)
    for c in np.unique(y):
        out[y == c] -= out[y == c].mean(axis=0)
    return out


def _shrinkage(within: NDArray) -> float:
    from sklearn.covariance import ledoit_wolf_shrinkage

    return max(float(ledoit_wolf_shrinkage(within, assume_centered=True)), _LEAST_SHRINKAGE)


def _unit_within(W: NDArray, within: NDArray) -> NDArray:
    deviation = np.sqrt(np.square(within @ W).mean(axis=0))
    return W / np.where(deviation > 0, deviation, 1.0)
