"""Boxes that have their features in common: the few features in which some boxes together hold
instances of most positive bags and of few negative ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor
from emberscope.mil.boxes import REACH, Field, evidence, firsts
from emberscope.mil.crowding import positive_first
from emberscope.neighbors.threads import each, thread_pool

# Widths tried of concepts, in standard deviations: one for all features of a set
WIDTHS = (0.12, 0.17, 0.25, 0.33, 0.5)
_SCREENED = 32    # features that pairs are made of: those in which boxes alone tell most
_FEWEST = 160     # instances that boxes are tried around, in each set of features
_PLACES = 1 << 20  # instances times these
_DRAWN = 1000     # instances of positive bags among which these are
_BEST = 64        # boxes that others are joined with: those that tell most alone
_COUNTED = 160    # instances around which a pair of features is tried quickly
_TRIED = 16       # pairs that are tried in full: those that tell most in the quick try
_BEAM = 4         # pairs of features that are grown on
_ADDED = 16       # features tried beside them
_CHANGED = 3      # of these in full, those that tell most in a quick try
_MOST = 8         # boxes
_IN_PAIRS = 3     # boxes by which pairs are compared
_BOX = 0.55       # of the logarithm of the number of centers: what a box costs
_FEATURE = 1.0    # of the logarithm of the number of features: what a feature costs
_ROUNDS = 12      # changes of a set of features or boxes at most
_LEAST = 1e-9     # gain that counts


class BagRows(NamedTuple):
    """Instances bag after bag, positive bags first. Z (D, M) float64, a row per feature, of unit
    variance. indptr (B + 1,). positives : P, the number of positive bags. rows (J,): instances of
    positive bags that boxes may lie around. first (D, J): what the best interval around each tells
    in each feature. widths (H,): half widths tried. box, feature : what each costs, in nats."""

    Z: NDArray[np.float64]
    indptr: NDArray[np.int64]
    positives: int
    rows: NDArray[np.int64]
    first: NDArray[np.float64]
    widths: NDArray[np.float64]
    box: float
    feature: float


def bag_rows(
    Z: NDArray, indptr: NDArray, positive: NDArray, widths: tuple[float, ...],
    rng: np.random.Generator,
) -> BagRows:
    """Bags of rows of Z (M, D), features of unit variance, one bag after the other, as boxes read
    them. positive : (B,). widths : of concepts, in standard deviations. O(D H M) and a copy of
    Z."""
    place, ends = positive_first(indptr, positive)
    columns = np.ascontiguousarray(Z[place].T, np.float64)
    bag, P = np.repeat(np.arange(len(positive)), np.diff(ends)), int(positive.sum())
    rows = np.flatnonzero(bag < P)
    if len(rows) > _DRAWN:
        rows = np.sort(rng.choice(rows, _DRAWN, replace=False))
    half = REACH * np.array(sorted(widths))
    field = Field(columns, bag, np.arange(len(positive)) < P, half, 0.0)
    at = np.full(len(Z), -1)
    at[rows] = np.arange(len(rows))
    first, _ = firsts(field, np.argsort(columns, axis=1, kind="stable"), at, len(rows))
    return BagRows(columns, ends, P, rows, first, half,
                   _BOX * float(np.log(max(len(rows), 2))),
                   _FEATURE * float(np.log(len(columns))))


class Shared(NamedTuple):
    """features (F,). half : half width of all boxes in each of them. centers (K,): rows that boxes
    lie around. score : evidence in nats that they tell bags apart, less the price of boxes and
    features."""

    features: NDArray[np.int64]
    half: float
    centers: NDArray[np.int64]
    score: float


@njit(cache=True, nogil=True)
def held(
    data: BagRows, features: NDArray, half: float, rows: NDArray
) -> NDArray:
    """(n, B) whether the box around each of these rows holds an instance of each bag."""
    out = np.zeros((len(rows), len(data.indptr) - 1), np.float32)
    for j in range(len(rows)):
        for b in range(out.shape[1]):
            for m in range(data.indptr[b], data.indptr[b + 1]):
                inside = True
                for i in range(len(features)):
                    f = features[i]
                    if abs(data.Z[f, m] - data.Z[f, rows[j]]) > half:
                        inside = False
                        break
                if inside:
                    out[j, b] = 1.0
                    break
    return out


@njit(cache=True, nogil=True)
def _told(p: float, n: float, own: int, P: int, B: int) -> float:
    """Evidence of p positive and n negative bags that some boxes hold, without the `own` bags that
    the boxes lie in."""
    own = min(own, P - 1, int(p))
    return evidence(p - own, float(P - own), n, float(B - P))


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _left(hold: NDArray, free: NDArray, P: int) -> tuple[NDArray, NDArray]:
    """How many of the free bags, 1 in free (B,) float32, each box holds: positive and negative
    ones, (J,) each. hold (J, B) float32."""
    p, n = np.zeros(len(hold), np.float32), np.zeros(len(hold), np.float32)
    for j in range(len(hold)):
        total = np.float32(0.0)
        for b in range(P):
            total += hold[j, b] * free[b]
        p[j] = total
        total = np.float32(0.0)
        for b in range(P, len(free)):
            total += hold[j, b] * free[b]
        n[j] = total
    return p, n


@njit(cache=True, nogil=True)
def together(hold: NDArray, P: int, price: float, most: int) -> tuple[float, NDArray]:
    """The boxes of these, (J, B), that tell most together, and their score less the price of each:
    the best pair or single one, then one more or another in place of one as long as that helps."""
    J, B = hold.shape
    free = np.ones(B, np.float32)
    p, n = _left(hold, free, P)
    alone = np.array([_told(p[j], n[j], 1, P, B) for j in range(J)])
    kept = np.argsort(-alone)[:_BEST]
    score, chosen = alone[kept[0]] - price, kept[:1].copy()
    best_hold = hold[kept]
    for i in range(len(kept) if most > 1 else 0):
        p, n = _left(best_hold[:i], 1 - best_hold[i], P)
        own, other = best_hold[i, :P].sum(), best_hold[i, P:].sum()
        for j in range(i):
            value = _told(own + p[j], other + n[j], 2, P, B) - 2 * price
            if value > score + _LEAST:
                score, chosen = value, np.array([kept[j], kept[i]])
    for _ in range(_ROUNDS):
        best, place, which = score, -1, -1
        for at in range(len(chosen) + (len(chosen) < most)):
            free[:] = 1.0
            for k in range(len(chosen)):
                if k != at:
                    free *= 1 - hold[chosen[k]]
            p, n = _left(hold, free, P)
            own, other = (1 - free[:P]).sum(), (1 - free[P:]).sum()
            k = max(len(chosen), at + 1)
            for j in range(J):
                value = _told(own + p[j], other + n[j], k, P, B) - k * price
                if value > best + _LEAST:
                    best, place, which = value, at, j
        if place < 0:
            break
        score = best
        if place == len(chosen):
            chosen = np.append(chosen, which)
        else:
            chosen[place] = which
    return score, chosen


@njit(cache=True, nogil=True)
def scored(
    data: BagRows, features: NDArray, half: float, rows: NDArray, most: int
) -> tuple[float, NDArray]:
    """The best boxes in features (F,) around some of rows (n,): score, and the rows chosen."""
    hold = held(data, features, half, rows)
    score, chosen = together(hold, data.positives, data.box, most)
    return score - data.feature * len(features), rows[chosen]


@njit(cache=True, nogil=True)
def likely(data: BagRows, features: NDArray) -> NDArray:
    """The rows (n,) around which intervals tell most together, all of them where they are few."""
    most = max(_FEWEST, _PLACES // data.Z.shape[1])
    if len(data.rows) <= most:
        return data.rows
    total = np.zeros(len(data.rows))
    for f in features:
        total += data.first[f]
    return data.rows[np.argsort(-total)[:most]]


@njit(cache=True, nogil=True)
def by_width(
    data: BagRows, features: NDArray, most: int
) -> tuple[float, float, NDArray]:
    """The best boxes in features (F,), of any width: score, half width, rows chosen."""
    rows = likely(data, features)
    best, half, centers = -np.inf, 0.0, rows[:1]
    for h in data.widths:
        score, chosen = scored(data, features, h, rows, most)
        if score > best:
            best, half, centers = score, h, chosen
    return best, half, centers


@njit(cache=True, nogil=True)
def windows(data: BagRows, f: int, half: float) -> tuple[NDArray, NDArray]:
    """The instances within `half` of each of `data.rows` in feature f: those of row j are
    inside[start[j] : start[j + 1]]."""
    values = data.Z[f]
    start, inside = np.zeros(len(data.rows) + 1, np.int64), np.empty(4 * len(values), np.int32)
    n = 0
    for j in range(len(data.rows)):
        center = values[data.rows[j]]
        if n + len(values) > len(inside):
            inside = np.concatenate((inside, np.empty(len(inside) + len(values), np.int32)))
        for m in range(len(values)):
            if abs(values[m] - center) <= half:
                inside[n] = m
                n += 1
        start[j + 1] = n
    return start, inside


@njit(cache=True, nogil=True)
def in_turn(hold: NDArray, P: int, price: float, most: int) -> float:
    """What boxes of these, (J, B), tell less the price of each: the best one, then the one that
    adds most to it, and so on. Seldom less than `together`, and quick."""
    free, total = np.ones(hold.shape[1], np.float32), -np.inf
    own, other = 0.0, 0.0
    for k in range(1, most + 1):
        p, n = _left(hold, free, P)
        best, which = total, -1
        for j in range(len(hold)):
            value = _told(own + p[j], other + n[j], k, P, hold.shape[1]) - k * price
            if value > best + _LEAST:
                best, which = value, j
        if which < 0:
            break
        total, own, other = best, own + p[which], other + n[which]
        free *= 1 - hold[which]
    return total


@njit(cache=True, nogil=True)
def with_each(
    data: BagRows, bag: NDArray, f: int, others: NDArray, most: int
) -> NDArray:
    """What feature f tells with each of some others, (n,), tried quickly: boxes lie around 160
    instances at most. bag (M,): of each instance."""
    out = np.full(len(others), -np.inf)
    B = len(data.indptr) - 1
    for half in data.widths:
        start, inside = windows(data, f, half)
        for i in range(len(others)):
            values, told = data.Z[others[i]], data.first[f] + data.first[others[i]]
            least = -np.inf
            if len(told) > _COUNTED:
                least = -np.partition(-told, _COUNTED)[_COUNTED]
            rows = np.flatnonzero(told > least)
            hold = np.zeros((len(rows), B), np.float32)
            for j in range(len(rows)):
                center = values[data.rows[rows[j]]]
                for at in range(start[rows[j]], start[rows[j] + 1]):
                    if abs(values[inside[at]] - center) <= half:
                        hold[j, bag[inside[at]]] = 1.0
            out[i] = max(out[i], in_turn(hold, data.positives, data.box, most))
    return out


@njit(cache=True, nogil=True)
def quickly(data: BagRows, features: NDArray, most: int) -> float:
    """What features (F,) tell, tried quickly, less their price."""
    told = np.zeros(len(data.rows))
    for f in features:
        told += data.first[f]
    rows, best = data.rows[np.argsort(-told)[:_COUNTED]], -np.inf
    for half in data.widths:
        hold = held(data, features, half, rows)
        best = max(best, in_turn(hold, data.positives, data.box, most))
    return best - data.feature * len(features)


@njit(cache=True, nogil=True)
def climbed(data: BagRows, features: NDArray, among: NDArray, most: int) -> tuple[NDArray, float]:
    """Add or drop one feature after the other, each time the one that raises the score most, of the
    few that do so in a quick try: (features, score)."""
    counts = np.zeros(len(data.Z), np.bool_)
    counts[features] = True
    score, told = by_width(data, features, most)[0], np.empty(len(among))
    for _ in range(_ROUNDS):
        for i in range(len(among)):
            counts[among[i]] = not counts[among[i]]
            some = np.flatnonzero(counts)
            told[i] = quickly(data, some, most) if len(some) else -np.inf
            counts[among[i]] = not counts[among[i]]
        best, feature = score, -1
        for f in among[np.argsort(-told)[:_CHANGED]]:
            counts[f] = not counts[f]
            some = np.flatnonzero(counts)
            if len(some):
                value = by_width(data, some, most)[0]
                if value > best + _LEAST:
                    best, feature = value, f
            counts[f] = not counts[f]
        if feature < 0:
            break
        score, counts[feature] = best, not counts[feature]
    return np.flatnonzero(counts), score


def best_shared(data: BagRows, watch: Monitor) -> Shared:
    """The best boxes in the best few features."""
    with thread_pool() as pool:
        def tick() -> None:
            watch.step(0.0, "Features that tell bags apart")

        alone = each(pool, by_width, [(data, np.array([f]), _IN_PAIRS)
                                      for f in range(len(data.Z))], tick)
        single = np.array([one[0] for one in alone])
        order = np.argsort(-single, kind="stable")
        screened = np.sort(order[:_SCREENED])
        bag = np.repeat(np.arange(len(data.indptr) - 1), np.diff(data.indptr))
        tasks = [(data, bag, f, screened[i + 1 :], _IN_PAIRS) for i, f in enumerate(screened[:-1])]
        told = np.concatenate([np.empty(0), *each(pool, with_each, tasks, tick)])
        pairs = np.column_stack(np.triu_indices(len(screened), 1))
        likely = screened[pairs[np.argsort(-told, kind="stable")[:_TRIED]]]
        sets = [*screened[:, None], *likely]
        paired = each(pool, by_width, [(data, pair, _IN_PAIRS) for pair in likely], tick)
        scores = [*single[screened], *(one[0] for one in paired)]
        best = np.argsort(-np.array(scores), kind="stable")[:_BEAM]
        ends = each(pool, climbed, [(data, sets[i], order[:_ADDED], _MOST) for i in best], tick)
    features, score = max(ends, key=lambda end: end[1])
    _, half, centers = by_width(data, features, _MOST)
    return Shared(features, float(half), centers, float(score))
