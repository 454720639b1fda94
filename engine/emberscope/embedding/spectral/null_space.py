"""Base of LLE, modified LLE, Hessian LLE and LTSA:
the bottom eigenvectors of a sum of local misfits."""

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.embedding.out_of_sample import placed_within, reconstruct
from emberscope.embedding.rectify import rectify
from emberscope.neighbors.graph import Graph, Neighbors, knn, neighborhood_graph
from emberscope.neighbors.spectral import bottom_eigenpairs, localized_axes

_WHOLE = 100_000  # instances above which not even the matrix is built
_SUBSET = 10_000


class NullSpaceMethod(Measured, GraphMethod):
    """Base of methods that minimize local misfits: a subclass writes `_misfit`, and
    `_least_neighbors`, how many it needs.

    Given distances say which instances are neighbors;
    what is kept of a neighborhood comes from its rows of X.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending. Misfit left on each axis before rectification; 0 = none.
    stretch_ : (d,) largest first, what rectification multiplied the axes of variance 1 by;
        ones where it is off.
    """

    state: ClassVar[tuple[str, ...]] = (*GraphMethod.state, "eigenvalues_", "stretch_")
    n_components: int = SPECTRAL_COMPONENTS
    n_neighbors: int | None = param(
        None, low=1, high=2000, title=N_NEIGHBORS.title, group=N_NEIGHBORS.group,
        auto="12, more for 3 and more dimensions where the method needs them",
        help="Neighbors of each instance. Enough to show its surroundings, too few to reach "
        "across a fold.",
    )
    rectify: bool = param(
        True, title="Axes with units", group="Embedding",
        help="Stretch the embedding so that neighbors are as far apart as in the features; where "
        "that would part neighbors, all axes get one scale. Off: every axis has variance 1.",
    )
    components: str = COMPONENTS

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        self._require(U)
        wanted, given = self._wanted_neighbors(), self._given_among(distinct)
        neighbors = self._neighbors(U, wanted, Portion(watch, 0.0, 0.3), given)
        graph = self._graph(U, neighbors, joined=self.components == "bridge",
                            watch=Portion(watch, 0.3, 0.35))
        Z = self._by_component(
            U, distinct, neighbors, self._embed, n_components=self.n_components, graph=graph,
            units=self.rectify, monitor=Portion(watch, 0.35, 1.0),
        )
        return self._finish(X, distinct, Z)

    @abstractmethod
    def _misfit(self, part: Part, watch: Monitor) -> csr_array:
        """The matrix M whose quadratic form z' M z is how badly coordinates z fit,
        zero for constants. The lists of `part` hold its bridges."""

    def _graph(
        self, X: NDArray, neighbors: Neighbors, *, joined: bool, watch: Monitor
    ) -> Graph | None:
        """The graph of rows X (n, D) where it is not the plain one of their lists."""
        return None

    @abstractmethod
    def _least_neighbors(self) -> int:
        """Neighbors below which the misfit says nothing about n_components dimensions."""

    def _wanted_neighbors(self) -> int:
        least = self._least_neighbors()
        if self.n_neighbors is None:
            return max(12, least + 2)
        if self.n_neighbors < least:
            self.notes_.append(
                f"k was raised from {self.n_neighbors} to {least}, the least that "
                f"{self.n_components} dimensions need."
            )
        return max(self.n_neighbors, least)

    def _least_instances(self) -> int:
        return self._least_neighbors() + 1

    def _require(self, U: NDArray) -> None:
        if len(U) < self._least_instances():
            raise DataError(
                f"{self.n_components} dimensions need {self._least_instances()} different "
                "instances, "
                f"n_samples = {len(U)}",
                hint="Give more instances or choose fewer dimensions.",
            )

    def _embed(self, part: Part, watch: Monitor) -> NDArray:
        if len(part.X) > _WHOLE:
            return self._embed_subset(part.X, part.neighbors.k, watch)
        notes = list(self.notes_)
        Z, converged = self._solve(part, Portion(watch, 0.0, 0.7))
        if converged or len(part.X) <= _SUBSET:
            return Z
        self.notes_ = notes
        return self._embed_subset(part.X, part.neighbors.k, Portion(watch, 0.7, 1.0))

    def _solve(self, part: Part, watch: Monitor) -> tuple[NDArray, bool]:
        X = part.X
        neighbors = with_bridges(X, part.neighbors, part.graph.bridges)
        M = self._misfit(replace(part, neighbors=neighbors), Portion(watch, 0.0, 0.3))
        inside = M.diagonal() > 0
        n = int(inside.sum())
        if n < len(X):
            M = csr_array(M[inside][:, inside])
        constant = np.full((n, 1), n**-0.5)
        found = bottom_eigenpairs(M, self.n_components, deflate=constant,
                                  monitor=Portion(watch, 0.3, 1.0))
        self.eigenvalues_ = found.values
        Z = self._place_others(X, inside, found.vectors * np.sqrt(n), neighbors)
        self.stretch_ = np.ones(self.n_components)
        if self.rectify:
            units = rectify(Z, neighbors)
            Z, self.stretch_ = units.coordinates, units.stretch
            if self.n_components > 1:
                self.notes_.append(units.note)
        self.notes_.extend(localized_axes(Z, "try more neighbors"))
        if not found.converged:
            self.notes_.append("The axes are approximate: the eigenvectors did not converge.")
        return Z, found.converged

    def _place_others(
        self, X: NDArray, inside: NDArray, Z: NDArray, neighbors: Neighbors
    ) -> NDArray:
        """Add to Z (n, d) the instances of which the misfit says nothing,
        placed by their neighbors."""
        if inside.all():
            return Z
        out = np.empty((len(X), Z.shape[1]))
        others = placed_within(X, inside, Z, neighbors.distances,
                               n_neighbors=min(neighbors.k, len(Z)))
        out[inside], out[~inside] = Z, others.coordinates
        count = len(X) - len(Z)
        self.notes_.append(f"{count} instance{'s' * (count > 1)} that no other has for a neighbor: "
                           "placed by theirs.")
        return out

    def _embed_subset(self, X: NDArray, k: int, watch: Monitor) -> NDArray:
        """A random part is embedded, the rest placed by it:
        the whole problem is beyond a factorization."""
        rows = np.sort(np.random.default_rng(0).choice(len(X), _SUBSET, replace=False))
        some = np.ascontiguousarray(X[rows])
        neighbors = knn(some, k, monitor=Portion(watch, 0.0, 0.2))
        graph = self._graph(some, neighbors, joined=True, watch=Portion(watch, 0.2, 0.2))
        part = Part(rows, some, neighbors, graph or neighborhood_graph(some, neighbors))
        Z, _ = self._solve(part, Portion(watch, 0.2, 0.7))
        self.notes_.append(f"{_SUBSET} random instances were embedded, the others placed by "
                           "neighbors among them.")
        rest = np.setdiff1d(np.arange(len(X)), rows)
        out = np.empty((len(X), self.n_components))
        out[rows] = Z
        out[rest] = reconstruct(some, Z, X[rest], n_neighbors=k,
                                monitor=Portion(watch, 0.7, 1.0)).coordinates
        return out


def with_bridges(X: NDArray, neighbors: Neighbors, bridges: NDArray) -> Neighbors:
    """Lists in which the two ends of every bridge are neighbors:
    each takes the place of the farthest ones.

    `bridges` : (b, 2) pairs of rows.
    """
    if not len(bridges):
        return neighbors
    idx, dist = neighbors.idx.copy(), neighbors.dist.copy()
    for row in np.unique(bridges):
        there = np.concatenate([bridges[bridges[:, 0] == row, 1], bridges[bridges[:, 1] == row, 0]])
        there = np.setdiff1d(there, idx[row])[: neighbors.k]
        if not len(there):
            continue
        idx[row, -len(there) :] = there
        if neighbors.distances is None:
            dist[row] = np.linalg.norm(X[idx[row]] - X[row], axis=1)
        else:
            dist[row] = neighbors.distances.of(np.full(neighbors.k, row), idx[row])
        order = np.lexsort((idx[row], dist[row]))
        idx[row], dist[row] = idx[row][order], dist[row][order]
    return Neighbors(idx, dist, neighbors.recall, neighbors.distances)
