"""Plates over a map: quality, partial embedding, lasso count. Theme-colored, because a map's ground is."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from emberscope_app.theme import tokens
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.text import Text

MARGIN = 12
_PAD_X, _PAD_Y = 8, 4


class MapPlate(Text):
    """Words on a quiet plate; `framed` plates stand out from the points under them."""

    def __init__(self, parent: QWidget, *, framed: bool = False, weight: int = 500, px: int = tokens.PX_BODY) -> None:
        super().__init__("", parent)
        self._framed = framed
        self.setFont(font(px, weight))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        look().changed.connect(self.update)
        self.hide()

    def say(self, words: str) -> None:
        """Show words; none hides the plate."""
        self.setText(words)
        size = QFontMetrics(self.font()).size(0, words)
        self.resize(size.width() + 2 * _PAD_X, size.height() + 2 * _PAD_Y)  # not a label's: a new theme drops margins
        self.setVisible(bool(words))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()), framed=self._framed)
        painter.setFont(self.font())
        painter.setPen(QColor(current().t1 if self._framed else current().t2))
        inner = self.rect().adjusted(_PAD_X, _PAD_Y, -_PAD_X, -_PAD_Y)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self.text())


class QualityPlate(QAbstractButton):
    """Numbers of the run, as many as two lines hold, the important ones first; a click asks for more about them."""

    _LINE, _PAD, _GAP, _ARROW = 18, 8, 12, 16

    def __init__(self, parent: QWidget, *, title: str) -> None:
        super().__init__(parent)
        self._parts: list[str] = []
        self._doubts: frozenset[str] = frozenset()
        self._lines: list[list[str]] = []
        self._width = 10_000
        self.setFont(font(tokens.PX_BODY, 500))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title, self._map = title, parent
        self._pressed, self._dragged = QPoint(), False
        look().changed.connect(self.update)
        self.hide()

    def say(self, parts: Sequence[str], doubts: Collection[str] = ()) -> None:
        """Show parts, the most important first; none hides the plate. doubts : those that say what spoils the number
        before them, which stand out."""
        self._parts, self._doubts = list(parts), frozenset(doubts)
        self.setText("   ".join(parts))
        self.setAccessibleName(f"{self._title}: {', '.join(parts)}")
        self.setToolTip("\n".join([self._title, *parts]))
        self.arrange(self._width)
        self.setVisible(bool(parts))

    def arrange(self, width: int) -> None:
        """Take the size that at most `width` px allow."""
        self._width = width
        room = width - 2 * self._PAD - self._ARROW
        self._lines = in_lines(self._parts, [self._wide(part) for part in self._parts], room, gap=self._GAP)
        widest = max((self._line_wide(line) for line in self._lines), default=0)
        self.resize(widest + 2 * self._PAD + self._ARROW, len(self._lines) * self._LINE + 6)
        self.update()

    def sizeHint(self) -> QSize:
        return self.size()

    @property
    def shown(self) -> list[str]:
        """The parts there is room for."""
        return [part for line in self._lines for part in line]

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()), framed=self.underMouse() or self.hasFocus())
        painter.setFont(self.font())
        for i, line in enumerate(self._lines):
            x = self.width() - self._PAD - self._ARROW - self._line_wide(line)
            for part in line:
                painter.setPen(QColor(t.warn if part in self._doubts else t.t1 if self.underMouse() else t.t2))
                place = QRectF(x, 3 + i * self._LINE, self._wide(part) + 1, self._LINE)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, part)
                x += self._wide(part) + self._GAP
        arrow = pixmap("right", t.t2, 12, self.devicePixelRatioF())
        painter.drawPixmap(QRect(self.width() - self._PAD - 10, 3 + (self._LINE - 12) // 2, 12, 12), arrow)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._pressed, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Who draws over it means the map below: a lasso may begin here, or lead over it."""
        far = (event.position().toPoint() - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if event.buttons() & Qt.MouseButton.LeftButton and far and not self._dragged:
            self._dragged = True
            self.setDown(False)
            self._hand_down(QEvent.Type.MouseButtonPress, event, self._pressed)
        if self._dragged:
            self._hand_down(event.type(), event, event.position().toPoint())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._dragged = False
            self._hand_down(event.type(), event, event.position().toPoint())
        else:
            super().mouseReleaseEvent(event)

    def _hand_down(self, kind: QEvent.Type, event: QMouseEvent, at: QPoint) -> None:
        """Give what the mouse did here to the map."""
        below = self._map
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        place = QPointF(self.mapTo(below, at))
        handed = QMouseEvent(kind, place, QPointF(below.mapToGlobal(place)), button, event.buttons(), event.modifiers())
        QApplication.sendEvent(below, handed)

    def _wide(self, words: str) -> int:
        return QFontMetrics(self.font()).horizontalAdvance(words)

    def _line_wide(self, line: list[str]) -> int:
        return sum(self._wide(part) for part in line) + self._GAP * (len(line) - 1)


def in_lines(parts: Sequence[str], widths: Sequence[int], room: int, *, gap: int, most: int = 2) -> list[list[str]]:
    """Parts in lines of at most `room` px, in their order; what `most` lines do not hold is left out, the last first.

    Where one line is not enough the lines become about equally long.
    """
    kept = list(zip(parts, widths, strict=True))
    while kept:
        for limit in ([room] if _one_line(kept, gap) <= room else range(max(w for _, w in kept), room + 1, 8)):
            lines = _filled(kept, limit, gap)
            if len(lines) <= most:
                return [[part for part, _ in line] for line in lines]
        if len(kept) == 1:
            return [[kept[0][0]]]
        kept.pop()
    return []


def _one_line(parts: Sequence[tuple[str, int]], gap: int) -> int:
    return sum(wide for _, wide in parts) + gap * (len(parts) - 1)


def _filled(parts: Sequence[tuple[str, int]], room: int, gap: int) -> list[list[tuple[str, int]]]:
    lines: list[list[tuple[str, int]]] = []
    for part in parts:
        if lines and _one_line([*lines[-1], part], gap) <= room:
            lines[-1].append(part)
        else:
            lines.append([part])
    return lines


def paint_plate(painter: QPainter, rect: QRectF, *, framed: bool = False, radius: float = tokens.RADIUS_FIELD) -> None:
    """The ground of a plate."""
    t = current()
    ground = QColor(t.bg3 if framed else t.bg1)
    ground.setAlpha(245 if framed else 214)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(t.line2), 1) if framed else Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def beside(size: QSize, anchor: QRect, ground: QRect, avoid: list[QRect], points: Sequence[QPoint] = ()) -> QPoint:
    """Where a plate goes next to an anchor: the first of eight places inside the ground that avoids the rest; where
    none does, of these places, moved inside, and the corners the one that covers least of it.

    points : what it should not hide; of the places the first that hides fewest is taken, the corners of the ground
    included.
    """
    gap = 10
    left, right = anchor.left() - size.width() - gap, anchor.right() + gap
    above, below = anchor.top() - size.height() - gap, anchor.bottom() + gap
    middle_x, middle_y = anchor.center().x() - size.width() // 2, anchor.center().y() - size.height() // 2
    places = [(right, above), (right, below), (left, above), (left, below), (right, middle_y), (left, middle_y),
              (middle_x, above), (middle_x, below)]
    inner = ground.adjusted(4, 4, -4, -4)
    last = max(inner.right() - size.width() + 1, inner.left()), max(inner.bottom() - size.height() + 1, inner.top())
    corners = [(x, y) for x in (inner.left(), last[0]) for y in (inner.top(), last[1])]
    rects = [QRect(QPoint(x, y), size) for x, y in (places + corners if points else places)]
    free = [rect for rect in rects if inner.contains(rect) and not rect.intersects(anchor)
            and not any(rect.intersects(other) for other in avoid)]
    if free:
        return min(free, key=lambda rect: sum(rect.contains(point) for point in points)).topLeft()
    inside = [(min(max(x, inner.left()), last[0]), min(max(y, inner.top()), last[1])) for x, y in (*places, *corners)]
    rects = [QRect(QPoint(x, y), size) for x, y in inside]
    return min(rects, key=lambda rect: (rect.intersects(anchor), sum(map(_area, map(rect.intersected, avoid))))
               ).topLeft()


def _area(rect: QRect) -> int:
    return max(rect.width(), 0) * max(rect.height(), 0)
