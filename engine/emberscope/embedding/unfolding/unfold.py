"""The solver of maximum variance unfolding: a factored semidefinite program by an augmented
Lagrangian.

Maximize |Y|² over centered Y (n, r) with |y_i - y_j|² = d_ij² on the edges of a graph, or at most
d_ij²; and, where moves are given that keep distances, with |y_c - y_d|² = |y_a - y_b|² where they
take a to c and b to d.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array

from emberscope.base.kernels import njit

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
class Moves:
    """Pairs of rows that a move leaves as far apart as they were.
    before, after : (q, 2) int64 rows a, b and c, d."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.before)


NO_MOVES = Moves(np.empty((0, 2), np.int64), np.empty((0, 2), np.int64))


@dataclass(frozen=True, slots=True)
class Unfolded:
    """Y : (n, r), centered. tension : (m,), the multiplier of every edge;
    sum tension d² = |Y|² at the optimum.
    moved : (q,), the multiplier of every pair of `Moves`, of either sign.
    misfit : (m,), |y_i - y_j|² - d² as a share of the mean d²,
        0 where an edge may be shorter and is.
    violation : rms of the misfit beyond the slack, over edges and moves. n_iter : steps made."""

    Y: NDArray
    tension: NDArray
    moved: NDArray
    misfit: NDArray
    violation: float
    n_iter: int


def unfold(
    start: NDArray, edges: Edges, *, moves: Moves = NO_MOVES, shrink: bool = False,
    slack: float = 0.0, max_iter: int = 3000, tolerance: float = 1e-4,
    show: Callable[[int, NDArray], None] = lambda done, Y: None,
) -> Unfolded:
    """Pull the points of a graph apart as far as its edges allow.

    Parameters
    ----------
    start : (n, r), any; near a solution is faster. r above the rank of a solution makes every local
        optimum a global one (Burer and Monteiro 2005).
    moves : pairs that stay as far apart as they were. Shrinking is always a way to satisfy them
        all, so they need `shrink`, or lengths that agree with them.
    shrink : edges may be shorter than in the data.
    slack : misfit, as a share of the mean squared length, that an edge of mean tension may have;
        0 = none. The variance is then lessened by the sum of squared misfits over twice this. Pairs
        of `moves` may miss as much.
    tolerance : the rms misfit at which it stops, provided that the variance changed by no more than
        this share since the last correction, or the gradient is below a hundred times this share of
        that of the variance.

    Notes
    -----
    L-BFGS with an exact line search (along a line every squared length is quadratic) between
    corrections of the tensions, t <- (t + stiffness misfit) / (1 + stiffness slack); stiffness x3
    when the misfit falls less than 2x. O((m + 2 q + 10 n) r) per step. Deterministic, one thread.
    """
    # In units of the mean squared edge, so that constants below hold for any features. At the
    # optimum the tensions sum to the variance over the squared lengths; their mean is the scale of
    # the multipliers, from which all stiffness is counted. A start with the right sum saves the
    # first corrections.
    unit = float(edges.square.mean())
    square = edges.square / unit
    Y = np.ascontiguousarray(start - start.mean(axis=0), np.float64) / np.sqrt(unit)
    mean_tension = max(float(np.square(Y).sum() / square.sum()), 1.0)
    tension = np.concatenate([np.full(len(square), mean_tension), np.zeros(len(moves))])
    stiffness = _FIRST_STIFFNESS * mean_tension
    soft, last, variance, done = slack / mean_tension, np.inf, 0.0, 0
    wander = np.random.default_rng(0)
    weight, hinged = _evened(Y, moves), len(square) if shrink else 0
    descent = _Descent(Y, edges.i, edges.j, square, moves, weight, hinged)
    while True:
        scale = 1 + stiffness * soft
        gradient = descent.run(tension / scale, stiffness / scale, min(done + _INNER, max_iter),
                               tolerance, show)
        done = descent.done
        misfit = np.concatenate([squared_lengths(Y, edges) - square, weight * _moved(Y, moves)])
        new = _corrected(tension, misfit, stiffness, scale, hinged)
        violation, tension = float(np.sqrt(np.square((new - tension) / stiffness).mean())), new
        before, variance = variance, float(np.square(Y).sum())
        still = gradient <= _BALANCED * tolerance or abs(variance - before) <= tolerance * variance
        if done >= max_iter or (violation <= tolerance and still):
            break
        # Corrections alone converge at a rate set by the stiffness: too slow where the misfit does
        # not halve. But a stiff penalty is badly conditioned for L-BFGS, so it rises only then, by
        # steps, and not for ever.
        if violation > max(0.5 * last, tolerance) and stiffness < _LAST_STIFFNESS * mean_tension:
            stiffness *= _STIFFER
        last = violation
        # A collapsed dimension is a saddle; a little noise lets it open again.
        Y += 1e-3 * min(violation, 0.1) * wander.standard_normal(Y.shape)
        Y -= Y.mean(axis=0)
    tension, moved = np.split(tension, [len(square)])
    return Unfolded(Y * np.sqrt(unit), tension, weight * moved, _missed(misfit, tension, shrink),
                    violation, done)


