"""Repulsion of t-SNE: sums over all pairs of a layout in 1-D or 2-D, by interpolation on a grid."""

import itertools
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

_SPACING = {1: 0.2, 2: 0.28}  # of the grid, in units of Z: the error of the force stays below 1e-3
_MOST = {1: 1 << 20, 2: 2000}  # cells per axis; a wider layout gets larger ones
_LEAST = 32  # cells across the layout, however small it is
_MARGIN = 8  # cells around it
# extent, of the largest coordinate, below which single precision has no digits for cells
_RESOLVED = 1e-4
_SMALL = 1.0  # extent; below it 1 / (1 + r²) - 1 is summed, which keeps digits
_LEAST_SUM = 1e-6  # per instance; where cells had to grow, errors must not turn repulsion round
_NODES = 6  # per axis that an instance touches: quintic splines
# grids that are filled side by side; fixed, so that sums do not depend on the number of threads
_PARTS = 4
_ROWS = 2048
# Quintic B-spline around t in [0, 1): row p holds the factors of t^p at nodes -2 to 3,
# and two zeros (8 lanes).
_SPLINE = np.array(
    [
        [1, 26, 66, 26, 1, 0, 0, 0],
        [-5, -50, 0, 50, 5, 0, 0, 0],
        [10, 20, -60, 20, 10, 0, 0, 0],
        [-10, 20, 0, -20, 10, 0, 0, 0],
        [5, -20, 30, -20, 5, 0, 0, 0],
        [-1, 5, -10, 10, -5, 1, 0, 0],
    ],
    np.float32,
) / np.float32(120)
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # no NaN or inf arises here


