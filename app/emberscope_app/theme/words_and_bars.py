"""Words, bars and intervals as painted widgets and lists have them."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter

from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def paint_words(
    painter: QPainter,
    rect: QRect,
    words: str,
    *,
    align: Qt.AlignmentFlag = LEFT,
    weight: int = 400,
    px: int = tokens.PX_BODY,
    color: str = "t1",
    whole_start: bool = False,
) -> None:
    """One line of text, shortened in the middle where it must be; at its end where the start
    matters most."""
    painter.setFont(font(px, weight))
    painter.setPen(QColor(getattr(current(), color, color)))
    where = Qt.TextElideMode.ElideRight if whole_start else Qt.TextElideMode.ElideMiddle
    words = painter.fontMetrics().elidedText(words, where, rect.width())
    painter.drawText(rect, int(align), words)


def paint_interval(
    painter: QPainter, rect: QRect, ends: tuple[float, float], *, best: float | None = None
) -> None:
    """The interval of a number 0..1 as a part of a thin line. best : what it could be at most, a
    mark across it."""
    t, middle = current(), rect.center().y()
    painter.fillRect(rect.x(), middle, rect.width(), 1, QColor(t.line2))
    low, high = (round(min(max(end, 0.0), 1.0) * (rect.width() - 1)) for end in ends)
    painter.fillRect(rect.x() + low, middle - 1, max(high - low, 2), 3, QColor(t.t2))
    if best is not None:
        at = rect.x() + round(min(max(best, 0.0), 1.0) * (rect.width() - 2))
        painter.fillRect(at, middle - 4, 2, 9, QColor(t.acc))


def paint_bar(
    painter: QPainter,
    rect: QRect,
    share: float,
    *,
    color: QColor | str = "",
    high: int = 4,
    is_round: bool = True,
) -> None:
    """A share 0..1 as a bar in its track."""
    t = current()
    share = min(max(share, 0.0), 1.0)
    track = QRect(rect.x(), rect.center().y() - (high - 1) // 2, rect.width(), high)
    radius, least = (high / 2, high) if is_round else (0, 0)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.bg4))
        painter.drawRoundedRect(track, radius, radius)
        if share > 0:
            painter.setBrush(QColor(color or t.t2))
            done = QRect(track.x(), track.y(), max(round(track.width() * share), least), high)
            painter.drawRoundedRect(done, radius, radius)
