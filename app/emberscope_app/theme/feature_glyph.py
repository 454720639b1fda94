"""Values of the features of a chip, painted where they look: strokes along edges per cell, or
pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from emberscope.findings.coloring import rgb
from emberscope_app.guard import saved
from emberscope_app.theme.look import current

MANY_CELLS = 12  # columns from which a cell has room for one stroke only
_FAINT = 0.04    # share of the strongest below which a stroke is left out
_LEAST_GRID = 12.0  # px of a cell from which lines between cells are drawn


@dataclass(frozen=True, slots=True)
class _Ends:
    """Colors of what goes with an axis and against it."""

    plus: QColor
    minus: QColor

    def of(self, value: float) -> QColor:
        return QColor(self.plus if value > 0 else self.minus)


def ends() -> _Ends:
    """Warm toward the positive end, cool toward the negative."""
    two_sided = current().two_sided
    return _Ends(QColor(two_sided[-1]), QColor(two_sided[0]))


def paint_strokes(painter: QPainter, frame: QRectF, strokes: NDArray, *, exact: bool) -> None:
    """Strokes of values (rows, columns, angles), warm where positive; of very many cells the
    strongest one each.

    exact : the angle of a stroke is its own, not the begin of a range.
    """
    t, color = current(), ends()
    rows, columns, _ = strokes.shape
    side = frame.height() / rows
    with saved(painter):
        painter.translate(frame.topLeft())
        if columns > MANY_CELLS:
            strokes = strongest(strokes)
        elif side >= _LEAST_GRID:
            painter.setPen(QPen(QColor(t.line), 1))
            for i in range(1, rows):
                painter.drawLine(QPointF(0, i * side), QPointF(frame.width(), i * side))
            for i in range(1, columns):
                painter.drawLine(QPointF(i * side, 0), QPointF(i * side, frame.height()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for sign in (-1, 1):
            for level, lines in stroke_lines(sign * strokes, side, exact=exact):
                ink = color.of(sign)
                ink.setAlphaF(0.25 + 0.75 * level)
                painter.setPen(QPen(ink, max(1.2, side / 48 + 2.2 * level * min(side / 40, 1)),
                                    Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                painter.drawLines(lines)


def strongest(strokes: NDArray) -> NDArray:
    """Of each cell (rows, columns, angles) the strongest value, zeros for the others."""
    return np.where(np.abs(strokes) == np.abs(strokes).max(axis=2, keepdims=True), strokes, 0)


def stroke_lines(
    values: NDArray, side: float, levels: int = 5, *, exact: bool = False
) -> list[tuple[float, list[QLineF]]]:
    """Strokes of the positive values (rows, columns, angles), by strength: (share of the strongest,
    lines), weak first.

    Edges lie across gradients: turned by 90 degrees; an angle stands for the middle of its bin, or
    is `exact`.
    """
    most = float(np.abs(values).max(initial=0.0))
    if most <= 0:
        return []
    share = values / most
    angle = (
        np.pi * (np.arange(values.shape[2]) + (0.0 if exact else 0.5)) / values.shape[2] + np.pi / 2
    )
    cos, sin = np.cos(angle), np.sin(angle)
    found: list[tuple[float, list[QLineF]]] = []
    for k in range(levels):
        low, high = max(k / levels, _FAINT), (k + 1) / levels
        rows, columns, turns = np.nonzero((share > low) & (share <= high))
        lines = []
        for r, c, a in zip(rows.tolist(), columns.tolist(), turns.tolist(), strict=True):
            reach = 0.46 * side * float(np.sqrt(share[r, c, a]))
            x, y, dx, dy = (
                (c + 0.5) * side,
                (r + 0.5) * side,
                reach * float(cos[a]),
                reach * float(sin[a]),
            )
            lines.append(QLineF(x - dx, y - dy, x + dx, y + dy))
        if lines:
            found.append((high, lines))
    return found


def paint_edges(painter: QPainter, place: QRect, values: NDArray) -> None:
    """Strokes of the positive values (rows, columns, angles), the stronger the brighter."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(QPointF(place.topLeft()))
        for level, lines in stroke_lines(values, place.height() / values.shape[0]):
            ink = QColor(current().t1)
            ink.setAlphaF(0.25 + 0.75 * level)
            painter.setPen(QPen(ink, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLines(lines)


def signed_image(values: NDArray) -> QImage:
    """Values as colors from cool over the ground of plots to warm, the strongest at the full
    color."""
    t = current()
    part = values / max(float(np.abs(values).max(initial=0.0)), 1e-12)
    ground = np.array(rgb(t.plot), float)
    plus, minus = (np.array(rgb(color), float) for color in (t.two_sided[-1], t.two_sided[0]))
    toward = np.where(part[:, :, None] > 0, plus, minus)
    pixels = np.ascontiguousarray(
        np.rint(ground + np.abs(part)[:, :, None] * (toward - ground)).astype(np.uint8)
    )
    rows, columns, _ = pixels.shape
    return QImage(pixels.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888).copy()
