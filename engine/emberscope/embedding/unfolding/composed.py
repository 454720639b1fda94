"""Motions made of motions: several actions in turn, and the way back."""

from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.embedding.unfolding.operators import Operator, plan
from emberscope.embedding.unfolding.tracks import Steps


def composed(motions: Several[Operator], names: Several[str]) -> Operator:
    """The one motion that several actions are in turn, the first one first; without any nothing
    moves.

    Its residual is that of steps which miss by chance, each on its own: the root of the sum of
    squares of (residual of each, as a length of its shift). Raises DataError for a name that no
    motion has, or that was never taken. O(n d³).
    """
    known = {motion.action: motion for motion in motions if motion.count}
    if missing := [name for name in names if name not in known]:
        raise DataError(f"there is no action {missing[0]!r}", hint=f"Choose {', '.join(known)}.")
    d = len(motions[0].shift)
    turn, shift, off, way = np.eye(d), np.zeros(d), 0.0, 0.0
    for motion in (known[name] for name in names):
        turn, shift = turn @ motion.turn, shift @ motion.turn + motion.shift
        length = float(np.linalg.norm(motion.shift)) or 1.0
        off, way = off + (np.nan_to_num(motion.residual) * length) ** 2, way + length
    count = min((known[name].count for name in names), default=1)
    return Operator(", ".join(names), turn, shift, count, float(np.sqrt(off) / way) if way else 0.0)


def undone(motion: Operator) -> Operator:
    """The motion that leads back: z turn + shift = w exactly where (w - shift) turn' = z."""
    back = motion.turn.T
    return Operator(f"back from {motion.action}", back, -motion.shift @ back, motion.count,
                    motion.residual)


@dataclass(frozen=True, slots=True)
class Way:
    """A plan. actions : in turn. places : (n + 1, d) from the start to where they lead. row : the
    instance nearest to where they lead. miss : how far that place is from the goal, in steps (the
    median length of those that were taken)."""

    actions: tuple[str, ...]
    places: NDArray[np.float64]
    row: int
    miss: float


def step_length(Z: NDArray, steps: Steps) -> float:
    """Median length of the steps that move at all, on the map Z (N, d); 1 where none does."""
    length = np.linalg.norm(Z[steps.after].astype(np.float64) - Z[steps.before], axis=1)
    return float(np.median(length[length > 0])) if (length > 0).any() else 1.0


def way_to(
    Z: NDArray, motions: Several[Operator], step: float, ends: tuple[int, int], *, most: int = 60
) -> Way | None:
    """The fewest actions from one row to within half a step of another, see `plan`; None where
    `most` do not lead there.

    Z : (N, d). step : median length of a step. ends : rows, from and to. Raises DataError for a row
    that is not there.
    """
    if not all(0 <= row < len(Z) for row in ends):
        raise DataError(f"there is no way from row {ends[0]} to row {ends[1]} of {len(Z)}",
                        hint="Count rows from 0.")
    places = Z.astype(np.float64)
    start, goal = places[ends[0]], places[ends[1]]
    found = plan(motions, start, goal, tolerance=0.5 * step, most=most)
    if found is None:
        return None
    known = {motion.action: motion for motion in motions}
    along = [start]
    for name in found:
        along.append(known[name](along[-1]))
    row = int(np.linalg.norm(places - along[-1], axis=1).argmin())
    return Way(found, np.array(along), row, float(np.linalg.norm(along[-1] - goal) / step))
