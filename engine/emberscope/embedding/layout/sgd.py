"""Stochastic gradient descent of layouts: neighbors attract, a sample of the others repels,
each row moves itself."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit
from emberscope.neighbors import threads

N_DRAWN = 64  # repelling instances looked at per step; as many fill the vector registers at once
_REGISTERS = 3  # dimensions up to which a coordinate is a number of its own in the kernel
_ALONE = 1500  # instances up to which one thread is faster than two
_NO_REACH = np.empty(0, np.float32)
Show = Callable[[int, NDArray], None]
# Sums over neighbors may be taken in any order (several at a time);
# NaN and infinity keep their meaning.
_SAFE = {"contract", "nsz", "arcp", "reassoc"}


def _nobody_looks(step: int, Z: NDArray) -> None:
    """The default of `show`."""


@dataclass(frozen=True, slots=True)
class Force:
    """How two instances at squared distance s act on each other.

    Power law (UMAP; LargeVis is a = b = 1): attraction s^(b-1) / (1 + a s^b) z, repulsion
    push / ((0.001 + s) (1 + a s^b)) z with every coordinate between -4 and 4. Squared law (PaCMAP):
    1 / (reach + s)^2 z for both, 2 being the reach of repulsion. Each times its weight in `Edges`.
    """

    a: float = 1.0
    b: float = 1.0
    push: float = 2.0
    squared: bool = False


@dataclass(frozen=True, slots=True)
class Edges:
    """What acts on each of M instances that move; N are there to act.

    indptr : (M + 1,) int64, indices : (E,) int32, weight : (E,) float32.
        Who attracts row i, and how strongly.
    repel : (M,) float32. How strongly all others together repel it.
    pool : (P + N_DRAWN - 1,) int32. Rows that repel, in random order, each as often as it shall be
        drawn; the first ones again at the end, so that runs of N_DRAWN reach all alike.
    reach : (E,) float32. Of the squared law; else empty.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weight: NDArray[np.float32]
    repel: NDArray[np.float32]
    pool: NDArray[np.int32]
    reach: NDArray[np.float32] = field(default_factory=lambda: _NO_REACH)


def edges_of(
    W: csr_array, *, pull: float, push: float, seed: int, pool: NDArray | None = None,
    reach: NDArray | None = None
) -> Edges:
    """Edges of affinities W (M, N): attraction pull * W, repulsion push * its row sums,
    drawn evenly by default."""
    weight = W.data.astype(np.float32, copy=False)
    sums = np.asarray(W.sum(axis=1)).ravel()
    return Edges(
        W.indptr.astype(np.int64), W.indices.astype(np.int32, copy=False),
        np.float32(pull) * weight,
        (push * sums).astype(np.float32), shuffled(W.shape[1], seed) if pool is None else pool,
        _NO_REACH if reach is None else reach.astype(np.float32),
    )  # fmt: skip


