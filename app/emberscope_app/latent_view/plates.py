"""Plates over a map: quality, partial picture, lasso count. Theme-coloured, because a map's ground is."""

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look

MARGIN = 12


def number(value: int) -> str:
    """An integer with thin spaces for thousands."""
    return f"{value:,}".replace(",", "\u2009")


class MapPlate(QLabel):
    """Words on a quiet plate; `framed` plates stand out from the points under them."""

    def __init__(self, parent: QWidget, *, framed: bool = False, weight: int = 500, px: int = tokens.PX_BODY) -> None:
        super().__init__(parent)
        self._framed = framed
        self.setFont(font(px, weight))
        self.setContentsMargins(8, 4, 8, 4)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        look().changed.connect(self.update)
        self.hide()

    def say(self, words: str) -> None:
        """Show words; none hides the plate."""
        self.setText(words)
        self.adjustSize()
        self.setVisible(bool(words))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()), framed=self._framed)
        painter.setFont(self.font())
        painter.setPen(QColor(current().t1 if self._framed else current().t2))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter, self.text())


def paint_plate(painter: QPainter, rect: QRectF, *, framed: bool = False, radius: float = tokens.RADIUS_FIELD) -> None:
    """The ground of a plate."""
    t = current()
    ground = QColor(t.bg3 if framed else t.bg1)
    ground.setAlpha(245 if framed else 214)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(t.line2), 1) if framed else Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def beside(size: QSize, anchor: QRect, ground: QRect, avoid: list[QRect]) -> QPoint:
    """Where a plate goes next to an anchor: the first of eight places inside the ground that avoids the rest."""
    gap = 10
    left, right = anchor.left() - size.width() - gap, anchor.right() + gap
    above, below = anchor.top() - size.height() - gap, anchor.bottom() + gap
    middle_x, middle_y = anchor.center().x() - size.width() // 2, anchor.center().y() - size.height() // 2
    places = [(right, above), (right, below), (left, above), (left, below), (right, middle_y), (left, middle_y),
              (middle_x, above), (middle_x, below)]
    inner = ground.adjusted(4, 4, -4, -4)
    for x, y in places:
        rect = QRect(QPoint(x, y), size)
        if inner.contains(rect) and not any(rect.intersects(other) for other in avoid):
            return rect.topLeft()
    x = min(max(right, inner.left()), max(inner.right() - size.width(), inner.left()))
    y = min(max(below, inner.top()), max(inner.bottom() - size.height(), inner.top()))
    return QPoint(x, y)
