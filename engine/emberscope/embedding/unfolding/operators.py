"""Actions as motions of an embedding: fitted, compared, and used to say what comes next."""

from collections.abc import Callable
from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from emberscope.base.errors import ParamError
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.embedding.unfolding.tracks import Steps

_CLEARLY = 0.5    # of the residual of a turn: below, a mirror image is taken
_RIDGE = 1e-6     # of the spread: what steps do not decide stays unturned
_STILL = 1.0      # degrees; less is no turn
# |R_a R_b - I| per dimension, and the way that is left as a share of a step: below, it is undone
_TURN_LEFT = 0.1
_WAY_LEFT = 0.25
_CHUNK = 1 << 22  # distances at a time
_PLACES = 20_000  # that planning looks at


@dataclass(frozen=True, slots=True)
class Operator:
    """The motion z -> z turn + shift that one action is.

    action : its name. turn : (d, d), orthogonal. shift : (d,). count : steps it was fitted to.
    residual : rms distance from where it leads to where the steps did, as a share of the rms length
    of a step.
    """

    action: str
    turn: NDArray[np.float64]
    shift: NDArray[np.float64]
    count: int
    residual: float

    def __call__(self, Z: NDArray) -> NDArray[np.float64]:
        """Where it leads from Z (..., d)."""
        return np.asarray(Z @ self.turn + self.shift)

    @property
    def angles(self) -> NDArray[np.float64]:
        """The angles, degrees, descending, by which it turns in its planes;
        180 for a reflection; empty for a shift."""
        angles = np.rad2deg(np.angle(np.linalg.eigvals(self.turn)))
        return np.sort(angles[angles > _STILL])[::-1]

    @property
    def period(self) -> float:
        """Steps until it is back, of the largest angle; inf for a shift."""
        return float(360 / self.angles[0]) if len(self.angles) else np.inf


@dataclass(frozen=True, slots=True)
class Inverse:
    """`second` undoes `first`. turn : |R_a R_b - I| per dimension.
    way : rms way that is left, as a share of a step."""

    first: str
    second: str
    turn: float
    way: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What an action would show. Z : (d,) where it leads. row : the instance that fits best. rows,
    weights : (k,) instances near Z and their shares, >= 0 and of sum 1, of which their chips can be
    mixed. miss : how far from Z `row` lies, as a share of the rms length of the action's steps."""

    Z: NDArray[np.float64]
    row: int
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]
    miss: float


def operators(
    Z: NDArray, steps: Steps, names: Several[str], *, reflections: bool | None = None
) -> tuple[Operator, ...]:
    """The orthogonal map and shift nearest to the steps of each action (Procrustes).

    Parameters
    ----------
    Z : (N, d). steps : of its rows. names : of the actions. reflections : whether a motion may be a
        mirror image; None: where that leads at least twice as near as any turn, as on tracks that
        unfold into a zigzag.

    Notes
    -----
    Schönemann 1966; as operators of ARE in Wilkinson, Bowling and Ghodsi 2005. With fewer different
    steps than d + 1 a turn is not determined: such an action is a shift, and one never taken stays
    where it is.
    """
    return tuple(_nearer(Z, steps, action, name) if reflections is None else
                 _operator(Z, steps, action, name, reflections)
                 for action, name in enumerate(names))


def _nearer(Z: NDArray, steps: Steps, action: int, name: str) -> Operator:
    turned, any_way = (_operator(Z, steps, action, name, reflections)
                       for reflections in (False, True))
    return any_way if any_way.residual < _CLEARLY * turned.residual else turned


def _operator(Z: NDArray, steps: Steps, action: int, name: str, reflections: bool) -> Operator:
    at = steps.action == action
    before, after = (Z[rows[at]].astype(np.float64) for rows in (steps.before, steps.after))
    d = Z.shape[1]
    if not len(before):
        return Operator(name, np.eye(d), np.zeros(d), 0, np.nan)
    turn = np.eye(d)
    if len(np.unique(before, axis=0)) > d:
        turn = _nearest_turn(before - before.mean(axis=0), after - after.mean(axis=0), reflections)
    shift = after.mean(axis=0) - before.mean(axis=0) @ turn
    missed = np.sqrt(np.square(before @ turn + shift - after).sum(axis=1).mean())
    length = np.sqrt(np.square(after - before).sum(axis=1).mean())
    return Operator(name, turn, shift, len(before), float(missed / length) if length > 0 else 0.0)


def _nearest_turn(before: NDArray, after: NDArray, reflections: bool) -> NDArray[np.float64]:
    # Steps along a line say nothing of the directions across it, and rounding there would turn the
    # rest of the map upside down. A little of the identity decides for no turn.
    cross = before.T @ after
    cross = cross + _RIDGE * np.trace(before.T @ before) * np.eye(len(cross))
    U, _, V = np.linalg.svd(cross)
    if not reflections and np.linalg.det(U @ V) < 0:
        U[:, -1] *= -1
    return np.asarray(U @ V)


