"""UMAP on the shared kNN graph, optimized by stochastic gradient descent."""

from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.layout.fuzzy_graph import curve, memberships, union
from emberscope.embedding.layout.neighbor_layout import (
    INIT,
    LAYOUT_COMPONENTS,
    LAYOUT_NEIGHBORS,
    N_EPOCHS,
    NEGATIVES,
    SUPERVISION,
    NeighborLayout,
)
from emberscope.embedding.layout.sgd import Edges, Force, edges_of
from emberscope.embedding.measured import Measured
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors

MIN_DIST = param(
    0.1, low=0, high=10, title="Least distance", group="Embedding",
    help="How near neighbors may come in the embedding; small values pack clusters tightly.",
)


class OfFuzzyGraph(Measured, NeighborLayout):
    """Base of `UMAP` and of `MIUMAP`, which leaves at their defaults what it does not declare."""

    n_neighbors: int
    min_dist: float
    spread = 1.0
    set_op_mix = 1.0
    negatives = 5
    drifts = True

    @property
    def _k(self) -> int:
        return self.n_neighbors

    def _affinities(
        self, U: NDArray, distinct: Distinct, watch: Monitor
    ) -> tuple[Neighbors, csr_array]:
        neighbors = self._neighbors(U, self._k, watch, self._given_among(distinct))
        watch.step(1.0, "Fuzzy graph")
        return neighbors, union(memberships(neighbors), mix=self.set_op_mix)

    def _edges_of_new(self, neighbors: Neighbors, n: int) -> tuple[Edges, Force]:
        return self._forces(memberships(neighbors, n=n))

    def _forces(self, W: csr_array) -> tuple[Edges, Force]:
        a, b = curve(float(self.min_dist), float(self.spread))
        # Both ends of an edge attract each other, whichever is looked at: twice its weight.
        return edges_of(W, pull=4 * a * b, push=self.negatives,
                        seed=self.random_state), Force(a, b, 2 * b)


class UMAP(OfFuzzyGraph):
    """Draw fuzzy neighbors together and a few others apart,
    until the fuzzy graphs of X and of the embedding agree.

    Distances between far clusters mean little;
    that the large shape survives is a merit of the start. Groups between which the gap would dwarf
    both are moved together as they are (`gather.gathered`).

    Notes
    -----
    McInnes, Healy and Melville 2018, a and b fitted to `min_dist`. The forces are those of
    umap-learn, in expectation: per edge of weight w, both ends attract with rate w and `negatives`
    others repel with rate w. The steps differ: every instance feels all its edges at once and moves
    only itself, from the positions at the start of the step (see `sgd.optimize`), and the graph is
    laid out from coarse to fine (`coarse.levels`), so that rings close and 100 steps of all
    instances do what umap-learn's 200 to 500 do. The result is the same for any number of threads.
    `n_neighbors` does not count the instance itself (umap-learn does). Cost beside the search:
    O(steps N (k + 64)); about 60 k + 400 bytes per instance.
    """

    n_components: int = LAYOUT_COMPONENTS
    n_neighbors: int = LAYOUT_NEIGHBORS
    min_dist: float = MIN_DIST
    spread: float = param(
        1.0, low=0.1, high=20, group="Embedding", advanced=True,
        help="Scale of the embedding that the least distance refers to.",
    )
    set_op_mix: float = param(
        1.0, low=0, high=1, title="Union of neighborhoods", group="Graph", advanced=True,
        help="1: neighbors if either instance says so; 0: only if both do.",
    )
    negatives: int = NEGATIVES
    n_epochs: int | None = N_EPOCHS
    init: str = INIT
    supervision: float = SUPERVISION
    random_state: int = RANDOM_STATE
