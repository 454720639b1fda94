"""What the best of several is worth: the area it was chosen by is too good for it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emberscope.evaluate.scores import auc, grouped_auc_interval

_DRAWS = 200

Choose = Callable[[NDArray[np.float64]], int]  # the number of the one to take, from the area of each, (R,)


def area_of_chosen(
    scores: NDArray, labels: NDArray, groups: NDArray, choose: Choose, *, seed: int = 0
) -> tuple[float, float, float]:
    """Area under the ROC curve of what `choose` takes among R recipes, judged on bags that did not choose it.

    Parameters
    ----------
    scores : (R, K) of held-out bags, a row per recipe. labels : (K,) above 0 for positive bags, both kinds. groups :
        (K,) bags that depend on each other: of one clip or block of frames.

    Returns
    -------
    area, low, high : the bootstrap bias-corrected estimate (Tsamardinos, Greasidou and Borboudakis 2018) and the 95 %
        interval of the one chosen on all bags, moved by the correction. Of one recipe its own area: nothing was chosen.

    Notes
    -----
    Groups are drawn with replacement, the recipe is chosen on those drawn and judged on those left out, 200 times; no
    fit is repeated. Four recipes of noise on 5, 10 and 20 groups have a mean of .50, .49 and .50, the best of them .59,
    .58 and .54; where all have an area of .63 the mean is .63, that of the best .67 to .71. Choosing on the other folds
    instead is as right on average and varies 1.04 to 1.6 times as much. O(200 R K log K).
    """
    taken = _chosen(scores, labels, choose)
    area, (low, high) = auc(labels, scores[taken]), grouped_auc_interval(labels, scores[taken], groups)
    if len(scores) < 2:
        return area, low, high
    rng, numbers = np.random.default_rng(seed), np.unique(groups)
    members = {number: np.flatnonzero(groups == number) for number in numbers}
    found = []
    for _ in range(_DRAWS):
        drawn = rng.choice(numbers, len(numbers))
        inside = np.concatenate([members[number] for number in drawn])
        outside = np.flatnonzero(~np.isin(groups, drawn))
        if all(len(np.unique(labels[part])) == 2 for part in (inside, outside)):
            best = _chosen(scores[:, inside], labels[inside], choose)
            found.append(auc(labels[outside], scores[best, outside]))
    if not found:
        return area, low, high
    honest = float(np.mean(found))
    return honest, max(low + honest - area, 0.0), min(high + honest - area, 1.0)


def _chosen(scores: NDArray, labels: NDArray, choose: Choose) -> int:
    return choose(np.array([auc(labels, row) for row in scores]))
