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
from emberscope.features import statistics as stats
from emberscope.features.middles import (
    LANES,
    medians_and_mads,
    sizes,
    spans,
    squares_around,
    taking_turns,
)

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
# cosine and sine of where each bin of orientations begins
_EDGES_OF_BINS = np.stack([turn(np.arange(ORIENTATIONS) * (np.pi / ORIENTATIONS))
                           for turn in (np.cos, np.sin)]).astype(np.float32)
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
    relative, median, spread = _relative(chips)
    edges, gradient = _edges(relative, edge, side)
    levels = np.stack([np.arcsinh(median), np.log(spread + 0.05), np.log(gradient + _FAINT)],
                      axis=1)
    groups = {
        "edges": edges, "tiles": _tiles(relative, edge, side), "rings": _rings(relative, side),
        "spots": _spots(relative, edge, side), "levels": levels,
        "statistics": stats.statistics(chips[:, patch, patch]),
    }
    begin = 0
    for name, part in groups.items():
        end = begin + part.shape[1]
        np.divide(part, _GROUPS[name], out=out[:, begin:end], casting="same_kind")
        begin = end


def _relative(
    chips: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Chips in terms of their own, and the median and MAD of each, (N,)."""
    flat = chips.reshape(len(chips), -1)
    found = np.empty_like(flat)
    median, spread = medians_and_mads(flat, found)
    _in_terms_of(flat, median, 1.4826 * spread + _FLOOR, found)
    return np.arcsinh(found, out=found).reshape(chips.shape), median, spread


@njit(cache=True, nogil=True)
def _in_terms_of(flat: NDArray, middle: NDArray, scale: NDArray, out: NDArray) -> None:
    for i in range(len(flat)):
        own, step, line, there = middle[i], scale[i], flat[i], out[i]
        for j in range(len(line)):
            there[j] = (line[j] - own) / step


def _edges(relative: NDArray[np.float32], edge: int, side: int) -> tuple[NDArray, NDArray]:
    """Oriented gradient energy of the patch's cells over that of the chip, (N, 144), and the
    latter, (N,)."""
    energy = np.empty((len(relative), CELLS, CELLS, ORIENTATIONS), np.float32)
    mean = np.empty(len(relative), np.float32)
    _gradients(relative, edge, taking_turns(side, CELLS).astype(np.uint32), _EDGES_OF_BINS, energy, mean)
    at = (np.arange(CELLS) + 0.5) / CELLS - 0.5
    central = np.exp(-(at[:, None] ** 2 + at**2) / (2 * _CENTRAL**2)).astype(np.float32)
    found = np.sqrt(energy / (mean + _FAINT)[:, None, None, None]) * central[:, :, None]
    return found.reshape(len(relative), -1), mean


@njit(cache=True, nogil=True)
def _gradients(
    relative: NDArray, edge: int, order: NDArray, turns: NDArray, energy: NDArray, mean: NDArray
) -> None:
    """Mean gradient magnitude per cell and orientation of the patch, and of the whole chip; central
    differences. order : in which columns of the patch are taken."""
    n, rows, cols = relative.shape
    n_cells, n_bins, side = energy.shape[1], energy.shape[3], len(order)
    energy[:] = 0.0
    # Of whole rows, the last and first pixels of which are not used, so that loops become vectors
    gx, gy = np.empty((rows - 2) * cols, np.float32), np.empty((rows - 2) * cols, np.float32)
    size, total = np.empty_like(gx), np.empty(cols, np.float32)
    bins, cell = np.empty(side, np.int32), np.arange(side) * n_cells // side
    first, place = (cell * n_bins).astype(np.uint32), np.empty(side, np.uint32)
    for i in range(n):
        flat = relative[i].reshape(rows * cols)
        _between(flat[cols + 1 :], flat[cols - 1 :], gx)
        _between(flat[2 * cols :], flat, gy)
        for j in range(len(size)):
            size[j] = np.float32(0.5) * np.sqrt(gx[j] * gx[j] + gy[j] * gy[j])
        total[:] = 0.0
        for begin in range(0, len(size), cols):
            line = size[begin : begin + cols]
            for c in range(cols):
                total[c] += line[c]
        mean[i] = total[1 : cols - 1].sum() / ((rows - 2) * (cols - 2))
        for r in range(side):
            begin = (r + edge - 1) * cols + edge
            line = size[begin : begin + side]
            _bins(gx[begin : begin + side], gy[begin : begin + side], turns, bins)
            for c in range(side):
                place[c] = first[c] + bins[c]
            own = energy[i, cell[r]].reshape(n_cells * n_bins)
            for c in order:
                own[place[c]] += line[c]
    energy *= np.float32(n_cells * n_cells / (side * side))


@njit(cache=True, nogil=True)
def _between(after: NDArray, before: NDArray, out: NDArray) -> None:
    for c in range(len(out)):
        out[c] = after[c] - before[c]


@njit(cache=True, nogil=True)
def _bins(gx: NDArray, gy: NDArray, turns: NDArray, bins: NDArray) -> None:
    """Bin of each direction, either sense alike."""
    for c in range(len(bins)):
        bins[c] = 1 - 2 * (gy[c] < 0 or (gy[c] == 0 and gx[c] < 0))
    for c in range(len(bins)):
        gx[c] *= bins[c]
    for c in range(len(bins)):
        gy[c] *= bins[c]
    bins[:] = 0
    for k in range(1, turns.shape[1]):  # bin edges passed: cross products, no arctan
        across, along = turns[0, k], turns[1, k]
        for c in range(len(bins)):
            bins[c] += np.int32(across * gy[c] >= along * gx[c])


def _tiles(relative: NDArray[np.float32], edge: int, side: int) -> NDArray[np.float32]:
    """Mean levels of 8 x 8 tiles, (N, 64)."""
    starts = np.append(np.arange(TILES) * side // TILES, side) + edge
    out = np.empty((len(relative), TILES, TILES), np.float32)
    _tile_means(relative, starts, out)
    return out.reshape(len(relative), -1)


@njit(cache=True, nogil=True)
def _tile_means(relative: NDArray, starts: NDArray, out: NDArray) -> None:
    lines = np.empty(relative.shape[2], np.float32)
    for i in range(len(relative)):
        for down in range(len(starts) - 1):
            lines[:] = 0.0
            for r in range(starts[down], starts[down + 1]):
                here = relative[i, r]
                for c in range(len(lines)):
                    lines[c] += here[c]
            high = starts[down + 1] - starts[down]
            for across in range(len(starts) - 1):
                total = np.float32(0.0)
                for c in range(starts[across], starts[across + 1]):
                    total += lines[c]
                out[i, down, across] = total / (high * (starts[across + 1] - starts[across]))


def _rings(relative: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """Mean, sd, maximum and minimum over rings around the center, (N, 24)."""
    places, ends = _rings_of(relative.shape[1], side)
    out = np.empty((len(relative), 4 * len(ends)), np.float32)
    _ring_values(relative.reshape(len(relative), -1), places, ends, out)
    return out


@cache
def _rings_of(width: int, side: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Numbers of the pixels of all rings in a chip, ring after ring, and where each ends."""
    y, x = np.indices((width, width)) - (width - 1) / 2
    radius = (np.hypot(y, x) / side).ravel()
    rings = [np.flatnonzero((radius >= inner) & (radius < outer))
             for inner, outer in pairwise(RINGS)]
    return np.concatenate(rings).astype(np.uint32), np.cumsum([len(ring) for ring in rings])


@njit(cache=True, nogil=True)
def _ring_values(flat: NDArray, places: NDArray, ends: NDArray, out: NDArray) -> None:
    ring, lanes = np.empty(len(places), np.float32), np.empty((3, LANES), np.float32)
    for i in range(len(flat)):
        line, begin = flat[i], 0
        for j in range(len(places)):
            ring[j] = line[places[j]]
        for k in range(len(ends)):
            part, many = ring[begin : ends[k]], ends[k] - begin
            total, highest, lowest = spans(part, lanes)
            mean = np.float32(total / many)
            out[i, 4 * k] = mean
            out[i, 4 * k + 1] = np.sqrt(squares_around(part, mean, lanes) / many)
            out[i, 4 * k + 2], out[i, 4 * k + 3] = highest, lowest
            begin = ends[k]


def _spots(relative: NDArray[np.float32], edge: int, side: int) -> NDArray[np.float32]:
    """Largest, smallest and mean absolute difference of a square's mean to that of its double, (N,
    12)."""
    out = np.empty((len(relative), 3 * len(SCALES)), np.float32)
    narrow = np.maximum(np.round(np.array(SCALES) * side / 32).astype(np.int64), 1)
    halves, which = np.unique([narrow, 2 * narrow], return_inverse=True)
    _differences(relative, edge, side, halves, which.reshape(2, -1), out)
    return out


@njit(cache=True, nogil=True)
def _differences(
    relative: NDArray, edge: int, side: int, halves: NDArray, which: NDArray, out: NDArray
) -> None:
    """By summed areas; centers lie in the patch, an eighth of its side from its border, so that no
    square leaves the chip. which : (2, S) the halves of the sides of squares and their doubles."""
    n, rows, cols = relative.shape
    area = np.zeros((rows + 1, cols + 1))
    begin, width = edge + side // 8, side - 2 * (side // 8)
    means = np.empty((len(halves), width * width), np.float32)
    apart, lanes = np.empty(width * width, np.float32), np.empty((3, LANES), np.float32)
    for i in range(n):
        _summed(relative[i], area)
        for k in range(len(halves)):
            for r in range(width):
                _means(area, begin + r, begin, halves[k], means[k, r * width : (r + 1) * width])
        for s in range(which.shape[1]):
            _between(means[which[0, s]], means[which[1, s]], apart)
            _, out[i, 3 * s], out[i, 3 * s + 1] = spans(apart, lanes)
            out[i, 3 * s + 2] = sizes(apart, lanes) / len(apart)


@njit(cache=True, nogil=True)
def _means(area: NDArray, r: int, begin: int, half: int, out: NDArray) -> None:
    """Means of squares around pixels of row r, from column `begin` on."""
    width, share = len(out), 1.0 / ((2 * half + 1) * (2 * half + 1))
    left, right = begin - half, begin + half + 1
    upper, lower = area[r - half], area[r + half + 1]
    upper_left, upper_right = upper[left : left + width], upper[right : right + width]
    lower_left, lower_right = lower[left : left + width], lower[right : right + width]
    for c in range(width):
        out[c] = (lower_right[c] - upper_right[c] - lower_left[c] + upper_left[c]) * share


@njit(cache=True, nogil=True)
def _summed(image: NDArray, area: NDArray) -> None:
    """Sums of all above and left of each corner, area (rows + 1, cols + 1); its first row and
    column stay 0. Four rows at a time, whose sums do not wait for each other."""
    rows, cols = image.shape
    for r in range(0, rows - 3, 4):
        a, b, c, d = image[r], image[r + 1], image[r + 2], image[r + 3]
        to_a, to_b = area[r + 1, 1:], area[r + 2, 1:]
        to_c, to_d = area[r + 3, 1:], area[r + 4, 1:]
        first = second = third = fourth = 0.0
        for k in range(cols):
            first += a[k]
            second += b[k]
            third += c[k]
            fourth += d[k]
            to_a[k], to_b[k], to_c[k], to_d[k] = first, second, third, fourth
    for r in range(rows // 4 * 4, rows):
        line = 0.0
        for k in range(cols):
            line += image[r, k]
            area[r + 1, k + 1] = line
    for r in range(1, rows):
        above, here = area[r], area[r + 1]
        for k in range(1, cols + 1):
            here[k] += above[k]
