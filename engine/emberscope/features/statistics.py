"""Intensity and texture statistics of chips: few numbers, each with a name.

Chips come from normalized frames, so a value is in MADs above the frame's median. Unbounded numbers
pass through asinh: they stay comparable with the bounded ones, and need no fitted scale.
"""

import numpy as np
from numpy.typing import DTypeLike, NDArray

from emberscope.base.kernels import njit
from emberscope.features.middles import middles

PERCENTILES = (5, 25, 50, 75, 95)
LEVELS = 8   # of the entropies
CELLS = 4    # the local entropy is the mean over CELLS x CELLS cells
_VANISHES = 1e-6  # a spread
_LANES = 16  # sums that do not wait for each other
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
    chips = np.ascontiguousarray(chips, np.float32)
    if len(chips) == 0:
        return np.empty((0, len(NAMES)), np.float32)
    ordered = np.sort(chips.reshape(len(chips), -1), axis=1)  # faster than selections of each place
    return np.concatenate(
        [_intensity(chips, ordered), _entropies(chips, ordered), _center(chips),
         _gradients(chips), _binary_patterns(chips)], axis=1
    ).astype(np.float32)


def _columns(*columns: NDArray) -> NDArray:
    return np.stack(columns, axis=1)


def _ratio(numerator: NDArray, denominator: NDArray) -> NDArray:
    """numerator / denominator, 0 where the denominator vanishes."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 1e-6)


def _intensity(chips: NDArray, ordered: NDArray) -> NDArray:
    moments = np.empty((len(chips), 4))
    _moments(chips, moments)
    return np.arcsinh(np.concatenate(
        [moments, _percentiles(ordered, (0, 100, *PERCENTILES), np.float64)], axis=1))


@njit(cache=True, nogil=True)
def _moments(chips: NDArray, out: NDArray) -> None:
    """Mean, sd, skewness and kurtosis over that of a normal distribution; the latter are 0 where
    the sd vanishes. Sums by column, which do not wait for each other."""
    n, rows, cols = chips.shape
    first, second, third, fourth = np.empty(cols), np.empty(cols), np.empty(cols), np.empty(cols)
    for i in range(n):
        first[:], second[:], third[:], fourth[:] = 0.0, 0.0, 0.0, 0.0
        for r in range(rows):
            line = chips[i, r]
            for c in range(cols):
                first[c] += line[c]
        mean = first.sum() / (rows * cols)
        for r in range(rows):
            line = chips[i, r]
            for c in range(cols):
                apart = line[c] - mean
                second[c] += apart * apart
        sd = np.sqrt(second.sum() / (rows * cols))
        scale = 1.0 / sd if sd > _VANISHES else 0.0
        for r in range(rows):
            line = chips[i, r]
            for c in range(cols):
                z = (line[c] - mean) * scale
                square = z * z
                third[c] += square * z
                fourth[c] += square * square
        out[i, 0], out[i, 1], out[i, 2] = mean, sd, third.sum() / (rows * cols)
        out[i, 3] = fourth.sum() / (rows * cols) - (3.0 if sd > _VANISHES else 0.0)


def _percentiles(ordered: NDArray, percents: tuple[float, ...], dtype: DTypeLike) -> NDArray:
    """`numpy.percentile` of rows in ascending order (n, k): (n, len(percents)) of a type."""
    position = np.asarray(percents) / 100 * (ordered.shape[1] - 1)
    below = np.floor(position).astype(np.int64)
    above = np.ceil(position).astype(np.int64)
    low, high = ordered[:, below].astype(dtype), ordered[:, above].astype(dtype)
    return low + (high - low) * (position - below)


def _entropies(chips: NDArray, ordered: NDArray) -> NDArray:
    """Entropy of the chip and the mean entropy of its cells, as shares of the largest possible."""
    low, high = _percentiles(ordered, (5, 95), np.float32).T.astype(np.float32)
    counts = np.zeros((len(chips), CELLS**2, LEVELS), np.int64)
    _count_levels(chips, low, _ratio(np.full_like(low, LEVELS), high - low), counts)
    return _columns(_entropy(counts.sum(axis=1)), _entropy(counts).mean(axis=1))


@njit(cache=True, nogil=True)
def _count_levels(chips: NDArray, low: NDArray, scale: NDArray, counts: NDArray) -> None:
    """Pixels of each level, (x - low) * scale cut at both ends, in each cell."""
    n, rows, cols = chips.shape
    last = counts.shape[2] - 1
    across, level = np.arange(cols) * CELLS // cols, np.empty(cols, np.int64)
    for i in range(n):
        for r in range(rows):
            line, cell = chips[i, r], r * CELLS // rows * CELLS
            for c in range(cols):
                gray = (line[c] - low[i]) * scale[i]
                level[c] = int(min(max(gray, np.float32(0)), np.float32(last)))
            for c in range(cols):
                counts[i, cell + across[c], level[c]] += 1


def _entropy(counts: NDArray) -> NDArray:
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -np.sum(share * np.log(np.maximum(share, 1e-12)), axis=-1) / np.log(LEVELS)


def _center(chips: NDArray) -> NDArray:
    """The central half against what lies around it."""
    _, rows, cols = chips.shape
    inside = np.zeros((rows, cols), bool)
    inside[rows // 4 : rows - rows // 4, cols // 4 : cols - cols // 4] = True
    flat = chips.reshape(len(chips), -1)
    center, surround = (np.take(flat, np.flatnonzero(part), axis=1) for part in (inside, ~inside))
    middle = _middle(surround)
    mad = _middle(np.abs(surround - middle[:, None]))
    of_center, of_surround = np.empty((len(chips), 4)), np.empty((len(chips), 4))
    _sums(center, middle + 3 * 1.4826 * mad, of_center)
    _sums(surround, middle, of_surround)
    difference, sd = of_center[:, 0] - of_surround[:, 0], of_surround[:, 1]
    return _columns(
        np.arcsinh(difference),
        np.arcsinh(_ratio(difference, sd)),
        np.arcsinh(_ratio(of_center[:, 1], sd)),
        np.arcsinh(of_center[:, 2] - middle),
        of_center[:, 3],
    )


def _middle(values: NDArray) -> NDArray[np.float64]:
    """`numpy.percentile` at 50 of each row, computed in float64."""
    lower, upper = (part.astype(np.float64) for part in middles(values))
    return lower + (upper - lower) * 0.5


@njit(cache=True, nogil=True)
def _sums(values: NDArray, least: NDArray, out: NDArray) -> None:
    """Mean, sd and maximum of each row, and the share that is above `least` of the row."""
    n, count = values.shape
    for i in range(n):
        line, bound = values[i], least[i]
        parts = np.zeros((2, _LANES))
        highest, above = line[0], 0
        for j in range(count):
            highest = line[j] if line[j] > highest else highest
            above += line[j] > bound
        for begin in range(0, count, _LANES):
            for k in range(min(_LANES, count - begin)):
                parts[0, k] += line[begin + k]
        mean = parts[0].sum() / count
        for begin in range(0, count, _LANES):
            for k in range(min(_LANES, count - begin)):
                apart = line[begin + k] - mean
                parts[1, k] += apart * apart
        out[i, 0], out[i, 1] = mean, np.sqrt(parts[1].sum() / count)
        out[i, 2], out[i, 3] = highest, above / count


def _gradients(chips: NDArray) -> NDArray:
    squares = np.empty((len(chips), 3))
    _gradient_squares(chips, squares)
    xx, yy, xy = squares.T
    energy = xx + yy
    cos, sin = _ratio(xx - yy, energy), _ratio(2 * xy, energy)
    roots = (np.sqrt(value) for value in (energy, xx, yy))
    return _columns(*(np.arcsinh(root) for root in roots), np.hypot(cos, sin), cos, sin)


@njit(cache=True, nogil=True)
def _gradient_squares(chips: NDArray, out: NDArray) -> None:
    """Means over the chip of the squares of central differences across and down, and of their
    product."""
    n, rows, cols = chips.shape
    xx, yy, xy = np.empty(cols), np.empty(cols), np.empty(cols)
    many = (rows - 2) * (cols - 2)
    for i in range(n):
        xx[:], yy[:], xy[:] = 0.0, 0.0, 0.0
        for r in range(1, rows - 1):
            above, here, below = chips[i, r - 1], chips[i, r], chips[i, r + 1]
            for c in range(1, cols - 1):
                gx, gy = np.float64(here[c + 1] - here[c - 1]), np.float64(below[c] - above[c])
                gx, gy = 0.5 * gx, 0.5 * gy
                xx[c] += gx * gx
                yy[c] += gy * gy
                xy[c] += gx * gy
        out[i, 0], out[i, 1], out[i, 2] = xx.sum() / many, yy.sum() / many, xy.sum() / many


def _binary_patterns(chips: NDArray) -> NDArray:
    """Shares of the rotation-invariant uniform patterns: 0..8 neighbors not darker, then all the
    others."""
    counts = np.zeros((len(chips), 10), np.int64)
    _count_patterns(chips, _PATTERN, counts)
    return counts / ((chips.shape[1] - 2) * (chips.shape[2] - 2))


@njit(cache=True, nogil=True)
def _count_patterns(chips: NDArray, pattern: NDArray, counts: NDArray) -> None:
    """Pixels of each pattern. pattern : (256,) by which of the eight neighbors are not darker, one
    bit for each, in turn from the right."""
    n, rows, cols = chips.shape
    code = np.empty(cols, np.int32)
    for i in range(n):
        for r in range(1, rows - 1):
            above, here, below = chips[i, r - 1], chips[i, r], chips[i, r + 1]
            for c in range(1, cols - 1):
                x = here[c]
                code[c] = ((here[c + 1] >= x) + (above[c + 1] >= x) * 2 + (above[c] >= x) * 4
                           + (above[c - 1] >= x) * 8 + (here[c - 1] >= x) * 16
                           + (below[c - 1] >= x) * 32 + (below[c] >= x) * 64
                           + (below[c + 1] >= x) * 128)
            for c in range(1, cols - 1):
                counts[i, pattern[code[c]]] += 1


def _patterns() -> NDArray[np.int64]:
    """Number of the pattern of each of the 256 rings of bits: how many are set, 9 where they change
    more than twice around."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    changes = (bits != np.roll(bits, -1, axis=1)).sum(axis=1)
    return np.where(changes <= 2, bits.sum(axis=1), 9)


_PATTERN = _patterns()
