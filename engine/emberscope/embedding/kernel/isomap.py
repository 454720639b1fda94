"""Isomap: classical MDS of shortest-path distances on the neighborhood graph."""

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_NEIGHBORS, RANDOM_STATE, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS
from emberscope.embedding.components import COMPONENTS, GraphMethod, Part
from emberscope.embedding.distance.landmark_mds import Triangulation, landmark_scaling
from emberscope.embedding.distance.mds import classical_scaling, negative_mass
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS
from emberscope.neighbors.chosen import Edges, GraphChoice, chosen_edges
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.geodesics import geodesics, landmarks
from emberscope.neighbors.graph import Graph, Neighbors
from emberscope.neighbors.short_circuits import short_circuits

EXACT_LIMIT = 5000
LANDMARKS = 300
_AXES = 10  # dimensions whose residual variance is stated
_PAIRS = 300_000
_SAMPLE = 500
_FAINT = 1e-3
_BYTES = 4 << 30
_CHUNK = 1 << 22

N_LANDMARKS = param(
    None, low=10, high=5000, title="Landmarks", group="Computation",
    help="Instances the shortest paths start from; fewer is faster and rougher.",
)


class AlongGraph(Measured, GraphMethod):
    """Base of `Isomap` and `LandmarkIsomap`, which say how many instances the paths start from."""

    takes_classes = True
    n_components: int = SPECTRAL_COMPONENTS
    n_neighbors: int = replace(N_NEIGHBORS, default=10)
    graph: str = replace(
        GRAPH, choices=("knn", "mutual", "radius"),
        help="knn: where either instance lists the other among its k nearest. Mutual: where both "
        "do. Radius: all pairs nearer than the radius.",
    )
    radius: float | None = RADIUS
    conformal: bool = param(
        False, title="Even out density", group="Graph", advanced=True,
        help="C-Isomap: measure edges in units of the distances around them, for data that is "
        "stretched in places.",
    )
    drop_short_circuits: bool = param(
        False, title="Remove short circuits", group="Graph", advanced=True,
        help="Leave out edges that jump between folds of the data; off: they are only reported.",
    )
    n_landmarks: int | None
    random_state: int
    state: ClassVar[tuple[str, ...]] = (
        *GraphMethod.state, "eigenvalues_", "residual_variance_", "negative_mass_",
        "short_circuits_", "landmarks_",
        "mean_delta_", "map_", "offset_", "scale_", "graph_indptr_", "graph_indices_",
        "graph_lengths_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates. Raises TooLarge where the paths from the landmarks exceed 4 GB."""
        watch = monitored(monitor)
        X, labels = self._validate(X, y, bags,
                                   labels="optional" if self.reads_labels else "ignored")
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        self._check_size(len(U), X.dtype)
        neighbors, graph = self._graph(U, distinct, self._given_among(distinct), watch)
        self._forget_map()
        y = None if labels is None else labels[distinct.rows]
        Z = self._by_component(
            U, distinct, neighbors, partial(self._embed, y), n_components=self.n_components,
            graph=graph, units=True, monitor=Portion(watch, 0.45, 1.0),
        )
        if self.component_.any() and self.components != "bridge":
            self._forget_map()
        return self._finish(X, distinct, Z)

    def transform(self, X: ArrayLike, **reconstruction: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d), by the paths to the landmarks.

        With a `rule` or `n_neighbors` given, or where the graph was not joined:
        `out_of_sample.reconstruct`.
        """
        if reconstruction or not len(getattr(self, "map_", ())):
            return super().transform(X, **reconstruction)
        X = self._validate_new(X)
        found = self._nearest_known(X, min(self.n_neighbors, len(self.instances_)))
        known = found.dist[:, 0] == 0
        Z = self.coordinates_[found.idx[:, 0]].astype(np.float64)
        if not known.all():
            Z[~known] = self._placed(Neighbors(found.idx[~known], found.dist[~known]))
        return Z.astype(X.dtype)

    def _graph(
        self, U: NDArray, distinct: Distinct, given: Distances | None, watch: Monitor
    ) -> tuple[Neighbors, Graph]:
        """Neighbor lists and the symmetric graph, short circuits reported or removed."""
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.25), given)
        edges = chosen_edges(U, neighbors, cast(GraphChoice, self.graph), self.radius,
                             monitor=Portion(watch, 0.25, 0.27))
        self.short_circuits_ = without = np.empty((0, 2), np.int64)
        if given is None:
            without = self._jumps(U, distinct, edges, Portion(watch, 0.27, 0.4))
        graph = edges.graph(
            U, without=without, components="bridge" if self.components == "bridge" else "keep",
            monitor=Portion(watch, 0.4, 0.45),
        )
        return edges.lists, graph

    def _jumps(
        self, U: NDArray, distinct: Distinct, edges: Edges, watch: Monitor
    ) -> NDArray[np.int64]:
        """Short circuits to be left out (S, 2), none where they are only reported;
        notes what was found."""
        jumps = short_circuits(U, edges.lists, kind=edges.kind, radius=edges.radius, monitor=watch)
        self.short_circuits_ = distinct.rows[jumps.edges]
        if self.drop_short_circuits and len(jumps):
            self.notes_.append(
                f"{len(jumps)} edges that seemed to jump between folds were removed."
            )
            return jumps.edges
        if len(jumps):
            self.notes_.append(jumps.advice)
        return jumps.edges[:0]

    def _embed(self, y: NDArray | None, part: Part, watch: Monitor) -> NDArray:
        lengths, scale = self._edges(part)
        rows = self._landmark_rows(part, y, Portion(watch, 0.0, 0.05))
        m = min(max(self.n_components, _AXES), len(part.X) - 1)
        paths, last = Portion(watch, 0.05, 0.7), Portion(watch, 0.7, 1.0)
        if rows is None:
            D = geodesics(lengths, monitor=paths)
            values, Z, rule = _scaled(D, m, self, last)
        else:
            D = geodesics(lengths, sources=rows, dtype=part.X.dtype, monitor=paths)
            self.notes_.append(f"Shortest paths start from {len(rows)} landmarks.")
            self.negative_mass_ = negative_mass(D[:, rows][:_SAMPLE, :_SAMPLE])
            values, Z, rule = landmark_scaling(D, rows, m, faint=_FAINT, monitor=last)
            self.residual_variance_ = residual_variance(*_some_pairs(D, rows), Z)
        self._keep_map(rule, np.arange(len(Z)) if rows is None else rows, lengths, scale)
        d = self.n_components
        self.eigenvalues_ = values[:d]
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {d} axes are empty: the paths span fewer dimensions.")
        return Z[:, :d]

    def _edges(self, part: Part) -> tuple[Any, NDArray]:
        """Edge lengths, and the mean neighbor distances that C-Isomap measures them in (else
        empty)."""
        if not self.conformal:
            return part.graph.lengths, np.empty(0)
        k = min(self.n_neighbors, part.neighbors.k)
        scale = part.neighbors.dist[:, :k].mean(axis=1, dtype=np.float64)
        lengths = part.graph.lengths.copy()
        rows = np.repeat(np.arange(len(scale)), np.diff(lengths.indptr))
        lengths.data *= scale.mean() / np.sqrt(scale[rows] * scale[lengths.indices])
        return lengths, scale

    def _check_size(self, n: int, dtype: DTypeLike) -> None:
        wanted = self._n_landmarks(n)
        if (size := wanted * n * np.dtype(dtype).itemsize) > _BYTES and wanted < n:
            raise TooLarge(
                f"the paths from {wanted} landmarks to {n} instances take {size / 2**30:.1f} GB",
                hint="Choose fewer landmarks, or fewer instances.",
            )

    def _n_landmarks(self, n: int) -> int:
        if self.n_landmarks is None:
            return n if n <= EXACT_LIMIT else LANDMARKS
        return max(self.n_landmarks, self.n_components + 1)

    def _landmark_rows(self, part: Part, y: NDArray | None, watch: Monitor) -> NDArray | None:
        wanted = self._n_landmarks(len(part.X))
        if wanted >= len(part.X) <= EXACT_LIMIT:
            return None
        own = None if y is None else y[part.rows]
        return landmarks(part.X, min(wanted, len(part.X)), y=own, seed=self.random_state,
                         monitor=watch)

    def _forget_map(self) -> None:
        none = np.empty(0)
        self.mean_delta_, self.map_, self.offset_, self.scale_ = none, np.empty((0, 0)), none, none
        self.landmarks_ = self.graph_indptr_ = self.graph_indices_ = np.empty(0, np.int64)
        self.graph_lengths_ = none

    def _keep_map(self, rule: Triangulation, rows: NDArray, lengths: Any, scale: NDArray) -> None:
        d = self.n_components
        self.mean_delta_, self.map_, self.offset_ = rule.mean, rule.W[:, :d].copy(), rule.offset[:d]
        self.landmarks_, self.scale_ = rows, scale
        self.graph_indptr_, self.graph_indices_, self.graph_lengths_ = (
            lengths.indptr, lengths.indices, lengths.data
        )

    def _placed(self, found: Neighbors) -> NDArray:
        """Coordinates from the shortest way over a neighbor to every landmark,
        then triangulation."""
        steps = found.dist.astype(np.float64)
        if len(self.scale_):
            own = steps.mean(axis=1, keepdims=True)
            steps *= self.scale_.mean() / np.sqrt(own * self.scale_[found.idx])
        used, column = np.unique(found.idx, return_inverse=True)
        column = column.reshape(found.idx.shape)
        D = self._paths(used)
        rule = Triangulation(self.mean_delta_, self.map_, self.offset_)
        Z = np.empty((len(steps), self.map_.shape[1]))
        for part in slices(len(Z), _CHUNK // len(D)):
            way = np.full((len(D), len(steps[part])), np.inf)
            for neighbor in range(found.k):
                np.minimum(way, D[:, column[part, neighbor]] + steps[part, neighbor], out=way)
            Z[part] = rule.place(way)
        return Z

    def _paths(self, used: NDArray) -> NDArray:
        """Shortest paths (L, len(used)) from the landmarks to some training rows,
        from whichever side is shorter."""
        from scipy.sparse import csr_array

        n = len(self.instances_)
        graph = csr_array((self.graph_lengths_, self.graph_indices_, self.graph_indptr_), (n, n))
        if len(used) < len(self.landmarks_):
            return np.ascontiguousarray(geodesics(graph, sources=used)[:, self.landmarks_].T)
        return geodesics(graph, sources=self.landmarks_,
                         dtype=self.instances_.dtype)[:, used].astype(np.float64)


class Isomap(AlongGraph):
    """Unroll the data: distances along the neighborhood graph become straight distances.

    Attributes
    ----------
    eigenvalues_ : (d,) of the doubly centered Gram matrix (estimated from landmarks where they are
        used), descending.
    residual_variance_ : (10,) at most. 1 - corr(path, straight distance)² with 1, 2, ...
        axes; its bend tells how many.
    negative_mass_ : share of negative eigenvalues in the sum of magnitudes,
        of up to 500 instances: 0 for flat data.
    short_circuits_ : (S, 2) int64. Rows joined by edges that seem to jump between folds
        (`neighbors.short_circuits`).
    component_ : (N,) int32. Component of the graph before any bridge; 0 is the largest.

    Notes
    -----
    Tenenbaum, de Silva and Langford 2000; landmarks and C-Isomap: de Silva and Tenenbaum 2003,
    2004. Edges have plain Euclidean lengths (McCurley 2020, eq 2-48, squares them). Guaranteed only
    for data isometric to a convex region. C-Isomap divides an edge by sqrt(m_i m_j), m the mean
    neighbor distance (times the mean of m over all, to stay in units of X). Given distances are the
    lengths of edges; short circuits are not looked for then, their judgment needs directions. New
    instances: paths to all landmarks through their k nearest training instances, then
    triangulation, as in training. Parts of a graph that is not bridged have no common map: there by
    reconstruction. Exact up to 5000 distinct instances: O(N² k) time, 8 N² bytes. Landmarks above:
    O(L N), L N times the bytes of a number of X. Axes with an eigenvalue <= 0 are set to 0, and
    that is noted.
    """

    n_landmarks: int | None = replace(
        N_LANDMARKS, auto=f"all instances up to {EXACT_LIMIT}, else {LANDMARKS}", advanced=True,
    )
    components: str = COMPONENTS
    random_state: int = RANDOM_STATE


def _scaled(
    D: NDArray, m: int, est: Isomap, watch: Monitor
) -> tuple[NDArray, NDArray, Triangulation]:
    """Classical scaling of all rows, overwriting D, with its map for further ones;
    states the fit in `est`."""
    few = np.arange(0, len(D), max(1, len(D) // _SAMPLE))
    est.negative_mass_ = negative_mass(D[np.ix_(few, few)])
    pairs = _some_pairs(D, np.arange(len(D)))
    mean = np.einsum("ij,ij->i", D, D) / len(D)
    values, Z = classical_scaling(D, m, monitor=watch)
    est.residual_variance_ = residual_variance(*pairs, Z)
    W = np.divide(Z, values, out=np.zeros_like(Z), where=values > 0)
    return values, Z, Triangulation(mean, W, np.zeros(Z.shape[1]))


def _some_pairs(D: NDArray, rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """About 300 000 entries of D (S, N) as a block: rows and columns of X, and the distances."""
    columns = np.arange(0, D.shape[1], max(1, D.shape[1] // 10_000))
    few = np.arange(0, len(rows), max(1, -(-len(rows) * len(columns) // _PAIRS)))
    return rows[few], columns, D[np.ix_(few, columns)].astype(np.float64)


def residual_variance(rows: NDArray, columns: NDArray, D: NDArray, Z: NDArray) -> NDArray:
    """1 - corr(D, straight distance)² with the first 1, 2, ...
    axes of Z; D (R, C) between rows and columns."""
    square = np.zeros_like(D)
    centered = D - D.mean()
    own = float((centered**2).sum())
    out = np.ones(Z.shape[1])
    for axis in range(Z.shape[1]):
        square += np.square(Z[rows, axis][:, None] - Z[columns, axis][None, :])
        straight = np.sqrt(square)
        straight -= straight.mean()
        norm = own * float((straight**2).sum())
        if norm > 0:
            out[axis] = 1 - float((centered * straight).sum()) ** 2 / norm
    return out


