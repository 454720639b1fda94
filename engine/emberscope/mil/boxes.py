"""A box in few features around an instance, grown so that it holds instances of many positive bags
and of few negative ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

# Widths tried of a concept in each feature, in standard deviations of it
WIDTHS = (0.08, 0.17, 0.33, 0.67)
REACH = 1.5  # half width of a box, in widths of its concept
PRICE = 0.5  # of the logarithm of the number of intervals to choose from, for each feature
BEAM = 4  # features that a box begins with, each in turn
SCREEN = 32  # features tried after the first: those that tell most alone
_STEPS = 20  # changes of a box at most
_LEAST = 1e-9  # gain that counts


class Field(NamedTuple):
    """Instances as boxes read them. Z (D, M) float64, a row per feature. bag (M,) int64. positive
    (B,) bool. widths (H,) float64, half widths tried, ascending. price : what a feature of a box
    costs."""

    Z: NDArray[np.float64]
    bag: NDArray[np.int64]
    positive: NDArray[np.bool_]
    widths: NDArray[np.float64]
    price: float


@njit(cache=True, nogil=True)
def likelihood(a: float, n: float) -> float:
    """Log likelihood of a hits in n trials at their own rate."""
    return 0.0 if a <= 0.0 or a >= n else a * np.log(a / n) + (n - a) * np.log1p(-a / n)


@njit(cache=True, nogil=True)
def evidence(p: float, P: float, n: float, N: float) -> float:
    """How much likelier it is that p of P positive and n of N negative bags have rates of their own
    than one in common, in nats; 0 where the rate of the positive ones is no larger."""
    if p * N <= n * P:
        return 0.0
    return likelihood(p, P) + likelihood(n, N) - likelihood(p + n, P + N)


@njit(cache=True, nogil=True)
def firsts(
    field: Field, order: NDArray, place: NDArray, n: int
) -> tuple[NDArray, NDArray]:
    """The best interval of each feature around each of n candidates: evidence (D, n) and its width
    (D, n) int64. order (D, M): instances in ascending order of each feature. place (M,): the number
    of the candidate that an instance is, or -1.

    A window slides over the sorted values, so that all candidates cost as much as one: O(D H M).
    """
    D, M = field.Z.shape
    best, wide = np.zeros((D, n)), np.zeros((D, n), np.int64)
    P = float(field.positive.sum())
    N = len(field.positive) - P
    held = np.zeros(len(field.positive), np.int64)
    for f in range(D):
        values = field.Z[f][order[f]]
        for t in range(len(field.widths)):
            h = field.widths[t]
            held[:] = 0
            low, high, p, q = 0, 0, 0.0, 0.0
            for i in range(M):
                while high < M and values[high] <= values[i] + h:
                    b = field.bag[order[f, high]]
                    held[b] += 1
                    if held[b] == 1 and field.positive[b]:
                        p += 1.0
                    elif held[b] == 1:
                        q += 1.0
                    high += 1
                while values[low] < values[i] - h:
                    b = field.bag[order[f, low]]
                    held[b] -= 1
                    if held[b] == 0 and field.positive[b]:
                        p -= 1.0
                    elif held[b] == 0:
                        q -= 1.0
                    low += 1
                j = place[order[f, i]]
                if j >= 0:
                    found = evidence(p - 1.0, P - 1.0, q, N)  # its own bag does not speak for it
                    if found > best[f, j]:
                        best[f, j], wide[f, j] = found, t
    return best, wide


@njit(cache=True, nogil=True)
def grown(
    field: Field, rows: NDArray, first: NDArray, wide: NDArray
) -> tuple[NDArray, NDArray]:
    """The best box around each of some instances: scores (n,) and half widths (n, D), inf where a
    feature does not count. first, wide (D, n): see `firsts`."""
    D = len(field.Z)
    scores, halves = np.full(len(rows), -np.inf), np.full((len(rows), D), np.inf)
    for j in range(len(rows)):
        order = np.argsort(-first[:, j])
        center = field.Z[:, rows[j]].copy()
        own = field.bag[rows[j]]
        for f in order[:BEAM]:
            half = np.full(D, np.inf)
            half[f] = field.widths[wide[f, j]]
            score = climb(field, own, center, half, order[:SCREEN])
            if score > scores[j]:
                scores[j], halves[j] = score, half
    return scores, halves


@njit(cache=True, nogil=True)
def failing(field: Field, center: NDArray, half: NDArray) -> NDArray:
    """In how many features each instance lies outside of the box, (M,) int64."""
    fails = np.zeros(field.Z.shape[1], np.int64)
    for f in range(len(half)):
        if half[f] < np.inf:
            for m in range(len(fails)):
                fails[m] += abs(field.Z[f, m] - center[f]) > half[f]
    return fails


@njit(cache=True, nogil=True)
def climb(
    field: Field, own: int, center: NDArray, half: NDArray, among: NDArray
) -> float:
    """Change the width of one feature after the other, each time the change that raises the score
    most; writes `half` and returns the score, evidence less the price of features.

    own : bag that does not speak for the box. center, half (D,). among (n,): features that may
    change.
    """
    P = float(field.positive.sum())
    N = len(field.positive) - P
    if field.positive[own]:
        P -= 1.0
    else:
        N -= 1.0
    fails = failing(field, center, half)
    need, found = np.empty(len(field.positive)), np.empty(len(field.widths) + 1)
    score = -np.inf
    for _ in range(_STEPS):
        count = np.sum(half < np.inf)
        inside, near = np.flatnonzero(fails == 0), np.flatnonzero(fails == 1)
        best, feature, width = score, -1, np.inf
        for f in among:
            rows = inside
            if half[f] < np.inf:
                more = near[np.abs(field.Z[f][near] - center[f]) > half[f]]
                rows = np.concatenate((inside, more))
            _by_width(field, own, center[f], f, rows, need, found, P, N)
            for t in range(len(found)):
                h = field.widths[t] if t < len(field.widths) else np.inf
                n = count + (h < np.inf) - (half[f] < np.inf)
                value = found[t] - field.price * n
                if value > best + _LEAST:
                    best, feature, width = value, f, h
        if feature < 0:
            break
        for m in range(len(fails)):
            off = abs(field.Z[feature, m] - center[feature])
            fails[m] += (off > width) * 1 - (off > half[feature]) * 1
        half[feature], score = width, best
    return score


@njit(cache=True, nogil=True)
def _by_width(
    field: Field, own: int, center: float, f: int, rows: NDArray, need: NDArray, found: NDArray,
    P: float, N: float,
) -> None:
    """Evidence `found` (H + 1,) of each width of feature f, the last without it, where the other
    features leave `rows`. need (B,) is room to work in."""
    widths = field.widths
    need[:] = np.inf
    for m in rows:
        need[field.bag[m]] = min(need[field.bag[m]], abs(field.Z[f, m] - center))
    p, n = np.zeros(len(widths) + 1), np.zeros(len(widths) + 1)
    for b in range(len(need)):
        if b == own or need[b] == np.inf:
            continue
        t = 0
        while t < len(widths) and need[b] > widths[t]:
            t += 1
        if field.positive[b]:
            p[t] += 1.0
        else:
            n[t] += 1.0
    p_so_far, n_so_far = 0.0, 0.0
    for t in range(len(found)):
        p_so_far, n_so_far = p_so_far + p[t], n_so_far + n[t]
        found[t] = evidence(p_so_far, P, n_so_far, N)
