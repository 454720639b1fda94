"""Decision stumps: one feature, one threshold.
The best of all of them in one pass over presorted features."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored

_BLOCK = 20_000_000  # values between two looks at the monitor
_TIE = 1e-10  # of the sum of all weights: what differs by less is rounding


class Stump(NamedTuple):
    """h(x) = sign if x[feature] > threshold else -sign. feature = -1: h(x) = sign everywhere."""

    feature: int
    threshold: float
    sign: int


class SortedFeatures:
    """The rows of X (N, D) in the order of every feature: 5 N D bytes, sorted once,
    O(N D log N)."""

    def __init__(self, X: NDArray, monitor: Monitor | None = None) -> None:
        watch = monitored(monitor)
        self._X = X
        self._order = np.empty(X.shape[::-1], np.int32)
        # the last of equal values: only there may a cut be
        self._last = np.ones(X.shape[::-1], np.bool_)
        for j in range(X.shape[1]):
            column = X[:, j]
            self._order[j] = np.argsort(column, kind="stable")
            self._last[j, :-1] = np.diff(column[self._order[j]]) > 0
            watch.step((j + 1) / X.shape[1], "Sorting features")

    def best(self, weight: NDArray[np.float64], monitor: Monitor | None = None) -> Stump:
        """The stump with the largest sum of weight * h(x):
        least error on labels sign(weight), weights |weight|.

        O(N D). Among stumps that are equally good the constant one comes first, then the lowest
        feature, then the lowest threshold; the order of rows does not count.
        """
        watch = monitored(monitor)
        total = float(weight.sum())
        gain = np.zeros(len(self._order))
        step = max(1, _BLOCK // max(len(weight), 1))
        for start in range(0, len(gain), step):
            part = slice(start, start + step)
            _best_gains(self._order[part], self._last[part], weight, total, gain[part])
            watch.step(start / len(gain), "Searching stumps")
        enough = max(float(gain.max(initial=0.0)), abs(total)) - _TIE * float(np.abs(weight).sum())
        if abs(total) >= enough:
            return Stump(-1, 0.0, 1 if total >= 0 else -1)
        return self._cut(int(np.flatnonzero(gain >= enough)[0]), weight, total, enough)

    def _cut(self, feature: int, weight: NDArray, total: float, enough: float) -> Stump:
        """The lowest cut of a feature that gains enough, in the middle between two values."""
        order = self._order[feature]
        above = total - 2 * np.cumsum(weight[order])
        at = int(np.flatnonzero(
            self._last[feature, :-1] & (np.abs(above[:-1]) >= enough * (1 - 1e-15))
        )[0])
        low, high = (float(self._X[row, feature]) for row in order[at : at + 2])
        middle = low + (high - low) / 2
        return Stump(feature, middle if middle < high else low, 1 if above[at] > 0 else -1)


@njit(cache=True, nogil=True)
def _best_gains(
    order: NDArray, last: NDArray, weight: NDArray, total: float, gain: NDArray
) -> None:
    """Per feature the largest |sum of weights above a cut - sum below|;
    0 where all values are equal."""
    n = order.shape[1]
    for j in range(order.shape[0]):
        below = 0.0
        best = 0.0
        for i in range(n - 1):
            below += weight[order[j, i]]
            if last[j, i]:
                best = max(best, abs(total - 2 * below))
        gain[j] = best
