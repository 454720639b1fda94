"""The solver of maximum variance unfolding: a factored semidefinite program by an augmented Lagrangian.

Maximize |Y|² over centered Y (n, r) with |y_i - y_j|² = d_ij² on the edges of a graph, or at most d_ij².
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_MEMORY = 10  # pairs of steps and gradients that L-BFGS remembers
_FIRST_STIFFNESS = 30.0  # times the mean tension
_LAST_STIFFNESS = 3e3  # above, L-BFGS no longer balances the tensions
_STIFFER = 3.0
_BALANCED = 100.0  # times the tolerance: the gradient at which it may stop
_INNER = 300  # steps between two corrections of the tensions
_PIECE = 1e8  # products between two looks at the monitor, about 0.1 s
_OPTIONS: dict[str, Any] = {
    "cache": True, "nogil": True, "error_model": "numpy",
    # Sums may be reordered for SIMD; NaN and infinity keep their meaning.
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
}


@dataclass(frozen=True, slots=True)
class Edges:
    """Pairs whose distance is kept. i, j : (m,) int64. square : (m,) their squared lengths."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    square: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unfolded:
    """Y : (n, r), centered. tension : (m,), the multiplier of every edge; sum tension d² = |Y|² at the optimum.
    misfit : (m,), |y_i - y_j|² - d² as a share of the mean d², 0 where an edge may be shorter and is.
    violation : rms of the misfit beyond the slack. n_iter : steps made."""

    Y: NDArray
    tension: NDArray
    misfit: NDArray
    violation: float
    n_iter: int


def unfold(
    start: NDArray,
    edges: Edges,
    *,
    shrink: bool = False,
    slack: float = 0.0,
    max_iter: int = 3000,
    tolerance: float = 1e-4,
    show: Callable[[int, NDArray], None] = lambda done, Y: None,
) -> Unfolded:
    """Pull the points of a graph apart as far as its edges allow.

    Parameters
    ----------
    start : (n, r), any; near a solution is faster. r above the rank of a solution makes every local optimum a global
        one (Burer and Monteiro 2005).
    shrink : edges may be shorter than in the data.
    slack : misfit, as a share of the mean squared length, that an edge of mean tension may have; 0 = none.
        The variance is then lessened by the sum of squared misfits over twice this.
    tolerance : the rms misfit at which it stops, provided that the variance changed by no more than this share since
        the last correction, or the gradient is below a hundred times this share of that of the variance.

    Notes
    -----
    L-BFGS with an exact line search (along a line every squared length is quadratic) between corrections of the
    tensions, t <- (t + stiffness misfit) / (1 + stiffness slack); stiffness x3 when the misfit falls less than 2x.
    O((m + 10 n) r) per step. Deterministic, one thread.
    """
    # In units of the mean squared edge, so that constants below hold for any features. At the optimum the tensions sum
    # to the variance over the squared lengths; their mean is the scale of the multipliers, from which all stiffness is
    # counted. A start with the right sum saves the first corrections.
    unit = float(edges.square.mean())
    square = edges.square / unit
    Y = np.ascontiguousarray(start - start.mean(axis=0), np.float64) / np.sqrt(unit)
    mean_tension = max(float(np.square(Y).sum() / square.sum()), 1.0)
    tension, stiffness = np.full(len(square), mean_tension), _FIRST_STIFFNESS * mean_tension
    soft, last, variance, done = slack / mean_tension, np.inf, 0.0, 0
    wander = np.random.default_rng(0)
    descent = _Descent(Y, edges.i, edges.j, square, shrink)
    while True:
        scale = 1 + stiffness * soft
        gradient = descent.run(tension / scale, stiffness / scale, min(done + _INNER, max_iter), tolerance, show)
        done = descent.done
        # The method of multipliers: at the minimum of the augmented Lagrangian the pull of the penalty is what the
        # multiplier lacked, so it is added to it. With slack the penalty yields, and the same step divides by it. An
        # edge that may shorten can only hold, never push: its tension is not negative.
        misfit = squared_lengths(Y, edges) - square
        new = (tension + stiffness * misfit) / scale
        new = np.maximum(new, 0.0) if shrink else new
        beyond = (new - tension) / stiffness
        violation, tension = float(np.sqrt(np.square(beyond).mean())), new
        before, variance = variance, float(np.square(Y).sum())
        still = gradient <= _BALANCED * tolerance or abs(variance - before) <= tolerance * variance
        if done >= max_iter or (violation <= tolerance and still):
            break
        # Corrections alone converge at a rate set by the stiffness: too slow where the misfit does not halve. But a
        # stiff penalty is badly conditioned for L-BFGS, so it rises only then, by steps, and not for ever.
        if violation > max(0.5 * last, tolerance) and stiffness < _LAST_STIFFNESS * mean_tension:
            stiffness *= _STIFFER
        last = violation
        # A collapsed dimension is a saddle; a little noise lets it open again.
        Y += 1e-3 * min(violation, 0.1) * wander.standard_normal(Y.shape)
        Y -= Y.mean(axis=0)
    kept = np.where(tension > 0, misfit, np.maximum(misfit, 0.0)) if shrink else misfit
    return Unfolded(Y * np.sqrt(unit), tension, kept, violation, done)


