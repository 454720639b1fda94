"""t-SNE on the shared kNN graph."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.layout.divergence import Descent, settle
from emberscope.embedding.layout.interpolation import Field
from emberscope.embedding.layout.layout import Layout, Previews
from emberscope.embedding.layout.perplexity import conditional, fitting, joint
from emberscope.embedding.measured import Measured
from emberscope.neighbors.graph import Neighbors
from emberscope.neighbors.threads import thread_count, thread_pool

_EARLY_STEPS = 250
# instances up to which all pairs are as fast as the grid; in 3-D there is no grid
_EXACT = {1: 1000, 2: 4000}
_ALONE = 1500  # instances up to which one thread is as fast as several
_MOMENTUM = 0.8
_FALL = (1, 1, 2, 4, 8)  # of exaggeration, by fifths of the early steps
_STEPS_NEW = 50
_START_NEW = 25  # neighbors whose median a new instance starts from


class TSNE(Measured, Layout):
    """Draw neighbors together and everything else apart.

    Sizes of clusters and distances between them mean nothing in the embedding.

    Attributes
    ----------
    kl_divergence_ : float. The loss at the end.

    Notes
    -----
    Van der Maaten and Hinton 2008: descent on KL(P || Q), q = 1 / (1 + |z_i - z_j|²) / sum, P from
    3 perplexity neighbors (see `perplexity.joint`). The start is PCA scaled to 1e-4. 250 early
    steps with attraction exaggerated 12 times, from the third fifth on 6, 3 and 1.5 times, then
    `n_iter` plain ones. The fall differs from print: one sudden change ended at a higher loss
    (2.092 against 2.077 at 10 000 instances) that depended more on the seed. The learning rate is
    N / exaggeration (Belkina et al. 2019), for small N too: max(200, N / 12) ends no lower.
    Momentum is 0.8 throughout. Perplexity is lowered to (N - 1) / 3 where it is larger, and that is
    noted.

    Repulsion is exact, O(N²), for up to 4000 instances (1000 in 1-D) and in 3-D; else off a grid
    with a relative error of less than 1e-3, O(N + cells log cells), see `interpolation.Field`. 64 N
    perplexity bytes. The result does not depend on the number of threads. Intermediate embeddings
    (duplicates included) go to ``monitor.partial`` several times per second.

    A run may go on from an earlier embedding, without the early steps and more slowly;
    then what was there moves little.
    """

    n_components: int = replace(N_COMPONENTS, high=3)
    perplexity: float = param(
        30.0, low=0.1, high=500, group="Graph",
        help="About how many neighbors each instance keeps near; 5 shows detail, 100 shows the "
        "large shape.",
    )
    n_iter: int = param(
        400, low=10, high=10_000, title="Iterations", group="Computation",
        help="Optimization steps after the early ones (as many as these, at most 250).",
    )
    exaggeration: float = param(
        12.0, low=1, high=100, title="Early exaggeration", group="Computation", advanced=True,
        help="How much stronger attraction is at first; it falls to 1 during the early steps.",
    )
    random_state: int = RANDOM_STATE
    state = (*Layout.state, "kl_divergence_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        perplexity, lowered = fitting(self.perplexity, len(U))
        self.notes_ += lowered
        listed, given = _listed(perplexity, len(U) - 1), self._given_among(distinct)
        neighbors = self._neighbors(U, listed, Portion(watch, 0.0, 0.15), given)
        warm, pinned = self._warm_start(U, len(X), distinct)
        show = Previews(Portion(watch, 0.2, 1.0), distinct.restore, X.dtype)
        with _threads(len(U)) as (pool, workers):
            P = joint(neighbors, perplexity, pool, monitor=Portion(watch, 0.15, 0.18))
            watch.step(0.18, "Start")
            start = self._pca_start(U, 1e-4) if warm is None else warm
            watch.step(0.2, "Start")
            field = Field(pool, workers) if len(U) > _EXACT.get(self.n_components, len(U)) else None
            descent = Descent(P, start, field, pool, pinned=pinned, free=warm is None)
            self._descend(descent, show, cold=warm is None)
            self.kl_divergence_ = descent.loss()
        Z = descent.Z if pinned is None else np.where(pinned[:, None], start, descent.Z)
        return self._finish(X, distinct, Z)

    def _descend(self, descent: Descent, show: Previews, *, cold: bool) -> None:
        n = len(descent.Z)
        early = min(_EARLY_STEPS, self.n_iter) if cold else 0
        often = 5 if n < 5000 else 1
        show.total = early + self.n_iter
        for done in range(show.total):
            stage = _FALL[len(_FALL) * done // early] if done < early else np.inf
            exaggeration = max(self.exaggeration / stage, 1.0)
            descent.step(n / (exaggeration if cold else self.exaggeration), _MOMENTUM, exaggeration)
            if (done + 1) % often == 0:
                show.show(done + 1, descent.Z)

    def transform(self, X: ArrayLike, *, n_iter: int = _STEPS_NEW) -> NDArray:  # type: ignore[override]  # own rule
        """Coordinates of new instances, (M, D) -> (M, d): the median of their neighbors' and then
        steps of their own, down their KL divergence, with the training instances held (the idea of
        openTSNE's transform).

        One that equals a training instance gets its coordinates. Where it comes does not depend on
        which others are asked for with it. Instances far from all training instances still get
        plausible coordinates: look at `novelty`.
        """
        X = self._validate_new(X)
        trained = np.ascontiguousarray(self.coordinates_, np.float32)
        perplexity, _ = fitting(self.perplexity, len(trained))
        found = self._nearest_known(X, _listed(perplexity, len(trained)))
        known = found.dist[:, :1] == 0
        Z = np.median(trained[found.idx[:, :_START_NEW]], axis=1).astype(np.float32)
        with _threads(len(trained)) as (pool, _):
            p = conditional(Neighbors(found.idx, found.dist), perplexity, pool)
            settle(Z, trained, found.idx, p, steps=n_iter, pool=pool)
        return np.where(known, self.coordinates_[found.idx[:, 0]], Z).astype(X.dtype)


def _listed(perplexity: float, most: int) -> int:
    """Neighbors that attract an instance."""
    return max(1, min(int(3 * perplexity), most))


@contextmanager
def _threads(n: int) -> Iterator[tuple[ThreadPoolExecutor | None, int]]:
    """Threads for n instances, and how many they are; no pool where one is enough.
    BLAS keeps to one."""
    with thread_pool() as pool:
        yield (pool, thread_count()) if n > _ALONE and thread_count() > 1 else (None, 1)
