"""The playhead of the timeline: a line through all rows, with the number of the frame on top."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font


def playhead_box(x: float, words: str, left: float, wide: float) -> QRectF:
    """Where its number stands, px of a widget so wide; never begins left of `left`."""
    width = max(QFontMetrics(font(tokens.PX_SMALL, 600)).horizontalAdvance(words) + 12, 22)
    return QRectF(min(max(x - width / 2, left), wide - width), 1, width, 18)


def paint_playhead(
    painter: QPainter, x: float, words: str, left: float, size: QSize, ruler: float
) -> None:
    """At x, px of a widget of a size; its number as `playhead_box` has it."""
    t = current()
    painter.setPen(QPen(QColor(t.ink), 1.5))
    painter.drawLine(QPointF(x, ruler - 4), QPointF(x, size.height()))
    painter.setFont(font(tokens.PX_SMALL, 600))
    box = playhead_box(x, words, left, size.width())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(t.ink))
    painter.drawRoundedRect(box, 3, 3)
    foot = box.bottom()
    painter.drawPolygon(QPolygonF([QPointF(x - 3.5, foot - 0.5), QPointF(x + 3.5, foot - 0.5),
                                   QPointF(x, foot + 3)]))
    painter.setPen(QColor(t.onink))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
