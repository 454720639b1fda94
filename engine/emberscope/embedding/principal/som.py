"""Self-organizing map: a lattice of prototypes in the order of the data."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.distance.pairs import squared_distances
from emberscope.embedding.linear.linear import read_coordinates
from emberscope.embedding.novelty import KeepsKnown
from emberscope.embedding.principal.lattice import (
    Lattice,
    lattice,
    nearest_nodes,
    on_principal_plane,
    sides,
    sums_per_node,
)

_LAST_WIDTH = 0.5  # lattice units
_SHARED = 3  # nodes that place an instance


class SOM(KeepsKnown):
    """Lay a lattice of prototypes into the data so that neighbors on the lattice are alike.

    Attributes
    ----------
    prototypes_ : (K, D). places_ : (K, d) lattice coordinates. shape_ : (d,) nodes per side.
    distance_ : (N,) quantization error, how far each instance is from its prototype:
        large = unlike the map.
    node_ : (N,) int64. hits_ : (K,) instances per node. u_matrix_ : (K,) mean distance to the
        lattice neighbors: ridges between clusters. topographic_error_ : float, share of instances
        whose two nearest nodes do not touch.
    history_ : (epochs,) mean quantization error.

    Notes
    -----
    Kohonen 1990, batch version (neighborhoods are measured on the lattice; eq 2-79 of McCurley 2020
    reuses the symbol of the weights). Start on the principal plane, so nothing is random; the
    neighborhood shrinks exponentially from half the longest side to 0.5. An instance lies between
    its 3 nearest nodes, weighted by exp(-(d_i² - d_1²) / t), t the mean of d_3² - d_1², so that
    instances do not pile up on nodes. `inverse_transform` interpolates the prototypes. O(N K D) per
    epoch.
    """

    n_components: int = replace(N_COMPONENTS, high=3)
    n_nodes: int | None = param(
        None, low=4, high=10_000, title="Nodes", group="Lattice",
        auto="5 times the root of the number of instances, 16 to 1600",
        help="Prototypes of the lattice in all.",
    )
    topology: str = param(
        "rectangle", choices=("rectangle", "hexagon", "torus"), group="Lattice",
        help="Which nodes are neighbors: 4, 6, or 4 with opposite edges joined.",
    )
    n_epochs: int = param(
        40, low=1, high=1000, title="Epochs", group="Computation",
        help="Passes over the instances while the neighborhood shrinks.",
    )
    state = ("prototypes_", "places_", "shape_", "temperature_", "distance_", "node_", "hits_",
             "u_matrix_", "topographic_error_", "history_", "mean_", "scale_", "known_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Order the prototypes; labels are ignored.
        Raises DataError where all instances are the same."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        self.scale_ = float(np.sqrt(X.var(axis=0, dtype=np.float64).sum()))
        if self.scale_ == 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        self._keep(X)
        X = self._scaled(X)
        wanted = self.n_nodes or int(np.clip(5 * np.sqrt(len(X)), 16, 1600))
        grid = lattice(sides(X, wanted, self.n_components))
        self.shape_ = np.array(grid.shape)
        standing = self._standing(grid)
        apart = self._apart(standing)
        W = on_principal_plane(X, grid)
        widths = np.geomspace(max(max(grid.shape) / 2, _LAST_WIDTH), _LAST_WIDTH, self.n_epochs)
        errors = []
        for epoch, width in enumerate(widths):
            watch.step(0.9 * epoch / self.n_epochs, f"Epoch {epoch + 1} of {self.n_epochs}")
            node, dist = nearest_nodes(X, W)
            errors.append(float(np.sqrt(dist).mean()))
            counts, sums = sums_per_node(X, node[:, 0], len(W))
            H = np.exp(-apart / (2 * width**2))
            W = (H @ sums) / np.maximum(H @ counts, np.finfo(np.float64).tiny)[:, None]
        self.history_ = np.array(errors) * self.scale_
        self._describe(X, W, standing, apart)
        self.prototypes_ = W * self.scale_ + self.mean_
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Lattice coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        W = (self.prototypes_ - self.mean_) / self.scale_
        return self._between(
            *nearest_nodes(self._scaled(X), W, min(_SHARED, len(W)))
        ).astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> NDArray:
        """Features at places of the map, (M, d) -> (M, D):
        from the 4 nearest nodes by inverse squared distance."""
        Z = read_coordinates(Z, self.embedding_.shape[1])
        node, dist = nearest_nodes(Z, self.places_, min(4, len(self.places_)))
        weight = 1 / (dist + 1e-6)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("mk,mkd->md", weight, self.prototypes_[node]).astype(self.embedding_.dtype)

    def _scaled(self, X: NDArray) -> NDArray:
        return ((X - self.mean_) / self.scale_).astype(X.dtype)

    def _standing(self, grid: Lattice) -> NDArray:
        """(K, d) places of the nodes; every second row of a hexagonal lattice is shifted by
        half."""
        places = grid.places.copy()
        if self.topology == "hexagon" and places.shape[1] > 1:
            places[:, 0] += 0.5 * (places[:, 1] % 2)
            places[:, 1] *= np.sqrt(0.75)
        return places

    def _apart(self, places: NDArray) -> NDArray:
        """(K, K) squared lattice distances; around the edges on a torus."""
        steps = np.abs(places[:, None] - places)
        if self.topology == "torus":
            steps = np.minimum(steps, self.shape_ - steps)
        return np.square(steps).sum(axis=2)

    def _describe(self, X: NDArray, W: NDArray, standing: NDArray, apart: NDArray) -> None:
        node, dist = nearest_nodes(X, W, min(_SHARED, len(W)))
        self.node_, self.distance_ = node[:, 0].copy(), np.sqrt(dist[:, 0]) * self.scale_
        self.temperature_ = float(max((dist[:, -1] - dist[:, 0]).mean(), np.finfo(np.float64).tiny))
        self.hits_ = np.bincount(self.node_, minlength=len(W))
        self.topographic_error_ = float((apart[node[:, 0], node[:, 1]] > 2.01).mean())
        touching = (apart > 0) & (apart < 1.01)
        far = np.sqrt(squared_distances(W, W, same=True)) * self.scale_
        self.u_matrix_ = (far * touching).sum(axis=1) / np.maximum(touching.sum(axis=1), 1)
        self.places_ = standing
        self.places_ = standing - self._between(node, dist).mean(axis=0)
        self.embedding_ = self._between(node, dist).astype(X.dtype)
        if self.topographic_error_ > 0.2:
            share = f"{self.topographic_error_:.0%}"
            self.notes_.append(f"For {share} of the instances the two nearest nodes do not touch: "
                               "the map is folded.")

    def _between(self, node: NDArray, dist: NDArray) -> NDArray:
        weight = np.exp(-(dist - dist[:, :1]) / self.temperature_)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("nk,nkd->nd", weight, self.places_[node])
