"""Accuracy, its interval, ROC and the area under it. Labels are -1 and +1; other values are errors
or left out."""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.evaluate.worth import worth

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


def auc_interval(area: float, n_pos: ArrayLike, n_neg: ArrayLike) -> tuple[float, float]:
    """95 % interval of an area under the ROC curve: the areas that this one is no rare sample of
    (Newcombe 2006).

    The variance is that of Hanley and McNeil (1982), at the area supposed, not at the one found: at
    the latter it is 0 for a perfect ranking of however few, and intervals near 1 cover far less
    than they claim. Of the same numbers of entries a larger area has larger ends.

    n_pos, n_neg : numbers of entries; or (C,) of each of C samples, of whose areas this one is the
    mean. The variance is then that of a mean of areas that are all as large, which is no smaller
    than that of areas that differ.
    """
    n_pos, n_neg = (np.atleast_1d(np.asarray(n_pos, np.float64)),
                    np.atleast_1d(np.asarray(n_neg, np.float64)))
    if not n_pos.all() or not n_neg.all() or np.isnan(area):
        return 0.0, 1.0
    return _least_area(area, n_pos, n_neg), 1 - _least_area(1 - area, n_neg, n_pos)


def grouped_auc_interval(y: NDArray, score: NDArray, groups: NDArray) -> tuple[float, float]:
    """95 % interval of `auc` where entries of one group depend on each other, as instances of a bag
    do. O(N log N).

    `auc_interval` of as many entries as these are worth (`evaluate.worth`). That number does not
    change when a positive and a negative next to each other change places, so neither end ever
    rises when a ranking gets worse, and a perfect one has the interval that lies highest. Of few
    groups, where targets score low on ground that others score high on, it covers the true area
    less often than it says. `score` and `groups` : (N,).
    """
    y, score = _checked(y, score)
    positive, group = y > 0, np.unique(groups, return_inverse=True)[1].reshape(-1)
    if positive.all() or not positive.any():
        return 0.0, 1.0
    return auc_interval(auc(y, score),
                        *worth(positive, score, group, np.zeros(len(y), np.int64))[0])


def _least_area(area: float, n_pos: NDArray, n_neg: NDArray) -> float:
    """The smallest area from which the one found is 1.96 standard errors away; by halving, to
    rounding."""
    low, high = 0.0, area
    for _ in range(60):
        middle = (low + high) / 2
        if middle + _Z * _variance_of_area(middle, n_pos, n_neg) ** 0.5 < area:
            low = middle
        else:
            high = middle
    return high


def _variance_of_area(area: float, n_pos: NDArray, n_neg: NDArray) -> float:
    """Of the mean of areas that are all this large."""
    each = variance_of_areas(np.full(len(n_pos), area), n_pos, n_neg)
    return float(each.sum()) / len(n_pos) ** 2


def area_ends(
    area: NDArray, n_pos: NDArray, n_neg: NDArray, z: NDArray
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(C,) the ends of intervals as of `auc_interval`, of C areas, each of as many entries, z
    standard errors wide."""
    return _least_areas(area, n_pos, n_neg, z), 1 - _least_areas(1 - area, n_neg, n_pos, z)


def _least_areas(area: NDArray, n_pos: NDArray, n_neg: NDArray, z: NDArray) -> NDArray[np.float64]:
    low, high = np.zeros(len(area)), np.array(area, np.float64)
    for _ in range(40):
        middle = (low + high) / 2
        far = middle + z * np.sqrt(variance_of_areas(middle, n_pos, n_neg)) < area
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return high


def variance_of_areas(area: NDArray, n_pos: NDArray, n_neg: NDArray) -> NDArray[np.float64]:
    """(C,) of areas under the ROC curve of independent entries (Hanley and McNeil 1982)."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (n_pos - 1) * (q1 - area**2) + (n_neg - 1) * (q2 - area**2)
    return np.maximum(spread, 0.0) / (n_pos * n_neg)


def r_squared(values: NDArray, predicted: NDArray) -> float:
    """Share of the variance of `values` (N,) that `predicted` (N,) explains: 1 is perfect, 0 what
    their mean would reach, below it is worse. NaN where all values are the same."""
    total = float(np.square(values - np.mean(values)).sum())
    return 1 - float(np.square(values - predicted).sum()) / total if total else float("nan")


def root_mean_square(values: NDArray, predicted: NDArray) -> float:
    """Root of the mean squared difference of `values` (N,) and `predicted` (N,), in their unit."""
    return float(np.sqrt(np.square(np.asarray(values) - predicted).mean()))


def roc(y: NDArray, score: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """False-positive rate FP / (FP + TN), true-positive rate TP / (TP + FN), thresholds; all (T +
    1,).

    Positive means score >= threshold; thresholds descend over the distinct scores, the first is inf
    (nothing is positive). The first point is (0, 0), the last (1, 1), perfect is the corner (0, 1).
    Raises DataError where one class is missing.
    """
    y, score = _checked(y, score)
    if not (y > 0).any() or not (y < 0).any():
        raise DataError("a ROC curve needs positives and negatives",
                        hint="Label some target and some background.")
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
