"""What the fit of a run lowered or raised, step by step, as a plot."""

import numpy as np

from emberscope.base.grouping import how_many
from emberscope.findings.maps.strip import nice
from emberscope.findings.plot import Axis, Curve, Mark, Note, Plot, Rule, axis_words
from emberscope.project.model.project import Run

FIT_OBJECTIVE = "fit-objective"  # as the command line calls it
_WORD = 0.2  # of the width is what a word takes: shorter stages have none
_ROOM = 0.06  # of the span of the values, left free above and below


def fit_plot(run: Run) -> Plot | None:
    """The objective of the method after every step; None of a run that keeps no such numbers.

    Where the objective itself changed on the way (`stage_`), a line stands at each change, and the
    curve begins anew: values of two stages do not compare.
    """
    values = np.asarray(run.state.get("history_", ()))
    if values.ndim != 1 or values.dtype.kind != "f" or len(values) < 2:  # else no steps, or others
        return None
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        return None
    stage = np.asarray(run.state.get("stage_", ()))
    if stage.shape != values.shape:
        stage = np.zeros(len(values), np.int64)
    steps = np.arange(len(values), dtype=float)
    y, x = _values_axis(values), _steps_axis(len(values))
    ends = np.flatnonzero(np.diff(stage)) + 1
    marks: list[Mark] = []
    for end in ends.tolist():
        marks.append(Rule((end - 0.5, y.low), (end - 0.5, y.high)))
    for number, part in enumerate(np.split(np.arange(len(values)), ends)):
        words = tuple(f"step {at}: {values[at]:.6g}" for at in part.tolist())
        marks.append(Curve(steps[part], values[part], readings=words))
        if len(ends) and len(part) > _WORD * len(values):
            marks.append(Note((float(steps[part[0]]), y.high), f"stage {number + 1}", above=False))
    stages = f", in {how_many(len(ends) + 1, 'stage')}" if len(ends) else ""
    return Plot(
        "Objective of the fit", x, y, tuple(marks),
        spoken=f"Objective of the fit: {values[0]:.4g} at the start, {values[-1]:.4g} after "
               f"{how_many(len(values) - 1, 'step')}{stages}",
    )  # fmt: skip


def _values_axis(values: np.ndarray) -> Axis:
    low, high = float(values.min()), float(values.max())
    room = _ROOM * max(high - low, 1e-6 * max(abs(high), 1e-12))
    ticks = tuple((at, axis_words(at)) for at in nice(low - room, high + room, 4))
    return Axis(low - room, high + room, ticks)


def _steps_axis(count: int) -> Axis:
    ticks = tuple((at, axis_words(at)) for at in nice(0.0, count - 1.0) if at == int(at))
    return Axis(0.0, count - 1.0, ticks, "Step", grid=False)
