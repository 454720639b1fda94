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
        self.ended = False  # the project is closed: nobody reads it any more
        self._much = much
        self._waiting: dict[tuple[int, str], Callable[[], object]] = {}
        # Two timers, so that all that became due while the last one read comes before the next one.
        self._next, self._now = (QTimer(self, singleShot=True, interval=0) for _ in range(2))
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
        self._put({**self._waiting, _key(method): self._waiting.get(_key(method), method)})

    def first(self, method: Callable[[], object]) -> None:
        """As `later`, before all that wait."""
        others = {key: other for key, other in self._waiting.items() if key != _key(method)}
        self._put({_key(method): method, **others})

    def waits(self, method: Callable[[], object]) -> bool:
        return _key(method) in self._waiting

    @property
    def busy(self) -> bool:
        """Whether something waits for its turn."""
        return bool(self._waiting)

    def end(self) -> None:
        """Nothing of what waits is needed any more, nor of what comes."""
        self.ended = True
        self._waiting.clear()

    def _put(self, waiting: dict[tuple[int, str], Callable[[], object]]) -> None:
        if not self.ended:
            self._waiting = waiting
            self._next.start()

    def _take_one(self) -> None:
        if self.busy:
            self._waiting.pop(next(iter(self._waiting)))()
        if self.busy:
            self._next.start()


def _key(method: Any) -> tuple[int, str]:
    return id(method.__self__), method.__name__
