"""Painted diagrams of what a run learned: ROC curve and confusion of bags, labels changed per round."""

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QWidget

from emberscope.findings.coloring import ramp
from emberscope.findings.imputed_rounds import Rounds
from emberscope_app.guard import saved
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.knowledge.learned_facts import Figure, Verdicts
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.table import RIGHT, paint_words
from emberscope_app.words import counted, percent, spaced

CENTER = Qt.AlignmentFlag.AlignCenter
_CELL_W, _CELL_H, _ROW_NAME, _HEAD = 72, 60, 84, 40


class _Axes(QWidget):
    """A diagram without a box whose axes are even. Subclasses set the margins and ranges."""

    left, right, top, bottom = 46, 10, 8, 36

    def __init__(self, height: int) -> None:
        super().__init__()
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.x_range, self.y_range = (0.0, 1.0), (0.0, 1.0)
        look().changed.connect(self.update)

    @property
    def area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(self.left, self.top, -self.right, -self.bottom)

    def at(self, x: float, y: float) -> QPointF:
        """Where a place of the diagram is painted."""
        area, (x0, x1), (y0, y1) = self.area, self.x_range, self.y_range
        across, up = (x - x0) / max(x1 - x0, 1e-9), (y - y0) / max(y1 - y0, 1e-9)
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height())

    def paint_y(self, painter: QPainter, ticks: list[tuple[float, str]], title: str) -> None:
        t, area = current(), self.area
        painter.setFont(font(tokens.PX_SMALL))
        for value, words in ticks:
            y = self.at(self.x_range[0], value).y()
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(t.t2))
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - 8, self.left - 6, 16), flags, words)
        with saved(painter):
            painter.translate(6, area.center().y())
            painter.rotate(-90)
            painter.drawText(QRectF(-area.height() / 2 - 8, -8, area.height() + 16, 16), CENTER, title)

    def paint_x(self, painter: QPainter, ticks: list[tuple[float, str]], title: str) -> None:
        t, area = current(), self.area
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(t.t2))
        for value, words in ticks:
            x = self.at(value, self.y_range[0]).x()
            wide = QFontMetrics(painter.font()).horizontalAdvance(words) + 2
            left = min(max(x - wide / 2, area.left() - 4), self.width() - wide)
            painter.drawText(QRectF(left, area.bottom() + 4, wide, 14), CENTER, words)
        painter.drawText(QRectF(area.left(), area.bottom() + 20, area.width(), 15), CENTER, title)


