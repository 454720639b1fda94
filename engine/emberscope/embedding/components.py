"""Disconnected neighborhood graphs: one policy for all graph methods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion
from emberscope.base.param import param
from emberscope.embedding.distance.mds import classical_scaling
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.out_of_sample import placed_within
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Graph, Neighbors, knn, neighborhood_graph
from emberscope.neighbors.search import neighbors_by

COMPONENTS = param(
    "bridge", choices=("bridge", "largest", "per-component"), title="Disconnected parts",
    group="Graph", advanced=True,
    help="Bridge: join the parts by their shortest gaps. Largest: embed the largest part and "
    "place the rest by it. Per component: embed every part alone and draw them side by side.",
)
_SMALLEST = 10
_DRAWN = 300  # components drawn side by side; further ones are placed by them
_MARGIN = 1.1
_SWEEPS = 300


@dataclass(frozen=True, slots=True)
class Part:
    """What is embedded in one go: all distinct instances, or one component of them.

    rows : (n,) int64, rows of U. X : (n, D), these rows.
        neighbors : their lists, numbered within the part.
    graph : csr of theirs, in one component, bridges included.
    """

    rows: NDArray[np.int64]
    X: NDArray
    neighbors: Neighbors
    graph: Graph


class GraphMethod(Nonlinear):
    """Base of methods on the neighborhood graph:
    a subclass has the Param `COMPONENTS` and calls `_by_component`.

    Attributes
    ----------
    component_ : (N,) int32. Component of the neighborhood graph before any bridge;
        0 is the largest.
    """

    components: str
    state: ClassVar[tuple[str, ...]] = (*Nonlinear.state, "component_")

    def _by_component(
        self,
        U: NDArray,
        distinct: Distinct,
        neighbors: Neighbors,
        embed: Callable[[Part, Monitor], NDArray],
        *,
        n_components: int,
        graph: Graph | None = None,
        units: bool = False,
        monitor: Monitor,
    ) -> NDArray:
        """Coordinates (U, d) of the distinct instances by the policy `components`; sets
        `component_`, adds notes.

        Parameters
        ----------
        embed : what the method does with a connected graph: (part, monitor) -> (n, n_components).
            Called once with everything ("bridge", or a connected graph), else once per component,
            the largest last: attributes and notes that it leaves are then those of the largest.
        graph : the symmetric graph where it is not the plain one of `neighbors`; its components not
            joined yet (`components="keep"`), unless the policy is "bridge".
        units : whether coordinates have the units of X; if not, components drawn side by side are
            scaled to equal density.
        """
        policy = self.components
        if graph is None:
            first = Portion(monitor, 0.0, 0.1)
            graph = neighborhood_graph(
                U, neighbors, components="bridge" if policy == "bridge" else "keep", monitor=first
            )
        self.component_ = distinct.restore(graph.component)
        rest = Portion(monitor, 0.1, 1.0)
        if policy == "bridge" or graph.n_components <= 1:
            self.notes_.extend(graph.notes)
            return embed(Part(np.arange(len(U)), U, neighbors, graph), rest)
        sizes = np.bincount(graph.component)
        chosen = _embedded(sizes, n_components, policy)
        if sizes[0] < n_components + 1:
            raise DataError(
                f"the largest component of the graph has {sizes[0]} instances for {n_components} "
                "dimensions",
                hint="Choose more neighbors, or bridge the components.",
            )
        embeddings = self._embeddings(U, neighbors, graph, chosen, embed, rest)
        self._note_parts(graph, chosen)
        if len(chosen) > 1:
            embeddings = _side_by_side(U, graph.component, embeddings, n_components, units)
        return _place_rest(U, graph.component, embeddings, neighbors.distances)

    def _embeddings(
        self, U: NDArray, neighbors: Neighbors, graph: Graph, chosen: NDArray, embed: Callable,
        watch: Monitor
    ) -> list[NDArray]:
        """One embedding per chosen component; of the notes, those of the largest stay."""
        before, embeddings = len(self.notes_), []
        done = np.concatenate([[0.0], np.cumsum(np.bincount(graph.component)[chosen[::-1]])])
        done /= done[-1]
        for i, c in enumerate(chosen[::-1]):
            del self.notes_[before:]
            part = component_part(U, neighbors, graph, int(c))
            embeddings.append(
                np.asarray(embed(part, Portion(watch, done[i], done[i + 1])), np.float64)
            )
        return embeddings[::-1]

    def _note_parts(self, graph: Graph, chosen: NDArray) -> None:
        sizes = np.bincount(graph.component)
        text = graph.notes[0].rsplit(";", 1)[0]
        if len(chosen) > 1:
            text += (f"; {len(chosen)} are embedded alone and drawn side by side, "
                     "distances between them mean little")
        else:
            text += "; only the largest is embedded"
        if (outside := int(sizes.sum() - sizes[chosen].sum())):
            text += (f"; {outside} instances outside are placed by the nearest embedded ones, "
                     "with low confidence")
        self.notes_.append(text + ".")


def component_part(U: NDArray, neighbors: Neighbors, graph: Graph, c: int) -> Part:
    """Component c of a graph whose components are not joined, with rows numbered within it.

    `U` : (n, D), distinct rows.
    """
    rows = np.flatnonzero(graph.component == c)
    within = np.zeros(len(U), np.int32)
    within[rows] = np.arange(len(rows), dtype=np.int32)
    listed = neighbors.idx[rows]
    distances = None if neighbors.distances is None else neighbors.distances.take(rows)
    k = min(neighbors.k, len(rows) - 1)
    if (graph.component[listed] == c).all():
        lists = Neighbors(within[listed], neighbors.dist[rows], neighbors.recall, distances)
    elif distances is not None:  # the graph leaves out some of the listed neighbors
        lists = neighbors_by(distances, k, dtype=U.dtype)
    else:
        lists = knn(np.ascontiguousarray(U[rows]), k)
    lengths = graph.lengths[rows][:, rows]
    alone = Graph(lengths, np.zeros(len(rows), np.int32), np.empty((0, 2), np.int64))
    return Part(rows, np.ascontiguousarray(U[rows]), lists, alone)


def _embedded(sizes: NDArray, n_components: int, policy: str) -> NDArray[np.int64]:
    """The components that are embedded alone; at least the largest."""
    if policy == "largest":
        return np.zeros(1, np.int64)
    large = np.flatnonzero(sizes >= max(n_components + 2, _SMALLEST))[:_DRAWN]
    return large if len(large) else np.zeros(1, np.int64)


def _side_by_side(
    U: NDArray, component: NDArray, embeddings: list[NDArray], d: int, units: bool
) -> list[NDArray]:
    """Move embeddings apart: centers by scaling the distances of the centroids in U,
    then as far as none overlap.

    Without units every embedding is first scaled to the point density of the largest: its radius
    goes with the square root of its size.
    """
    embeddings = [Z - Z.mean(axis=0) for Z in embeddings]
    if not units:
        spread = [np.sqrt(np.square(Z).sum(axis=1).mean() / len(Z)) for Z in embeddings]
        embeddings = [Z * (spread[0] / s if s > 0 else 1.0) for Z, s in zip(embeddings, spread)]
    radius = np.array([np.linalg.norm(Z, axis=1).max() for Z in embeddings])
    centroids = np.stack(
        [U[component == c].mean(axis=0, dtype=np.float64) for c in range(len(embeddings))]
    )
    centers = _apart(_scaled(centroids, d), radius, may_shrink=not units)
    return [Z + center for Z, center in zip(embeddings, centers)]


def _scaled(centroids: NDArray, d: int) -> NDArray:
    distance = np.linalg.norm(centroids[:, None] - centroids[None], axis=2)
    found = classical_scaling(distance, min(d, len(centroids)))[1]
    return np.pad(found, ((0, 0), (0, d - found.shape[1])))


def _apart(centers: NDArray, radius: NDArray, *, may_shrink: bool) -> NDArray:
    """Centers at least 1.1 times the sum of radii apart: scaled to the typical need,
    then pushed, then scaled."""
    wanted = _MARGIN * (radius[:, None] + radius[None, :])
    np.fill_diagonal(wanted, 0)
    need = np.divide(wanted, _between(centers), out=np.zeros_like(wanted),
                     where=_between(centers) > 0).max(axis=1)
    factor = float(np.median(need))
    Y = centers * (factor if may_shrink and factor > 0 else max(factor, 1.0))
    push = (
        np.eye(Y.shape[1])[np.arange(len(Y)) % Y.shape[1]] * 1e-3 * (1 + np.arange(len(Y)))[:, None]
    )
    Y = Y + push * radius.max() / len(Y)  # no two centers coincide
    for _ in range(_SWEEPS):
        offset = Y[:, None] - Y[None]
        distance = np.linalg.norm(offset, axis=2)
        overlap = np.maximum(wanted - distance, 0)
        if not overlap.any():
            return Y
        away = np.divide(overlap, distance, out=np.zeros_like(overlap), where=distance > 0)
        Y = Y + 0.5 * (away[:, :, None]
                       * offset).sum(axis=1) / np.maximum((overlap > 0).sum(axis=1), 1)[:, None]
    distance = _between(Y)
    return Y * max(1.0, float((wanted[distance > 0] / distance[distance > 0]).max()))


def _between(Y: NDArray) -> NDArray:
    return np.linalg.norm(Y[:, None] - Y[None], axis=2)


def _place_rest(
    U: NDArray, component: NDArray, embeddings: list[NDArray], distances: Distances | None
) -> NDArray:
    """All rows: those of embedded components from their embeddings,
    the others by inverse distance, never beyond."""
    Z = np.empty((len(U), embeddings[0].shape[1]))
    for c, embedding in enumerate(embeddings):
        Z[component == c] = embedding
    inside = component < len(embeddings)
    if not inside.all():
        Z[~inside] = placed_within(U, inside, Z[inside], distances, rule="idw").coordinates
    return Z
