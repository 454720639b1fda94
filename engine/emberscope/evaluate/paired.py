"""Whether one of two scores of the same entries is better, or chance made it look so."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.proportion import student_quantile
from emberscope.evaluate.curves import DRAWS, drawn_areas


class Disagreement(NamedTuple):
    """How many entries only the first, and only the second, is right on, and how likely so uneven a
    share is by chance (McNemar 1947, exact)."""

    only_first: int
    only_second: int
    chance: float


class Difference(NamedTuple):
    """A difference, the ends of its 95 % interval, and how likely one as large is by chance (p, two
    sides); NaN where nothing says so."""

    value: float
    low: float
    high: float
    chance: float


def mcnemar(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Disagreement:
    """Of verdicts (N,) that are right or wrong on the same entries. O(N)."""
    from scipy.stats import binomtest

    a, b = int((first & ~second).sum()), int((second & ~first).sum())
    return Disagreement(a, b, float(binomtest(a, a + b).pvalue) if a + b else 1.0)


def area_difference(
    positive: NDArray[np.bool_], first: NDArray, second: NDArray, group: NDArray, *,
    draws: int = DRAWS, seed: int = 0,
) -> Difference:
    """The area under the ROC curve of the second score less that of the first, its 95 % interval,
    and how likely one as large is by chance.

    positive, first, second, group : (N,), as of `curves`. Groups are drawn with replacement, the
    same for both scores; the interval is that of Student for so many groups around the difference.
    Raises DataError as `curves`.
    """
    areas = [drawn_areas(positive, score, group, draws=draws, seed=seed)
             for score in (first, second)]
    difference = areas[1] - areas[0]
    drawn = difference[1:][np.isfinite(difference[1:])]
    groups = len(np.unique(group))
    spread = float(drawn.std(ddof=1)) if len(drawn) > 1 else np.inf
    spread *= (groups / max(groups - 1, 1)) ** 0.5
    return _student(float(difference[0]), spread, max(groups - 1, 1))


def corrected_mean(differences: NDArray, tested: float) -> Difference:
    """The mean of differences (F,) of F folds, its 95 % interval, and p of the corrected resampled
    t-test (Nadeau and Bengio 2003).

    Fits of different folds learn from nearly the same data, so that their differences depend on
    each other: the variance grows by the share of the data that a fold tests, over the rest.
    tested : that share. (-1, 1) where there are fewer than two folds.
    """
    known = differences[np.isfinite(differences)]
    if len(known) < 2:
        value = float(known.mean()) if len(known) else float("nan")
        return Difference(value, -1.0, 1.0, float("nan"))
    more = tested / max(1 - tested, 1e-9)
    spread = float(np.sqrt((1 / len(known) + more) * known.var(ddof=1)))
    return _student(float(known.mean()), spread, len(known) - 1)


def _student(value: float, spread: float, freedom: int) -> Difference:
    """A difference with this standard error, of so many degrees of freedom."""
    from scipy.special import stdtr

    if not np.isfinite(spread):
        return Difference(value, -1.0, 1.0, float("nan"))
    half = student_quantile(freedom) * spread
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.divide(abs(value), spread)
    chance = 1.0 if value == 0 else float(2 * stdtr(freedom, -t))
    return Difference(value, max(value - half, -1.0), min(value + half, 1.0), chance)
