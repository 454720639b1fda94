"""A window paints in a turn of the event loop of its own, after the turn in which it was edited."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget

from emberscope_app.when.turns import Turns


class PaintTurns(QObject):
    """Holds back what Qt asks of a window to paint until keys, mouse and timers had their turn.

    It is painted before the next view reads, in whose turn of the event loop nothing else happens.

    Qt paints right after what changed a view, before it looks at anything else: an edit of 30 ms
    and painting it for 40 ms would keep a key waiting for 70 ms.
    """

    def __init__(self, window: QWidget, turns: Turns) -> None:
        super().__init__(window)
        self._window, self._turns = window, turns
        self._paints = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.UpdateRequest or self._paints or self._turns.ended:
            return False
        self._turns.first(self._paint)
        return True

    def _paint(self) -> None:
        self._paints = True
        try:
            QCoreApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
        finally:
            self._paints = False