def certificate(found: Unfolded, edges: Edges, moves: Moves = NO_MOVES) -> float:
    """How near to the best of all Y, of any rank, this one is proved to be: 0 is the best,
    -0.01 within about 1 %.

    The least eigenvalue e of sum tension (e_i - e_j)(e_i - e_j)' - H over edges, and likewise over
    moves. No variance exceeds 1 / (1 + e) times sum tension d², which is that of Y at the optimum.
    Without slack only. O(n³), 16 n² bytes.
    """
    n = len(found.Y)
    rows = np.concatenate([np.stack([edges.i, edges.j], axis=1), moves.after, moves.before])
    weight = np.concatenate([found.tension, found.moved, -found.moved])
    once = coo_array((weight, (rows[:, 0], rows[:, 1])), shape=(n, n)).toarray()
    S = -(once + once.T)
    S[np.diag_indices(n)] -= S.sum(axis=1) + 1.0
    S += 1.0 / n
    return float(
        eigh(S, eigvals_only=True, subset_by_index=[0, 0], overwrite_a=True, check_finite=False)[0]
    )


def squared_lengths(Y: NDArray, edges: Edges) -> NDArray:
    """|y_i - y_j|² of every edge. `Y` : (N, d); returns (edges,)."""
    return np.square(Y[edges.i] - Y[edges.j]).sum(axis=1)


def _moved(Y: NDArray, moves: Moves) -> NDArray:
    """|y_c - y_d|² - |y_a - y_b|² of every pair of moves."""
    after, before = (np.square(Y[rows[:, 0]] - Y[rows[:, 1]]).sum(axis=1)
                     for rows in (moves.after, moves.before))
    return np.asarray(after - before)


def _evened(Y: NDArray, moves: Moves) -> NDArray:
    """What the misfits of moves are multiplied by, so that none outweighs an edge:
    one over the length moved.

    A squared length L² changes by 2 L per unit of length. Unscaled, pairs at the two ends of a long
    track are a hundred times stiffer than its edges, and descent crawls.
    """
    after, before = (np.square(Y[rows[:, 0]] - Y[rows[:, 1]]).sum(axis=1)
                     for rows in (moves.after, moves.before))
    return np.asarray(1 / np.sqrt(np.maximum(0.5 * (after + before), 1.0)))


def _corrected(
    tension: NDArray, misfit: NDArray, stiffness: float, scale: float, hinged: int
) -> NDArray:
    """The method of multipliers: the tensions after one correction."""
    # At the minimum of the augmented Lagrangian the pull of the penalty is what the multiplier
    # lacked, so it is added to it. With slack the penalty yields, and the same step divides by it.
    # An edge that may shorten can only hold, never push: its tension is not negative.
    new = (tension + stiffness * misfit) / scale
    new[:hinged] = np.maximum(new[:hinged], 0.0)
    return np.asarray(new)


def _missed(misfit: NDArray, tension: NDArray, shrink: bool) -> NDArray:
    """The misfits of the edges; none where an edge may be shorter and is."""
    misfit = misfit[: len(tension)]
    return np.where(tension > 0, misfit, np.maximum(misfit, 0.0)) if shrink else misfit