class RocPlot(_Axes):
    """ROC curve of bags: the corner at the top left is perfect; a dot where the threshold 0 lies."""

    def __init__(self) -> None:
        super().__init__(236)
        self.shown: Verdicts | None = None

    def show_verdicts(self, found: Verdicts) -> None:
        self.shown = found
        self.setAccessibleName(f"ROC curve of bags, {self.caption}")
        self.update()

    @property
    def caption(self) -> str:
        """"92 % found, 8 % false" at the threshold 0."""
        false, true = self.shown.at_zero if self.shown is not None else (0.0, 0.0)
        return f"{percent(true)} found, {percent(false)} false"

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ticks = [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")]
        self.paint_y(painter, ticks, "Positive bags found")
        self.paint_x(painter, ticks, "Negative bags taken for positive")
        painter.setPen(QPen(QColor(t.edge), 1, Qt.PenStyle.DashLine))
        painter.drawLine(self.at(0, 0), self.at(1, 1))
        if self.shown is None:
            return
        curve = [self.at(x, y) for x, y in zip(self.shown.fpr.tolist(), self.shown.tpr.tolist(), strict=True)]
        ink = QColor(t.ink)
        ink.setAlphaF(0.07)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([*curve, self.at(1, 0)]))
        painter.setPen(QPen(QColor(t.ink), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(curve))
        self._paint_zero(painter, self.at(*self.shown.at_zero))

    def _paint_zero(self, painter: QPainter, place: QPointF) -> None:
        """The dot, and a plate below the diagonal with a line to it."""
        t, area = current(), self.area
        title = font(tokens.PX_SMALL, 600)
        wide = max(QFontMetrics(title).horizontalAdvance("Threshold 0"),
                   QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance(self.caption)) + 20
        plate = QRectF(area.right() - wide - 8, area.bottom() - 58, wide, 42)
        painter.setPen(QPen(QColor(t.t2), 1))
        painter.drawLine(place, QPointF(min(max(place.x(), plate.left() + 8), plate.right() - 8), plate.top()))
        painter.setPen(QPen(QColor(t.line2), 1))
        painter.setBrush(QColor(t.bg3))
        painter.drawRoundedRect(plate, tokens.RADIUS_FIELD, tokens.RADIUS_FIELD)
        inner = plate.toRect().adjusted(10, 4, -6, -4)
        paint_words(painter, QRect(inner.x(), inner.y(), inner.width(), 17), "Threshold 0", px=tokens.PX_SMALL,
                    weight=600)
        paint_words(painter, QRect(inner.x(), inner.y() + 17, inner.width(), 17), self.caption, px=tokens.PX_SMALL,
                    color="t2")
        painter.setPen(QPen(QColor(t.bg1), 2))
        painter.setBrush(QColor(t.ink))
        painter.drawEllipse(place, 5, 5)


class _Cell(QAbstractButton):
    """A share of a row, and how many that are. A click asks for them."""

    wanted = Signal(str)  # how they join the selection

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_CELL_W, _CELL_H)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.share, self.count, self._mode = 0.0, 0, "replace"
        self.clicked.connect(lambda: self.wanted.emit(self._mode))

    def show_share(self, share: float, count: int, what: str) -> None:
        self.share, self.count = share, count
        self.setEnabled(count > 0)
        words = f"{what}: {counted(count, 'bag')}, {percent(share)}"
        self.setAccessibleName(words)
        self.setToolTip(f"{words}. Click selects their instances." if count else words)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mode = mode_of(event.modifiers())
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._mode = "replace"
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(*ramp(np.array([0.08 + 0.72 * self.share]), 0, 1)[0].tolist())
        words = "#14181C" if ground.lightnessF() > 0.42 and ground.green() > 90 else "#FFFFFF"
        framed = self.hasFocus() or (self.underMouse() and self.isEnabled())
        painter.setPen(QPen(QColor(t.ink), 2) if framed else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        edge = 2.0 if framed else 1.0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(edge, edge, -edge, -edge), 3, 3)
        painter.setPen(QColor(words))
        painter.setFont(font(tokens.PX_HEADER, 600))
        middle = self.height() // 2
        painter.drawText(QRect(0, middle - 19, self.width(), 20), CENTER, percent(self.share))
        painter.setFont(font(tokens.PX_SMALL))
        painter.drawText(QRect(0, middle + 2, self.width(), 16), CENTER, spaced(self.count))


class Confusion(QWidget):
    """Rows: what bags are labeled; columns: what was said of them. Beside it what a fixed answer would reach."""

    wanted = Signal(object, str)  # numbers of bags, how their instances join the selection

    def __init__(self) -> None:
        super().__init__()
        self._found: Verdicts | None = None
        self._slots = (1, 2)
        self.cells = {(label, judged): _Cell() for label in (1, -1) for judged in (1, -1)}
        grid = QGridLayout(self)
        grid.setContentsMargins(_ROW_NAME, _HEAD, 0, 0)
        grid.setSpacing(2)
        for (label, judged), cell in self.cells.items():
            grid.addWidget(cell, int(label < 0), int(judged < 0))
            cell.wanted.connect(lambda mode, label=label, judged=judged: self._ask(label, judged, mode))
        grid.setColumnStretch(2, 1)
        self.setFixedHeight(_HEAD + 2 * _CELL_H + 2)
        look().changed.connect(self.update)

    def show_verdicts(self, found: Verdicts, slots: tuple[int, int]) -> None:
        """`slots`: glyphs of positive and of negative bags."""
        self._found, self._slots = found, slots
        for (label, judged), cell in self.cells.items():
            count, total = len(found.cell(label, judged)), int((found.labels == label).sum())
            cell.show_share(count / max(total, 1), count, f"{_sign(label)} bags judged {_sign(judged).lower()}")
        self.setAccessibleName("Confusion of bags")
        self.update()

    def _ask(self, label: int, judged: int, mode: str) -> None:
        if self._found is not None:
            self.wanted.emit(self._found.cell(label, judged), mode)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = 2 * _CELL_W + 2
        paint_words(painter, QRect(_ROW_NAME, 0, wide, 16), "Judged", px=tokens.PX_SMALL, align=CENTER, color="t2")
        for i, (slot, words) in enumerate(zip(self._slots, ("Positive", "Negative"), strict=True)):
            paint_glyph(painter, slot, QPointF(_ROW_NAME + i * (_CELL_W + 2) + _CELL_W / 2, 28), 4.5)
            y = _HEAD + i * (_CELL_H + 2)
            paint_glyph(painter, slot, QPointF(5, y + _CELL_H / 2), 4.5)
            paint_words(painter, QRect(16, y, _ROW_NAME - 20, _CELL_H), words)
        if self._found is not None:
            self._paint_majority(painter, self._found.majority)

    def _paint_majority(self, painter: QPainter, figure: Figure) -> None:
        left = _ROW_NAME + 2 * _CELL_W + 18
        wide = self.width() - left
        top = _HEAD + _CELL_H - 33
        paint_words(painter, QRect(left, top, wide, 16), figure.title, px=tokens.PX_SMALL, color="t2")
        paint_words(painter, QRect(left, top + 18, wide, 28), figure.value, px=tokens.PX_BIG, weight=600)
        paint_words(painter, QRect(left, top + 48, wide, 16), figure.interval, px=tokens.PX_SMALL, color="t2")