def inverse_pairs(Z: NDArray, steps: Steps, motions: Several[Operator]) -> tuple[Inverse, ...]:
    """Pairs of actions of which each undoes the other, best first.

    The second, after the first from every row where the first was taken, must lead back to within a
    quarter of a step, and their turns must cancel to 0.1 per dimension (rms).
    """
    found = []
    for a, first in enumerate(motions):
        starts = Z[steps.before[steps.action == a]].astype(np.float64)
        for second in motions[a + 1 :]:
            if not first.count or not second.count:
                continue
            length = np.sqrt(np.square(first(starts) - starts).sum(axis=1).mean())
            left = np.sqrt(np.square(second(first(starts)) - starts).sum(axis=1).mean())
            turn = float(np.linalg.norm(first.turn @ second.turn - np.eye(Z.shape[1]))
                         / np.sqrt(Z.shape[1]))
            if length > 0 and turn <= _TURN_LEFT and left <= _WAY_LEFT * length:
                found.append(Inverse(first.action, second.action, turn, float(left / length)))
    return tuple(sorted(found, key=lambda pair: pair.way + pair.turn))


def next_rows(Z: NDArray, steps: Steps, rows: NDArray[np.int64], action: int) -> NDArray[np.int64]:
    """Find the row that fits best where an action leads from each of rows (M,);
    -1 where it was never taken.

    Ghodsi 2005, (4.6) as argmin: the target must be as far from where the action led as the row is
    from where it was taken. Ties go to the first row. O(M N m) for m steps by the action.
    """
    at = steps.action == action
    if not at.any():
        return np.full(len(rows), -1, np.int64)
    wanted = cdist(Z[rows], Z[steps.before[at]])
    there = cdist(Z, Z[steps.after[at]])
    # sum (w - t)² = |w|² - 2 w·t + |t|²: one product of matrices. It loses half the digits of an
    # exact fit, which a second look at the best few brings back.
    found = np.empty(len(rows), np.int64)
    size = max(1, _CHUNK // len(Z))
    for part in (slice(i, i + size) for i in range(0, len(rows), size)):
        miss = np.square(there).sum(axis=1) - 2 * wanted[part] @ there.T
        few = np.sort(np.argsort(miss, axis=1, kind="stable")[:, :8], axis=1)
        exact = np.square(there[few] - wanted[part, None]).sum(axis=2)
        found[part] = few[np.arange(len(few)), exact.argmin(axis=1)]
    return found


def preview(
    Z: NDArray, steps: Steps, motion: Operator, row: int, expected: tuple[int, int]
) -> Preview:
    """What an action would show from a row: the motion's target, the row that fits,
    and a mix of rows near it. expected : the action's number, and the row that `next_rows` says."""
    target = motion(Z[row])
    near = reconstruct(np.ascontiguousarray(Z, np.float64), Z, target[None], rule="convex")
    kept = near.weights[0] > 0
    action, best = expected
    at = steps.action == action
    length = float(
        np.sqrt(np.square(Z[steps.after[at]] - Z[steps.before[at]]).sum(axis=1).mean())
    ) if at.any() else 0.0
    off = float(np.linalg.norm(Z[best] - target)) if best >= 0 else np.nan
    miss = off / length if length > 0 else off
    return Preview(target, best, near.idx[0][kept].astype(np.int64), near.weights[0][kept], miss)


def answered(
    steps: Steps, places: NDArray[np.int64], result: NDArray[np.int64],
    follow: Callable[[NDArray[np.int64], int], NDArray[np.int64]],
) -> float:
    """Share of the questions "which row follows from this one by this action" that are answered
    right.

    Parameters
    ----------
    places : (N,) the place each row shows; rows of one place are equally right. result : (N, A) the
        place each action leads to, -1 where no row shows it: not asked, and neither is a step that
        was taken.
    follow : the rows (M,) that an action leads to from rows (M,), -1 where it is not known;
        for instance `next_rows`.

    NaN where nothing is asked. Ghodsi 2005, table 4.2.
    """
    right, asked = 0, 0
    for action in range(result.shape[1]):
        rows = np.flatnonzero(result[:, action] >= 0)
        rows = np.setdiff1d(rows, steps.before[steps.action == action])
        found = follow(rows, action)
        right += int(((found >= 0) & (places[found] == result[rows, action])).sum())
        asked += len(rows)
    return right / asked if asked else np.nan


def plan(
    motions: Several[Operator], start: NDArray, goal: NDArray, *, tolerance: float, most: int = 60
) -> tuple[str, ...] | None:
    """The fewest actions that lead from one place to another, as near as `tolerance`;
    None where `most` do not.

    Parameters
    ----------
    motions : of the actions; one that was never taken is left out.
        start, goal : (d,) places of the embedding.

    Notes
    -----
    Breadth first over the places that can be reached: of those nearer to each other than half the
    tolerance only the first is followed, which is what makes 60 actions possible where deepening
    would try 4^60. Of plans of equal length the one whose actions come first is taken. Planning
    with ARE: Wilkinson, Bowling and Ghodsi 2005. Raises ParamError for a tolerance that is not
    above 0. At most 20 000 places.
    """
    if not tolerance > 0:
        raise ParamError(f"the tolerance is {tolerance}",
                         hint="Give one above 0, for instance half a step.")
    cell = 0.5 * tolerance
    taken = [motion for motion in motions if motion.count]
    reached: list[tuple[NDArray, tuple[str, ...]]] = [(np.asarray(start, np.float64), ())]
    seen = {tuple(np.round(reached[0][0] / cell).tolist())}
    for place, actions in reached:
        if np.linalg.norm(place - goal) <= tolerance:
            return actions
        if len(actions) == most or len(reached) > _PLACES:
            continue
        for motion in taken:
            there = motion(place)
            if (key := tuple(np.round(there / cell).tolist())) not in seen:
                seen.add(key)
                reached.append((there, (*actions, motion.action)))
    return None
