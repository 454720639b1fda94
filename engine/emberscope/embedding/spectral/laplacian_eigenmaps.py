"""Laplacian eigenmaps: the smoothest eigenvectors of the neighborhood graph."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, PlacedByGraph
from emberscope.embedding.components import COMPONENTS, Part
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.embedding.spectral.modes import (
    MOST_REGRESSORS,
    REPEATS,
    Modes,
    independent,
    laplacian_modes,
    nystroem,
    repetition,
)
from emberscope.neighbors.graph import Neighbors, affinity
from emberscope.neighbors.spectral import localized_axes

SCALE_NEIGHBOR = 7
_NEARLY_APART = 1e-6
_INTERCHANGEABLE = 1e-3
# what is left of an edge between sure, different labels: the graph stays connected
_FAINTEST = 1e-3


class LaplacianEigenmaps(PlacedByGraph):
    """Keep neighbors near: minimize tr(Z' L Z) with Z' D Z = I and Z' D e = 0, L = D - W.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending, of L v = l D v, without the constant vector; in (0, 2]. Of
        L v = l v where not `normalized`.
    modes_ : (d,) int64, which modes the axes are; 0 is the slowest one that is not constant.
    scale_ : (U,). Distance of each distinct instance to its 7th neighbor, the width of its kernel.

    Notes
    -----
    Belkin and Niyogi 2003. Solved as the bottom of I - D^-1/2 W D^-1/2 with sqrt(D) deflated.
    Columns are scaled to weighted variance 1 (weights D). A graph in several components: see
    `components`. With `independent` an axis is accepted only where local linear regression on those
    before it leaves more than 0.3 of it (Dsilva et al. 2018). Supervision s: an edge of affinity w
    between labels of weights a and b gets, with t = s a b, w^(1 - t) within a class (as if it were
    that much shorter) and w (1 - t) between classes, at least w / 1000. New instances: Nystroem,
    z_j(x) = sum_i P(x, i) z_ij / (1 - l_j) with P the row-normalized kernel to the k nearest
    training instances; where components are drawn apart, linear reconstruction. O(N k) per product
    with the graph after the neighbor search, some hundred products; O(N²) on the full graph.

    Not `normalized`: Z' Z = I instead, columns of variance 1, and l / d(x) in place of l for new
    instances, with d(x) the sum of their affinities. An instance of small degree costs little to
    move there, so that few of them may carry an axis, which is noted.
    """

    takes_classes = True
    n_components: int = SPECTRAL_COMPONENTS
    n_neighbors: int = N_NEIGHBORS
    graph: str = GRAPH
    radius: float | None = RADIUS
    kernel: str = param(
        "heat", choices=("heat", "binary"), group="Graph",
        help="Heat: near neighbors count more. Binary: all neighbors count the same.",
    )
    sigma: float | None = param(
        None, low=0, open_low=True, unit="feature distance", group="Graph", advanced=True,
        auto="each instance's distance to its 7th neighbor",
        when=("kernel", "heat"),
        help="Width of the heat kernel exp(-d² / (2 sigma²)).",
    )
    normalized: bool = param(
        True, group="Embedding", advanced=True,
        help="On: instances with many neighbors count more, and none is thrown out alone. Off: all "
        "count the same, as in the plain eigenvectors of the graph.",
    )
    independent: bool = param(
        False, title="Independent axes", group="Embedding",
        help="Skip modes that repeat earlier axes, such as the parabola that a long sheet makes "
        "of its second axis.",
    )
    supervision: float = param(
        0.0, low=0, high=1, group="Supervision",
        help="How far edges within a label are strengthened and others weakened; 0 does not look "
        "at labels.",
    )
    components: str = COMPONENTS
    state = (*PlacedByGraph.state, "eigenvalues_", "modes_", "scale_")

    @property
    def reads_labels(self) -> bool:
        return self.supervision > 0

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are looked at only with supervision above 0,
        where they are optional."""
        watch = monitored(monitor)
        labels, weights = None, None
        if isinstance(self.supervision, float | int) and self.supervision > 0:
            X, labels, weights = self._validate_weighted(X, y, bags, labels="optional")
            if labels is None:
                self.notes_.append("There are no labels to use.")
        else:
            X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components, labels)
        U = distinct.select(X)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.4),
                                    self._given_among(distinct))
        graph = self._joined(U, neighbors, Portion(watch, 0.4, 0.5),
                             same_weight=self.kernel == "binary")
        self.scale_ = _scales(neighbors)

        def embed(part: Part, watch: Monitor) -> NDArray:
            watch.step(0.0, "Neighborhood graph")
            W = affinity(part.graph, part.neighbors, kernel=self.kernel, sigma=self.sigma)  # type: ignore[arg-type]
            if labels is not None and weights is not None:
                sure = np.bincount(distinct.inverse, weights) / distinct.counts
                W = led_by_labels(W, labels[distinct.rows[part.rows]], sure[part.rows],
                                  self.supervision)
            modes = self._modes(W, watch)
            self.eigenvalues_ = modes.values
            self._note_spectrum(modes, float(W.sum()) / W.shape[0])
            return modes.vectors

        Z = self._by_component(
            U, distinct, neighbors, embed, n_components=self.n_components, graph=graph,
            monitor=Portion(watch, 0.5, 1.0)
        )
        return self._finish(X, distinct, Z)

    def transform(self, X: ArrayLike, **options: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d); options are those of
        `Nonlinear.transform`, used instead."""
        if options or (self.components != "bridge" and self.component_.max() > 0):
            return super().transform(X, **options)
        X = self._validate_new(X)
        out = np.empty((len(X), self.coordinates_.shape[1]), X.dtype)
        for part, found, edge in self._in_reach(X, self.n_neighbors, SCALE_NEIGHBOR):
            kernel = np.where(edge, self._kernel(found, _scales(found)), 0.0)
            values = self.eigenvalues_
            if not self.normalized:
                values = values / np.maximum(kernel.sum(axis=1, keepdims=True), 1e-300)
            Z = nystroem(kernel, found.idx, self.coordinates_, values)
            hit = found.dist[:, 0] <= 1e-12 * found.dist[:, -1]
            Z[hit] = self.coordinates_[found.idx[hit, 0]]
            out[part] = Z
        return out

    def _kernel(self, near: Neighbors, scale: NDArray) -> NDArray:
        if self.kernel == "binary":
            return np.ones(near.dist.shape)
        squared = np.square(near.dist.astype(np.float64))
        if self.sigma is not None:
            return np.exp(-squared / (2 * self.sigma**2))
        return np.exp(-squared
                      / np.maximum(scale[:, None] * self.scale_[near.idx], np.finfo(float).tiny))

    def _modes(self, W: csr_array, watch: Monitor) -> Modes:
        m, n = self.n_components, W.shape[0]
        if not self.independent:
            self.modes_ = np.arange(m)
            return laplacian_modes(W, m, normalize=self.normalized, monitor=watch)
        wanted = min(m + 2 * min(m, MOST_REGRESSORS) + 6, n - 1)
        modes = laplacian_modes(W, wanted, normalize=self.normalized, monitor=watch)
        self.modes_, fresh = independent(modes.vectors, m)
        skipped = np.setdiff1d(np.arange(self.modes_[-1]), self.modes_)
        if len(skipped):
            self.notes_.append(f"The axes are modes {_listed(self.modes_)}; {_listed(skipped)} "
                               "repeat earlier ones.")
        if (fresh <= REPEATS).any():
            self.notes_.append("There are not enough independent modes; some axes repeat others.")
        return modes.first(self.modes_)

    def _note_spectrum(self, modes: Modes, degree: float) -> None:
        """degree : the mean one, of the graph."""
        values = modes.values if self.normalized else modes.values / degree
        if not self.normalized:
            self.notes_ += localized_axes(modes.vectors, "try normalized")
        if not modes.converged:
            self.notes_.append("The axes are approximate: the eigenvectors did not converge.")
        if values[0] < _NEARLY_APART:
            self.notes_.append("The graph nearly falls apart: the first axis separates parts with "
                               "hardly any edges.")
        for i in np.flatnonzero(np.diff(values) < _INTERCHANGEABLE * values[:-1]):
            self.notes_.append(f"Axes {i + 1} and {i + 2} are interchangeable: their eigenvalues "
                               "agree.")
        if not self.independent and 1 < self.n_components <= 3:
            for j in np.flatnonzero(repetition(modes.vectors) <= REPEATS):
                self.notes_.append(f"Axis {j + 1} only repeats earlier ones: try independent axes.")


def led_by_labels(W: csr_array, y: NDArray, weights: NDArray, supervision: float) -> csr_array:
    """Affinities with edges within a class strengthened and edges between classes weakened;
    see `LaplacianEigenmaps`.

    y : (N,) int, 0 = unknown. weights : (N,) in [0, 1].
    """
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    known = (y[rows] != 0) & (y[W.indices] != 0)
    t = np.where(known, supervision * weights[rows] * weights[W.indices], 0.0)
    same = y[rows] == y[W.indices]
    out = W.copy()
    out.data = np.where(same, W.data ** (1 - t), W.data * np.maximum(1 - t, _FAINTEST))
    return out


def _scales(neighbors: Neighbors) -> NDArray:
    return neighbors.dist[:, min(SCALE_NEIGHBOR, neighbors.k) - 1].astype(np.float64)


def _listed(modes: NDArray) -> str:
    return ", ".join(str(j + 1) for j in modes)
