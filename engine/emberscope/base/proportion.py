"""The interval of a proportion."""

from math import sqrt
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


def wilson_interval(successes: float, n: int) -> tuple[float, float]:
    """95 % interval of a proportion (Wilson 1927), inside [0, 1]; (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    z = _Z
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