class _Descent:
    """L-BFGS on the augmented Lagrangian, in pieces short enough to be stopped;
    changes Y in place."""

    def __init__(
        self, Y: NDArray, i: NDArray, j: NDArray, square: NDArray, moves: Moves, weight: NDArray,
        hinged: int
    ) -> None:
        pairs = np.ascontiguousarray(np.hstack([moves.before, moves.after]), np.int64)
        self.Y, self.graph, self.hinged, self.done = Y, (i, j, square, pairs, weight), hinged, 0
        self.steps = np.empty((_MEMORY, Y.size))
        self.turns = np.empty((_MEMORY, Y.size))
        self.piece = max(
            1, int(_PIECE / ((12 * len(square) + 24 * len(pairs) + 60 * len(Y)) * Y.shape[1]))
        )

    def run(
        self, tension: NDArray, stiffness: float, until: int, tolerance: float,
        show: Callable[[int, NDArray], None]
    ) -> float:
        """Steps until `until` are made, or it is at rest;
        the gradient relative to that of the variance."""
        inverse = np.zeros(_MEMORY)
        known = 0
        while True:
            wanted = min(self.piece, until - self.done)
            made, known, relative = _descend(
                self.Y, *self.graph, tension, stiffness, self.hinged, self.steps, self.turns,
                inverse, known, wanted, tolerance,
            )
            self.done += max(made, 1)
            show(self.done, self.Y)
            if made < wanted or self.done >= until:
                return relative


@njit(**_OPTIONS)
def _energy(
    Y: NDArray, i: NDArray, j: NDArray, square: NDArray, pairs: NDArray, weight: NDArray,
    tension: NDArray, stiffness: float, hinged: int, gradient: NDArray, misfit: NDArray,
) -> float:
    """-|Y|² + sum tension g + stiffness g² / 2, g = |y_i - y_j|² - d² (of the first `hinged`: where
    that pulls at all) of the edges, then |y_c - y_d|² - |y_a - y_b|² of the pairs (a, b, c, d)."""
    # One pass over the edges gives value, gradient and misfit. Force and counterforce are added to
    # both ends, so the sum of the gradient over the instances is that of -2 Y alone, 0 for centered
    # Y. Where an edge that may shorten is slack, the penalty is constant: the value at its kink, no
    # force.
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
        if e < hinged and pull < 0:
            value -= tension[e] * tension[e] / (2 * stiffness)
            continue
        value += tension[e] * g + 0.5 * stiffness * g * g
        for c in range(r):
            u = 2 * pull * (Y[a, c] - Y[b, c])
            gradient[a, c] += u
            gradient[b, c] -= u
    m = len(i)
    for e in range(len(pairs)):
        a, b, p, q = pairs[e]
        g = 0.0
        for c in range(r):
            g += (Y[p, c]
                  - Y[q, c]) * (Y[p, c] - Y[q, c]) - (Y[a, c] - Y[b, c]) * (Y[a, c] - Y[b, c])
        g *= weight[e]
        misfit[m + e] = g
        pull = tension[m + e] + stiffness * g
        value += tension[m + e] * g + 0.5 * stiffness * g * g
        for c in range(r):
            u, v = 2 * pull * weight[e] * (
                Y[p, c] - Y[q, c]
            ), 2 * pull * weight[e] * (Y[a, c] - Y[b, c])
            gradient[p, c] += u
            gradient[q, c] -= u
            gradient[a, c] -= v
            gradient[b, c] += v
    return value


@njit(**_OPTIONS)
def _slope(
    s: float, bend: float, linear: float, misfit: NDArray, first: NDArray, second: NDArray,
    tension: NDArray, stiffness: float, hinged: int,
) -> tuple[float, float]:
    """First and second derivative of the energy at length s along a direction;
    misfit + s first + s² second."""
    # Along a line each squared length is a quadratic in s, known from `_along`, so the energy is a
    # quartic and its derivatives cost m operations instead of m r, with no coordinate touched. That
    # makes an exact line search affordable.
    one, two = linear + s * bend, bend
    for e in range(len(misfit)):
        change = first[e] + 2 * s * second[e]
        pull = tension[e] + stiffness * (misfit[e] + s * first[e] + s * s * second[e])
        if pull > 0 or e >= hinged:
            one += pull * change
            two += stiffness * change * change + 2 * pull * second[e]
    return one, two


@njit(**_OPTIONS)
def _minimum(
    bend: float, linear: float, misfit: NDArray, first: NDArray, second: NDArray, tension: NDArray,
    stiffness: float, hinged: int,
) -> float:
    """The length of the step: Newton kept inside a bracket;
    0 where the direction does not descend."""
    steep = _slope(0.0, bend, linear, misfit, first, second, tension, stiffness, hinged)[0]
    if not steep < 0:
        return 0.0
    # Doubling until the slope turns brackets a minimum; from there Newton where its step stays
    # inside the bracket, else halving, so that it always ends. A slope of a thousandth of that at 0
    # is exact enough: L-BFGS gains nothing from more digits.
    low, high = 0.0, 1.0
    one, two = _slope(high, bend, linear, misfit, first, second, tension, stiffness, hinged)
    for _ in range(60):
        if not one < 0:
            break
        low, high = high, 2 * high
        one, two = _slope(high, bend, linear, misfit, first, second, tension, stiffness, hinged)
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
        one, two = _slope(s, bend, linear, misfit, first, second, tension, stiffness, hinged)
    return s


