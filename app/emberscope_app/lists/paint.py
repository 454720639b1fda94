"""One painter for each kind of cell, and the ground of a row."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from emberscope_app.guard import saved
from emberscope_app.lists import cells
from emberscope_app.lists.layout import SPARK_STEP, WRAP, placed
from emberscope_app.theme import tokens
from emberscope_app.theme.feature_glyph import paint_edges
from emberscope_app.theme.glyphs import concept_path, paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font
from emberscope_app.theme.words_and_bars import paint_bar, paint_interval, paint_words

_CHECK = 14     # px of the check of a chosen chip
_BUTTON = 26    # px of the height of a button
_PLATE = QColor(12, 14, 16, 214)  # under signs over an image


def paint_row(painter: QPainter, rect: QRect, row: cells.Row, whole: QRect | None = None) -> None:
    """Paint the lines of a row. whole : the place of the row through all columns of a table."""
    if whole is not None and any(line.across for line in row.lines):
        with saved(painter):
            painter.setClipRect(rect)
            _paint_cells(painter, rect, row, whole)
    else:
        _paint_cells(painter, rect, row, rect)


def _paint_cells(painter: QPainter, rect: QRect, row: cells.Row, whole: QRect) -> None:
    for cell, place in placed(row, rect, whole):
        paint_cell(painter, place, cell)


def paint_cell(painter: QPainter, place: QRect, cell: cells.Cell) -> None:
    """Paint a cell of any kind."""
    PAINTERS[type(cell)](painter, place, cell)


def color_of(name: str) -> QColor:
    """The color of a token of the theme, or "#RRGGBB" as it is."""
    return QColor(getattr(current(), name, name))


def paint_ground(
    painter: QPainter, rect: QRect, ground: cells.Ground, *, first: bool = True,
    chosen: bool = False, hovered: bool = False,
) -> None:  # fmt: skip
    """What lies under a row, or under a column of it; `first`: the one with the bar of a chosen
    row.

    chosen, hovered : what the view says, where the row says nothing of it.
    """
    t, (aside, above) = current(), ground.inset
    active = chosen if ground.active is None else ground.active
    lit = hovered if ground.hovered is None else ground.hovered
    box = rect.adjusted(aside, above, -aside, -above)
    box.setHeight(ground.high or box.height())
    if active or lit or ground.color:
        painter.fillRect(box, color_of("bg3" if active else ground.color or "bg2"))
    if ground.rule is not None:
        wide = rect.width() - 2 * ground.rule
        y = rect.top() if ground.above else rect.bottom()
        painter.fillRect(rect.x() + ground.rule, y, wide, 1, QColor(t.line))
    if active and first:
        painter.fillRect(box.x(), box.y(), 2, box.height(), QColor(t.ink))


def paint_chip(
    painter: QPainter, rect: QRect, image: QImage | None, *, failed: bool = False,
    ground: str = "bg3",
) -> None:  # fmt: skip
    """An image; its ground where it is still to come, hatched where it cannot be read."""
    if image is not None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(rect, image)
        return
    painter.fillRect(rect, color_of(ground))
    if failed:
        painter.fillRect(rect, QBrush(QColor(current().line2), Qt.BrushStyle.BDiagPattern))


def paint_ring(
    painter: QPainter, rect: QRect, *, selected: bool, hovered: bool, cursor: bool
) -> None:
    """Selected: ink ring and check. Pointed at: a ring. The keyboard's place: a fine one
    outside."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if selected or hovered:
        _paint_frame(painter, rect, "ink" if selected else "t2")
    if cursor:
        painter.setPen(QPen(color_of("ink"), 1))
        painter.drawRect(rect.adjusted(-2, -2, 1, 1))
    if selected and rect.width() >= 28:
        paint_check(painter, QPointF(rect.right() - 3 - _CHECK / 2, rect.top() + 4 + _CHECK / 2))


