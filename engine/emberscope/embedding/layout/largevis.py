"""LargeVis: the affinities of t-SNE, optimized by stochastic gradient descent."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.layout.fuzzy_graph import probabilities
from emberscope.embedding.layout.neighbor_layout import (
    INIT,
    LAYOUT_COMPONENTS,
    N_EPOCHS,
    NEGATIVES,
    SUPERVISION,
    NeighborLayout,
)
from emberscope.embedding.layout.sgd import N_DRAWN, Edges, Force, closed, edges_of
from emberscope.embedding.measured import Measured
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors

_PER_PERPLEXITY = 3  # neighbors listed
_POWER = 0.75  # of the degree, in how often an instance repels


class LargeVis(Measured, NeighborLayout):
    """Draw likely neighbors together and a sample of the others strongly apart:
    t-SNE's aim at UMAP's cost.

    Notes
    -----
    Tang, Liu, Zhang and Mei 2016: probabilities of `perplexity`, made symmetric by their sum;
    maximizes sum w log f + gamma sum log(1 - f), f = 1 / (1 + |z|²), over edges and `negatives`
    others each, drawn in proportion to degree^0.75. As in `UMAP` an instance feels all its edges at
    once, from coarse graphs to the full one, instead of 10 000 sampled edges per instance; a
    sampled other repels but is not itself moved. New instances are repelled by all training
    instances alike. Gradients are cut at 4 per coordinate (5 in
    print). Cost beside the search: O(steps N (3 perplexity + 64)).
    """

    n_components: int = LAYOUT_COMPONENTS
    perplexity: float = param(
        15.0, low=2, high=300, group="Graph",
        help="About how many neighbors each instance keeps near; 5 shows detail, 50 the large "
        "shape.",
    )
    gamma: float = param(
        7.0, low=0, open_low=True, high=1000, title="Repulsion", group="Computation", advanced=True,
        help="How strongly the others repel; more leaves wider gaps.",
    )
    negatives: int = NEGATIVES
    n_epochs: int | None = N_EPOCHS
    init: str = INIT
    supervision: float = SUPERVISION
    random_state: int = RANDOM_STATE

    @property
    def _k(self) -> int:
        return int(_PER_PERPLEXITY * self.perplexity)

    def _affinities(
        self, U: NDArray, distinct: Distinct, watch: Monitor
    ) -> tuple[Neighbors, csr_array]:
        neighbors = self._neighbors(U, self._k, watch, self._given_among(distinct))
        watch.step(1.0, "Probabilities")
        P = probabilities(neighbors, self.perplexity)
        W = csr_array(P + P.T)
        W.sort_indices()
        return neighbors, W

    def _edges_of_new(self, neighbors: Neighbors, n: int) -> tuple[Edges, Force]:
        # Training instances repel alike: how often they are neighbors depends on the company.
        edges = edges_of(probabilities(neighbors, self.perplexity, n=n), pull=4.0,
                         push=self.negatives, seed=self.random_state)
        return edges, self._force

    def _forces(self, W: csr_array) -> tuple[Edges, Force]:
        degree = np.asarray(W.sum(axis=0)).ravel()
        pool = drawn_by(np.maximum(degree, degree.mean() * 1e-3) ** _POWER, seed=self.random_state)
        # Both ends of an edge attract each other, whichever is looked at: twice its weight.
        return edges_of(W, pull=4.0, push=self.negatives, seed=0,
                        pool=pool), self._force

    @property
    def _force(self) -> Force:
        return Force(1.0, 1.0, 2 * float(self.gamma))


def drawn_by(weight: NDArray, *, seed: int) -> NDArray[np.int32]:
    """Rows in random order, each as often as its weight says, to within one;
    about as many as there are rows.

    `weight` : (N,), not negative.
    """
    rng = np.random.default_rng(seed)
    size = max(len(weight), 4 * N_DRAWN)
    ends = np.floor(np.cumsum(weight) / weight.sum() * size + rng.uniform())
    pool = np.repeat(np.arange(len(weight)), np.diff(ends, prepend=0).astype(np.int64))
    return closed(rng.permutation(pool))
