"""Diffusion maps: how far apart instances are for a random walk on the neighborhood graph."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, PlacedByGraph
from emberscope.embedding.components import COMPONENTS, Part
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.embedding.spectral.modes import laplacian_modes, nystroem
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import Neighbors, affinity

# tried, as multiples of the median distance to the nearest neighbor
_WIDTHS = np.exp2(np.arange(-40, 41) / 4)
_QUERIES = 200
_BINS = 4000
_ROWS = 4096
_FADED = 0.1  # first mode left out, against the slowest, with t auto
_LONGEST = 64
# of the median density: a pair of instances far from all others does not draw the walk to itself
_FAINTEST = 1e-30
_SPARSEST = 1e-3
_REACH = 2.0  # the farthest neighbor is typically this many sigma away


class DiffusionMaps(PlacedByGraph):
    """Coordinates whose Euclidean distances are those of t steps of a random walk:
    Z_j = mu_j^t psi_j.

    Attributes
    ----------
    eigenvalues_ : (d,) descending, mu of the walk, without the constant one.
        t_ : int, steps. sigma_ : float, width.
    dimension_ : float, estimate of the intrinsic dimension by the sigma rule;
        nan where sigma was given.
    density_ : (U,) row sums of the affinities before they are normalized,
        at least 1e-3 of their median.

    Notes
    -----
    Coifman and Lafon 2006, with the power t and the density normalization. W_a = Q^-a W Q^-a with Q
    the row sums; P = D^-1 W_a; psi its right eigenvectors with sum pi psi² = 1, pi the stationary
    distribution. alpha 1: the shape whatever the sampling; 0: Laplacian eigenmaps with axes scaled
    by mu. Sigma: maximum of d log S / d log sigma, S the sum of the kernel over pairs (200
    instances against all), which is the dimension estimate (Coifman, Shkolnisky, Sigworth and
    Singer 2008); at most half of the length at which the graph cuts the kernel off: the median
    distance to the k-th neighbor, the radius, none on the full graph. t auto: the first mode left
    out has faded to a tenth of the slowest.
    Instances are no neighbors of themselves, as in Laplacian eigenmaps. New instances: Nystroem
    with the same density normalization. Cost as Laplacian eigenmaps with more neighbors.
    """

    n_components: int = SPECTRAL_COMPONENTS
    n_neighbors: int = replace(N_NEIGHBORS, default=64)
    graph: str = GRAPH
    radius: float | None = RADIUS
    alpha: float = param(
        1.0, low=0, high=1, title="Density normalization", group="Graph",
        help="1: dense regions count no more than sparse ones. 0: they draw the walk to them.",
    )
    sigma: float | None = param(
        None, low=0, open_low=True, unit="feature distance", group="Graph", advanced=True,
        auto="where the sum of the kernel grows fastest",
        help="Width of the heat kernel exp(-d² / (2 sigma²)).",
    )
    t: int | None = param(
        1, low=0, high=1000, title="Steps t", group="Embedding",
        auto="until the first mode left out has faded",
        help="Steps of the random walk; more steps shrink fast modes, and only these.",
    )
    components: str = COMPONENTS
    state = (*PlacedByGraph.state, "eigenvalues_", "t_", "sigma_", "dimension_", "density_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.4),
                                    self._given_among(distinct))
        graph = self._joined(U, neighbors, Portion(watch, 0.4, 0.5))
        self._choose_width(U, neighbors, Portion(watch, 0.5, 0.55))
        self.density_ = np.ones(len(U))
        Z = self._by_component(
            U, distinct, neighbors, self._embed, n_components=self.n_components, graph=graph,
            monitor=Portion(watch, 0.55, 1.0)
        )
        return self._finish(X, distinct, Z)

    def _choose_width(self, U: NDArray, neighbors: Neighbors, watch: Monitor) -> None:
        self.dimension_ = float("nan")
        if self.sigma is not None:
            self.sigma_ = float(self.sigma)
            return
        typical = float(np.median(neighbors.dist[:, 0]))
        width, self.dimension_ = kernel_width(U, typical, distances=neighbors.distances,
                                              monitor=watch)
        self.sigma_ = min(width, self._longest_edge(neighbors) / _REACH)
        self.notes_.append(f"The kernel sum grows like that of {self.dimension_:.2g} dimensions.")

    def _longest_edge(self, neighbors: Neighbors) -> float:
        """How far edges of the graph typically reach."""
        if self.graph == "full":
            return float("inf")
        return self.radius_ if self.graph == "radius" else float(np.median(neighbors.dist[:, -1]))

    def _embed(self, part: Part, watch: Monitor) -> NDArray:
        watch.step(0.0, "Neighborhood graph")
        W = affinity(part.graph, part.neighbors, sigma=self.sigma_)
        # an edge so long that its weight vanishes joins no longer: an eigenvector grows without end
        W.data = np.maximum(W.data, _FAINTEST)
        density = np.asarray(W.sum(axis=1)).ravel()
        density = np.maximum(density, _SPARSEST * np.median(density))
        self.density_[part.rows] = density
        m = self.n_components
        modes = laplacian_modes(density_normalized(W, density, self.alpha),
                                min(m + 1, len(density) - 1), monitor=watch)
        if not modes.converged:
            self.notes_.append("The axes are approximate: the eigenvectors did not converge.")
        mu = 1 - modes.values
        self.t_ = faded_after(mu, m) if self.t is None else int(self.t)
        self.eigenvalues_ = mu[:m]
        if self.t is None:
            self.notes_.append(f"The walk takes {self.t_} steps.")
        return modes.vectors[:, :m] * np.abs(mu[:m]) ** self.t_ * np.where(
            mu[:m] < 0, (-1.0) ** self.t_, 1.0
        )

    def transform(self, X: ArrayLike, **options: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d); options are those of
        `Nonlinear.transform`, used instead."""
        if options or (self.components != "bridge" and self.component_.max() > 0):
            return super().transform(X, **options)
        X = self._validate_new(X)
        out = np.empty((len(X), self.coordinates_.shape[1]), X.dtype)
        for part, found, edge in self._in_reach(X, self.n_neighbors):
            kernel = np.exp(-np.square(found.dist.astype(np.float64)) / (2 * self.sigma_**2))
            kernel = np.where(edge, kernel, 0.0) / self.density_[found.idx] ** self.alpha
            Z = nystroem(kernel, found.idx, self.coordinates_, 1 - self.eigenvalues_)
            hit = found.dist[:, 0] <= 1e-12 * found.dist[:, -1]
            Z[hit] = self.coordinates_[found.idx[hit, 0]]
            out[part] = Z
        return out


