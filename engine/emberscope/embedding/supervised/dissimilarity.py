"""Supervised dissimilarity: distances shrunk within a class and stretched between classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import Neighbors, listed_edges
from emberscope.neighbors.search import nearest_of

LARGEST_EXPONENT = 300.0  # exp(300)² is still a number
_SMALLEST = 1e-12  # an edge of length 0 would be no edge
_SAMPLE = 3000
_ROWS = 512
_CHUNK = 16_384


@dataclass(frozen=True, slots=True)
class Labeled:
    """Different instances U (n, D), their labels (n,), 0 = unknown, how far to trust each label,
    (n,) in [0, 1], and distances between them where these are not those of U."""

    U: NDArray
    label: NDArray[np.int64]
    weight: NDArray[np.float64]
    distances: Distances | None = None


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """Of two instances at distance d, with t = d² / beta.

    Same label: sqrt(1 - exp(-t)). Different labels: exp(t / 2) - alpha. A label unknown:
    d / sqrt(beta), which the first one is for near pairs, and which lies between the two (as long
    as alpha is at most 0.57). Labels of weights u and v: u v of that, and 1 - u v of the last one.
    At least 1e-12; t / 2 counts as 300 at most.
    """

    beta: float
    alpha: float

    def between(self, data: Labeled, i: NDArray, j: NDArray, d: NDArray) -> NDArray[np.float64]:
        """Of rows i and rows j, which are d apart; all three of one shape."""
        t = np.square(d, dtype=np.float64) / self.beta
        neutral = np.sqrt(t)
        sure = data.weight[i] * data.weight[j]
        same = data.label[i] == data.label[j]
        known = np.where(same, np.sqrt(-np.expm1(-t)),
                         np.exp(np.minimum(t / 2, LARGEST_EXPONENT)) - self.alpha)
        return np.maximum(np.where(sure > 0, sure * known, 0.0) + (1 - sure) * neutral, _SMALLEST)


def least_dissimilar(
    data: Labeled, rule: Dissimilarity, k: int, *, monitor: Monitor | None = None
) -> Neighbors:
    """The k least dissimilar other rows of every row, with their distances.

    They are chosen among the k nearest of the same label, the k nearest of other labels and the k
    nearest of unknown label, which is all that can matter with whole labels. Ties go to the nearer
    one. O(N² D).
    """
    n = len(data.U)
    idx, dist = np.empty((n, k), np.int32), np.empty((n, k))
    watch, done = monitored(monitor), 0
    everything = np.arange(n)
    for c in np.unique(data.label):
        rows = np.flatnonzero(data.label == c)
        for some in np.array_split(rows, -(-len(rows) // _CHUNK)):
            part = Portion(watch, done / n, (done + len(some)) / n)
            idx[some], dist[some], _ = _least(*_candidates(data, rule, some, everything, k, part),
                                              k)
            done += len(some)
    return Neighbors(idx, dist)


def dissimilarity_graph(
    data: Labeled, rule: Dissimilarity, neighbors: Neighbors, *, monitor: Monitor | None = None
) -> tuple[csr_array, NDArray[np.int32]]:
    """Edges where either row lists the other, as long as the pair is dissimilar, made connected.

    Components are joined by the least dissimilar pairs of a spanning tree over them.

    Returns
    -------
    lengths : csr_array, (n, n), symmetric. component : (n,) int32 of every row before it was
        joined, 0 the largest.
    """
    n, watch = len(data.U), Portion(monitored(monitor), 0.0, 0.0)
    watch.step(0.0, "Graph")
    edges, d, _ = listed_edges(neighbors)
    watch.step(0.0, "Graph")
    graph = _symmetric(edges, rule.between(data, edges[:, 0], edges[:, 1], d), n)
    watch.step(0.0, "Graph")
    component = joined = _components(graph)
    while joined.max(initial=0) > 0:
        watch.step(0.0, "Joining components")
        bridges, w = _least_links(data, rule, joined, watch)
        graph = csr_array(graph + _symmetric(bridges, w, n))
        joined = _components(graph)
    return graph, component


def mean_distance(
    X: NDArray, *, distances: Distances | None = None, seed: int = 0, monitor: Monitor | None = None
) -> float:
    """Mean distance of all pairs of rows, Euclidean or as given; above 3000 rows,
    of 3000 drawn by `seed`."""
    rows = np.arange(len(X))
    if len(X) > _SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(len(X), _SAMPLE, replace=False))
    if distances is not None:
        return float(distances.block(rows, rows).sum()) / (len(rows) * (len(rows) - 1))
    X = X[rows]
    X = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    norms = np.square(X).sum(axis=1)
    total = 0.0
    for start in range(0, len(X), _ROWS):
        monitored(monitor).step(start / len(X), "Distances")
        part = slice(start, start + _ROWS)
        squared = norms[part, None] + norms - 2 * (X[part] @ X.T)
        squared[np.arange(len(squared)), np.arange(start, start + len(squared))] = 0
        total += float(np.sqrt(np.maximum(squared, 0)).sum())
    return total / (len(X) * (len(X) - 1))


def mean_squared_distance(X: NDArray, *, distances: Distances | None = None) -> float:
    """Mean squared distance of all pairs of rows, or as given:
    twice the total variance, n / (n - 1) times."""
    variance = float(
        X.var(axis=0, dtype=np.float64).sum()
    ) if distances is None else distances.total_variance()
    return 2 * variance * len(X) / (len(X) - 1)


def _candidates(
    data: Labeled, rule: Dissimilarity, rows: NDArray, pool: NDArray, k: int, watch: Monitor
) -> tuple[NDArray, NDArray, NDArray]:
    """Rows of `pool` that `rows`, all of one label, may be least dissimilar to,
    their distances and dissimilarities.

    Up to (len(rows), 3 k + 3) each; a row itself is infinitely dissimilar.
    """
    own, kinds = data.label[rows[0]], data.label[pool]
    groups = [kinds == own, (kinds != own) & (kinds != 0), (kinds != own) & (kinds == 0)]
    if own == 0:
        groups = [np.ones(len(pool), bool)]
    idx, dist = [], []
    for step, group in enumerate(groups):
        members = pool[group]
        if len(members):
            part = Portion(watch, step / len(groups), (step + 1) / len(groups))
            listed = nearest_of(data.U, rows, members, k + 1, distances=data.distances,
                                monitor=part)
            idx.append(members[listed.idx])
            dist.append(listed.dist.astype(np.float64))
    i, d = np.concatenate(idx, axis=1), np.concatenate(dist, axis=1)
    w = rule.between(data, rows[:, None], i, d)
    w[i == rows[:, None]] = np.inf
    return i, d, w


def _least(idx: NDArray, d: NDArray, w: NDArray, k: int) -> tuple[NDArray, NDArray, NDArray]:
    """The k entries of every row with the least w, ties by d."""
    order = np.lexsort((idx, d, w), axis=1)[:, :k]
    return tuple(np.take_along_axis(values, order, axis=1) for values in (idx, d, w))  # type: ignore[return-value]


def _least_links(
    data: Labeled, rule: Dissimilarity, component: NDArray, watch: Monitor
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For every component but the largest the least dissimilar pair with another one:
    (B, 2) rows, dissimilarities."""
    pairs, least = [], []
    for c in range(1, int(component.max()) + 1):
        inside, pool = component == c, np.flatnonzero(component != c)
        found = []
        for kind in np.unique(data.label[inside]):
            rows = np.flatnonzero(inside & (data.label == kind))
            i, d, w = _least(*_candidates(data, rule, rows, pool, 1, watch), 1)
            row = np.lexsort((rows, d[:, 0], w[:, 0]))[0]
            found.append((w[row, 0], d[row, 0], *sorted((int(rows[row]), int(i[row, 0])))))
        w_c, _, a, b = min(found)
        pairs.append((a, b))
        least.append(w_c)
    edges, first = np.unique(np.array(pairs, np.int64), axis=0, return_index=True)
    return edges, np.array(least)[first]


def _symmetric(edges: NDArray, values: NDArray, n: int) -> csr_array:
    i, j = edges.T
    both = coo_array(
        (np.concatenate([values, values]), (np.concatenate([i, j]), np.concatenate([j, i]))), (n, n)
    )
    out = csr_array(both)
    out.sort_indices()
    return out


def _components(graph: csr_array) -> NDArray[np.int32]:
    """The connected component of each row; 0 is the largest."""
    found = connected_components(graph, directed=False)[1]
    rank = np.argsort(np.argsort(-np.bincount(found), kind="stable"), kind="stable")
    return rank[found].astype(np.int32)