def squared_lengths(Y: NDArray, edges: Edges) -> NDArray:
    """|y_i - y_j|² of every edge. `Y` : (N, d); returns (edges,)."""
    return np.square(Y[edges.i] - Y[edges.j]).sum(axis=1)


class _Descent:
    """L-BFGS on the augmented Lagrangian, in pieces short enough to be stopped; changes Y in place."""

    def __init__(self, Y: NDArray, i: NDArray, j: NDArray, square: NDArray, shrink: bool) -> None:
        self.Y, self.graph, self.shrink, self.done = Y, (i, j, square), shrink, 0
        self.steps = np.empty((_MEMORY, Y.size))
        self.turns = np.empty((_MEMORY, Y.size))
        self.piece = max(1, int(_PIECE / ((12 * len(square) + 60 * len(Y)) * Y.shape[1])))

    def run(
        self, tension: NDArray, stiffness: float, until: int, tolerance: float, show: Callable[[int, NDArray], None]
    ) -> float:
        """Steps until `until` are made, or it is at rest; the gradient relative to that of the variance."""
        inverse = np.zeros(_MEMORY)
        known = 0
        while True:
            wanted = min(self.piece, until - self.done)
            made, known, relative = _descend(
                self.Y, *self.graph, tension, stiffness, self.shrink, self.steps, self.turns, inverse, known, wanted,
                tolerance,
            )
            self.done += max(made, 1)
            show(self.done, self.Y)
            if made < wanted or self.done >= until:
                return relative


@njit(**_OPTIONS)
def _energy(
    Y: NDArray, i: NDArray, j: NDArray, square: NDArray, tension: NDArray, stiffness: float, shrink: bool,
    gradient: NDArray, misfit: NDArray,
) -> float:
    """-|Y|² + sum tension g + stiffness g² / 2, g = |y_i - y_j|² - d² (with `shrink`: where that pulls at all)."""
    # One pass over the edges gives value, gradient and misfit. Force and counterforce are added to both ends, so the
    # sum of the gradient over the instances is that of -2 Y alone, 0 for centered Y. Where an edge that may shorten is
    # slack, the penalty is constant: the value at its kink, no force.
    r = Y.shape[1]
    value = 0.0
    for a in range(Y.shape[0]):
        for c in range(r):
            value -= Y[a, c] * Y[a, c]
            gradient[a, c] = -2 * Y[a, c]
    for e in range(len(i)):
        a, b, s = i[e], j[e], 0.0
        for c in range(r):
            s += (Y[a, c] - Y[b, c]) * (Y[a, c] - Y[b, c])
        g = s - square[e]
        misfit[e] = g
        pull = tension[e] + stiffness * g
        if shrink and pull < 0:
            value -= tension[e] * tension[e] / (2 * stiffness)
            continue
        value += tension[e] * g + 0.5 * stiffness * g * g
        for c in range(r):
            u = 2 * pull * (Y[a, c] - Y[b, c])
            gradient[a, c] += u
            gradient[b, c] -= u
    return value


@njit(**_OPTIONS)
def _slope(
    s: float, bend: float, linear: float, misfit: NDArray, first: NDArray, second: NDArray, tension: NDArray,
    stiffness: float, shrink: bool,
) -> tuple[float, float]:
    """First and second derivative of the energy at length s along a direction; misfit + s first + s² second."""
    # Along a line each squared length is a quadratic in s, known from `_along`, so the energy is a quartic and its
    # derivatives cost m operations instead of m r, with no coordinate touched. That makes an exact line search
    # affordable.
    one, two = linear + s * bend, bend
    for e in range(len(misfit)):
        change = first[e] + 2 * s * second[e]
        pull = tension[e] + stiffness * (misfit[e] + s * first[e] + s * s * second[e])
        if pull > 0 or not shrink:
            one += pull * change
            two += stiffness * change * change + 2 * pull * second[e]
    return one, two


@njit(**_OPTIONS)
def _minimum(
    bend: float, linear: float, misfit: NDArray, first: NDArray, second: NDArray, tension: NDArray, stiffness: float,
    shrink: bool,
) -> float:
    """The length of the step: Newton kept inside a bracket; 0 where the direction does not descend."""
    steep = _slope(0.0, bend, linear, misfit, first, second, tension, stiffness, shrink)[0]
    if not steep < 0:
        return 0.0
    # Doubling until the slope turns brackets a minimum; from there Newton where its step stays inside the bracket, else
    # halving, so that it always ends. A slope of a thousandth of that at 0 is exact enough: L-BFGS gains nothing from
    # more digits.
    low, high = 0.0, 1.0
    one, two = _slope(high, bend, linear, misfit, first, second, tension, stiffness, shrink)
    for _ in range(60):
        if not one < 0:
            break
        low, high = high, 2 * high
        one, two = _slope(high, bend, linear, misfit, first, second, tension, stiffness, shrink)
    s = high
    for _ in range(30):
        if abs(one) < 1e-3 * -steep:
            break
        if one > 0:
            high = s
        else:
            low = s
        newton = s - one / two if two > 0 else low
        s = newton if low < newton < high else 0.5 * (low + high)
        one, two = _slope(s, bend, linear, misfit, first, second, tension, stiffness, shrink)
    return s


