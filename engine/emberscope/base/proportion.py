"""The interval of a proportion."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORMAL = NormalDist().inv_cdf(0.975)  # deviations that hold 95 %


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """95 % interval of a proportion (Wilson 1927), inside [0, 1]; (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    low, high = _wilson(successes / n, n, NORMAL)
    return max(0.0, float(low)), min(1.0, float(high))


def _wilson(share: Any, n: Any, z: float) -> tuple[Any, Any]:
    """Both ends for shares of n entries, numbers or arrays (P,); rounding may leave [0, 1]."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def mean_wilson_interval(mean: float, counts: Sequence[int]) -> tuple[float, float]:
    """95 % interval of the mean of proportions of `counts` trials each, (0, 1) for none.

    That of one proportion of as many trials as have the variance of that mean, were all proportions
    equal: those that differ have a smaller one. No count is 0.
    """
    n = len(counts) ** 2 / sum(1 / count for count in counts) if counts else 0
    return wilson_interval(mean * n, n)


def clustered_interval(
    share: NDArray, n: NDArray, variance: NDArray, groups: int, independent: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """95 % intervals of shares whose entries depend on each other in groups; (0, 1) for NaN.

    That of Wilson (1927) for as many independent entries as have the variance found (Dean and
    Pagano 2015), with the quantile of Student for the number of groups.

    share, n, variance : (P,) shares, of how many entries each, and how much another sample of
    groups changes it. independent : entries that one entry is worth at most; where a share is 0 or
    1 no sample of groups differs, and it alone says how many there are.
    """
    share, n = np.asarray(share, np.float64), np.maximum(np.asarray(n, np.float64), 1e-9)
    smooth = (share * n + 1) / (n + 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.minimum(smooth * (1 - smooth) / np.maximum(variance, 1e-12), n * independent)
    worth = np.maximum(worth, 1e-3)
    low, high = _wilson(share, worth, student_quantile(max(groups - 1, 1)))
    none = np.isnan(share) | ~np.isfinite(variance)
    # a share of 0 or 1 is an end itself, which rounding would miss
    low = np.minimum(np.clip(low, 0, 1), share)
    high = np.maximum(np.clip(high, 0, 1), share)
    return np.where(none, 0.0, low), np.where(none, 1.0, high)


def student_quantile(freedom: float, level: float = 0.975) -> float:
    """A quantile of Student's distribution."""
    from scipy.special import stdtrit  # the window imports this module

    return float(stdtrit(freedom, level))
