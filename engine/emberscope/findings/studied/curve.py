"""A study as curves: its number over an axis of numbers, a curve for each of the other values."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from emberscope.base.grouping import how_many
from emberscope.findings.judged.plots import COLORS, DASHES
from emberscope.findings.maps.strip import nice
from emberscope.findings.measures import lower_is_better, title_of
from emberscope.findings.plot import (
    Axis,
    Curve,
    Legend,
    LineKey,
    Mark,
    Note,
    Plot,
    Rule,
    Whiskers,
    axis_words,
    log_axis,
)
from emberscope.findings.studied.grid import PlaceScore, words_of

CURVE = "study-curve"  # what its file is called
MOST = len(COLORS)  # curves beside each other
_LEAST = 3  # values that make a curve
_WIDE = 20.0  # times the least value: from there on the axis is logarithmic
_ROOM = 0.02
_TICKS = 5  # of an axis at most


def curve_axis(places: Sequence[PlaceScore]) -> str:
    """The axis with the most values, all of them numbers, three at least; "" where there is
    none."""
    return next(iter(curve_axes(places)), "")


def curve_axes(places: Sequence[PlaceScore]) -> list[str]:
    """All axes of three numbers or more, that with the most values first."""
    found = dict[str, int]()
    for axis in places[0].values if places else ():
        known = [place.values[axis] for place in places if place.values[axis] is not None]
        numbers = {value for value in known if _is_number(value)}
        if len(numbers) >= _LEAST and all(_is_number(value) for value in known):
            found[axis] = len(numbers)
    return sorted(found, key=lambda axis: -found[axis])


def study_curve(places: Sequence[PlaceScore], score: str, over: str = "") -> Plot | None:
    """Means over an axis, by default that of `curve_axis`, with the 95 % intervals of the best
    curve; the best of what does not have that axis, such as another method, is a dashed line
    across.

    None where no axis is of numbers, or none of them has three means. Of more curves than have
    colors the best are drawn.
    """
    axis, sign = over or curve_axis(places), -1.0 if lower_is_better(score) else 1.0
    own, without = _grouped(places, axis)

    def merit(place: PlaceScore) -> float:
        return sign * _mean(place)

    ranked = sorted((curve for curve in own.items() if len(curve[1]) >= _LEAST),
                    key=lambda curve: -max(map(merit, curve[1])))
    drawn = ranked[:MOST]
    if not drawn:
        return None
    shown = [place for _, curve in drawn for place in curve]
    across = _across([float(place.values[axis]) for place in shown], axis)
    marks: list[Mark] = []
    beside = sorted(without, key=lambda other: -merit(other[1]))[:1]
    for name, place in beside:
        marks.append(Rule((across.low, _mean(place)), (across.high, _mean(place))))
        marks.append(Note((across.low, _mean(place)), name))
    for at, (_, curve) in enumerate(drawn):  # the first is solid: under dashes both are seen
        marks += _curve(curve, axis, at)
    if len(drawn) > 1:
        keys = tuple(LineKey(COLORS[at], DASHES[at], name, f"{_mean(max(curve, key=merit)):.2f}")
                     for at, (name, curve) in enumerate(drawn))
        marks.append(Legend(keys, heading=("", "Best"), above=True))
    left = len(ranked) - len(drawn)
    return Plot(
        title_of(score), across, _up([*shown, *(place for _, place in beside)]),
        tuple(marks),
        spoken=f"{title_of(score)} by {axis}: best {max(shown, key=merit).spoken}"
               + (f"; {how_many(left, 'other curve')} not drawn" if left else ""),
    )  # fmt: skip


def _grouped(
    places: Sequence[PlaceScore], axis: str
) -> tuple[dict[str, list[PlaceScore]], list[tuple[str, PlaceScore]]]:
    """Places of each curve by its name, in the order of the axis, and those without that axis."""
    names = list(places[0].values) if axis else []
    vary = [name for name in names if name != axis
            and len({repr(place.values[name]) for place in places}) > 1]
    own: dict[str, list[PlaceScore]] = {}
    without: list[tuple[str, PlaceScore]] = []
    for place in places if axis else ():
        if place.mean is None:
            continue
        others = {name: place.values[name] for name in vary}
        if place.values[axis] is None:
            without.append((words_of(others), place))
        else:
            own.setdefault(words_of(others), []).append(place)
    for curve in own.values():
        curve.sort(key=lambda place: place.values[axis])
    return own, without


def _curve(curve: list[PlaceScore], axis: str, at: int) -> list[Mark]:
    """The curve of a rank, the first one with its intervals."""
    x = np.array([float(place.values[axis]) for place in curve])
    y = np.array([_mean(place) for place in curve])
    said = tuple(place.spoken for place in curve)
    line = Curve(x, y, readings=said, color=COLORS[at], dash=DASHES[at])
    if at:
        return [line]
    low, high = (np.array([math.nan if end is None else end for end in side])
                 for side in ([place.low for place in curve], [place.high for place in curve]))
    return [Whiskers(x, y, low, high, said, COLORS[at]), line]


def _across(values: list[float], title: str) -> Axis:
    low, high = min(values), max(values)
    if low > 0 and high / low >= _WIDE:
        return log_axis(low, high, title, grid=False)
    own = sorted(set(values))
    ticks = tuple((at, axis_words(at)) for at in (own if len(own) <= _TICKS else nice(low, high)))
    return Axis(low, high, ticks, title, grid=False)


def _up(places: Sequence[PlaceScore]) -> Axis:
    ends = [end for place in places for end in (place.mean, place.low, place.high)
            if end is not None]
    low, high = min(ends), max(ends)
    room = _ROOM + 0.05 * (high - low)
    most = max(high, 1.0)  # no share is more than 1, though its curve has room above it
    ticks = tuple((at, axis_words(at)) for at in nice(low - room, high + room, _TICKS)
                  if at <= most)
    return Axis(low - room, high + room, ticks)


def _mean(place: PlaceScore) -> float:
    return -math.inf if place.mean is None else place.mean


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
