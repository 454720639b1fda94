"""Intensity and texture statistics of chips: few numbers, each with a name.

Chips come from normalized frames, so a value is in MADs above the frame's median. Unbounded numbers
pass through asinh: they stay comparable with the bounded ones, and need no fitted scale.
"""

import numpy as np
from numpy.typing import DTypeLike, NDArray

from emberscope.base.kernels import njit
from emberscope.features.middles import (
    LANES,
    medians_and_mads,
    spans,
    squares_around,
    taking_turns,
)

PERCENTILES = (5, 25, 50, 75, 95)
LEVELS = 8   # of the entropies
CELLS = 4    # the local entropy is the mean over CELLS x CELLS cells
_VANISHES = 1e-6  # a spread
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
    out, pixels = np.empty((len(chips), 2)), chips[0].size
    many = np.arange(pixels + 1)
    _level_entropies(chips, low, _ratio(np.full_like(low, LEVELS), high - low),
                     taking_turns(chips.shape[2], CELLS), many * np.log(np.maximum(many, 1)), out)
    return out / np.log(LEVELS)


@njit(cache=True, nogil=True)
def _level_entropies(
    chips: NDArray, low: NDArray, scale: NDArray, order: NDArray, logs: NDArray, out: NDArray
) -> None:
    """Entropies of the levels (x - low) * scale, cut at both ends: of each chip, and the mean of
    its cells. logs : k log k."""
    n, rows, cols = chips.shape
    across, level = np.arange(cols) * CELLS // cols, np.empty(cols, np.int32)
    counts = np.empty((CELLS * CELLS, LEVELS), np.int64)
    for i in range(n):
        counts[:] = 0
        bottom, step = low[i], scale[i]
        for r in range(rows):
            line, cell = chips[i, r], r * CELLS // rows * CELLS
            for c in range(cols):
                gray = (line[c] - bottom) * step
                level[c] = int(min(max(gray, np.float32(0)), np.float32(LEVELS - 1)))
            for c in order:
                counts[cell + across[c], level[c]] += 1
        out[i, 0], out[i, 1] = _entropy(counts.sum(axis=0), logs), 0.0
        for cell in range(len(counts)):
            out[i, 1] += _entropy(counts[cell], logs) / len(counts)


@njit(cache=True, nogil=True)
def _entropy(counts: NDArray, logs: NDArray) -> float:
    many, known = 0, 0.0
    for count in counts:
        many += count
        known += logs[count]
    return max((logs[many] - known) / many, 0.0)


def _center(chips: NDArray) -> NDArray:
    """The central half against what lies around it."""
    n, rows, cols = chips.shape
    inside = np.zeros((rows, cols), bool)
    inside[rows // 4 : rows - rows // 4, cols // 4 : cols - cols // 4] = True
    center = np.empty((n, int(inside.sum())), np.float32)
    surround = np.empty((n, inside.size - center.shape[1]), np.float32)
    _part(chips.reshape(n, -1), inside.ravel(), center, surround)
    middle, mad = medians_and_mads(surround, np.empty_like(surround))
    of_center, of_surround = np.empty((n, 4)), np.empty((n, 4))
    _sums(center, middle + np.float32(3 * 1.4826) * mad, of_center)
    _sums(surround, middle, of_surround)
    difference, sd = of_center[:, 0] - of_surround[:, 0], of_surround[:, 1]
    return _columns(
        np.arcsinh(difference),
        np.arcsinh(_ratio(difference, sd)),
        np.arcsinh(_ratio(of_center[:, 1], sd)),
        np.arcsinh(of_center[:, 2] - middle),
        of_center[:, 3],
    )


@njit(cache=True, nogil=True)
def _part(flat: NDArray, inside: NDArray, center: NDArray, surround: NDArray) -> None:
    within, around = np.flatnonzero(inside), np.flatnonzero(~inside)
    for i in range(len(flat)):
        line, own, other = flat[i], center[i], surround[i]
        for j in range(len(within)):
            own[j] = line[within[j]]
        for j in range(len(around)):
            other[j] = line[around[j]]


@njit(cache=True, nogil=True)
def _sums(values: NDArray, least: NDArray, out: NDArray) -> None:
    """Mean, sd and maximum of each row, and the share that is above `least` of the row."""
    n, count = values.shape
    lanes = np.empty((3, LANES))
    for i in range(n):
        line, bound, above = values[i], least[i], 0
        for j in range(count):
            above += line[j] > bound
        total, highest, _ = spans(line, lanes)
        mean = total / count
        out[i, 0], out[i, 1] = mean, np.sqrt(squares_around(line, mean, lanes) / count)
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