def shuffled(n: int, seed: int) -> NDArray[np.int32]:
    """Rows 0 .. n - 1 in random order, repeated (in other orders) until there is something to draw
    from."""
    rng = np.random.default_rng(seed)
    rounds = -(-4 * N_DRAWN // n)
    return closed(np.concatenate([rng.permutation(n) for _ in range(rounds)]))


def closed(order: NDArray) -> NDArray[np.int32]:
    """A pool of rows in this order; see `Edges`. `order` : (n,); returns (n + N_DRAWN - 1,)."""
    return np.concatenate([order, order[: N_DRAWN - 1]]).astype(np.int32)


def optimize(
    Z: NDArray,
    edges: Edges,
    force: Force,
    rates: NDArray,
    *,
    seed: int,
    others: NDArray | None = None,
    fixed: NDArray | None = None,
    inertia: float | NDArray = 0.0,
    names: NDArray | None = None,
    show: Show = _nobody_looks,
) -> NDArray[np.float32]:
    """Coordinates after one step per rate, from Z.

    Parameters
    ----------
    Z : (M, d). The start.
    rates : (T,) >= 0. How boldly each step goes;
        below 1 / attraction the steps are those of gradient descent.
    others : (N, d), optional. Instances that act but do not move; None:
        those of Z act on each other.
    fixed : (M,) bool, optional. Instances that stay.
    inertia : in [0, 1), one or (T,). Share of the step before that is added to each.
    names : (M,) int, optional. By which rows draw the instances that repel them; rows in another
        order under the same names end in the same places.
    show : called after every step with its number, from 1, and the coordinates;
        may raise Cancelled.

    Notes
    -----
    A step moves every instance to z + r (A + R) / (1 + r a): A the attraction of all its neighbors
    with total coefficient a, R the repulsion of N_DRAWN others, weighted to stand for all. Both
    read the positions at the start of the step, so the result does not depend on the order or the
    number of threads. The fixed points are those of stochastic gradient descent, but no rate makes
    a step overshoot: the attraction is minimized by its quadratic bound. That damps what moves
    together; inertia, and a start from coarser graphs, make up for it. The others are a run of the
    shuffled pool, whose place is a hash of seed, step and row. O(T (E + M N_DRAWN) d), up to 3
    dimensions with one kernel, beyond by another; 8 d (M + N) bytes.
    """
    now = np.array(Z, np.float32, order="C")
    then = now.copy()
    keeps = np.broadcast_to(np.asarray(inertia, np.float32), len(rates))
    with _Mover(force, len(now), seed, others, fixed, names) as mover:
        for step, rate in enumerate(rates):
            mover.move(now, edges, np.float32(rate), keeps[step], then)
            now, then = then, now
            show(step + 1, now)
    return now


def adapt(
    Z: NDArray, edges: Callable[[int], Edges], force: Force, n_steps: int, *, seed: int,
    show: Show = _nobody_looks
) -> NDArray[np.float32]:
    """Coordinates after n_steps of Adam (Kingma and Ba 2015, rate 1) on the same forces;
    `edges` by step, from 0.

    However weak a force is, steps along it are soon about 1 long:
    for forces by which far parts hardly feel each other.
    """
    now = np.array(Z, np.float32, order="C")
    forces, mean, square = np.zeros_like(now), np.zeros_like(now), np.zeros_like(now)
    with _Mover(force, len(now), seed) as mover:
        for step in range(n_steps):
            # A rate of -1 asks for the forces themselves. Adam divides their running mean by their
            # running size, per coordinate, with the usual 0.9 and 0.999; both start at 0, which the
            # factor of the rate makes up for. The forces already point downhill, so they are added.
            mover.move(now, edges(step), np.float32(-1), np.float32(0), forces)
            mean += np.float32(0.1) * (forces - mean)
            square += np.float32(0.001) * (forces * forces - square)
            rate = np.float32(np.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1)))
            now += rate * mean / (np.sqrt(square) + np.float32(1e-7))
            show(step + 1, now)
    return now


class _Mover:
    """Calls the kernel, in threads where there are many instances."""

    def __init__(
        self, force: Force, n: int, seed: int, others: NDArray | None = None,
        fixed: NDArray | None = None, names: NDArray | None = None,
    ) -> None:
        self._force = force
        self._forces = np.array([force.a, force.b, force.push], np.float32)
        self._others = None if others is None else np.ascontiguousarray(others, np.float32)
        self._held = (
            np.zeros(n, np.bool_) if fixed is None else np.ascontiguousarray(fixed, np.bool_)
        )
        # New instances all see the same sample, so that each comes where it comes alone.
        names = np.arange(n) if names is None else names
        self._names = (names if others is None else np.zeros(n)).astype(np.uint32)
        self._rng = np.random.default_rng(seed)
        self._threads = threads.thread_count() if n > _ALONE else 1
        self._stack = ExitStack()

    def __enter__(self) -> "_Mover":
        self._pool = self._stack.enter_context(threads.thread_pool()) if self._threads > 1 else None
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def move(
        self, now: NDArray, edges: Edges, rate: np.float32, keep: np.float32, out: NDArray
    ) -> None:
        """One step from `now` to `out`; see `_move`."""
        there = now if self._others is None else self._others
        seed = self._rng.integers(0, 2**32, dtype=np.uint32)
        lists = (edges.indptr, edges.indices, edges.weight, edges.reach, edges.repel, self._held)
        how = (self._names, self._forces, self._force.squared, rate, keep, seed, out)
        if now.shape[1] > _REGISTERS:
            move = partial(_move_wide, now, there, edges.pool, *lists, *how)
        else:
            drawn = np.zeros((_REGISTERS, len(edges.pool)), np.float32)
            n_drawn = np.linspace(0, len(edges.pool), self._threads + 1).astype(int)
            self._each(partial(_draw, there, edges.pool, drawn), list(pairwise(n_drawn.tolist())))
            move = partial(_move, now, there, drawn, *lists, *how)
        self._each(move, _parts(edges.indptr, self._threads))

    def _each(self, work: Callable[[int, int], None], parts: list[tuple[int, int]]) -> None:
        if self._pool is None:
            for part in parts:
                work(*part)
        else:
            list(self._pool.map(lambda part: work(*part), parts))


