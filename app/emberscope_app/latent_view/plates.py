"""Plates over a map: quality, partial embedding, lasso count. Theme-colored, because a map's ground
is."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

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

    def __init__(
        self, parent: QWidget, *, framed: bool = False, weight: int = 500, px: int = tokens.PX_BODY
    ) -> None:
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
        # Not a label's: a new theme drops margins
        self.resize(size.width() + 2 * _PAD_X, size.height() + 2 * _PAD_Y)
        self.setVisible(bool(words))

    def silence(self) -> None:
        """Hide."""
        self.say("")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()), framed=self._framed)
        painter.setFont(self.font())
        painter.setPen(QColor(current().t1 if self._framed else current().t2))
        inner = self.rect().adjusted(_PAD_X, _PAD_Y, -_PAD_X, -_PAD_Y)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self.text())


class Part(NamedTuple):
    """A piece of the plate of quality: a number in words; `warns`: what spoils the number before
    it; `minor`: it goes before any other where there is no room."""

    words: str
    warns: bool = False
    minor: bool = False


SIGN = "\u26a0"  # stands for words of warning that have no room


class QualityPlate(QAbstractButton):
    """Numbers of the run, as many as there is room for, the important ones first; a click asks for
    more about them.

    Two lines, or three where the important ones need these; fewer over a low map. What has no room
    is counted, and is in the tool tip.
    """

    _SHARE = 0.2  # of the height of the map, at most
    _LINE, _PAD, _GAP, _ARROW = 18, 8, 12, 16

    def __init__(self, parent: QWidget, *, title: str) -> None:
        super().__init__(parent)
        self._parts: list[Part] = []
        self._lines: list[list[Part]] = []
        self._width = self._height = 10_000
        self.setFont(font(tokens.PX_BODY, 500))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title, self._map = title, parent
        self._pressed, self._dragged = QPoint(), False
        look().changed.connect(self.update)
        self.hide()

    def say(self, parts: Sequence[Part]) -> None:
        """Show parts, the most important first; none hides the plate."""
        self._parts, words = list(parts), [part.words for part in parts]
        self.setText("   ".join(words))
        self.setAccessibleName(f"{self._title}: {', '.join(words)}")
        self.setToolTip("\n".join([self._title, *words]))
        self.arrange(self._width, self._height)
        self.setVisible(bool(parts))

    def silence(self) -> None:
        """Hide."""
        self.say([])

    def arrange(self, width: int, height: int) -> None:
        """Take the size that at most `width` px allow, over a map `height` px high."""
        self._width, self._height = width, height
        room = width - 2 * self._PAD - self._ARROW
        most = min(max(int(self._SHARE * height / self._LINE), 1), 3)
        self._lines = in_room(self._parts, self._wide, room, gap=self._GAP, most=most)
        widest = max((self._line_wide(line) for line in self._lines), default=0)
        self.resize(widest + 2 * self._PAD + self._ARROW, len(self._lines) * self._LINE + 6)
        self.update()

    def sizeHint(self) -> QSize:
        return self.size()

    @property
    def shown(self) -> list[str]:
        """The words there is room for."""
        return [part.words for line in self._lines for part in line]

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current()
        painter = QPainter(self)
        paint_plate(painter, QRectF(self.rect()), framed=self.underMouse() or self.hasFocus())
        painter.setFont(self.font())
        for i, line in enumerate(self._lines):
            x = self.width() - self._PAD - self._ARROW - self._line_wide(line)
            for part in line:
                painter.setPen(
                    QColor(t.warn if part.warns else t.t1 if self.underMouse() else t.t2)
                )
                place = QRectF(x, 3 + i * self._LINE, self._wide(part.words) + 1, self._LINE)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, part.words)
                x += self._wide(part.words) + self._GAP
        arrow = pixmap("right", t.t2, 12, self.devicePixelRatioF())
        painter.drawPixmap(
            QRect(self.width() - self._PAD - 10, 3 + (self._LINE - 12) // 2, 12, 12), arrow
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._pressed, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Who draws over it means the map below: a lasso may begin here, or lead over it."""
        far = (
            event.position().toPoint() - self._pressed
        ).manhattanLength() >= QApplication.startDragDistance()
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
        button = (
            Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        )
        place = QPointF(self.mapTo(below, at))
        handed = QMouseEvent(
            kind,
            place,
            QPointF(below.mapToGlobal(place)),
            button,
            event.buttons(),
            event.modifiers(),
        )
        QApplication.sendEvent(below, handed)

    def _wide(self, words: str) -> int:
        return QFontMetrics(self.font()).horizontalAdvance(words)

    def _line_wide(self, line: list[Part]) -> int:
        return sum(self._wide(part.words) for part in line) + self._GAP * (len(line) - 1)


