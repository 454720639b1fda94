"""Curves of judged runs as plots: ROC, precision, false alarms per frame, neighbors kept."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from emberscope.base.grouping import score_text
from emberscope.findings.judged.levels import AtThreshold, Estimate, Level
from emberscope.findings.plot import (
    Axis,
    Callout,
    Curve,
    Legend,
    LineKey,
    Mark,
    Plot,
    Ribbon,
    Rule,
    log_axis,
)
from emberscope.project.model.project import Run

_SHARES = tuple((at, f"{at:g}") for at in (0.0, 0.25, 0.5, 0.75, 1.0))
# of the strokes of runs in a row: whole, then different ones, for whoever sees no color
DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (2.0, 2.0), (6.0, 2.0, 1.5, 2.0))
COLORS = ("class 1", "class 2", "class 4", "class 3")
FOUND, PRECISION = "found", "precision"
_ALARMS = (0.01, 30.0)  # per frame, that are drawn


class Shown(NamedTuple):
    """A level of a run among those side by side. place : of its color, from 0."""

    run: int
    place: int
    level: Level


def judged_plot(
    shown: Sequence[Shown], kind: str, active: int, at: AtThreshold | None
) -> Plot | None:
    """The curves of runs at one level: a band around that of the run `active`, and a dot at its
    threshold. kind : FOUND or PRECISION. None where no run has any."""
    there = [one for one in shown if not one.level.why_not]
    if not there:
        return None
    level = there[0].level
    x, y = _axes(level, kind)
    marks: list[Mark] = (
        [Rule((0.0, 0.0), (1.0, 1.0))] if kind == FOUND and not level.per_frame else []
    )
    first = sorted(there, key=lambda one: one.run == active)  # that of the active run on top
    for one in first:
        band = one.level.found if kind == FOUND else one.level.precision
        color = COLORS[one.place]
        inside = (band.x >= x.low) & (band.x <= x.high)
        if one.run == active:
            marks.append(Ribbon(band.x[inside], band.low[inside], band.high[inside], color))
        marks.append(Curve(band.x[inside], band.y[inside], color=color, dash=DASHES[one.place]))
    keys = tuple(_key(one, kind) for one in reversed(first))
    marks.append(Legend(keys, heading=("Run", _number_title(level, kind))))
    own = next((one.level for one in there if one.run == active), None)
    if own is not None and at is not None:
        marks.append(_dot(own, kind, at, x))
    spoken = ", ".join(
        f"run {one.run} {_number(one.level, kind)[0]:.2f}" for one in reversed(first)
    )
    title = f"{title_of(level, kind)} of {level.name}s"
    return Plot(title, x, y, tuple(marks), spoken=f"{title}: {spoken}")


def title_of(level: Level, kind: str) -> str:
    """"ROC", "Precision", "False alarms"."""
    if kind == PRECISION:
        return "Precision"
    return "False alarms" if level.per_frame else "ROC"


def _axes(level: Level, kind: str) -> tuple[Axis, Axis]:
    found = "Targets found" if level.per_frame else "True positive rate"
    if kind == PRECISION:
        return Axis(0.0, 1.0, _SHARES, found, grid=False), Axis(0.0, 1.0, _SHARES, "Precision")
    if level.per_frame:
        ticks = tuple((at, f"{at:g}") for at in (0.01, 0.1, 1.0, 10.0))
        across = Axis(*_ALARMS, ticks, "False alarms per frame", log=True)
        return across, Axis(0.0, 1.0, _SHARES, found)
    return Axis(0.0, 1.0, _SHARES, "False positive rate", grid=False), Axis(
        0.0, 1.0, _SHARES, found
    )


def _number_title(level: Level, kind: str) -> str:
    """What the numbers of a legend are."""
    if kind == PRECISION:
        return "Average precision"
    return "Found, mean up to 1 false" if level.per_frame else "AUC, 95 % interval"


def _number(level: Level, kind: str) -> tuple[float, Estimate]:
    """What a legend says of a curve."""
    area = level.partial if level.per_frame else level.area
    found = level.average_precision if kind == PRECISION else area
    return found.value, found


def _key(one: Shown, kind: str) -> LineKey:
    value, found = _number(one.level, kind)
    return LineKey(COLORS[one.place], DASHES[one.place], f"{one.run}", f"{value:.2f}",
                   f"{found.low:.2f} \u2013 {found.high:.2f}")


def _dot(level: Level, kind: str, at: AtThreshold, x: Axis) -> Callout:
    """On the curve where the threshold is."""
    if level.per_frame:
        words = f"{100 * at.found.value:.0f} % found, {at.false:.2g} false per frame"
    else:
        words = f"{100 * at.found.value:.0f} % found, {100 * at.false:.0f} % false"
    if kind == PRECISION:
        place = float(at.found.value), _precision(level, float(at.found.value))
    else:
        place = min(max(at.false, x.low), x.high), float(at.found.value)
    return Callout(place, f"Threshold {score_text(at.threshold)}", words, plate=(0.3, 0.66))


def _precision(level: Level, found: float) -> float:
    known = np.isfinite(level.precision.y)
    if not known.any():
        return 0.0
    return float(np.interp(found, level.precision.x[known], level.precision.y[known]))


def kept_plot(runs: Sequence[tuple[Run, int]]) -> Plot | None:
    """Q_NX of runs over the number of neighbors K, logarithmic: the share of the nearest that stay.
    runs : with the places of their colors. None where no run has such a curve."""
    found = [(run.id, place, *_q_nx(run)) for run, place in runs]
    found = [one for one in found if len(one[2]) > 1]
    if not found:
        return None
    most = max(float(k[-1]) for _, _, k, _ in found)
    least = min(float(k[0]) for _, _, k, _ in found)
    x = log_axis(least, max(most, least + 1), "Neighborhood size K", grid=False)
    y = Axis(0.0, 1.0, ((0.0, "0"), (0.5, "0.5"), (1.0, "1")), "Q NX")
    chance = np.geomspace(least, most, 60)
    marks: list[Mark] = [Curve(chance, chance / most, color="edge", dash=(2.0, 3.0))]
    for number, place, k, q in reversed(found):
        readings = tuple(f"run {number}, K {at:.0f}: {value:.2f}"
                         for at, value in zip(k.tolist(), q.tolist(), strict=True))
        marks.append(Curve(k, q, readings=readings if (number, place) == found[0][:2] else (),
                           color=COLORS[place], dash=DASHES[place]))
    keys = [LineKey(COLORS[place], DASHES[place], f"{number}", "") for number, place, _, _ in found]
    chance_key = LineKey("edge", (2.0, 3.0), "by chance", "")
    marks.append(Legend((*keys, chance_key), heading=("Run", ""), above=True))
    spoken = ", ".join(f"run {number} {float(np.interp(15, k, q)):.2f} at 15"
                       for number, _, k, q in found)
    return Plot(
        "Embedding quality", x, y, tuple(marks), spoken=f"Share of neighbors kept: {spoken}"
    )


def _q_nx(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(m,) K and Q_NX that are known."""
    k, q = (np.asarray(run.diagnostics.get(name, ()), np.float64) for name in ("curve_k", "q_nx"))
    if k.shape != q.shape:
        return np.empty(0), np.empty(0)
    known = np.isfinite(k) & np.isfinite(q) & (k > 0)
    return k[known], q[known]
