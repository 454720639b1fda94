"""Two painted diagrams about a run: neighbors kept over their number, and distances on the map over those in the
features."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.findings.coloring import rgb
from emberscope.project import Run
from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look
from emberscope_app.words import axis_value, spaced

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 8, 36
_TICKS = (-0.5, 0.0, 0.5, 1.0)


class _Diagram(QWidget):
    """Axes without a box: the horizontal one logarithmic, faint lines at few ticks. `at` takes values."""

    def __init__(self, height: int, below: str, beside: str = "") -> None:
        super().__init__()
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._below, self._beside = below, beside
        self._x, self._y = (1.0, 10.0), (0.0, 1.0)
        look().changed.connect(self.update)

    @property
    def area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)

    def at(self, x: float, y: float) -> QPointF:
        """Where a place of the diagram is painted."""
        area, (low, high) = self.area, np.log(self._x)
        across = (float(np.log(x)) - low) / max(high - low, 1e-9)
        up = (y - self._y[0]) / max(self._y[1] - self._y[0], 1e-9)
        return QPointF(area.left() + float(across) * area.width(), area.bottom() - up * area.height())

    def paint_x_axis(self, painter: QPainter, *, lines: bool = True) -> None:
        """Figures, lines at them, and what is along the axis."""
        t, area = current(), self.area
        painter.setFont(font(tokens.PX_SMALL))
        taken = -1e9
        for value in round_numbers(*self._x):
            x = self.at(value, self._y[0]).x()
            words = axis_value(value)
            wide = QFontMetrics(painter.font()).horizontalAdvance(words)
            if x - wide / 2 < taken + 8:
                continue
            taken = x + wide / 2
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QPointF(x, area.top() if lines else area.bottom() + 1), QPointF(x, area.bottom() + 4))
            painter.setPen(QColor(t.t2))
            left = min(max(x - wide / 2, 0), self.width() - wide)
            painter.drawText(QRectF(left, area.bottom() + 4, wide + 1, 14), Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QColor(t.t2))
        painter.drawText(QRectF(area.left(), area.bottom() + 19, area.width(), 15), Qt.AlignmentFlag.AlignCenter,
                         self._below)

    def paint_y_axis(self, painter: QPainter, values: Sequence[float]) -> None:
        t, area = current(), self.area
        painter.setFont(font(tokens.PX_SMALL))
        for value in values:
            y = self.at(self._x[0], value).y()
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(t.t2))
            painter.drawText(QRectF(0, y - 8, _LEFT - 6, 16), Qt.AlignmentFlag.AlignRight, f"{value:g}")


class AgreementCurve(_Diagram):
    """R_NX over the number of neighbors K: 0 = as many as by chance, 1 = all. Pointing at it reads it off."""

    def __init__(self) -> None:
        super().__init__(188, "Neighbors K")
        self.setMouseTracking(True)
        self._k, self._r = np.empty(0), np.empty(0)
        self._pointed = -1

    def show_run(self, run: Run) -> bool:
        """Whether the run has a curve."""
        k, r = run.diagnostics.get("curve_k"), run.diagnostics.get("r_nx")
        if k is None or r is None or not np.isfinite(r).any():
            return False
        finite = np.isfinite(r)
        self._k, self._r = np.asarray(k, float)[finite], np.asarray(r, float)[finite]
        self._x = (float(self._k[0]), max(float(self._k[-1]), self._k[0] + 1))
        self._y = (min(0.0, float(np.floor(10 * self._r.min()) / 10)), 1.0)
        self._pointed = -1
        shown = ", ".join(f"{self.value(k):.2f} at {k}" for k in (5, 15, 50) if k <= self._k[-1])
        self.setAccessibleName(f"Neighbors kept above chance: {shown}")
        self.update()
        return True

    def value(self, k: float) -> float:
        """Agreement at K neighbors, between the points of the curve along its logarithm."""
        return float(np.interp(np.log(k), np.log(self._k), self._r))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_y_axis(painter, [tick for tick in _TICKS if tick >= self._y[0] and tick != 0])
        self.paint_x_axis(painter)
        self._paint_chance(painter)
        if len(self._k):
            self._paint_curve(painter)
        if self._pointed >= 0:
            self._paint_value(painter)

    def _paint_chance(self, painter: QPainter) -> None:
        t = current()
        start, end = self.at(self._x[0], 0), self.at(self._x[1], 0)
        painter.setPen(QPen(QColor(t.edge), 1, Qt.PenStyle.DashLine))
        painter.drawLine(start, end)
        painter.setPen(QColor(t.t2))
        painter.setFont(font(tokens.PX_SMALL))
        painter.drawText(QRectF(self._free_place(), start.y() - 16, 80, 14), Qt.AlignmentFlag.AlignLeft, "random")
        painter.drawText(QRectF(0, start.y() - 8, _LEFT - 6, 16), Qt.AlignmentFlag.AlignRight, "0")

    def _free_place(self) -> float:
        """Left end of a word above the dashed line, where the curve leaves most room for it."""
        area, wide = self.area, 48.0
        places = [area.left() + 4, area.center().x() - wide / 2, area.right() - wide - 4]
        if not len(self._k):
            return places[0]
        across = np.array([self.at(k, 0).x() for k in self._k])
        room = [float(np.interp(np.linspace(x, x + wide, 5), across, self._r).min()) for x in places]
        return places[int(np.argmax(room))]

    def _paint_curve(self, painter: QPainter) -> None:
        line = [self.at(k, r) for k, r in zip(self._k, self._r, strict=True)]
        ink = QColor(current().ink)
        painter.setPen(QPen(ink, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(line))
        ink.setAlphaF(0.07)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([self.at(self._k[0], 0), *line, self.at(self._k[-1], 0)]))

    def _paint_value(self, painter: QPainter) -> None:
        t, k, r = current(), self._k[self._pointed], self._r[self._pointed]
        place = self.at(k, r)
        painter.setPen(QPen(QColor(t.plot), 2))
        painter.setBrush(QColor(t.ink))
        painter.drawEllipse(place, 4.5, 4.5)
        words = f"K {spaced(round(k))}: {r:.2f}"
        painter.setFont(font(tokens.PX_SMALL, 500))
        wide = QFontMetrics(painter.font()).horizontalAdvance(words) + 12
        x = min(max(place.x() - wide / 2, self.area.left()), self.area.right() - wide)
        y = place.y() - 28 if place.y() - 28 > 0 else place.y() + 10
        painter.setPen(QPen(QColor(t.line2), 1))
        painter.setBrush(QColor(t.bg3))
        painter.drawRoundedRect(QRectF(x, y, wide, 18), tokens.RADIUS_TAG, tokens.RADIUS_TAG)
        painter.setPen(QColor(t.t1))
        painter.drawText(QRectF(x, y, wide, 18), Qt.AlignmentFlag.AlignCenter, words)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if len(self._k):
            across = [self.at(k, 0).x() for k in self._k]
            self._pointed = int(np.argmin(np.abs(np.array(across) - event.position().x())))
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = -1
        self.update()


class ShepardMap(_Diagram):
    """Distances on the map (up) over distances in the features (right), both logarithmic: random pairs gray,
    neighbors colored. A faithful map is a thin rising line."""

    def __init__(self) -> None:
        super().__init__(208, "Distance in the features")
        self._x_edges, self._z_edges = np.empty(0), np.empty(0)
        self._counts: tuple[NDArray, NDArray] = (np.empty((0, 0)), np.empty((0, 0)))
        self._image = QImage()
        look().changed.connect(self._make_image)

    def show_run(self, run: Run) -> bool:
        """Whether the run has a diagram."""
        names = ("shepard_edges_x", "shepard_edges_z", "shepard_global", "shepard_local")
        found = [np.asarray(run.diagnostics.get(name, ()), float) for name in names]
        edges = found[:2]
        if not all(part.size for part in found) or not all(each[0] > 0 and (np.diff(each) > 0).all() for each in edges):
            return False  # distances stand on a logarithm
        self._x_edges, self._z_edges = edges
        self._counts = np.maximum(np.nan_to_num(found[2]), 0), np.maximum(np.nan_to_num(found[3]), 0)
        self._cut()
        self._x, self._y = (self._x_edges[0], self._x_edges[-1]), (0.0, 1.0)
        rank = run.metrics.get("spearman_global", np.nan)
        self.setAccessibleName(f"Distances on the map over distances in the features, rank correlation {rank:.2f}")
        self._make_image()
        return True

    def _cut(self) -> None:
        """Leave out the bins at the ends that hold hardly any pair: one tiny distance would take half the room."""
        both = self._counts[0] / max(self._counts[0].sum(), 1) + self._counts[1] / max(self._counts[1].sum(), 1)
        for axis, name in ((0, "_x_edges"), (1, "_z_edges")):
            share = np.cumsum(both.sum(axis=1 - axis)) / max(both.sum(), 1e-12)
            first, last = int(np.searchsorted(share, 0.002)), int(np.searchsorted(share, 0.9995))
            last = min(max(last, first), len(share) - 1)
            setattr(self, name, getattr(self, name)[first : last + 2])
            keep = slice(first, last + 1)
            self._counts = tuple(c[keep] if axis == 0 else c[:, keep] for c in self._counts)  # type: ignore[assignment]
            both = both[keep] if axis == 0 else both[:, keep]

    def _make_image(self) -> None:
        """Cells from the ground of the diagram towards gray and color, by the root of the log count."""
        if not self._counts[0].size:
            return
        t = current()
        cells = np.array(rgb(t.plot), float)
        for counts, paint in zip(self._counts, (t.t2, t.doubt[3]), strict=True):
            weight = np.log1p(counts).T[::-1, :, None]
            strength = np.sqrt(weight / max(float(weight.max(initial=0.0)), 1e-9))
            cells = cells + 0.85 * strength * (np.array(rgb(paint)) - cells)
        pixels = np.ascontiguousarray(np.rint(cells).astype(np.uint8))
        rows, columns, _ = pixels.shape
        self._image = QImage(pixels.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888).copy()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, area = current(), QPainter(self), self.area
        painter.fillRect(area, QColor(t.plot))
        if not self._image.isNull():
            painter.drawImage(area, self._image)
        self.paint_x_axis(painter, lines=False)
        painter.setPen(QColor(t.t2))
        with saved(painter):
            painter.translate(12, area.center().y())
            painter.rotate(-90)
            painter.drawText(QRectF(-90, -8, 180, 16), Qt.AlignmentFlag.AlignCenter, "Distance on the map")
        self._paint_key(painter)

    def _paint_key(self, painter: QPainter) -> None:
        t, area = current(), self.area
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(tokens.PX_SMALL))
        for i, (color, words) in enumerate(((t.doubt[3], "neighbors"), (t.t2, "random pairs"))):
            y = area.top() + 12 + 16 * i
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(color))
            painter.drawRect(QRectF(area.left() + 10, y - 4, 8, 8))
            painter.setPen(QColor(t.t1))
            painter.drawText(QRectF(area.left() + 24, y - 8, 120, 16), Qt.AlignmentFlag.AlignVCenter, words)


def round_numbers(low: float, high: float) -> list[float]:
    """Powers of ten within a range; with few of them also their multiples 2 and 5, or finer ones."""
    powers = [10.0**p for p in range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1)]
    found: list[float] = []
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)):
        found = [step * power for power in powers for step in steps if low * 0.999 <= step * power <= high * 1.001]
        if len(found) > 2:
            break
    return found
