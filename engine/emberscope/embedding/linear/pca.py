"""Principal component analysis."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import N_COMPONENTS, Param
from emberscope.neighbors.spectral import fix_signs

_CHUNK = 16_384
_EXACT = 2_000  # min(N, D) up to which the spectrum is computed in full


class PCA(Embedder):
    """The directions of largest variance; Z = (X - mean) W.

    Attributes
    ----------
    components_ : (D, d) float64, orthonormal columns. mean_ : (D,).
    explained_variance_, explained_variance_ratio_ : (d,). Variances use N - 1.
    reconstruction_error_ : (N,). Squared distance of each instance to its projection; large = unusual.

    Notes
    -----
    Spec 02 section 2.1. O(N D min(N, D)): covariance in float64 by chunks of rows where N > D, else an SVD;
    O(N D d) by randomized SVD where min(N, D) > 2000.
    """

    params = (
        N_COMPONENTS,
        Param("whiten", "bool", False, title="Unit variance", group="Embedding",
              help="Scale every coordinate to variance 1."),
    )
    state = ("mean_", "components_", "explained_variance_", "explained_variance_ratio_", "reconstruction_error_")

    def __init__(self, *, n_components: int = 2, whiten: bool = False) -> None:
        self.n_components = n_components
        self.whiten = whiten

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the axes; labels are ignored. Raises DataError where n_components exceeds min(N, D)."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(min(X.shape), X.shape)
        watch.step(0.1, "Covariance")
        mean = X.mean(axis=0, dtype=np.float64)
        variances, axes = principal_axes(X, mean, self.n_components, monitor=watch)
        watch.step(0.9, "Projecting")
        self.mean_ = mean
        self.components_ = axes
        self.explained_variance_ = variances
        total = X.var(axis=0, ddof=1, dtype=np.float64).sum()
        self.explained_variance_ratio_ = variances / total if total > 0 else np.zeros_like(variances)
        Z = self._project(X)
        self.reconstruction_error_ = np.square(X - self._back(Z)).sum(axis=1)
        self.embedding_ = Z.astype(X.dtype)
        return self

    def transform(self, X: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return self._project(X).astype(X.dtype)

    def inverse_transform(self, Z: Any) -> NDArray:
        """The point of feature space that coordinates stand for, (M, d) -> (M, D)."""
        return self._back(np.asarray(Z, np.float64))

    def _project(self, X: NDArray) -> NDArray:
        Z = (X - self.mean_) @ self.components_
        return Z / self._scale() if self.whiten else Z

    def _back(self, Z: NDArray) -> NDArray:
        if self.whiten:
            Z = Z * self._scale()
        return Z @ self.components_.T + self.mean_

    def _scale(self) -> NDArray:
        deviation = np.sqrt(self.explained_variance_)
        return np.where(deviation > 0, deviation, 1.0)

    def _check_rank(self, rank: int, shape: tuple[int, ...]) -> None:
        if self.n_components > rank:
            raise DataError(
                f"n_components is {self.n_components} with n_samples = {shape[0]} and n_features = {shape[1]}",
                hint=f"Choose at most {rank} dimensions.",
            )


def principal_axes(
    X: NDArray, mean: NDArray, n_components: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """Variances (N - 1 form), descending, and orthonormal axes (D, n_components) of X about `mean`.

    Signs: the entry of largest magnitude of every axis is positive. Directions without variance are
    completed to an orthonormal set with variance 0.
    """
    n, dim = X.shape
    watch = monitored(monitor)
    if min(n, dim) > _EXACT:
        values, axes = _randomized(X, mean, n_components)
    elif n > dim:
        values, axes = np.linalg.eigh(_covariance(X, mean, watch))
        values, axes = values[::-1][:n_components], axes[:, ::-1][:, :n_components]
    else:
        _, singular, right = np.linalg.svd(X - mean, full_matrices=False)
        values, axes = singular[:n_components] ** 2 / (n - 1), right[:n_components].T
    return np.maximum(values, 0.0), fix_signs(axes)


def _covariance(X: NDArray, mean: NDArray, watch: Monitor) -> NDArray:
    S = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), _CHUNK):
        watch.step(0.1 + 0.7 * start / len(X), "Covariance")
        part = X[start : start + _CHUNK] - mean
        S += part.T @ part
    return S / (len(X) - 1)


def _randomized(X: NDArray, mean: NDArray, n_components: int) -> tuple[NDArray, NDArray]:
    """Halko, Martinsson and Tropp 2011, with 7 power iterations; seeded, so that runs agree."""
    _, singular, right = randomized_svd(X - mean, n_components, n_oversamples=10, n_iter=7, random_state=0)
    return singular**2 / (len(X) - 1), right.T
