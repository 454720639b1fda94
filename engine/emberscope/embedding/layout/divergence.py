"""Gradient descent of t-SNE: neighbors attract along the rows of P, all instances repel;
steps with momentum."""

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit
from emberscope.embedding.layout.interpolation import Field

_BLOCKS = 16  # of rows; fixed, so that sums do not depend on the number of threads
_LONGEST = 5.0  # of a step
_LEAST_GAIN = 0.01
_ROWS_NEW = 128
_STEEPEST_NEW = 0.25  # a new instance may begin on top of another one
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # no NaN or inf arises here
_SCALAR = {"contract", "nsz", "arcp"}  # without "reassoc": vector gathers take twice as long here


class Descent:
    """A layout on its way down the Kullback-Leibler divergence KL(P || Q).

    Parameters
    ----------
    P : csr_array, (N, N), float32, symmetric, sums to 1.
    Z : (N, d), where it starts.
    field : Field, for repulsion; None computes it pair by pair, O(N²).
    pinned : (N,) bool, optional. Instances that stay.
    free : bool. Whether the layout as a whole may be moved: then its mean stays at 0.

    Attributes
    ----------
    Z : (N, d) float32.

    Notes
    -----
    Gradient (without its factor 4): sum_j p_ij q_ij (z_i - z_j) - sum_j q_ij² (z_i - z_j) / sum q,
    with q = 1 / (1 + |z_i - z_j|²). Gains and momentum of Jacobs 1988 as in the first t-SNE; steps
    are at most 5 long.
    """

    def __init__(
        self, P: csr_array, Z: NDArray, field: Field | None, pool: Executor | None = None, *,
        pinned: NDArray | None = None, free: bool = True,
    ) -> None:
        self._P = P
        self._field = field
        self._pool = pool
        self._free = free
        self.Z = np.ascontiguousarray(Z, np.float32)
        n, d = self.Z.shape
        self._next, self._force = np.empty_like(self.Z), np.empty_like(self.Z)
        self._update, self._gains = np.zeros_like(self.Z), np.ones_like(self.Z)
        self._held = np.zeros(n, bool) if pinned is None else np.ascontiguousarray(pinned, bool)
        self._rows = max(256, -(-n // _BLOCKS))
        blocks = -(-n // self._rows)
        self._boxes = np.empty((blocks, 3, d), np.float32)
        self._sums = np.empty(blocks)
        self._low, self._high, self._mean = (
            self.Z.min(axis=0), self.Z.max(axis=0), np.zeros(d, np.float32)
        )

    def step(self, rate: float, momentum: float, exaggeration: float = 1.0) -> None:
        """Move every instance once."""
        P, share = self._P, 1 / self._repel()
        factors = np.array([rate, momentum, exaggeration, share], np.float32)

        def part(b: int) -> None:
            _move(
                *self._span(b), P.indptr, P.indices, P.data, self.Z, self._force, factors,
                self._mean, self._held, self._update, self._gains, self._next, self._boxes[b],
            )

        self._each(part)
        self.Z, self._next = self._next, self.Z
        self._low, self._high = self._boxes[:, 0].min(axis=0), self._boxes[:, 1].max(axis=0)
        if self._free:
            self._mean = (self._boxes[:, 2].sum(axis=0, dtype=np.float64)
                          / len(self.Z)).astype(np.float32)

    def loss(self) -> float:
        """KL(P || Q)."""
        P, total = self._P, self._repel()

        def part(b: int) -> None:
            self._sums[b] = _cross_entropy(*self._span(b), P.indptr, P.indices, P.data, self.Z)

        self._each(part)
        return float(self._sums.sum() + P.data.sum(dtype=np.float64) * np.log(total))

    def _repel(self) -> float:
        """Fill the repulsive force; returns the sum of 1 / (1 + |z_i - z_j|²) over all pairs i !=
        j."""
        if self._field is not None:
            return self._field.repel(self.Z, self._low, self._high, self._force)
        columns = _columns(self.Z)

        def part(b: int) -> None:
            self._sums[b] = _repel_all(columns, *self._span(b), self._force)

        self._each(part)
        return float(self._sums.sum()) - len(self.Z)

    def _span(self, b: int) -> tuple[int, int]:
        return b * self._rows, min((b + 1) * self._rows, len(self.Z))

    def _each(self, part: Callable[[int], None]) -> None:
        blocks = range(len(self._sums))
        list(map(part, blocks) if self._pool is None else self._pool.map(part, blocks))


def settle(
    Z: NDArray[np.float32], others: NDArray[np.float32], idx: NDArray[np.int32],
    p: NDArray[np.float32], *, steps: int, pool: Executor | None = None,
) -> None:
    """Move each new instance, a row of Z (M, d), among `others` (N, d),
    which stay and all repel it.

    idx, p : (M, k), the rows of `others` that attract each, and how strongly; rows of p sum to 1.
    Every new instance goes down its own KL(p || q), so that it does not matter which others are
    new. O(M N steps).
    """
    columns = _columns(others)

    def part(start: int) -> None:
        rows = slice(start, start + _ROWS_NEW)
        _settle(Z[rows], columns, idx[rows], p[rows], steps)

    starts = range(0, len(Z), _ROWS_NEW)
    list(map(part, starts) if pool is None else pool.map(part, starts))


def _columns(Z: NDArray[np.float32]) -> NDArray[np.float32]:
    """(3, N): coordinates, and zeros for absent ones."""
    columns = np.zeros((3, len(Z)), np.float32)
    columns[: Z.shape[1]] = Z.T
    return columns


@njit(cache=True, nogil=True, fastmath=_SCALAR, error_model="numpy")
def _move(
    start: int, stop: int, indptr: NDArray, indices: NDArray, p: NDArray, Z: NDArray,
    force: NDArray, factors: NDArray,
    mean: NDArray, held: NDArray, update: NDArray, gains: NDArray, moved: NDArray, box: NDArray,
) -> None:
    """One step of rows start:stop, into `moved`; box gets their least,
    greatest and summed coordinates."""
    d = Z.shape[1]
    rate, momentum, exaggeration, share = factors[0], factors[1], factors[2], factors[3]
    one = np.float32(1)
    box[0, :] = np.inf
    box[1, :] = -np.inf
    box[2, :] = 0
    pull = np.empty(d, np.float32)
    for i in range(start, stop):
        if d == 2:
            x, y = Z[i, 0], Z[i, 1]
            along, across = np.float32(0), np.float32(0)
            for e in range(indptr[i], indptr[i + 1]):
                j = np.uint32(indices[e])
                u, v = x - Z[j, 0], y - Z[j, 1]
                q = p[e] / (one + u * u + v * v)
                along += q * u
                across += q * v
            pull[0], pull[1] = along, across
        else:
            pull[:] = 0
            for e in range(indptr[i], indptr[i + 1]):
                j = np.uint32(indices[e])
                q = one
                for a in range(d):
                    q += (Z[i, a] - Z[j, a]) * (Z[i, a] - Z[j, a])
                q = p[e] / q
                for a in range(d):
                    pull[a] += q * (Z[i, a] - Z[j, a])
        length = np.float32(0)
        for a in range(d):
            slope = exaggeration * pull[a] - share * force[i, a]
            if update[i, a] != 0 and (update[i, a] > 0) == (slope > 0):
                gains[i, a] = gains[i, a] * np.float32(0.8) + np.float32(_LEAST_GAIN)
            else:
                gains[i, a] += np.float32(0.2)
            update[i, a] = momentum * update[i, a] - rate * gains[i, a] * slope
            length += update[i, a] * update[i, a]
        shrink = np.float32(_LONGEST) / np.sqrt(length) if length > _LONGEST * _LONGEST else one
        if held[i]:
            shrink = np.float32(0)
        for a in range(d):
            update[i, a] *= shrink
            z = Z[i, a] + update[i, a] - mean[a]
            moved[i, a] = z
            box[0, a] = min(box[0, a], z)
            box[1, a] = max(box[1, a], z)
            box[2, a] += z


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _all_pairs(
    columns: NDArray, x: np.float32, y: np.float32, z: np.float32
) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Sums over all instances of q and of q² times the distance along each axis,
    q = 1 / (1 + r²)."""
    one = np.float32(1)
    total, along, across, into = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for j in range(columns.shape[1]):
        u, v, w = x - columns[0, j], y - columns[1, j], z - columns[2, j]
        q = one / (one + u * u + v * v + w * w)
        total += q
        along += q * q * u
        across += q * q * v
        into += q * q * w
    return total, along, across, into


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _repel_all(columns: NDArray, start: int, stop: int, force: NDArray) -> float:
    """Exact repulsion on rows start:stop; columns is Z.T and zeros, (3, N).
    Returns their share of sum q, q_ii = 1."""
    total = 0.0
    for i in range(start, stop):
        here, along, across, into = _all_pairs(columns, columns[0, i], columns[1, i], columns[2, i])
        force[i, 0] = along
        if force.shape[1] > 1:
            force[i, 1] = across
        if force.shape[1] > 2:
            force[i, 2] = into
        total += np.float64(here)
    return total


@njit(cache=True, nogil=True, fastmath=_SCALAR, error_model="numpy")
def _settle(Z: NDArray, columns: NDArray, idx: NDArray, p: NDArray, steps: int) -> None:
    """Steps at rate 1 with momentum and gains of every row of Z on its own."""
    d = Z.shape[1]
    one = np.float32(1)
    at = np.zeros(3, np.float32)
    slope = np.empty(3, np.float32)
    update = np.empty(3, np.float32)
    gains = np.empty(3, np.float32)
    for i in range(Z.shape[0]):
        for a in range(d):
            at[a], update[a], gains[a] = Z[i, a], 0, 1
        for _ in range(steps):
            total, along, across, into = _all_pairs(columns, at[0], at[1], at[2])
            slope[0], slope[1], slope[2] = -along / total, -across / total, -into / total
            for m in range(idx.shape[1]):
                j = np.uint32(idx[i, m])
                u, v, w = at[0] - columns[0, j], at[1] - columns[1, j], at[2] - columns[2, j]
                q = p[i, m] / (one + u * u + v * v + w * w)
                slope[0] += q * u
                slope[1] += q * v
                slope[2] += q * w
            length = np.sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2])
            shrink = min(one, np.float32(_STEEPEST_NEW) / (length + np.float32(1e-6)))
            for a in range(d):
                if update[a] != 0 and (update[a] > 0) == (slope[a] > 0):
                    gains[a] = gains[a] * np.float32(0.8) + np.float32(_LEAST_GAIN)
                else:
                    gains[a] += np.float32(0.2)
                update[a] = np.float32(0.8) * update[a] - shrink * gains[a] * slope[a]
                at[a] += update[a]
        for a in range(d):
            Z[i, a] = at[a]


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _cross_entropy(
    start: int, stop: int, indptr: NDArray, indices: NDArray, p: NDArray, Z: NDArray
) -> float:
    """Sum of p log(p (1 + r²)) over the entries of rows start:stop."""
    total = 0.0
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            far = 1.0
            for a in range(Z.shape[1]):
                apart = np.float64(Z[i, a]) - np.float64(Z[indices[e], a])
                far += apart * apart
            if p[e] > 0:
                total += p[e] * np.log(p[e] * far)
    return total
