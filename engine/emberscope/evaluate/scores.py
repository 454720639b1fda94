"""Accuracy, its interval, ROC and the area under it. Labels are -1 and +1; other values are errors or left out."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError

_Z = NormalDist().inv_cdf(0.975)


def accuracy(y: NDArray, predicted: NDArray) -> float:
    """Share of equal entries; NaN for no entries. `predicted` : (N,)."""
    y, predicted = np.asarray(y), np.asarray(predicted)
    return float((y == predicted).mean()) if len(y) else float("nan")


def majority_rate(y: NDArray) -> float:
    """Accuracy of always saying the most frequent label; NaN for no labels."""
    y = np.asarray(y)
    return float(np.unique(y, return_counts=True)[1].max() / len(y)) if len(y) else float("nan")


def auc(y: NDArray, score: NDArray) -> float:
    """Probability that a positive scores above a negative, ties counted half. O(N log N).

    y : (N,) in {-1, +1}. score : (N,), larger = more positive. NaN where one class is missing.
    """
    y, score = _checked(y, score)
    n_pos, n_neg = int((y > 0).sum()), int((y < 0).sum())
    if not n_pos or not n_neg:
        return float("nan")
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[place]  # mean rank of ties, from 1
    return float((rank[y > 0].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def auc_interval(area: float, n_pos: float, n_neg: float) -> tuple[float, float]:
    """95 % interval of an area under the ROC curve: the areas that this one is no rare sample of (Newcombe 2006).

    The variance is that of Hanley and McNeil (1982), at the area supposed, not at the one found: at the latter it
    is 0 for a perfect ranking of however few, and intervals near 1 cover far less than they claim.
    """
    if not n_pos or not n_neg or np.isnan(area):
        return 0.0, 1.0
    return _least_area(area, n_pos, n_neg), 1 - _least_area(1 - area, n_neg, n_pos)


def grouped_auc_interval(y: NDArray, score: NDArray, groups: NDArray) -> tuple[float, float]:
    """95 % interval of `auc` where entries of one group depend on each other, as instances of a bag do. O(N log N).

    The variance of drawing whole groups (Obuchowski 1997) says how many independent entries these are worth, no fewer
    than there are groups with one; `auc_interval` of so many. Quantiles of draws of groups cover half of what they
    claim near 1, and nothing of a perfect ranking. `score` and `groups` : (N,).
    """
    y, score = _checked(y, score)
    positive, group = y > 0, np.unique(groups, return_inverse=True)[1]
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    if not n_pos or not n_neg:
        return 0.0, 1.0
    area = auc(y, score)
    found = _variance_of_groups(positive, score, group, area)
    alone = _variance_of_area(area, n_pos, n_neg)
    worth = alone / found if found > 0 else 0.0
    least_pos, least_neg = len(np.unique(group[positive])), len(np.unique(group[~positive]))
    return auc_interval(area, *(
        max(min(n * worth, n), least) for n, least in ((n_pos, least_pos), (n_neg, least_neg))
    ))


def _variance_of_groups(positive: NDArray, score: NDArray, group: NDArray, area: float) -> float:
    """Of an area, over draws of whole groups: how far each group's own comparisons lie from the area."""
    share = np.empty(len(score))  # of the other class that an entry is on the right side of
    for own, sign in ((positive, 1), (~positive, -1)):
        others = np.sort(sign * score[~own])
        below, upto = (np.searchsorted(others, sign * score[own], side) for side in ("left", "right"))
        share[own] = (below + upto) / (2 * len(others))
    apart = (share - area) / np.where(positive, positive.sum(), (~positive).sum())
    count = group.max() + 1
    return float((np.bincount(group, apart, minlength=count) ** 2).sum() * count / max(count - 1, 1))


def _least_area(area: float, n_pos: float, n_neg: float) -> float:
    """The smallest area from which the one found is 1.96 standard errors away; by halving, to rounding."""
    low, high = 0.0, area
    for _ in range(60):
        middle = (low + high) / 2
        if middle + _Z * _variance_of_area(middle, n_pos, n_neg) ** 0.5 < area:
            low = middle
        else:
            high = middle
    return high


def _variance_of_area(area: float, n_pos: float, n_neg: float) -> float:
    """Of an area under the ROC curve of independent entries (Hanley and McNeil 1982)."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (n_pos - 1) * (q1 - area**2) + (n_neg - 1) * (q2 - area**2)
    return max(spread, 0.0) / (n_pos * n_neg)


def roc(y: NDArray, score: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """False-positive rate FP / (FP + TN), true-positive rate TP / (TP + FN), thresholds; all (T + 1,).

    Positive means score >= threshold; thresholds descend over the distinct scores, the first is inf (nothing is
    positive). The first point is (0, 0), the last (1, 1), perfect is the corner (0, 1).
    Raises DataError where one class is missing.
    """
    y, score = _checked(y, score)
    if not (y > 0).any() or not (y < 0).any():
        raise DataError("a ROC curve needs positives and negatives", hint="Label some target and some background.")
    order = np.argsort(-score, kind="stable")
    y, score = y[order], score[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    true, false = np.cumsum(y > 0)[last], np.cumsum(y < 0)[last]
    fpr, tpr = np.append(0, false / false[-1]), np.append(0, true / true[-1])
    return fpr, tpr, np.append(np.inf, score[last])


def _checked(y: NDArray, score: NDArray) -> tuple[NDArray, NDArray]:
    y, score = np.asarray(y), np.asarray(score, np.float64)
    if y.shape != score.shape or y.ndim != 1:
        raise DataError(f"y has shape {y.shape} for scores of shape {score.shape}")
    if not np.isin(y, (-1, 1)).all():
        raise DataError("y holds other values than -1 and +1", hint="Leave unknown instances out.")
    if np.isnan(score).any():
        raise DataError("a score is NaN")
    return y, score