def density_normalized(W: csr_array, density: NDArray, alpha: float) -> csr_array:
    """Q^-alpha W Q^-alpha. `density` : (N,), the diagonal of Q."""
    out = W.copy()
    factor = density**-alpha
    out.data = W.data * np.repeat(factor, np.diff(W.indptr)) * factor[W.indices]
    return out


def kernel_width(
    X: NDArray, typical: float, *, distances: Distances | None = None,
    monitor: Monitor | None = None
) -> tuple[float, float]:
    """The sigma at which the sum of exp(-d² / (2 sigma²)) grows fastest, and how fast:
    the intrinsic dimension.

    X : (N, D). typical : a short distance to start from, above 0. The pairs are those of 200 rows,
    evenly spaced in X order, with all rows, themselves included; their squared distances are
    counted in 4000 logarithmic bins.
    distances : in place of those between rows of X.
    """
    chosen = np.linspace(0, len(X) - 1, min(_QUERIES, len(X))).astype(np.int64)
    center = X.mean(axis=0, dtype=np.float64)
    Q = X[chosen].astype(np.float64) - center
    low, high = np.log(typical) - 14.0, np.log(typical) + 14.0
    counts = np.zeros(_BINS)
    for rows in slices(len(X), _ROWS, monitor, "Kernel width"):
        if distances is None:
            part = X[rows].astype(np.float64) - center
            squared = (
                np.square(Q).sum(axis=1)[:, None] + np.square(part).sum(axis=1) - 2 * Q @ part.T
            )
        else:
            squared = distances.squared[chosen, rows].astype(np.float64)
        place = (0.5 * np.log(np.maximum(squared, 1e-300)) - low) / (high - low) * _BINS
        counts += np.bincount(np.clip(place, 0, _BINS - 1).astype(np.int64).ravel(),
                              minlength=_BINS)
    squared = np.exp(2 * (low + (np.arange(_BINS) + 0.5) / _BINS * (high - low)))
    squared[0] = 0.0
    widths = typical * _WIDTHS
    sums = np.log(np.exp(-squared / (2 * widths[:, None] ** 2)) @ counts)
    slope = np.gradient(sums, np.log(widths))
    best = int(slope.argmax())
    return float(widths[best]), float(slope[best])


def faded_after(mu: NDArray, m: int) -> int:
    """Steps after which mode m has faded to a tenth of the slowest one, 1 to 64.
    `mu` : (modes,), descending."""
    if len(mu) <= m or mu[m] <= 0 or mu[0] <= 0:
        return 1
    pace = np.log(mu[0] / mu[m])
    return int(np.clip(np.ceil(-np.log(_FADED) / max(pace, 1e-12)), 1, _LONGEST))
