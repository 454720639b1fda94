"""Sums over all pairs of a layout, through a grid: what repels in t-SNE."""

import itertools
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_PARTS = 4  # grids that are filled side by side; fixed, so that sums do not depend on the number of threads
_ROWS = 2048
_LEAST = 32  # cells across the layout, however small it is
_MARGIN = 8  # cells
_NODES = 6  # per axis that an instance touches: quintic splines
_NARROW = 4.0  # layouts narrower than this use 1 / (1 + r²) - 1, which keeps digits

# Quintic B-spline around t in [0, 1): row p holds the factors of t^p at nodes -2 to 3, and two zeros (8 lanes).
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
    """phi(z) = sum over instances y of 1 / (1 + |z - y|²), and its gradient, anywhere within the layout.

    Parameters
    ----------
    spacing : float. Cells of the grid, in units of Z.
    most : int. Cells per axis at most; a wider layout gets larger cells.
    pool : Executor, threads. workers : int, how many.

    Notes
    -----
    The idea of FIt-SNE (Linderman et al. 2019) with the splines of smooth particle mesh Ewald (Essmann et al.
    1995): one charge per instance is spread by cubic B-splines, convolved with the kernel by FFT (padded, so nothing
    wraps around), and potential and force are read off one field. One transform there and one back, where piecewise
    polynomials per component need four of each. The error of the force falls with spacing⁴.
    O(N + cells log cells). The spectrum of the kernel is kept while the number and size of cells stay.
    """

    def __init__(self, spacing: float, most: int, pool: Executor, workers: int) -> None:
        self._spacing = spacing
        self._most = most
        self._pool = pool
        self._workers = workers
        self._made: tuple[Any, ...] = ()
        self._spectrum: NDArray = np.empty(0)

    def at_instances(self, Z: NDArray[np.float32], low: NDArray, high: NDArray, force: NDArray[np.float32]) -> float:
        """Write sum_j (z_i - z_j) / (1 + |z_i - z_j|²)² to `force`; returns sum over pairs i != j of 1 / (1 + ...)."""
        self.spread(Z, low, high)
        return self.read(Z, force).sum() - len(Z)

    def spread(self, Z: NDArray[np.float32], low: NDArray, high: NDArray) -> None:
        """Make the field of Z (N, d), which lies between `low` and `high` (d,)."""
        d = Z.shape[1]
        span = np.maximum(high - low, 1e-12).astype(np.float64)
        h = max(self._spacing, span.max() / self._most)
        if span.max() < _LEAST * h:  # few sizes, so that the spectrum serves many steps
            h = 2.0 ** (np.ceil(8 * np.log2(span.max() / _LEAST)) / 8)
        shape = tuple(_cells(int(s / h) + 2 * _MARGIN + 1) for s in span)
        shift = h * _LEAST < _NARROW and span.max() < _NARROW
        self._prepare(h, shape, 1.0 if shift else 0.0)
        self._origin = (low - _MARGIN * h).astype(np.float32)
        grids = np.zeros((_PARTS, *(1,) * (3 - d), *shape), np.float32)
        rows = -(-len(Z) // _PARTS)

        def part(b: int) -> None:
            _spread(Z[b * rows : (b + 1) * rows], self._origin, np.float32(1 / h), grids[b])

        self._each(part, range(_PARTS))
        total = grids[0]
        for b in range(1, _PARTS):
            total += grids[b]
        self._level = np.float32(self._made[2] * len(Z))
        self._field = np.ascontiguousarray(self._convolve(total.reshape(shape))).reshape(total.shape)

    def read(self, Z: NDArray[np.float32], force: NDArray[np.float32]) -> NDArray[np.float64]:
        """Write minus half the gradient of the field at Z (M, d) to `force`; returns its values, (M,)."""
        values = np.empty(len(Z))
        h = self._made[0]

        def part(start: int) -> None:
            rows = slice(start, start + _ROWS)
            _read(Z[rows], self._origin, np.float32(1 / h), self._field, self._level, force[rows], values[rows])

        self._each(part, range(0, len(Z), _ROWS))
        return values

    def _each(self, part: Any, items: range) -> None:
        list(self._pool.map(part, items) if self._workers > 1 else map(part, items))

    def _prepare(self, h: float, shape: tuple[int, ...], level: float) -> None:
        """Spectrum of the kernel on the grid, divided by that of the splines, twice (there and back)."""
        if self._made == (h, shape, level):
            return
        from scipy.fft import dctn

        squares = [(np.arange(m + 1) * h) ** 2 for m in shape]
        kernel = 1 / (1 + sum(np.ix_(*squares))) - level  # type: ignore[arg-type]
        spectrum = dctn(kernel, type=1, workers=self._workers, overwrite_x=True)
        for factor in np.ix_(*(_spline_spectrum(np.pi * np.arange(m + 1) / m) for m in shape)):
            spectrum /= factor**2
        self._made, self._spectrum = (h, shape, level), spectrum.astype(np.float32)

    def _convolve(self, charge: NDArray[np.float32]) -> NDArray[np.float32]:
        from scipy.fft import fft, ifft, irfft, rfft

        shape, workers = charge.shape, self._workers
        last = charge.ndim - 1
        F = rfft(charge, n=2 * shape[last], axis=last, workers=workers)
        for axis in range(last):
            F = fft(F, n=2 * shape[axis], axis=axis, workers=workers)
        for mirrored in itertools.product((False, True), repeat=last):  # the spectrum is even in every axis
            there = tuple(slice(m + 1, None) if flip else slice(0, m + 1) for flip, m in zip(mirrored, shape))
            back = tuple(slice(m - 1, 0, -1) if flip else slice(None) for flip, m in zip(mirrored, shape))
            F[there] *= self._spectrum[back]
        for axis in range(last):
            F = ifft(F, axis=axis, workers=workers, overwrite_x=True)
            F = F[(slice(None),) * axis + (slice(0, shape[axis]),)]
        return irfft(F, n=2 * shape[last], axis=last, workers=workers)[..., : shape[last]]


def _cells(wanted: int) -> int:
    """The least number of cells from `wanted` on whose double transforms fast."""
    from scipy.fft import next_fast_len

    return next_fast_len(-(-wanted // 4), real=True) * 4


def _spline_spectrum(frequency: NDArray) -> NDArray:
    nodes = _SPLINE[0, :5].astype(np.float64)
    return nodes[2] + 2 * nodes[3] * np.cos(frequency) + 2 * nodes[4] * np.cos(2 * frequency)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _locate(z, origin, per, first, w, slope):
    """First node, spline weights and their slopes along three axes; absent leading axes have one node."""
    d = z.shape[0]
    for a in range(3 - d):
        first[a] = 0
        w[a, 0] = 1
        slope[a, 0] = 0
    for a in range(3 - d, 3):
        u = (z[a - 3 + d] - origin[a - 3 + d]) * per
        cell = np.uint32(u)
        t = u - np.float32(cell)
        first[a] = cell - np.uint32(2)
        for c in range(8):
            at = _SPLINE[5, c]
            along = np.float32(0)
            for p in range(4, -1, -1):
                along = along * t + at
                at = at * t + _SPLINE[p, c]
            w[a, c] = at
            slope[a, c] = along


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _spread(Z, origin, per, grid):
    d = Z.shape[1]
    planes = _NODES if d > 2 else 1
    lines = _NODES if d > 1 else 1
    first = np.empty(3, np.uint32)
    w = np.empty((3, 8), np.float32)
    slope = np.empty((3, 8), np.float32)
    for i in range(Z.shape[0]):
        _locate(Z[i], origin, per, first, w, slope)
        for a in range(planes):
            for b in range(lines):
                line = grid[first[0] + a, first[1] + b]
                share = w[0, a] * w[1, b]
                for c in range(8):
                    line[first[2] + c] += share * w[2, c]


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _read(Z, origin, per, field, level, force, values):
    d = Z.shape[1]
    planes = _NODES if d > 2 else 1
    lines = _NODES if d > 1 else 1
    first = np.empty(3, np.uint32)
    w = np.empty((3, 8), np.float32)
    slope = np.empty((3, 8), np.float32)
    pull = np.empty(3, np.float32)
    for i in range(Z.shape[0]):
        _locate(Z[i], origin, per, first, w, slope)
        value = np.float32(0)
        pull[:] = 0
        for a in range(planes):
            for b in range(lines):
                line = field[first[0] + a, first[1] + b]
                at = np.float32(0)
                along = np.float32(0)
                for c in range(8):
                    at += w[2, c] * line[first[2] + c]
                    along += slope[2, c] * line[first[2] + c]
                value += w[0, a] * w[1, b] * at
                pull[0] += slope[0, a] * w[1, b] * at
                pull[1] += w[0, a] * slope[1, b] * at
                pull[2] += w[0, a] * w[1, b] * along
        values[i] = value + level
        for a in range(d):
            force[i, a] = np.float32(-0.5) * per * pull[3 - d + a]