@njit(**_OPTIONS)
def _along(
    Y: NDArray, P: NDArray, i: NDArray, j: NDArray, pairs: NDArray, weight: NDArray, first: NDArray,
    second: NDArray
) -> tuple[float, float]:
    """How every misfit changes along P: first s + second s²; and <Y, P>, <P, P>."""
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
    m = len(i)
    for e in range(len(pairs)):
        a, b, v, w = pairs[e]
        one, two = 0.0, 0.0
        for c in range(r):
            p, q = P[v, c] - P[w, c], P[a, c] - P[b, c]
            one += (Y[v, c] - Y[w, c]) * p - (Y[a, c] - Y[b, c]) * q
            two += p * p - q * q
        first[m + e], second[m + e] = 2 * weight[e] * one, weight[e] * two
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
def _direction(
    gradient: NDArray, steps: NDArray, turns: NDArray, inverse: NDArray, known: int, P: NDArray
) -> None:
    """The L-BFGS direction from `known` remembered pairs into P; all flat."""
    # The two loops of Nocedal 1980: the inverse Hessian times the gradient from the last steps and
    # changes of gradient, O(memory n r) and no matrix. Between them a scale from the latest pair,
    # without which the first step along the direction would be off by orders of magnitude.
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
    """Take the column means out: rounding would grow along the constant,
    in which the variance has no hold."""
    n, r = P.shape
    for c in range(r):
        mean = 0.0
        for a in range(n):
            mean += P[a, c]
        for a in range(n):
            P[a, c] -= mean / n


@njit(**_OPTIONS)
def _descend(
    Y: NDArray, i: NDArray, j: NDArray, square: NDArray, pairs: NDArray, weight: NDArray,
    tension: NDArray,
    stiffness: float, hinged: int, steps: NDArray, turns: NDArray, inverse: NDArray, known: int,
    n_steps: int, tolerance: float,
) -> tuple[int, int, float]:
    """n_steps steps of L-BFGS from Y, in place: how many were made, pairs known,
    relative gradient."""
    gradient, after, P = np.empty(Y.shape), np.empty(Y.shape), np.empty(Y.shape)
    y, g, h, p = Y.ravel(), gradient.ravel(), after.ravel(), P.ravel()
    misfit, first, second = np.empty(len(tension)), np.empty(len(tension)), np.empty(len(tension))
    _energy(Y, i, j, square, pairs, weight, tension, stiffness, hinged, gradient, misfit)
    relative = 0.0
    for done in range(n_steps):
        relative = np.sqrt(_dot(g, g) / max(4 * _dot(y, y), 1e-300))
        if relative <= tolerance:
            return done, known, relative
        # A direction that does not descend comes of remembered pairs that no longer fit (another
        # side of a kink, or rounding): they are dropped and the plain gradient is tried. Where that
        # does not descend either, this is the minimum within rounding.
        _direction(g, steps, turns, inverse, known, p)
        _center(P)
        if not _dot(p, g) < 0:
            known = 0
            _direction(g, steps, turns, inverse, known, p)
        yp, pp = _along(Y, P, i, j, pairs, weight, first, second)
        length = _minimum(-2 * pp, -2 * yp, misfit, first, second, tension, stiffness, hinged)
        if length == 0.0:
            if known == 0:
                return done, known, relative
            known = 0
            continue
        _add(y, p, length)
        _energy(Y, i, j, square, pairs, weight, tension, stiffness, hinged, after, misfit)
        x = known % len(inverse)
        for a in range(len(g)):
            steps[x, a] = length * p[a]
            turns[x, a] = h[a] - g[a]
            g[a] = h[a]
        # A pair enters only where the gradient grew along the step: the remembered Hessian stays
        # positive definite, so the next direction descends. The energy is not convex, so the other
        # case does occur.
        turn = _dot(steps[x], turns[x])
        if turn > 0:
            inverse[x] = 1 / turn
            known += 1
    return n_steps, known, relative
