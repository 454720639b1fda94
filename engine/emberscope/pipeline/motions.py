"""The motions that actions are on the map of a run, for the window: which undo each other, what
would be seen next."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope.embedding.unfolding.composed import step_length, way_to
from emberscope.embedding.unfolding.operators import Operator, inverse_pairs, operators, preview
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.findings.motions import Motion, Motions, Next, Planned
from emberscope.findings.track_steps import TrackSteps

_MOST = 64  # actions


def motions(
    Z: NDArray, steps: TrackSteps, *, row: int | None = None, ends: tuple[int, int] | None = None
) -> Motions:
    """What the actions of the tracks of a run are on its map Z (N, d), the 64 that were taken most
    often; what comes next from a row; and the way from one row to another."""
    taken, found = known_motions(Z, steps)
    pairs = [(pair.first, pair.second) for pair in inverse_pairs(Z, taken, found)]
    follow = []
    for at, motion in enumerate(found):
        if row is not None and motion.count:
            seen = preview(Z, taken, motion, row, at)
            follow.append(
                Next(motion.action, tuple(seen.Z.tolist()), int(seen.row), float(seen.miss))
            )
    listed = [_described(Z, taken, at, motion) for at, motion in enumerate(found) if motion.count]
    way = None if ends is None else _planned(Z, taken, found, ends)
    return Motions(tuple(listed), tuple(pairs), tuple(follow), way)


def known_motions(Z: NDArray, steps: TrackSteps) -> tuple[Steps, tuple[Operator, ...]]:
    """The steps by known actions, and the motions of these on a map Z (N, d), the 64 that were
    taken most often."""
    steps = _most_taken(steps)
    known = steps.action >= 0
    taken = Steps(steps.before[known], steps.after[known], steps.action[known])
    return taken, operators(Z, taken, steps.names)


def _planned(
    Z: NDArray, steps: Steps, found: tuple[Operator, ...], ends: tuple[int, int]
) -> Planned:
    way = way_to(Z, found, step_length(Z, steps), ends)
    if way is None:
        return Planned((), (), -1, np.inf)
    return Planned(way.actions, tuple(map(tuple, way.places.tolist())), way.row, way.miss)


def _most_taken(steps: TrackSteps) -> TrackSteps:
    """The same steps, those by rarer actions as not known: actions are compared pair by pair."""
    if len(steps.names) <= _MOST:
        return steps
    counts = np.bincount(steps.action[steps.action >= 0], minlength=len(steps.names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST])
    number = np.full(len(steps.names) + 1, -1)  # the last one stays what it is: not known
    number[kept] = np.arange(_MOST)
    return replace(steps, action=number[steps.action], names=tuple(steps.names[k] for k in kept))


def _described(Z: NDArray, steps: Steps, at: int, motion: Operator) -> Motion:
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
        tuple((motion(middle) - middle).tolist()),
    )
