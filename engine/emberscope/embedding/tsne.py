"""t-SNE, through openTSNE, on the shared kNN graph."""

import time
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, Param
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.pca import principal_axes
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors, nearest

_PICTURE_EVERY = 0.2  # s
_EXAGGERATION_STEPS = 250
_FFT_FROM = 10_000  # instances; below, the Barnes-Hut tree is as fast and works in 3-D


class TSNE(Nonlinear):
    """Draw neighbors together and everything else apart.

    Sizes of clusters and distances between them mean nothing in the picture.

    Attributes
    ----------
    kl_divergence_ : float. The loss at the end.

    Notes
    -----
    Van der Maaten and Hinton 2008; optimisation by openTSNE (Policar et al. 2024): Barnes-Hut, FFT interpolation
    for 1-D and 2-D above 10 000 instances. Spec 02 section 9.1. The start is PCA scaled to 1e-4. The learning rate
    is max(200, N / 12), for fewer than 400 instances N / 2: at 200, 80 instances in two far clusters ended mixed
    (loss 1.05 after 100 steps, 0.43 at 50). Perplexity is lowered to (N - 1) / 3 where it is larger, and that is noted.
    Live pictures go to ``monitor.partial`` (duplicates included) several times per second.

    A run may go on from an earlier picture, without the early steps; then what was there moves little.
    """

    params = (
        replace(N_COMPONENTS, high=3),
        Param("perplexity", "float", 30.0, low=0.1, high=500, group="Graph",
              help="About how many neighbors each instance keeps near; 5 shows detail, 100 shows the large shape."),
        Param("n_iter", "int", 500, low=10, high=10_000, title="Iterations", group="Computation",
              help="Optimisation steps after the early ones (as many as these, at most 250)."),
        Param("exaggeration", "float", 12.0, low=1, high=100, title="Early exaggeration", group="Computation",
              advanced=True, help="How much stronger attraction is during the early steps."),
        RANDOM_STATE,
    )
    state = (*Nonlinear.state, "kl_divergence_")
    _first: NDArray | None = None  # of `start_from`

    def __init__(
        self,
        *,
        n_components: int = 2,
        perplexity: float = 30.0,
        n_iter: int = 500,
        exaggeration: float = 12.0,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_iter = n_iter
        self.exaggeration = exaggeration
        self.random_state = random_state

    def start_from(self, Z: NDArray) -> Self:
        """Let the next fit begin at Z, (N, d), NaN for instances that are new: these join their nearest neighbors."""
        self._first = np.asarray(Z, np.float64)
        return self

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = np.ascontiguousarray(X[distinct.rows])
        perplexity = self._perplexity(len(U))
        k = min(int(3 * perplexity), len(U) - 1)
        neighbors = self._neighbors(U, max(k, 1), Portion(watch, 0.0, 0.15))
        watch.step(0.15, "Start")
        warm = self._warm_start(U, len(X), distinct)
        start = self._start(U) if warm is None else warm
        show = _Pictures(Portion(watch, 0.2, 1.0), distinct.restore, X.dtype)
        early = min(_EXAGGERATION_STEPS, self.n_iter) if warm is None else 0
        Z, self.kl_divergence_ = self._optimize(neighbors, perplexity, start, early, show)
        return self._finish(X, distinct, Z)

    def _perplexity(self, n: int) -> float:
        largest = max((n - 1) / 3, 1.0)
        if self.perplexity > largest:
            self.notes_.append(
                f"Perplexity was lowered from {self.perplexity:g} to {largest:.3g}: there are {n} different instances."
            )
        return min(float(self.perplexity), largest)

    def _start(self, U: NDArray) -> NDArray:
        """PCA coordinates scaled to standard deviation 1e-4, and a breath of noise where X has fewer axes."""
        mean = U.mean(axis=0, dtype=np.float64)
        m = min(self.n_components, *U.shape)
        Z = np.zeros((len(U), self.n_components))
        Z[:, :m] = (U - mean) @ principal_axes(U, mean, m)[1]
        scale = Z[:, 0].std()
        Z *= 1e-4 / scale if scale > 0 else 1.0
        return Z + 1e-6 * np.random.default_rng(self.random_state).standard_normal(Z.shape)

    def _warm_start(self, U: NDArray, n: int, distinct: Distinct) -> NDArray | None:
        """The coordinates given to `start_from`, of the different instances; used once."""
        first, self._first = self._first, None
        if first is None:
            return None
        if first.shape != (n, self.n_components):
            what = f"the start has shape {first.shape}"
            raise DataError(what, hint=f"Give a start of shape {(n, self.n_components)}.")
        Z = first[distinct.rows]
        new = ~np.isfinite(Z).all(axis=1)
        if new.all():
            return None
        if new.any():
            Z[new] = Z[~new][nearest(U[~new], U[new], 1).idx[:, 0]]
        breath = 1e-3 * Z.std() * np.random.default_rng(self.random_state).standard_normal(Z.shape)
        return Z + np.where(new[:, None], breath, 0.0)

    def _optimize(
        self, neighbors: Neighbors, perplexity: float, start: NDArray, early: int, show: "_Pictures"
    ) -> tuple[NDArray, float]:
        from openTSNE import TSNEEmbedding
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors

        n = len(start)
        distance = neighbors.dist.astype(np.float64)
        distance /= distance.mean()  # the search for perplexity starts at ordinary numbers
        index = PrecomputedNeighbors(neighbors.idx.astype(np.int64), distance)
        affinities = PerplexityBasedNN(perplexity=perplexity, knn_index=index, n_jobs=-1)
        fast = n > _FFT_FROM and self.n_components < 3
        picture = TSNEEmbedding(start, affinities, negative_gradient_method="fft" if fast else "bh", n_jobs=-1)
        rate = max(min(200.0, n / 2), n / 12)
        show.total = early + self.n_iter
        options = {
            "learning_rate": rate, "callbacks": show, "callbacks_every_iters": 5 if n < 5000 else 1, "inplace": True,
            "propagate_exception": True,
        }
        if early:
            picture.optimize(n_iter=early, exaggeration=self.exaggeration, momentum=0.5, **options)
        show.before = early
        picture.optimize(n_iter=self.n_iter, momentum=0.8, **options)
        return np.asarray(picture), float(picture.kl_divergence)


class _Pictures:
    """openTSNE's callback: progress, cancelling and live pictures."""

    def __init__(self, monitor: Monitor, restore: Any, dtype: Any) -> None:
        self._monitor = monitor
        self._restore = restore
        self._dtype = dtype
        self._shown = time.monotonic()
        self.before = 0
        self.total = 1

    def __call__(self, iteration: int, error: float, embedding: NDArray) -> bool:
        done = self.before + iteration
        self._monitor.step(done / self.total, f"Step {done} of {self.total}")
        if time.monotonic() - self._shown > _PICTURE_EVERY:
            self._monitor.partial(self._restore(np.array(embedding, self._dtype)))
            self._shown = time.monotonic()
        return False
