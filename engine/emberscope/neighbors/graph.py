"""The shared kNN graph: found once per data set, made symmetric and connected, given affinities."""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.search import Neighbors, nearest, neighbors_within

__all__ = ["Graph", "Neighbors", "affinity", "forget", "knn", "nearest", "neighborhood_graph", "remember"]

_STEP = 32  # k is rounded up to a multiple of this, so that methods with k = 10 .. 30 share one search
_BYTES = 512 << 20
_BRIDGES = 3
_lock = threading.Lock()
_known: OrderedDict[bytes, Neighbors] = OrderedDict()


def knn(X: NDArray, k: int, *, monitor: Monitor | None = None) -> Neighbors:
    """The k nearest rows of every row, itself excluded; remembered by the content of X.

    Parameters
    ----------
    X : (N, D) float32 or float64, C-contiguous, finite.
    k : int, 1 to N - 1. Raises DataError outside.

    Notes
    -----
    The search runs once per X at k rounded up to a multiple of 32; later calls with the same X slice it,
    whichever method asks. The memory of the process holds the latest 512 MB. Thread-safe.
    """
    if not 1 <= k <= len(X) - 1:
        raise DataError(f"{k} neighbors wanted among {len(X)} instances", hint=f"Choose k from 1 to {len(X) - 1}.")
    key = _key(X)
    with _lock:
        known = _known.get(key)
    if known is None or known.k < k:
        known = neighbors_within(X, min(-(-k // _STEP) * _STEP, len(X) - 1), monitor=monitor)
        remember(X, known)
    else:
        monitored(monitor).step(0.0, "Neighbors are known")
    return known.first(k)


def remember(X: NDArray, neighbors: Neighbors) -> None:
    """Hand over neighbors found earlier (for instance from a cache on disk); `knn` will use them."""
    key = _key(X)
    with _lock:
        _known[key] = neighbors
        _known.move_to_end(key)
        while len(_known) > 1 and sum(n.idx.nbytes + n.dist.nbytes for n in _known.values()) > _BYTES:
            _known.popitem(last=False)


def forget() -> None:
    """Drop all remembered neighbors."""
    with _lock:
        _known.clear()


def _key(X: NDArray) -> bytes:
    digest = hashlib.blake2b(np.ascontiguousarray(X).data, digest_size=16)
    digest.update(f"{X.shape}{X.dtype}".encode())
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Graph:
    """A symmetric neighborhood graph.

    lengths : csr_array, (N, N), float64. Plain Euclidean edge lengths; absent = no edge.
    component : (N,) int32. Connected component of each row before any bridge.
    bridges : (B, 2) int64. Edges added between components; empty where the graph was connected.
    """

    lengths: csr_array
    component: NDArray[np.int32]
    bridges: NDArray[np.int64]

    @property
    def n_components(self) -> int:
        return int(self.component.max(initial=-1)) + 1

    @property
    def notes(self) -> list[str]:
        """What a person should know about this graph."""
        if self.n_components <= 1:
            return []
        sizes = np.sort(np.bincount(self.component))[::-1]
        listed = ", ".join(map(str, sizes[:4])) + (" ..." if len(sizes) > 4 else "")
        joined = f"{len(self.bridges)} bridge edges join them" if len(self.bridges) else "they are not joined"
        return [f"The neighborhood graph has {len(sizes)} components (sizes {listed}); {joined}."]


def neighborhood_graph(
    X: NDArray,
    neighbors: Neighbors,
    *,
    kind: Literal["or", "and"] = "or",
    components: Literal["bridge", "keep"] = "bridge",
) -> Graph:
    """The symmetric graph of a kNN list, made connected.

    Parameters
    ----------
    X : (N, D). The rows, for the lengths of bridges.
    kind : "or": an edge where either row lists the other; "and": where both do (mutual neighbors).
    components : "bridge" joins the components by the shortest edges of a minimum spanning tree over them
        (up to 3 per link, so that a link is no hinge) and reports them; "keep" leaves them apart.

    Notes
    -----
    Spec 02 sections 1.1 and 1.3. O(N k) and, with several components, O(N n) products for the n rows outside
    the largest one, per round of the spanning tree.
    """
    lengths = _symmetric(neighbors, kind)
    _, component = connected_components(lengths, directed=False)
    bridges = np.empty((0, 2), np.int64)
    if components == "bridge" and component.max(initial=0) > 0:
        bridges = _bridges(X, component.astype(np.int64))
        lengths = _with_edges(lengths, bridges, np.linalg.norm(X[bridges[:, 0]] - X[bridges[:, 1]], axis=1))
    return Graph(lengths, component.astype(np.int32), bridges)


def _symmetric(neighbors: Neighbors, kind: str) -> csr_array:
    n, k = neighbors.idx.shape
    rows = np.repeat(np.arange(n, dtype=np.int64), k)
    cols = neighbors.idx.ravel().astype(np.int64)
    # One key per unordered pair: a pair listed from both sides is a mutual one.
    pairs = np.minimum(rows, cols) * n + np.maximum(rows, cols)
    keys, first, counts = np.unique(pairs, return_index=True, return_counts=True)
    if kind == "and":
        keys, first = keys[counts == 2], first[counts == 2]
    edges = np.stack([keys // n, keys % n], axis=1)
    return _with_edges(csr_array((n, n), dtype=np.float64), edges, neighbors.dist.ravel()[first].astype(np.float64))


def _with_edges(graph: csr_array, edges: NDArray, lengths: NDArray) -> csr_array:
    """The graph plus undirected edges that it does not have yet."""
    rows, cols = np.concatenate([edges, edges[:, ::-1]]).T
    both = coo_array((np.concatenate([lengths, lengths]), (rows, cols)), graph.shape)
    out = csr_array(graph + both.tocsr())
    out.sort_indices()
    return out


def _bridges(X: NDArray, component: NDArray) -> NDArray[np.int64]:
    """Boruvka's spanning tree over components: in each round every one but the largest reaches for its nearest."""
    component = component.copy()
    edges: set[tuple[int, int]] = set()
    while component.max() > 0:
        largest = np.bincount(component).argmax()
        links = []
        for c in range(component.max() + 1):
            if c != largest:
                links.extend(_links(X, component, c))
        edges.update((min(a, b), max(a, b)) for a, b in links)
        n = component.max() + 1
        ends = component[np.array(links)]
        merged = connected_components(coo_array((np.ones(len(ends)), ends.T), (n, n)).tocsr(), directed=False)[1]
        component = merged[component].astype(np.int64)
    return np.array(sorted(edges), np.int64)


def _links(X: NDArray, component: NDArray, c: int) -> list[tuple[int, int]]:
    """The shortest edge from component c to any other one, and up to two more between the same two."""
    inside = np.flatnonzero(component == c)
    outside = np.flatnonzero(component != c)
    found = nearest(X[outside], X[inside], 1)
    order = np.argsort(found.dist[:, 0], kind="stable")
    there = outside[found.idx[:, 0]]
    target = component[there[order[0]]]
    same = order[component[there[order]] == target][:_BRIDGES]
    return [(int(inside[i]), int(there[i])) for i in same]


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
    sigma : float, optional, units of X. None: self-tuning, exp(-d² / (s_i s_j)) with s the distance to the
        `scale_neighbor`-th neighbor (Zelnik-Manor and Perona 2004).

    Returns
    -------
    W : csr_array, (N, N), float64, symmetric, zero diagonal. A bridge gets the smallest affinity of the other edges
        at its two ends, so that a far component stays connected. Values below 1e-300 are raised to it.
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