def _parts(indptr: NDArray, n: int) -> list[tuple[int, int]]:
    """Runs of rows with about as many edges."""
    cuts = np.searchsorted(indptr, indptr[-1] * np.arange(1, n) / n)
    return list(pairwise([0, *map(int, cuts), len(indptr) - 1]))


@njit(inline="always")
def _log2(x: np.float32) -> np.float32:
    """Base 2, of ordinary x > 0; the error is below 5e-6."""
    # The exponent is read from the bits; what is left is a number from 1 to 2, whose logarithm is a
    # polynomial of degree 6 that is 0 and 1 at its ends. The library's function is a call and stops
    # vector code; errors of 5e-6 are far below what a sample of 64 others leaves.
    bits = np.float32(x).view(np.int32)
    exponent = np.float32((bits >> np.int32(23)) - np.int32(127))
    m = np.int32((bits & np.int32(0x007FFFFF))
                 | np.int32(0x3F800000)).view(np.float32) - np.float32(1)
    p = np.float32(-0.27790427) + m * (np.float32(0.12179696) - m * np.float32(0.025841136))
    p = np.float32(-0.71814513) + m * (np.float32(0.45754865) + m * p)
    return exponent + m * (np.float32(1.4425449) + m * p)


@njit(inline="always")
def _exp2(x: np.float32) -> np.float32:
    """2 to the power x, from 2^-120 to 2^120; the relative error is below 1e-5."""
    # The converse of `_log2`: the whole part becomes the exponent, a polynomial of degree 5 gives 2
    # to the rest. Held at 120, where the bits would run into those of infinity and turn a strong
    # force into a wrong sign.
    x = min(max(x, np.float32(-120)), np.float32(120))
    whole = np.floor(x)
    r = x - whole
    p = np.float32(0.05585973) + r * (np.float32(0.00894389) + r * np.float32(0.00189461))
    p = np.float32(1) + r * (np.float32(0.69315308) + r * (np.float32(0.24013971) + r * p))
    return p * np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)


@njit(inline="always")
def _place(seed: np.uint32, row: np.uint32, room: int) -> np.int64:
    """An even hash of seed and row in 0 .. room - 1."""
    # A generator per row without a state: the sample of a row depends on seed, step and row, not on
    # the thread. Two rounds of multiply and shift mix all bits; the product with `room` takes the
    # upper ones, even without the bias and the division of a remainder.
    h = np.uint32(np.uint32(row) * np.uint32(0x9E3779B9)) ^ np.uint32(seed)
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D))
    h = np.uint32((h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B))
    h = np.uint32(h ^ (h >> np.uint32(16)))
    return np.int64((np.uint64(h) * np.uint64(room)) >> np.uint64(32))


# These loops run on 16 others at once; that needs division without a test for zero ("numpy") and
# inlining.
@njit(inline="always", error_model="numpy", fastmath=_SAFE)
def _attract(
    n: int, us: NDArray, vs: NDArray, ws: NDArray, weight: NDArray, x: np.float32, y: np.float32,
    z: np.float32, a: np.float32, b: np.float32,
) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Power law: total coefficient and attraction of (x, y, z) by n weighted others at
    (us, vs, ws)."""
    # s^(b - 1) / (1 + a s^b) as one power: s^b is s times it. 1e-8 keeps the logarithm of
    # coincident rows finite; z is then 0, so no force comes of it. The total coefficient is summed
    # besides, as the curvature that `_move` divides the step by.
    one = np.float32(1)
    total, ax, ay, az = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for k in range(n):
        dx, dy, dz = us[k] - x, vs[k] - y, ws[k] - z
        s = dx * dx + dy * dy + dz * dz + np.float32(1e-8)
        power = _exp2((b - one) * _log2(s))
        g = weight[k] * power / (one + a * power * s)
        total += g
        ax += g * dx
        ay += g * dy
        az += g * dz
    return total, ax, ay, az


@njit(inline="always", error_model="numpy", fastmath=_SAFE)
def _attract_squared(
    n: int, us: NDArray, vs: NDArray, ws: NDArray, weight: NDArray, reach: NDArray, x: np.float32,
    y: np.float32, z: np.float32,
) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Squared law: the same."""
    total, ax, ay, az = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for k in range(n):
        dx, dy, dz = us[k] - x, vs[k] - y, ws[k] - z
        s = reach[k] + dx * dx + dy * dy + dz * dz
        g = weight[k] / (s * s)
        total += g
        ax += g * dx
        ay += g * dy
        az += g * dz
    return total, ax, ay, az


