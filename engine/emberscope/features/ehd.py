"""Edge histogram descriptor: which share of a window's pixels lies on an edge of each direction,
and on none."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

CELLS = 4         # x CELLS windows
DIRECTIONS = ("horizontal", "vertical", "diagonal", "antidiagonal", "none")
# px: below, a window of a cell and half its neighbors holds too few pixels to count
MIN_SIDE = 16
THRESHOLD = 1.0   # MADs of the frame that the two sides of an edge differ by at least

NAMES = tuple(f"ehd cell {r},{c} {what}"
              for r, c, what in product(range(CELLS), range(CELLS), DIRECTIONS))


def ehd(chips: NDArray, *, threshold: float = THRESHOLD) -> NDArray[np.float32]:
    """Features of every chip.

    Parameters
    ----------
    chips : float array, shape (N, rows, cols), 4 px or more a side. threshold : difference between
        the sides of an edge, in units of the chips, that a pixel needs to count as one.

    Returns
    -------
    X : float32 array, shape (N, 80), columns as `NAMES`: 4 x 4 windows by 5 shares that add up to
        1. A constant chip is "none" everywhere.

    Notes
    -----
    Karem 2019, section 5.3.3, after Frigui and Gader 2009: every pixel but those of the border goes
    to the direction whose 3 x 3 mask (Sobel's, and the same turned by 45 degrees) answers most, or
    to none below the threshold, which print does not give; windows overlap. There they lie side by
    side along a radar scan, here on a grid, each a cell and half of the cells beside it. "diagonal"
    ascends to the right. The sign of an edge does not count. O(pixels).
    """
    chips = np.ascontiguousarray(chips, np.float32)
    out = np.empty((len(chips), len(NAMES)), np.float32)
    _ehd(chips, threshold, CELLS, out)
    return out


def edge_directions(images: NDArray, *, threshold: float = THRESHOLD) -> NDArray[np.int8]:
    """The place in `DIRECTIONS` of every pixel but those of the border, (N, rows - 2, cols - 2), of
    images (N, rows, cols), as `ehd` counts them. O(pixels)."""
    images = np.ascontiguousarray(images, np.float32)
    rows, cols = images.shape[1:]
    out = np.empty((len(images), max(rows - 2, 0), max(cols - 2, 0)), np.int8)
    _edge_directions(images, threshold, out)
    return out


@njit(cache=True, nogil=True)
def _edge_directions(images: NDArray, threshold: float, out: NDArray) -> None:
    for i in range(len(images)):
        for r in range(out.shape[1]):
            for c in range(out.shape[2]):
                out[i, r, c] = _direction(images[i], r + 1, c + 1, threshold)


@njit(cache=True, nogil=True)
def _direction(chip: NDArray, r: int, c: int, threshold: float) -> int:
    """Place of the strongest direction in `DIRECTIONS`; of equal ones the first."""
    nw, n, ne = float(chip[r - 1, c - 1]), float(chip[r - 1, c]), float(chip[r - 1, c + 1])
    w, e = float(chip[r, c - 1]), float(chip[r, c + 1])
    sw, s, se = float(chip[r + 1, c - 1]), float(chip[r + 1, c]), float(chip[r + 1, c + 1])
    answers = (
        abs(nw + 2 * n + ne - sw - 2 * s - se),
        abs(nw + 2 * w + sw - ne - 2 * e - se),
        abs(n + 2 * nw + w - s - 2 * se - e),
        abs(n + 2 * ne + e - s - 2 * sw - w),
    )
    best, most = 4, 4 * threshold  # the weights of a side add up to 4
    for k in range(4):
        if answers[k] > most:
            best, most = k, answers[k]
    return best


@njit(cache=True, nogil=True)
def _ehd(chips: NDArray, threshold: float, cells: int, out: NDArray) -> None:
    rows, cols = chips.shape[1:]
    count = np.empty((2 * cells, 2 * cells, 5))  # of half cells
    for i in range(len(chips)):
        count[:] = 0.0
        for r in range(1, rows - 1):
            for c in range(1, cols - 1):
                where = _direction(chips[i], r, c, threshold)
                count[2 * cells * r // rows, 2 * cells * c // cols, where] += 1.0
        at = 0
        for r in range(cells):
            for c in range(cells):
                window = count[max(2 * r - 1, 0) : 2 * r + 3, max(2 * c - 1, 0) : 2 * c + 3]
                total = window.sum()
                for k in range(5):
                    out[i, at] = window[:, :, k].sum() / total
                    at += 1
