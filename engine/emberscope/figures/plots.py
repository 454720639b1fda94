"""Paints a plot on a canvas for a page."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import dist
from typing import Any

import numpy as np
from PIL import Image

from emberscope.figures.canvas import (
    FAINT,
    GROUND,
    SCALE,
    SECONDARY,
    TEXT,
    Canvas,
    Pixels,
    font,
    says,
)
from emberscope.findings.coloring import CLASS_COLORS, rgb
from emberscope.findings.plot import (
    Axis,
    Callout,
    Cells,
    Curve,
    Dots,
    Legend,
    Note,
    Plot,
    Ribbon,
    Rug,
    Rule,
    Whiskers,
    with_room,
)

SIZE = (500, 360)
CURVE = (194, 68, 10)
COLORS = {"near": CURVE, "far": (67, 75, 85)}
_RIGHT, _TOP, _BOTTOM = 16, 40, 46
_FILL = 36  # of 255, how opaque the ground of a curve is
_STROKE = 200  # and a stroke of a rug
Place = tuple[float, float]


def plot_image(plot: Plot, size: tuple[int, int] = SIZE) -> Image.Image:
    """The plot in light colors, `size` px wide and high on the page, `SCALE` times as many."""
    canvas = Pixels((size[0] * SCALE, size[1] * SCALE), GROUND["light"])
    paint_plot(canvas, plot, size)
    return canvas.image


def paint_plot(
    canvas: Canvas, plot: Plot, size: tuple[int, int] = SIZE, at: tuple[int, int] = (0, 0)
) -> None:
    """The plot in light colors on a canvas, its top left `at` px, `size` px wide and high on the
    page."""
    page = _Page(canvas, plot, size, at)
    page.paint_axes()
    for mark in plot.marks:
        PAINTERS[type(mark)](page, mark)
    page.paint_key()


class _Page:
    """A canvas with the place of everything on it, in its units. draw : the canvas. edge, end : the
    left and the lower end of the plot with its titles."""

    def __init__(
        self, canvas: Canvas, plot: Plot, size: tuple[int, int], at: tuple[int, int]
    ) -> None:
        self.plot, self.draw = plot, canvas
        x, y = at[0] * SCALE, at[1] * SCALE
        longest = max((round(self.wide(words)) for _, words in plot.y.ticks), default=0) // SCALE
        left = max(40 if plot.y.ticks else 16, longest + 8) + (20 if plot.y.title else 0)
        self.edge, self.left, self.top = x, x + left * SCALE, y + _TOP * SCALE
        self.right = x + (size[0] - _RIGHT) * SCALE
        self.end = y + size[1] * SCALE
        self.bottom = self.end - _BOTTOM * SCALE

    def at(self, place: Place) -> Place:
        """Pixels of a place of the plot."""
        x, y = self.plot.x.share(place[0]), self.plot.y.share(place[1])
        return (
            self.left + x * (self.right - self.left),
            self.bottom - y * (self.bottom - self.top),
        )

    def words(self, at: Place, words: str, *, px: int = 11, anchor: str = "la",
              color: tuple[int, ...] = SECONDARY["light"]) -> None:  # fmt: skip
        says(self.draw, at, words, px=px, color=color, anchor=anchor)

    def wide(self, words: str, px: int = 11) -> float:
        return self.draw.textlength(words, font=font(px))

    def stroke(self, line: list[Place], color: str, dash: tuple[float, ...]) -> None:
        """A line of a curve; dash : as of a curve."""
        wide = 2 * SCALE
        for part in dashed(line, [length * wide for length in dash]) if dash else [line]:
            self.draw.line(part, fill=_color(color), width=wide, joint="curve")

    def paint_axes(self) -> None:
        plot, faint = self.plot, FAINT["light"]
        self.words((self.left, self.top - 28 * SCALE), plot.title, px=14, color=TEXT["light"])
        places = [self.at((value, plot.y.low))[0] for value, _ in plot.x.ticks]
        for k in with_room(places, [self.wide(words) for _, words in plot.x.ticks]):
            x = places[k]
            top = self.top if plot.x.grid else self.bottom
            self.draw.line([(x, self.bottom + 3), (x, top)], fill=faint, width=1)
            self.words((x, self.bottom + 4 * SCALE), plot.x.ticks[k][1], anchor="mt")
        for value, words in plot.y.ticks:
            y = self.at((plot.x.low, value))[1]
            self.draw.line([(self.left, y), (self.right, y)], fill=faint, width=1)
            self.words((self.left - 6 * SCALE, y), words, anchor="rm")
        middle = (self.left + self.right) / 2, self.end - 8 * SCALE
        self.words(middle, plot.x.title, px=12, anchor="mb")
        self._paint_upright(plot.y)

    def _paint_upright(self, axis: Axis) -> None:
        """The title along the left side, read from below."""
        if axis.title:
            middle = (self.top + self.bottom) / 2
            at = self.edge + 11 * SCALE, middle
            self.draw.upright(at, axis.title, SECONDARY["light"], font(12))

    def paint_key(self) -> None:
        for k, (color, words) in enumerate(self.plot.key):
            x, y = self.left + 10 * SCALE, self.top + (12 + 18 * k) * SCALE
            side = 4 * SCALE
            self.draw.rectangle([x, y - side, x + 2 * side, y + side], fill=COLORS[color])
            self.words((x + 16 * SCALE, y), words, anchor="lm", color=TEXT["light"])


def dashed(line: list[Place], dash: Sequence[float]) -> list[list[Place]]:
    """The strokes of a line through places: dash : lengths of strokes and gaps in turn, from its
    start on."""
    strokes: list[list[Place]] = [[line[0]]] if line else []
    at, left = 0, dash[0]
    for start, end in pairwise(line):
        long, done = dist(start, end), 0.0
        while long - done > left:
            done += left
            share = done / long
            place = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
            if at % 2 == 0:
                strokes[-1].append(place)
            else:
                strokes.append([place])
            at += 1
            left = dash[at % len(dash)]
        left -= long - done
        if at % 2 == 0:
            strokes[-1].append(end)
    return [stroke for stroke in strokes if len(stroke) > 1]


def _paint_curve(page: _Page, curve: Curve) -> None:
    known = np.isfinite(curve.x + curve.y)
    places = zip(curve.x[known].tolist(), curve.y[known].tolist(), strict=True)
    line = [page.at(place) for place in places]
    if curve.base is not None and len(line) > 1:
        ends = [page.at((float(x), curve.base)) for x in (curve.x[-1], curve.x[0])]
        page.draw.polygon([*line, *ends], fill=(*_color(curve.color), _FILL))
    page.stroke(line, curve.color, curve.dash)


def _paint_whiskers(page: _Page, mark: Whiskers) -> None:
    for ends in mark.lines():
        page.stroke([page.at(end) for end in ends], mark.color, ())


def _paint_ribbon(page: _Page, ribbon: Ribbon) -> None:
    known = np.isfinite(ribbon.low + ribbon.high)
    x, low, high = (side[known].tolist() for side in (ribbon.x, ribbon.low, ribbon.high))
    there = [page.at(place) for place in zip(x, high, strict=True)]
    back = [page.at(place) for place in zip(x, low, strict=True)]
    if len(x) > 1:
        page.draw.polygon([*there, *reversed(back)], fill=(*_color(ribbon.color), _FILL))


def _paint_line_of_keys(page: _Page, legend: Legend) -> None:
    """Above the plot, from its right end on."""
    x, y = float(page.right), page.top - 12 * SCALE
    for row in reversed(legend.rows):
        x -= page.wide(row.name)
        page.words((x, y), row.name, anchor="lm", color=TEXT["light"])
        page.stroke([(x - 30 * SCALE, y), (x - 6 * SCALE, y)], row.color, row.dash)
        x -= 40 * SCALE
    page.words((x, y), legend.heading[0], anchor="rm")


def _paint_legend(page: _Page, legend: Legend) -> None:
    if legend.above:
        _paint_line_of_keys(page, legend)
        return
    heading = " ".join(legend.heading).strip()
    high, lines = 18 * SCALE, len(legend.rows) + bool(heading)
    top = page.top + high if legend.upper else page.bottom - high * (lines + 0.5)
    rows = [(row, " ".join((row.name, row.value, row.beside)).strip()) for row in legend.rows]
    wide = max(map(page.wide, [heading, *(words for _, words in rows)]))
    if heading:
        page.words((page.right - wide - 8 * SCALE, top), heading, anchor="lm")
        top += high
    for at, (row, words) in enumerate(rows):
        x, y = page.right - wide - 8 * SCALE, top + at * high
        page.stroke([(x - 40 * SCALE, y), (x - 8 * SCALE, y)], row.color, row.dash)
        page.words((x, y), words, anchor="lm", color=TEXT["light"])


def _color(name: str) -> tuple[int, int, int]:
    """"ink" is the color of all curves on a page, "edge" steps back, "class 2" is of a class."""
    if name.startswith("class "):
        return rgb(CLASS_COLORS["light"][int(name.split()[1])])
    return COLORS["far"] if name == "edge" else CURVE


def _paint_rule(page: _Page, rule: Rule) -> None:
    (x0, y0), (x1, y1) = page.at(rule.start), page.at(rule.end)
    dash = 4 * SCALE
    count = max(int(max(abs(x1 - x0), abs(y1 - y0)) // (2 * dash)), 1)
    dx, dy = (x1 - x0) / (2 * count), (y1 - y0) / (2 * count)
    for k in range(0, 2 * count, 2):
        ends = [(x0 + at * dx, y0 + at * dy) for at in (k, k + 1)]
        page.draw.line(ends, fill=SECONDARY["light"], width=SCALE)


def _paint_note(page: _Page, note: Note) -> None:
    (x, y), wide = page.at(note.at), page.wide(note.words)
    x = x + 5 * SCALE if x + 5 * SCALE + wide < page.right else x - 5 * SCALE - wide
    y = y - 3 * SCALE if note.above else y + 2 * SCALE
    page.words((x, y), note.words, anchor="ld" if note.above else "la")


def _paint_dots(page: _Page, dots: Dots) -> None:
    for k, place in enumerate(zip(dots.x.tolist(), dots.y.tolist(), strict=True)):
        (x, y), r = page.at(place), (5 if k == dots.now else 3) * SCALE
        fill = CURVE if k == dots.now else GROUND["light"]
        page.draw.ellipse([x - r, y - r, x + r, y + r], fill=fill, outline=CURVE, width=SCALE)


def _paint_rug(page: _Page, rug: Rug) -> None:
    top, bottom = (page.at((page.plot.x.low, end))[1] for end in (rug.high, rug.low))
    wide = int(page.right - page.left) // SCALE
    for column in rug.columns(page.plot.x, wide).tolist():
        x = page.left + column * SCALE
        page.draw.line([(x, top), (x, bottom)], fill=(*_color(rug.color), _STROKE), width=1)


def _paint_cells(page: _Page, cells: Cells) -> None:
    pixels = Image.fromarray(cells.mixed(GROUND["light"], COLORS))
    size = (page.right - page.left, page.bottom - page.top)
    page.draw.paste(pixels.resize(size, Image.Resampling.NEAREST), (page.left, page.top))


def _paint_callout(page: _Page, mark: Callout) -> None:
    wide = max(page.wide(mark.title), page.wide(mark.words)) + 20 * SCALE
    left, top = page.right - wide - 8 * SCALE, page.bottom - 58 * SCALE
    if mark.plate is not None:
        left = page.left + round(mark.plate[0] * (page.right - page.left))
        top = page.bottom - round(mark.plate[1] * (page.bottom - page.top))
    x, y = page.at(mark.at)
    page.draw.line([(x, y), (min(max(x, left), left + wide), top)], fill=SECONDARY["light"])
    box = [left, top, left + wide, top + 42 * SCALE]
    page.draw.rectangle(box, fill=GROUND["light"], outline=FAINT["light"])
    page.words((left + 10 * SCALE, top + 6 * SCALE), mark.title, color=TEXT["light"])
    page.words((left + 10 * SCALE, top + 23 * SCALE), mark.words)
    _paint_dots(page, Dots(np.array(mark.at[:1]), np.array(mark.at[1:]), now=0))


PAINTERS: dict[type, Callable[[_Page, Any], None]] = {
    Curve: _paint_curve, Rule: _paint_rule, Note: _paint_note, Dots: _paint_dots,
    Rug: _paint_rug, Cells: _paint_cells, Callout: _paint_callout, Ribbon: _paint_ribbon,
    Legend: _paint_legend, Whiskers: _paint_whiskers,
}  # fmt: skip
