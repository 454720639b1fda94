"""Locality preserving projections: the linear form of Laplacian eigenmaps."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, ChoosesGraph
from emberscope.embedding.linear.generalized import (
    in_span,
    laplacian_form,
    least_axes,
    ratio_axes,
    weighted_scatter,
)
from emberscope.embedding.linear.linear import Linear, project, weighted_mean
from emberscope.embedding.measured import Measured
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors, affinity
from emberscope.neighbors.spectral import fix_signs

RIDGE = param(
    1e-6, low=0, high=1, group="Embedding", advanced=True, when=("orthogonal", False),
    help="Share of the mean variance added to every direction; more keeps axes away from where "
    "little varies.",
)
ORTHOGONAL = param(
    False, group="Embedding", advanced=True,
    help="Axes at right angles and in feature units; they favor directions in which little varies "
    "at all.",
)


class LPP(Measured, Linear, ChoosesGraph):
    """Straight axes that keep neighbors near: minimize a' X'LX a with a' X'DX a = 1, L = D - W.

    Attributes
    ----------
    components_ : (D, d) float64. Coordinates have variance 1 (weighted with D),
        or orthonormal columns.
    mean_ : (D,), weighted with D. eigenvalues_ : (d,) ascending: the ratios,
        or a' X'LX a where orthogonal.

    Notes
    -----
    He and Niyogi 2003. X is centered (weights D), which takes the constant vector out exactly and
    makes the axes independent of the origin; nothing else is discarded. Directions without variance
    (1e-12) take no part. The ridge is added to both sides, so that a direction of little variance
    has ratio 1 instead of 0: the same as maximizing X'WX against X'DX + ridge. Copies of an
    instance count once.

    Supervision s in [0, 1] weakens an edge between instances of different classes by the factor
    1 - s w_m w_n, with w the weights of their labels: 1 removes the edges between certain labels;
    edges within a class stay. The graph may have several components: they are not joined, and axes
    that tell them apart come first. O(N k D + N D² + D³) after the search.
    """

    takes_classes = True
    n_components: int = N_COMPONENTS
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
    orthogonal: bool = ORTHOGONAL
    ridge: float = RIDGE
    supervision: float = param(
        0.0, low=0, high=1, group="Supervision",
        help="How far edges between different labels are weakened; 0 does not look at labels.",
    )
    state = (*Linear.state, "eigenvalues_")

    @property
    def reads_labels(self) -> bool:
        return self.supervision > 0

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes; labels are looked at only with supervision above 0,
        where they are optional."""
        watch = monitored(monitor)
        labels, weights = None, None
        if isinstance(self.supervision, float | int) and self.supervision > 0:
            X, labels, weights = self._validate_weighted(X, y, bags, labels="optional")
            if labels is None:
                self.notes_.append("There are no labels to use.")
        else:
            X, _ = self._validate(X)
        self._check_rank(X.shape)
        distinct = self._distinct(X, self.n_components, labels)
        U = distinct.select(X)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.5),
                                    self._given_among(distinct))
        W = self._affinity(U, neighbors, Portion(watch, 0.5, 0.6))
        if labels is not None and weights is not None:
            W = self._supervised(W, labels[distinct.rows], _merged(weights, distinct))
        self.mean_, self.components_, self.eigenvalues_ = self._axes(U, W, Portion(watch, 0.6, 0.9))
        self.embedding_ = project(X, self.mean_, self.components_, monitor=Portion(watch, 0.9, 1.0))
        return self

    def _affinity(self, U: NDArray, neighbors: Neighbors, watch: Monitor) -> csr_array:
        watch.step(0.0, "Neighborhood graph")
        graph = self._chosen_graph(U, neighbors, watch, same_weight=self.kernel == "binary")
        self.notes_.extend(graph.notes)
        return affinity(graph, neighbors, kernel=self.kernel, sigma=self.sigma)  # type: ignore[arg-type]

    def _supervised(self, W: csr_array, labels: NDArray, weights: NDArray) -> csr_array:
        W = without_false_edges(W, labels, weights, self.supervision)
        if W.sum() == 0:
            raise DataError(
                "no instance has a neighbor of its own class",
                hint="Choose more neighbors or less supervision."
            )
        return W

    def _axes(self, U: NDArray, W: csr_array, watch: Monitor) -> tuple[NDArray, NDArray, NDArray]:
        degree = np.asarray(W.sum(axis=1)).ravel()
        mean = weighted_mean(U, degree)
        inner, inner_mean, basis = in_span(U, mean)
        spread = weighted_scatter(inner, inner_mean, degree)
        rough = laplacian_form(inner, inner_mean, W, monitor=watch)
        if self.orthogonal:
            values, axes = least_axes(rough, spread, self.n_components)
        else:
            values, axes = ratio_axes(rough, spread, self.n_components, smallest=True,
                                      ridge=self.ridge)
            axes *= np.sqrt(degree.sum())
        return mean, self._padded(axes if basis is None else fix_signs(basis @ axes)), values


def without_false_edges(
    W: csr_array, y: NDArray, weights: NDArray, supervision: float
) -> csr_array:
    """W with edges between different classes weakened by 1 - supervision w_m w_n;
    unknown labels weigh 0.

    y : (N,) classes. weights : (N,) in [0, 1].
    """
    out = W.copy()
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    false = y[rows] != y[W.indices]
    out.data[false] *= 1 - supervision * weights[rows[false]] * weights[W.indices[false]]
    return out


def _merged(weights: NDArray, distinct: Distinct) -> NDArray:
    """The mean weight of the copies of each distinct instance."""
    return np.bincount(distinct.inverse, weights) / distinct.counts
