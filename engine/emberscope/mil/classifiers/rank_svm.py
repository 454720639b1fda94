"""Ranking SVM: a direction along which the items of positive bags lie above those of negative
ones."""

from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.base.errors import DataError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.classifier import AGGREGATE, best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered

MAX_PAIRS = 10_000
_MAX_ROUNDS = 1000
_TOLERANCE = 0.01  # of the margin
_BLOCK = 5_000_000  # multiplications between two looks at the monitor
_ITEMS = 2000  # up to which the inner products of all of them are kept, 32 MB

PENALTY = param(
    1.0, low=0, open_low=True, high=1e6, group="Ranking", title="Penalty of wrong order",
    grid=(0.01, 0.1, 1.0, 10.0),
    help="Large: no preference is broken if possible; small: a simpler direction.",
)


class Direction(NamedTuple):
    """w : (D,). alpha : (P,) multipliers in [0, limit],
    w = sum alpha (better - worse). settled : or cut short."""

    w: NDArray[np.float64]
    alpha: NDArray[np.float64]
    settled: bool


class RankSVM(ChoosesFeatures):
    """Every item of a positive bag is preferred to every item of a negative bag;
    the score is linear.

    Minimizes 1/2 ||w||^2 + gamma sum_mn zeta_mn so that w'x_m >= w'x_n + 1 - zeta_mn, zeta_mn >= 0,
    over preferences m above n (Herbrich et al. 1999, Joachims 2002; eq 2-9 and 2-10 of McCurley
    2020, where zeta > 0 is a misprint). A bag is its mean (`items` means), or each of its instances
    is an item.

    Attributes
    ----------
    weights_ : (D,) float64, score = (x - mean_)/scale_ weights_ - threshold_. mean_, scale_ : (D,),
    of the training instances. threshold_ : tells most training bags right. score_ : (N,).
    n_pairs_ : preferences used.

    Notes
    -----
    At most 10^4 pairs of a positive and a negative bag are used, drawn by `random_state` where
    there are more; where items are instances each pair of bags gives one pair of instances. So that
    the strength of `penalty` does not depend on the number of pairs P, gamma = penalty K / P for K
    bags. Solved in the dual, coordinate by coordinate (as LIBLINEAR does), without difference
    vectors in memory. Bags of one: the plain ranking SVM of the labels. Bags of 10^5 instances
    work: O(N D) once and O(P D) per round, memory 8 N D.
    """

    items: str = param(
        "means", choices=("means", "instances"), group="Ranking", title="What is ranked",
        help="The means of bags, or the instances in them.",
    )
    penalty: float = PENALTY
    aggregate: str = replace(AGGREGATE, when=("items", "instances"))
    standardize: bool = STANDARDIZE
    random_state: int = RANDOM_STATE
    state = ("mean_", "scale_", "weights_", "threshold_", "n_pairs_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the direction. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        used = training.bags
        self.mean_, self.scale_ = centered(X[np.unique(used.members)], standardize=self.standardize)
        rng = np.random.default_rng(self.random_state)
        better, worse = bag_pairs(used, rng)
        A = self._scaled(X)
        if self.items == "means":
            A = bag_mean(A, used)
        else:
            better, worse = (drawn_members(used, numbers, rng) for numbers in (better, worse))
        limit = self.penalty * len(used) / len(better)
        found = ranking_direction(A, better, worse, limit, rng=rng,
                                  monitor=Portion(watch, 0.1, 0.9))
        if not found.settled:
            self.notes_.append(f"The direction still moved after {_MAX_ROUNDS} rounds; take a "
                               "smaller penalty.")
        self.weights_, self.n_pairs_, self.threshold_ = found.w, len(better), 0.0
        self.threshold_ = best_threshold(used.labels, self._bag_scores(X, used, None))
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        return self

    def _scaled(self, X: NDArray) -> NDArray[np.float64]:
        return np.asarray((X - self.mean_) / self.scale_, np.float64)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        monitored(monitor).step(0.0, "Scoring")
        return linear_scores(X, self.mean_, self.scale_, self.weights_) - self.threshold_

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        if self.items == "means":
            return bag_mean(self._instance_scores(X, monitor), bags)
        return super()._bag_scores(X, bags, monitor)


def linear_scores(
    X: NDArray, mean: NDArray, scale: NDArray, weights: NDArray
) -> NDArray[np.float64]:
    """(X - mean) / scale weights, without a copy of X.
    `mean`, `scale` and `weights` : (D,); returns (N,)."""
    loading = weights / scale
    return np.asarray(X @ loading - mean @ loading, np.float64)


def bag_pairs(
    bags: Bags, rng: np.random.Generator, *, most: int = MAX_PAIRS
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(P,) numbers of positive and of negative bags, every pair of them,
    or `most` different ones by lot."""
    positive, negative = np.flatnonzero(bags.labels > 0), np.flatnonzero(bags.labels < 0)
    total = len(positive) * len(negative)
    pair = np.arange(total) if total <= most else np.sort(rng.choice(total, most, replace=False))
    return positive[pair // len(negative)], negative[pair % len(negative)]


def group_pairs(
    bags: Bags, rng: np.random.Generator, *, most: int = MAX_PAIRS
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As `bag_pairs`, of pairs of bags of one group (`Bags.groups`) only.

    Raises DataError where no group holds a positive and a negative bag.
    """
    group = np.arange(len(bags)) if bags.groups is None else bags.groups
    better, worse = [], []
    for one in np.unique(group[bags.labels > 0]):
        inside = np.flatnonzero(group == one)
        high, low = inside[bags.labels[inside] > 0], inside[bags.labels[inside] < 0]
        better.append(np.repeat(high, len(low)))
        worse.append(np.tile(low, len(high)))
    pairs = np.concatenate(better), np.concatenate(worse)
    if not len(pairs[0]):
        raise DataError("no group holds a positive and a negative bag",
                        hint="Label a target and some background on the same frames, give a point "
                             "set the array group, or compare all bags.")
    if len(pairs[0]) > most:
        kept = np.sort(rng.choice(len(pairs[0]), most, replace=False))
        return pairs[0][kept], pairs[1][kept]
    return pairs


def drawn_members(bags: Bags, numbers: NDArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """One instance of every bag named, by lot.
    `numbers` : (k,) of bags that are not empty; returns (k,)."""
    return bags.members[bags.indptr[numbers] + rng.integers(bags.sizes[numbers])]


def ranking_direction(
    A: NDArray[np.float64], better: NDArray, worse: NDArray, limit: float, *,
    rng: np.random.Generator,
    alpha: NDArray[np.float64] | None = None, tolerance: float = _TOLERANCE,
    monitor: Monitor | None = None,
) -> Direction:
    """argmin_w 1/2 ||w||^2 + limit sum_p max(0, 1 - w'(A[better_p] - A[worse_p])),
    by dual coordinate descent.

    alpha : multipliers to start from. Ends when no multiplier moves a margin by more than
    `tolerance`, or after 1000 rounds. Few multipliers move in a round, one in a hundred on real
    bags: up to 2000 items their inner products are kept, and a round is O(P + moves items). Above
    it is O(P D).
    """
    watch = monitored(monitor)
    alpha = np.zeros(len(better)) if alpha is None else alpha.copy()
    few = len(A) <= _ITEMS
    table = np.ascontiguousarray(A @ A.T) if few else A
    state = table @ _net(alpha, better, worse,
                         len(A)) if few else _net(alpha, better, worse, len(A)) @ A
    descend, settled = _descend_products if few else _descend, False
    for done in range(_MAX_ROUNDS):
        order = rng.permutation(len(better))
        low, high = np.inf, -np.inf
        for part in slices(len(order), _BLOCK // max(table.shape[1], 1)):
            a, b = descend(table, better, worse, order[part], alpha, limit, state)
            low, high = min(low, a), max(high, b)
            watch.step(done / _MAX_ROUNDS, "Ranking")
        if high - low <= tolerance:
            settled = True
            break
    return Direction(_net(alpha, better, worse, len(A)) @ A if few else state, alpha, settled)


def _net(alpha: NDArray, better: NDArray, worse: NDArray, n: int) -> NDArray[np.float64]:
    """How much every item counts in w, (n,)."""
    return np.asarray(np.bincount(better, alpha, n) - np.bincount(worse, alpha, n), np.float64)


@njit(cache=True, nogil=True)
def _descend_products(
    G: NDArray, better: NDArray, worse: NDArray, order: NDArray, alpha: NDArray, limit: float,
    score: NDArray
) -> tuple[float, float]:
    """`_descend` on the inner products G of the items, with their scores w'a instead of w."""
    low, high = np.inf, -np.inf
    for p in order:
        a, b = better[p], worse[p]
        square = G[a, a] + G[b, b] - 2 * G[a, b]
        if square <= 1e-12 * (G[a, a] + G[b, b]):
            continue  # equal items: nothing can order them
        gradient = score[a] - score[b] - 1
        if (alpha[p] <= 0 and gradient > 0) or (alpha[p] >= limit and gradient < 0):
            gradient = 0.0  # the bound holds it
        low, high = min(low, gradient), max(high, gradient)
        if gradient == 0:
            continue
        step = min(max(alpha[p] - gradient / square, 0.0), limit) - alpha[p]
        for j in range(len(score)):
            score[j] += step * (G[a, j] - G[b, j])
        alpha[p] += step
    return low, high


@njit(cache=True, nogil=True)
def _descend(
    A: NDArray, better: NDArray, worse: NDArray, order: NDArray, alpha: NDArray, limit: float,
    w: NDArray
) -> tuple[float, float]:
    """One round over the pairs (Hsieh et al.
    2008); the smallest and largest projected gradient seen."""
    low, high = np.inf, -np.inf
    for p in order:
        a, b = A[better[p]], A[worse[p]]
        margin, square = 0.0, 0.0
        for j in range(len(w)):
            step = a[j] - b[j]
            margin += w[j] * step
            square += step * step
        if square == 0:
            continue  # equal items: nothing can order them
        gradient = margin - 1
        if (alpha[p] <= 0 and gradient > 0) or (alpha[p] >= limit and gradient < 0):
            gradient = 0.0  # the bound holds it
        low, high = min(low, gradient), max(high, gradient)
        if gradient == 0:
            continue
        new = min(max(alpha[p] - gradient / square, 0.0), limit)
        for j in range(len(w)):
            w[j] += (new - alpha[p]) * (a[j] - b[j])
        alpha[p] = new
    return low, high
