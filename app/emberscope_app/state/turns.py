"""What views read of very many instances, one after the other: the window draws and hears between two of them."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer

MANY = 50_000       # instances of the run on show, or
MANY_LABELS = 5000  # labels of the project, from which on there is much


class Turns(QObject):
    """Calls methods at once, or where there is much to read each in a turn of the event loop of its own.

    A method that is asked for again while it waits is called once, in the place it has.
    """

    def __init__(self, parent: QObject, much: Callable[[], bool]) -> None:
        super().__init__(parent)
        self._much = much
        self._waiting: dict[tuple[int, str], Callable[[], object]] = {}
        self._next = QTimer(self, singleShot=True, interval=1)  # after what the last one has made to be painted
        self._now = QTimer(self, singleShot=True, interval=0)   # and after what became due meanwhile
        self._next.timeout.connect(self._now.start)
        self._now.timeout.connect(self._take_one)

    def take(self, method: Callable[[], object]) -> None:
        """Call a bound method now or soon."""
        if self._much():
            self.later(method)
        else:
            self._waiting.pop(_key(method), None)
            method()

    def later(self, method: Callable[[], object]) -> None:
        """Call a bound method in a turn of its own, however little there is."""
        self._waiting.setdefault(_key(method), method)
        self._next.start()

    def waits(self, method: Callable[[], object]) -> bool:
        return _key(method) in self._waiting

    @property
    def busy(self) -> bool:
        """Whether something waits for its turn."""
        return bool(self._waiting)

    def forget(self) -> None:
        """Nothing of what waits is needed any more."""
        self._waiting.clear()

    def _take_one(self) -> None:
        if self.busy:
            self._waiting.pop(next(iter(self._waiting)))()
        if self.busy:
            self._next.start()


def _key(method: Any) -> tuple[int, str]:
    return id(method.__self__), method.__name__
