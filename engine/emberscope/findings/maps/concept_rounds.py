"""The search for target concepts as plots: its objective after every round, and where concepts
went on the map."""

import numpy as np

from emberscope.base.grouping import how_many
from emberscope.findings.maps.strip import nice
from emberscope.findings.plot import Axis, Curve, Dots, Mark, Note, Plot, axis_words
from emberscope.project.model.project import Run

OBJECTIVE, PATHS = "concept-objective", "concept-paths"  # as the command line calls them
_ROOM = 0.08  # of the span of the paths, left free around them
_DASH = (3.0, 3.0)


def objective_plot(run: Run) -> Plot | None:
    """What the search lowers, over its rounds; None of a run that keeps no such numbers."""
    values = np.asarray(run.state.get("objectives_", ()), np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        return None
    rounds, top = np.arange(1, len(values) + 1, dtype=float), max(float(values.max()), 1e-12)
    ends = (1.0, float(max(len(values), 2)))
    words = tuple(f"round {int(at)}: {value:.4g}" for at, value in zip(rounds, values, strict=True))
    return Plot(
        "Objective per round",
        Axis(*ends, _whole(*ends), "Round", grid=False),
        Axis(0.0, 1.05 * top, tuple((at, axis_words(at)) for at in nice(0.0, top)), "Objective"),
        (Curve(rounds, values, base=0.0, readings=words),),
        spoken=f"Objective of the search for concepts: {values[0]:.4g} after the first round, "
               f"{values[-1]:.4g} after the last of {len(values)}",
    )  # fmt: skip


def paths_plot(run: Run) -> Plot | None:
    """Where the center of every concept lay on the first two axes of the map, from its start to the
    last round: a ring and its number at the end, dashed where it was left out. None of a run that
    keeps no paths."""
    paths = np.asarray(run.state.get("paths_", ()), np.float64)
    if paths.ndim != 3 or paths.shape[2] < 2 or not paths.size or not np.isfinite(paths).all():
        return None
    kept = len(np.asarray(run.state.get("coverage_", ())))
    low, high = paths[..., :2].min(axis=(0, 1)), paths[..., :2].max(axis=(0, 1))
    room = _ROOM * np.maximum(high - low, 1e-9)
    across, up = (_axis(float(low[j] - room[j]), float(high[j] + room[j]), j) for j in (0, 1))
    marks: list[Mark] = []
    for k in range(paths.shape[1]):
        x, y = paths[:, k, 0], paths[:, k, 1]
        if k >= kept:
            marks.insert(0, Curve(x, y, color="edge", dash=_DASH))
            continue
        words = tuple(f"concept {k + 1}, {'start' if at == 0 else f'round {at}'}"
                      for at in range(len(x)))
        # The number stands where its own path does not come from
        above = len(y) < 2 or bool(y[-1] >= y[-2])
        marks += [Curve(x, y, readings=words), Dots(x[[0, -1]], y[[0, -1]], now=1),
                  Note((float(x[-1]), float(y[-1])), str(k + 1), above=above)]
    out = paths.shape[1] - kept
    rounds = how_many(len(paths) - 1, "round")
    spoken = f"Paths of {how_many(kept, 'concept')} on the map over {rounds}"
    return Plot("Paths of concepts on the map", across, up, tuple(marks),
                spoken=spoken + (f", and of {out} that were left out" if out else ""))


def _axis(low: float, high: float, number: int) -> Axis:
    ticks = tuple((value, axis_words(value)) for value in nice(low, high))
    return Axis(low, high, ticks, f"Axis {number + 1}", grid=False)


def _whole(low: float, high: float) -> tuple[tuple[float, str], ...]:
    return tuple((value, axis_words(value)) for value in nice(low, high) if value == int(value))
