"""The motions that actions are on the map of a run, for the window: which undo each other, what would be seen next."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.embedding.unfolding.operators import Operator, inverse_pairs, operators, preview
from emberscope.embedding.unfolding.tracks import Steps
from emberscope.findings.track_steps import TrackSteps

_MOST = 64  # actions


def motions(Z: NDArray, steps: TrackSteps, *, row: int | None = None) -> dict[str, Any]:
    """What the actions of the tracks of a run are on its map Z (N, d), the 64 that were taken most often.

    Returns
    -------
    actions : of each that was taken: name, count, residual (a share of a step), degrees it turns by (0 for a shift,
        counterclockwise on the first two axes), period in steps (inf for a shift), way (d,) from the middle of where
        it was taken to where it led, and whether it mirrors: taken where no turn comes half as near.
    inverses : pairs (first, second) of which the second undoes the first, best first.
    next : of each action, from `row`: name, Z (d,), row (-1 where nothing fits) and miss (see `operators.Preview`);
        empty without a row.
    """
    steps = _most_taken(steps)
    known = steps.action >= 0
    taken = Steps(steps.before[known], steps.after[known], steps.action[known])
    found = operators(Z, taken, steps.names)
    pairs = [(pair.first, pair.second) for pair in inverse_pairs(Z, taken, found)]
    follow = []
    for at, motion in enumerate(found):
        if row is not None and motion.count:
            seen = preview(Z, taken, motion, row, at)
            follow.append({"name": motion.action, "Z": seen.Z.tolist(), "row": int(seen.row), "miss": seen.miss})
    listed = [_described(Z, taken, at, motion) for at, motion in enumerate(found) if motion.count]
    return {"actions": listed, "inverses": pairs, "next": follow}


def _most_taken(steps: TrackSteps) -> TrackSteps:
    """The same steps, those by rarer actions as not known: actions are compared pair by pair."""
    if len(steps.names) <= _MOST:
        return steps
    counts = np.bincount(steps.action[steps.action >= 0], minlength=len(steps.names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST])
    number = np.full(len(steps.names) + 1, -1)  # the last one stays what it is: not known
    number[kept] = np.arange(_MOST)
    return replace(steps, action=number[steps.action], names=tuple(steps.names[k] for k in kept))


def motions_task(arguments: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Arguments: "Z" (N, d), "steps" (a TrackSteps as a dict), "row" (int or None). Returns `motions`."""
    monitor.step(0.0, "Actions")
    return motions(np.asarray(arguments["Z"]), TrackSteps(**arguments["steps"]), row=arguments["row"])


def _described(Z: NDArray, steps: Steps, at: int, motion: Operator) -> dict[str, Any]:
    middle = Z[steps.before[steps.action == at]].astype(np.float64).mean(axis=0)
    mirrors = bool(np.linalg.det(motion.turn) < 0)
    turns = len(motion.angles) > 0 and not mirrors
    sign = -1.0 if Z.shape[1] > 1 and motion.turn[0, 1] < 0 else 1.0
    return {"name": motion.action, "count": motion.count, "residual": motion.residual,
            "degrees": sign * float(motion.angles[0]) if turns else 0.0, "period": np.inf if mirrors else motion.period,
            "mirrors": mirrors, "way": (motion(middle) - middle).tolist()}
