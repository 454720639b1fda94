"""A linear machine that keeps few features: one-norm of the weights, squared hinge; it can be stopped at any time."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored

_TOLERANCE = 3e-2  # of the optimality conditions, whose unit is the penalty of a weight
_MOST = 3 * 10**9  # features read, some 20 s
_FULL = 50  # rounds after which all weights are looked at again, settled or not
_VALUES = 1 << 26  # features read between two looks at the monitor: a tenth of a second
_INTERCEPT = 0.1  # penalty of the intercept


def sparse_weights(
    F: NDArray, y: NDArray, cost: NDArray, *, monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], float, bool]:
    """argmin over w, b of |w|_1 + |b| / 10 + sum_i cost_i max(0, 1 - y_i (f_i w + b))².

    Parameters
    ----------
    F : (n, m) float64, rows are feature vectors f. y : (n,) in {-1, +1}. cost : (n,) > 0.

    Returns
    -------
    w : (m,), b : float, and whether these had settled.

    Notes
    -----
    Newton steps of one weight at a time with halving, in an order that a generator of seed 0 draws (Yuan, Chang, Hsieh
    and Lin 2010, as in liblinear). Rounds go over all weights, then over those that are not 0 or ought not to be until
    these settle; after 3 10^9 features were read the weights reached stand. O(n m) for a round over all.
    """
    watch, rng = monitored(monitor), np.random.default_rng(0)
    columns = np.vstack([F.T, np.ones(len(F))])
    penalty = np.append(np.ones(F.shape[1]), _INTERCEPT)
    w, short, sign = np.zeros(len(columns)), np.ones(len(F)), np.asarray(y, np.float64)
    everything, step = np.arange(len(columns)), max(1, _VALUES // (64 + len(F)))
    some, violation = everything, np.empty(len(columns))
    read, rounds = 0, 0
    while read < _MOST:
        order = rng.permutation(some)
        for start in range(0, len(order), step):
            watch.step(min(read / _MOST, 1.0), "Sparse machine")
            _sweep(columns, order[start : start + step], sign, cost, penalty, w, short, violation)
            read += len(F) * len(order[start : start + step])
        settled = violation[some].max() <= _TOLERANCE
        if settled and len(some) == len(everything):
            return w[:-1], float(w[-1]), True
        rounds += 1
        again = settled or rounds % _FULL == 0
        some = everything if again else np.flatnonzero((w != 0) | (violation > 0))
    return w[:-1], float(w[-1]), False


# short: 1 - y (F w + b), in place, as w and violation. A step is halved until it keeps a hundredth of its promise.
@njit(cache=True, nogil=True)
def _sweep(columns, some, sign, cost, penalty, w, short, violation):
    for j in some:
        slope, bend = 0.0, 1e-12
        for i in range(len(sign)):
            if short[i] > 0.0:
                slope -= 2.0 * cost[i] * short[i] * sign[i] * columns[j, i]
                bend += 2.0 * cost[i] * columns[j, i] * columns[j, i]
        up, down = slope + penalty[j], slope - penalty[j]
        violation[j] = abs(up) if w[j] > 0.0 else abs(down) if w[j] < 0.0 else max(-up, down, 0.0)
        if up <= bend * w[j]:
            step = -up / bend
        elif down >= bend * w[j]:
            step = -down / bend
        else:
            step = -w[j]
        for _ in range(30):
            if abs(step) < 1e-14:
                break
            more = penalty[j] * (abs(w[j] + step) - abs(w[j]))
            change = more
            for i in range(len(sign)):
                before = max(short[i], 0.0)
                after = max(short[i] - step * sign[i] * columns[j, i], 0.0)
                change += cost[i] * (after * after - before * before)
            if change <= 0.01 * (slope * step + more):
                w[j] += step
                for i in range(len(sign)):
                    short[i] -= step * sign[i] * columns[j, i]
                break
            step /= 2.0
