"""The row of actions under the timeline: stretches in the colors of their actions, painted by
dragging."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.project.model.action_track import Stretch, action_names
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.actions import (
    action_color,
    action_colors,
    paint_action,
    remove_stretch,
    rename_stretch,
    stretches_of,
)
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

ERASE = ""  # the action that takes actions away


class ActionRow(QObject):
    """What the row shows and what a drag along it does. `changed`: it has to be painted again."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.stretches: list[Stretch] = []
        self.names: list[str] = []
        self._colors: dict[str, str] = {}
        self.painting = False   # a drag along the row paints
        self.action = "forward"  # what it paints
        self.chosen: Stretch | None = None
        self._drag: tuple[int, int] | None = None  # frames of the drag so far

    @property
    def shown(self) -> bool:
        return self.painting or bool(self.stretches)

    def read(self) -> None:
        """The actions along the source on show."""
        self.stretches = stretches_of(self.session)
        self.names = action_names(self.session.project)
        if self.chosen is not None:
            found = [
                s
                for s in self.stretches
                if (s.first, s.last) == (self.chosen.first, self.chosen.last)
            ]
            self.chosen = found[0] if found else None
        self.changed.emit()

    def set_painting(self, on: bool) -> None:
        self.painting, self._drag = on, None
        self.changed.emit()

    def at(self, frame: int) -> Stretch | None:
        """The stretch at a frame, the later one where two meet."""
        return next((s for s in reversed(self.stretches) if s.first <= frame <= s.last), None)

    def choose(self, stretch: Stretch | None) -> None:
        self.chosen = stretch
        self.changed.emit()

    # --- gestures

    def press(self, frame: int) -> None:
        """Begin to paint, or choose the stretch there."""
        if self.painting:
            self._drag = (frame, frame)
        self.chosen = None if self.painting else self.at(frame)
        self.changed.emit()

    def drag(self, frame: int) -> None:
        if self._drag is not None and frame != self._drag[1]:
            self._drag = (self._drag[0], frame)
            self.changed.emit()

    def release(self) -> None:
        """Paint what was dragged over; a click without a drag chooses."""
        drag, self._drag = self._drag, None
        if drag is not None and drag[0] != drag[1]:
            paint_action(self.session, min(drag), max(drag), self.action)
        elif drag is not None:
            self.chosen = self.at(drag[0])
        self.changed.emit()

    def cancel(self) -> bool:
        """Forget what is being painted or was chosen; whether there was something."""
        was = self._drag is not None or self.chosen is not None
        self._drag = self.chosen = None
        self.changed.emit()
        return was

    @property
    def busy(self) -> bool:
        return self._drag is not None

    def remove_chosen(self) -> None:
        if self.chosen is not None:
            remove_stretch(self.session, self.chosen)

    def rename_chosen(self, action: str) -> None:
        if self.chosen is not None and action and action != self.chosen.action:
            rename_stretch(self.session, self.chosen, action)

    # --- painting

    def paint(self, painter: QPainter, area: QRectF, x_of: Callable[[float], float]) -> None:
        """The stretches within an area, and the one being painted over them."""
        names = list({stretch.action: None for stretch in self.stretches})
        self._colors = dict(zip(names, action_colors(names, self.session.project), strict=True))
        for stretch in _apart(self.stretches, area, x_of):
            self._paint(painter, area, x_of(stretch.first), x_of(stretch.last), stretch.action,
                        chosen=stretch == self.chosen)
        if self._drag is not None:
            low, high = min(self._drag), max(self._drag)
            self._paint(painter, area, x_of(low), x_of(high), self.action, chosen=True)

    def _color(self, action: str) -> str:
        return self._colors.get(action) or action_color(action, self.session.project)

    def _paint(self, painter: QPainter, area: QRectF, left: float, right: float, action: str, *,
               chosen: bool) -> None:
        t = current()
        box = QRectF(
            QPointF(left, area.top() + 5), QPointF(max(right, left + 3), area.bottom() - 5)
        )
        color = QColor(self._color(action) if action else t.t3)
        ground = QColor(color)
        ground.setAlphaF(0.32)
        painter.setPen(QPen(QColor(t.ink), 2) if chosen else QPen(color, 1))
        painter.setBrush(ground if action else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setFont(font(tokens.PX_SMALL, 500))
        room = box.adjusted(6, 0, -4, 0).intersected(area)
        words = painter.fontMetrics().elidedText(
            action or "no action", Qt.TextElideMode.ElideRight, int(room.width())
        )
        if room.width() > 16:
            painter.setPen(QColor(t.t1))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)


def _apart(
    stretches: Sequence[Stretch], area: QRectF, x_of: Callable[[float], float]
) -> Iterator[Stretch]:
    """Those within an area, and of those that begin and end at the same pixels one: no more than
    there are pixels."""
    seen: set[tuple[int, int]] = set()
    for stretch in stretches:
        left, right = x_of(stretch.first), x_of(stretch.last)
        at = round(left), round(right)
        if right >= area.left() and left <= area.right() and at not in seen:
            seen.add(at)
            yield stretch