def in_room(
    parts: Sequence[Part], wide: Callable[[str], int], room: int, *, gap: int, most: int = 3
) -> list[list[Part]]:
    """Parts in lines of at most `room` px, in their order. wide : width of words in px. most :
    lines there may be, 1 to 3.

    Where two lines do not hold all of them, minor numbers go first, the last before others; then
    there are three lines; then the words of warnings become a sign, the last first; then numbers
    go, the last first. The last part counts what went.
    """
    whole = [part for part in parts if part.words]
    many = sum(part.minor for part in whole)
    two = min(most, 2)
    for lines, left_out in [
        (two, 0),
        *((lines, count) for lines in (two, most) for count in range(1, many + 1)),
    ]:
        found = _lines(_without(whole, left_out), wide, room, gap=gap, most=lines)
        if found:
            return found
    main = [part for part in whole if not part.minor]
    for signs in range(sum(part.warns for part in main) + 1):
        found = _lines(_counted(_signed(main, signs), many), wide, room, gap=gap, most=most)
        if found:
            return found
    short = _signed(main, len(main))
    for left in range(len(short) - 1, 0, -1):
        gone = sum(not part.warns for part in short[left:])
        found = _lines(_counted(short[:left], many + gone), wide, room, gap=gap, most=most)
        if found:
            return found
    return [[part] for part in short[:1]]


def _without(parts: list[Part], count: int) -> list[Part]:
    """The parts less the last `count` minor ones, which are counted."""
    minor = [at for at, part in enumerate(parts) if part.minor]
    gone = set(minor[len(minor) - count :])
    return _counted([part for at, part in enumerate(parts) if at not in gone], count)


def _counted(parts: list[Part], gone: int) -> list[Part]:
    return [*parts, Part(f"+{gone}")] if gone else parts


def _signed(parts: list[Part], count: int) -> list[Part]:
    """The parts with a sign in place of the words of the last `count` warnings."""
    warning = [at for at, part in enumerate(parts) if part.warns]
    short = set(warning[max(len(warning) - count, 0) :])
    return [part._replace(words=SIGN) if at in short else part for at, part in enumerate(parts)]


def _lines(
    parts: list[Part], wide: Callable[[str], int], room: int, *, gap: int, most: int
) -> list[list[Part]]:
    """Parts in as few lines as hold them, of about equal lengths; none where `most` do not."""
    kept = [(part, wide(part.words)) for part in parts]
    if not kept or max(width for _, width in kept) > room:
        return []
    fewest = len(_filled(kept, room, gap))
    if fewest > most:
        return []
    limits = (*range(max(width for _, width in kept), room, 8), room)
    even = next(lines for limit in limits if len(lines := _filled(kept, limit, gap)) <= fewest)
    return [[part for part, _ in line] for line in even]


def _one_line(parts: Sequence[tuple[Part, int]], gap: int) -> int:
    return sum(wide for _, wide in parts) + gap * (len(parts) - 1)


def _filled(parts: Sequence[tuple[Part, int]], room: int, gap: int) -> list[list[tuple[Part, int]]]:
    lines: list[list[tuple[Part, int]]] = []
    for part in parts:
        if lines and _one_line([*lines[-1], part], gap) <= room:
            lines[-1].append(part)
        else:
            lines.append([part])
    return lines


def paint_plate(
    painter: QPainter, rect: QRectF, *, framed: bool = False, radius: float = tokens.RADIUS_FIELD
) -> None:
    """The ground of a plate."""
    t = current()
    ground = QColor(t.bg3 if framed else t.bg1)
    ground.setAlpha(245 if framed else 214)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(t.line2), 1) if framed else Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def beside(
    size: QSize, anchor: QRect, ground: QRect, avoid: list[QRect], points: Sequence[QPoint] = ()
) -> QPoint:
    """Where a plate goes next to an anchor: the first of eight places inside the ground that avoids
    the rest; where none does, of these places, moved inside, and the corners the one that covers
    least of it.

    points : what it should not hide; of the places the first that hides fewest is taken, the
    corners of the ground included.
    """
    gap = 10
    left, right = anchor.left() - size.width() - gap, anchor.right() + gap
    above, below = anchor.top() - size.height() - gap, anchor.bottom() + gap
    middle_x, middle_y = (
        anchor.center().x() - size.width() // 2,
        anchor.center().y() - size.height() // 2,
    )
    places = [
        (right, above),
        (right, below),
        (left, above),
        (left, below),
        (right, middle_y),
        (left, middle_y),
        (middle_x, above),
        (middle_x, below),
    ]
    inner = ground.adjusted(4, 4, -4, -4)
    last = (
        max(inner.right() - size.width() + 1, inner.left()),
        max(inner.bottom() - size.height() + 1, inner.top()),
    )
    corners = [(x, y) for x in (inner.left(), last[0]) for y in (inner.top(), last[1])]
    rects = [QRect(QPoint(x, y), size) for x, y in (places + corners if points else places)]
    free = [rect for rect in rects if inner.contains(rect) and not rect.intersects(anchor)
            and not any(rect.intersects(other) for other in avoid)]
    if free:
        return min(free, key=lambda rect: sum(rect.contains(point) for point in points)).topLeft()
    inside = [
        (min(max(x, inner.left()), last[0]), min(max(y, inner.top()), last[1]))
        for x, y in (*places, *corners)
    ]
    rects = [QRect(QPoint(x, y), size) for x, y in inside]
    return min(
        rects,
        key=lambda rect: (rect.intersects(anchor), sum(map(_area, map(rect.intersected, avoid)))),
    ).topLeft()


def _area(rect: QRect) -> int:
    return max(rect.width(), 0) * max(rect.height(), 0)
