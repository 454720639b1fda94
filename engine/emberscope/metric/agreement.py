"""Whether a metric agrees with pairs that it was not learned from: the guard against embeddings that mean nothing."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from emberscope.metric.pairs import Pairs

_FOLDS = 5
_TYPICAL = 1000  # pairs of instances drawn for the usual distance
_Z = 1.959963984540054  # standard deviations of an interval of 95 %


@dataclass(frozen=True, slots=True)
class Agreement:
    """Share of pairs that a metric puts on the right side of its threshold, NaN where none could be judged.

    interval : (2,) 95 %. tested : how many pairs were judged.
    """

    share: float
    interval: NDArray[np.float64]
    tested: int


def held_out_agreement(
    T: NDArray, pairs: Pairs, learn: Callable[[Pairs], NDArray | None], *, seed: int = 0
) -> Agreement:
    """Agreement of pairs with metrics learned without them, in five folds.

    T : (N, r). learn : a map (r, s) from pairs, or None where it cannot be learned from these.

    Folds are of instances: whoever is learned from takes no part in what is judged, since with enough features each
    instance that was learned from can be put anywhere, whatever its label. A group of instances that pairs tie together
    stays in one fold as long as it holds a fifth of the pairs at most; a larger one is split, and of its pairs those
    within a fold are judged. O(folds (P r² + cost of learn)).
    """
    fold = _folds(pairs, len(T), seed)
    ends = fold[pairs.rows]
    right, same = [], []
    for k in range(_FOLDS):
        judged, learned = pairs.take((ends == k).all(axis=1)), pairs.take((ends != k).all(axis=1))
        W = learn(learned) if len(judged) and len(learned) else None
        if W is not None:
            right.append(_right(T, W, learned, judged, seed))
            same.append(judged.same)
    return of_shares(np.concatenate(right), np.concatenate(same)) if right else _UNKNOWN


def agreement(T: NDArray, W: NDArray, pairs: Pairs, *, seed: int = 0) -> Agreement:
    """Agreement of pairs with the map W (r, s) of T (N, r) that was learned from them. O(P log P + P r s)."""
    return of_shares(_right(T, W, pairs, pairs, seed), pairs.same)


def of_shares(right: NDArray[np.bool_], same: NDArray[np.bool_]) -> Agreement:
    """The mean of the shares of both kinds of pairs, so that chance is a half however many there are of each.

    right, same : (P,). Intervals by Wilson 1927 for a kind; their mean by Zou and Donner 2008, as if pairs were
    independent, which those that share instances are not: then it is too narrow.
    """
    kinds = [right[same], right[~same]]
    shares = [(float(kind.mean()), *_wilson(kind)) for kind in kinds if len(kind)]
    share = float(np.mean([p for p, _, _ in shares]))
    below = np.sqrt(sum((p - low) ** 2 for p, low, _ in shares)) / len(shares)
    above = np.sqrt(sum((high - p) ** 2 for p, _, high in shares)) / len(shares)
    return Agreement(share, np.clip([share - below, share + above], 0.0, 1.0), len(right))


def squared_distances(T: NDArray, W: NDArray, rows: NDArray[np.int64]) -> NDArray:
    """(P,) squared distances of pairs rows (P, 2) of T (N, r), mapped by W (r, s)."""
    d = (T[rows[:, 0]] - T[rows[:, 1]]) @ W
    return np.einsum("pk,pk->p", d, d)


def _right(T: NDArray, W: NDArray, learned: Pairs, judged: Pairs, seed: int) -> NDArray[np.bool_]:
    """(P,) whether each judged pair lies on its side of the threshold of the learned ones."""
    level = _threshold(squared_distances(T, W, learned.rows), learned.same)
    if level is None:  # of one kind only: nearer or farther than instances usually are
        drawn = np.random.default_rng(seed).integers(0, len(T), (_TYPICAL, 2))
        level = float(np.median(squared_distances(T, W, drawn[drawn[:, 0] != drawn[:, 1]])))
    apart = squared_distances(T, W, judged.rows)
    return np.where(judged.same, apart < level, apart > level)


def _threshold(apart: NDArray, same: NDArray[np.bool_]) -> float | None:
    """The squared distance that separates the two kinds best, both kinds counting alike; None where one is missing."""
    if same.all() or not same.any():
        return None
    order = np.argsort(apart, kind="stable")
    d, kind = apart[order], same[order]
    gain = np.cumsum(kind) / kind.sum() - np.cumsum(~kind) / (~kind).sum()
    ends = np.flatnonzero(np.append(np.diff(d) > 0, True))  # a threshold cannot part equal distances
    best = ends[gain[ends] >= gain[ends].max() - 1e-12]
    at = best[len(best) // 2]
    return float(d[at] if at + 1 == len(d) else (d[at] + d[at + 1]) / 2)


def _folds(pairs: Pairs, n: int, seed: int) -> NDArray[np.int64]:
    """(n,) the fold of every instance."""
    rng = np.random.default_rng(seed)
    i, j = pairs.rows.T
    group = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)[1]
    size = np.bincount(group[i], minlength=group.max() + 1)
    of_group, load = np.zeros(len(size), np.int64), np.zeros(_FOLDS)
    for g in rng.permutation(np.flatnonzero(size)):
        if size[g] * _FOLDS <= len(pairs):
            of_group[g] = load.argmin()
            load[of_group[g]] += size[g]
    split = size[group] * _FOLDS > len(pairs)
    return np.where(split, rng.permutation(n) % _FOLDS, of_group[group])


def _wilson(right: NDArray[np.bool_]) -> tuple[float, float]:
    n, p = len(right), float(right.mean())
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * np.sqrt(p * (1 - p) / n + _Z**2 / (4 * n * n)) / (1 + _Z**2 / n)
    return middle - half, middle + half


_UNKNOWN = Agreement(float("nan"), np.full(2, np.nan), 0)
