"""Factor analysis: a few common causes, and a noise of its own for every feature."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.linear import Linear, blocks, project
from emberscope.embedding.linear.pca import covariance
from emberscope.neighbors.spectral import fix_signs

_LEAST_NOISE = 1e-6  # of the variance of a feature (Heywood cases)
_LOG_2PI = float(np.log(2 * np.pi))


class FA(Linear):
    """x = W z + mean + noise, z ~ N(0, I), noise ~ N(0, diag(Psi)); Z is the posterior mean of z.

    Unlike PCA it does not care how features are scaled:
    what a feature shares with no other one is its own noise.

    Attributes
    ----------
    components_ : (D, d) float64 = Psi^-1 W G, G = (I + W' Psi^-1 W)^-1,
        so that Z = (X - mean_) components_.
    mean_ : (D,). loadings_ : (D, d) = W, with W' Psi^-1 W diagonal, largest first.
        noise_variance_ : (D,), Psi.
    log_likelihood_ : (N,), density in units of X; low = unusual.
        history_ : (iterations,), its mean.
    posterior_covariance_ : (d, d) = G, the same for all instances.

    Notes
    -----
    Rubin and Thayer 1982; as in Barber 2012, section 21.2. Expectation conditional maximization:
    given Psi the best W from the largest eigenvectors of Psi^-1/2 S Psi^-1/2, then
    Psi = diag(S - W W'), at least 1e-6 of the variance of each feature; the likelihood never falls.
    It works on the covariance S (N form), so a step costs O(D³) whatever N, and O(N D²) before;
    where N <= D on its factor, O(N² D). A constant feature has noise 0 and takes no part.
    """

    n_components: int = N_COMPONENTS
    n_iter: int = param(
        500, low=1, high=10_000, title="Iterations", group="Computation", advanced=True,
        help="At most this many steps.",
    )
    tol: float = param(
        1e-8, low=0, open_low=True, high=1, title="Tolerance", group="Computation", advanced=True,
        help="Stops where the mean log-likelihood rises by less than this.",
    )
    state = (*Linear.state, "loadings_", "noise_variance_", "log_likelihood_",
             "posterior_covariance_", "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find loadings and noise; labels are ignored.
        Raises DataError where all instances are the same."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        watch.step(0.0, "Covariance")
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        R = covariance_factor(X, self.mean_, monitor=Portion(watch, 0.0, 0.3))
        variance = np.einsum("rd,rd->d", R, R)
        varying = variance > 1e-24 * variance.max() + np.square(1e-12 * self.mean_)
        if not varying.any():
            raise DataError("all instances are the same",
                            hint="Choose other features or more instances.")
        W, noise = np.zeros((X.shape[1], self.n_components)), np.zeros(X.shape[1])
        W[varying], noise[varying] = self._factors(R[:, varying], Portion(watch, 0.3, 0.9))
        self._keep(W, noise, varying)
        self.embedding_ = project(X, self.mean_, self.components_)
        self.log_likelihood_ = self._scores(X, Portion(watch, 0.9, 1.0))
        return self

    def score_samples(self, X: ArrayLike) -> NDArray:
        """Log-likelihood (M,) of new instances."""
        return self._scores(self._validate_new(X), monitored(None))

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """The expected instance at coordinates, W z + mean, (M, d) -> (M, D)."""
        return self._coordinates(Z) @ self.loadings_.T + self.mean_

    def _factors(self, R: NDArray, watch: Monitor) -> tuple[NDArray, NDArray]:
        variance = np.einsum("rd,rd->d", R, R)
        noise = variance.copy()
        history: list[float] = []
        for turn in range(self.n_iter):
            watch.step(turn / self.n_iter, "Factors")
            W, likelihood = best_loadings(R, noise, self.n_components)
            history.append(likelihood)
            if turn and history[-1] - history[-2] <= self.tol:
                break
            last = noise
            noise = np.maximum(variance - np.square(W).sum(axis=1), _LEAST_NOISE * variance)
        else:
            noise = last
            self.notes_.append(f"The factors had not come to rest after {self.n_iter} steps.")
        self.history_ = np.array(history)
        floored = int((noise <= 1.001 * _LEAST_NOISE * variance).sum())
        if floored:
            self.notes_.append(f"{floored} features are explained completely by the factors.")
        root = np.sqrt(noise)[:, None]  # signs must not depend on how features are scaled
        return fix_signs(W / root) * root, noise

    def _keep(self, W: NDArray, noise: NDArray, varying: NDArray) -> None:
        scaled = np.zeros_like(W)
        scaled[varying] = W[varying] / noise[varying, None]
        self.posterior_covariance_ = np.linalg.inv(np.eye(W.shape[1]) + W.T @ scaled)
        self.loadings_, self.noise_variance_ = W, noise
        self.components_ = scaled @ self.posterior_covariance_

    def _scores(self, X: NDArray, watch: Monitor) -> NDArray:
        varying = self.noise_variance_ > 0
        root = np.where(varying, np.sqrt(np.where(varying, self.noise_variance_, 1.0)), np.inf)
        volume = 2 * np.log(root[varying]).sum() - np.linalg.slogdet(self.posterior_covariance_)[1]
        out = np.empty(len(X))
        for part, block in blocks(X, self.mean_):
            watch.step(part.start / len(X), "Likelihood")
            Z = block @ self.components_
            block -= Z @ self.loadings_.T
            block /= root
            out[part] = np.einsum("nd,nd->n", block, block) + np.einsum("nd,nd->n", Z, Z)
        return -0.5 * (varying.sum() * _LOG_2PI + volume + out)


def covariance_factor(X: NDArray, mean: NDArray, *, monitor: Monitor | None = None) -> NDArray:
    """R (r, D) with R'R = covariance of X (N form); r is at most min(N, D)."""
    n, dim = X.shape
    if n <= dim:
        return (X - mean) / np.sqrt(n)
    values, axes = eigh(covariance(X, mean, monitor=monitor) * ((n - 1) / n), check_finite=False)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * axes.T


def best_loadings(R: NDArray, noise: NDArray, d: int) -> tuple[NDArray, float]:
    """The most likely loadings (D, d) for given noise (D,),
    and the mean log-likelihood they reach."""
    r, dim = R.shape
    root = np.sqrt(noise)
    scaled = R / root
    G = scaled @ scaled.T
    total = np.trace(G)
    values, left = eigh(G, subset_by_index=(max(r - d, 0), r - 1), check_finite=False)
    values, left = np.maximum(values[::-1], 0.0), left[:, ::-1]
    length = np.sqrt(np.maximum(values - 1, 0.0))
    right = scaled.T @ left / np.sqrt(np.where(length > 0, values, 1.0))
    kept = np.where(length > 0, values, 1.0)
    # The trace counts what the loadings do not take; each of theirs contributes exactly 1.
    fit = total - values.sum() + np.where(length > 0, 1.0, values).sum()
    likelihood = -0.5 * (dim * _LOG_2PI + 2 * np.log(root).sum() + np.log(kept).sum() + fit)
    W = root[:, None] * right * length
    return np.pad(W, ((0, 0), (0, d - W.shape[1]))), float(likelihood)
