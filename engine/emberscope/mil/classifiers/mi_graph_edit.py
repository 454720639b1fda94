"""MIGraph: bags as explicit graphs, compared edge by edge or by what it takes to turn one into the
other."""

from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Onward, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.bag_kernels import PENALTY, WIDTH, InstanceKernel, WeightedBags, set_kernel
from emberscope.mil.distances import squared_distances
from emberscope.mil.feature_choice import KeepsBags
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.support_vectors import HALFWAY, balanced, support_vectors

_LARGEST_BAG = 60  # instances, which may have 1770 edges
_MOST_EDGES = 60_000  # of all bags together: 30 s of products between pairs of them
_MOST_MATCHES = 200_000  # pairs of bags that are matched
_TOLERANCE = 1e-9
_MESSAGE = "Graphs compared"


class MIGraphEdit(KeepsBags):
    """A support vector machine on graphs: instances of a bag are nodes, and two nearer than `reach`
    times the mean distance within the bag have an edge.

    `compare` edges:  k(B, B') = s(B, B') / sqrt(s(B, B) s(B', B'))
        s = sum over nodes x, z of k(x, z) + sum over edges e, e' of k(e, e')
    An edge is (d_u, p_u, d_v, p_v), u the end of larger degree: d the degree of an end over the
    number of edges, p the share that the edge has of the weights 1 / (1 + |u - v|) at that end.
    `compare` edit:  k(B, B') = exp(-g / (2 width²)), g the least mean cost of changes of nodes that
    make B into B': a node becomes another at |x - z|² / (2 m²) + |deg x - deg z| / largest bag, or
    goes or comes at half the squared `width` + deg / largest bag.

    k(x, z) = exp(-|x - z|² / (2 width² m²)), m² the total variance of the training instances; the
    same with edges. f(B) = sum_j dual_j k(B, B_j) + intercept minimizes 1/2 |f|² + C sum of hinge
    losses, both classes weighing the same. The score of an instance is f of a bag of it alone.

    Attributes
    ----------
    X_ : (n, D), standardized instances of the training bags. indptr_ : (K+1,). labels_ : (K,).
    dual_ : (K,). intercept_, gamma_ : float. mean_, scale_ : (D,).

    Notes
    -----
    Zhou, Sun and Li 2009, MIGraph; the edit distance by best matching of nodes with their degrees
    is that of Riesen and Bunke 2009, which is at most too large. Its kernel need not be positive
    definite; what is negative of it is cut off. The graphs of bags of 5 have up to 10 edges, of 50
    up to 1225, and all pairs of edges are compared: TooLarge for a bag of more than 60 instances,
    for more than 60 000 edges together, or 200 000 pairs of bags to match; `mi-graph` compares bags
    of any size. O(edges²), or O(K² size³) for edit.
    """

    compare: str = param(
        "edges", choices=("edges", "edit"), group="Bags", grid=("edges", "edit"),
        help="Edges: nodes and edges of two bags, each with each. Edit: the cheapest way to change "
        "one graph into the other.",
    )
    reach: float = param(
        1.0, low=0, high=100, group="Bags", title="Reach of an edge",
        help="Two instances of a bag nearer than this have an edge, in units of the mean distance "
        "within the bag.",
    )
    C: float = PENALTY
    width: float = WIDTH
    standardize: bool = STANDARDIZE
    state: ClassVar[tuple[str, ...]] = (
        *KeepsBags.state, "dual_", "intercept_", "gamma_", "mean_", "scale_"
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the weights of the training graphs. Raises MissingLabels without a bag of each
        label, TooLarge for large bags, DataError where all instances are the same."""
        watch = Onward(monitor)
        X, training = self._training(X, y, bags, watch)
        learned = X[np.unique(training.bags.members)]
        self.mean_, self.scale_ = centered(learned, standardize=self.standardize)
        spread = np.square((learned - self.mean_) / self.scale_).sum(axis=1).mean()
        if not spread > 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        self.gamma_ = float(1 / (2 * spread * self.width**2))
        self._keep((X - self.mean_) / self.scale_, training.bags)
        known = self._graphs(self.X_, self._kept, watch)
        gram = self._likeness(known, known, Portion(watch, 0.1, 0.6))
        gram = (gram + gram.T) / 2
        values, vectors = np.linalg.eigh(gram)
        kept = vectors[:, values > 0]
        clipped = (kept * values[values > 0]) @ kept.T
        cost = balanced(self.C, self.labels_)
        watch.step(0.6, "Support vectors")
        dual, self.intercept_, settled = support_vectors(clipped, self.labels_, cost,
                                                         tolerance=_TOLERANCE)
        if not settled:
            self.notes_.append(HALFWAY)
        self.dual_ = kept @ (kept.T @ dual)  # weights in the space where the kernel is positive
        self.score_ = self._instance_scores(X, Portion(watch, 0.7, 1.0))
        return self

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        watch = monitored(monitor)
        out = np.full(len(bags), np.nan)
        full = np.flatnonzero(bags.sizes)
        if len(full):
            rows = bags.take(full)
            A = ((X - self.mean_) / self.scale_)[rows.members]
            own = Bags(rows.indptr, np.arange(len(A)), rows.labels, rows.ids, rows.classes)
            known = self._graphs(self.X_, self._kept, watch)
            likeness = self._likeness(self._graphs(A, own, watch), known, watch)
            out[full] = likeness @ self.dual_ + self.intercept_
        return out

    def _graphs(self, A: NDArray, bags: Bags, watch: Monitor) -> "_Graphs":
        """Of bags of rows of A, which lie in their order, none empty. Raises TooLarge."""
        if (largest := int(bags.sizes.max())) > _LARGEST_BAG:
            raise TooLarge(
                f"the graph of a bag of {how_many(largest, 'instance')}, where {_LARGEST_BAG} are "
                "the most",
                hint="Take mi-graph, which compares bags of any size, or smaller bags.",
            )
        edges, ends, degrees = [], [], np.zeros(len(A))
        for k, (start, end) in enumerate(zip(bags.indptr[:-1], bags.indptr[1:], strict=True)):
            watch.step(0.1 * k / len(bags), "Graphs of the bags")
            found, degrees[start:end] = edges_of(A[start:end], self.reach)
            edges.append(found)
            ends.append(len(found))
        if (count := sum(ends)) > _MOST_EDGES and self.compare == "edges":
            raise TooLarge(f"{count} edges of all graphs together, where {_MOST_EDGES} are the "
                           "most", hint="Take mi-graph, a smaller reach, or smaller bags.")
        starts = np.concatenate([[0], np.cumsum(ends)[:-1]]).astype(np.int64)
        return _Graphs(A, bags.indptr[:-1], bags.sizes, degrees, np.concatenate(edges), starts)

    def _likeness(self, a: "_Graphs", b: "_Graphs", watch: Monitor) -> NDArray[np.float64]:
        """k of every pair of graphs, (K, K')."""
        if self.compare == "edges":
            own = [np.sqrt(self._edges_alike(g.alone(k), g.alone(k), watch)[0, 0])
                   for g in (a, b) for k in range(len(g.sizes))]
            norm_a, norm_b = np.array(own[: len(a.sizes)]), np.array(own[len(a.sizes) :])
            return self._edges_alike(a, b, watch) / np.outer(norm_a, norm_b)
        if len(a.sizes) * len(b.sizes) > _MOST_MATCHES:
            raise TooLarge(f"{len(a.sizes) * len(b.sizes)} pairs of graphs to match",
                           hint="Compare edges, or take mi-graph.")
        out = np.empty((len(a.sizes), len(b.sizes)))
        for i in range(len(out)):
            watch.step(i / len(out), _MESSAGE)
            for j in range(out.shape[1]):
                out[i, j] = self._edit(a, i, b, j)
        return np.exp(-out / (2 * self.width**2))

    def _edges_alike(self, a: "_Graphs", b: "_Graphs", watch: Monitor) -> NDArray[np.float64]:
        """s of every pair of graphs."""
        total = set_kernel(a.weighted(), b.weighted(), InstanceKernel(self.gamma_), monitor=watch)
        with_edges = [np.flatnonzero(np.diff(g.edge_starts, append=len(g.edges))) for g in (a, b)]
        if all(map(len, with_edges)):
            one, other = (WeightedBags.of(g.edges, g.edge_starts[own], np.ones(len(g.edges)))
                          for g, own in zip((a, b), with_edges, strict=True))
            total[np.ix_(*with_edges)] += set_kernel(
                one, other, InstanceKernel(1 / (2 * self.width**2)), monitor=watch)
        return total

    def _edit(self, a: "_Graphs", i: int, b: "_Graphs", j: int) -> float:
        """The least mean cost of changing graph i of a into graph j of b."""
        from scipy.optimize import linear_sum_assignment

        (A, deg), (B, other) = a.nodes(i), b.nodes(j)
        n, m, large = len(A), len(B), max(len(A), len(B))
        # gamma is 1 / (2 width² m²)
        change = squared_distances(A, B) * self.gamma_ * self.width**2
        cost = np.zeros((n + m, n + m))
        cost[:n, :m] = change + np.abs(deg[:, None] - other) / large
        cost[:n, m:] = (self.width**2 / 2 + deg / large)[:, None]
        cost[n:, :m] = self.width**2 / 2 + other / large
        return float(cost[linear_sum_assignment(cost)].sum()) / large


class _Graphs(NamedTuple):
    """Nodes A (n, D) of graphs one after the other, from `starts`, of `sizes` (K,); their degrees
    (n,); edges (E, 4), those of graph k from edge_starts[k]."""

    A: NDArray[np.float64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    degrees: NDArray[np.float64]
    edges: NDArray[np.float64]
    edge_starts: NDArray[np.int64]

    def weighted(self) -> WeightedBags:
        """The nodes as bags."""
        return WeightedBags.of(self.A, self.starts, np.ones(len(self.A)))

    def nodes(self, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Nodes and degrees of graph k."""
        rows = slice(self.starts[k], self.starts[k] + self.sizes[k])
        return self.A[rows], self.degrees[rows]

    def alone(self, k: int) -> "_Graphs":
        """Graph k only."""
        A, degrees = self.nodes(k)
        ends = np.append(self.edge_starts, len(self.edges))
        first = np.zeros(1, np.int64)
        return _Graphs(A, first, self.sizes[k : k + 1], degrees,
                       self.edges[ends[k] : ends[k + 1]], first)


def edges_of(A: NDArray, reach: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges (E, 4) of the graph of nodes A (n, D), and their degrees (n,): two nearer than `reach`
    times the mean distance are joined. O(n² D)."""
    n = len(A)
    distance = np.sqrt(squared_distances(A, A))
    limit = reach * distance.sum() / max(n * (n - 1), 1)
    near = (distance < limit) & ~np.eye(n, dtype=bool)
    weight = near / (1 + distance)
    degrees, total = near.sum(axis=1).astype(np.float64), weight.sum(axis=1)
    u, v = np.nonzero(np.triu(near))
    d = degrees / max(len(u), 1)
    share = weight[u, v]
    pairs = np.stack([np.stack([d[u], share / total[u]], axis=1),
                      np.stack([d[v], share / total[v]], axis=1)], axis=1)
    turned = (pairs[:, 0] < pairs[:, 1])[:, 0] | (
        (pairs[:, 0, 0] == pairs[:, 1, 0]) & (pairs[:, 0, 1] < pairs[:, 1, 1]))
    pairs[turned] = pairs[turned][:, ::-1]
    return pairs.reshape(-1, 4), degrees
