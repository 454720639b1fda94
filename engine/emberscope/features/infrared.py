"""Features that know infrared: a patch relative to what surrounds it, hot or cold, bright or faint.

A chip shows twice the support: its inner half is the patch, the rest its surround. Everything is
measured in the chip's own terms (median, spread and gradient of patch and surround together), so
that a change of gain, a warmer ground or another hour of the day moves the features little.
"""

from functools import cache
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.segments import segment_reduce
from emberscope.features import statistics as stats
from emberscope.features.middles import medians

GROWN = 2          # the chip's side over that of the patch
CELLS = 4          # x CELLS cells of gradients in the patch
ORIENTATIONS = 9   # bins over 180 degrees
TILES = 8          # x TILES mean levels in the patch
RINGS = (0.0, 0.1, 0.2, 0.31, 0.5, 0.75, 1.0)  # radii around the center, in sides of the patch
SCALES = (1, 2, 4, 8)  # px of a 32-pixel patch: half sides of the spots that are looked for
MIN_SIDE = 16      # px of the patch: below, rings and cells would be empty
_AT_ONCE = 1 << 17  # pixels that are described at a time: they stay in the processor's cache
_FLOOR = 0.25      # MADs of the frame: smaller spreads are noise or a flat sky
_FAINT = 1e-3      # gradient of a chip without any
# sides of the patch: width of the weight of cells, which falls to 0.4 in the corners
_CENTRAL = 0.5
# Spread of a group of columns over clips of four sensors (median of the root of its total
# variance), so that no group rules distances; levels of the frame count .3, statistics of the patch
# alone .5 of that: targets differ less in them.
_GROUPS = {"edges": 1.73, "tiles": 5.23, "rings": 2.41, "spots": 0.71, "levels": 1.22 / 0.3,
           "statistics": 3.65 / 0.5}

NAMES = (
    *(f"edge cell {r},{c} {180 * k / ORIENTATIONS:g} deg"
      for r, c, k in product(range(CELLS), range(CELLS), range(ORIENTATIONS))),
    *(f"tile {r},{c}" for r, c in product(range(TILES), range(TILES))),
    *(f"ring {i} {what}" for i in range(len(RINGS) - 1)
      for what in ("mean", "sd", "maximum", "minimum")),
    *(f"spot {s}/32 {what}" for s in SCALES for what in ("hottest", "coldest", "mean size")),
    "level", "spread", "gradient of patch and surround",
    *stats.NAMES,
)


