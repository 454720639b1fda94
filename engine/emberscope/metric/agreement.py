"""Whether a metric agrees with pairs that it was not learned from:
the guard against embeddings that mean nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import joined
from emberscope.base.proportion import wilson_interval
from emberscope.metric.pairs import Pairs

# pairs of rows (P, 2) to squared distances (P,)
Apart = Callable[[NDArray[np.int64]], NDArray[np.float64]]
FOLDS = 5
_TYPICAL = 1000  # pairs of instances drawn for the usual distance


class Taken(Protocol):
    """What rows are taken of: an array (N, r), or features in another order."""

    def __getitem__(self, rows: NDArray[np.int64], /) -> NDArray:
        """(..., r)."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Share of pairs that a metric puts on the right side of its threshold,
    NaN where none could be judged.

    interval : (2,) 95 %. tested : how many pairs were judged.
    """

    share: float
    interval: NDArray[np.float64]
    tested: int


def held_out_agreement(
    pairs: Pairs, n: int, learn: Callable[[Pairs], Apart | None], *, beside: Pairs | None = None,
    seed: int = 0
) -> Agreement:
    """Agreement of pairs of n instances with metrics learned without them, in five folds.

    learn : the metric that pairs ask for, squared distances (P,) of rows (P, 2),
        None where these are too few.
    beside : pairs that are learned from too, and not judged.

    Folds are of instances: whoever is learned from takes no part in what is judged, since with
    enough features each instance that was learned from can be put anywhere, whatever its label. A
    group of instances that pairs tie together stays in one fold as long as it holds a fifth of the
    pairs at most; a larger one is split, and of its pairs those within a fold are judged. Five
    times the cost of `learn`.
    """
    def of_folds() -> Iterable[tuple[Pairs, Pairs, Apart]]:
        for learned, judged in pair_folds(pairs, n, seed=seed):
            some = learned if beside is None else learned.joined(_without(beside, judged.rows, n))
            apart = learn(some)
            if apart is not None:
                yield some, judged, apart

    return agreement_of_folds(of_folds(), n, seed=seed)


def pair_folds(pairs: Pairs, n: int, *, seed: int = 0) -> list[tuple[Pairs, Pairs]]:
    """Pairs to learn from and pairs to judge by, which share no instance: five folds at most;
    see `held_out_agreement`.
    """
    ends = folds_of_pairs(pairs, n, seed)[pairs.rows]
    folds = [(pairs.take((ends != k).all(axis=1)), pairs.take((ends == k).all(axis=1)))
             for k in range(FOLDS)]
    return [(learned, judged) for learned, judged in folds if len(learned) and len(judged)]


def agreement_of_folds(
    folds: Iterable[tuple[Pairs, Pairs, Apart]], n: int, *, seed: int = 0
) -> Agreement:
    """Agreement over folds of pairs of n instances: of each the pairs learned from, those to judge,
    and the metric, which is squared distances (P,) of rows (P, 2)."""
    found = [(_right(apart, n, learned, judged, seed), judged.same)
             for learned, judged, apart in folds]
    if not found:
        return _UNKNOWN
    right, same = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return of_shares(right, same)


def agreement(pairs: Pairs, n: int, apart: Apart, *, seed: int = 0) -> Agreement:
    """Agreement of pairs with the metric that was learned from them.
    apart : squared distances (P,) of rows (P, 2)."""
    return of_shares(_right(apart, n, pairs, pairs, seed), pairs.same)


def metric_of(T: Taken, W: NDArray | None = None) -> Apart:
    """Squared distances of rows of T (N, r), mapped by W (r, s) where given. O(P r s)."""
    def apart(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        d = T[rows[:, 0]].astype(np.float64) - T[rows[:, 1]]
        d = d if W is None else d @ W
        return np.einsum("pk,pk->p", d, d)

    return apart


def of_shares(right: NDArray[np.bool_], kind: NDArray) -> Agreement:
    """The mean of the shares of all kinds, so that each counts alike however many there are of it:
    chance is one over the number of kinds.

    right, kind : (P,). Intervals by Wilson 1927 for a kind; their mean by Zou and Donner 2008, as
    if what is judged were independent, which pairs that share instances are not: then it is too
    narrow.
    """
    kinds = [right[kind == one] for one in np.unique(kind)]
    shares = [(float(each.mean()), *wilson_interval(int(each.sum()), len(each))) for each in kinds]
    share = float(np.mean([p for p, _, _ in shares]))
    below = np.sqrt(sum((p - low) ** 2 for p, low, _ in shares)) / len(shares)
    above = np.sqrt(sum((high - p) ** 2 for p, _, high in shares)) / len(shares)
    return Agreement(share, np.clip([share - below, share + above], 0.0, 1.0), len(right))


def _right(apart: Apart, n: int, learned: Pairs, judged: Pairs, seed: int) -> NDArray[np.bool_]:
    """(P,) whether each judged pair lies on its side of the threshold of the learned ones."""
    level = threshold(apart(learned.rows), learned.same)
    if level is None:  # of one kind only: nearer or farther than instances usually are
        drawn = np.random.default_rng(seed).integers(0, n, (_TYPICAL, 2))
        level = float(np.median(apart(drawn[drawn[:, 0] != drawn[:, 1]])))
    d = apart(judged.rows)
    return np.where(judged.same, d < level, d > level)


def threshold(apart: NDArray, same: NDArray[np.bool_]) -> float | None:
    """The squared distance that separates two kinds of pairs best, both counting alike;
    None where one is missing.

    apart : (P,) squared distances. same : (P,). O(P log P).
    """
    if same.all() or not same.any():
        return None
    order = np.argsort(apart, kind="stable")
    d, kind = apart[order], same[order]
    gain = np.cumsum(kind) / kind.sum() - np.cumsum(~kind) / (~kind).sum()
    # a threshold cannot part equal distances
    ends = np.flatnonzero(np.append(np.diff(d) > 0, True))
    best = ends[gain[ends] >= gain[ends].max() - 1e-12]
    at = best[len(best) // 2]
    return float(d[at] if at + 1 == len(d) else (d[at] + d[at + 1]) / 2)


def _without(pairs: Pairs, rows: NDArray[np.int64], n: int) -> Pairs:
    """The pairs that hold none of some rows."""
    held = np.zeros(n, bool)
    held[rows] = True
    return pairs.take(~np.any(held[pairs.rows], axis=1))


def folds_of_pairs(
    pairs: Pairs, n: int, seed: int, folds: int = FOLDS
) -> NDArray[np.int64]:
    """(n,) the fold of every instance."""
    rng = np.random.default_rng(seed)
    i, j = pairs.rows.T
    group = joined(i, j, n)
    size = np.bincount(group[i], minlength=group.max() + 1)
    of_group, load = np.zeros(len(size), np.int64), [0] * folds
    whole = rng.permutation(np.flatnonzero(size))
    whole = whole[size[whole] * folds <= len(pairs)]
    for g, count in zip(whole.tolist(), size[whole].tolist()):
        emptiest = load.index(min(load))
        of_group[g] = emptiest
        load[emptiest] += count
    split = size[group] * folds > len(pairs)
    return np.where(split, rng.permutation(n) % folds, of_group[group])


def largest_tied(pairs: Pairs, n: int) -> int:
    """How many pairs the largest group of instances holds that pairs tie together."""
    i, j = pairs.rows.T
    return int(np.bincount(joined(i, j, n)[i]).max())


_UNKNOWN = Agreement(float("nan"), np.full(2, np.nan), 0)
