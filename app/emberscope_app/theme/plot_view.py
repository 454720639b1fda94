"""Shows a plot of the engine: axes without a box, curves, rules, dots, cells, and what is pointed
at."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.findings.coloring import rgb
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
    nearest,
    with_room,
)
from emberscope_app.guard import saved
from emberscope_app.theme import tokens, words_and_bars
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.words_and_bars import paint_words

CENTER = Qt.AlignmentFlag.AlignCenter
_AXIS = Axis(0.0, 1.0)
_EMPTY = Plot("", _AXIS, _AXIS, ())
LEFT, RIGHT = 46, 10  # px beside a plot with ticks and a title at its left
_AROUND = 8  # px beside a word of a tick at the left
# Px: at the left without either, above, of what stands below
_BARE, _TOP, _TICKS, _TITLE = 34, 9, 20, 16


_KEY_ROW = 20  # px of a row of a legend


class PlotView(QWidget):
    """A plot as wide as its place. `chosen(x)` : a click, or the pointer held down, is at that
    value of the horizontal axis. `stepped(n)` : an arrow key asks for the next value, -1 for the
    one before.

    height : px, 0 for as many as there are. clicks : whether a click means something. A curve with
    readings says the one nearest to the pointer.
    """

    chosen = Signal(float)
    stepped = Signal(int)

    def __init__(self, height: int, *, clicks: bool = False) -> None:
        super().__init__()
        self.plot, self._left = _EMPTY, _BARE
        self._clicks = clicks
        self._pointed = -1.0  # share of the horizontal axis, below 0 for none
        high = QSizePolicy.Policy.Fixed if height else QSizePolicy.Policy.Expanding
        if height:
            self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, high)
        self.setMouseTracking(True)
        if clicks:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        look().changed.connect(self.update)

    def show_plot(self, plot: Plot | None) -> bool:
        """Show a plot; whether there is one."""
        self.plot, self._pointed = plot or _EMPTY, -1.0
        self._left = self._beside()
        self.setAccessibleName(self.plot.spoken)
        self.update()
        return plot is not None

    def _beside(self) -> int:
        """Px at the left: as many as the longest word of a tick takes."""
        axis, metrics = self.plot.y, QFontMetrics(font(tokens.PX_SMALL))
        usual = LEFT if axis.ticks and axis.title else _BARE
        longest = max((metrics.horizontalAdvance(words) for _, words in axis.ticks), default=0)
        return max(usual, longest + _AROUND + (_TITLE if axis.title else 0))

    @property
    def area(self) -> QRectF:
        """Where values lie."""
        below = _TICKS + (_TITLE if self.plot.x.title else 0)
        above = any(isinstance(mark, Legend) and mark.above for mark in self.plot.marks)
        top = _TOP + (_KEY_ROW if above else 0)
        return QRectF(self.rect()).adjusted(self._left, top, -RIGHT, -below)

    def at(self, x: float, y: float) -> QPointF:
        """Where a place of the plot is painted."""
        area = self.area
        across, up = self.plot.x.share(x), self.plot.y.share(y)
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height())

    def share_at(self, x: float) -> float:
        """The share of the horizontal axis at a place."""
        return min(max((x - self.area.left()) / max(self.area.width(), 1), 0.0), 1.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_y(painter)
        self._paint_x(painter)
        for mark in self.plot.marks:
            with saved(painter):
                PAINTERS[type(mark)](painter, self, mark)
        self._paint_key(painter)
        for mark in self.plot.marks:
            if self._pointed >= 0 and isinstance(mark, Curve | Whiskers) and mark.readings:
                self._paint_reading(painter, mark)

    def _paint_y(self, painter: QPainter) -> None:
        t, area, axis = current(), self.area, self.plot.y
        for value, words in axis.ticks:
            y = self.at(self.plot.x.low, value).y()
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            place = QRectF(0, y - 8, area.left() - 6, 16).toRect()
            paint_words(
                painter, place, words, px=tokens.PX_SMALL, color="t2", align=words_and_bars.RIGHT
            )
        with saved(painter):
            painter.translate(6 if axis.ticks else 12, area.center().y())
            painter.rotate(-90)
            long = QRectF(-area.height() / 2 - 8, -8, area.height() + 16, 16).toRect()
            paint_words(painter, long, axis.title, px=tokens.PX_SMALL, color="t2", align=CENTER)

    def _paint_x(self, painter: QPainter) -> None:
        t, area, axis = current(), self.area, self.plot.x
        metrics = QFontMetrics(font(tokens.PX_SMALL))
        places = [self.at(value, self.plot.y.low).x() for value, _ in axis.ticks]
        widths = [metrics.horizontalAdvance(words) + 2 for _, words in axis.ticks]
        painter.setFont(font(tokens.PX_SMALL))
        for k in with_room(places, widths):
            x, wide = places[k], widths[k]
            if axis.log:
                top = area.top() if axis.grid else area.bottom() + 1
                painter.setPen(QPen(QColor(t.line), 1))
                painter.drawLine(QPointF(x, top), QPointF(x, area.bottom() + 4))
            left = min(max(x - wide / 2, 0), self.width() - wide)
            painter.setPen(QColor(t.t2))
            painter.drawText(QRectF(left, area.bottom() + 4, wide, 14), CENTER, axis.ticks[k][1])
        below = QRectF(area.left(), area.bottom() + 19, area.width(), 15).toRect()
        paint_words(painter, below, axis.title, px=tokens.PX_SMALL, color="t2", align=CENTER)

    def _paint_key(self, painter: QPainter) -> None:
        for k, (color, words) in enumerate(self.plot.key):
            x, y = self.area.left() + 10, self.area.top() + 12 + 16 * k
            painter.fillRect(QRectF(x, y - 4, 8, 8), _color(color))
            paint_words(
                painter, QRect(round(x) + 14, round(y) - 8, 120, 16), words, px=tokens.PX_SMALL
            )

    def _paint_reading(self, painter: QPainter, curve: Curve | Whiskers) -> None:
        """A dot at the place pointed at, and a plate that says what is read off there."""
        t, k = current(), nearest(curve, self.plot.x, self._pointed)
        place, words = self.at(float(curve.x[k]), float(curve.y[k])), curve.readings[k]
        painter.setPen(QPen(QColor(t.plot), 2))
        painter.setBrush(QColor(t.ink))
        painter.drawEllipse(place, 4.5, 4.5)
        wide = QFontMetrics(font(tokens.PX_SMALL, 500)).horizontalAdvance(words) + 12
        x = min(max(place.x() - wide / 2, self.area.left()), self.area.right() - wide)
        y = place.y() - 28 if place.y() - 28 > 0 else place.y() + 10
        plate = QRectF(x, y, wide, 18)
        _paint_plate(painter, plate, tokens.RADIUS_TAG)
        paint_words(painter, plate.toRect(), words, px=tokens.PX_SMALL, weight=500, align=CENTER)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointed = self.share_at(event.position().x())
        self.update()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and self._clicks and self.plot is not _EMPTY:
            self.stepped.emit(step)
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = -1.0
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._clicks and self.plot is not _EMPTY:
            self.chosen.emit(self.plot.x.value(self.share_at(event.position().x())))


def _color(name: str) -> QColor:
    """Neighbors and random pairs."""
    t = current()
    return QColor(t.doubt[3] if name == "near" else t.t2)


def _paint_plate(painter: QPainter, plate: QRectF, radius: float) -> None:
    painter.setPen(QPen(QColor(current().line2), 1))
    painter.setBrush(QColor(current().bg3))
    painter.drawRoundedRect(plate, radius, radius)


# --- one for each kind of mark


def _paint_cells(painter: QPainter, view: PlotView, cells: Cells) -> None:
    pixels = cells.mixed(
        rgb(current().plot), {name: rgb(_color(name).name()) for name in ("near", "far")}
    )
    rows, columns, _ = pixels.shape
    image = QImage(pixels.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
    painter.drawImage(view.area, image)


def _paint_curve(painter: QPainter, view: PlotView, curve: Curve) -> None:
    pairs = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
    places = [view.at(x, y) for x, y in pairs if isfinite(x + y)]
    ink = _line_color(curve.color)
    painter.setPen(_line_pen(curve.color, curve.dash))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(places))
    if curve.base is not None and places:
        ink.setAlphaF(0.07)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        ends = [view.at(float(x), curve.base) for x in (curve.x[-1], curve.x[0])]
        painter.drawPolygon(QPolygonF([*places, *ends]))


def _paint_ribbon(painter: QPainter, view: PlotView, ribbon: Ribbon) -> None:
    known = np.isfinite(ribbon.low + ribbon.high)
    pairs = (zip(ribbon.x[known].tolist(), end[known].tolist(), strict=True)
             for end in (ribbon.high, ribbon.low))  # fmt: skip
    ends = [[view.at(x, y) for x, y in pair] for pair in pairs]
    color = _line_color(ribbon.color)
    color.setAlphaF(0.16)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([*ends[0], *reversed(ends[1])]))


def _paint_whiskers(painter: QPainter, view: PlotView, mark: Whiskers) -> None:
    painter.setPen(_line_pen(mark.color, ()))
    for start, end in mark.lines():
        painter.drawLine(view.at(*start), view.at(*end))


def _legend_corner(view: PlotView, legend: Legend) -> tuple[QPointF, list[int]]:
    """Its left upper corner, and px of its columns of words."""
    metrics = {weight: QFontMetrics(font(tokens.PX_SMALL, weight)) for weight in (400, 600)}
    parts = ((400, [row.name for row in legend.rows]), (600, [row.value for row in legend.rows]),
             (400, [row.beside for row in legend.rows]))  # fmt: skip
    columns = [max((metrics[weight].horizontalAdvance(words) + 3 for words in column), default=0)
               for weight, column in parts]  # fmt: skip
    first, second = (metrics[400].horizontalAdvance(words) + 3 for words in legend.heading)
    columns[0] = max(columns[0], first)
    columns[2] = max(columns[2], second - columns[1] - 6)
    area, high = view.area, _KEY_ROW * (len(legend.rows) + any(legend.heading)) + 6
    top = area.top() + 6 if legend.upper else area.bottom() - high
    return QPointF(area.right() - sum(columns) - 58, top), columns


def _paint_line_of_keys(painter: QPainter, view: PlotView, legend: Legend) -> None:
    """Above the plot, from its right end on."""
    metrics = QFontMetrics(font(tokens.PX_SMALL))
    right, top = view.area.right(), view.area.top() - _KEY_ROW - 4
    words = [(row.name, row) for row in reversed(legend.rows)]
    for name, row in words:
        wide = metrics.horizontalAdvance(name) + 3
        place = QRectF(right - wide, top, wide, _KEY_ROW).toRect()
        paint_words(painter, place, name, px=tokens.PX_SMALL)
        painter.setPen(_line_pen(row.color, row.dash))
        middle = top + _KEY_ROW / 2
        painter.drawLine(QPointF(right - wide - 30, middle), QPointF(right - wide - 6, middle))
        right -= wide + 42
    place = QRectF(0, top, right, _KEY_ROW).toRect()
    paint_words(painter, place, legend.heading[0], px=tokens.PX_SMALL, color="t2",
                align=words_and_bars.RIGHT)


def _paint_legend(painter: QPainter, view: PlotView, legend: Legend) -> None:
    """Stroke, name, number and its interval of each curve, numbers below each other."""
    if legend.above:
        _paint_line_of_keys(painter, view, legend)
        return
    corner, columns = _legend_corner(view, legend)
    left, top, high = corner.x() + 10, corner.y(), _KEY_ROW
    if any(legend.heading):
        places = (left + 22, columns[0]), (left + 28 + columns[0], sum(columns[1:]) + 6)
        for words, (x, wide) in zip(legend.heading, places, strict=True):
            place = QRectF(x, top, wide, high).toRect()
            paint_words(painter, place, words, px=tokens.PX_SMALL, color="t2")
        top += high
    for at, row in enumerate(legend.rows):
        y = top + at * high
        painter.setPen(_line_pen(row.color, row.dash))
        painter.drawLine(QPointF(left - 10, y + high / 2), QPointF(left + 14, y + high / 2))
        x = left + 22
        for words, wide, weight, color in zip((row.name, row.value, row.beside), columns,
                                              (400, 600, 400), ("t1", "t1", "t2"), strict=True):
            place = QRectF(x, y, wide, high).toRect()
            paint_words(painter, place, words, px=tokens.PX_SMALL, weight=weight, color=color)
            x += wide + 6


def _line_color(name: str) -> QColor:
    """"ink", "edge", which steps back, or "class 2" as classes have it."""
    t = current()
    if name.startswith("class "):
        return t.class_color(int(name.split()[1]))
    return QColor(t.edge if name == "edge" else t.ink)


def _line_pen(color: str, dash: tuple[float, ...]) -> QPen:
    pen = QPen(_line_color(color), 2)
    if dash:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern(list(dash))
    return pen


def _paint_rule(painter: QPainter, view: PlotView, rule: Rule) -> None:
    painter.setPen(QPen(QColor(current().edge), 1, Qt.PenStyle.DashLine))
    painter.drawLine(view.at(*rule.start), view.at(*rule.end))


def _paint_note(painter: QPainter, view: PlotView, note: Note) -> None:
    place, wide = (
        view.at(*note.at),
        QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(note.words) + 2,
    )
    left = place.x() + 5 if place.x() + 5 + wide < view.area.right() else place.x() - 5 - wide
    box = QRectF(left, place.y() - 16 if note.above else place.y() - 4, wide, 14).toRect()
    paint_words(painter, box, note.words, px=tokens.PX_SMALL, color="t2")


def _paint_dots(painter: QPainter, view: PlotView, dots: Dots) -> None:
    t = current()
    for k, (x, y) in enumerate(zip(dots.x.tolist(), dots.y.tolist(), strict=True)):
        now = k == dots.now
        painter.setPen(QPen(QColor(t.bg1), 2) if now else QPen(QColor(t.ink), 1.5))
        painter.setBrush(QColor(t.ink) if now else QColor(t.bg1))
        painter.drawEllipse(view.at(x, y), 5.5 if now else 3, 5.5 if now else 3)


def _paint_rug(painter: QPainter, view: PlotView, rug: Rug) -> None:
    area, color = view.area, _line_color(rug.color)
    top, bottom = (view.at(view.plot.x.low, end).y() for end in (rug.high, rug.low))
    color.setAlphaF(0.8)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(QPen(color, 1))
    places = (area.left() + rug.columns(view.plot.x, max(round(area.width()), 2))).tolist()
    painter.drawLines([QLineF(x, top, x, bottom) for x in places])


def _paint_callout(painter: QPainter, view: PlotView, mark: Callout) -> None:
    """The dot, and a plate with a line to it."""
    t, area, place = current(), view.area, view.at(*mark.at)
    wide = max(QFontMetrics(font(tokens.PX_SMALL, 600)).horizontalAdvance(mark.title),
               QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(mark.words)) + 20
    plate = QRectF(area.right() - wide - 8, area.bottom() - 58, wide, 42)
    if mark.plate is not None:
        x = area.left() + mark.plate[0] * area.width()
        plate.moveTopLeft(QPointF(min(x, area.right() - wide),
                                  area.bottom() - mark.plate[1] * area.height()))
        for legend in (each for each in view.plot.marks if isinstance(each, Legend)):
            if not legend.upper:  # the plate stands above it
                corner = _legend_corner(view, legend)[0]
                lowest = corner.y() - 4
                plate.moveTop(max(min(plate.top(), lowest - plate.height()), area.top()))
                if plate.bottom() > lowest:  # or, where it is low, beside it
                    plate.moveRight(min(plate.right(), corner.x() - 4))
    painter.setPen(QPen(QColor(t.t2), 1))
    painter.drawLine(
        place, QPointF(min(max(place.x(), plate.left() + 8), plate.right() - 8), plate.top())
    )
    _paint_plate(painter, plate, tokens.RADIUS_FIELD)
    inner = plate.toRect().adjusted(10, 4, -6, -4)
    title = QRect(inner.x(), inner.y(), inner.width(), 17)
    paint_words(painter, title, mark.title, px=tokens.PX_SMALL, weight=600)
    paint_words(painter, title.translated(0, 17), mark.words, px=tokens.PX_SMALL, color="t2")
    painter.setPen(QPen(QColor(t.bg1), 2))
    painter.setBrush(QColor(t.ink))
    painter.drawEllipse(place, 5, 5)


PAINTERS: dict[type, Callable[[QPainter, PlotView, Any], None]] = {
    Curve: _paint_curve,
    Rule: _paint_rule,
    Rug: _paint_rug,
    Note: _paint_note,
    Dots: _paint_dots,
    Cells: _paint_cells,
    Callout: _paint_callout,
    Ribbon: _paint_ribbon,
    Legend: _paint_legend,
    Whiskers: _paint_whiskers,
}
