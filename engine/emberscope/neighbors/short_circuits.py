"""Edges of a neighborhood graph that jump between folds of the data, found by what they do to
shortest paths."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.geodesics import geodesics, in_threads, landmarks
from emberscope.neighbors.graph import GraphKind, Neighbors, listed_edges

_LANDMARKS = 64
_SOURCES = 8  # whose paths are counted in one go
_LEVELS = (0.75, 0.5, 0.34)  # of k, beside k - 1: sparser graphs to compare with
_LEAST = 5  # neighbors of a sparser graph
_DETOUR = 3.0  # a suspect is that many times longer without it
_HARM = 0.1  # share of all shortest paths' length: below, there is nothing to report
_SHARE = 0.1  # of the worst edge's harm: below, an edge is no suspect
_ROUNDS = 30
_FEWEST = 5  # a smaller k is no advice
_AROUND = 3  # edges from an end: its surroundings
# how far the surroundings lie behind both ends, of 1: noisy circles .3 to .9, most jumps below .1
_GOES_ON = 0.2


@dataclass(frozen=True, slots=True)
class ShortCircuits:
    """Edges that join parts of the data which are far apart along it, worst first.

    edges : (S, 2) int64. lengths : (S,) theirs. detour : (S,) at least how long the way is without
        them all, in units of the edge. harm : (S,) by how much the edge shortens all shortest
        paths, as a share of their length, when the worse ones are gone.
    change : float. Mean length that the shortest paths gain when the suspects are removed,
    relative.
    k : neighbors of the graph. safe_k : the largest k without any of the suspects; 0 where there is
    none worth trying.
    radius : of an epsilon graph, else None.
    """

    edges: NDArray[np.int64]
    lengths: NDArray
    detour: NDArray
    harm: NDArray
    change: float
    k: int
    safe_k: int
    radius: float | None = None

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def advice(self) -> str:
        """One sentence for a person; "" where there is nothing to say."""
        if not len(self):
            return ""
        what = f"k = {self.k}" if self.radius is None else f"A radius of {self.radius:.4g}"
        text = (
            f"{what} makes {len(self)} edge{'s' * (len(self) > 1)} that seem to jump between folds"
        )
        text += f" and shorten{'s' * (len(self) == 1)} the paths by {self.change:.0%}"
        what = "them" if len(self) > 1 else "it"
        instead = (f"try k = {self.safe_k}" if self.radius is None
                   else f"try one below {self.lengths.min():.4g}")
        return f"{text}; {instead}, or remove {what}." if self.safe_k else f"{text}; remove {what}."


def short_circuits(
    X: NDArray,
    neighbors: Neighbors,
    *,
    kind: GraphKind = "or",
    radius: float | None = None,
    monitor: Monitor | None = None,
) -> ShortCircuits:
    """Find the edges of the symmetric graph of a kNN list (`neighborhood_graph` with the same
    arguments) that jump.

    Notes
    -----
    Topological instability of Isomap (Balasubramanian and Schwartz 2002). Usual signs are flow,
    tangents and stability over k; length and tangents do not tell at the onset (measured on noisy
    rolls: jumps are 1.3 to 2 times as long as their neighbors, tangents at their ends are spoiled
    by them), so an edge is judged by its effect:

    1. Candidates span, in a sparser graph (k - 1, 3 k / 4, k / 2 neighbors), at least 3 times their
    length. The bound
       |g(l, i) - g(l, j)| <= g(i, j) over 64 landmarks l compares all edges at once.
    2. Tested are those that still span it in the full graph without all candidates.
    3. An edge that closes a loop (a circle sampled thinly somewhere) looks the same so far: it is
    the only short way.
       But without it the data end at both its ends, and it goes on where they end, while a jump
       leaves a sheet that goes on to all sides. So edges whose ends both have their surroundings
       behind them are no suspects.
    4. The harm of an edge is flow times detour: how many shortest paths from the landmarks use it,
    times what each
       would lose. The worst edges are removed and the rest is weighed again, until nothing is left
       of weight.

    Nothing is reported unless one edge, or all together, shorten the paths by a tenth. What is
    judged is the shape: a thin true link between two parts that are also joined by a long way looks
    the same. Jumps that are as dense at k / 2 as at k are not seen. O((levels + rounds) 64 E / 16);
    10 000 x 324, k = 12: 0.5 s of processor time.
    """
    watch = monitored(monitor)
    edges, lengths, rank = listed_edges(neighbors, kind, radius)
    n, k = len(X), int(rank.max(initial=0))
    rows = landmarks(X, min(_LANDMARKS, n), monitor=Portion(watch, 0.0, 0.1))
    candidate = _candidates(n, edges, lengths, rank, rows, Portion(watch, 0.1, 0.5))
    if not candidate.any():
        watch.step(1.0, "Short circuits")
        none = np.empty(0)
        return ShortCircuits(edges[:0], lengths[:0], none, none, 0.0, k, 0, radius)
    tested, span = _suspects(X, edges, lengths, candidate, rows, Portion(watch, 0.5, 0.6))
    removed, harm, change = _weighed(n, edges, lengths, tested, span, rows,
                                     Portion(watch, 0.6, 1.0))
    if not len(removed) or max(harm.max(), change) < _HARM:
        removed, harm, change = removed[:0], harm[:0], 0.0
    chosen = tested[removed]
    detour = span[removed] / lengths[chosen]
    order = np.argsort(-harm, kind="stable")
    chosen, safe = chosen[order], _safe(rank[chosen])
    return ShortCircuits(edges[chosen], lengths[chosen], detour[order], harm[order], change, k,
                         safe,
                         radius)


def _candidates(
    n: int, edges: NDArray, lengths: NDArray, rank: NDArray, rows: NDArray, watch: Monitor
) -> NDArray[np.bool_]:
    """(E,) which edges span at least 3 times their length in a graph of fewer neighbors."""
    k = int(rank.max(initial=0))
    levels = sorted({k - 1, *(int(k * share) for share in _LEVELS)})
    levels = [level for level in levels if _LEAST <= level < k]
    candidate = np.zeros(len(edges), bool)
    for step, level in enumerate(levels):
        part = Portion(watch, step / len(levels), (step + 1) / len(levels))
        sparse = _graph(n, edges, lengths, rank <= level)
        beyond = rank > level
        span = _spans(sparse, rows, edges[beyond], part)
        candidate[beyond] |= span > _DETOUR * lengths[beyond]
    return candidate


def _suspects(
    X: NDArray, edges: NDArray, lengths: NDArray, candidate: NDArray, rows: NDArray, watch: Monitor
) -> tuple[NDArray[np.int64], NDArray]:
    """Candidates that still span it without all others and close no loop of the data, and what they
    span."""
    tested = np.flatnonzero(candidate)
    span = _spans(_graph(len(X), edges, lengths, ~candidate), rows, edges[tested], watch)
    far = span > _DETOUR * lengths[tested]
    tested, span = tested[far], span[far]
    closing = _closes_a_loop(X, _graph(len(X), edges, lengths, ~candidate), edges[tested])
    if not closing.any():
        return tested, span
    left = candidate.copy()
    left[tested[closing]] = False
    tested = tested[~closing]
    span = _spans(_graph(len(X), edges, lengths, ~left), rows, edges[tested],
                  Portion(watch, 1.0, 1.0))
    far = span > _DETOUR * lengths[tested]
    return tested[far], span[far]


def _safe(rank: NDArray) -> int:
    """Neighbors below which none of these edges would be; 0 where that is too few, or there is no
    edge. rank : (E,) of each among the neighbors of its ends."""
    safe = int(rank.min()) - 1 if len(rank) else 0
    return safe if safe >= _FEWEST else 0


def _weighed(
    n: int, edges: NDArray, lengths: NDArray, tested: NDArray, span: NDArray, rows: NDArray,
    watch: Monitor
) -> tuple[NDArray[np.int64], NDArray, float]:
    """The tested edges worth removing (positions in `tested`), their harm, and the change when all
    are gone."""
    left = np.ones(len(edges), bool)
    harm = np.zeros(len(tested))
    first = total = 0.0
    reachable = np.zeros((0, 0), bool)
    for turn in range(_ROUNDS):
        graph = _graph(n, edges, lengths, left)
        D = geodesics(graph, sources=rows,
                      monitor=Portion(watch, turn / _ROUNDS, (turn + 1) / _ROUNDS))
        if turn == 0:
            reachable = np.isfinite(D)
            first = float(D[reachable].sum())
        total = float(D[reachable].sum())
        open_ = left[tested]
        if not open_.any() or first == 0:
            break
        weight = np.zeros(len(tested))
        ends = edges[tested[open_]]
        flow = _flow(graph, D, ends, Portion(watch, (turn + 1) / _ROUNDS, (turn + 1) / _ROUNDS))
        weight[open_] = flow * (span - lengths[tested])[open_] / total
        worst = weight > _SHARE * max(harm.max(), weight.max(), _HARM)
        if not worst.any():
            break
        harm[worst] = weight[worst]
        left[tested[worst]] = False
    return (np.flatnonzero(harm), harm[harm > 0], total / first - 1 if first and np.isfinite(total)
            else 0.0)


def _closes_a_loop(X: NDArray, graph: csr_array, edges: NDArray) -> NDArray[np.bool_]:
    """Which edges (E, 2), absent from `graph`, go on where the data end; one answer for edges side
    by side."""
    if not len(edges):
        return np.zeros(0, bool)
    ends, place = np.unique(edges, return_inverse=True)
    place = place.reshape(edges.shape)
    near = graph.copy()
    near.data = np.ones_like(near.data)
    around = csr_array((np.ones(len(ends)), (np.arange(len(ends)), ends)), (len(ends), len(X)))
    for _ in range(_AROUND):
        around = csr_array(around @ near + around)
        around.data[:] = 1.0
    behind = np.minimum(*(_behind(X, around, ends, place[:, side], edges[:, 1 - side])
                          for side in (0, 1)))
    patch = connected_components(csr_array(around[:, ends]), directed=False)[1]
    low, high = np.sort(patch[place], axis=1).T
    group = np.unique(low * len(ends) + high, return_inverse=True)[1]
    return (np.bincount(group, behind) / np.bincount(group) > _GOES_ON)[group]


def _behind(X: NDArray, around: csr_array, ends: NDArray, of: NDArray, toward: NDArray) -> NDArray:
    """(E,) in [-1, 1]: how far the surroundings of ends[of] lie away from the row `toward`; 0 =
    evenly around."""
    out = np.zeros(len(of))
    for e, (end, other) in enumerate(zip(of, toward)):
        rows = around.indices[around.indptr[end] : around.indptr[end + 1]]
        offsets = X[rows].astype(np.float64) - X[ends[end]]
        way = X[other].astype(np.float64) - X[ends[end]]
        size = np.linalg.norm(way) * np.linalg.norm(offsets, axis=1).sum()
        out[e] = -(offsets.sum(axis=0) @ way) / size if size > 0 else 0.0
    return out


def _graph(n: int, edges: NDArray, lengths: NDArray, keep: NDArray) -> csr_array:
    rows, cols = np.concatenate([edges[keep], edges[keep, ::-1]]).T
    out = csr_array((np.concatenate([lengths[keep], lengths[keep]]), (rows, cols)), (n, n))
    out.sort_indices()
    return out


def _spans(graph: csr_array, rows: NDArray, edges: NDArray, watch: Monitor) -> NDArray:
    """A lower bound of the distance along the graph between the ends of each edge; 0 where it is
    unknown."""
    D = geodesics(graph, sources=rows, dtype=np.float32, monitor=watch)
    return _largest_difference(np.ascontiguousarray(D.T), edges[:, 0], edges[:, 1])


def _flow(graph: csr_array, D: NDArray, ends: NDArray, watch: Monitor) -> NDArray:
    """How many shortest paths from the sources of D use each edge; whole numbers, so threads cannot
    change the sum."""
    parts = np.array_split(np.arange(len(D)), -(-len(D) // _SOURCES))
    flows = np.zeros((len(parts), len(ends)))
    a, b = ends.T

    def one(part: int, _: object) -> None:
        rows = D[parts[part]]
        flows[part] = _flows(graph.indptr, graph.indices, graph.data, rows,
                             np.argsort(rows, axis=1), a, b)

    in_threads(one, list(range(len(parts))), watch)
    return flows.sum(axis=0)


@njit(cache=True, nogil=True)
def _largest_difference(D: NDArray, a: NDArray, b: NDArray) -> NDArray:
    """Of finite entries, max over l of |D[a, l] - D[b, l]|."""
    out = np.zeros(len(a))
    for e in range(len(a)):
        best = np.float32(0)
        for s in range(D.shape[1]):
            difference = abs(D[a[e], s] - D[b[e], s])
            if best < difference < np.inf:  # no NaN, no infinity
                best = difference
        out[e] = best
    return out


@njit(cache=True, nogil=True)
def _flows(
    indptr: NDArray, indices: NDArray, lengths: NDArray, D: NDArray, order: NDArray, a: NDArray,
    b: NDArray
) -> NDArray:
    """How many shortest paths from the sources of D (S, N) use each edge (a, b); order: argsort of
    D's rows."""
    n = D.shape[1]
    size = np.empty(n)
    parent = np.empty(n, np.int64)
    flow = np.zeros(len(a))
    for s in range(D.shape[0]):
        size[:] = 1
        parent[:] = -1
        for t in range(n - 1, 0, -1):
            v = order[s, t]
            if D[s, v] == np.inf:
                continue
            best = np.inf
            for e in range(indptr[v], indptr[v + 1]):
                length = D[s, indices[e]] + lengths[e]
                if length < best:
                    best = length
                    parent[v] = indices[e]
            size[parent[v]] += size[v]
        for e in range(len(a)):
            if parent[a[e]] == b[e]:
                flow[e] += size[a[e]]
            elif parent[b[e]] == a[e]:
                flow[e] += size[b[e]]
    return flow
