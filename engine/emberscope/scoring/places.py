"""Which places of a grid are scored: every other one, and those around where that is high."""

import numpy as np
from numpy.typing import NDArray

_TOP = 0.05    # share of the coarse places of a frame whose neighbors are scored
_HIGH = 0.3    # and the score from which on they always are
SHARE_SCORED = 0.25 * (1 + 8 * _TOP)  # of all places, at most, where few are high
_NEAR = np.array([[1.0, 2, 1], [2, 0, 2], [1, 2, 1]])


def coarse(shape: tuple[int, int]) -> NDArray[np.bool_]:
    """(rows, cols) every other row and column, and the last ones."""
    out = np.zeros(shape, bool)
    down, across = (_every_other(length) for length in shape)
    out[np.ix_(down, across)] = True
    return out


def around_high(score: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(F, rows, cols) places without a score, NaN, beside one whose score is among the highest
    twentieth of its frame, or 0.3 and more."""
    from scipy.ndimage import maximum_filter

    known = np.isfinite(score)
    low = np.array([np.quantile(frame[np.isfinite(frame)], 1 - _TOP) for frame in score])
    high = known & (score >= np.minimum(low, _HIGH)[:, None, None])
    return (maximum_filter(high.astype(np.uint8), size=(1, 3, 3)) > 0) & ~known


def filled(score: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores (F, rows, cols) with the weighted mean of those beside it in each place that has
    none."""
    from scipy.ndimage import correlate

    known = np.isfinite(score)
    values = np.where(known, score, 0.0).astype(np.float64)
    total = correlate(values, _NEAR[None], mode="constant")
    weight = correlate(known.astype(np.float64), _NEAR[None], mode="constant")
    between = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    return np.where(known, score, between).astype(np.float32)


def _every_other(length: int) -> NDArray[np.int64]:
    return np.unique(np.append(np.arange(0, length, 2), length - 1))
