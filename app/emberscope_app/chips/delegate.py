"""How a chip and the header of a group are painted."""

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPixmap

from emberscope.findings.concept_looks import concept_color
from emberscope_app.chips.model import Heading
from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph, star_path
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font
from emberscope_app.words import counted

_CHECK = 14


def paint_chip(painter: QPainter, rect: QRect, image: QImage | None, *, failed: bool = False) -> None:
    """A chip's pixels; a gray square where they are still to come, hatched where they cannot be read."""
    if image is not None:
        painter.drawImage(rect, image)
        return
    t = current()
    painter.fillRect(rect, QColor(t.bg3))
    if failed:
        painter.fillRect(rect, QBrush(QColor(t.line2), Qt.BrushStyle.BDiagPattern))


def paint_score(painter: QPainter, rect: QRect, score: float) -> None:
    """The score 0..1 as a bar in its track; nothing where there is no score."""
    if score != score:  # NaN
        return
    t = current()
    painter.fillRect(rect, QColor(t.bg4))
    painter.fillRect(QRect(rect.x(), rect.y(), round(rect.width() * min(max(score, 0.0), 1.0)), rect.height()),
                     QColor(t.t2))


def paint_ring(painter: QPainter, rect: QRect, *, selected: bool, hovered: bool, cursor: bool) -> None:
    """Selected = ink ring and check; pointed at = ink ring; the keyboard's place = a second, fine ring outside."""
    t = current()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if selected or hovered:
        # The dark line inside keeps a white ring apart from a white chip, and a dark one from a dark chip.
        painter.setPen(QPen(QColor(t.bg1), 1))
        painter.drawRect(rect.adjusted(2, 2, -3, -3))
        painter.setPen(QPen(QColor(t.ink if selected else t.t2), 2))
        painter.drawRect(rect.adjusted(1, 1, -1, -1))
    if cursor:
        painter.setPen(QPen(QColor(t.ink), 1))
        painter.drawRect(rect.adjusted(-2, -2, 1, 1))
    if selected and rect.width() >= 28:
        paint_check(painter, QPointF(rect.right() - 3 - _CHECK / 2, rect.top() + 4 + _CHECK / 2))


def paint_check(painter: QPainter, center: QPointF) -> None:
    """The check of a selected chip."""
    t = current()
    box = QRectF(center.x() - _CHECK / 2, center.y() - _CHECK / 2, _CHECK, _CHECK)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(t.bg1), 1))
        painter.setBrush(QColor(t.ink))
        painter.drawRoundedRect(box, tokens.RADIUS_TAG, tokens.RADIUS_TAG)
        check = _tinted("check", t.onink, painter.device().devicePixelRatioF())
        painter.drawPixmap(box.toRect().adjusted(1, 1, -1, -1), check)


def paint_header(painter: QPainter, rect: QRect, heading: Heading, *, folded: bool) -> None:
    """Chevron, class glyph, name, number of chips."""
    t = current()
    painter.fillRect(rect, QColor(t.bg1))
    ratio = painter.device().devicePixelRatioF()
    middle = rect.center().y()
    chevron = _tinted("right" if folded else "down", t.t2, ratio)
    painter.drawPixmap(QRect(rect.x() + tokens.PAD - 2, middle - 5, 12, 12), chevron)
    x = rect.x() + tokens.PAD + 18
    if heading.slot is not None:
        paint_glyph(painter, heading.slot, QPointF(x + 5, middle + 0.5), 4.5)
        x += 16
    elif heading.concept is not None:
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(concept_color(heading.concept, t.name)))
            painter.drawPath(star_path(QPointF(x + 5, middle + 0.5), 6.5))
        x += 17
    painter.setFont(font(tokens.PX_BODY, 600))
    painter.setPen(QColor(t.t1))
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.drawText(QRect(x, rect.y(), rect.width(), rect.height()), flags, heading.title)
    x += painter.fontMetrics().horizontalAdvance(heading.title) + 10
    painter.setFont(font(tokens.PX_SMALL))
    painter.setPen(QColor(t.t2))
    words = counted(heading.count, "chip")
    painter.drawText(QRect(x, rect.y(), rect.width(), rect.height()), flags, words)


@lru_cache(maxsize=32)
def _tinted(name: str, color: str, ratio: float) -> QPixmap:
    return pixmap(name, color, 12, ratio)
