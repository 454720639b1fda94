"""Principal component analysis."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.linear import BLOCK, VANISHING, Linear, blocks
from emberscope.embedding.novelty import KeepsKnown
from emberscope.neighbors.spectral import fix_signs

_EXACT = 2_000  # min(N, D) up to which the spectrum is computed in full
_OVERSAMPLE = 10
_POWER = 8


class PCA(KeepsKnown, Linear):
    """The directions of largest variance; Z = (X - mean) W.

    Attributes
    ----------
    components_ : (D, d) float64, orthonormal columns (divided by the deviation where whitened).
        mean_ : (D,).
    explained_variance_, explained_variance_ratio_ : (d,). Variances use N - 1.
    reconstruction_error_ : (N,). Squared distance of each instance to its projection;
        large = unusual.

    Notes
    -----
    Pearson 1901, on centered X. A direction with less than 1e-12 of the largest variance is
    dropped: its column and its coordinates are 0, and that is noted. O(N D min(N, D)): covariance
    (N > D) or Gram matrix in float64 by blocks; O(N D d) by randomized subspace iteration where
    min(N, D) > 2000. Memory: one block of 2 MB and the smaller of both matrices, 8 min(N, D)²
    bytes.
    """

    n_components: int = N_COMPONENTS
    whiten: bool = param(
        False, title="Unit variance", group="Embedding",
        help="Scale every coordinate to variance 1.",
    )
    state = (*Linear.state, "explained_variance_", "explained_variance_ratio_",
             "reconstruction_error_", "known_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes; labels are ignored.
        Raises DataError where n_components exceeds min(N, D)."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        self._keep(X)
        watch.step(0.0, "Covariance")
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        variances, axes = principal_axes(X, self.mean_, self.n_components,
                                         monitor=Portion(watch, 0.0, 0.8))
        watch.step(0.8, "Projecting")
        axes, variances = drop_vanishing(variances, axes, self.notes_)
        self.explained_variance_ = variances
        self.components_ = axes / self._scale() if self.whiten else axes
        Z = self._project(X, axes, Portion(watch, 0.8, 1.0))
        self.embedding_ = (Z / self._scale() if self.whiten else Z).astype(X.dtype, copy=False)
        return self

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """The point of feature space that coordinates stand for, (M, d) -> (M, D)."""
        Z = self._coordinates(Z)
        back = self.components_ * self._scale() ** 2 if self.whiten else self.components_
        return Z @ back.T + self.mean_

    def _project(self, X: NDArray, axes: NDArray, watch: Monitor) -> NDArray:
        """Coordinates before scaling; sets the reconstruction error and the variance ratios on the
        way."""
        Z = np.empty((len(X), axes.shape[1]))
        self.reconstruction_error_ = np.empty(len(X))
        total = 0.0
        for part, centered in blocks(X, self.mean_):
            watch.step(part.start / len(X), "Projecting")
            Z[part] = centered @ axes
            total += np.vdot(centered, centered)
            centered -= Z[part] @ axes.T
            self.reconstruction_error_[part] = np.einsum("nd,nd->n", centered, centered)
        total /= len(X) - 1
        self.explained_variance_ratio_ = self.explained_variance_ / (total or 1.0)
        return Z

    def _scale(self) -> NDArray:
        deviation = np.sqrt(self.explained_variance_)
        return np.where(deviation > 0, deviation, 1.0)


def drop_vanishing(variances: NDArray, axes: NDArray, notes: list[str]) -> tuple[NDArray, NDArray]:
    """Axes and variances with those of no variance set to 0; a note says so.

    `variances` : (d,), descending. `axes` : (D, d).
    """
    kept = variances > VANISHING * variances[0]
    if not kept.all():
        notes.append(f"The instances vary in {kept.sum()} directions only; further coordinates are "
                     "0.")
    return axes * kept, variances * kept


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
        values, axes = _randomized(X, mean, n_components, watch)
    elif n > dim:
        S = covariance(X, mean, monitor=watch)
        values, axes = _largest(S, n_components)
    else:
        values, left = _largest(gram(X, mean, monitor=watch) / (n - 1), n_components)
        axes = _from_gram(X, mean, left)
    return np.maximum(values, 0.0), fix_signs(axes)


def covariance(X: NDArray, mean: NDArray, *, monitor: Monitor | None = None) -> NDArray:
    """Covariance (D, D) of X about `mean`, N - 1 form, float64, by blocks of rows."""
    watch = monitored(monitor)
    S = np.zeros((X.shape[1], X.shape[1]))
    for part, centered in blocks(X, mean):
        watch.step(0.9 * part.start / len(X), "Covariance")
        S += centered.T @ centered
    return S / (len(X) - 1)


def gram(X: NDArray, mean: NDArray, *, monitor: Monitor | None = None) -> NDArray:
    """Inner products (N, N) of rows of X about `mean`, float64, by blocks of features."""
    watch = monitored(monitor)
    G = np.zeros((len(X), len(X)))
    for part in _columns(X):
        watch.step(0.9 * part.start / X.shape[1], "Gram matrix")
        centered = X[:, part] - mean[part]
        G += centered @ centered.T
    return G


def _largest(S: NDArray, m: int) -> tuple[NDArray, NDArray]:
    n = len(S)
    values, vectors = eigh(S, subset_by_index=(n - m, n - 1), check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _from_gram(X: NDArray, mean: NDArray, left: NDArray) -> NDArray:
    """Orthonormal axes (D, m) that belong to eigenvectors (N, m) of the Gram matrix,
    largest first."""
    axes = np.empty((X.shape[1], left.shape[1]))
    for part in _columns(X):
        axes[part] = (X[:, part] - mean[part]).T @ left
    return np.linalg.qr(axes)[0]


def _columns(X: NDArray) -> list[slice]:
    width = max(1, BLOCK // len(X))
    return [slice(start, start + width) for start in range(0, X.shape[1], width)]


def _randomized(X: NDArray, mean: NDArray, m: int, watch: Monitor) -> tuple[NDArray, NDArray]:
    """Halko, Martinsson and Tropp 2011: subspace iteration on the covariance,
    from a seeded start among features."""
    width = min(m + _OVERSAMPLE, *X.shape)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((X.shape[1], width)))[0]
    for turn in range(_POWER + 1):
        image = np.zeros_like(Q)
        for part, centered in blocks(X, mean):
            watch.step(0.95 * (turn + part.start / len(X)) / (_POWER + 1), "Principal axes")
            image += centered.T @ (centered @ Q)
        if turn < _POWER:
            Q = np.linalg.qr(image)[0]
    values, turned = _largest(Q.T @ image / (len(X) - 1), m)
    return values, Q @ turned
