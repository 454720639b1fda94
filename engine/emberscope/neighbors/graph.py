"""The shared kNN graph: found once per data set, made symmetric and connected, given affinities."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.segments import segment_reduce
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import content_key
from emberscope.neighbors.search import (
    Neighbors,
    exact_up_to,
    nearest,
    neighbors_by,
    neighbors_within,
)

__all__ = [
    "Graph", "GraphKind", "Neighbors", "affinity", "forget", "graph_of_edges", "knn",
    "listed_edges", "nearest", "neighborhood_graph", "remember", "within_radius",
]

# k is rounded up to a multiple of this, so that methods with k = 10 .. 30 share one search
_STEP = 32
_STEP_OF_MANY = 16  # the same where the search is approximate: there every neighbor more costs time
_BYTES = 512 << 20
MOST_PARTS = 10_000  # that are joined: gaps between all of them take 800 MB
RADIUS_CAP = 256  # neighbors of a row of an epsilon graph
GraphKind = Literal["or", "and"]
_BRIDGES = 3
_BLOCK = 1 << 22  # distances held at a time
_SMALL = 5000  # rows up to which gaps are computed in double precision
_EXACT_TREE = 30_000  # rows up to which every pair of components is looked at whole
_LEAST_SEEN = 8  # rows of a component, above
_FEW_PAIRS = 1 << 16  # of rows of two components, above: up to so many are all compared
_TREE_FEATURES = 50
_lock = threading.Lock()
# Bounded by bytes, which functools.lru_cache cannot be. cachetools.LRUCache can; it saves three
# lines, and to keep an entry takes it 1.2 us, here 0.5 us: no reason for a dependency.
_known: OrderedDict[bytes, Neighbors] = OrderedDict()


def knn(X: NDArray, k: int, *, monitor: Monitor | None = None) -> Neighbors:
    """The k nearest rows of every row, itself excluded; remembered by the content of X.

    Parameters
    ----------
    X : (N, D) float32 or float64, C-contiguous, finite.
    k : int, 1 to N - 1. Raises DataError outside.

    Notes
    -----
    The search runs once per X at k rounded up to a multiple of 32 (of 16 where it is approximate);
    later calls with the same X slice it, whichever method asks. The memory of the process holds the
    latest 512 MB. Thread-safe.
    """
    if not 1 <= k <= len(X) - 1:
        raise DataError(f"{k} neighbors wanted among {len(X)} instances",
                        hint=f"Choose k from 1 to {len(X) - 1}.")
    key = content_key(X)
    with _lock:
        known = _known.get(key)
    if known is None or known.k < k:
        step = _STEP if len(X) <= exact_up_to(k) else _STEP_OF_MANY
        known = neighbors_within(X, min(-(-k // step) * step, len(X) - 1), monitor=monitor)
        _keep(key, known)
    else:
        monitored(monitor).step(0.0, "Neighbors are known")
    return known.first(k)


def remember(X: NDArray, neighbors: Neighbors) -> None:
    """Hand over neighbors found earlier (for instance from a cache on disk); `knn` will use
    them."""
    _keep(content_key(X), neighbors)


def _keep(key: bytes, neighbors: Neighbors) -> None:
    with _lock:
        _known[key] = neighbors
        _known.move_to_end(key)
        while len(_known) > 1 and sum(n.idx.nbytes + n.dist.nbytes
                                      for n in _known.values()) > _BYTES:
            _known.popitem(last=False)


def forget() -> None:
    """Drop all remembered neighbors."""
    with _lock:
        _known.clear()


@dataclass(frozen=True, slots=True)
class Graph:
    """A symmetric neighborhood graph.

    lengths : csr_array, (N, N), float64. Plain edge lengths, as those of the lists; absent = no
    edge.
    component : (N,) int32. Connected component of each row before any bridge; 0 is the largest.
    bridges : (B, 2) int64. Edges added between components; empty where the graph was connected.
    n_capped : rows of an epsilon graph with more than 256 others within the radius.
    """

    lengths: csr_array
    component: NDArray[np.int32]
    bridges: NDArray[np.int64]
    n_capped: int = 0

    @property
    def n_components(self) -> int:
        """How many parts are not connected to each other."""
        return int(self.component.max(initial=-1)) + 1

    @property
    def notes(self) -> list[str]:
        """What a person should know about this graph."""
        capped = []
        if self.n_capped:
            text = (
                f"{self.n_capped} instances have more than {RADIUS_CAP} others within the radius; "
                "the nearest count."
            )
            capped.append(text)
        if self.n_components <= 1:
            return capped
        sizes = np.sort(np.bincount(self.component))[::-1]
        listed = ", ".join(map(str, sizes[:4])) + (" ..." if len(sizes) > 4 else "")
        joined = (f"{len(self.bridges)} bridge edges join them" if len(self.bridges)
                  else "they are not joined")
        return [f"The neighborhood graph has {len(sizes)} components (sizes {listed}); {joined}.",
                *capped]


def neighborhood_graph(
    X: NDArray,
    neighbors: Neighbors,
    *,
    kind: GraphKind = "or",
    radius: float | None = None,
    without: NDArray | None = None,
    components: Literal["bridge", "keep"] = "bridge",
    monitor: Monitor | None = None,
) -> Graph:
    """The symmetric graph of a kNN list, made connected.

    Parameters
    ----------
    X : (N, D). The rows, for the lengths of bridges; not looked at where the lists carry distances
        of their own.
    kind : "or": an edge where either row lists the other; "and": where both do (mutual neighbors).
    radius : longer edges are left out, units of X; with the list of `within_radius` an epsilon
        graph.
    without : (B, 2) int, edges to leave out.
    components : "bridge" joins the components by the shortest edges of a minimum spanning tree over
        them (up to 3 per link, so that a link is no hinge) and reports them; "keep" leaves them
        apart.

    Notes
    -----
    O(N k) and, with several components, twice O(N n D) in matrix products for the n rows outside
    the largest one. Above 30 000 rows the tree is chosen by distances between about so many
    representatives on 50 principal axes at most, and a bridge between large components is found
    from its nearest ones along the neighbor lists: a short pair, now and then not the shortest.
    That grows with N, not with N n.
    """
    n = len(neighbors.idx)
    edges, lengths, _ = listed_edges(neighbors, kind, radius)
    if without is not None and len(without):
        low, high = np.sort(np.asarray(without, np.int64), axis=1).T
        keep = ~np.isin(edges[:, 0] * n + edges[:, 1], low * n + high)
        edges, lengths = edges[keep], lengths[keep]
    made = graph_of_edges(X, neighbors, edges, lengths, components=components, monitor=monitor)
    return replace(made, n_capped=_n_capped(neighbors, radius))


def graph_of_edges(
    X: NDArray, neighbors: Neighbors, edges: NDArray, lengths: NDArray, *,
    components: Literal["bridge", "keep"] = "bridge", monitor: Monitor | None = None,
) -> Graph:
    """The symmetric graph of undirected edges (E, 2), each once, of any origin; joined as in
    `neighborhood_graph`.

    neighbors : of X; along them bridges are found where components are large. Raises TooLarge for
    more than 10 000 parts to join.
    """
    n = len(X)
    graph = _with_edges(csr_array((n, n), dtype=np.float64), edges, lengths)
    component = _components(graph)
    bridges = np.empty((0, 2), np.int64)
    if components == "bridge" and component.max(initial=0) > 0:
        if (count := int(component.max()) + 1) > MOST_PARTS:
            raise TooLarge(f"the graph is in {count} parts, too many to join",
                           hint="Choose more neighbors or a larger radius.")
        bridges, lengths = _bridges(X, component, neighbors, monitored(monitor))
        graph = _with_edges(graph, bridges, lengths)
    return Graph(graph, component, bridges)


def within_radius(
    X: NDArray, radius: float, *, distances: Distances | None = None, monitor: Monitor | None = None
) -> Neighbors:
    """Neighbor lists that hold all rows within `radius`, but at most the 256 nearest: for epsilon
    graphs.

    distances : in place of those between rows of X.
    """
    limit = min(RADIUS_CAP, len(X) - 1)
    if distances is not None:
        return neighbors_by(distances, limit, dtype=X.dtype, monitor=monitor)
    found = knn(X, min(_STEP, limit), monitor=monitor)
    if found.k < limit and (found.dist[:, -1] <= radius).any():
        found = knn(X, limit, monitor=monitor)
    return found


def _n_capped(neighbors: Neighbors, radius: float | None) -> int:
    if radius is None or neighbors.k >= len(neighbors.idx) - 1:
        return 0
    return int((neighbors.dist[:, -1] <= radius).sum())


def listed_edges(
    neighbors: Neighbors, kind: GraphKind = "or", radius: float | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Undirected edges (E, 2) of a kNN list, their lengths (E,), and the smallest k with which each
    appears (E,)."""
    n, k = neighbors.idx.shape
    rows = np.repeat(np.arange(n, dtype=np.int64), k)
    cols = neighbors.idx.ravel().astype(np.int64)
    # One key per unordered pair: a pair listed from both sides is a mutual one.
    pairs = np.minimum(rows, cols) * n + np.maximum(rows, cols)
    order = np.argsort(pairs, kind="stable")
    start = np.flatnonzero(np.concatenate([[True], np.diff(pairs[order]) > 0]))
    rank = np.tile(np.arange(1, k + 1), n)[order]
    counts = np.diff(np.concatenate([start, [len(order)]]))
    keep = counts == 2 if kind == "and" else counts > 0
    rank = segment_reduce(np.maximum if kind == "and" else np.minimum, rank, start)
    lengths = neighbors.dist.ravel()[order[start]].astype(np.float64)
    if radius is not None:
        keep &= lengths <= radius
    keys = pairs[order[start[keep]]]
    return np.stack([keys // n, keys % n], axis=1), lengths[keep], rank[keep]


def _with_edges(graph: csr_array, edges: NDArray, lengths: NDArray) -> csr_array:
    """The graph plus undirected edges that it does not have yet."""
    rows, cols = np.concatenate([edges, edges[:, ::-1]]).T
    both = coo_array((np.concatenate([lengths, lengths]), (rows, cols)), graph.shape)
    out = csr_array(graph + both.tocsr())
    out.sort_indices()
    return out


def _components(lengths: csr_array) -> NDArray[np.int32]:
    """The connected component of each row; 0 is the largest (ties: the one with the lowest row)."""
    _, found = connected_components(lengths, directed=False)
    order = np.argsort(-np.bincount(found), kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return rank[found]


def _bridges(
    X: NDArray, component: NDArray, neighbors: Neighbors, watch: Monitor
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The minimum spanning tree over components by their shortest gaps, up to 3 edges per link of
    the tree (B, 2), and their lengths (B,)."""
    if neighbors.distances is not None:
        bridges = _bridges_by(neighbors.distances, component, watch)
        return bridges, neighbors.distances.of(*bridges.T)
    bridges = _bridges_between(X, component, neighbors, watch)
    ends = X[bridges].astype(np.float64)
    return bridges, np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)


def _bridges_by(distances: Distances, component: NDArray, watch: Monitor) -> NDArray[np.int64]:
    """By distances that are given: each pair of rows is looked at once."""
    order = np.argsort(component, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(component))])
    gaps = np.empty((len(starts) - 1, len(starts) - 1))
    for c in range(len(gaps)):
        watch.step(0.7 * c / len(gaps), "Gaps between components")
        nearest_of = distances.squared[order[starts[c] : starts[c + 1]]].min(axis=0)[order]
        gaps[c] = segment_reduce(np.minimum, nearest_of, starts[:-1])
    np.fill_diagonal(gaps, 0)
    tree = minimum_spanning_tree(csr_array(np.maximum(gaps, np.finfo(np.float32).tiny))).tocoo()
    edges: list[NDArray] = []
    for done, (a, b) in enumerate(zip(*tree.coords)):
        watch.step(0.7 + 0.3 * done / tree.nnz, "Joining components")
        one, two = sorted((order[starts[c] : starts[c + 1]] for c in (a, b)), key=len)
        between = distances.squared[np.ix_(one, two)]
        to = between.argmin(axis=1)
        best = np.argsort(between[np.arange(len(one)), to], kind="stable")[:_BRIDGES]
        edges.append(np.stack([one[best], two[to[best]]], axis=1))
    return np.unique(np.sort(np.concatenate(edges), axis=1), axis=0).astype(np.int64)


def _bridges_between(
    X: NDArray, component: NDArray, neighbors: Neighbors, watch: Monitor
) -> NDArray[np.int64]:
    rows = _representatives(component)
    center = X.mean(axis=0, dtype=np.float64)
    seen = (X[rows] - center) if len(X) <= _EXACT_TREE else _principal(X, rows, center)
    seen = seen.astype(np.float64 if len(X) <= _SMALL else np.float32)
    gaps = _gaps(seen, component[rows], Portion(watch, 0.0, 0.7))
    tree = minimum_spanning_tree(csr_array(np.maximum(gaps, np.finfo(np.float32).tiny))).tocoo()
    norms = np.square(seen).sum(axis=1)
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    starts = np.concatenate([[0], np.cumsum(np.bincount(component[rows]))])
    edges: list[NDArray] = []
    for done, (a, b) in enumerate(zip(*tree.coords)):
        at = 0.7 + 0.3 * done / tree.nnz
        watch.step(at, "Joining components")
        ends = members[a], members[b]
        if len(rows) < len(X) and len(ends[0]) * len(ends[1]) > _FEW_PAIRS:
            one, other = (slice(starts[c], starts[c + 1]) for c in (a, b))
            apart = norms[other] - 2 * (seen[one] @ seen[other].T) + norms[one, None]
            i, j = np.unravel_index(apart.argmin(), apart.shape)
            ends = _facing(X, neighbors.idx, component, int(rows[one][i]), int(rows[other][j]))
        edges.append(_shortest_pairs(X, *ends, _BRIDGES, Portion(watch, at, at)))
    return np.unique(np.sort(np.concatenate(edges), axis=1), axis=0).astype(np.int64)


def _representatives(component: NDArray) -> NDArray[np.int64]:
    """Rows, component after component, among which gaps are measured: all up to 30 000.

    Above, a random share of 30 000 for large components and at least 8 (or all) of small ones.
    """
    order = np.argsort(component, kind="stable")
    if len(order) <= _EXACT_TREE:
        return order
    counts = np.bincount(component)
    wanted = np.maximum(_LEAST_SEEN, counts * (_EXACT_TREE / len(order)))
    shuffled = np.random.default_rng(0).permutation(len(order))
    order = shuffled[np.argsort(component[shuffled], kind="stable")]
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[place < np.repeat(wanted, counts)]


def _facing(
    X: NDArray, idx: NDArray, component: NDArray, i: int, j: int
) -> tuple[NDArray, NDArray]:
    """Rows around the ends of a short edge between two components, found along their neighbor lists
    from (i, j)."""
    best = np.inf
    while True:
        ends = _around(idx, component, i), _around(idx, component, j)
        distance = cdist(X[ends[0]], X[ends[1]])
        at = np.unravel_index(distance.argmin(), distance.shape)
        if not distance[at] < best:
            return ends
        best, i, j = float(distance[at]), int(ends[0][at[0]]), int(ends[1][at[1]])


def _around(idx: NDArray, component: NDArray, row: int) -> NDArray[np.int64]:
    """The neighbors of the neighbors of a row, and itself, as far as they are in its component."""
    rows = np.unique(np.concatenate([[row], idx[row], idx[idx[row]].ravel()]))
    return rows[component[rows] == component[row]]


def _principal(X: NDArray, rows: NDArray, center: NDArray) -> NDArray[np.float32]:
    """Rows of X on its first 50 principal axes at most: gaps of tens of thousands of rows in
    seconds."""
    if X.shape[1] <= _TREE_FEATURES:
        return (X[rows] - center).astype(np.float32)
    sample = X[np.random.default_rng(0).choice(len(X), min(len(X), 10_000), replace=False)] - center
    axes = np.linalg.eigh(sample.T @ sample)[1][:, -_TREE_FEATURES:]
    return (X[rows] @ axes.astype(X.dtype) - center @ axes).astype(np.float32)


def _gaps(X: NDArray, component: NDArray, watch: Monitor) -> NDArray:
    """Smallest distance between rows of each two components, (C, C); the diagonal is 0. One pass of
    matrix products."""
    n_components = int(component.max()) + 1
    order = np.argsort(component, kind="stable")
    counts = np.bincount(component)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    X, norms = X[order], np.einsum("ij,ij->i", X, X)[order]
    gaps = np.full((n_components, n_components), np.inf, X.dtype)
    first = start = int(counts[0])
    while start < len(X):  # every pair of components is seen once, from the smaller one
        watch.step((start - first) / (len(X) - first), "Gaps between components")
        stop = min(len(X), start + max(1, _BLOCK // min(len(X), start + 2048)), start + 2048)
        own = component[order[start:stop]]
        before = int(starts[own[-1]])
        dots = X[start:stop] @ X[:before].T
        dots *= -2
        dots += norms[:before]
        least = segment_reduce(np.minimum, dots, starts[: own[-1]], axis=1)
        least = least + norms[start:stop, None]
        for c in np.unique(own):
            gaps[c, :c] = np.minimum(gaps[c, :c], least[own == c, :c].min(axis=0))
        start = stop
    gaps = np.sqrt(np.maximum(np.minimum(gaps, gaps.T), 0))
    np.fill_diagonal(gaps, 0)
    return gaps


def _shortest_pairs(
    X: NDArray, a: NDArray, b: NDArray, count: int, watch: Monitor
) -> NDArray[np.int64]:
    """The `count` shortest edges between rows `a` and rows `b` of X, each row of the smaller set at
    most once."""
    if len(a) > len(b):
        a, b = b, a
    found = nearest(X[b], X[a], 1, monitor=watch)
    best = np.argsort(found.dist[:, 0], kind="stable")[:count]
    return np.stack([a[best], b[found.idx[best, 0]]], axis=1)


def affinity(
    graph: Graph,
    neighbors: Neighbors,
    *,
    kernel: Literal["heat", "binary"] = "heat",
    sigma: float | None = None,
    scale_neighbor: int = 7,
) -> csr_array:
    """Affinities in (0, 1] of the edges of a graph.

    Parameters
    ----------
    kernel : "heat": exp(-d² / (2 sigma²)); "binary": 1 for every edge.
    sigma : float, optional, units of X. None: self-tuning, exp(-d² / (s_i s_j)) with s the distance
        to the `scale_neighbor`-th neighbor (Zelnik-Manor and Perona 2004).

    Returns
    -------
    W : csr_array, (N, N), float64, symmetric, zero diagonal. A bridge gets the smallest affinity of
        the other edges at its two ends, so that a far component stays connected. Values below
        1e-300 are raised to it.
    """
    W = graph.lengths.copy()
    if kernel == "binary":
        W.data[:] = 1.0
        return W
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    cols = W.indices
    if sigma is None:
        s = neighbors.dist[:, min(scale_neighbor, neighbors.k) - 1].astype(np.float64)
        exponent = W.data**2 / (s[rows] * s[cols])
    else:
        exponent = W.data**2 / (2 * sigma**2)
    W.data = np.maximum(np.exp(-exponent), 1e-300)
    return _soften(W, rows, graph.bridges)


def _soften(W: csr_array, rows: NDArray, bridges: NDArray) -> csr_array:
    if not len(bridges):
        return W
    n = W.shape[0]
    pairs = np.minimum(rows, W.indices) * n + np.maximum(rows, W.indices)
    is_bridge = np.isin(pairs, bridges[:, 0] * n + bridges[:, 1])
    least = np.ones(n)
    np.minimum.at(least, rows[~is_bridge], W.data[~is_bridge])
    W.data[is_bridge] = np.minimum(least[rows], least[W.indices])[is_bridge]
    return W
