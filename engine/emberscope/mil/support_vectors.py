"""A support vector machine on a kernel that is given: it can be stopped at any time, scikit-learn's cannot."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored

_VALUES = 1 << 26  # kernel values read between two looks at the monitor: a tenth of a second
_ROUNDING = 1e-14  # of the largest sum of kernel values: no condition is known better
_MOST = 100_000_000  # pairs of duals


def support_vectors(
    gram: NDArray, y: NDArray, cost: NDArray, *, tolerance: float, monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], float]:
    """The dual weights (n,) and the intercept b of f = gram @ dual + b that minimize the hinge losses.

    Parameters
    ----------
    gram : (n, n) float64, the kernel. y : (n,) in {-1, +1}, both present. cost : (n,) > 0, of an error in each row.
    tolerance : by how much the optimality conditions may be violated.

    Notes
    -----
    min |f|² / 2 + sum_i cost_i max(0, 1 - y_i f_i), by pairs of duals, the second of a pair chosen by what the step
    gains (Fan, Chen and Lin 2005), among the rows that may still move, as in libsvm but in double precision. O(n) per
    pair, a few n pairs where classes overlap little; after 10^8 the weights reached stand.
    """
    watch = monitored(monitor)
    sign, n = np.asarray(y, np.float64), len(y)
    low, high = np.minimum(sign * cost, 0.0), np.maximum(sign * cost, 0.0)
    dual, short, pairs, allowed = np.zeros(n), sign.copy(), 0, tolerance
    while pairs < _MOST and _gap(dual, short, low, high) >= allowed:
        watch.step(pairs / _MOST, "Support vectors")
        some = _may_move(dual, short, low, high)
        part = gram if len(some) > n // 2 else gram[np.ix_(some, some)]
        some = some if len(some) == len(part) else np.arange(n)
        budget = max(1, _VALUES // len(some))
        moved, left = dual[some], short[some]
        pairs += 1 + _ascend(part, np.diag(part).copy(), moved, left, low[some], high[some], allowed / 2, budget)
        dual[some] = moved
        short = sign - gram @ dual
        allowed = max(tolerance, _ROUNDING * np.diag(gram).max() * np.abs(dual).sum())
    free = (dual > low) & (dual < high)
    if free.any():
        return dual, float(short[free].mean())
    return dual, float((short[dual < high].max() + short[dual > low].min()) / 2)


def _gap(dual: NDArray, short: NDArray, low: NDArray, high: NDArray) -> float:
    """By how much the optimality conditions are violated."""
    return float(short[dual < high].max() - short[dual > low].min())


def _may_move(dual: NDArray, short: NDArray, low: NDArray, high: NDArray) -> NDArray[np.int64]:
    """Rows whose dual is not held at its limit by the present errors."""
    most, least = short[dual < high].max(), short[dual > low].min()
    held = ((dual == high) & (short > most)) | ((dual == low) & (short < least))
    return np.flatnonzero(~held)


def balanced(C: float, y: NDArray) -> NDArray[np.float64]:
    """Cost of an error, per row: C on average, the same in sum for both classes."""
    return C * len(y) / (2 * np.where(y > 0, (y > 0).sum(), (y < 0).sum()))


# dual: signed, low <= dual <= high, of sum 0. short: y - gram @ dual, in place.
@njit(cache=True, nogil=True)
def _ascend(gram, diagonal, dual, short, low, high, tolerance, budget):
    """Steps done, up to `budget`, until what may rise is within `tolerance` of what may fall."""
    n = len(dual)
    for done in range(budget):
        i, most = -1, -np.inf
        for t in range(n):
            if dual[t] < high[t] and short[t] > most:
                i, most = t, short[t]
        j, gain, least = -1, 0.0, np.inf
        for t in range(n):
            if dual[t] > low[t]:
                least = min(least, short[t])
                slope = most - short[t]
                if slope > 0.0:
                    bend = max(diagonal[i] + diagonal[t] - 2.0 * gram[i, t], 1e-12)
                    if slope * slope > gain * bend:
                        j, gain = t, slope * slope / bend
        if most - least < tolerance or j < 0:
            return done
        step = (most - short[j]) / max(diagonal[i] + diagonal[j] - 2.0 * gram[i, j], 1e-12)
        up, down = high[i] - dual[i], dual[j] - low[j]
        step = min(step, up, down)
        dual[i] = high[i] if step == up else dual[i] + step
        dual[j] = low[j] if step == down else dual[j] - step
        for t in range(n):
            short[t] -= step * (gram[i, t] - gram[j, t])
    return budget
