"""The few features in which instances of different positive bags lie together, where background is
rare: there is whatever makes bags positive, however many kinds of it there are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor
from emberscope.neighbors.threads import each, thread_pool

_REACHES = (0.35, 0.5)  # of the bumps that instances spread, in standard deviations
_SCREENED = 32  # features that pairs are made of: those that tell most alone
_BEAM = 4       # pairs that are grown on, or kept where they tell as much
_ADDED = 12     # features tried beside them
_MOST = 6       # features of a set
_PRODUCTS = 5e8  # pairs of features times pairs of instances: a second
_MOST_PRODUCTS = 4e9  # where bags are large
_ENOUGH = 1000  # instances of positive bags: more tell little more
_BAGS = 30      # positive bags that are looked at whatever it costs,
_CROWD = 3000   # up to so many instances
_ROUNDS = 8
_SHARES = (0.05, 0.95)  # of bags that a set of features may explain
_BEGUN = 0.9
_FAR = 6.0      # median deviations above the median pair: chance seldom reaches so far
_GROUND = 1.0   # negative instances added to those near: few near by chance are not none


class Rows(NamedTuple):
    """Instances bag after bag, positive bags first. Z (D, M) float32, a row per feature, of unit
    variance. indptr (B + 1,). positives : P, the number of positive bags."""

    Z: NDArray[np.float32]
    indptr: NDArray[np.int64]
    positives: int

    @classmethod
    def of(cls, Z: NDArray, indptr: NDArray, positive: NDArray) -> "Rows":
        """Of bags of rows of Z (M, D), one after the other. A copy of Z."""
        place, ends = positive_first(indptr, positive)
        columns = np.ascontiguousarray(Z[place].T, np.float32)
        return cls(columns, ends, int(positive.sum()))


def positive_first(
    indptr: NDArray, positive: NDArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows (M,) in the order of bags of which the positive ones (B,) come first, and where each
    bag begins and ends there, (B + 1,)."""
    order = np.argsort(~positive, kind="stable")
    sizes = np.diff(indptr)[order]
    ends = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return np.repeat(indptr[:-1][order] - ends[:-1], sizes) + np.arange(ends[-1]), ends


class Crowded(NamedTuple):
    """features (F,) ascending. reach : half width of bumps. score : how much likelier positive bags
    are, in nats, each by the others. chance : the score that chance seldom reaches. ratio (n,) and
    rows (n,): how many times likelier each instance looked at is as a target than as background."""

    features: NDArray[np.int64]
    reach: float
    score: float
    chance: float
    ratio: NDArray[np.float64]
    rows: NDArray[np.int64]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz", "nnan"})
def bumps(Z: NDArray, features: NDArray, center: NDArray, reach: float, out: NDArray) -> None:
    """Bump around a center (D,) at all instances, (M,): 1 where they are the same in some features,
    0 from `reach` on in any of them."""
    narrow = np.float32(1.0 / reach)
    out[:] = np.float32(1.0)
    for f in features:
        row, here = Z[f], np.float32(center[f])
        for j in range(len(out)):
            off = (row[j] - here) * narrow
            left = max(np.float32(1.0) - off * off, np.float32(0.0))
            out[j] *= left * left


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _sum(values: NDArray) -> float:
    total = np.float32(0.0)
    for value in values:
        total += value
    return float(total)


