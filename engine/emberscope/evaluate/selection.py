"""What the best of several is worth: the area it was chosen by is too good for it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emberscope.base.segments import segment_reduce
from emberscope.evaluate.within_clips import Value, within_clips

_DRAWS = 200

# the number of the one to take, from the area of each, (R,)
Choose = Callable[[NDArray[np.float64]], int]


def area_of_chosen(
    scores: NDArray, labels: NDArray, groups: NDArray, choose: Choose, clips: NDArray | None = None,
    *, seed: int = 0
) -> Value:
    """Area inside clips (`within_clips`) of what `choose` takes among R recipes, judged on bags
    that did not choose it.

    Parameters
    ----------
    scores : (R, K) of held-out bags, a row per recipe. labels : (K,) above 0 for positive bags,
        both kinds. groups : (K,) bags that depend on each other: of one clip or block of frames.
        clips : (K,) int64; None: all are of one.

    Returns
    -------
    area, low, high : the bootstrap bias-corrected estimate (Tsamardinos, Greasidou and Borboudakis
        2018), and the 95 % interval of such an area on as many bags as those of the one chosen are
        worth. Of one recipe its own area: nothing was chosen.

    Notes
    -----
    Groups are drawn with replacement, the recipe is chosen on those drawn and judged on those left
    out, 200 times; no fit is repeated. Choosing on the other folds instead is as right on average
    and varies more (`bench suggestion`). O(R K (200 + log K)).
    """
    clip = np.zeros(len(labels), np.int64) if clips is None else clips
    found = [within_clips(labels, row, groups, clip) for row in scores]
    whole = found[choose(np.array([one.mean.value for one in found]))]
    if len(scores) < 2:
        return whole.mean
    group = np.unique(groups, return_inverse=True)[1].reshape(-1)
    rng, n = np.random.default_rng(seed), group.max() + 1
    draws = [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(_DRAWS)]
    times = np.stack(draws)[:, group]
    alike = np.zeros(len(labels), np.int64) if found[0].pooled else clip
    inside = np.array([_means(labels, row, times, alike) for row in scores])
    outside = np.array([_means(labels, row, (times == 0).astype(np.int64), alike)
                        for row in scores])
    # draws that have both kinds of bags on both sides
    both = np.flatnonzero(np.isfinite(inside[0] + outside[0]))
    if not len(both):
        return whole.mean
    return whole.at(float(np.mean([outside[choose(inside[:, draw]), draw] for draw in both])))


def _means(
    labels: NDArray, score: NDArray, times: NDArray[np.int64], clip: NDArray
) -> NDArray[np.float64]:
    """(M,) mean of `_areas` over the clips that have one; NaN where none has."""
    found = np.stack([_areas(labels[own], score[own], times[:, own])
                      for own in (clip == c for c in np.unique(clip))])
    there = np.isfinite(found)
    count = there.sum(axis=0)
    return np.divide(np.where(there, found, 0).sum(axis=0), count, out=np.full(len(times), np.nan),
                     where=count > 0)


def _areas(labels: NDArray, score: NDArray, times: NDArray[np.int64]) -> NDArray[np.float64]:
    """`auc` where bag k counts times[m, k] times, (M,); NaN where one kind does not count at all.

    Equal scores stand together, so that one order of the bags serves all M: O(K log K + M K).
    """
    order = np.argsort(score, kind="stable")
    first = np.flatnonzero(np.diff(score[order], prepend=-np.inf))
    positive, negative = (
        segment_reduce(np.add, (times * kind)[:, order], first, axis=1)
        for kind in (labels > 0, labels <= 0)
    )
    right = (positive * (np.cumsum(negative, axis=1) - negative / 2)).sum(axis=1)
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    return np.divide(right, pairs, out=np.full(len(times), np.nan), where=pairs > 0)
