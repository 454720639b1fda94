"""Timers of the thread that draws: once, again and again, and at most a share of its time."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_SHARE = 0.3      # of the thread, at most


def later(owner: QObject, act: Callable[[], object], ms: int = 0) -> None:
    """Call once, after so long, or with 0 in a turn of the event loop of its own; not where the
    owner is gone then."""
    QTimer.singleShot(ms, owner, act)


class Later(QTimer):
    """Calls `act` once, so long after the last `start()`; `stop()` gives it up, `isActive()` says
    whether it waits."""

    def __init__(self, owner: QObject, act: Callable[[], object], ms: int = 0) -> None:
        super().__init__(owner, singleShot=True, interval=ms)
        self.timeout.connect(act)


class Every(QTimer):
    """Calls `act` again and again, from `start()` to `stop()`."""

    def __init__(self, owner: QObject, act: Callable[[], object], ms: int = 0) -> None:
        super().__init__(owner, interval=ms)
        self.timeout.connect(act)


class Share(QObject):
    """For what comes faster than it can be drawn: calls `act` when asked, but leaves the rest of
    the thread to others. What is asked meanwhile becomes one call.

    What it costs is the work of the thread until the event loop is idle again, so that painting
    counts.
    """

    def __init__(
        self, act: Callable[[], object], parent: QObject, *, share: float = _SHARE
    ) -> None:
        super().__init__(parent)
        self._act, self._share = act, share
        self._busy = self._again = False
        self._rest = Later(self, self._end)

    def ask(self) -> None:
        """Now, or as soon as the share allows."""
        if self._busy:
            self._again = True
            return
        self._busy, self._again = True, False
        begun = time.thread_time()
        self._act()
        later(self, lambda: self._measure(begun))

    def _measure(self, begun: float) -> None:
        cost = time.thread_time() - begun
        self._rest.start(round(1e3 * cost * (1 / self._share - 1)))

    def _end(self) -> None:
        self._busy = False
        if self._again:
            self.ask()
