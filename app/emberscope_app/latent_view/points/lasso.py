"""Which points lie in a drawn outline: a bitmap answers for almost all, the exact test for those at
the border.

Pure numpy. Non-zero winding rule, so that an outline crossing itself still holds what it encloses.
"""

import numpy as np
from numpy.typing import NDArray

_SIDE = 512  # cells of the bitmap along the longer side of the outline


def inside(x: NDArray, y: NDArray, outline: NDArray) -> NDArray[np.bool_]:
    """Points within a closed outline.

    Parameters
    ----------
    x, y : float arrays, shape (N,). outline : float array, shape (C, 2), C corners, closed by
    itself.

    Returns
    -------
    inside : bool array, shape (N,). Exactly what the winding number of each point says; NaN is
    outside.

    Notes
    -----
    One look-up a point; O(C) only for points in cells that an edge touches (about 1 % of the
    outline's box).
    """
    outline = np.asarray(outline, float)
    out = np.zeros(len(x), bool)
    if len(outline) < 3:
        return out
    low, high = outline.min(axis=0), outline.max(axis=0)
    near = np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))
    if not len(near):
        return out
    px, py = np.asarray(x[near], float), np.asarray(y[near], float)
    side = float(max(high - low)) / _SIDE or 1.0
    sure, open_ = _bitmap(outline, low, side, (np.floor((high - low) / side).astype(int) + 1))
    cell = (((py - low[1]) / side).astype(int), ((px - low[0]) / side).astype(int))
    found = sure[cell]
    again = np.flatnonzero(open_[cell])
    found[again] = winding(px[again], py[again], outline) != 0
    out[near] = found
    return out


def winding(x: NDArray, y: NDArray, outline: NDArray) -> NDArray[np.int64]:
    """How often the outline goes round each point, counter-clockwise positive. O(N C), in
    blocks."""
    out = np.zeros(len(x), np.int64)
    x0, y0 = outline.T
    x1, y1 = np.roll(outline, -1, axis=0).T
    for start in range(0, len(x), 4096):
        px, py = x[start : start + 4096, None], y[start : start + 4096, None]
        side = (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)
        up = (y0 <= py) & (y1 > py) & (side > 0)
        down = (y0 > py) & (y1 <= py) & (side < 0)
        out[start : start + 4096] = up.sum(axis=1) - down.sum(axis=1)
    return out


def _bitmap(
    outline: NDArray, low: NDArray, side: float, shape: NDArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(rows, cols) masks: cells whose center is inside, and cells that an edge touches."""
    cols, rows = (int(n) + 1 for n in shape)
    a = (outline - low) / side
    b = np.roll(a, -1, axis=0)
    return _filled(a, b, rows, cols), _touched(a, b, rows, cols)


def _filled(a: NDArray, b: NDArray, rows: int, cols: int) -> NDArray[np.bool_]:
    """Winding number at the cell centers, by the crossings left of them."""
    low, high = np.minimum(a[:, 1], b[:, 1]), np.maximum(a[:, 1], b[:, 1])
    # Rows with a center in [low, high)
    first, last = np.ceil(low - 0.5).astype(int), np.ceil(high - 0.5).astype(int)
    edge, row = _spread(first, last)
    t = (row + 0.5 - a[edge, 1]) / (b[edge, 1] - a[edge, 1])
    cross = a[edge, 0] + t * (b[edge, 0] - a[edge, 0])
    column = np.clip(np.ceil(cross - 0.5).astype(int), 0, cols)
    turns = np.zeros((rows, cols + 1), np.int32)
    np.add.at(turns, (row, column), np.where(b[edge, 1] > a[edge, 1], 1, -1))
    return np.cumsum(turns, axis=1)[:, :cols] != 0


def _touched(a: NDArray, b: NDArray, rows: int, cols: int) -> NDArray[np.bool_]:
    """Cells that an edge passes, with a margin for rounding."""
    low, high = np.minimum(a[:, 1], b[:, 1]), np.maximum(a[:, 1], b[:, 1])
    edge, row = _spread(np.floor(low - 1e-6).astype(int), np.floor(high + 1e-6).astype(int) + 1)
    rise = b[edge, 1] - a[edge, 1]
    flat = np.abs(rise) < 1e-12
    rise = np.where(flat, 1.0, rise)
    t0 = np.where(flat, 0.0, np.clip((row - a[edge, 1]) / rise, 0, 1))
    t1 = np.where(flat, 1.0, np.clip((row + 1 - a[edge, 1]) / rise, 0, 1))
    x0 = a[edge, 0] + t0 * (b[edge, 0] - a[edge, 0])
    x1 = a[edge, 0] + t1 * (b[edge, 0] - a[edge, 0])
    start = np.clip(np.floor(np.minimum(x0, x1) - 1e-6).astype(int), 0, cols - 1)
    stop = np.clip(np.floor(np.maximum(x0, x1) + 1e-6).astype(int) + 1, 1, cols)
    row = np.clip(row, 0, rows - 1)
    marks = np.zeros((rows, cols + 1), np.int32)
    np.add.at(marks, (row, start), 1)
    np.add.at(marks, (row, stop), -1)
    return np.cumsum(marks, axis=1)[:, :cols] > 0


def _spread(first: NDArray, last: NDArray) -> tuple[NDArray, NDArray]:
    """Every (edge, row) pair with first[edge] <= row < last[edge]."""
    counts = np.maximum(last - first, 0)
    edge = np.repeat(np.arange(len(first)), counts)
    row = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts) + first[edge]
    return edge, row


def along(
    x: NDArray, y: NDArray, start: tuple[float, float], end: tuple[float, float], radius: float
) -> NDArray[np.bool_]:
    """Points within `radius` of a segment: one step of the brush."""
    ax, ay = start
    dx, dy = end[0] - ax, end[1] - ay
    length = dx * dx + dy * dy
    t = np.clip(((x - ax) * dx + (y - ay) * dy) / length, 0, 1) if length else 0.0
    return (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 <= radius * radius
