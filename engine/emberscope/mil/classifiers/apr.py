"""ID-APR: a box in few features that holds an instance of every positive bag,
by iterated discrimination."""

from dataclasses import dataclass, replace
from itertools import count
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from emberscope.bags.folds import bag_groups
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import DataError
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Onward, Portion
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE, BagClassifier
from emberscope.mil.classifiers.apr_features import features_around
from emberscope.mil.halves import area, chance_error, halves
from emberscope.mil.scaling import STANDARDIZE, z_score

_HALVINGS = 2  # in which boxes are judged; one alone judges by luck
_SEEDS = 30  # instances tried as the first of the box
_PASSES = 10  # over the choices made, after each new one
_BISECTIONS = 50
_LEAST_SPREAD = 0.1  # of the background, in units of the spread of all instances
# sum of the shares of bags of either label that are classified right: less,
# and half of one label is wrong
_RULE = 1.5
_CLEARLY = 2.5  # standard errors above chance in which a box must rank held-out bags otherwise
_FLOOR = 0.1  # least width of the kernel that expands the box, in units of the spread of a feature


class APR(BagClassifier):
    """An instance is a target inside the box low_ to high_ of the features that matter.

    It begins with all features, or with the few in which intervals around the first instance tell
    most, whichever ranks bags held out better. Three steps, the first two repeated until no feature
    is dropped:

    grow: from one instance, take again and again the instance of a bag not yet covered that widens
    the box least (sum of widths), each time going over the earlier choices once more (backfitting);
    discriminate: keep, one after the other, the feature that tells most of the remaining negative
    instances from the box; it does so where one lies more than `margin` outside, or farther outside
    than in any other feature; expand: in each feature kept a Gaussian kernel estimate of the chosen
    values, of such width that `tau` of one kernel in the middle of the box lies inside it; the box
    becomes the interval that holds all but `epsilon` of the estimate.

    The score of an instance inside is its distance to the nearest wall, outside it is minus its
    distance to the box, in units of the spread of the background: of the instances of negative
    bags, because targets would widen just the features that tell them. Without `standardize` all
    features share one unit, the root mean square of their spreads.

    Attributes
    ----------
    low_, high_ : (F,), the box in features of that unit. features_ : (F,) int64, the features that
    matter, ascending; none where no box tells the bags apart. rest_ : float, the score of
    everything then, the share of positive training bags less a half, so that the majority decides;
    0 with a box. mean_, scale_ : (D,). prototype_ : (K,) int64, row of the instance of each
    positive bag the box was grown for, -1 elsewhere.

    Notes
    -----
    Dietterich, Lathrop and Lozano-Perez 1997: the steps, tau = 0.999, epsilon = 0.01. Ours: every
    instance of the smallest positive bag, one of which is a target, is a seed once (the paper: the
    one nearest to the middle of all positive bags), and of the boxes the one that tells most
    training bags right wins (both labels weigh the same, then the wider gap between their mean
    scores): where bags share their background, the smallest box lies there; `margin` in units of
    the spread (the paper: 1 Angstrom, 1.2 of these on Musk1, whose features are all lengths); the
    reading of tau; a kernel is never narrower than a tenth of the spread, else one positive bag
    would give a box without inside. Ties go by the values of the instances, never by their order.
    Among many features that say nothing the smallest box lies in the background: hence the second
    beginning, for every instance of the smallest positive bags, 30 together. Bags held out are one
    half of them, ten of either label at least; fewer bags begin with all features. Where targets
    overlap with background in every single feature, boxes lie in the background, and targets
    outside. A box that half of the
    negative training bags reach is therefore refused, with a note: it would rank background first.
    It is kept where boxes ranked bags held out by 2.5 standard errors better than chance: around
    targets that are as near as background, a box that holds all is wide.
    Then nothing is ranked, and all bags get the label of most training bags (the negative one where
    they are as many).

    O(rounds K+ N+ D) for the growing, O(N- D F) for the discrimination, each per seed. Bags of 10^5
    instances work: of more than 30 instances of the smallest positive bag only the 30 farthest from
    the mean of the negative ones are seeds, which is noted.
    """

    margin: float = param(
        1.0, low=0, high=100, group="Box", grid=(0.5, 1.0, 2.0),
        help="How far outside the box a background instance must lie for a feature to tell it "
        "apart, in units of the spread of the background. More keeps more features, so the box is "
        "tighter.",
    )
    tau: float = param(
        0.999, low=0.5, high=1, open_low=True, open_high=True, group="Box", advanced=True,
        help="The nearer to 1, the less the box is expanded beyond the instances it was grown for.",
    )
    epsilon: float = param(
        0.01, low=0, high=1, open_low=True, open_high=True, group="Box",
        help="Share of targets that may fall outside, in each feature.",
    )
    aggregate: str = AGGREGATE
    standardize: bool = replace(
        STANDARDIZE, grid=(True, False),
        help="Measure every feature in its own spread; off: they share a unit, such as meters, "
        "and one that hardly varies says little.",
    )
    state = ("low_", "high_", "features_", "rest_", "mean_", "scale_", "prototype_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the box. Raises MissingLabels without a bag of each label,
        DataError where all features are constant."""
        watch = Onward(monitor)  # each round begins at 0
        X, training = self._training(X, y, bags)
        found = training.bags
        background = np.unique(found.members[found.labels[found.bag_of_member] < 0])
        self.mean_, self.scale_ = _unit(X[np.unique(found.members)], X[background],
                                        standardize=self.standardize)
        features = np.flatnonzero(np.isfinite(self.scale_))
        if not len(features):
            raise DataError("all instances are the same", hint="Choose other features.")
        A = (X - self.mean_) / self.scale_
        box, why = self._chosen(A, found, features, watch)
        self.notes_ += why
        self.prototype_ = np.full(training.n_bags, -1, np.int64)
        numbers = np.flatnonzero(found.labels > 0)
        if box is not None:
            self.prototype_[training.rows[numbers]] = found.take(numbers).members[box.chosen]
        else:
            rest = float((found.labels > 0).mean()) - 0.5
            none, walls = np.empty(0, np.int64), np.empty(0)
            box = Box(none, none, walls, walls, rest)
            kind = "positive" if rest > 0 else "negative"
            self.notes_.append(
                f"No box tells the training bags apart, so every bag is taken for {kind}, as "
                f"{0.5 + abs(rest):.0%} of "
                "them are: choose another classifier."
            )
        self.features_, self.low_, self.high_, self.rest_ = (
            box.features, box.low, box.high, box.rest
        )
        self.score_ = box.score(A)
        return self

    def _chosen(
        self, A: NDArray, bags: Bags, features: NDArray, watch: Monitor
    ) -> "tuple[Box | None, list[str]]":
        """The box that begins with all features, or with the few that tell most around its first
        instance where that ranks held-out bags better; None where it tells no bags apart."""
        positive = bags.labels > 0
        group = bag_groups(bags, len(A))
        dealt = [half for seed in range(_HALVINGS)
                 if (half := halves(group, positive, seed)) is not None]
        if not dealt:
            box, right, notes = self._best(A, bags, features, Portion(watch, 0.0, 1.0), few=False)
            return box if right > _RULE else None, notes
        ranked = []
        for i, few in enumerate((False, True)):
            areas, parts = [], [(half == h) for half in dealt for h in (0, 1)]
            for j, mine in enumerate(parts):
                at = (i + j / len(parts)) / 3
                part = Portion(watch, at, at + 1 / (3 * len(parts)))
                own, rest = (bags.take(np.flatnonzero(mine == side)) for side in (True, False))
                box = self._best(A, own, features, part, few=few)[0]
                areas.append(area(bag_max(box.score(A), rest), rest.labels > 0))
            ranked.append(float(np.mean(areas)))
        few = bool(ranked[1] > ranked[0])
        box, right, notes = self._best(A, bags, features, Portion(watch, 2 / 3, 1.0), few=few)
        ranks = max(ranked) > 0.5 + _CLEARLY * chance_error(positive)
        return box if right > _RULE or ranks else None, notes

    def _best(
        self, A: NDArray, bags: Bags, features: NDArray, watch: Monitor, *, few: bool
    ) -> "tuple[Box, float, list[str]]":
        """Of the boxes of all seeds the one that tells most bags right, and how many, see `_merit`.
        few : a box begins with the features that tell most around its seed."""
        # small bags first, then by values, as `_training` says
        targets = bags.take(np.flatnonzero(bags.labels > 0))
        starts = targets.indptr[:-1]
        P = A[targets.members]
        N = A[np.unique(bags.members[bags.labels[bags.bag_of_member] < 0])]
        seeds, notes = _first_rows(targets.indptr, bags=few), []
        if len(seeds) > _SEEDS:
            far = np.square(P[seeds] - N.mean(axis=0)).sum(axis=1)
            seeds = np.sort(np.argsort(-far, kind="stable")[:_SEEDS])
            notes = [f"Boxes were grown from {_SEEDS} instances of the smallest positive bag."]
        begun = (features_around(A[:, features], bags, targets.members[seeds]) if few
                 else [np.arange(len(features))] * len(seeds))
        best = None
        for i, (seed, own) in enumerate(zip(seeds, begun, strict=True)):
            part = Portion(watch, i / len(seeds), (i + 1) / len(seeds))
            box = self._box(P, starts, N, features[own], int(seed), part)
            merit = _merit(box.score(A), bags)
            if best is None or merit > best[0]:
                best = merit, box
        assert best is not None  # there is a positive bag, and it has an instance
        (right, _), box = best
        return box, right, notes

    def _box(
        self, P: NDArray, starts: NDArray, N: NDArray, features: NDArray, seed: int, watch: Monitor
    ) -> "Box":
        """Grow and discriminate until no feature is dropped, then expand."""
        for round_ in count(1):
            chosen = grow(P[:, features], starts, seed, watch, f"Box, round {round_}")
            values = P[chosen][:, features]
            kept = discriminating(N[:, features], values.min(axis=0), values.max(axis=0),
                                  self.margin)
            if len(kept) == len(features):
                break
            features = features[kept]
        return Box(chosen, features, *expanded(P[chosen][:, features], self.tau, self.epsilon))

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        box = Box(np.empty(0, np.int64), self.features_, self.low_, self.high_, self.rest_)
        return box.score((X - self.mean_) / self.scale_)


@dataclass(frozen=True, slots=True)
class Box:
    """chosen : (K+,) rows it was grown for. features : (F,). low, high : (F,), its walls.
    rest : score without one."""

    chosen: NDArray[np.int64]
    features: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    rest: float = 0.0

    def score(self, A: NDArray) -> NDArray[np.float64]:
        """Distance to the nearest wall inside, minus the distance to the box outside,
        of every row of A (M, D).

        `rest` everywhere where no feature matters.
        """
        if not len(self.features):
            return np.full(len(A), self.rest)
        inside = np.minimum(A[:, self.features] - self.low, self.high - A[:, self.features])
        outside = np.sqrt(np.square(np.minimum(inside, 0.0)).sum(axis=1))
        return np.where(outside > 0, -outside, inside.min(axis=1))


def _first_rows(indptr: NDArray, *, bags: bool) -> NDArray[np.int64]:
    """Rows of the first bag; `bags`: and of those after it, as long as they are 30 together."""
    ends = indptr[1:]
    return np.arange(max(ends[0], ends[ends <= _SEEDS].max(initial=0)) if bags else ends[0])


def _unit(
    X: NDArray, background: NDArray, *, standardize: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean (D,) of the training instances X; scale (D,), the spread of the background among them,
    no less than a tenth of that of all; inf for a feature that is constant in all of them.
    """
    mean, spread = z_score(X)
    scale = np.maximum(background.std(axis=0), _LEAST_SPREAD * spread)
    varies = np.isfinite(scale)
    if not standardize and varies.any():
        scale = np.where(varies, np.sqrt(np.square(scale[varies]).mean()), np.inf)
    return mean, scale


def _merit(score: NDArray, bags: Bags) -> tuple[float, float]:
    """Share of bags classified right, both labels weighing the same;
    the gap between the mean scores of bags."""
    top = bag_max(score, bags)
    positive, negative = top[bags.labels > 0], top[bags.labels < 0]
    right = (positive > 0).mean() + (negative <= 0).mean()
    return round(float(right), 12), round(float(positive.mean() - negative.mean()), 9)


def grow(
    P: NDArray, starts: NDArray, seed: int, watch: Monitor, message: str = "Growing the box"
) -> NDArray[np.int64]:
    """One row of P (N+, F) per bag, chosen greedily so that their box is small,
    with backfitting; (K+,)."""
    P = np.ascontiguousarray(P)
    ends = np.append(starts[1:], len(P))
    chosen = np.full(len(starts), -1, np.int64)
    chosen[np.searchsorted(starts, seed, side="right") - 1] = seed
    for covered in range(1, len(starts)):
        watch.step(covered / len(starts), message)
        if _extend(P, starts, ends, chosen):
            for _ in range(_PASSES):
                watch.step(covered / len(starts), message)
                if not _backfit(P, starts, ends, chosen):
                    break
    return chosen


def discriminating(N: NDArray, low: NDArray, high: NDArray, margin: float) -> NDArray[np.int64]:
    """The features (columns of N) that tell the negatives from the box, ascending; at least one.

    `N` : (n, D) negatives. `low` and `high` : (D,), the box.
    """
    out = np.maximum(low - N, N - high)
    tells = (out > margin) | ((out > 0) & (out >= out.max(axis=1, keepdims=True)))
    kept: list[int] = []
    left = tells.any(axis=1)
    while left.any():
        kept.append(int(np.argmax(tells[left].sum(axis=0))))
        left &= ~tells[:, kept[-1]]
    return np.array(sorted(kept) or range(N.shape[1]), np.int64)


def expanded(
    values: NDArray, tau: float, epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Box (F,), (F,) that holds all but epsilon of the kernel estimate of the chosen values
    (K+, F), by bisection."""
    low, high = values.min(axis=0), values.max(axis=0)
    sigma = np.maximum((high - low) / (2 * ndtri((1 + tau) / 2)), _FLOOR)
    reach = sigma * ndtri(1 - epsilon / 2)

    def quantile(share: float) -> NDArray[np.float64]:
        below, above = low - reach, high + reach
        for _ in range(_BISECTIONS):
            middle = (below + above) / 2
            less = ndtr((middle - values) / sigma).mean(axis=0) < share
            below, above = np.where(less, middle, below), np.where(less, above, middle)
        return (below + above) / 2

    return np.minimum(quantile(epsilon / 2), low), np.maximum(quantile(1 - epsilon / 2), high)


@njit(cache=True, nogil=True)
def _extend(P: NDArray, starts: NDArray, ends: NDArray, chosen: NDArray) -> bool:
    """Choose for one bag more: the instance that widens the box least.
    Whether it widens it at all."""
    low, high = np.full(P.shape[1], np.inf), np.full(P.shape[1], -np.inf)
    for k in range(len(chosen)):
        if chosen[k] >= 0:
            for f in range(P.shape[1]):
                low[f], high[f] = min(low[f], P[chosen[k], f]), max(high[f], P[chosen[k], f])
    least, bag, row = np.inf, -1, -1
    for k in range(len(chosen)):
        if chosen[k] < 0:
            r, wider = _cheapest(P, starts[k], ends[k], low, high, least)
            if wider < least:
                least, bag, row = wider, k, r
    chosen[bag] = row
    return least > 0


@njit(cache=True, nogil=True)
def _backfit(P: NDArray, starts: NDArray, ends: NDArray, chosen: NDArray) -> bool:
    """Choose again for every covered bag, the others as they are. Whether a choice changed."""
    n_features, changed = P.shape[1], False
    # the lowest and highest two of every feature and whose they are, so that a bag can be left out
    low, high = np.empty((2, n_features)), np.empty((2, n_features))
    whose = np.empty((2, n_features), np.int64)
    _extremes(P, chosen, low, high, whose)
    a, b = np.empty(n_features), np.empty(n_features)
    for k in range(len(chosen)):
        if chosen[k] < 0:
            continue
        current = 0.0
        for f in range(n_features):
            a[f] = low[1, f] if whose[0, f] == k else low[0, f]
            b[f] = high[1, f] if whose[1, f] == k else high[0, f]
            x = P[chosen[k], f]
            current += max(a[f] - x, 0.0) + max(x - b[f], 0.0)
        row, wider = _cheapest(P, starts[k], ends[k], a, b, current)
        if row >= 0 and wider < current - 1e-12:
            chosen[k], changed = row, True
            _extremes(P, chosen, low, high, whose)
    return changed


@njit(cache=True, nogil=True)
def _cheapest(
    P: NDArray, start: int, end: int, low: NDArray, high: NDArray, limit: float
) -> tuple[int, float]:
    """The first row that widens the box least, and by how much, if less than `limit`; else -1."""
    best = -1
    for r in range(start, end):
        wider = 0.0
        for f in range(P.shape[1]):
            wider += max(low[f] - P[r, f], 0.0) + max(P[r, f] - high[f], 0.0)
            if wider >= limit:
                break
        if wider < limit:
            best, limit = r, wider
    return best, limit


@njit(cache=True, nogil=True)
def _extremes(P: NDArray, chosen: NDArray, low: NDArray, high: NDArray, whose: NDArray) -> None:
    low[:], high[:], whose[:] = np.inf, -np.inf, -1
    for k in range(len(chosen)):
        if chosen[k] >= 0:
            for f in range(P.shape[1]):
                x = P[chosen[k], f]
                if x < low[0, f]:
                    low[1, f], low[0, f], whose[0, f] = low[0, f], x, k
                elif x < low[1, f]:
                    low[1, f] = x
                if x > high[0, f]:
                    high[1, f], high[0, f], whose[1, f] = high[0, f], x, k
                elif x > high[1, f]:
                    high[1, f] = x
