"""MidLABS: discriminant analysis of bags that also looks at how the instances of a bag lie to each
other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.embedding.linear.cross_validated import cross_validated_ridge
from emberscope.embedding.linear.generalized import in_span, ratio_axes
from emberscope.mil.reduction.discriminants import DIMENSIONS
from emberscope.mil.reduction.linear import LinearReduction
from emberscope.mil.scaling import STANDARDIZE
from emberscope.neighbors.spectral import fix_signs

# directions in which the instances vary; several matrices of that size squared are held
LARGEST_SPAN = 8_000
_LEAST_RIDGE = 1e-3
_EDGE_PAIRS = 1 << 28  # pairs of instances compared for edges, in all bags together
_MEDIAN_PAIRS = 1 << 22  # pairs of which the median distance is taken
_BLOCK = 1 << 22  # numbers in a block of pairs: 32 MB
_WIDEST = 2_048  # members of one bag that are compared: a block of pairs


class MidLABS(LinearReduction):
    """The straight directions in which bags of different labels differ most for how bags of one
    label differ.

    Two bags differ by all pairs of their instances, and by all pairs of their edges: differences of
    instances of one bag that lie near each other.

    Attributes
    ----------
    components_ : (D, d) float64: within bags of one label,
        the mean squared difference of instances is 2 along each.
    mean_, scale_ : (D,). eigenvalues_ : (c,) ratios between / within, descending.
        eps_ : float, the length of edges.
    score_ : (N,), position between the mean of negative bags (-) and of positive bags (+) in the
        embedding.

    Notes
    -----
    Ping, Xu, Ren, Chi and Shen 2010 (with the edge term corrected): K_ij = mean over instances a of
    i, b of j of (x_a - x_b)(.)' + C sum over edges e of i, f of j of (e - f)(.)' / (n_i n_j)²;
    S_b = sum of K_ij over pairs of bags of different label, S_w of equal label
    (i = j only where `own_pairs`), w'S_b w / w'(S_w + ridge tr(S_w)/D) w is made largest. An edge
    is a difference x_a - x_b of two instances of a bag less than eps apart, both ways round, so
    that edges sum to 0. Scatters are divided by the number of their pairs of bags, which scales all
    ratios alike. The ridge is by itself the one with which a regression of the labels on features
    predicts those of left-out bags best, see `cross_validated_ridge`, at least 1e-3: with fewer
    bags than features less of it finds axes on which other bags are noise. With bags of one and
    balanced labels, C does not matter and the first axis is Fisher's; further axes are those of the
    next ratios.

    Closed form, no loop over pairs of bags: O(N D²) for instances, O(sum n_i² D + N D²) for edges,
    O(D³); where N <= D in the span of the instances. A large bag (above 2048 instances, less where
    all bags together have more than 2.7e8 pairs) shows its edges by as many of its instances,
    evenly spread along a fixed direction; that is noted.
    """

    n_components: int = DIMENSIONS
    edge_weight: float = param(
        1.0, low=0, high=1e6, group="Embedding", title="Weight of edges C", grid=(0.01, 1.0, 100.0),
        help="How much the edges within bags count beside the instances; 0 leaves them out.",
    )
    eps: float | None = param(
        None, low=0, open_low=True, group="Graph", title="Length of edges",
        auto="the median distance within bags",
        help="Instances of a bag nearer to each other than this make an edge.",
    )
    ridge: float | None = param(
        None, low=0, high=100, group="Embedding", advanced=True, grid=(1e-3, 0.1, 1.0),
        auto="what predicts the labels of left-out bags best",
        help="Added to the spread within one label, as a share of its mean; more is safer with "
        "few bags.",
    )
    own_pairs: bool = param(
        False, group="Embedding", title="Compare a bag with itself", advanced=True,
        help="Count the spread inside each bag as spread within its label once more.",
    )
    standardize: bool = STANDARDIZE
    state = (*LinearReduction.state, "eigenvalues_", "eps_", "score_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes. Raises MissingLabels without a positive and a negative bag, TooLarge."""
        watch = monitored(monitor)
        X, _, training = self._training(X, y, bags)
        if min(X.shape) > LARGEST_SPAN:
            raise TooLarge(
                f"MidLABS of {X.shape[1]} features",
                hint=f"Choose at most {LARGEST_SPAN}, or PCA first."
            )
        watch.step(0.0, "Scatter of bags")
        A, mean, scale = self._scaled(X)
        inner, _, basis = in_span(A, np.zeros(A.shape[1]))
        eps, between, within = self._scatters(inner, training.bags, Portion(watch, 0.05, 0.8))
        watch.step(0.8, "Axes")
        ridge = self._share(inner, training.bags,
                            Portion(watch, 0.8, 0.9)) * np.trace(within) / X.shape[1]
        if not within.any():  # one bag of one instance per label
            ridge = 1.0
        values, W = ratio_axes(between, within + ridge * np.eye(len(within)), self.n_components)
        W = W if basis is None else fix_signs(basis @ W)
        score = _toward_positive(A @ W, training.bags)
        self.eps_, self.eigenvalues_ = eps, values
        self.mean_, self.scale_, self.components_ = mean, scale, self._padded(W)
        self.score_ = score
        self.embedding_ = self._project(X, Portion(watch, 0.95, 1.0))
        return self

    def _share(self, A: NDArray, bags: Bags, watch: Monitor) -> float:
        """The ridge as a share of the mean spread within a label."""
        if self.ridge is not None:
            return float(self.ridge)
        label, weight = (np.repeat(values, bags.sizes)
                         for values in (bags.labels, 1 / np.maximum(bags.sizes, 1)))
        share = cross_validated_ridge(
            A[bags.members], label, np.where(label != 0, weight, 0.0), group=bags.bag_of_member,
            monitor=watch
        )
        return max(share, _LEAST_RIDGE)

    def _scatters(self, A: NDArray, bags: Bags, watch: Monitor) -> tuple[float, NDArray, NDArray]:
        """Length of edges, S_b and S_w."""
        eps = 0.0
        if self.edge_weight > 0:
            eps = median_distance(A, bags,
                                  Portion(watch, 0.0, 0.2)) if self.eps is None else float(self.eps)
            cap = members_compared(bags.sizes, _EDGE_PAIRS)
            if (bags.sizes > cap).any():
                self.notes_.append(f"Edges of bags with more than {cap} instances are those among "
                                   f"{cap} of them.")
        positive, negative = (
            bag_moments(A, bags, np.flatnonzero(bags.labels == label), eps,
                        watch=Portion(watch, *part))
            for label, part in ((1, (0.2, 0.6)), (-1, (0.6, 1.0)))
        )
        both = [positive, negative]
        within = within_scatter(both, self.edge_weight, own_pairs=self.own_pairs)
        if not self.own_pairs and not within.any():
            self.notes_.append("Each label has one bag: the spread inside it stands for that "
                               "within the label.")
            within = within_scatter(both, self.edge_weight, own_pairs=True)
        return eps, between_scatter(positive, negative, self.edge_weight), within


