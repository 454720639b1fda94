"""Probabilistic PCA: how likely is an instance, and what if some of its pixels are dead?"""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.linear.linear import BLOCK, Linear, blocks
from emberscope.embedding.linear.pca import principal_axes
from emberscope.neighbors.spectral import fix_signs

_LEAST_NOISE = 1e-10  # of the largest variance
_LARGEST = 1 << 27  # products of loadings, 1 GB
_LOG_2PI = float(np.log(2 * np.pi))


class PPCA(Linear):
    """x = W z + mean + noise, z ~ N(0, I), noise ~ N(0, s² I); Z is the posterior mean of z.

    Values of X may be missing (NaN, dead pixels), in `fit` and in `transform`: an instance is
    placed by what is there. An instance without any value gets 0, the prior mean.

    Attributes
    ----------
    components_ : (D, d) float64 = W M^-1, M = W'W + s² I:
        Z = (X - mean_) components_ where nothing is missing.
    mean_ : (D,). loadings_ : (D, d) = W, orthogonal columns, longest first.
        noise_variance_ : float, s².
    log_likelihood_ : (N,), of the values that are there; low = unusual.
        Natural logarithm, density in units of X.
    posterior_covariance_ : (d, d) = s² M^-1, of z given a complete x.
    history_ : (iterations,), mean log-likelihood per instance during EM;
        empty where nothing is missing.

    Notes
    -----
    Tipping and Bishop 1999 (eq 2-88 of McCurley 2020 lacks M^-1). Complete: closed form, s² = mean
    of the discarded eigenvalues of the covariance (N - 1 form, as scikit-learn's `PCA.score`), cost
    of PCA. Missing: EM over the observed values, O(N D d²) per iteration, by blocks; starts from
    PCA of X filled with means. s² is at least 1e-10 of the largest variance.
    """

    n_components: int = N_COMPONENTS
    n_iter: int = param(
        300, low=1, high=10_000, title="Iterations", group="Computation", advanced=True,
        help="At most this many EM steps where values are missing.",
    )
    tol: float = param(
        1e-7, low=0, open_low=True, high=1, title="Tolerance", group="Computation", advanced=True,
        help="EM stops where the mean log-likelihood rises by less than this share.",
    )
    state = (*Linear.state, "loadings_", "noise_variance_", "log_likelihood_",
             "posterior_covariance_", "history_")
    takes_missing = True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find loadings and noise; labels are ignored.
        Raises DataError where a feature has no value at all."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        watch.step(0.0, "Covariance")
        missing = missing_rows(X)
        self.history_ = np.empty(0)
        if missing.any():
            self._note_missing(X, missing)
            mean, W, noise = self._expect_and_maximize(X, Portion(watch, 0.0, 0.8))
        else:
            mean = X.mean(axis=0, dtype=np.float64)
            W, noise = closed_form(X, mean, self.n_components, monitor=Portion(watch, 0.0, 0.8))
        self._keep(mean, W, noise)
        self.embedding_, self.log_likelihood_ = self._posterior(X, Portion(watch, 0.8, 1.0))
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Posterior means of new instances, (M, D) -> (M, d). Exact; values may be missing."""
        return self._posterior(self._validate_new(X), monitored(None))[0]

    def score_samples(self, X: ArrayLike) -> NDArray:
        """Log-likelihood (M,) of the values of new instances that are there."""
        return self._posterior(self._validate_new(X), monitored(None))[1]

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """The expected instance at coordinates, W z + mean, (M, d) -> (M, D)."""
        return self._coordinates(Z) @ self.loadings_.T + self.mean_

    def _keep(self, mean: NDArray, W: NDArray, noise: float) -> None:
        precision = np.linalg.inv(W.T @ W + noise * np.eye(W.shape[1]))
        self.mean_, self.loadings_, self.noise_variance_ = mean, W, float(noise)
        self.components_ = W @ precision
        self.posterior_covariance_ = noise * precision

    def _posterior(self, X: NDArray, watch: Monitor) -> tuple[NDArray, NDArray]:
        Z, scores = np.empty((len(X), self.n_components), X.dtype), np.empty(len(X))
        for part in _rows(X, self.n_components):
            watch.step(part.start / len(X), "Projecting")
            block = X[part] - self.mean_
            Z[part], _, scores[part] = posterior(block, self.loadings_, self.noise_variance_)
        return Z, scores

    def _note_missing(self, X: NDArray, missing: NDArray) -> None:
        empty_features = np.flatnonzero(np.isnan(np.fmax.reduce(X, axis=0)))
        if len(empty_features):
            raise DataError(f"feature {empty_features[0]} contains only NaN",
                            hint="Remove the feature.")
        if self.n_components**2 * X.shape[1] > _LARGEST:
            raise TooLarge(
                f"{self.n_components} dimensions of {X.shape[1]} features with missing values need "
                f"{self.n_components**2 * X.shape[1] * 8 / 2**30:.1f} GB",
                hint="Choose fewer dimensions, or fill the missing values.",
            )
        self.notes_.append(f"{missing.sum()} of {len(X)} instances miss values; they are placed by "
                           "the others.")
        empty = int(np.isnan(np.fmax.reduce(X, axis=1)).sum())
        if empty:
            self.notes_.append(f"{empty} instances have no value at all; they lie at 0.")

    def _expect_and_maximize(self, X: NDArray, watch: Monitor) -> tuple[NDArray, NDArray, float]:
        """EM from the closed form on X filled with means, until the likelihood stands still."""
        filled, mean = _filled(X)
        W, noise = closed_form(filled, mean, self.n_components, monitor=Portion(watch, 0.0, 0.1))
        del filled
        least = noise_floor(W, noise)
        history: list[float] = []
        previews = Previews(Portion(watch, 0.1, 1.0), lambda Z: Z, X.dtype, total=self.n_iter)
        Z = np.empty((len(X), self.n_components))
        for turn in range(self.n_iter):
            part = Portion(watch, 0.1 + 0.9 * turn / self.n_iter,
                           0.1 + 0.9 * (turn + 1) / self.n_iter)
            new, likelihood = em_step(X, mean, W, noise, least=least, out=Z, monitor=part)
            history.append(likelihood)
            previews.show(turn + 1, Z)
            if turn and history[-1] - history[-2] <= self.tol * (1 + abs(history[-1])):
                break
            mean, W, noise = new
        else:
            self.notes_.append(f"EM had not come to rest after {self.n_iter} steps.")
        self.history_ = np.array(history)
        left, length, _ = np.linalg.svd(W, full_matrices=False)
        return mean, fix_signs(left * length), noise


def closed_form(
    X: NDArray, mean: NDArray, n_components: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, float]:
    """Loadings (D, d) and noise variance of complete data,
    Tipping and Bishop's (7) and (8) with N - 1.

    Raises DataError where all instances are the same.
    """
    variances, axes = principal_axes(X, mean, n_components, monitor=monitor)
    if variances[0] == 0:
        raise DataError("all instances are the same",
                        hint="Choose other features or more instances.")
    total = sum(np.vdot(block, block) for _, block in blocks(X, mean)) / (len(X) - 1)
    left = X.shape[1] - n_components
    noise = max(float(total - variances.sum()) / left if left else 0.0,
                _LEAST_NOISE * float(variances[0]))
    return axes * np.sqrt(np.maximum(variances - noise, 0.0)), noise


def noise_floor(W: NDArray, noise: float) -> float:
    """1e-10 of the largest variance of the model. `W` : (D, d)."""
    return _LEAST_NOISE * (float(np.linalg.norm(W, 2)) ** 2 + noise)


def posterior(centered: NDArray, W: NDArray, noise: float) -> tuple[NDArray, NDArray, NDArray]:
    """Mean (n, d) and covariance of z, and the log-likelihood (n,),
    of deviations from the mean; NaN is missing.

    The covariance is (d, d) where nothing is missing, else (n, d, d). `centered` is overwritten.
    """
    seen = ~np.isnan(centered)
    d, count = W.shape[1], seen.sum(axis=1)
    if seen.all():
        M = W.T @ W + noise * np.eye(d)
        inverse = np.linalg.inv(M)
        Z = centered @ (W @ inverse)
    else:
        centered[~seen] = 0.0
        products = (W[:, :, None] * W[:, None, :]).reshape(len(W), d * d)
        M = (seen @ products).reshape(-1, d, d) + noise * np.eye(d)
        inverse = np.linalg.inv(M)
        Z = np.einsum("nde,ne->nd", inverse, centered @ W)
    fit = Z @ W.T
    fit[~seen] = 0.0
    centered -= fit
    # (x - mean)' C^-1 (x - mean) without the cancellation of Woodbury's difference.
    distance = np.einsum("nd,nd->n", centered, centered) / noise + np.einsum("nd,nd->n", Z, Z)
    volume = (count - d) * np.log(noise) + np.linalg.slogdet(M)[1]
    return Z, noise * inverse, -0.5 * (count * _LOG_2PI + volume + distance)


def em_step(
    X: NDArray,
    mean: NDArray,
    W: NDArray,
    noise: float,
    *,
    least: float = 0.0,
    out: NDArray | None = None,
    monitor: Monitor | None = None,
) -> tuple[tuple[NDArray, NDArray, float], float]:
    """One EM step over the values that are there: the new (mean, W, noise),
    and the likelihood of the old.

    Every feature is regressed on (z, 1) over the instances that have it; missing values take no
    part at all. `out` (N, d) receives the means of z under the old model.
    """
    watch = monitored(monitor)
    dim, d = W.shape
    moments, products = np.zeros((dim, (d + 1) ** 2)), np.zeros((dim, d + 1))
    square, n_seen, likelihood = 0.0, 0, 0.0
    for part in _rows(X, d):
        watch.step(part.start / len(X), "Filling in")
        block = X[part] - mean
        seen = ~np.isnan(block)
        values = np.where(seen, block, 0.0)
        Z, covariance, scores = posterior(block, W, noise)
        if out is not None:
            out[part] = Z
        Z = np.hstack([Z, np.ones((len(Z), 1))])
        second = Z[:, :, None] * Z[:, None, :]
        second[:, :d, :d] += covariance
        moments += seen.T.astype(np.float64) @ second.reshape(len(Z), -1)
        products += values.T @ Z
        square += np.vdot(values, values)
        n_seen += int(seen.sum())
        likelihood += scores.sum()
    solved = np.linalg.solve(moments.reshape(dim, d + 1, d + 1), products[:, :, None])[:, :, 0]
    noise = max(float(square - np.vdot(products, solved)) / n_seen, least)
    return (mean + solved[:, d], solved[:, :d], noise), likelihood / len(X)


def missing_rows(X: NDArray) -> NDArray:
    """Which rows hold a NaN, (N,) bool."""
    return np.isnan(X.sum(axis=1, dtype=np.float64))


def _filled(X: NDArray) -> tuple[NDArray, NDArray]:
    """X with the mean of its feature in place of missing values, and the means."""
    seen = ~np.isnan(X)
    mean = np.where(seen, X, 0).sum(axis=0, dtype=np.float64) / seen.sum(axis=0)
    return np.where(seen, X, mean).astype(X.dtype), mean


def _rows(X: NDArray, d: int = 1) -> list[slice]:
    rows = max(1, BLOCK // max(X.shape[1], (d + 1) ** 2))
    return [slice(start, min(start + rows, len(X))) for start in range(0, len(X), rows)]