@njit(inline="always", error_model="numpy", fastmath=_SAFE)
def _repel(
    start: np.int64, drawn: NDArray, x: np.float32, y: np.float32, z: np.float32, a: np.float32,
    b: np.float32, push: np.float32,
) -> tuple[np.float32, np.float32, np.float32]:
    """Power law: the sum of repulsions of (x, y, z) by the sample at `start`,
    each between -4 and 4."""
    # Repulsion is unbounded at distance 0. UMAP clips each coordinate of each push at 4, before the
    # sum: one near row must not throw an instance across the map. 0.001 is UMAP's too; it sets how
    # strongly coincident rows part.
    one, most = np.float32(1), np.float32(4)
    rx, ry, rz = np.float32(0), np.float32(0), np.float32(0)
    for k in range(start, start + N_DRAWN):
        dx, dy, dz = x - drawn[0, k], y - drawn[1, k], z - drawn[2, k]
        s = dx * dx + dy * dy + dz * dz
        power = _exp2(b * _log2(s + np.float32(1e-8)))
        g = push / ((np.float32(0.001) + s) * (one + a * power))
        rx += min(max(g * dx, -most), most)
        ry += min(max(g * dy, -most), most)
        rz += min(max(g * dz, -most), most)
    return rx, ry, rz


@njit(inline="always", error_model="numpy", fastmath=_SAFE)
def _repel_squared(
    start: np.int64, drawn: NDArray, x: np.float32, y: np.float32, z: np.float32
) -> tuple[np.float32, np.float32, np.float32]:
    """Squared law: the same, with reach 2."""
    rx, ry, rz = np.float32(0), np.float32(0), np.float32(0)
    for k in range(start, start + N_DRAWN):
        dx, dy, dz = x - drawn[0, k], y - drawn[1, k], z - drawn[2, k]
        s = np.float32(2) + dx * dx + dy * dy + dz * dz
        g = np.float32(1) / (s * s)
        rx += g * dx
        ry += g * dy
        rz += g * dz
    return rx, ry, rz


@njit(cache=True, nogil=True)
def _draw(there: NDArray, pool: NDArray, drawn: NDArray, first: int, last: int) -> None:
    """Coordinates of the rows first .. last - 1 of the pool, one array for each: (3, P)."""
    for i in range(first, last):
        for c in range(there.shape[1]):
            drawn[c, i] = there[pool[i], c]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_SAFE)