@dataclass(frozen=True, slots=True)
class Moments:
    """What the scatters need of the bags i of one label.

    n_bags : K. mean : (D,), of bag means m_i. inside : (D, D), sum of the covariances of bags.
    spread : (D, D), sum of (m_i - mean)(.)'. rate : sum of r_i = edges of i / n_i². edges : (D, D),
    sum of E_i = sum over edges of ee' / n_i². own_edges : (D, D), sum of r_i E_i.
    """

    n_bags: int
    mean: NDArray
    inside: NDArray
    spread: NDArray
    rate: float
    edges: NDArray
    own_edges: NDArray


def bag_moments(A: NDArray, bags: Bags, chosen: NDArray, eps: float, *, watch: Monitor) -> Moments:
    """The moments of the `chosen` bags; eps 0 leaves out the edges. `A` : (N, D).
    `chosen` : (k,) numbers of bags."""
    dim = A.shape[1]
    means = bag_mean(A, bags)[chosen]
    inside = np.zeros((dim, dim))
    sizes = bags.sizes[chosen]
    for start, stop in _portions(sizes, max(1, _BLOCK // dim)):
        watch.step(0.3 * start / len(chosen), "Scatter of bags")
        rows = np.concatenate([bags.of(k) for k in chosen[start:stop].tolist()])
        part = A[rows] - np.repeat(means[start:stop], sizes[start:stop], axis=0)
        part /= np.sqrt(np.repeat(sizes[start:stop], sizes[start:stop]))[:, None]
        inside += part.T @ part
    mean = means.mean(axis=0)
    off = means - mean
    rate, edges, own = (0.0, np.zeros((dim, dim)), np.zeros((dim, dim)))
    if eps > 0:
        rate, edges, own = _edge_moments(A, bags, chosen, eps, Portion(watch, 0.3, 1.0))
    return Moments(len(chosen), mean, inside, off.T @ off, rate, edges, own)


def between_scatter(a: Moments, b: Moments, C: float) -> NDArray:
    """Mean of K_ij over the pairs of bags of different label, halved."""
    delta = a.mean - b.mean
    nodes = b.n_bags * (a.inside + a.spread) + a.n_bags * (b.inside + b.spread)
    nodes += a.n_bags * b.n_bags * np.outer(delta, delta)
    edges = b.rate * a.edges + a.rate * b.edges
    return _symmetric(nodes + C * edges) / (2 * a.n_bags * b.n_bags)


def within_scatter(labels: list[Moments], C: float, *, own_pairs: bool) -> NDArray:
    """Mean of K_ij over the pairs of bags of equal label, halved;
    a bag with itself only with `own_pairs`."""
    total, pairs = np.zeros_like(labels[0].inside), 0
    for m in labels:
        others = m.n_bags if own_pairs else m.n_bags - 1
        total += others * m.inside + m.n_bags * m.spread
        total += C * (m.rate * m.edges - (0 if own_pairs else m.own_edges))
        pairs += others * m.n_bags
    return _symmetric(total) / max(pairs, 1) if pairs else np.zeros_like(total)


def median_distance(A: NDArray, bags: Bags, watch: Monitor) -> float:
    """Between two instances of a bag, over all bags (of large bags over pairs of some instances);
    0 for bags of one.

    `A` : (N, D).
    """
    found = [np.empty(0)]
    cap = members_compared(bags.sizes, _MEDIAN_PAIRS)
    for _, block in _bag_blocks(A, bags, np.arange(len(bags)), cap, watch):
        upper = np.triu_indices(block.shape[1], 1)
        found.append(_squared_distances(block)[:, upper[0], upper[1]].ravel())
    every = np.concatenate(found)
    return float(np.sqrt(max(np.median(every), 0.0))) if len(every) else 0.0


def members_compared(sizes: NDArray, budget: int) -> int:
    """How many instances a bag may show so that all bags together have at most `budget` pairs;
    at least 16.

    `sizes` : (K,), members per bag.
    """
    low, high = 16, _WIDEST
    while low < high:
        middle = (low + high + 1) // 2
        fits = np.square(np.minimum(sizes, middle).astype(np.float64)).sum() <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _edge_moments(
    A: NDArray, bags: Bags, chosen: NDArray, eps: float, watch: Monitor
) -> tuple[float, NDArray, NDArray]:
    """sum r_i, sum E_i, sum r_i E_i. Edges of a bag are x'Lx of its graph,
    L = degrees - neighbors, twice."""
    dim = A.shape[1]
    rate, edges, own = 0.0, np.zeros((dim, dim)), np.zeros((dim, dim))
    # the pair whose distance is the median is no edge, whatever the rounding
    nearer = eps**2 * (1 - 1e-9)
    for size, block in _bag_blocks(A, bags, chosen, members_compared(bags.sizes, _EDGE_PAIRS),
                                   watch):
        near = (_squared_distances(block) < nearer).astype(np.float64)
        near[:, np.arange(size), np.arange(size)] = 0.0
        degree = near.sum(axis=2)
        r = degree.sum(axis=1) / size**2
        image = (degree[:, :, None] * block - near @ block) * (2 / size**2)
        flat = block.reshape(-1, dim)
        rate += r.sum()
        edges += flat.T @ image.reshape(-1, dim)
        own += flat.T @ (r[:, None, None] * image).reshape(-1, dim)
    return rate, edges, own


def _bag_blocks(
    A: NDArray, bags: Bags, chosen: NDArray, cap: int, watch: Monitor
) -> Iterator[tuple[int, NDArray]]:
    """Size n and rows (b, n, D), about their means, of bags of equal size n >= 2,
    at most `cap` members of each."""
    shown = np.minimum(bags.sizes[chosen], cap)
    done, total = 0.0, max(float(np.square(shown.astype(np.float64)).sum()), 1.0)
    for size in np.unique(shown[shown > 1]).tolist():
        same = chosen[shown == size]
        for part in slices(len(same), _BLOCK // (size * (size + 2 * A.shape[1]))):
            watch.step(min(done / total, 1.0), "Edges within bags")
            rows = np.stack([_spread_members(A, bags.of(k), cap) for k in same[part].tolist()])
            block = A[rows]
            yield size, block - block.mean(axis=1, keepdims=True)
            done += size**2 * len(rows)


def _spread_members(A: NDArray, rows: NDArray, cap: int) -> NDArray:
    """At most `cap` rows, evenly spread along a fixed direction:
    the same ones in whatever order they come."""
    if len(rows) <= cap:
        return rows
    direction = np.random.default_rng(0).standard_normal(A.shape[1])
    order = np.argsort(A[rows] @ direction, kind="stable")
    return rows[order[((np.arange(cap) + 0.5) * len(rows) / cap).astype(np.int64)]]


def _squared_distances(block: NDArray) -> NDArray:
    """(b, n, D) -> (b, n, n)."""
    norms = np.square(block).sum(axis=2)
    return norms[:, :, None] + norms[:, None, :] - 2 * (block @ block.transpose(0, 2, 1))


def _portions(sizes: NDArray, rows: int) -> Iterator[tuple[int, int]]:
    """Runs of consecutive bags of about `rows` members together, one bag at least."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + rows, side="right")))
        yield start, stop
        start = stop


def _toward_positive(Z: NDArray, bags: Bags) -> NDArray:
    """Position of every row between the means of the negative and the positive bags,
    0 in the middle, (N,)."""
    means = bag_mean(Z, bags)
    positive, negative = (means[bags.labels == label].mean(axis=0) for label in (1, -1))
    return (Z - (positive + negative) / 2) @ (positive - negative)


def _symmetric(S: NDArray) -> NDArray:
    return (S + S.T) / 2