class Field:
    """phi(z) = sum over instances y of 1 / (1 + |z - y|²), and its gradient, at every instance z.

    Parameters
    ----------
    pool : Executor of `workers` threads; None works in the calling thread.
    spacing : float, optional. Cells of the grid, in units of Z; default 0.2 in 1-D, 0.28 in 2-D.

    Notes
    -----
    The idea of FIt-SNE (Linderman et al. 2019) with the splines of smooth particle mesh Ewald
    (Essmann et al. 1995): one charge per instance is spread by quintic B-splines, convolved with
    the kernel by FFT (padded, so that nothing wraps around), and potential and force are read off
    one field. One transform there and one back, where piecewise polynomials per component need four
    of each. The force then errs by less than a thousandth (root mean square) on a finished
    embedding. O(N + cells log cells). The spectrum of the kernel is kept while the number and size
    of cells stay.
    """

    def __init__(
        self, pool: Executor | None = None, workers: int = 1, *, spacing: float | None = None
    ) -> None:
        self._pool = pool
        self._workers = workers
        self._spacing = spacing
        # cell size, cells, what the kernel lacks
        self._made: tuple[float, tuple[int, ...], float] = (0.0, (), 0.0)
        self._spectrum: NDArray = np.empty(0)

    def repel(
        self, Z: NDArray[np.float32], low: NDArray, high: NDArray, force: NDArray[np.float32]
    ) -> float:
        """Write sum_j (z_i - z_j) / (1 + |z_i - z_j|²)² to `force`;
        returns sum over pairs i != j of 1 / (1 + ...).

        Z : (N, d), d = 1 or 2, between `low` and `high` (d,). force : (N, d).
        """
        n, d = Z.shape
        extent = np.maximum(high - low, 1e-12).astype(np.float64)
        extent = np.maximum(extent, _RESOLVED * max(np.abs(low).max(), np.abs(high).max()))
        h = max(self._spacing or _SPACING[d], extent.max() / _MOST[d])
        if extent.max() < _LEAST * h:  # few sizes, so that the spectrum serves many steps
            h = 2.0 ** (np.ceil(8 * np.log2(extent.max() / _LEAST)) / 8)
        shape = tuple(_cells(int(side / h) + 2 * _MARGIN + 1) for side in extent)
        lack = 1.0 if extent.max() < _SMALL else 0.0
        self._prepare(h, shape, lack)
        origin, per = (low - _MARGIN * h).astype(np.float32), np.float32(1 / h)
        field = self._field(Z, origin, per, shape)
        sums = np.empty(-(-n // _ROWS))

        def part(b: int) -> None:
            rows = slice(b * _ROWS, (b + 1) * _ROWS)
            sums[b] = _read(Z[rows], origin, per, field, force[rows])

        self._each(part, range(len(sums)))
        return max(float(sums.sum()) + lack * n * n - n, _LEAST_SUM * n)

    def _field(
        self, Z: NDArray[np.float32], origin: NDArray, per: np.float32, shape: tuple[int, ...]
    ) -> NDArray:
        """phi without its splines, on the grid; one line of nodes in 1-D."""
        charges = np.zeros((_PARTS, *(1,) * (2 - len(shape)), *shape), np.float32)
        rows = -(-len(Z) // _PARTS)
        self._each(lambda b: _spread(Z[b * rows : (b + 1) * rows], origin, per, charges[b]),
                   range(_PARTS))
        for b in range(1, _PARTS):
            charges[0] += charges[b]
        return np.ascontiguousarray(
            self._convolve(charges[0].reshape(shape))
        ).reshape(charges.shape[1:])

    def _each(self, part: Callable[[int], None], items: range) -> None:
        list(map(part, items) if self._pool is None else self._pool.map(part, items))

    def _prepare(self, h: float, shape: tuple[int, ...], lack: float) -> None:
        """Spectrum of the kernel on the grid, divided by that of the splines,
        twice (there and back)."""
        if self._made == (h, shape, lack):
            return
        from scipy.fft import dctn

        squares: Any = sum(np.ix_(*((h * np.arange(m + 1)) ** 2 for m in shape)))
        spectrum = dctn(1 / (1 + squares) - lack, type=1, workers=self._workers, overwrite_x=True)
        for factor in np.ix_(*(_spline_spectrum(np.pi * np.arange(m + 1) / m) for m in shape)):
            spectrum /= factor**2
        self._made, self._spectrum = (h, shape, lack), spectrum.astype(np.float32)

    def _convolve(self, charge: NDArray[np.float32]) -> NDArray[np.float32]:
        from scipy.fft import fft, ifft, irfft, rfft

        shape, workers = charge.shape, self._workers
        last = charge.ndim - 1
        F: Any = rfft(charge, n=2 * shape[last], axis=last, workers=workers)
        for axis in range(last):  # one axis after the other: lines of padding are not transformed
            F = fft(F, n=2 * shape[axis], axis=axis, workers=workers)
        # the spectrum is even along every axis
        for mirrored in itertools.product((False, True), repeat=last):
            there = tuple(slice(m + 1, None) if flip else slice(0, m + 1)
                          for flip, m in zip(mirrored, shape))
            back = tuple(slice(m - 1, 0, -1) if flip else slice(None)
                         for flip, m in zip(mirrored, shape))
            F[there] *= self._spectrum[back]
        for axis in range(last):
            F = ifft(F, axis=axis, workers=workers, overwrite_x=True)
            F = F[(slice(None),) * axis + (slice(0, shape[axis]),)]
        return irfft(F, n=2 * shape[last], axis=last, workers=workers)[..., : shape[last]]


def _cells(wanted: int) -> int:
    """A number of cells from `wanted` on whose double transforms fast."""
    from scipy.fft import next_fast_len

    twice = next_fast_len(2 * wanted, real=True)
    while twice % 2:
        twice = next_fast_len(twice + 1, real=True)
    return twice // 2


def _spline_spectrum(frequency: NDArray) -> NDArray:
    middle, beside, end = _SPLINE[0, 2:5].astype(np.float64)
    return middle + 2 * beside * np.cos(frequency) + 2 * end * np.cos(2 * frequency)


@njit(inline="always")  # twice as fast as a call
def _locate(
    z: NDArray, origin: NDArray, per: np.float32, grid: NDArray, first: NDArray, w: NDArray,
    slope: NDArray
) -> None:
    """First node, spline weights and their slopes along two axes;
    in 1-D the first axis has one node."""
    absent = 2 - z.shape[0]
    if absent:
        first[0] = 0
        w[0, 0] = 1
        slope[0, 0] = 0
    for a in range(absent, 2):
        u = (z[a - absent] - origin[a - absent]) * per
        cell = min(max(np.int64(u), 2), grid.shape[a] - 6)  # never outside, whatever z is
        t = u - np.float32(cell)
        first[a] = cell - 2
        for c in range(8):
            at = _SPLINE[5, c]
            along = np.float32(0)
            for p in range(4, -1, -1):
                along = along * t + at
                at = at * t + _SPLINE[p, c]
            w[a, c] = at
            slope[a, c] = along


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _spread(Z: NDArray, origin: NDArray, per: np.float32, grid: NDArray) -> None:
    """Add one charge per row of Z."""
    lines = _NODES if Z.shape[1] == 2 else 1
    first = np.empty(2, np.uint32)
    w = np.empty((2, 8), np.float32)
    slope = np.empty((2, 8), np.float32)
    for i in range(Z.shape[0]):
        _locate(Z[i], origin, per, grid, first, w, slope)
        for b in range(lines):
            line = grid[first[0] + b]
            for c in range(8):
                line[first[1] + c] += w[0, b] * w[1, c]


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _read(Z: NDArray, origin: NDArray, per: np.float32, field: NDArray, force: NDArray) -> float:
    """Minus half the gradient of the field at every row of Z; returns the sum of its values."""
    d = Z.shape[1]
    lines = _NODES if d == 2 else 1
    half = np.float32(-0.5) * per
    first = np.empty(2, np.uint32)
    w = np.empty((2, 8), np.float32)
    slope = np.empty((2, 8), np.float32)
    at = np.empty(8, np.float32)
    beside = np.empty(8, np.float32)
    total = 0.0
    for i in range(Z.shape[0]):
        _locate(Z[i], origin, per, field, first, w, slope)
        at[:] = 0
        beside[:] = 0
        for b in range(lines):
            line = field[first[0] + b]
            for c in range(8):
                at[c] += w[0, b] * line[first[1] + c]
                beside[c] += slope[0, b] * line[first[1] + c]
        value, along, across = np.float32(0), np.float32(0), np.float32(0)
        for c in range(8):
            value += w[1, c] * at[c]
            along += slope[1, c] * at[c]
            across += w[1, c] * beside[c]
        total += np.float64(value)
        force[i, d - 1] = half * along
        if d == 2:
            force[i, 0] = half * across
    return total
