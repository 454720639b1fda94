"""How the number of a study follows its numeric axes: a plot for each, a curve for each method."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from emberscope.base.grouping import how_many
from emberscope.findings.judged.plots import COLORS, DASHES
from emberscope.findings.measures import title_of
from emberscope.findings.plot import (
    Axis,
    Curve,
    Dots,
    Legend,
    LineKey,
    Mark,
    Plot,
    Whiskers,
    axis_words,
)
from emberscope.findings.study_grid import PlaceScore

_SERIES = ("method", "classifier", "features", "drawn", "metric")  # the first of them that varies
_WIDE_RANGE = 20.0  # the largest over the smallest value from which on an axis is logarithmic
_MOST = 8           # curves in a plot
_STEP, _TICKS = 0.05, 4


def study_curves(places: Sequence[PlaceScore], score: str) -> list[Plot]:
    """A plot of each axis with two numbers or more, in the order of the axes.

    A point is the mean over the values of the other axes that are done, with its interval where
    there is one place alone. The curves are those of the axis of `_SERIES` that varies, the best
    ones of many; one curve where none does.
    """
    known = [place for place in places if place.mean is not None]
    if not known:
        return []
    axes = list(known[0].values)
    series = next((axis for axis in _SERIES if axis in axes and len(_values(known, axis)) > 1), "")
    return [plot for axis in axes if axis != series
            and (plot := _plot(known, axis, series, score)) is not None]


def _values(places: Sequence[PlaceScore], axis: str) -> list[Any]:
    return list(dict.fromkeys(place.values.get(axis) for place in places))


def _plot(known: Sequence[PlaceScore], axis: str, series: str, score: str) -> Plot | None:
    numbers = sorted({float(place.values[axis]) for place in known if _is_number(place, axis)})
    if len(numbers) < 2:
        return None
    drawn = [(name, _points(known, axis, (series, name))) for name in _values(known, series)]
    drawn = [(name, rows) for name, rows in drawn if len(rows) > 1]
    drawn.sort(key=lambda one: -max(row[1] for row in one[1]))
    if not drawn:
        return None
    shown = drawn[:_MOST]
    marks, keys = list[Mark](), list[LineKey]()
    for at, (name, rows) in enumerate(shown):
        color = COLORS[at % len(COLORS)] if series else "ink"
        dash = DASHES[(at + at // len(COLORS)) % len(DASHES)] if series else ()
        x, y, low, high = (np.array(side) for side in zip(*rows, strict=True))
        said = tuple(f"{_named(series, name)}{axis} {axis_words(a)}: {b:.3f}"
                     for a, b in zip(x.tolist(), y.tolist(), strict=True))
        named = str(name) if series else ""
        marks += [Curve(x, y, readings=said, color=color, dash=dash, name=named),
                  Whiskers(x, y, low, high, color=color, name=named), Dots(x, y)]
        best = max(rows, key=lambda row: row[1])
        keys.append(LineKey(color, dash, str(name), f"{best[1]:.2f}", f"at {axis_words(best[0])}"))
    if series:
        marks.append(Legend(tuple(keys), heading=(series, "best"), above=True))
    more = f", {len(shown)} of {how_many(len(drawn), series)}" if len(drawn) > len(shown) else ""
    others = [name for name in known[0].values
              if name not in (axis, series) and len(_values(known, name)) > 1]
    over = f", mean over {' and '.join(others)}" if others else ""
    best_at = {name: axis_words(max(rows, key=_score)[0]) for name, rows in shown}
    spoken = "; ".join(f"{_named(series, name)}best at {axis} {value}"
                       for name, value in best_at.items())
    ends = [end for _, rows in shown for row in rows for end in row[1:] if math.isfinite(end)]
    return Plot(f"{title_of(score)} by {axis}{over}{more}", _across(numbers, axis),
                _up(ends, title_of(score)), tuple(marks), spoken=spoken)


def _named(series: str, name: object) -> str:
    return f"{name}, " if series else ""


def _score(row: tuple[float, ...]) -> float:
    return row[1]


def _is_number(place: PlaceScore, axis: str) -> bool:
    value = place.values.get(axis)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _points(
    known: Sequence[PlaceScore], axis: str, of: tuple[str, object]
) -> list[tuple[float, float, float, float]]:
    """Value, mean, and ends of the interval, NaN for a mean over several places."""
    at = dict[float, list[PlaceScore]]()
    for place in known:
        if _is_number(place, axis) and (not of[0] or place.values.get(of[0]) == of[1]):
            at.setdefault(float(place.values[axis]), []).append(place)
    out = []
    for value, own in sorted(at.items()):
        mean = float(np.mean([place.mean for place in own if place.mean is not None]))
        low, high = (own[0].low, own[0].high) if len(own) == 1 else (None, None)
        out.append((value, mean, math.nan if low is None else low,
                    math.nan if high is None else high))
    return out


def _across(numbers: Sequence[float], axis: str) -> Axis:
    ticks = tuple((value, axis_words(value)) for value in numbers)
    low, high = numbers[0], numbers[-1]
    if low > 0 and high / low >= _WIDE_RANGE:
        room = (high / low) ** 0.04
        return Axis(low / room, high * room, ticks, axis, log=True, grid=False)
    room = 0.04 * (high - low)
    return Axis(low - room, high + room, ticks, axis, grid=False)


def _up(ends: Sequence[float], title: str) -> Axis:
    first, last = math.floor(min(ends) / _STEP), math.ceil(max(ends) / _STEP)
    last = max(last, first + 2)
    apart = -(-(last - first) // _TICKS)
    ticks = tuple((at * _STEP, f"{at * _STEP:.2f}") for at in range(first, last + 1, apart))
    return Axis(first * _STEP, last * _STEP, ticks, title)
