"""t-SNE, through openTSNE, on the shared kNN graph."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, Param
from emberscope.embedding.layout.layout import Layout, Pictures
from emberscope.neighbors.graph import Neighbors

_EXAGGERATION_STEPS = 250
_FFT_FROM = 10_000  # instances; below, the Barnes-Hut tree is as fast and works in 3-D


class TSNE(Layout):
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
    state = (*Layout.state, "kl_divergence_")

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
        warm, _ = self._warm_start(U, len(X), distinct)
        start = self._pca_start(U, 1e-4) if warm is None else warm
        show = Pictures(Portion(watch, 0.2, 1.0), distinct.restore, X.dtype)
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

    def _optimize(
        self, neighbors: Neighbors, perplexity: float, start: NDArray, early: int, show: Pictures
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
        told = _Callback(show)
        options = {
            "learning_rate": rate, "callbacks": told, "callbacks_every_iters": 5 if n < 5000 else 1, "inplace": True,
            "propagate_exception": True,
        }
        if early:
            picture.optimize(n_iter=early, exaggeration=self.exaggeration, momentum=0.5, **options)
        told.before = early
        picture.optimize(n_iter=self.n_iter, momentum=0.8, **options)
        return np.asarray(picture), float(picture.kl_divergence)


class _Callback:
    """openTSNE's callback: tells how far it is."""

    def __init__(self, show: Pictures) -> None:
        self._show = show
        self.before = 0

    def __call__(self, iteration: int, error: float, embedding: NDArray) -> bool:
        self._show.show(self.before + iteration, embedding)
        return False
