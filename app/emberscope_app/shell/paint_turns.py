"""A window paints in a turn of the event loop of its own, after the turn in which it was edited."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget


class PaintTurns(QObject):
    """Holds back what Qt asks of a window to paint until keys, mouse and timers had their turn.

    Qt paints right after what changed a view, before it looks at anything else: an edit of 30 ms and its picture of
    40 ms would keep a key waiting for 70 ms.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._paints = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._paint)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.UpdateRequest or self._paints:
            return False
        self._next.start()
        return True

    def _paint(self) -> None:
        self._paints = True
        try:
            QCoreApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
        finally:
            self._paints = False