class Figures(QWidget):
    """Rows: title, number, interval."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Figure, ...] = ()
        look().changed.connect(self.update)

    def show_rows(self, rows: tuple[Figure, ...]) -> None:
        self.rows = rows
        self.setAccessibleName(", ".join(f"{row.title} {row.value} {row.interval}".strip() for row in rows))
        self.setFixedHeight(max(tokens.ROW * len(rows), 1))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = self.width()
        for i, row in enumerate(self.rows):
            y = i * tokens.ROW
            painter.fillRect(0, y, wide, 1, QColor(current().line))
            rect = QRect(0, y + 1, wide, tokens.ROW - 1)
            paint_words(painter, rect.adjusted(0, 0, -150, 0), row.title)
            paint_words(painter, rect.adjusted(0, 0, -88, 0), row.value, weight=600, align=RIGHT)
            paint_words(painter, rect, row.interval, px=tokens.PX_SMALL, color="t2", align=RIGHT)


class ChangesPlot(_Axes):
    """Share of labels that every round changed; a click chooses a round."""

    left, right, top, bottom = 46, 10, 10, 20
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(130)
        self._found: Rounds | None = None
        self.number = 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_rounds(self, found: Rounds, number: int) -> None:
        self._found, self.number = found, number
        self.x_range = (0.0, float(max(found.last, 1)))
        top = float(found.changed.max(initial=0.0))
        self.y_range = (0.0, next((step for step in (0.02, 0.05, 0.1, 0.2, 0.5) if step >= top), 1.0))
        self.setAccessibleName(
            "Labels changed per round: " + ", ".join(percent(share, digits=1) for share in found.changed)
        )
        self.update()

    def show_round(self, number: int) -> None:
        self.number = number
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = self.y_range[1]
        self.paint_y(painter, [(value, f"{100 * value:g} %") for value in (0.0, top / 2, top)], "Changed")
        found = self._found
        if found is None:
            return
        self.paint_x(painter, [(0, "start"), (found.last, spaced(found.last))], "")
        if self.number or found.kept:
            self._paint_stands(painter, found)
        line = [self.at(i + 1, share) for i, share in enumerate(found.changed.tolist())]
        painter.setPen(QPen(QColor(t.ink), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(line))
        for i, place in enumerate(line, start=1):
            now = i == self.number
            painter.setPen(QPen(QColor(t.bg1), 2) if now else QPen(QColor(t.ink), 1.5))
            painter.setBrush(QColor(t.ink) if now else QColor(t.bg1))
            painter.drawEllipse(place, 5.5 if now else 3, 5.5 if now else 3)

    def _paint_stands(self, painter: QPainter, found: Rounds) -> None:
        """A dashed line where the kept round is, with its name beside it."""
        t, area = current(), self.area
        x = self.at(found.kept, 0).x()
        painter.setPen(QPen(QColor(t.edge), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(t.t2))
        wide = QFontMetrics(painter.font()).horizontalAdvance("kept") + 2
        left = x + 5 if x + 5 + wide < area.right() else x - 5 - wide
        painter.drawText(QRectF(left, area.top() - 4, wide, 14), CENTER, "kept")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._found is not None:
            area = self.area
            part = (event.position().x() - area.left()) / max(area.width(), 1)
            self.chosen.emit(int(min(max(round(part * self._found.last), 0), self._found.last)))


def _sign(label: int) -> str:
    return "Positive" if label > 0 else "Negative"
