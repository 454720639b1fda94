"""The motions that actions are on the map of a run, for the window: which undo each other, what
would be seen next."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.embedding.unfolding.composed import Way, step_length, way_to
from emberscope.embedding.unfolding.operators import (
    Operator,
    inverse_pairs,
    next_rows,
    operators,
    preview,
)
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.findings.motions import Motion, Motions, Next, Planned
from emberscope.findings.track_model import TrackModel
from emberscope.findings.track_steps import TrackSteps

_MOST = 64  # actions


def motions(
    Z: NDArray, steps: TrackSteps, model: TrackModel | None = None, *, row: int | None = None,
    ends: tuple[int, int] | None = None,
) -> Motions:
    """What the actions of the tracks of a run are on its map Z (N, d), the 64 that were taken most
    often; what comes next from a row; and the way from one row to another.

    model : where there is one, motions and ways are found in its dimensions, and shown on the map.
    """
    model = TrackModel(Z, Z.shape[1]) if model is None else model
    places, shown = model.places, onto(Z, model.places)
    taken, found = known_motions(places, steps)
    pairs = [(pair.first, pair.second) for pair in inverse_pairs(places, taken, found)]
    follow = []
    for at, motion in enumerate(found):
        if row is not None and motion.count:
            best = int(next_rows(model.Z, taken, np.array([row]), at)[0])
            seen = preview(places, taken, motion, row, (at, best))
            follow.append(
                Next(motion.action, tuple(shown(seen.Z).tolist()), int(seen.row), float(seen.miss))
            )
    listed = [_described(places, taken, at, motion, shown)
              for at, motion in enumerate(found) if motion.count]
    way = None if ends is None else _planned(way_to(
        places, found, step_length(places, taken), ends), shown)
    return Motions(tuple(listed), tuple(pairs), tuple(follow), way)


def known_motions(Z: NDArray, steps: TrackSteps) -> tuple[Steps, tuple[Operator, ...]]:
    """The steps by known actions, and the motions of these on a map Z (N, d), or in more
    dimensions, the 64 that were taken most often."""
    steps = _most_taken(steps)
    known = steps.action >= 0
    taken = Steps(steps.before[known], steps.after[known], steps.action[known])
    return taken, operators(Z, taken, steps.names)


Shown = Callable[[NDArray], NDArray[np.float64]]


def onto(Z: NDArray, places: NDArray) -> Shown:
    """What leads from places (N, m) to the map Z (N, d) that shows them: its first dimensions, or
    these turned or moved since; the nearest affine map."""
    ones = np.ones((len(Z), 1))
    affine = np.linalg.lstsq(np.hstack([places, ones]).astype(np.float64), Z.astype(np.float64),
                             rcond=None)[0]
    return lambda there: np.asarray(there @ affine[:-1] + affine[-1])


def _planned(way: Way | None, shown: Shown) -> Planned:
    if way is None:
        return Planned((), (), -1, np.inf)
    along = shown(way.places)
    return Planned(way.actions, tuple(map(tuple, along.tolist())), way.row, way.miss)


def _most_taken(steps: TrackSteps) -> TrackSteps:
    """The same steps, those by rarer actions as not known: actions are compared pair by pair."""
    if len(steps.names) <= _MOST:
        return steps
    counts = np.bincount(steps.action[steps.action >= 0], minlength=len(steps.names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST])
    number = np.full(len(steps.names) + 1, -1)  # the last one stays what it is: not known
    number[kept] = np.arange(_MOST)
    return replace(steps, action=number[steps.action], names=tuple(steps.names[k] for k in kept))


def _described(
    Z: NDArray, steps: Steps, at: int, motion: Operator, shown: Shown
) -> Motion:
    middle = Z[steps.before[steps.action == at]].astype(np.float64).mean(axis=0)
    mirrors = bool(np.linalg.det(motion.turn) < 0)
    turns = len(motion.angles) > 0 and not mirrors
    sign = -1.0 if Z.shape[1] > 1 and motion.turn[0, 1] < 0 else 1.0
    return Motion(
        motion.action,
        int(motion.count),
        float(motion.residual),
        sign * float(motion.angles[0]) if turns else 0.0,
        np.inf if mirrors else float(motion.period),
        mirrors,
        tuple((shown(motion(middle)) - shown(middle)).tolist()),
    )
