"""The interval of a proportion."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """95 % interval of a proportion (Wilson 1927), inside [0, 1]; (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    z = _Z
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_wilson_interval(mean: float, counts: Sequence[int]) -> tuple[float, float]:
    """95 % interval of the mean of proportions of `counts` trials each, (0, 1) for none.

    That of one proportion of as many trials as have the variance of that mean, were all proportions
    equal: those that differ have a smaller one. No count is 0.
    """
    n = len(counts) ** 2 / sum(1 / count for count in counts) if counts else 0
    return wilson_interval(mean * n, n)
