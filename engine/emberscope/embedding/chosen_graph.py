"""Methods that let a person choose which pairs of instances are edges of their graph."""

from collections.abc import Iterator
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from emberscope.base.errors import ParamError
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, slices
from emberscope.base.param import param
from emberscope.embedding.components import GraphMethod
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import GraphBased
from emberscope.neighbors.chosen import GraphChoice, chosen_edges, full_note
from emberscope.neighbors.graph import RADIUS_CAP, Graph, Neighbors

_VALUES = 1 << 21  # distances to new instances held at a time

GRAPH = param(
    "knn", choices=("knn", "mutual", "radius", "full"), title="Edges", group="Graph", advanced=True,
    help="knn: where either instance lists the other among its k nearest. Mutual: where both do. "
    "Radius: all pairs nearer than the radius. Full: all pairs, nearer ones weigh more; 100 "
    "bytes each, for up to 6000 instances.",
)
RADIUS = param(
    None, low=0, open_low=True, unit="feature distance", group="Graph", advanced=True,
    auto="median distance to neighbor k",
    when=("graph", "radius"),
    help="Length of the longest edge; an instance gets 256 edges at most.",
)


class ChoosesGraph(GraphBased):
    """Base of these methods: a subclass has the Params `GRAPH` and `RADIUS` and calls
    `_chosen_graph`.

    Attributes
    ----------
    radius_ : float. Length of the longest edge, with edges by radius; else NaN.
    """

    graph: str
    radius: float | None
    radius_: float = not_a_param(float("nan"))
    told: ClassVar[tuple[str, ...]] = ("radius_",)

    def _chosen_graph(
        self, U: NDArray, neighbors: Neighbors, watch: Monitor, *,
        components: Literal["bridge", "keep"] = "keep", same_weight: bool = False,
    ) -> Graph:
        """The graph of distinct rows (n, D) with their k lists; notes what all pairs cost, nothing
        else.

        same_weight : whether edges are not weighted by their length. Raises ParamError where that
        says nothing, TooLarge, DataError where no two instances are neighbors.
        """
        choice = cast(GraphChoice, self.graph)
        if choice == "full" and same_weight:
            raise ParamError("all pairs are edges of the same weight, which says nothing",
                             hint="Choose the heat kernel, or edges of near instances only.")
        edges = chosen_edges(U, neighbors, choice, self.radius, monitor=watch)
        self.radius_ = float("nan") if edges.radius is None else edges.radius
        if choice == "full":
            self.notes_.append(full_note(len(U)))
        return edges.graph(U, components=components, monitor=watch)


class PlacedByGraph(Measured, GraphMethod, ChoosesGraph):
    """Base of those that place a new instance by its edges to training instances."""

    told = ChoosesGraph.told

    def _joined(self, U: NDArray, neighbors: Neighbors, watch: Monitor, **how: bool) -> Graph:
        """The chosen graph, in one piece where `components` says so."""
        return self._chosen_graph(
            U, neighbors, watch, components="bridge" if self.components == "bridge" else "keep",
            **how,
        )

    def _in_reach(
        self, X: NDArray, k: int, least: int = 1
    ) -> Iterator[tuple[slice, Neighbors, NDArray[np.bool_]]]:
        """Blocks of new instances (M, D): the training instances nearest to each, and which of
        these it has an edge to.

        k : neighbors of the fit. least : how many nearest ones are wanted whatever the edges. A
        new instance is nobody's neighbor yet: of mutual ones its k nearest count.
        """
        n, full = len(self.instances_), self.graph == "full"
        wanted = n if full else min(RADIUS_CAP if self.graph == "radius" else k, n)
        rows = len(X) if self.graph in ("knn", "mutual") else max(1, _VALUES // wanted)
        for part in slices(len(X), rows):
            found = self._all_known(X[part]) if full else self._nearest_known(
                X[part], min(max(wanted, least), n))
            edge = np.broadcast_to(np.arange(found.k) < wanted, found.dist.shape)
            yield part, found, edge & (found.dist <= self.radius_) if (
                self.graph == "radius") else edge

    def _all_known(self, X: NDArray) -> Neighbors:
        """All training instances, the nearest first, as the fit measured them."""
        squared = self._squared_to(X, self.instances_) if self.measure_ else cdist(
            X, self.instances_, "sqeuclidean")
        order = np.argsort(squared, axis=1, kind="stable").astype(np.int32)
        return Neighbors(order, np.sqrt(np.take_along_axis(squared, order, axis=1)))
