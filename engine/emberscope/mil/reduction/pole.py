"""pOLE: p-order Laplacian embedding, LPP that does not trust every edge of the graph."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, ChoosesGraph
from emberscope.mil.classifier import check_members
from emberscope.mil.halves import area
from emberscope.mil.reduction.linear import Scaled
from emberscope.mil.reduction.reweighted import power_axes
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.neighbors.duplicates import Distinct, distinct_rows
from emberscope.neighbors.graph import affinity
from emberscope.neighbors.search import nearest, neighbors_within

LARGEST_RANK = 5000  # every step solves an eigenproblem of this size
FULL_GRAPH = 30  # instances up to which all pairs of a bag are edges
_FEW = 5  # instances that hold most of an axis; an embedding of so few is worth a note
_NEAR = 10  # instances that tell the label of a bag
_SAMPLE = 1000
_LOST = 0.1  # of the area under the curve
_TYPICAL = 0.9  # share of background instances that count as lying where background is dense

POWER = param(
    1.0, low=0, open_low=True, high=2, title="Power p", group="Embedding",
    help="Power of the distances that are summed: 2 is LPP; near 1 wrong edges of the graph count "
    "for less.",
)


class POLE(Scaled, ChoosesGraph):
    """Straight axes along which neighbors stay near,
    by the p-th power of their distance instead of the square.

    Minimizes sum_ij s_ij |W'(a_i - a_j)|^p with W' A'DA W = I over W (D, d), a the standardized
    instances, s heat kernel affinities of the neighborhood graph, D their row sums scaled to sum 1:
    coordinates have weighted variance 1.

    Attributes
    ----------
    components_ : (D, d) float64. mean_, scale_ : (D,).
        Z = (X - mean_)/scale_ components_; the mean is weighted by D.
    eigenvalues_ : (d,) ascending, of the last reweighted Laplacian.
        history_ : (T,) the smoothed objective;
    stage_ : (T,) int64, its smoothing stage: it never rises within one. n_iter_ : int,
        eigenproblems after the start.

    Notes
    -----
    Elbeleidy 2018 (eq 4.2), with its corrections: the constraint is the one with D (eq 4.1 prints
    another), D stays that of the graph, coincident points are smoothed, the constant direction is
    taken out by centering, and the range basis stands for the inverse of a singular matrix. Not
    convex: the start is LPP; `n_restarts` tries random ones too. The heat kernel tunes its width to
    each instance, as in LPP: with one width for all, instances far from the others get next to no
    degree, and axes then set a single one of them apart. The ridge acts on both sides as in LPP;
    the printed one-sided form prefers directions without spread.

    Needs no labels. With bags, `same_bag` g takes S = (1 - g) S_all + g S_within bags, both of sum
    1 (bags of more than 30 have the nearest pairs as edges, so that any size will do).
    `supervision` v weakens edges between target and background by the factor 1 - v: background is
    what lies in a negative bag or has y < 0; target is what lies in a positive bag, unless
    background is dense there (as near to its k-th background instance as 9 of 10 background
    instances are), or what y alone calls so. Copies of an instance count once. The parts of a graph
    are not joined; axes that tell them apart come first.

    O(N k D) after the search, then per step O(N k r + N r² + r³) for rank r <= min(N, D); about 30
    to 100 steps, more for p near 0. A power below 2 can prefer to set single instances apart that
    rare features tell from all others; that is noted. As a reduction before a classifier it can mix
    classes that the features tell apart; with bags, the 10 nearest instances of other bags tell
    whether it does, and that is noted.
    """

    n_components: int = N_COMPONENTS
    p: float = replace(POWER, grid=(0.5, 1.0, 1.5, 2.0))
    n_neighbors: int = replace(N_NEIGHBORS, default=10)
    graph: str = GRAPH
    radius: float | None = replace(RADIUS, unit="standardized feature distance")
    sigma: float | None = param(
        None, low=0, open_low=True, unit="feature distance", group="Graph", advanced=True,
        auto="each instance's distance to its 7th neighbor",
        help="Width of the heat kernel exp(-d² / (2 sigma²)), in units of the standardized "
        "features.",
    )
    standardize: bool = STANDARDIZE
    ridge: float = param(
        0.0, low=0, high=1, group="Embedding", advanced=True,
        help="Share of the largest spread added to every direction; 0.01 is safer with fewer "
        "instances than features.",
    )
    same_bag: float = param(
        0.0, low=0, high=1, title="Weight of bags", group="Supervision",
        help="Share of the edges that lie within bags; 0 does not look at bags.",
    )
    supervision: float = param(
        0.0, low=0, high=1, group="Supervision",
        help="How far edges between target and background are weakened; 0 does not look at labels.",
    )
    n_restarts: int = param(
        0, low=0, high=100, title="Random starts", group="Computation", advanced=True,
        help="Further starts beside LPP; the best ending counts.",
    )
    max_iter: int = param(
        200, low=1, high=10_000, title="Steps at most", group="Computation", advanced=True,
        help="Steps of each of the three smoothing stages.",
    )
    state = (*Scaled.state, "eigenvalues_", "history_", "stage_", "n_iter_")

    @property
    def reads_labels(self) -> bool:
        return self.supervision > 0

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes; labels and bags are optional,
        and looked at only where `supervision`, `same_bag` ask for it.

        Raises ParamError, DataError; TooLarge where both instances and features are more than 5000.
        """
        watch = monitored(monitor)
        asked = isinstance(self.supervision, float | int) and self.supervision > 0
        X, labels = self._validate(X, y, bags, labels="optional") if asked else self._validate(X)
        if bags is not None:
            check_members(bags, len(X))
        self._check_rank(X.shape)
        mean, scale = centered(distinct_rows(X).select(X), standardize=self.standardize)
        A = (X - mean) / scale
        # what rounding alone tells apart is a copy too
        distinct = self._distinct(A, self.n_components)
        A = distinct.select(A)
        if min(A.shape) > LARGEST_RANK:
            raise TooLarge(
                f"{len(A)} instances of {A.shape[1]} features may vary in more than {LARGEST_RANK} "
                "directions",
                hint="Reduce the features first, for instance by PCA.",
            )
        S = self._edges(A, distinct, labels if y is not None else None, bags,
                        Portion(watch, 0.0, 0.4))
        found = power_axes(
            A, S, self.n_components, p=self.p, ridge=self.ridge, n_restarts=self.n_restarts,
            max_iter=self.max_iter, monitor=Portion(watch, 0.4, 0.9),
        )
        if not found.converged:
            self.notes_.append("The steps ran out before the axes settled; allow more.")
        self.mean_, self.scale_ = (
            mean + np.where(np.isfinite(scale), scale, 0.0) * found.mean, scale
        )
        self.components_ = self._padded(found.W)
        self.eigenvalues_, self.history_, self.stage_ = found.values, found.history, found.stage
        self.n_iter_ = max(1, found.n_iter)
        self.embedding_ = self._project(X, Portion(watch, 0.9, 1.0))
        self._note_few(self.embedding_[distinct.rows].astype(np.float64))
        if bags is not None:
            self.notes_ += lost_note((X - mean) / scale, self.embedding_.astype(np.float64), bags)
        return self

    def _note_few(self, Z: NDArray) -> None:
        """Below 2 a power can find it best to set one instance apart from all others."""
        energy = np.square(Z - Z.mean(axis=0))
        total = np.square(energy).sum(axis=0)
        count = np.divide(energy.sum(axis=0) ** 2, total, out=np.full(len(total), np.inf),
                          where=total > 0)
        few = np.flatnonzero(count < min(_FEW, len(Z) / 10)) + 1
        if len(few):
            axes = ("Axis " if len(few) == 1 else "Axes ") + ", ".join(map(str, few))
            verb = "sets" if len(few) == 1 else "set"
            self.notes_.append(
                f"{axes} {verb} fewer than {_FEW} instances apart from all others: look at these, "
                "choose p nearer 2, or do not standardize."
            )

    def _edges(
        self, A: NDArray, distinct: Distinct, y: NDArray | None, bags: Bags | None, watch: Monitor
    ) -> csr_array:
        """Affinities of the distinct instances."""
        neighbors = self._neighbors(A, self.n_neighbors, Portion(watch, 0.0, 0.6))
        watch.step(0.6, "Neighborhood graph")
        graph = self._chosen_graph(A, neighbors, Portion(watch, 0.6, 0.7))
        self.notes_.extend(graph.notes)
        S = affinity(graph, neighbors, sigma=self.sigma)
        if self.same_bag > 0:
            S = self._with_bags(A, S, distinct, bags, Portion(watch, 0.7, 0.8))
        if self.supervision > 0:
            S = self._supervised(A, S, distinct, y, bags, Portion(watch, 0.8, 1.0))
        return S

    def _with_bags(
        self, A: NDArray, S: csr_array, distinct: Distinct, bags: Bags | None, watch: Monitor
    ) -> csr_array:
        within = None if bags is None else bag_affinity(
            A, bags, distinct.inverse, n_neighbors=self.n_neighbors, monitor=watch
        )
        if within is None or within.sum() == 0:
            self.notes_.append(
                "There are no bags of several instances; their weight has no effect."
            )
            return S
        return csr_array((1 - self.same_bag) * (S / S.sum()) + self.same_bag
                         * (within / within.sum()))

    def _supervised(
        self, A: NDArray, S: csr_array, distinct: Distinct, y: NDArray | None, bags: Bags | None,
        watch: Monitor
    ) -> csr_array:
        side = sides(A, distinct, y, bags, self.n_neighbors, watch)
        if not ((side > 0).any() and (side < 0).any()):
            self.notes_.append("There are no labels of target and background to use.")
            return S
        return weakened(S, side, 1 - self.supervision)