@njit(**_OPTIONS)
def _along(Y: NDArray, P: NDArray, i: NDArray, j: NDArray, first: NDArray, second: NDArray) -> tuple[float, float]:
    """How every squared length changes along P: first s + second s²; and <Y, P>, <P, P>."""
    r = Y.shape[1]
    yp, pp = 0.0, 0.0
    for a in range(Y.shape[0]):
        for c in range(r):
            yp += Y[a, c] * P[a, c]
            pp += P[a, c] * P[a, c]
    for e in range(len(i)):
        a, b, one, two = i[e], j[e], 0.0, 0.0
        for c in range(r):
            p = P[a, c] - P[b, c]
            one += (Y[a, c] - Y[b, c]) * p
            two += p * p
        first[e], second[e] = 2 * one, two
    return yp, pp


@njit(**_OPTIONS)
def _dot(a: NDArray, b: NDArray) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(**_OPTIONS)
def _add(a: NDArray, b: NDArray, factor: float) -> None:
    """a += factor b."""
    for i in range(len(a)):
        a[i] += factor * b[i]


@njit(**_OPTIONS)
def _direction(gradient: NDArray, steps: NDArray, turns: NDArray, inverse: NDArray, known: int, P: NDArray) -> None:
    """The L-BFGS direction from `known` remembered pairs into P; all flat."""
    # The two loops of Nocedal 1980: the inverse Hessian times the gradient from the last steps and changes of gradient,
    # O(memory n r) and no matrix. Between them a scale from the latest pair, without which the first step along the
    # direction would be off by orders of magnitude.
    memory = len(inverse)
    share = np.zeros(memory)
    for i in range(len(P)):
        P[i] = -gradient[i]
    oldest = max(known - memory, 0)
    for q in range(known - 1, oldest - 1, -1):
        x = q % memory
        share[x] = inverse[x] * _dot(steps[x], P)
        _add(P, turns[x], -share[x])
    if known > 0:
        x = (known - 1) % memory
        factor = 1 / (inverse[x] * _dot(turns[x], turns[x]))
        for i in range(len(P)):
            P[i] *= factor
    for q in range(oldest, known):
        x = q % memory
        _add(P, steps[x], share[x] - inverse[x] * _dot(turns[x], P))


@njit(**_OPTIONS)
def _center(P: NDArray) -> None:
    """Take the column means out: rounding would grow along the constant, in which the variance has no hold."""
    n, r = P.shape
    for c in range(r):
        mean = 0.0
        for a in range(n):
            mean += P[a, c]
        for a in range(n):
            P[a, c] -= mean / n


@njit(**_OPTIONS)
def _descend(
    Y: NDArray, i: NDArray, j: NDArray, square: NDArray, tension: NDArray, stiffness: float, shrink: bool,
    steps: NDArray, turns: NDArray, inverse: NDArray, known: int, n_steps: int, tolerance: float,
) -> tuple[int, int, float]:
    """n_steps steps of L-BFGS from Y, in place: how many were made, pairs known, relative gradient."""
    gradient, after, P = np.empty(Y.shape), np.empty(Y.shape), np.empty(Y.shape)
    y, g, h, p = Y.ravel(), gradient.ravel(), after.ravel(), P.ravel()
    misfit, first, second = np.empty(len(i)), np.empty(len(i)), np.empty(len(i))
    _energy(Y, i, j, square, tension, stiffness, shrink, gradient, misfit)
    relative = 0.0
    for done in range(n_steps):
        relative = np.sqrt(_dot(g, g) / max(4 * _dot(y, y), 1e-300))
        if relative <= tolerance:
            return done, known, relative
        # A direction that does not descend comes of remembered pairs that no longer fit (another side of a kink, or
        # rounding): they are dropped and the plain gradient is tried. Where that does not descend either, this is the
        # minimum within rounding.
        _direction(g, steps, turns, inverse, known, p)
        _center(P)
        if not _dot(p, g) < 0:
            known = 0
            _direction(g, steps, turns, inverse, known, p)
        yp, pp = _along(Y, P, i, j, first, second)
        length = _minimum(-2 * pp, -2 * yp, misfit, first, second, tension, stiffness, shrink)
        if length == 0.0:
            if known == 0:
                return done, known, relative
            known = 0
            continue
        _add(y, p, length)
        _energy(Y, i, j, square, tension, stiffness, shrink, after, misfit)
        x = known % len(inverse)
        for a in range(len(g)):
            steps[x, a] = length * p[a]
            turns[x, a] = h[a] - g[a]
            g[a] = h[a]
        # A pair enters only where the gradient grew along the step: the remembered Hessian stays positive definite, so
        # the next direction descends. The energy is not convex, so the other case does occur.
        turn = _dot(steps[x], turns[x])
        if turn > 0:
            inverse[x] = 1 / turn
            known += 1
    return n_steps, known, relative