def _move(
    now: NDArray, there: NDArray, drawn: NDArray, indptr: NDArray, indices: NDArray,
    weight: NDArray, reach: NDArray,
    repel: NDArray, held: NDArray, names: NDArray, forces: NDArray, squared: bool,
    rate: np.float32, keep: np.float32, seed: np.uint32, out: NDArray, first: int, last: int,
) -> None:
    """One step of rows first .. last - 1 of `now`, written to `out`,
    which holds those before `now`.

    With a negative rate the forces are written instead, and 0 for those held. Padding with weight 0
    lets the loops run wide.
    """
    dim, zero, one = now.shape[1], np.float32(0), np.float32(1)
    a, b, push = forces[0], forces[1], forces[2]
    # Neighbors of a row are gathered into one array per coordinate first: reads from all over
    # memory, once, after which the loops of the forces run over contiguous numbers, eight or
    # sixteen at a time. Missing coordinates (d below 3) stay 0 in them, so one kernel serves 1 to 3
    # dimensions.
    longest = 0
    for i in range(first, last):
        longest = max(longest, indptr[i + 1] - indptr[i])
    us, vs, ws = np.zeros((3, longest + 8), np.float32)
    gs, hs = np.zeros((2, longest + 8), np.float32)
    for i in range(first, last):
        if held[i]:
            for c in range(dim):
                out[i, c] = now[i, c] if rate >= 0 else zero
            continue
        x = now[i, 0]
        y = now[i, 1] if dim > 1 else zero
        z = now[i, 2] if dim > 2 else zero
        n = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            us[n], gs[n] = there[j, 0], weight[p]
            if dim > 1:
                vs[n] = there[j, 1]
            if dim > 2:
                ws[n] = there[j, 2]
            if squared:
                hs[n] = reach[p]
            n += 1
        while n & 7:
            us[n], vs[n], ws[n], gs[n], hs[n] = x, y, z, zero, one
            n += 1
        start = _place(seed, names[i], drawn.shape[1] - (N_DRAWN - 1))
        if squared:
            total, ax, ay, az = _attract_squared(n, us, vs, ws, gs, hs, x, y, z)
            rx, ry, rz = _repel_squared(start, drawn, x, y, z)
        else:
            total, ax, ay, az = _attract(n, us, vs, ws, gs, x, y, z, a, b)
            rx, ry, rz = _repel(start, drawn, x, y, z, a, b, push)
        # The sample stands for all others: each push counts repel / 64. With a rate, the attraction
        # is minimized by its quadratic bound, so the step divides by 1 + rate total: however large
        # the rate, no instance flies past its neighbors. `out` still holds the positions before the
        # last step: their difference is the inertia.
        share = repel[i] / np.float32(N_DRAWN)
        fx, fy, fz = ax + share * rx, ay + share * ry, az + share * rz
        if rate >= 0:
            r = rate / (one + rate * total)
            fx = x + r * fx + keep * (x - out[i, 0])
            fy = y + r * fy + keep * (y - out[i, 1] if dim > 1 else y)
            fz = z + r * fz + keep * (z - out[i, 2] if dim > 2 else z)
        out[i, 0] = fx
        if dim > 1:
            out[i, 1] = fy
        if dim > 2:
            out[i, 2] = fz


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_SAFE)
def _move_wide(
    now: NDArray, there: NDArray, pool: NDArray, indptr: NDArray, indices: NDArray,
    weight: NDArray, reach: NDArray,
    repel: NDArray, held: NDArray, names: NDArray, forces: NDArray, squared: bool,
    rate: np.float32, keep: np.float32, seed: np.uint32, out: NDArray, first: int, last: int,
) -> None:
    """`_move` in any number of dimensions: its loops run over the coordinates of two rows."""
    dim, zero, one, most = now.shape[1], np.float32(0), np.float32(1), np.float32(4)
    a, b, push = forces[0], forces[1], forces[2]
    pull, away = np.empty(dim, np.float32), np.empty(dim, np.float32)
    for i in range(first, last):
        if held[i]:
            for c in range(dim):
                out[i, c] = now[i, c] if rate >= 0 else zero
            continue
        total = zero
        pull[:], away[:] = zero, zero
        for p in range(indptr[i], indptr[i + 1]):
            j, s = indices[p], zero
            for c in range(dim):
                s += (there[j, c] - now[i, c]) ** 2
            if squared:
                g = weight[p] / (reach[p] + s) ** 2
            else:
                s += np.float32(1e-8)
                power = _exp2((b - one) * _log2(s))
                g = weight[p] * power / (one + a * power * s)
            total += g
            for c in range(dim):
                pull[c] += g * (there[j, c] - now[i, c])
        start = _place(seed, names[i], len(pool) - (N_DRAWN - 1))
        for k in range(start, start + N_DRAWN):
            j, s = pool[k], zero
            for c in range(dim):
                s += (there[j, c] - now[i, c]) ** 2
            if squared:
                g = one / (np.float32(2) + s) ** 2
                for c in range(dim):
                    away[c] += g * (now[i, c] - there[j, c])
            else:
                power = _exp2(b * _log2(s + np.float32(1e-8)))
                g = push / ((np.float32(0.001) + s) * (one + a * power))
                for c in range(dim):
                    away[c] += min(max(g * (now[i, c] - there[j, c]), -most), most)
        share = repel[i] / np.float32(N_DRAWN)
        r = rate / (one + rate * total)
        for c in range(dim):
            force = pull[c] + share * away[c]
            if rate >= 0:
                force = now[i, c] + r * force + keep * (now[i, c] - out[i, c])
            out[i, c] = force
