"""Message bars over the foot of the docks, and the plate for short news: neither moves what is below."""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope.base.errors import shortened
from emberscope_app.state.message import Message
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import MessageBar, Plate

_SHOWN_MS, _BAR_SHOWN_MS = 4000, 15_000
_MOST_BARS = 3
_WIDTH, _GAP = 760, 8  # px


class Messages(QWidget):
    """Bars that stay until read, newest on top; good news on a bar and short words on a plate go by themselves.

    They lie over the docks and grow upward from the status bar: a bar that took room would push the frame down, and
    its cross would lie where a button of a dock is once it is gone.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self.bars: list[MessageBar] = []
        self.plate = Plate(parent=parent)
        self.plate.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.plate.hide)
        parent.installEventFilter(self)
        self.hide()

    def show_message(self, message: Message) -> None:
        """A plate for what is only good to know, a bar for what asks for something."""
        if message.stays or message.action or message.level != "info":
            self._show_bar(message)
        else:
            self._show_plate(shortened(message.words))

    @property
    def words(self) -> list[str]:
        """What the bars say, newest first."""
        return [bar.words for bar in self.bars if not bar.isHidden()]

    def take_back(self, message: Message) -> None:
        """What it was about is over."""
        for bar in self.bars:
            if bar.words == message.words:
                bar.hide()

    def clear(self) -> None:
        """What was said belongs to a project that is no longer open."""
        for bar in self.bars:
            bar.clear()
        self.plate.setText("")
        self.plate.hide()

    def _show_bar(self, message: Message) -> None:
        words = shortened(message.words)
        bar = next((bar for bar in self.bars if not bar.isHidden() and bar.words == words), None)
        if bar is None:
            bar = MessageBar()
            bar.installEventFilter(self)
            self._column.insertWidget(0, bar)
            self.bars.insert(0, bar)
        bar.show_message(words, level=message.level, action=message.action, on_action=message.on_action,
                         details=message.details)
        if message.level == "info" and not message.stays:
            QTimer.singleShot(_BAR_SHOWN_MS, bar, bar.hide)
        for old in [bar for bar in self.bars if bar.isHidden()] + self.bars[_MOST_BARS:]:
            if old in self.bars:
                self.bars.remove(old)
                old.hide()
                old.deleteLater()
        self._place()

    def _show_plate(self, words: str) -> None:
        self.plate.setText(words)
        self.plate.adjustSize()
        host = self._host
        self.plate.move((host.width() - self.plate.width()) // 2, host.height() - self.plate.height() - 48)
        self.plate.show()
        self.plate.raise_()
        self._timer.start()

    def _place(self) -> None:
        """In the middle, above the status bar, as high as the bars that are left."""
        self.setVisible(bool(self.words))
        if self.words:
            host = self._host
            width = min(_WIDTH, host.width() - 2 * _GAP)
            height = self._column.totalHeightForWidth(width)
            foot = host.height() - tokens.STATUS_H - _GAP
            self.setGeometry((host.width() - width) // 2, foot - height, width, height)
            self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size, and bars that were dismissed."""
        if event.type() == (QEvent.Type.Resize if watched is self._host else QEvent.Type.HideToParent):
            self._place()
        return super().eventFilter(watched, event)
