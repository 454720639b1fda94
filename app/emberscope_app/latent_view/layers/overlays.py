"""What is drawn around the points: density contours, hulls of bags, the strip of a one-dimensional run. Pure numpy."""

import numpy as np
from numpy.typing import NDArray

_CELLS = 96
ENOUGH = 100_000  # points that tell the density as well as more would
CONTOUR_LEVELS = (0.12, 0.38, 0.70)  # shares of the highest density


def density(x: NDArray, y: NDArray, *, low: NDArray, high: NDArray, width: float) -> NDArray[np.float64]:
    """(rows, cols) smoothed counts on a grid over the box low..high; `width` is the Gaussian's share of the box."""
    row, column = ((values - start) / (end - start) * _CELLS for values, start, end in ((y, low[1], high[1]),
                                                                                         (x, low[0], high[0])))
    inside = (row >= 0) & (row < _CELLS) & (column >= 0) & (column < _CELLS)
    cell = row[inside].astype(np.int64) * _CELLS + column[inside].astype(np.int64)
    grid = np.bincount(cell, minlength=_CELLS**2).reshape(_CELLS, _CELLS).astype(float)
    reach = int(3 * width * _CELLS) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (width * _CELLS)) ** 2)
    kernel /= kernel.sum()
    return _blurred(_blurred(grid, kernel).T, kernel).T


def _blurred(grid: NDArray, kernel: NDArray) -> NDArray[np.float64]:
    """The rows of a grid mixed with those above and below. As sums: the threads of a matrix product wait for each other
    on a busy computer, for 50 ms of what takes 0.3."""
    reach = len(kernel) // 2
    wide = np.pad(grid, ((reach, reach), (0, 0)))
    found = np.zeros_like(grid)
    for k, weight in enumerate(kernel.tolist()):
        found += weight * wide[k : k + len(grid)]
    return found


def contour(grid: NDArray, level: float) -> NDArray[np.float64]:
    """Line pieces (S, 2, 2) in grid units (column, row of cell centers) where the grid crosses a level.

    Marching squares without joining: every cell gives the one or two pieces that cross it; saddles are cut by the mean.
    """
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]  # clockwise from the top left
    code = (a > level) * 1 + (b > level) * 2 + (c > level) * 4 + (d > level) * 8
    middle = (a + b + c + d) / 4 > level
    code = np.where((code == 5) & ~middle, 16, np.where((code == 10) & ~middle, 17, code))
    pieces = [_pieces(grid, level, code, number, edges) for number, edges in _EDGES.items()]
    return np.concatenate(pieces) if pieces else np.empty((0, 2, 2))


# case -> edges joined by each piece; edges: 0 top, 1 right, 2 bottom, 3 left
_EDGES = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 2), (0, 1)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((0, 2),), 10: ((0, 3), (1, 2)), 11: ((1, 2),), 12: ((1, 3),), 13: ((0, 1),), 14: ((3, 0),),
    16: ((3, 0), (1, 2)), 17: ((0, 1), (2, 3)),
}
_CORNERS = (((0, 0), (0, 1)), ((0, 1), (1, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)))  # (row, column) ends of each edge


def _pieces(grid: NDArray, level: float, code: NDArray, number: int, edges: tuple[tuple[int, int], ...]) -> NDArray:
    row, column = np.nonzero(code == number)
    out = np.empty((len(edges), len(row), 2, 2))
    for i, pair in enumerate(edges):
        for j, edge in enumerate(pair):
            (r0, c0), (r1, c1) = _CORNERS[edge]
            start, end = grid[row + r0, column + c0], grid[row + r1, column + c1]
            t = (level - start) / np.where(end == start, 1, end - start)
            out[i, :, j, 0] = column + c0 + t * (c1 - c0)
            out[i, :, j, 1] = row + r0 + t * (r1 - r0)
    return out.reshape(-1, 2, 2)


def density_contours(places: NDArray, low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Contours (S, 2, 2) in map units of the density of places (n, 2 or more), within the limits low..high and a
    margin; none of fewer than 8 places. 15 ms of 50 000."""
    if len(places) < 8:
        return np.empty((0, 2, 2))
    low, high = np.asarray(low[:2], float) - 0.3, np.asarray(high[:2], float) + 0.3
    cell = (high - low) / _CELLS
    grid = density(places[:, 0], places[:, 1], low=low, high=high, width=0.025)
    pieces = [contour(grid, level * grid.max()) for level in CONTOUR_LEVELS]
    return np.concatenate(pieces) * cell + low + cell / 2


def convex_hull(points: NDArray) -> NDArray[np.float64]:
    """(H, 2) corners of the convex hull, counter-clockwise (Andrew's monotone chain); O(N log N)."""
    found = np.unique(np.asarray(points, float), axis=0)
    if len(found) < 3:
        return found
    return np.array(_chain(found)[:-1] + _chain(found[::-1])[:-1])


def _chain(points: NDArray) -> list[NDArray]:
    out: list[NDArray] = []
    for p in points:
        while len(out) > 1:
            (ax, ay), (bx, by) = out[-2], out[-1]
            if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                break
            out.pop()
        out.append(p)
    return out


BAND = 0.28  # height of one group's band in the strip of a one-dimensional run, map units


def strip_places(places: NDArray, group: NDArray, ids: NDArray) -> NDArray[np.float32]:
    """Places of a one-dimensional run: one band a group, jittered in height by the id, so that a point stays put."""
    out = places.copy()
    keys, band = np.unique(group, return_inverse=True)
    jitter = ((ids * 2654435761) % 65536) / 65536 - 0.5 if len(ids) == len(out) else np.zeros(len(out))
    out[:, 1] = BAND * (((len(keys) - 1) / 2 - band) + 0.6 * jitter - 0.1)
    return out


def strip_density(places: NDArray, group: NDArray) -> dict[int, NDArray]:
    """Density line (64, 2) of each group, standing on its band."""
    out = {}
    keys = np.unique(group)
    for band, key in enumerate(keys):
        x = places[group == key, 0]
        counts, edges = np.histogram(x, bins=64, range=(-1.05, 1.05))
        kernel = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)
        smooth = np.convolve(counts, kernel, "same")
        foot = BAND * ((len(keys) - 1) / 2 - band + 0.22)
        height = 0.22 * BAND * smooth / max(smooth.max(), 1e-12)
        out[int(key)] = np.column_stack([(edges[:-1] + edges[1:]) / 2, foot + height])
    return out
