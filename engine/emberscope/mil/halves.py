"""Two halves of the bags, one to learn from and one to judge by."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from emberscope.bags.folds import grouped_folds

_LEAST = 10  # bags of either label in each half: fewer judge by luck


def halves(
    group: NDArray[np.int64], positive: NDArray[np.bool_], seed: int
) -> NDArray[np.int64] | None:
    """The half, 0 or 1, of every bag, (B,): bags of one group are in one of them.

    group : (B,), see `bags.folds.bag_groups`. positive : (B,) bool. None where a half would hold
    fewer than ten bags of either label.
    """
    if len(np.unique(group)) < 2:
        return None
    half = grouped_folds(group, positive, n_folds=2, seed=seed)
    least = min(int((half[positive == label] == h).sum())
                for h in (0, 1) for label in (True, False))
    return half if least >= _LEAST else None


def area(score: NDArray, positive: NDArray[np.bool_]) -> float:
    """The chance that a positive bag scores above a negative one, equal scores counting half.
    score, positive (B,), of both labels. O(B log B)."""
    rank = rankdata(score)
    n, m = int(positive.sum()), int((~positive).sum())
    return (float(rank[positive].sum()) - n * (n + 1) / 2) / (n * m)


def chance_error(positive: NDArray[np.bool_]) -> float:
    """Standard error of the mean `area` of both halves of bags, (B,), where scores are chance."""
    n, m = positive.sum() / 2, (~positive).sum() / 2
    return float(np.sqrt((n + m + 1) / (12 * n * m) / 2))
