"""Gradient descent of t-SNE: neighbors attract along the rows of P, all instances repel, steps with momentum."""

from concurrent.futures import Executor

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.embedding.layout.interpolation import Field

_ROWS = 1024  # instances of one task; fixed, so that sums do not depend on the number of threads
_LONGEST = 5.0  # of a step
_LEAST_GAIN = 0.01
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # no NaN or inf arises here
_SCALAR = {"contract", "nsz", "arcp"}  # without "reassoc": vector gathers take twice as long here


class Descent:
    """A layout on its way down the Kullback-Leibler divergence KL(P || Q).

    Parameters
    ----------
    P : csr_array, (N, N), float32, symmetric, sums to 1.
    Z : (N, d), where it starts.
    field : Field, for repulsion; None computes it pair by pair, O(N²).
    free : bool. Whether the layout may drift: then its mean stays at 0.

    Attributes
    ----------
    Z : (N, d) float32. low, high : (d,). The box around Z.

    Notes
    -----
    Gradient (without its factor 4): sum_j p_ij q_ij (z_i - z_j) - sum_j q_ij² (z_i - z_j) / sum q, with
    q = 1 / (1 + |z_i - z_j|²). Gains and momentum of Jacobs 1988 as in the first t-SNE; steps are at most 5 long.
    """

    def __init__(
        self, P: csr_array, Z: NDArray, field: Field | None, pool: Executor | None, *, pinned: NDArray | None = None,
        free: bool = True,
    ) -> None:
        self._P = P
        self._field = field
        self._pool = pool
        self._free = free
        self.Z = np.ascontiguousarray(Z, np.float32)
        self._next = np.empty_like(self.Z)
        self._force = np.empty_like(self.Z)
        self._update = np.zeros_like(self.Z)
        self._gains = np.ones_like(self.Z)
        self._held = np.zeros(len(Z), bool) if pinned is None else np.ascontiguousarray(pinned, bool)
        blocks = -(-len(Z) // _ROWS)
        self._boxes = np.empty((blocks, 3, Z.shape[1]), np.float32)
        self._sums = np.empty(blocks)
        self.low, self.high, self._mean = self.Z.min(axis=0), self.Z.max(axis=0), np.zeros(Z.shape[1], np.float32)

    def step(self, rate: float, momentum: float, exaggeration: float = 1.0) -> None:
        """Move every instance once."""
        total = self.repel()
        P, factors = self._P, np.array([rate, momentum, exaggeration, 1 / total], np.float32)

        def part(b: int) -> None:
            _move(
                b * _ROWS, min((b + 1) * _ROWS, len(self.Z)), P.indptr, P.indices, P.data, self.Z, self._force, factors,
                self._mean, self._held, self._update, self._gains, self._next, self._boxes[b],
            )

        self._each(part)
        self.Z, self._next = self._next, self.Z
        self.low, self.high = self._boxes[:, 0].min(axis=0), self._boxes[:, 1].max(axis=0)
        if self._free:
            self._mean = (self._boxes[:, 2].sum(axis=0, dtype=np.float64) / len(self.Z)).astype(np.float32)

    def repel(self) -> float:
        """Fill the repulsive force; returns the sum of 1 / (1 + |z_i - z_j|²) over all pairs i != j."""
        if self._field is not None:
            return self._field.at_instances(self.Z, self.low, self.high, self._force)
        columns = np.ascontiguousarray(self.Z.T)

        def part(b: int) -> None:
            self._sums[b] = _repel_all(columns, b * _ROWS, min((b + 1) * _ROWS, len(self.Z)), self._force)

        self._each(part)
        return float(self._sums.sum()) - len(self.Z)

    def gradient(self) -> NDArray[np.float32]:
        """Of KL / 4, (N, d)."""
        total = self.repel()
        P, found = self._P, np.empty_like(self.Z)
        for i in range(len(self.Z)):
            part = slice(P.indptr[i], P.indptr[i + 1])
            apart = self.Z[i] - self.Z[P.indices[part]]
            pull = P.data[part] / (1 + np.einsum("jd,jd->j", apart, apart))
            found[i] = pull @ apart - self._force[i] / total
        return found

    def loss(self) -> float:
        """KL(P || Q)."""
        total = self.repel()
        P = self._P

        def part(b: int) -> None:
            rows = b * _ROWS, min((b + 1) * _ROWS, len(self.Z))
            self._sums[b] = _cross_entropy(*rows, P.indptr, P.indices, P.data, self.Z)

        self._each(part)
        return float(self._sums.sum()) + float(P.data.sum(dtype=np.float64)) * float(np.log(total))

    def _each(self, part) -> None:  # type: ignore[no-untyped-def]
        blocks = range(len(self._sums))
        list(map(part, blocks) if self._pool is None else self._pool.map(part, blocks))


@njit(cache=True, nogil=True, fastmath=_SCALAR, error_model="numpy")
def _move(start, stop, indptr, indices, p, Z, force, factors, mean, held, update, gains, moved, box):
    """One step of rows start:stop, into `moved`; box gets their least, greatest and summed coordinates."""
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
            if (update[i, a] > 0) != (slope > 0):
                gains[i, a] += np.float32(0.2)
            else:
                gains[i, a] = gains[i, a] * np.float32(0.8) + np.float32(_LEAST_GAIN)
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
def _repel_all(columns, start, stop, force):
    """Exact repulsion on rows start:stop; columns is Z.T. Returns their sum of 1 / (1 + r²), themselves included."""
    d, n = columns.shape
    one = np.float32(1)
    total = 0.0
    for i in range(start, stop):
        here = np.float32(0)
        if d == 2:
            x, y = columns[0, i], columns[1, i]
            along, across = np.float32(0), np.float32(0)
            for j in range(n):
                u, v = x - columns[0, j], y - columns[1, j]
                q = one / (one + u * u + v * v)
                here += q
                along += q * q * u
                across += q * q * v
            force[i, 0], force[i, 1] = along, across
        else:
            x, y, z = columns[0, i], columns[d // 2, i], columns[d - 1, i]  # all the same where d is 1
            deep = one if d == 3 else np.float32(0)
            along, across, into = np.float32(0), np.float32(0), np.float32(0)
            for j in range(n):
                u, v, w = x - columns[0, j], deep * (y - columns[d // 2, j]), deep * (z - columns[d - 1, j])
                q = one / (one + u * u + v * v + w * w)
                here += q
                along += q * q * u
                across += q * q * v
                into += q * q * w
            force[i, 0] = along
            if d == 3:
                force[i, 1], force[i, 2] = across, into
        total += here
    return total


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _cross_entropy(start, stop, indptr, indices, p, Z):
    """Sum of p log(p (1 + r²)) over the entries of rows start:stop."""
    total = 0.0
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            r2 = 0.0
            for a in range(Z.shape[1]):
                apart = np.float64(Z[i, a]) - np.float64(Z[indices[e], a])
                r2 += apart * apart
            if p[e] > 0:
                total += p[e] * np.log(p[e] * (1 + r2))
    return total
