"""Elastic map: a sheet of springs through the middle of the data."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.linear import check_rank, read_coordinates
from emberscope.embedding.linear.pca import principal_axes
from emberscope.embedding.principal.elastic import Projection, project, relax, smooth_places
from emberscope.embedding.principal.lattice import Lattice, lattice, on_principal_plane, sides

_ANNEALING = (1000.0, 100.0, 10.0, 1.0)  # times the stiffness asked for

STRETCH = param(
    0.01, low=0, high=1e6, group="Net",
    help="Resistance to stretching; more keeps the nodes together.",
)
BEND = param(
    1.0, low=0, high=1e12, group="Net",
    help="Resistance to bending; very much leaves a plane, very little follows the noise.",
)


class ElasticNet(Embedder):
    """Base of methods that lay an elastic net of dimension `sheet` through the data and unroll it.

    Attributes
    ----------
    prototypes_ : (K, D) nodes. shape_ : nodes per side.
    steps_ : (sheet,) mean length of a net edge along each axis.
    center_ : (sheet,) the embedding is centered on the training instances.
    distance_ : (N,) of each training instance to the net, units of X: large = its place is
    doubtful. rest_mean_ (D,), rest_axes_ (D, d - sheet) : further axes, of what the net leaves
    over. history_ : energies of the last stage, never rising.
    """

    sheet: ClassVar[int] = 2
    n_components: int
    n_nodes: int | None
    stretch: float
    bend: float
    prototypes_: NDArray = not_a_param()
    shape_: NDArray = not_a_param()
    steps_: NDArray = not_a_param()
    rest_mean_: NDArray = not_a_param()
    rest_axes_: NDArray = not_a_param()
    center_: NDArray = not_a_param()
    state: ClassVar[tuple[str, ...]] = (
        "prototypes_", "shape_", "steps_", "distance_", "rest_mean_", "rest_axes_", "history_",
        "scale_", "center_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Bring the net to rest, from stiff to soft; labels are ignored.

        Raises DataError where all instances are the same.
        """
        watch = monitored(monitor)
        X, _ = self._validate(X)
        check_rank(self.n_components, X.shape)
        self.scale_ = float(np.sqrt(X.var(axis=0, dtype=np.float64).sum()))
        if self.scale_ == 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        d = min(self.sheet, self.n_components)
        grid = lattice(sides(X, self._nodes(len(X)), d))
        self.shape_ = np.array(grid.shape)
        mean = X.mean(axis=0, dtype=np.float64)
        scaled = ((X - mean) / self.scale_).astype(X.dtype)
        W = on_principal_plane(scaled, grid)
        for stage, times in enumerate(_ANNEALING):
            part = Portion(watch, 0.9 * stage / len(_ANNEALING),
                           0.9 * (stage + 1) / len(_ANNEALING))
            stretch, bend = self.stretch * min(times, 10.0), self.bend * times
            W, energies = relax(scaled, W, grid, stretch=stretch, bend=bend, monitor=part)
            part.partial(project(scaled, W, grid).places.astype(X.dtype))
        self.prototypes_, self.history_ = W * self.scale_ + mean, np.array(energies)
        watch.step(0.92, "Places on the net")
        self._describe(X, grid)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d): projection onto the net. Exact."""
        X = self._validate_new(X)
        return self._coordinates(X, self._on_smooth_net(X, self._grid())).astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """Features at places of the map, (M, d) -> (M, D);
        beyond its edge the net goes on straight."""
        Z = read_coordinates(Z, self.embedding_.shape[1])
        s = self.sheet_dimension
        X = self._on_net(self._lattice_of(Z[:, :s] + self.center_)) + Z[:, s:] @ self.rest_axes_.T
        if self.rest_axes_.shape[1]:
            X += self.rest_mean_
        return X.astype(self.embedding_.dtype)

    @property
    def sheet_dimension(self) -> int:
        """1 of a curve, 2 of a sheet."""
        return len(self.shape_)

    def _nodes(self, n: int) -> int:
        return self.n_nodes or int(np.clip(5 * np.sqrt(n), 16, 625))

    def _grid(self) -> Lattice:
        return lattice(tuple(int(side) for side in self.shape_))

    def _describe(self, X: NDArray, grid: Lattice) -> None:
        lengths = np.linalg.norm(np.diff(self.prototypes_[grid.edges], axis=1)[:, 0], axis=1)
        axis = np.abs(np.diff(grid.places[grid.edges], axis=1)[:, 0]).argmax(axis=1)
        self.steps_ = np.array([lengths[axis == a].mean() for a in range(len(grid.shape))])
        found = self._on_smooth_net(X, grid)
        self.distance_ = found.distance
        rest = self._rest(X, found)
        self.rest_mean_ = rest.mean(axis=0, dtype=np.float64)
        further = self.n_components - len(grid.shape)
        self.rest_axes_ = principal_axes(rest, self.rest_mean_,
                                         further)[1] if further else np.empty((X.shape[1], 0))
        if further:
            self.notes_.append(f"Axes from {len(grid.shape) + 1} on are principal components of "
                               "what the net leaves.")
        self.center_ = self._unrolled(found.places).mean(axis=0)
        self.embedding_ = self._coordinates(X, found).astype(X.dtype)

    def _on_smooth_net(self, X: NDArray, grid: Lattice) -> Projection:
        found = project(X, self.prototypes_, grid)
        return replace(found, places=smooth_places(X, self.prototypes_, grid, found))

    def _rest(self, X: NDArray, found: Projection) -> NDArray:
        """(N, D) from the net to each instance."""
        nodes = self._grid().simplices[found.simplex]
        return X - np.einsum("nk,nkd->nd", found.weights, self.prototypes_[nodes])

    def _coordinates(self, X: NDArray, found: Projection) -> NDArray:
        on = self._unrolled(found.places) - self.center_
        if not self.rest_axes_.shape[1]:
            return on
        return np.hstack([on, (self._rest(X, found) - self.rest_mean_) @ self.rest_axes_])

    def _unrolled(self, places: NDArray) -> NDArray:
        """Lattice coordinates in units of X."""
        return places * self.steps_

    def _lattice_of(self, Z: NDArray) -> NDArray:
        return Z / np.where(self.steps_ > 0, self.steps_, 1.0)

    def _on_net(self, places: NDArray) -> NDArray:
        """(M, D) features at lattice coordinates, linear in each cell,
        going on straight beyond the edge."""
        cell = np.clip(np.floor(places), 0, self.shape_ - 2).astype(np.int64)
        t = places - cell
        nodes = self.prototypes_.reshape(*(int(side) for side in self.shape_), -1)
        if len(self.shape_) == 1:
            return nodes[cell[:, 0]] * (1 - t) + nodes[cell[:, 0] + 1] * t
        (i, j), (a, b) = cell.T, t.T[:, :, None]
        # The triangles of `lattice`: below the diagonal of a cell, and above it.
        low = nodes[i, j] * (1 - a) + nodes[i + 1, j] * (a - b) + nodes[i + 1, j + 1] * b
        high = nodes[i, j] * (1 - b) + nodes[i + 1, j + 1] * a + nodes[i, j + 1] * (b - a)
        return np.where(a >= b, low, high)


class ElasticMap(ElasticNet):
    """A sheet of springs laid through the middle of the data;
    instances are projected onto it and it is flattened.

    The embedding has units of the features. `inverse_transform` gives the features at any point of
    the map, for instance a synthetic chip. Axes beyond the second are principal components of what
    the sheet leaves over.

    Attributes
    ----------
    Those of `ElasticNet`.

    Notes
    -----
    Gorban and Zinovyev 2008. X is scaled to total variance 1, energies are means over instances,
    edges and ribs, so that `stretch` and `bend` mean the same for all data. Four stages from stiff
    to soft (bend times 1000, 100, 10, 1). Instances are projected onto triangles, not onto nodes,
    and moved along the smoothed tangents, so that those beyond a bend or the border do not share a
    spot. With a very large `bend` it is the principal plane. Nothing is random. O(N K D + K³) per
    round.
    """

    n_components: int = replace(N_COMPONENTS, high=64)
    n_nodes: int | None = param(
        None, low=4, high=2000, title="Nodes", group="Net",
        auto="5 times the root of the number of instances, 16 to 625",
        help="Nodes of the net in all.",
    )
    stretch: float = STRETCH
    bend: float = BEND
