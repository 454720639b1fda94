"""The message bar and the plate for short news. They lie over the frame or the map in the middle of
the window: neither moves what is below, and neither covers the timeline or the log."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope.base.errors import shortened
from emberscope_app.state.core.message import Message
from emberscope_app.theme.controls import MessageBar, Plate
from emberscope_app.when.timers import Later, later

_PLATE_MS, _BAR_MS, _LONG_MS = 4000, 15_000, 30_000
_POINTED_MS = 2000  # a bar that is pointed at is looked at again so much later
_MOST = 30          # messages that wait; the log has all
_WIDTH, _GAP, _FOOT = 760, 8, 48  # px; plates and the legend of a map stand in its foot


class Messages(QWidget):
    """One bar with the newest message, and how many wait behind it; short good news on a plate.

    A message leaves by itself unless it is an error or about something under way: the next one
    comes to the front then.
    """

    def __init__(self, parent: QWidget, ground: Callable[[], QWidget]) -> None:
        """ground() : the widget of `parent` that may be covered."""
        super().__init__(parent)
        self._host, self._ground_now = parent, ground
        self._ground: QWidget | None = None  # followed as long as something is shown
        self._pile: list[Message] = []       # newest first; the first is on show
        self.bar = MessageBar(self)
        self.bar.dismissed.connect(self._leave)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.bar)
        self.plate = Plate(parent=parent)
        self.plate.hide()
        self._plate_timer = Later(self, self.plate.hide, _PLATE_MS)
        self._timer = Later(self, self._time_is_up)
        parent.installEventFilter(self)
        self.hide()

    def show_message(self, message: Message) -> None:
        """A plate for what is only good to know, a bar for what asks for something."""
        if message.stays or message.lasts or message.action or message.level != "info":
            same = [
                other for other in self._pile if shortened(other.words) == shortened(message.words)
            ]
            self._pile = [message, *(other for other in self._pile if other not in same)][:_MOST]
            self._show_first()
        else:
            self._show_plate(shortened(message.words))

    @property
    def words(self) -> list[str]:
        """What is shown and what waits, newest first."""
        return [shortened(message.words) for message in self._pile]

    def take_back(self, message: Message) -> None:
        """What it was about is over."""
        self._drop([other for other in self._pile if other.words == message.words])

    def clear(self) -> None:
        """What was said belongs to a project that is no longer open."""
        self._drop(list(self._pile))
        self.bar.clear()
        self.plate.setText("")
        self.plate.hide()

    def place(self) -> None:
        """Lie over the foot of what may be covered, wherever it is now."""
        ground = self._ground_now()
        if ground is not self._ground:
            if self._ground is not None:
                self._ground.removeEventFilter(self)
            ground.installEventFilter(self)
            self._ground = ground
        room = QRect(ground.mapTo(self._host, ground.rect().topLeft()), ground.size())
        if self._pile:
            # What may be covered is too small for the words
            if self._height(room) > room.height() - 2 * _GAP:
                room = self._host.rect()
            self._put(self, room, self._width(room), self._height(room))
            room.setBottom(self.y() + _FOOT - _GAP)  # the plate above the bar
        self._put(self.plate, room, self.plate.width(), self.plate.height())

    @staticmethod
    def _width(room: QRect) -> int:
        return min(_WIDTH, room.width() - 2 * _GAP)

    def _height(self, room: QRect) -> int:
        return self.bar.heightForWidth(self._width(room))

    @staticmethod
    def _put(widget: QWidget, room: QRect, width: int, height: int) -> None:
        y = max(room.bottom() + 1 - _FOOT - height, room.top() + _GAP)
        widget.setGeometry(room.center().x() - width // 2, y, width, height)
        widget.raise_()

    def _show_first(self) -> None:
        """Show the first of the pile, for its time; nothing where there is none."""
        self._timer.stop()
        self.setVisible(bool(self._pile))
        if not self._pile:
            return
        message, waiting = self._pile[0], len(self._pile) - 1
        self.bar.show_message(shortened(message.words), level=message.level, action=message.action,
                              on_action=message.on_action, details=message.details, waiting=waiting)
        if message.level != "err" and not message.lasts:
            self._timer.start(_LONG_MS if message.stays else _BAR_MS)
        self.place()

    def _time_is_up(self) -> None:
        if self.bar.underMouse():  # somebody reads it
            self._timer.start(_POINTED_MS)
        else:
            self._leave()

    def _leave(self) -> None:
        self._drop(self._pile[:1])

    def _drop(self, gone: list[Message]) -> None:
        """Take messages off the pile; what is on show stays where it is none of them."""
        if not gone:
            return
        front = self._pile[0]
        self._pile = [message for message in self._pile if message not in gone]
        if front in gone:
            self._show_first()
        else:
            self.bar.count(len(self._pile) - 1)

    def _show_plate(self, words: str) -> None:
        self.plate.setText(words)
        self.plate.adjustSize()
        self.plate.show()
        self.place()
        self._plate_timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size, and what is covered: another dock may come to the front."""
        kinds = QEvent.Type
        moves = (
            (kinds.Resize,)
            if watched is self._host
            else (kinds.Resize, kinds.Move, kinds.Hide, kinds.Show)
        )
        if event.type() in moves and (self._pile or self.plate.isVisible()):
            later(self, self.place)  # once the layout that moves it has settled
        return super().eventFilter(watched, event)