def infrared(chips: NDArray) -> NDArray[np.float32]:
    """Features of every chip.

    Parameters
    ----------
    chips : float array, shape (N, 2 s, 2 s), s >= `MIN_SIDE`, finite; in MADs of the frame, not
        clipped. The patch is the inner s x s.

    Returns
    -------
    X : float32 array, shape (N, len(NAMES)), columns as `NAMES`; finite, also for constant chips.

    Notes
    -----
    Levels are arcsinh of (x - median) / (1.4826 MAD + a floor), both of the whole chip. Edges:
    gradient energy of 4 x 4 cells by orientation, over the mean gradient of the whole chip, square
    root; cells near the center weigh more. Unlike blocks of HOG these keep how strong an edge is
    beside its surround. Tiles: mean levels. Rings: profile around the center, which does not turn
    with the target. Spots: a square's mean less that of a square twice as wide, its largest,
    smallest and mean absolute value over the patch at four scales. Levels: median, spread and
    gradient of the chip in terms of the frame. Statistics: those of the patch. O(pixels log
    pixels).
    """
    chips = np.ascontiguousarray(chips, np.float32)
    out = np.empty((len(chips), len(NAMES)), np.float32)
    at_once = max(1, _AT_ONCE // max(chips[:1].size, 1))
    for start in range(0, len(chips), at_once):
        part = slice(start, start + at_once)
        _describe(chips[part], out[part])
    return out


def _describe(chips: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    side = chips.shape[1] // GROWN
    edge = (chips.shape[1] - side) // 2
    patch = slice(edge, edge + side)
    flat = chips.reshape(len(chips), -1)
    median = medians(flat)
    apart = flat - median[:, None]
    spread = medians(np.abs(apart))
    apart /= (1.4826 * spread + _FLOOR)[:, None]
    relative = np.arcsinh(apart, out=apart).reshape(chips.shape)
    edges, gradient = _edges(relative, edge, side)
    tiles = _tiles(relative[:, patch, patch])
    levels = np.stack([np.arcsinh(median), np.log(spread + 0.05), np.log(gradient + _FAINT)],
                      axis=1)
    groups = {
        "edges": edges, "tiles": tiles, "rings": _rings(relative, side),
        "spots": _spots(relative, edge, side), "levels": levels,
        "statistics": stats.statistics(chips[:, patch, patch]),
    }
    np.concatenate([part / _GROUPS[name] for name, part in groups.items()], axis=1, out=out,
                   casting="same_kind")


def _edges(relative: NDArray[np.float32], edge: int, side: int) -> tuple[NDArray, NDArray]:
    """Oriented gradient energy of the patch's cells over that of the chip, (N, 144), and the
    latter, (N,)."""
    energy = np.empty((len(relative), CELLS, CELLS, ORIENTATIONS), np.float32)
    mean = np.empty(len(relative), np.float32)
    turns = np.arange(ORIENTATIONS) * (np.pi / ORIENTATIONS)
    _gradients(relative, edge, side, np.cos(turns), np.sin(turns), energy, mean)
    at = (np.arange(CELLS) + 0.5) / CELLS - 0.5
    central = np.exp(-(at[:, None] ** 2 + at**2) / (2 * _CENTRAL**2)).astype(np.float32)
    found = np.sqrt(energy / (mean + _FAINT)[:, None, None, None]) * central[:, :, None]
    return found.reshape(len(relative), -1), mean


@njit(cache=True, nogil=True)
def _gradients(
    relative: NDArray, edge: int, side: int, cos: NDArray, sin: NDArray, energy: NDArray,
    mean: NDArray
) -> None:
    """Mean gradient magnitude per cell and orientation of the patch, and of the whole chip; central
    differences."""
    n, rows, cols = relative.shape
    n_cells, n_bins = energy.shape[1], energy.shape[3]
    energy[:] = 0.0
    gx, gy = np.empty(cols, np.float32), np.empty(cols, np.float32)
    size = np.empty(cols, np.float32)
    bins, total = np.empty(cols, np.int64), np.empty(cols)
    cell = np.arange(side) * n_cells // side
    for i in range(n):
        total[:] = 0.0
        for r in range(1, rows - 1):
            above, here, below = relative[i, r - 1], relative[i, r], relative[i, r + 1]
            for c in range(1, cols - 1):
                gy[c] = below[c] - above[c]
                gx[c] = here[c + 1] - here[c - 1]
                size[c] = np.float32(0.5) * np.sqrt(gx[c] * gx[c] + gy[c] * gy[c])
                total[c] += size[c]
            if not edge <= r < edge + side:
                continue
            for c in range(edge, edge + side):
                x, y = gx[c], gy[c]
                down = y < 0.0 or (y == 0.0 and x < 0.0)
                x, y = (-x, -y) if down else (x, y)
                k = 0
                for turn in range(1, n_bins):  # bin edges passed: cross products, no arctan
                    k += cos[turn] * y >= sin[turn] * x
                bins[c] = k
            line = energy[i, cell[r - edge]]
            for c in range(side):
                line[cell[c], bins[edge + c]] += size[edge + c]
        mean[i] = total[1 : cols - 1].sum() / ((rows - 2) * (cols - 2))
    energy *= n_cells * n_cells / (side * side)


def _tiles(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean levels of 8 x 8 tiles, (N, 64)."""
    starts = np.arange(TILES) * patches.shape[1] // TILES
    sums = segment_reduce(np.add, segment_reduce(np.add, patches, starts, axis=1), starts, axis=2)
    sizes = np.diff(np.append(starts, patches.shape[1]))
    return (sums / (sizes[:, None] * sizes)).reshape(len(patches), -1)


def _rings(relative: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """Mean, sd, maximum and minimum over rings around the center, (N, 24)."""
    flat, out = relative.reshape(len(relative), -1), []
    for places in _rings_of(relative.shape[1], side):
        # A row by itself, so that a sum has the same order alone as among others
        ring = np.take(flat, places, axis=1)
        out += [ring.mean(axis=1), ring.std(axis=1), ring.max(axis=1), ring.min(axis=1)]
    return np.stack(out, axis=1)


@cache
def _rings_of(width: int, side: int) -> list[NDArray[np.int64]]:
    """Numbers of the pixels of each ring in a chip."""
    y, x = np.indices((width, width)) - (width - 1) / 2
    radius = (np.hypot(y, x) / side).ravel()
    return [np.flatnonzero((radius >= inner) & (radius < outer))
            for inner, outer in pairwise(RINGS)]


def _spots(relative: NDArray[np.float32], edge: int, side: int) -> NDArray[np.float32]:
    """Largest, smallest and mean absolute difference of a square's mean to that of its double, (N,
    12)."""
    out = np.empty((len(relative), 3 * len(SCALES)), np.float32)
    halves = np.maximum(np.round(np.array(SCALES) * side / 32).astype(np.int64), 1)
    _differences(relative, edge, side, halves, out)
    return out


@njit(cache=True, nogil=True)
def _differences(relative: NDArray, edge: int, side: int, halves: NDArray, out: NDArray) -> None:
    """By summed areas; centers lie in the patch, an eighth of its side from its border, so that no
    square leaves the chip."""
    n, rows, cols = relative.shape
    area = np.zeros((rows + 1, cols + 1))
    begin, width = edge + side // 8, side - 2 * (side // 8)
    narrow, wide, total = np.empty(width), np.empty(width), np.empty(width)
    highest, lowest = np.empty(width), np.empty(width)
    for i in range(n):
        _summed(relative[i], area)
        for s in range(len(halves)):
            highest[:], lowest[:], total[:] = -np.inf, np.inf, 0.0
            for r in range(begin, begin + width):
                _means(area, r, begin, halves[s], narrow)
                _means(area, r, begin, 2 * halves[s], wide)
                for c in range(width):
                    value = narrow[c] - wide[c]
                    highest[c] = value if value > highest[c] else highest[c]
                    lowest[c] = value if value < lowest[c] else lowest[c]
                    total[c] += abs(value)
            out[i, 3 * s], out[i, 3 * s + 1] = highest.max(), lowest.min()
            out[i, 3 * s + 2] = total.sum() / (width * width)


@njit(cache=True, nogil=True)
def _means(area: NDArray, r: int, begin: int, half: int, out: NDArray) -> None:
    """Means of squares around pixels of row r, from column `begin` on."""
    width, many = len(out), float((2 * half + 1) * (2 * half + 1))
    left, right = begin - half, begin + half + 1
    upper_left, upper_right = area[r - half, left : left + width], area[r - half, right : right + width]
    lower = area[r + half + 1]
    lower_left, lower_right = lower[left : left + width], lower[right : right + width]
    for c in range(width):
        out[c] = (lower_right[c] - upper_right[c] - lower_left[c] + upper_left[c]) / many


@njit(cache=True, nogil=True)
def _summed(image: NDArray, area: NDArray) -> None:
    """Sums of all above and left of each corner, area (rows + 1, cols + 1); its first row and
    column stay 0. Four rows at a time, whose sums do not wait for each other."""
    rows, cols = image.shape
    for r in range(0, rows - 3, 4):
        first = second = third = fourth = 0.0
        for c in range(cols):
            first += image[r, c]
            second += image[r + 1, c]
            third += image[r + 2, c]
            fourth += image[r + 3, c]
            area[r + 1, c + 1], area[r + 2, c + 1] = first, second
            area[r + 3, c + 1], area[r + 4, c + 1] = third, fourth
    for r in range(rows // 4 * 4, rows):
        line = 0.0
        for c in range(cols):
            line += image[r, c]
            area[r + 1, c + 1] = line
    for r in range(1, rows):
        above, here = area[r], area[r + 1]
        for c in range(1, cols + 1):
            here[c] += above[c]
