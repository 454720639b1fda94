"""Class glyphs: color and shape together say the class."""

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from emberscope_app.guard import saved
from emberscope_app.theme.look import current

_RIM = 2.5  # px of ink around a point that stands out


def glyph_path(slot: int, center: QPointF, radius: float) -> QPainterPath:
    """Outline of the glyph of a class slot, centered, with the given radius in px."""
    return _outline(slot, radius).translated(center)


@lru_cache(maxsize=256)
def _outline(slot: int, r: float) -> QPainterPath:
    """The glyph around the origin: made once, for a timeline paints hundreds of it."""
    path = QPainterPath()
    if slot == 1:
        path.addEllipse(QPointF(), r, r)
    elif slot == 2:
        path.addRect(QRectF(-0.88 * r, -0.88 * r, 1.76 * r, 1.76 * r))
    elif slot in (3, 5):
        sign = -1 if slot == 3 else 1
        top, foot = sign * 1.1 * r, -sign * 0.75 * r
        path.addPolygon([QPointF(0, top), QPointF(r, foot), QPointF(-r, foot)])
        path.closeSubpath()
    elif slot in (0, 4):
        d = 1.15 * r
        path.addPolygon([QPointF(0, -d), QPointF(d, 0), QPointF(0, d), QPointF(-d, 0)])
        path.closeSubpath()
    elif slot == 6:
        path.addRect(QRectF(-0.4 * r, -1.1 * r, 0.8 * r, 2.2 * r))
    else:
        for angle in (0.0, math.pi / 2):
            w, h = (1.1 * r, 0.36 * r) if math.cos(angle) > 0.5 else (0.36 * r, 1.1 * r)
            path.addRect(QRectF(-w, -h, 2 * w, 2 * h))
        path = path.simplified()
    return path


def concept_path(center: QPointF, radius: float, *, tells: bool) -> QPainterPath:
    """The sign of a concept: a star, or a dot half as wide where it tells nothing."""
    if tells:
        return star_path(center, radius)
    path = QPainterPath()
    path.addEllipse(center, radius / 2, radius / 2)
    return path


def star_path(center: QPointF, radius: float) -> QPainterPath:
    """Outline of the star that stands for a concept."""
    path, corners = QPainterPath(), []
    for i in range(10):
        reach, angle = radius * (1.0 if i % 2 == 0 else 0.45), math.pi * (i / 5 - 0.5)
        corners.append(center + QPointF(reach * math.cos(angle), reach * math.sin(angle)))
    path.addPolygon(corners)
    path.closeSubpath()
    return path


def paint_glyph(
    painter: QPainter,
    slot: int,
    center: QPointF,
    radius: float = 4.5,
    *,
    color: QColor | None = None,
) -> None:
    """Paint a class glyph; slot 0 (unknown) is hollow, 255 (ignored) a barred circle."""
    color = color or current().class_color(slot)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if slot == 255:
            d = 0.7 * radius
            painter.setPen(QPen(color, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(center, radius, radius)
            painter.drawLine(center - QPointF(d, d), center + QPointF(d, d))
            return
        if slot == 0:
            painter.setPen(QPen(color, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
        painter.drawPath(glyph_path(slot, center, radius))


def paint_on_ink(painter: QPainter, center: QPointF, slot: int, rgb: int, radius: float) -> None:
    """A point of a map that stands out of the others: its glyph in its color, 0xRRGGBB, on a larger
    one in ink."""
    slot = slot if slot <= 7 else 1
    painter.setPen(Qt.PenStyle.NoPen)
    for color, size in ((QColor(current().ink), radius + _RIM), (QColor(0xFF000000 | rgb), radius)):
        painter.setBrush(color)
        painter.drawPath(glyph_path(slot, center, size))
