"""Stress: how far the distances in an embedding are from those of the data,
and the steps that lessen it.

Stress is sum w(d) (d - |z_i - z_j|)² over pairs, w(d) = 1,
1/d or 1/d² (power 0, -1, -2) with d at least `floor`.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit, thread_count
from emberscope.base.monitor import Monitor, monitored

_ROWS = 256  # rows of one piece of work; fixed, so that sums do not depend on the number of threads
_NEAR = 1e-6
_TINY = 1e-150
_MEMORY = 8
_OPTIONS: dict[str, Any] = {
    "cache": True, "nogil": True, "error_model": "numpy",
    # Sums may be reordered for SIMD; NaN and infinity keep their meaning.
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
}


def all_distances(X: NDArray, *, monitor: Monitor | None = None) -> NDArray[np.float64]:
    """Euclidean distances (N, N) of all rows; exactly symmetric, zero diagonal.
    O(N² D), 8 N² bytes."""
    watch = monitored(monitor)
    X = np.ascontiguousarray(X - X.mean(axis=0, dtype=np.float64), np.float64)
    D = np.empty((len(X), len(X)))
    for start in range(0, len(X), _ROWS):
        watch.step(start / len(X), "Distances")
        stop = min(start + _ROWS, len(X))
        D[start:stop, :stop] = distances_between(X[start:stop], X[:stop])
        D[:start, start:stop] = D[start:stop, :start].T
        # a matrix product may round a pair and its mirror apart
        below = np.tril(D[start:stop, start:stop], -1)
        D[start:stop, start:stop] = below + below.T
    return D


def distances_between(Q: NDArray, X: NDArray) -> NDArray[np.float64]:
    """Euclidean distances (M, N) of rows near the origin;
    pairs that the matrix product blurs are taken directly."""
    Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
    size = np.square(Q).sum(axis=1)[:, None] + np.square(X).sum(axis=1)
    D2 = size - 2 * (Q @ X.T)
    rows, columns = np.nonzero(_NEAR * size > D2)
    for start in range(0, len(rows), 1 << 14):
        i, j = rows[start : start + (1 << 14)], columns[start : start + (1 << 14)]
        D2[i, j] = np.square(Q[i] - X[j]).sum(axis=1)
    return np.sqrt(np.maximum(D2, 0.0, out=D2), out=D2)


class Problem(Protocol):
    """What `majorize` lessens. weight : (N,), the inner product in which steps are compared."""

    weight: NDArray

    def evaluate(self, Z: NDArray) -> tuple[float, NDArray]:
        """The objective at Z (N, d), and the step (N, d) of a majorization from there."""


class AllPairs:
    """Stress over every pair of rows.

    D : (N, N) distances. power : 0, -1 or -2. floor : least d in w(d).
        weight : (N,) row sums of w, self included.
    total : sum of w d² over pairs.

    `evaluate` gives the stress and diag(weight)^-1 (B(Z) Z - V Z);
    with power 0 that is Guttman's transform minus Z.
    """

    def __init__(
        self, D: NDArray, *, power: int = 0, floor: float = 0.0, monitor: Monitor | None = None
    ) -> None:
        self.D, self.power, self.floor = D, power, floor
        watch = monitored(monitor)
        n = len(D)
        self.weight = np.empty(n)
        self.total = 0.0
        for start in range(0, n, _ROWS):
            watch.step(start / n, "Weights")
            part = D[start : start + _ROWS]
            w = pair_weights(part, power, floor)
            w[np.arange(len(part)), np.arange(start, start + len(part))] = 0.0
            self.weight[start : start + _ROWS] = w.sum(axis=1) * (n / (n - 1))
            self.total += 0.5 * float(np.einsum("ij,ij,ij->", w, part, part))

    def evaluate(self, Z: NDArray) -> tuple[float, NDArray]:
        """The stress at Z (N, d), and the step (N, d) of a majorization from there."""
        value, force = self.force(Z)
        return value, force / self.weight[:, None]

    def force(self, Z: NDArray) -> tuple[float, NDArray]:
        """Stress, and minus half its gradient (N, d): B(Z) Z - V Z."""
        columns = np.ascontiguousarray(Z.T)
        force, values = np.empty(Z.shape), np.empty(len(Z))

        def work(lo: int, hi: int) -> None:
            _all_pairs(self.D, columns, self.power, self.floor, lo, hi, force, values)

        in_pieces(work, len(Z))
        return 0.5 * float(values.sum()), force


def pair_weights(d: NDArray, power: int, floor: float) -> NDArray:
    """w(d) of distances; 1, 1/d or 1/d², d at least `floor`.
    `d` : distances in any shape; returns the same shape."""
    if power == 0:
        return np.ones(d.shape)
    return np.power(np.maximum(np.asarray(d, np.float64), max(floor, _TINY)), power)


def majorize(
    problem: Problem, Z: NDArray, *, max_iter: int, tolerance: float,
    show: Callable[[int, NDArray], None]
) -> tuple[NDArray, list[float]]:
    """Lessen an objective until a step changes less than `tolerance` of the embedding.

    Returns
    -------
    Z : (N, d). history : the objective at the start and after every step; it never rises.

    Notes
    -----
    Each step extrapolates from the last 8 (Anderson 1965); one that does not lower the objective is
    replaced by the plain step, then by half of it, which a majorization by twice the diagonal
    guarantees. `show` is called after every step.
    """
    value, step = problem.evaluate(Z)
    history = [value]
    memory: list[tuple[NDArray, NDArray]] = []
    for iteration in range(1, max_iter + 1):
        show(iteration, Z)
        if _length(step, problem.weight) <= tolerance * _length(Z, problem.weight):
            break
        leap = _extrapolated(step, memory, problem.weight)
        for move in (leap, step, 0.5 * step):
            if move is None:
                continue
            new = Z + move
            new_value, new_step = problem.evaluate(new)
            if new_value < value:
                break
            memory.clear()
        else:
            break
        memory.append((new - Z, new_step - step))
        del memory[:-_MEMORY]
        Z, value, step = new, new_value, new_step
        history.append(value)
    return Z, history


def _length(V: NDArray, weight: NDArray) -> float:
    return float(np.sqrt((weight[:, None] * np.square(V)).sum()))


def _extrapolated(
    step: NDArray, memory: list[tuple[NDArray, NDArray]], weight: NDArray
) -> NDArray | None:
    """The move whose step would vanish, were steps linear between the remembered embeddings."""
    if not memory:
        return None
    changes = np.stack([change for _, change in memory]).reshape(len(memory), -1)
    moves = np.stack([move for move, _ in memory]).reshape(len(memory), -1)
    scaled = changes * np.repeat(weight, step.shape[1])
    gram = np.einsum("ai,bi->ab", scaled, changes)
    right = np.einsum("ai,i->a", scaled, step.ravel())
    gram[np.diag_indices_from(gram)] *= 1 + 1e-10
    gram[np.diag_indices_from(gram)] += np.finfo(np.float64).tiny
    share = np.linalg.lstsq(gram, right, rcond=1e-14)[0]
    return step - np.einsum("a,ai->i", share, moves + changes).reshape(step.shape)


def best_scale(problem: AllPairs, Z: NDArray) -> float:
    """The factor of Z at which stress is least; exact, because stress is quadratic along it.
    1 where Z is 0."""
    value, force = problem.force(Z)
    pull = float((Z * force).sum())  # sum w d delta - sum w delta²
    cross = problem.total - value - pull
    square = cross - pull
    return cross / square if square > 0 and cross > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Placed:
    """New rows among fixed ones. coordinates : (M, d).
    stress : (M,) sum of w (d - delta)². total : (M,) of w d²."""

    coordinates: NDArray
    stress: NDArray
    total: NDArray


def place(
    distance: NDArray, at: NDArray, Z: NDArray, *, power: int = 0, floor: float = 0.0,
    n_iter: int = 100,
    tolerance: float = 1e-6, goal: NDArray | None = None, goal_weight: NDArray | None = None,
) -> Placed:
    """Coordinates at which each new row's own stress is least, from Z (M, d),
    the reference rows held fixed.

    distance : (M, R) to reference rows with coordinates `at` (R, d). goal : (M, d),
    goal_weight : (M,), where given: goal_weight |z - goal|² is added to the stress of a row. A row
    stops when a step is shorter than `tolerance` of the size of `at`. O(M R d) per step.
    """
    goal = np.zeros(Z.shape) if goal is None else np.asarray(goal, np.float64)
    extra = np.zeros(len(Z)) if goal_weight is None else np.asarray(goal_weight, np.float64)
    out = np.array(Z, np.float64)
    stress, total = np.empty(len(out)), np.empty(len(out))
    columns = np.ascontiguousarray(np.asarray(at, np.float64).T)
    shortest = tolerance * float(np.sqrt(np.square(columns).mean()))

    def work(lo: int, hi: int) -> None:
        _place(distance, columns, power, floor, n_iter, shortest, lo, hi, goal, extra, out, stress,
               total)

    in_pieces(work, len(out))
    return Placed(out, stress, total)


def in_pieces(work: Callable[[int, int], None], n: int) -> None:
    """Do `work(lo, hi)` for all rows, in fixed pieces, on the threads there are."""
    edges = [(lo, min(lo + _ROWS, n)) for lo in range(0, n, _ROWS)]
    if len(edges) < 3:
        for lo, hi in edges:
            work(lo, hi)
    else:
        list(_threads().map(lambda edge: work(*edge), edges))


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_count())


@njit(**_OPTIONS)
def _all_pairs(
    D: NDArray, Z: NDArray, power: float, floor: float, lo: int, hi: int, force: NDArray,
    values: NDArray
) -> None:
    """Rows lo to hi of B(Z) Z - V Z, and their sums of w (d - delta)²; Z is (d, N)."""
    m, n = Z.shape
    square, pull = np.empty(n), np.empty(n)
    for i in range(lo, hi):
        square[:] = 0.0
        for c in range(m):
            z = Z[c, i]
            for j in range(n):
                square[j] += (z - Z[c, j]) * (z - Z[c, j])
        value = 0.0
        for j in range(n):
            d = D[i, j]
            delta = np.sqrt(square[j])
            w = 1.0
            if power != 0:
                w = 1.0 / (d if d > floor else floor)
                if power == -2:
                    w = w * w
            value += w * (d - delta) * (d - delta)
            pull[j] = w * (d / (delta if delta > _TINY else _TINY) - 1.0)
        values[i] = value
        for c in range(m):
            z = Z[c, i]
            total = 0.0
            for j in range(n):
                total += pull[j] * (z - Z[c, j])
            force[i, c] = total


@njit(**_OPTIONS)
def _place(
    distance: NDArray, at: NDArray, power: float, floor: float, n_iter: int, shortest: float,
    lo: int, hi: int, goal: NDArray, extra: NDArray, Z: NDArray, stress: NDArray, total: NDArray,
) -> None:
    """Majorize the stress of rows lo to hi, and their distance from the goal, one at a time;
    at is (d, R)."""
    m, n = at.shape
    w, square = np.empty(n), np.empty(n)
    for q in range(lo, hi):
        weight, total[q] = 0.0, 0.0
        for r in range(n):
            d = distance[q, r]
            w[r] = 1.0
            if power != 0:
                w[r] = 1.0 / (d if d > floor else floor)
                if power == -2:
                    w[r] = w[r] * w[r]
            weight += w[r]
            total[q] += w[r] * d * d
        left = n_iter
        while True:
            square[:] = 0.0
            for c in range(m):
                z = Z[q, c]
                for r in range(n):
                    square[r] += (z - at[c, r]) * (z - at[c, r])
            value = 0.0
            for r in range(n):
                d = distance[q, r]
                delta = np.sqrt(square[r])
                value += w[r] * (d - delta) * (d - delta)
                square[r] = w[r] * (d / (delta if delta > _TINY else _TINY) - 1.0)
            stress[q] = value
            if left == 0:
                break
            moved = 0.0
            for c in range(m):
                z = Z[q, c]
                step = extra[q] * (goal[q, c] - z)
                for r in range(n):
                    step += square[r] * (z - at[c, r])
                step /= weight + extra[q]
                Z[q, c] = z + step
                moved = max(moved, abs(step))
            left = left - 1 if moved > shortest else 0
