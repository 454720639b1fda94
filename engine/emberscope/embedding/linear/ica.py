"""Independent component analysis: the directions along which the data is least Gaussian."""

import warnings
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.linear.linear import VANISHING, Linear, project
from emberscope.embedding.linear.pca import principal_axes
from emberscope.neighbors.spectral import fix_signs

_GAUSSIAN = 0.37456721  # mean of log cosh of a standard normal variable
_N_ITER = 500


class ICA(Linear):
    """Unmix independent sources: whitened principal components,
    turned to be as little Gaussian as possible.

    Attributes
    ----------
    components_ : (D, d) float64; coordinates have variance 1 (N form) and no correlation.
        mean_ : (D,).
    mixing_ : (D, d); column j is what one unit of source j adds to an instance.
    negentropy_ : (d,) descending, (E log cosh z - its value for a Gaussian)²:
        how far each axis is from Gaussian.

    Notes
    -----
    Hyvarinen 1999 (FastICA, log cosh, symmetric decorrelation) by scikit-learn, on PCA whitening of
    ours. `n_whitened` principal components are searched; the d least Gaussian sources are kept.
    Gaussian data has no such directions: then the axes are arbitrary, and that is noted. O(N D
    min(N, D)) + O(N m²) per step.
    """

    n_components: int = N_COMPONENTS
    n_whitened: int | None = param(
        None, low=1, high=512, title="Principal components", group="Embedding",
        auto="as many as dimensions",
        help="Sources are looked for among this many principal components; the least Gaussian are "
        "shown.",
    )
    random_state: int = RANDOM_STATE
    state = (*Linear.state, "mixing_", "negentropy_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the sources; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        watch.step(0.0, "Covariance")
        wanted = min(max(self.n_whitened or 0, self.n_components), *X.shape)
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        variances, axes = principal_axes(X, self.mean_, wanted, monitor=Portion(watch, 0.0, 0.4))
        kept = variances > VANISHING * variances[0]
        scale = np.sqrt(variances[kept] * (len(X) - 1) / len(X))
        white = axes[:, kept] / scale
        turn, self.negentropy_ = np.empty((0, 0)), np.zeros(self.n_components)
        if kept.any():
            turn = self._unmixed(project(X, self.mean_, white, dtype=np.float64),
                                 Portion(watch, 0.4, 0.9))
        signed = fix_signs(white @ turn)
        flips = np.sign(np.einsum("dm,dm->m", signed, white @ turn))
        self.mixing_ = np.pad((axes[:, kept] * scale) @ turn * flips,
                              ((0, 0), (0, self.n_components - turn.shape[1])))
        self.components_ = self._padded(signed)
        self.embedding_ = project(X, self.mean_, self.components_, monitor=Portion(watch, 0.9, 1.0))
        return self

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """The point of feature space that sources add up to, (M, d) -> (M, D)."""
        return self._coordinates(Z) @ self.mixing_.T + self.mean_

    def _unmixed(self, white: NDArray, watch: Monitor) -> NDArray:
        """The rotation (m, d) of whitened data to its least Gaussian sources."""
        from sklearn.decomposition import fastica
        from sklearn.exceptions import ConvergenceWarning

        m = white.shape[1]
        start = np.random.default_rng(self.random_state).standard_normal((m, m))
        missing = max(self.n_components - m, 0)
        previews = Previews(watch, lambda Z: np.pad(Z, ((0, 0), (0, missing))), white.dtype,
                            total=_N_ITER)
        steps = 0

        def contrast(x: NDArray) -> tuple[NDArray, NDArray]:
            nonlocal steps
            steps += 1
            previews.show(min(steps, _N_ITER), x[: self.n_components].T)
            g = np.tanh(x)
            return g, 1 - np.einsum("mn,mn->m", g, g) / x.shape[1]

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            turn = fastica(
                white, whiten=False, fun=contrast, w_init=start, max_iter=_N_ITER, tol=1e-10,
                compute_sources=False
            )[1]
        if any(issubclass(warning.category, ConvergenceWarning) for warning in caught):
            self.notes_.append("The sources had not come to rest: the data may be Gaussian, its "
                               "axes arbitrary.")
        found = negentropy(white @ turn.T)
        order = np.argsort(-found, kind="stable")[: self.n_components]
        self.negentropy_ = np.pad(found[order], (0, self.n_components - len(order)))
        return turn.T[:, order]


def negentropy(Z: NDArray) -> NDArray:
    """How far each column of unit variance is from Gaussian, (d,):
    (E log cosh z - that of a Gaussian)²."""
    magnitude = np.abs(Z)
    return np.square((magnitude + np.log1p(np.exp(-2 * magnitude)) - np.log(2)).mean(axis=0)
                     - _GAUSSIAN)