def lost_note(A: NDArray, Z: NDArray, bags: Bags) -> list[str]:
    """Say that axes Z (N, d) mix classes that the features A (N, D) tell apart;
    nothing where they do not.

    Every second bag is classified by the 10 nearest instances of the others; up to 1000 instances
    of either half. Both the difference and what is left are judged by the area under the ROC curve.
    """
    halves = [_half(bags, start) for start in (0, 1)]
    if any(len(np.unique(labels)) < 2 or len(rows) <= _NEAR for rows, labels in halves):
        return []
    (known, label), (asked, truth) = halves
    areas = []
    for values in (A, Z):
        near = nearest(np.ascontiguousarray(values[known]), np.ascontiguousarray(values[asked]),
                       _NEAR).idx
        areas.append(area(label[near].mean(axis=1), truth > 0))
    before, after = areas
    if before - after < _LOST:
        return []
    return [
        "These axes mix what bag labels tell apart: neighbors in the features know the label of a "
        f"bag with an area under the curve of {before:.2f}, along the axes {after:.2f}. A method "
        "that reads labels keeps more."
    ]


def _half(bags: Bags, start: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Up to 1000 rows of every second labeled bag of either label, evenly spaced,
    and their labels."""
    numbers = np.concatenate([np.flatnonzero(bags.labels == sign)[start::2] for sign in (-1, 1)])
    some = bags.take(numbers)
    n = len(some.members)
    kept = np.arange(min(_SAMPLE, n)) * n // min(_SAMPLE, n)
    return some.members[kept], some.labels[some.bag_of_member[kept]]


def kernel_width2(lengths: NDArray) -> float:
    """The median squared length of edges that have one.
    Raises DataError where there is none. `lengths` : (edges,)."""
    positive = lengths[lengths > 0]
    if not len(positive):
        raise DataError("all instances are the same",
                        hint="Choose other features or more instances.")
    return float(np.median(positive**2))


def bag_affinity(
    A: NDArray, bags: Bags, row: NDArray, *, n_neighbors: int, monitor: Monitor | None = None
) -> csr_array:
    """Heat kernel affinities of pairs that share a bag: all pairs of up to 30 instances,
    else k-NN within the bag.

    A : (U, D). row : (N,) the row of A of every instance that bags name. The kernel is exp(-d²/m),
    m the median squared length of these edges.
    """
    n = len(A)
    pairs = _bag_pairs(A, bags, row, n_neighbors, monitored(monitor))
    keys = np.unique(np.concatenate([np.empty(0, np.int64), *pairs]))
    low, high = np.divmod(keys, n)
    if not len(keys):
        return csr_array((n, n), dtype=np.float64)
    squared = np.concatenate([
        np.square(A[low[at : at + 4096]] - A[high[at : at + 4096]]).sum(axis=1)
        for at in range(0, len(keys), 4096)
    ])
    weight = np.maximum(np.exp(-squared / kernel_width2(np.sqrt(squared))), 1e-300)
    both = np.concatenate([low, high]), np.concatenate([high, low])
    return coo_array((np.concatenate([weight, weight]), both), (n, n)).tocsr()


def _bag_pairs(
    A: NDArray, bags: Bags, row: NDArray, n_neighbors: int, watch: Monitor
) -> Iterator[NDArray[np.int64]]:
    """Keys low * n + high of the pairs of each bag."""
    for k in range(len(bags)):
        watch.step(k / len(bags), "Edges within bags")
        own = np.unique(row[bags.of(k)])
        if len(own) <= FULL_GRAPH:
            i, j = np.triu_indices(len(own), 1)
            first, second = own[i], own[j]
        else:
            found = neighbors_within(A[own], min(n_neighbors, len(own) - 1),
                                     monitor=Portion(watch, k / len(bags), 1.0))
            first, second = np.repeat(own, found.k), own[found.idx.ravel()]
        yield np.minimum(first, second) * len(A) + np.maximum(first, second)


def sides(
    A: NDArray, distinct: Distinct, y: NDArray | None, bags: Bags | None, k: int, watch: Monitor
) -> NDArray[np.int8]:
    """+1 target, -1 background, 0 neither, of every distinct instance.

    With bags, y > 0 adds nothing: an instance of a positive bag is a target unless background is
    dense around it.
    `A` : (n, D), distinct rows; returns (n,).
    """
    out = np.zeros(len(A), np.int8)
    if y is not None and bags is None:
        out[distinct.inverse[y > 0]] = 1
    if bags is not None:
        spread = bags.labels[bags.bag_of_member]
        out[distinct.inverse[bags.members[spread > 0]]] = 1
        out[distinct.inverse[bags.members[spread < 0]]] = -1
    if y is not None:
        out[distinct.inverse[y < 0]] = -1
    target, background = np.flatnonzero(out > 0), np.flatnonzero(out < 0)
    if bags is not None and len(target) and len(background) > 1:
        k = min(k, len(background) - 1)
        N = np.ascontiguousarray(A[background])
        usual = neighbors_within(N, k, monitor=Portion(watch, 0.0, 0.5)).dist[:, -1]
        reach = nearest(N, np.ascontiguousarray(A[target]), k,
                        monitor=Portion(watch, 0.5, 1.0)).dist[:, -1]
        out[target[reach <= np.quantile(usual, _TYPICAL)]] = 0
    return out


def weakened(S: csr_array, side: NDArray, factor: float) -> csr_array:
    """S with edges between opposite sides times `factor`. `S` : (n, n).
    `side` : (n,), -1, 0 or +1."""
    out = S.copy()
    rows = np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))
    out.data[side[rows] * side[S.indices] < 0] *= factor
    return out
