"""Intensity and texture statistics of chips: few numbers, each with a name.

Chips come from normalized frames, so a value is in MADs above the frame's median. Unbounded numbers
pass through asinh: they stay comparable with the bounded ones, and need no fitted scale.
"""

import numpy as np
from numpy.typing import NDArray

PERCENTILES = (5, 25, 50, 75, 95)
LEVELS = 8   # of the entropies
CELLS = 4    # the local entropy is the mean over CELLS x CELLS cells
MIN_SIDE = 8  # px: below this the cells and the surround would be empty

NAMES = (
    "mean", "sd", "skewness", "kurtosis", "minimum", "maximum",
    *(f"percentile {p}" for p in PERCENTILES),
    "entropy", "local entropy",
    "center minus surround", "center contrast", "center to surround sd", "hottest minus surround",
    "hot share", "gradient", "gradient across", "gradient down", "coherence", "orientation cos",
    "orientation sin", *(f"lbp {i}" for i in range(9)), "lbp not uniform",
)


def statistics(chips: NDArray) -> NDArray[np.float32]:
    """Statistics of every chip.

    Parameters
    ----------
    chips : float array, shape (N, rows, cols), both sides at least `MIN_SIDE`, finite.

    Returns
    -------
    X : float32 array, shape (N, len(NAMES)), columns as `NAMES`; finite, also for constant chips.

    Notes
    -----
    Moments; order statistics; entropy of 8 gray levels between the 5th and 95th percentile, of the
    chip and the mean over a 4 x 4 grid; contrast of the central half against the surround, in MADs
    and in surround sds; gradients and the structure tensor (coherence, doubled angle);
    rotation-invariant uniform local binary patterns, 8 neighbors (Ojala et al. 2002). O(pixels log
    pixels).
    """
    chips = np.asarray(chips, np.float32)
    if len(chips) == 0:
        return np.empty((0, len(NAMES)), np.float32)
    return np.concatenate(
        [_intensity(chips), _entropies(chips), _center(chips), _gradients(chips),
         _binary_patterns(chips)], axis=1
    ).astype(np.float32)


def _columns(*columns: NDArray) -> NDArray:
    return np.stack(columns, axis=1)


def _ratio(numerator: NDArray, denominator: NDArray) -> NDArray:
    """numerator / denominator, 0 where the denominator vanishes."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 1e-6)


def _intensity(chips: NDArray) -> NDArray:
    flat = chips.reshape(len(chips), -1).astype(np.float64)
    mean, sd = flat.mean(axis=1), flat.std(axis=1)
    z = flat - mean[:, None]
    z *= _ratio(np.ones(len(sd)), sd)[:, None]
    square = z * z
    skewness, kurtosis = (square * z).mean(axis=1), (square * square).mean(axis=1) - 3 * (sd > 1e-6)
    moments = _columns(mean, sd, skewness, kurtosis)
    return np.arcsinh(np.concatenate([moments, _percentiles(flat, (0, 100, *PERCENTILES))], axis=1))


def _percentiles(values: NDArray, percents: tuple[float, ...]) -> NDArray:
    """`numpy.percentile` of every row, (n, len(percents)): one sort is faster than numpy's
    selection."""
    ordered = np.sort(values, axis=1)
    position = np.asarray(percents) / 100 * (values.shape[1] - 1)
    below = np.floor(position).astype(np.int64)
    above = np.ceil(position).astype(np.int64)
    return ordered[:, below] + (ordered[:, above] - ordered[:, below]) * (position - below)


def _entropies(chips: NDArray) -> NDArray:
    """Entropy of the chip and the mean entropy of its cells, as shares of the largest possible."""
    n, rows, cols = chips.shape
    low, high = _percentiles(chips.reshape(n, -1), (5, 95)).T.astype(np.float32)[:, :, None, None]
    gray = (chips - low) * _ratio(np.full_like(low, LEVELS), high - low)
    level = np.clip(gray, 0, LEVELS - 1, out=gray).astype(np.int64)
    cell = (np.arange(rows) * CELLS // rows)[:, None] * CELLS + np.arange(cols) * CELLS // cols
    key = (np.arange(n)[:, None, None] * CELLS**2 + cell) * LEVELS + level
    counts = np.bincount(key.ravel(), minlength=n * CELLS**2 * LEVELS).reshape(n, CELLS**2, LEVELS)
    return _columns(_entropy(counts.sum(axis=1)), _entropy(counts).mean(axis=1))


def _entropy(counts: NDArray) -> NDArray:
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -np.sum(share * np.log(np.maximum(share, 1e-12)), axis=-1) / np.log(LEVELS)


def _center(chips: NDArray) -> NDArray:
    """The central half against what lies around it."""
    _, rows, cols = chips.shape
    inside = np.zeros((rows, cols), bool)
    inside[rows // 4 : rows - rows // 4, cols // 4 : cols - cols // 4] = True
    center, surround = chips[:, inside].astype(np.float64), chips[:, ~inside].astype(np.float64)
    middle, sd = _percentiles(surround, (50,))[:, 0], surround.std(axis=1)
    mad = _percentiles(np.abs(surround - middle[:, None]), (50,))[:, 0]
    difference = center.mean(axis=1) - surround.mean(axis=1)
    hot = (center > (middle + 3 * 1.4826 * mad)[:, None]).mean(axis=1)
    return _columns(
        np.arcsinh(difference),
        np.arcsinh(_ratio(difference, sd)),
        np.arcsinh(_ratio(center.std(axis=1), sd)),
        np.arcsinh(center.max(axis=1) - middle),
        hot,
    )


def _gradients(chips: NDArray) -> NDArray:
    gx = (chips[:, 1:-1, 2:] - chips[:, 1:-1, :-2]).reshape(len(chips), -1).astype(np.float64) / 2
    gy = (chips[:, 2:, 1:-1] - chips[:, :-2, 1:-1]).reshape(len(chips), -1).astype(np.float64) / 2
    xx, yy, xy = (gx * gx).mean(axis=1), (gy * gy).mean(axis=1), (gx * gy).mean(axis=1)
    energy = xx + yy
    cos, sin = _ratio(xx - yy, energy), _ratio(2 * xy, energy)
    roots = (np.sqrt(value) for value in (energy, xx, yy))
    return _columns(*(np.arcsinh(root) for root in roots), np.hypot(cos, sin), cos, sin)


def _binary_patterns(chips: NDArray) -> NDArray:
    """Shares of the rotation-invariant uniform patterns: 0..8 neighbors not darker, then all the
    others."""
    ring = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
    n, rows, cols = chips.shape
    middle = chips[:, 1:-1, 1:-1]
    bits = [chips[:, 1 + y : rows - 1 + y, 1 + x : cols - 1 + x] >= middle for y, x in ring]
    changes = sum((a != b).astype(np.int8) for a, b in zip(bits, bits[1:] + bits[:1]))
    pattern = np.where(np.asarray(changes) <= 2, sum(bit.astype(np.int8) for bit in bits), 9)
    key = np.arange(n)[:, None, None] * 10 + pattern
    return np.bincount(key.ravel(), minlength=n * 10).reshape(n, 10) / middle[0].size
