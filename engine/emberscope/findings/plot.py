"""Plots as data: axes, and marks on them. The window and a page paint the same ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.grouping import THIN

_LEAST_APART = 8  # px between the words of two ticks


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers along a side. ticks : (value, words). log : values stand on their
    logarithm. grid : a line lies across the plot at every tick."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    title: str = ""
    log: bool = False
    grid: bool = True

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        low, high, at = (float(np.log(v)) if self.log else v for v in (self.low, self.high, value))
        return (at - low) / max(high - low, 1e-9)

    def value(self, share: float) -> float:
        """The value that lies there; the inverse of `share`."""
        low, high = (float(np.log(v)) if self.log else v for v in (self.low, self.high))
        found = low + share * (high - low)
        return float(np.exp(found)) if self.log else found


@dataclass(frozen=True, slots=True)
class Curve:
    """Places joined by a line. x, y : (n,). base : the value down to which it is filled, None for
    no ground. readings : what each place says where somebody points at it, () for nothing.
    color : "ink", "edge", which steps back, or "class 1" and so on as classes have them. dash :
    lengths of its strokes and gaps in widths of the line, () for a whole line."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    base: float | None = None
    readings: tuple[str, ...] = ()
    color: str = "ink"
    dash: tuple[float, ...] = ()



@dataclass(frozen=True, slots=True)
class Whiskers:
    """Upright lines from the low to the high end of an interval, those that are not known left out.
    x, y, low, high : (n,), y : what lies inside. color, readings : as of a curve."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    readings: tuple[str, ...] = ()
    color: str = "ink"

    def lines(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The ends of each line."""
        known = np.isfinite(self.low + self.high)
        ends = (self.x[known], self.low[known], self.high[known])
        return [((x, low), (x, high)) for x, low, high in zip(*map(np.ndarray.tolist, ends),
                                                              strict=True)]  # fmt: skip


def nearest(mark: Curve | Whiskers, axis: Axis, share: float) -> int:
    """The number of the place of a mark that is nearest to a share of the axis."""
    return int(np.argmin([abs(axis.share(x) - share) for x in mark.x.tolist()]))


@dataclass(frozen=True, slots=True)
class Rule:
    """A dashed straight line between two places."""

    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Note:
    """Words beside a place, at its left where there is no room at its right; above it or below."""

    at: tuple[float, float]
    words: str
    above: bool = True


@dataclass(frozen=True, slots=True)
class Dots:
    """Small rings. x, y : (n,). now : the number of the one that is filled, -1 for none."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    now: int = -1


@dataclass(frozen=True, slots=True)
class Rug:
    """A short upright stroke at each of many values of the horizontal axis, from one height to
    another. x : (n,). color : as of a curve. name : of what they are."""

    x: NDArray[np.float64]
    low: float
    high: float
    color: str = "ink"
    name: str = ""

    def columns(self, axis: Axis, wide: int) -> NDArray[np.int64]:
        """The pixel columns, of so many, that have a stroke: of very many values no more."""
        share = (self.x - axis.low) / max(axis.high - axis.low, 1e-12)
        return np.unique(np.clip(np.rint(share * (wide - 1)), 0, wide - 1).astype(np.int64))


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells that fill the plot. strengths : of each color, "near" or "far", (rows, columns) 0..1
    from the top left, one over the other."""

    strengths: tuple[tuple[str, NDArray[np.float64]], ...]

    def mixed(
        self, ground: Sequence[int], colors: Mapping[str, Sequence[int]]
    ) -> NDArray[np.uint8]:
        """(rows, columns, 3) pixels, from the ground toward the colors (r, g, b)."""
        shape = self.strengths[0][1].shape
        pixels = np.broadcast_to(np.array(ground, float), (*shape, 3))
        for name, strength in self.strengths:
            pixels = pixels + strength[:, :, None] * (np.array(colors[name], float) - pixels)
        return np.ascontiguousarray(np.rint(pixels).astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Callout:
    """A filled dot, and a plate that says what it is. plate : shares of both axes at which its left
    upper corner stands, None for the lower right corner of the plot."""

    at: tuple[float, float]
    title: str
    words: str
    plate: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Ribbon:
    """The ground between two curves, such as the ends of an interval. x, low, high : (n,). color :
    as of a curve."""

    x: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    color: str = "ink"


@dataclass(frozen=True, slots=True)
class LineKey:
    """What a curve is: a stroke of it, a name, a number, and its interval in words."""

    color: str
    dash: tuple[float, ...]
    name: str
    value: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Legend:
    """What the curves are, in the lower right corner, in the upper one, or, where curves take all
    the room, in one line above the plot. heading : above the names and above the numbers, "" for
    none."""

    rows: tuple[LineKey, ...]
    upper: bool = False
    heading: tuple[str, str] = ("", "")
    above: bool = False


Mark = Curve | Whiskers | Rule | Note | Dots | Rug | Cells | Callout | Ribbon | Legend


@dataclass(frozen=True, slots=True)
class Plot:
    """A diagram. marks : the last one lies on top. key : (color, words). spoken : what it says to
    somebody who cannot see it."""

    title: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    key: tuple[tuple[str, str], ...] = ()
    spoken: str = ""


def round_numbers(low: float, high: float) -> list[float]:
    """Powers of ten within a range; with few of them also their multiples 2 and 5, or finer ones.

    `low` : above 0.
    """
    least, most = int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1
    powers = [10.0**p for p in range(least, most)]
    found: list[float] = []
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)):
        found = [step * power for power in powers for step in steps
                 if low * 0.999 <= step * power <= high * 1.001]  # fmt: skip
        if len(found) > 2:
            break
    return found


def log_axis(low: float, high: float, title: str, *, grid: bool = True) -> Axis:
    """A logarithmic axis with round numbers as ticks. `low` : above 0."""
    ticks = tuple((value, axis_words(value)) for value in round_numbers(low, high))
    return Axis(low, high, ticks, title, log=True, grid=grid)


def axis_words(value: float) -> str:
    """A number beside an axis: "0.5", "2 000"."""
    return f"{value:,.6g}".replace(",", THIN)


def with_room(places: Sequence[float], widths: Sequence[float]) -> list[int]:
    """Which of the words at places along an axis, in order, have room beside those before."""
    kept: list[int] = []
    taken = -np.inf
    for at, (place, width) in enumerate(zip(places, widths, strict=True)):
        if place - width / 2 >= taken + _LEAST_APART:
            kept.append(at)
            taken = place + width / 2
    return kept