@njit(cache=True, nogil=True)
def _near(
    data: Rows, features: NDArray, reach: float
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Bumps of instances of other positive bags, as rows of a sparse matrix (start, place, value),
    and the mean bump of negative ones, (n,)."""
    n, M = data.indptr[data.positives], data.Z.shape[1]
    start, ground = np.zeros(n + 1, np.int64), np.empty(n)
    place, value = np.empty(n * n + 1, np.int32), np.empty(n * n + 1, np.float32)
    row, used = np.empty(M, np.float32), 0
    for b in range(data.positives):
        low, high = data.indptr[b], data.indptr[b + 1]
        for i in range(low, high):
            bumps(data.Z, features, data.Z[:, i], reach, row)
            row[low:high] = 0.0  # a bag does not speak for itself
            for j in range(n):
                place[used], value[used] = j, row[j]
                used += row[j] > 0.0
            start[i + 1] = used
            ground[i] = (_sum(row[n:]) + _GROUND) / (M - n + _GROUND)
    return start, place, value, ground


@njit(cache=True, nogil=True)
def crowding(
    data: Rows, likelier: NDArray, features: NDArray, reach: float
) -> tuple[float, NDArray]:
    """How much likelier positive bags are where one instance of each is a target, and the ratio
    (n,) of each of their n instances; see `Crowded`.

    likelier (P,): how many times likelier each bag is by what is known already, 1 where nothing is.

    Targets have the density of the instances of other positive bags, each weighted by how probably
    it is a target (expectation and maximization in turn, every bag judged by the others alone); the
    background has that of negative bags. O(n (n + N) F) for N negative instances.
    """
    P, n = data.positives, data.indptr[data.positives]
    start, place, value, ground = _near(data, features, reach)
    weight, ratio, own = np.empty(n), np.zeros(n), np.ones(P)
    for b in range(P):
        weight[data.indptr[b] : data.indptr[b + 1]] = 1.0 / (data.indptr[b + 1] - data.indptr[b])
    share, score = _BEGUN, 0.0
    for _ in range(_ROUNDS):
        score, known = 0.0, own.sum()
        new = np.empty(P)
        for b in range(P):
            total = 0.0
            for i in range(data.indptr[b], data.indptr[b + 1]):
                dense = 0.0
                for t in range(start[i], start[i + 1]):
                    dense += value[t] * weight[place[t]]
                ratio[i] = dense / max(known - own[b], 1e-9) / ground[i]
                total += ratio[i]
            mean = total / (data.indptr[b + 1] - data.indptr[b])
            whole = (1.0 - share) * likelier[b] + share * mean
            score += np.log(max(whole, 1e-300))
            new[b] = share * mean / max(whole, 1e-300)
        for b in range(P):
            total = ratio[data.indptr[b] : data.indptr[b + 1]].sum()
            for i in range(data.indptr[b], data.indptr[b + 1]):
                weight[i] = new[b] * ratio[i] / total if total > 0.0 else 0.0
        own = new
        share = min(max(own.mean(), _SHARES[0]), _SHARES[1])
    return score - np.log(likelier).sum(), ratio


@njit(cache=True, nogil=True)
def widest(
    data: Rows, likelier: NDArray, features: NDArray, reaches: NDArray
) -> tuple[float, float]:
    """The score and the reach of the better one of some reaches (H,). likelier (P,), features
    (F,): see `crowding`."""
    best, reach = -np.inf, reaches[0]
    for h in reaches:
        score = crowding(data, likelier, features, h)[0]
        if score > best:
            best, reach = score, h
    return best, reach


@njit(cache=True, nogil=True)
def beside_each(
    data: Rows, likelier: NDArray, features: NDArray, others: NDArray, reaches: NDArray
) -> NDArray:
    """Scores (n,) of features (F,) with each of n others."""
    out = np.empty(len(others))
    for i in range(len(others)):
        out[i] = widest(data, likelier, np.append(features, others[i]), reaches)[0]
    return out


@njit(cache=True, nogil=True)
def climbed(
    data: Rows, likelier: NDArray, features: NDArray, among: NDArray, reaches: NDArray
) -> tuple[NDArray, float, float]:
    """Add or drop one feature after the other, each time the one that raises the score most:
    features, reach, score. likelier (P,), features (F,): see `crowding`. among (n,): features that
    may change. reaches (H,)."""
    counts = np.zeros(len(data.Z), np.bool_)
    counts[features] = True
    score, reach = widest(data, likelier, features, reaches)
    for _ in range(_MOST):
        best, wide, feature = score, reach, -1
        for f in among:
            counts[f] = not counts[f]
            some = np.flatnonzero(counts)
            if 0 < len(some) <= _MOST:
                value, h = widest(data, likelier, some, reaches)
                if value > best:
                    best, wide, feature = value, h, f
            counts[f] = not counts[f]
        if feature < 0:
            break
        score, reach, counts[feature] = best, wide, not counts[feature]
    return np.flatnonzero(counts), reach, score


def crowded(
    whole: Rows, likelier: NDArray, rng: np.random.Generator, watch: Monitor,
) -> Crowded:
    """The few features in which targets crowd most: the best pair or single feature, and further
    ones beside it as long as that helps.

    likelier (P,): see `crowding`. Of many features those that tell most alone are paired, of many
    instances some are looked at: O(D n²), and as much for each of 500 pairs at most.
    """
    D, wide = len(whole.Z), np.array(_REACHES)
    data, bags, rows = _drawn(whole, min(D, _SCREENED), rng)
    own = np.ascontiguousarray(likelier[bags])
    with thread_pool() as pool:
        def tick() -> None:
            watch.step(0.0, "Features that tell bags apart")

        alone = each(pool, widest, [(data, own, np.array([f]), wide) for f in range(D)], tick)
        single = np.array([one[0] for one in alone])
        order = np.argsort(-single, kind="stable")
        screened = np.sort(order[: _affordable(data, D)])
        tried = [(float(single[f]), [f]) for f in screened.tolist()]
        tasks = [(data, own, np.array([f]), screened[i + 1 :], wide)
                 for i, f in enumerate(screened[:-1])]
        for task, scores in zip(tasks, each(pool, beside_each, tasks, tick), strict=True):
            tried += [(float(s), [int(task[2][0]), int(g)])
                      for s, g in zip(scores, task[3], strict=True)]
        tried.sort(key=lambda one: -one[0])
        ends = each(pool, climbed, [(data, own, np.array(features), order[:_ADDED], wide)
                                    for _, features in tried[:_BEAM]], tick)
    features, reach, score = max(ends, key=lambda end: end[2])
    usual = float(np.median([one for one, _ in tried]))
    spread = float(np.median(np.abs(np.array([one for one, _ in tried]) - usual)))
    return Crowded(features, float(reach), float(score), usual + _FAR * spread,
                   crowding(data, own, features, reach)[1], rows)


def _affordable(data: Rows, D: int) -> int:
    """How many features pairs may be made of."""
    n, most = int(data.indptr[data.positives]), min(D, _SCREENED)
    while most > 2 and most * (most - 1) / 2 * n * data.Z.shape[1] > _MOST_PRODUCTS:
        most -= 1
    return most


def _drawn(
    whole: Rows, most: int, rng: np.random.Generator
) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
    """Some positive bags, whole, and instances of negative ones, half as many again; which positive
    bags, (P',), and which rows their instances are, (n,)."""
    sizes = np.diff(whole.indptr)[: whole.positives]
    mixed = rng.permutation(whole.positives)
    total = np.cumsum(sizes[mixed])
    usual = min(_ENOUGH, np.sqrt(_PRODUCTS / (2.5 * max(most * (most - 1) / 2, 1.0))))
    least = min(total[min(_BAGS, len(total)) - 1], _CROWD)
    kept = np.sort(mixed[: max(2, int((total <= max(usual, least)).sum()))])
    n = whole.indptr[whole.positives]
    inside = np.concatenate([np.arange(whole.indptr[b], whole.indptr[b + 1]) for b in kept])
    ground = np.arange(n, whole.Z.shape[1])
    if len(ground) > 1.5 * len(inside):
        ground = np.sort(rng.choice(ground, int(1.5 * len(inside)), replace=False))
    indptr = np.append(0, np.cumsum(sizes[kept]))
    rows = np.concatenate([inside, ground])
    # all that is looked at of negative bags counts as one bag: which one does not matter
    return (Rows(np.ascontiguousarray(whole.Z[:, rows]), np.append(indptr, len(rows)), len(kept)),
            kept, inside)
