"""A mixture of factor analyzers: local linear models, denoised and looked at together."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.latent.mixture import Mixture, fit_mixture
from emberscope.embedding.latent.responsibilities import softmax
from emberscope.embedding.linear.linear import check_rank
from emberscope.neighbors.spectral import fix_signs

N_MODELS = param(
    None, low=1, high=500, title="Local models", group="Mixture",
    auto="one for every 50 instances, 2 to 30",
    help="Local linear models that share the instances among them.",
)
N_STARTS = param(
    3, low=1, high=50, title="Restarts", group="Computation", advanced=True,
    help="Starts from different seeds; the most likely one is kept.",
)
_INSTANCES_PER_MODEL = 50


def number_of_models(wanted: int | None, n: int) -> int:
    """The number asked for, else one for every 50 instances, 2 to 30; at most one per instance."""
    return min(n, wanted if wanted is not None else int(np.clip(n // _INSTANCES_PER_MODEL, 2, 30)))


class MixtureEmbedder(Embedder):
    """Base of methods on a mixture of factor analyzers; its parts are the state.

    Attributes
    ----------
    weights_ (M,), means_ (M, D), loadings_ (M, D, d), noise_ (M, D) : see `latent.mixture.Mixture`.
    log_likelihood_ : (N,) log density of each training instance; low = unlike all the others.
    history_ : (rounds,) mean log-likelihood, rising.
    """

    n_components: int
    n_models: int | None
    n_starts: int
    random_state: int
    weights_: NDArray = not_a_param()
    means_: NDArray = not_a_param()
    loadings_: NDArray = not_a_param()
    noise_: NDArray = not_a_param()
    state: ClassVar[tuple[str, ...]] = ("weights_", "means_", "loadings_", "noise_",
                                        "log_likelihood_", "history_")

    @property
    def mixture(self) -> Mixture:
        """The fitted mixture."""
        return Mixture(self.weights_, self.means_, self.loadings_, self.noise_)

    def _fit_mixture(
        self, X: NDArray, watch: Monitor, *, shared_noise: bool = False,
        cells: NDArray | None = None
    ) -> None:
        d = self.n_components
        check_rank(self.n_components, X.shape)
        if not (X[1:] != X[:1]).any():
            raise DataError("all instances are the same", hint="Choose other features.")
        wanted = number_of_models(self.n_models, len(X))
        mixture, history = fit_mixture(
            X, wanted, d, shared_noise=shared_noise, cells=cells, n_starts=self.n_starts,
            seed=self.random_state, monitor=watch,
        )  # fmt: skip
        if len(mixture.weights) < wanted:
            self.notes_.append(
                f"{len(mixture.weights)} of {wanted} local models hold enough instances and were "
                "kept.")
        for name in ("weights", "means", "loadings", "noise"):
            setattr(self, f"{name}_", np.ascontiguousarray(getattr(mixture, name)))
        self.history_ = np.array(history)


class MixtureOfFactorAnalyzers(MixtureEmbedder):
    """Explain the instances by several local linear models, each with its own plane,
    and look at what they say.

    The embedding shows principal components of the expected instances E[x | model, z], averaged
    over the models: noise off every local plane is gone. The local models, the model of every
    instance and its likelihood are in the state.

    Attributes
    ----------
    model_ : (N,) int64, the most probable local model of each training instance.
    mean_ (D,), axes_ (D, d) : of the embedding. Those of `MixtureEmbedder`.

    Notes
    -----
    Ghahramani and Hinton 1996; Tipping and Bishop 1999. A mixture has no coordinates of its own for
    all instances together; charting aligns them, this method projects. With one model it is PCA of
    PPCA's reconstruction, PCA up to the scale of the axes. O(N M D d) per round of EM.
    """

    n_components: int = replace(N_COMPONENTS, high=64)
    n_models: int | None = N_MODELS
    noise: str = param(
        "isotropic", choices=("isotropic", "shared"), group="Mixture", advanced=True,
        help="Isotropic: each model has one noise level. Shared: one level per feature, the same "
        "in all models.",
    )
    n_starts: int = N_STARTS
    random_state: int = RANDOM_STATE
    state = (*MixtureEmbedder.state, "model_", "mean_", "axes_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Fit the mixture; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._fit_mixture(X, Portion(watch, 0.0, 0.9), shared_noise=self.noise == "shared")
        watch.step(0.92, "Expected instances")
        joint = self.mixture.log_joint(X)
        R, self.log_likelihood_ = softmax(joint)
        self.model_ = R.argmax(axis=1).astype(np.int64)
        self.mean_, cov = _moments(self.mixture, X, R)
        self.axes_ = fix_signs(np.linalg.eigh(cov)[1][:, ::-1][:, : self.n_components])
        self.embedding_ = self._place(X)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        return self._place(self._validate_new(X))

    def _place(self, X: NDArray) -> NDArray:
        R, _ = softmax(self.mixture.log_joint(X))
        return ((expected(self.mixture, X, R) - self.mean_) @ self.axes_).astype(X.dtype)


def expected(mixture: Mixture, X: NDArray, R: NDArray) -> NDArray:
    """(N, D) float64: each instance without the noise off its local planes, sum_m r_m
    (mean_m + W_m E[z | x, m])."""
    out = np.zeros(X.shape)
    for m in np.flatnonzero(R.max(axis=0) > 1e-8):
        rows = np.flatnonzero(R[:, m] > 1e-8)
        W, psi, mean = mixture.loadings[m], mixture.noise[m], mixture.means[m]
        scaled = W / psi[:, None]
        Ez = (X[rows] - mean) @ scaled @ np.linalg.inv(np.eye(W.shape[1]) + W.T @ scaled)
        out[rows] += R[rows, m, None] * (mean + Ez @ W.T)
    return out


def _moments(
    mixture: Mixture, X: NDArray, R: NDArray, chunk: int = 8192
) -> tuple[NDArray, NDArray]:
    """Mean (D,) and scatter (D, D) of the expected instances, chunk by chunk."""
    total, square = np.zeros(X.shape[1]), np.zeros((X.shape[1], X.shape[1]))
    center = X.mean(axis=0, dtype=np.float64)
    for part in slices(len(X), chunk):
        E = expected(mixture, X[part], R[part]) - center
        total += E.sum(axis=0)
        square += E.T @ E
    mean = total / len(X)
    return mean + center, square / len(X) - np.outer(mean, mean)
