"""Cover: concepts in the few features in which targets crowd, and how many pay for themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion
from emberscope.base.segments import segment_reduce
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.mil.crowding import Rows, bumps, crowded

# Widths tried of concepts, in standard deviations: one for all concepts of a set of features
WIDTHS = (0.08, 0.12, 0.17, 0.25, 0.35, 0.5)
MOST_COUNTED = 12
_BUMP = 7.0**0.5  # half width of a bump that deviates as a Gaussian of width 1 does
_REACH = 1.5      # half width of a box that holds what a concept explains, in widths
_CANDIDATES = 256  # instances that concepts start around: the likeliest targets
_SETS = 3
_PRICE = 4.5      # nats that a further concept must tell,
_SHARE = 0.05     # and share of what all those before tell: a kind of targets is no sum of bumps
_ALSO = 4         # features more of a concept, in which its instances differ from background
_GROUND = 1.0     # negative instances added to those near: few near by chance are not none
_UNTOLD = 0.1     # of positive bags that no concept explains
_WIDER = 1.4      # the probability of a target falls off slower than the density of targets
_RECENTERED = 5
_SWEEPS = 3
_LEAST = 1e-9     # nats that count
_FLAT = 1e-4      # least variance of a feature
_UNUSED = 1e-4    # scale of features that a concept does not use


@dataclass(frozen=True, slots=True)
class Cover:
    """concepts, in standardized features. gains : (K,), share of positive bags that each newly
    explains, less its share of negative ones. width : of the first, in standard deviations."""

    concepts: Concepts
    gains: NDArray[np.float64]
    width: float


@dataclass(frozen=True, slots=True)
class _Places:
    """Where concepts may lie. centers (J, D). width (J, D): inf in features that do not count.
    ratios (J, P): how many times likelier each positive bag is with such a target."""

    centers: NDArray[np.float64]
    width: NDArray[np.float64]
    ratios: NDArray[np.float64]

    @classmethod
    def none(cls, data: Rows) -> "_Places":
        """No place yet."""
        return cls(np.empty((0, len(data.Z))), np.empty((0, len(data.Z))),
                   np.empty((0, data.positives)))


@njit(cache=True, nogil=True)
def _ratios(
    data: Rows, features: NDArray, centers: NDArray, reach: float
) -> NDArray[np.float64]:
    """How many times likelier each positive bag is where one of its instances is of the concept
    around each center (J, D), (J, P): mean of its bumps over that of the background."""
    n, row = data.indptr[data.positives], np.empty(data.Z.shape[1], np.float32)
    out = np.empty((len(centers), data.positives))
    for j in range(len(centers)):
        bumps(data.Z, features, centers[j], reach, row)
        ground = (row[n:].sum() + _GROUND) / (len(row) - n + _GROUND)
        for b in range(data.positives):
            low, high = data.indptr[b], data.indptr[b + 1]
            out[j, b] = row[low:high].sum() / (high - low) / ground
    return out


@njit(cache=True, nogil=True)
def _value(rest: NDArray, own: NDArray, k: int) -> float:
    """Log likelihood ratio of bags of k concepts, nats: `rest` (P,), ratios of all but one added,
    and `own` (P,), of that one."""
    total, product = 0.0, 1.0
    for b in range(len(rest)):
        product *= _UNTOLD + (1.0 - _UNTOLD) * (rest[b] + own[b]) / k
        if product > 1e100 or product < 1e-100:  # one logarithm for many factors
            total, product = total + np.log(product), 1.0
    return total + np.log(product)


@njit(cache=True, nogil=True)
def _best(ratios: NDArray, taken: NDArray, rest: NDArray, k: int) -> tuple[float, int]:
    """The concept, of J without those taken, that tells most beside others; -1 of none."""
    best, which = -np.inf, -1
    for j in range(len(ratios)):
        if not taken[j]:
            value = _value(rest, ratios[j], k)
            if value > best:
                best, which = value, j
    return best, which


@njit(cache=True, nogil=True)
def chosen_of(ratios: NDArray, most: int, price: float) -> NDArray:
    """Concepts that together tell most, `most` at most: one after the other as long as it tells
    more than `price` nats and 5 % of what those before tell, and after every new one others in
    place of earlier ones; price -inf: `most`, or all of J. ratios (J, P): see `_ratios`.
    O(K² J P)."""
    chosen, total, score = np.empty(most, np.int64), np.zeros(ratios.shape[1]), 0.0
    taken = np.zeros(len(ratios), np.bool_)
    for k in range(most):
        value, which = _best(ratios, taken, total, k + 1)
        few = k > 0 and value <= score + max(price, _SHARE * score) and price > -np.inf
        if few or which < 0:
            return chosen[:k]
        chosen[k], score, total = which, value, total + ratios[which]
        taken[which] = True
        for _ in range(_SWEEPS if k > 0 else 0):
            moved = False
            for at in range(k + 1):
                rest = total - ratios[chosen[at]]
                value, which = _best(ratios, taken, rest, k + 1)
                if value > score + _LEAST:
                    taken[chosen[at]], taken[which] = False, True
                    chosen[at], score, total, moved = which, value, rest + ratios[which], True
            if not moved:
                break
    return chosen


class Coverer:
    """Finds concepts in bags, each in few features: those in which targets crowd, then, for bags
    that these do not tell, others as long as they tell more than chance does.

    width : of concepts, in standard deviations; None: several are tried.
    """

    def __init__(
        self, bags: StandardBags, width: float | None, rng: np.random.Generator, watch: Monitor
    ):
        self._rows = Rows.of(bags.Z, bags.indptr, bags.positive)
        self._bags = bags
        self._widths = WIDTHS if width is None else (width,)
        told, places = np.ones(self._rows.positives), _Places.none(self._rows)
        before = 0.0
        for i in range(_SETS):
            part = Portion(watch, i / _SETS, (i + 1) / _SETS)
            found = crowded(self._rows, told, rng, part)
            if i and found.score <= found.chance:
                break
            likely = found.rows[np.argsort(-found.ratio, kind="stable")[:_CANDIDATES]]
            more = self._places(np.sort(likely), found.features, places)
            chosen = chosen_of(more.ratios, MOST_COUNTED, _PRICE)
            worth = _worth(more.ratios, chosen)
            if i and worth <= before + len(found.features) * np.log(len(bags.Z[0])):
                break
            places, before = more, worth
            told = _UNTOLD + (1 - _UNTOLD) * places.ratios[chosen].mean(axis=0)
        self._all = places

    def cover(self, k: int | None = None) -> Cover:
        """k concepts; None: as many as pay for themselves."""
        most, price = (MOST_COUNTED, _PRICE) if k is None else (k, -np.inf)
        chosen = chosen_of(self._all.ratios, most, price)
        centers, weight = self._centered(chosen)
        width = self._all.width[chosen]
        gains = gains_of(holding(self._bags, centers, _REACH * width), self._bags.positive)
        scales = np.where(np.isfinite(width), 1 / (2 * np.square(_WIDER * width)), _UNUSED)
        self._add_features(centers, scales, weight)
        return Cover(Concepts(centers, scales), gains, float(width[0].min()))

    def _places(self, rows: NDArray, features: NDArray, before: _Places) -> _Places:
        """Those before, and places at some instances in some features, of the width that tells
        most."""
        tried = []
        centers = self._rows.Z[:, rows].T.astype(np.float64)
        for width in self._widths:
            ratios = _ratios(self._rows, features, centers, width * _BUMP)
            both = np.vstack([before.ratios, ratios])
            value = _worth(both, chosen_of(both, MOST_COUNTED, _PRICE))
            tried.append((value, width, both))
        _, width, both = max(tried, key=lambda one: one[0])
        own = np.full(centers.shape, np.inf)
        own[:, features] = width
        return _Places(np.vstack([before.centers, centers]), np.vstack([before.width, own]), both)

    def _centered(self, chosen: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Centers (K, D) moved to the mean of the instances of positive bags that they explain, as
        far as they do, (K, n)."""
        data, n = self._rows, self._rows.indptr[self._rows.positives]
        centers, width = self._all.centers[chosen], self._all.width[chosen]
        bag = np.repeat(np.arange(data.positives), np.diff(data.indptr)[: data.positives])
        near = np.empty((len(chosen), data.Z.shape[1]), np.float32)
        weight = np.zeros((len(chosen), n))
        for _ in range(_RECENTERED):
            for row, center, own in zip(near, centers, width, strict=True):
                bumps(data.Z, np.flatnonzero(np.isfinite(own)), center, own.min() * _BUMP, row)
            ground = (near[:, n:].sum(axis=1) + _GROUND) / (near.shape[1] - n + _GROUND)
            ratio = near[:, :n] / ground[:, None]
            total = np.bincount(bag, ratio.sum(axis=0), minlength=data.positives)
            weight = ratio / np.maximum(total, 1e-12)[bag]
            held = weight.sum(axis=1, keepdims=True)
            mean = weight @ data.Z[:, :n].T / np.maximum(held, 1e-12)
            centers = np.where(np.isfinite(width) & (held > 1e-12), mean, centers)
        return centers, weight

    def _add_features(self, centers: NDArray, scales: NDArray, weight: NDArray) -> None:
        """Write centers and scales (K, D) of features that a concept does not count yet and in
        which the instances that it explains, weight (K, n), clearly differ from background."""
        n = weight.shape[1]
        own, ground = self._rows.Z[:, :n].astype(np.float64), self._rows.Z[:, n:]
        middle, spread = ground.mean(axis=1), np.maximum(ground.var(axis=1), _FLAT)
        for center, scale, one in zip(centers, scales, weight, strict=True):
            total = max(float(one.sum()), 1e-12)
            mean = own @ one / total
            wide = np.maximum(np.square(own - mean[:, None]) @ one / total, _FLAT)
            share = wide / spread
            told = total / 2 * (share - 1 - np.log(share) + np.square(mean - middle) / spread)
            told[scale > _UNUSED] = 0.0
            best = np.argsort(-told, kind="stable")[:_ALSO]
            best = best[told[best] > _PRICE + 2 * np.log(len(own))]
            center[best], scale[best] = mean[best], 1 / (2 * wide[best])


def _worth(ratios: NDArray, chosen: NDArray) -> float:
    """Nats that concepts tell, less their price."""
    told = _UNTOLD + (1 - _UNTOLD) * ratios[chosen].mean(axis=0)
    return float(np.log(told).sum()) - _PRICE * len(chosen)


def holding(bags: StandardBags, centers: NDArray, half: NDArray) -> NDArray[np.bool_]:
    """(K, B) whether a bag holds an instance in the box around each center. centers, half (K, D):
    half widths, inf where a feature does not count."""
    out = []
    for center, own in zip(centers, half, strict=True):
        some = np.isfinite(own)
        inside = (np.abs(bags.Z[:, some] - center[some]) <= own[some]).all(axis=1)
        out.append(segment_reduce(np.maximum, inside.astype(np.int8), bags.indptr[:-1]) > 0)
    return np.array(out)


def gains_of(holds: NDArray, positive: NDArray) -> NDArray[np.float64]:
    """(K,) share of positive bags that each concept newly holds, less its share of negative ones.
    holds (K, B)."""
    gains, taken = [], np.zeros(len(positive), bool)
    for own in holds:
        gains.append((own & ~taken)[positive].mean() - own[~positive].mean())
        taken |= own
    return np.array(gains)
