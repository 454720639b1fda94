"""Actions of a track from what is recorded with it: angles of a platform, or the motion of the
scenery."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.frames.motion import Reader, shifts
from emberscope.labels.model import Id
from emberscope.labels.side_info import Actions

STAY = "stay"
_OFF = 0.25       # of a step; a change farther from a whole number of steps has no name
_WAYS = (("down", "up"), ("right", "left"))  # where the scenery goes, in rows and columns


def actions_of_values(
    values: ArrayLike, instances: Sequence[Id], *, id: Id, name: str = "azimuth", unit: str = "°",
    step: float | None = None, turn: float | None = None,
) -> Actions:
    """Actions of a track along which a number was recorded: "azimuth +5°", "stay", or "" if
    unknown.

    Parameters
    ----------
    values : (T,) of each instance, NaN where it was not recorded. instances : (T,) their ids. id :
    of the record.
    step : the change that counts as one; default the median of those that are not 0. turn : after
        so much the value is the same again, 360 for an azimuth.

    Raises DataError where numbers and instances do not fit, or there is no change to take for a
    step.
    """
    numbers = np.asarray(values, np.float64)
    _check(
        numbers.shape == (len(instances),), f"{numbers.size} values for {len(instances)} instances"
    )
    change = np.diff(numbers)
    if turn is not None:
        change = (change + turn / 2) % turn - turn / 2
    size = _step(np.abs(change), step)
    counts = _whole(change / size)
    names = [_of_value(count * size, name, unit) if np.isfinite(count) else "" for count in counts]
    return Actions(id=id, origin="imported", instances=tuple(instances), actions=tuple(names))


def actions_of_motion(
    read: Reader,
    frames: Sequence[int],
    instances: Sequence[Id],
    *,
    id: Id,
    step: float | None = None,
) -> Actions:
    """Actions of a track from how its scenery moves: "2 right 1 down" of a step, "stay", or ""
    where it is not clear.

    Parameters
    ----------
    read : frame number -> (rows, cols) counts. frames : (T,), of each instance. instances : (T,)
    ids. id : of the
        record. step : px that count as one; default the median length of the shifts that are not 0.

    A camera that pans right moves the scenery left. Deterministic; see `motion.shifts`. Raises
    DataError where frames and instances do not fit, or nothing moves.
    """
    _check(len(frames) == len(instances), f"{len(frames)} frames for {len(instances)} instances")
    moved = shifts(read, frames)
    counts = _whole(moved / _step(np.linalg.norm(moved, axis=1), step))
    return Actions(
        id=id, origin="imported", instances=tuple(instances), actions=tuple(map(_of_shift, counts))
    )


def _check(fits: bool, problem: str) -> None:
    if not fits:
        raise DataError(problem, hint="Give one of each, in the order of the track.")


def _step(changes: NDArray, step: float | None) -> float:
    if step is not None and not step > 0:
        raise DataError(
            f"a step of {step} is none", hint="Give a step above 0, or none to have it found."
        )
    moved = changes[np.isfinite(changes) & (changes > 0)]
    if step is None and not len(moved):
        raise DataError(
            "nothing changes along the track",
            hint="Give another track, or name the actions by hand.",
        )
    return float(np.median(moved)) if step is None else step


def _whole(steps: NDArray) -> NDArray:
    """Steps rounded to whole ones, NaN where they are not near one."""
    counts = np.round(steps)
    return np.asarray(np.where(np.abs(steps - counts) <= _OFF, counts, np.nan))


def _of_value(change: float, name: str, unit: str) -> str:
    return f"{name} {change:+.4g}{unit}" if change else STAY


def _of_shift(counts: NDArray) -> str:
    if not np.isfinite(counts).all():
        return ""
    parts = [
        f"{abs(count):.0f} {ways[int(count < 0)]}" for count, ways in zip(counts, _WAYS) if count
    ]
    return " ".join(reversed(parts)) or STAY
