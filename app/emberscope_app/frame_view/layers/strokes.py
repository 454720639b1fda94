"""How strokes, plates and handles look over a frame: dark casing, constant width, legible on hot
and cold ground.

Always the dark column of the tokens: the frame's ground is the same in both themes.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import font

CASING = QColor(0, 0, 0, 140)  # 55 %
PLATE = QColor(12, 14, 16, 214)  # 84 %
WHITE = QColor("#FFFFFF")
MUTED = QColor("#AEB5BE")
_HATCH = 9  # px from line to line
INK = QColor("#FFFFFF")
GRAY = QColor("#C3C9D0")
DARK = QColor(12, 14, 16)
HOLLOW = QColor(12, 14, 16, 150)
HANDLE, HIT = 8.0, 14.0
PLATE_H = 20.0


def frame_color(slot: int) -> QColor:
    """A class color over a frame."""
    return tokens.DARK.class_color(slot)


def pen(color: QColor, width: float, dashes: Sequence[float] = ()) -> QPen:
    """A stroke of constant width; `dashes` in px."""
    found = QPen(
        color,
        width,
        Qt.PenStyle.SolidLine,
        Qt.PenCapStyle.FlatCap if dashes else Qt.PenCapStyle.RoundCap,
        Qt.PenJoinStyle.MiterJoin if dashes else Qt.PenJoinStyle.RoundJoin,
    )
    if dashes:
        # Qt counts dashes in pen widths
        found.setDashPattern([length / width for length in dashes])
    return found


def cased(painter: QPainter, stroke: QPen, draw: Callable[[], object]) -> None:
    """Draw twice: a dark casing 2 px wider, then the stroke."""
    painter.setPen(pen(CASING, stroke.widthF() + 2))
    draw()
    painter.setPen(stroke)
    draw()


def handle(painter: QPainter, at: QPointF, *, size: float = HANDLE, acts: bool = True) -> None:
    """A white square with a dark line; hollow where a press would not take it."""
    box = QRectF(round(at.x() - size / 2) + 0.5, round(at.y() - size / 2) + 0.5, size - 1, size - 1)
    grip(painter, acts=acts)
    painter.drawRect(box)


def grip(painter: QPainter, *, acts: bool) -> None:
    """Pen and brush of a handle."""
    painter.setPen(QPen(DARK if acts else WHITE, 1))
    painter.setBrush(WHITE if acts else HOLLOW)


def diamond(
    painter: QPainter, at: QPointF, *, acts: bool, held: QColor | None = None, radius: float = 6.5
) -> None:
    """The handle of r; in the color `held` while it is dragged."""
    x, y = at.x(), at.y()
    grip(painter, acts=acts)
    if held is not None:
        painter.setBrush(held)
    painter.drawPolygon(
        QPolygonF(
            [
                QPointF(x, y - radius),
                QPointF(x + radius, y),
                QPointF(x, y + radius),
                QPointF(x - radius, y),
            ]
        )
    )


def cross(painter: QPainter, at: QPointF, *, arm: float = 6.0) -> None:
    """The plus at the middle of a relaxed box."""
    path = QPainterPath(at - QPointF(arm, 0))
    path.lineTo(at + QPointF(arm, 0))
    path.moveTo(at - QPointF(0, arm))
    path.lineTo(at + QPointF(0, arm))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    cased(painter, pen(WHITE, 1.6), lambda: painter.drawPath(path))


def hatch(painter: QPainter, box: QRectF, *, alpha: int = 150) -> None:
    """Diagonal gray lines: this part is left out."""
    ratio = painter.device().devicePixelRatioF()
    brush = QBrush(_hatched(alpha, ratio))
    brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
    with saved(painter):
        painter.setBrushOrigin(QPointF(0, box.bottom()))
        painter.fillRect(box, brush)


@lru_cache(maxsize=8)
def _hatched(alpha: int, ratio: float) -> QImage:
    """A tile of the lines. Strokes over a whole frame would take a tenth of a second."""
    side = round(_HATCH * ratio)
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(Qt.GlobalColor.transparent)
    dark, light = QColor(0, 0, 0, alpha * 6 // 10), QColor(195, 201, 208, alpha)
    with QPainter(tile) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for color, width in ((dark, 3.0), (light, 1.2)):
            painter.setPen(QPen(color, width * ratio))
            for x in (-side, 0, side):
                painter.drawLine(QPointF(x - side, 2 * side), QPointF(x + 2 * side, -side))
    return tile


def soft(color: QColor, alpha: float) -> QBrush:
    found = QColor(color)
    found.setAlphaF(alpha)
    return QBrush(found)


def name_width(words: str, *, glyph: bool = True, suffix: str = "") -> float:
    """The width `name_plate` needs."""
    metrics = QFontMetricsF(font(tokens.PX_SMALL, 600))
    more = metrics.horizontalAdvance("  " + suffix) if suffix else 0
    return round((18 if glyph else 6) + metrics.horizontalAdvance(words) + more + 6)


def name_plate(
    painter: QPainter,
    box: QRectF,
    words: str,
    *,
    slot: int | None = None,
    icon: str = "",
    suffix: str = "",
) -> None:
    """The plate of a label: glyph and class, and how many it speaks for."""
    letters = font(tokens.PX_SMALL, 600)
    metrics = QFontMetricsF(letters)
    lead = 18.0 if slot is not None or icon else 6.0
    ground(painter, box)
    middle = box.center().y()
    if slot is not None:
        paint_glyph(painter, slot, QPointF(box.left() + 10, middle), 3.8, color=frame_color(slot))
    elif icon:
        painter.drawPixmap(QPointF(box.left() + 4, middle - 6), _icon(icon))
    painter.setFont(letters)
    painter.setPen(WHITE)
    area = box.adjusted(lead, 0, 0, 0)
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    if suffix:
        painter.setPen(MUTED)
        painter.drawText(
            area.adjusted(metrics.horizontalAdvance(words + "  "), 0, 0, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            suffix,
        )


def ground(painter: QPainter, box: QRectF, *, radius: float = tokens.RADIUS_TAG) -> None:
    """The dark ground of a plate."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(PLATE)
    painter.drawRoundedRect(box, radius, radius)


def row_plate(
    painter: QPainter, box: QRectF, parts: Sequence[tuple[str, QColor, int]], *, icon: str = ""
) -> None:
    """A plate with words in several tones: (words, color, weight) left to right, 12 px apart."""
    ground(painter, box, radius=tokens.RADIUS_FIELD)
    x = box.left() + 10
    if icon:
        painter.drawPixmap(QPointF(x, box.center().y() - 7), _icon(icon, 14))
        x += 22
    for words, color, weight in parts:
        letters = font(tokens.PX_BODY, weight)
        painter.setFont(letters)
        painter.setPen(color)
        width = QFontMetricsF(letters).horizontalAdvance(words)
        painter.drawText(
            QRectF(x, box.top(), width + 2, box.height()), Qt.AlignmentFlag.AlignVCenter, words
        )
        x += width + 12


def row_width(parts: Sequence[tuple[str, QColor, int]], *, icon: str = "") -> float:
    """The width `row_plate` needs."""
    words = sum(
        QFontMetricsF(font(tokens.PX_BODY, weight)).horizontalAdvance(text)
        for text, _, weight in parts
    )
    return words + 12 * (len(parts) - 1) + 20 + (22 if icon else 0)


def _icon(name: str, size: int = 12) -> QPixmap:
    return pixmap(name, WHITE, size, 2.0)
