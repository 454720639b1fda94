"""Sums over all pairs of a layout, through a grid: what repels in t-SNE."""

import itertools
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_SPACING = 0.28  # of the grid, in units of Z: the error of the force stays below 1e-3
_MOST = {1: 1 << 20, 2: 2000, 3: 96}  # cells per axis; a wider layout gets larger ones
_LEAST = 32  # cells across the layout, however small it is
_MARGIN = 8  # cells around it
_SMALL = 1.0  # extent; below it 1 / (1 + r²) - 1 is summed, which keeps digits
_NODES = 6  # per axis that an instance touches: quintic splines
_PARTS = 4  # grids that are filled side by side; fixed, so that sums do not depend on the number of threads
_ROWS = 2048
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
_LONGEST = 0.25  # gradient of a new instance, which may begin on top of another one
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # no NaN or inf arises here


class Field:
    """phi(z) = sum over instances y of 1 / (1 + |z - y|²), and its gradient, anywhere within the layout.

    Parameters
    ----------
    pool : Executor of `workers` threads; None works in the calling thread.
    spacing : float. Cells of the grid, in units of Z.

    Notes
    -----
    The idea of FIt-SNE (Linderman et al. 2019) with the splines of smooth particle mesh Ewald (Essmann et al.
    1995): one charge per instance is spread by quintic B-splines, convolved with the kernel by FFT (padded, so that
    nothing wraps around), and potential and force are read off one field. One transform there and one back, where
    piecewise polynomials per component need four of each. Relative error of the force, root mean square: 4e-4 on 50 000
    and 7e-4 on 10 000 instances of a finished picture (1e-2 at spacing 0.5, where openTSNE's default has 2e-2). In 3-D
    layouts wider than 27 the cells grow, and the error with them.
    O(N + cells log cells). The spectrum of the kernel is kept while the number and size of cells stay.
    """

    def __init__(self, pool: Executor | None = None, workers: int = 1, *, spacing: float = _SPACING) -> None:
        self._pool = pool
        self._workers = workers
        self._spacing = spacing
        self._made: tuple[float, tuple[int, ...], float] = (0.0, (), 0.0)  # cell size, cells, what the kernel lacks
        self._spectrum: NDArray = np.empty(0)

    def repel(self, Z: NDArray[np.float32], low: NDArray, high: NDArray, force: NDArray[np.float32]) -> float:
        """Write sum_j (z_i - z_j) / (1 + |z_i - z_j|²)² to `force`; returns sum over pairs i != j of 1 / (1 + ...)."""
        self.spread(Z, low, high)
        return float(self.read(Z, force).sum()) - len(Z)

    def spread(self, Z: NDArray[np.float32], low: NDArray, high: NDArray) -> None:
        """Make the field of Z (N, d), which lies between `low` and `high` (d,)."""
        d = Z.shape[1]
        extent = np.maximum(high - low, 1e-12).astype(np.float64)
        h = max(self._spacing, extent.max() / _MOST[d])
        if extent.max() < _LEAST * h:  # few sizes, so that the spectrum serves many steps
            h = 2.0 ** (np.ceil(8 * np.log2(extent.max() / _LEAST)) / 8)
        shape = tuple(_cells(int(side / h) + 2 * _MARGIN + 1) for side in extent)
        lack = 1.0 if extent.max() < _SMALL else 0.0
        self._prepare(h, shape, lack)
        self._low, self._high = low, high
        self._origin = (low - _MARGIN * h).astype(np.float32)
        self._per = np.float32(1 / h)
        self._level = np.float32(lack * len(Z))
        grids = np.zeros((_PARTS, *(1,) * (3 - d), *shape), np.float32)
        rows = -(-len(Z) // _PARTS)
        self._each(lambda b: _spread(Z[b * rows : (b + 1) * rows], self._origin, self._per, grids[b]), range(_PARTS))
        for b in range(1, _PARTS):
            grids[0] += grids[b]
        self._field = np.ascontiguousarray(self._convolve(grids[0].reshape(shape))).reshape(grids[0].shape)

    def read(self, Z: NDArray[np.float32], force: NDArray[np.float32]) -> NDArray[np.float64]:
        """Write minus half the gradient of the field at Z (M, d) to `force`; returns its values, (M,)."""
        values = np.empty(len(Z))

        def part(start: int) -> None:
            rows = slice(start, start + _ROWS)
            _read(Z[rows], self._origin, self._per, self._field, self._level, force[rows], values[rows])

        self._each(part, range(0, len(Z), _ROWS))
        return values

    def settle(
        self, Z: NDArray[np.float32], others: NDArray[np.float32], idx: NDArray[np.int32], p: NDArray[np.float32],
        *, steps: int, exaggeration: float,
    ) -> None:
        """Move each new instance (row of Z) among those of the field, which stay.

        idx, p : (M, k), the rows of `others` that attract each, and how strongly; rows of p sum to 1.
        Every new instance goes down its own KL(p || q), so that it does not matter which others are new.
        """

        def part(start: int) -> None:
            rows = slice(start, start + _ROWS // 8)
            _settle(
                Z[rows], others, idx[rows], p[rows], self._origin, self._per, self._field, self._level,
                np.float32(exaggeration), steps, self._low, self._high,
            )

        self._each(part, range(0, len(Z), _ROWS // 8))

    def _each(self, part: Callable[[int], None], items: range) -> None:
        list(map(part, items) if self._pool is None else self._pool.map(part, items))

    def _prepare(self, h: float, shape: tuple[int, ...], lack: float) -> None:
        """Spectrum of the kernel on the grid, divided by that of the splines, twice (there and back)."""
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
        for mirrored in itertools.product((False, True), repeat=last):  # the spectrum is even along every axis
            there = tuple(slice(m + 1, None) if flip else slice(0, m + 1) for flip, m in zip(mirrored, shape))
            back = tuple(slice(m - 1, 0, -1) if flip else slice(None) for flip, m in zip(mirrored, shape))
            F[there] *= self._spectrum[back]
        for axis in range(last):
            F = ifft(F, axis=axis, workers=workers, overwrite_x=True)
            F = F[(slice(None),) * axis + (slice(0, shape[axis]),)]
        return irfft(F, n=2 * shape[last], axis=last, workers=workers)[..., : shape[last]]


def _cells(wanted: int) -> int:
    """A number of cells from `wanted` on whose double transforms fast."""
    from scipy.fft import next_fast_len

    return next_fast_len(-(-wanted // 4), real=True) * 4


def _spline_spectrum(frequency: NDArray) -> NDArray:
    middle, beside, end = _SPLINE[0, 2:5].astype(np.float64)
    return middle + 2 * beside * np.cos(frequency) + 2 * end * np.cos(2 * frequency)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _locate(z, origin, per, first, w, slope):
    """First node, spline weights and their slopes along three axes; absent leading axes have one node."""
    absent = 3 - z.shape[0]
    for a in range(absent):
        first[a] = 0
        w[a, 0] = 1
        slope[a, 0] = 0
    for a in range(absent, 3):
        u = (z[a - absent] - origin[a - absent]) * per
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
    """Add one charge per row of Z."""
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
def _value(z, origin, per, field, first, w, slope, force):
    """Field at z; minus half its gradient goes to `force`."""
    d = z.shape[0]
    planes = _NODES if d > 2 else 1
    lines = _NODES if d > 1 else 1
    _locate(z, origin, per, first, w, slope)
    value, deep, across, along = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for a in range(planes):
        for b in range(lines):
            line = field[first[0] + a, first[1] + b]
            at, beside = np.float32(0), np.float32(0)
            for c in range(8):
                at += w[2, c] * line[first[2] + c]
                beside += slope[2, c] * line[first[2] + c]
            value += w[0, a] * w[1, b] * at
            deep += slope[0, a] * w[1, b] * at
            across += w[0, a] * slope[1, b] * at
            along += w[0, a] * w[1, b] * beside
    half = np.float32(-0.5) * per
    force[d - 1] = half * along
    if d > 1:
        force[d - 2] = half * across
    if d > 2:
        force[0] = half * deep
    return value


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _read(Z, origin, per, field, level, force, values):
    first = np.empty(3, np.uint32)
    w = np.empty((3, 8), np.float32)
    slope = np.empty((3, 8), np.float32)
    for i in range(Z.shape[0]):
        values[i] = _value(Z[i], origin, per, field, first, w, slope, force[i]) + level


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _settle(Z, others, idx, p, origin, per, field, level, exaggeration, steps, low, high):
    """Steps with momentum 0.8 and gains, at rate 1, of every row of Z on its own, within the box low:high."""
    d = Z.shape[1]
    one = np.float32(1)
    first = np.empty(3, np.uint32)
    w = np.empty((3, 8), np.float32)
    slope = np.empty((3, 8), np.float32)
    force = np.empty(d, np.float32)
    update = np.empty(d, np.float32)
    gains = np.empty(d, np.float32)
    for i in range(Z.shape[0]):
        update[:] = 0
        gains[:] = 1
        for _ in range(steps):
            share = one / (_value(Z[i], origin, per, field, first, w, slope, force) + level)
            for a in range(d):
                force[a] *= -share
            for m in range(idx.shape[1]):
                j = np.uint32(idx[i, m])
                q = one
                for a in range(d):
                    q += (Z[i, a] - others[j, a]) * (Z[i, a] - others[j, a])
                q = exaggeration * p[i, m] / q
                for a in range(d):
                    force[a] += q * (Z[i, a] - others[j, a])
            length = np.float32(0)
            for a in range(d):
                length += force[a] * force[a]
            shrink = min(one, np.float32(_LONGEST) / (np.sqrt(length) + np.float32(1e-6)))
            for a in range(d):
                if update[a] != 0 and (update[a] > 0) == (force[a] > 0):
                    gains[a] = gains[a] * np.float32(0.8) + np.float32(0.01)
                else:
                    gains[a] += np.float32(0.2)
                update[a] = np.float32(0.8) * update[a] - shrink * gains[a] * force[a]
                Z[i, a] = min(max(Z[i, a] + update[a], low[a]), high[a])