def _paint_frame(painter: QPainter, rect: QRect, color: str) -> None:
    """A ring; the line inside keeps a white one apart from a white chip, a dark one from a dark."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color_of("bg1"), 1))
    painter.drawRect(rect.adjusted(2, 2, -3, -3))
    painter.setPen(QPen(color_of(color), 2))
    painter.drawRect(rect.adjusted(1, 1, -1, -1))


def paint_check(painter: QPainter, center: QPointF) -> None:
    """The check of a selected chip."""
    t = current()
    box = QRectF(center.x() - _CHECK / 2, center.y() - _CHECK / 2, _CHECK, _CHECK)
    _paint_plate(painter, box, t.ink, tokens.RADIUS_TAG, edge=t.bg1)
    check = pixmap("check", t.onink, 12, painter.device().devicePixelRatioF())
    painter.drawPixmap(box.toRect().adjusted(1, 1, -1, -1), check)


def _paint_plate(
    painter: QPainter, box: QRectF, ground: str, radius: float, *, edge: str = ""
) -> None:
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color_of(edge), 1) if edge else Qt.PenStyle.NoPen)
        painter.setBrush(color_of(ground))
        painter.drawRoundedRect(box, radius, radius)


def _middle(place: QRect, high: int) -> QRect:
    """As high as that, in the middle of a place."""
    return QRect(place.x(), place.y() + (place.height() - high) // 2, place.width(), high)


# --- one for each kind


def _paint_words(painter: QPainter, place: QRect, cell: cells.Words) -> None:
    if cell.wraps:
        painter.setFont(font(cell.px, cell.weight))
        painter.setPen(color_of(cell.color))
        painter.drawText(place, WRAP, cell.text)
    else:
        paint_words(painter, place, cell.text, align=cell.align, weight=cell.weight, px=cell.px,
                    color=cell.color, whole_start=cell.whole_start)  # fmt: skip


def _paint_icon(painter: QPainter, place: QRect, cell: cells.Icon) -> None:
    box = _middle(place, cell.side)
    box.setWidth(cell.side)
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(box, pixmap(cell.name, color_of(cell.color), cell.side, ratio))


def _paint_glyph(painter: QPainter, place: QRect, cell: cells.Glyph) -> None:
    paint_glyph(painter, cell.slot, QRectF(place).center(), cell.radius)


def _paint_star(painter: QPainter, place: QRect, cell: cells.Star) -> None:
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color_of(cell.color))
        painter.drawPath(concept_path(QRectF(place).center(), place.width() / 2, tells=cell.tells))


def _paint_bar(painter: QPainter, place: QRect, cell: cells.Bar) -> None:
    paint_bar(painter, place, cell.share, color=color_of(cell.color), high=cell.high,
              is_round=cell.is_round)  # fmt: skip


def _paint_spark(painter: QPainter, place: QRect, cell: cells.Spark) -> None:
    x, base, high = place.x(), place.bottom() - 5, place.height() - 11
    first, others = color_of(cell.first), color_of("edge")
    for at, value in enumerate(cell.values):
        if value == value:
            tall = max(round(value * high), 1)
            bar = x + SPARK_STEP * at, base - tall, 2, tall
            painter.fillRect(*bar, others if at else first)


def _paint_interval(painter: QPainter, place: QRect, cell: cells.Interval) -> None:
    paint_interval(painter, place, cell.ends, best=cell.best)


def _paint_histogram(painter: QPainter, place: QRect, cell: cells.Histogram) -> None:
    step, base = place.width() / max(len(cell.shares), 1), place.bottom()
    for at, share in enumerate(cell.shares):
        tall, x = round((place.height() - 1) * share), place.x() + round(at * step)
        painter.fillRect(x, base - tall, max(round(step) - 1, 1), tall, color_of("t2"))
    painter.fillRect(place.x(), base, place.width(), 1, color_of("line2"))


def _paint_picture(painter: QPainter, place: QRect, cell: cells.Picture) -> None:
    box = _middle(place, cell.high or place.height())
    paint_chip(painter, box, cell.image, failed=cell.failed, ground=cell.ground)
    if cell.slots:
        _paint_slots(painter, box, cell.slots)
    if cell.ring:
        _paint_frame(painter, box, cell.ring)


def _paint_slots(painter: QPainter, box: QRect, slots: tuple[int, ...]) -> None:
    """Classes on a dark plate in the corner; over images their colors are those of the dark
    theme."""
    wide = 12 * len(slots)
    plate = QRect(box.right() - wide - 3, box.bottom() - 14, wide + 2, 13)
    painter.fillRect(plate, _PLATE)
    for at, slot in enumerate(slots):
        center = QPointF(plate.x() + 7 + 12 * at, plate.y() + 6.5)
        paint_glyph(painter, slot, center, 3.6, color=tokens.DARK.class_color(slot))


def _paint_strokes(painter: QPainter, place: QRect, cell: cells.Strokes) -> None:
    painter.fillRect(place, color_of("plot"))
    if cell.values is not None:
        paint_edges(painter, place, cell.values)


def _paint_button(painter: QPainter, place: QRect, cell: cells.Button) -> None:
    box = _middle(place, _BUTTON)
    edge = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
    _paint_plate(painter, edge, "bg2", tokens.RADIUS_FIELD, edge="line2")
    paint_words(painter, box, cell.text, align=cells.CENTER, weight=500)


def _paint_tag(painter: QPainter, place: QRect, cell: cells.Tag) -> None:
    box = _middle(place, cell.high or place.height())
    _paint_plate(painter, QRectF(box), cell.ground, tokens.RADIUS_TAG)
    paint_words(painter, box, cell.text, align=cells.CENTER, weight=cell.weight,
                px=tokens.PX_SMALL, color=cell.color)  # fmt: skip


def _paint_radio(painter: QPainter, place: QRect, cell: cells.Radio) -> None:
    t, center = current(), QRectF(place).center()
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(QColor(t.ink if cell.taken else t.line2 if cell.faint else t.edge), 1.6)
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(center, 6.5, 6.5)
        if cell.taken:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.ink))
            painter.drawEllipse(center, 3.5, 3.5)


def _paint_box(painter: QPainter, place: QRect, cell: cells.Check) -> None:
    box = _middle(place, 16)
    box.setWidth(16)
    ground = cell.color if cell.on else "bg1"
    _paint_plate(painter, QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), ground, tokens.RADIUS_TAG,
                 edge=cell.color if cell.on else "edge")  # fmt: skip
    if cell.on:
        dark = color_of(cell.color).lightnessF() > 0.4
        ratio = painter.device().devicePixelRatioF()
        sign = pixmap("check", "#14181C" if dark else "#FFFFFF", 12, ratio)
        painter.drawPixmap(box.adjusted(2, 2, -2, -2), sign)


PAINTERS: dict[type[cells.Cell], Callable[[QPainter, QRect, Any], None]] = {
    cells.Words: _paint_words, cells.Icon: _paint_icon, cells.Glyph: _paint_glyph,
    cells.Star: _paint_star, cells.Bar: _paint_bar, cells.Spark: _paint_spark,
    cells.Histogram: _paint_histogram, cells.Interval: _paint_interval,
    cells.Picture: _paint_picture, cells.Strokes: _paint_strokes,
    cells.Button: _paint_button, cells.Tag: _paint_tag, cells.Radio: _paint_radio,
    cells.Check: _paint_box,
    cells.Blank: lambda painter, place, cell: None,
}  # fmt: skip
