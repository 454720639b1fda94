"""Things that come faster than they can be drawn take a bounded share of the thread that draws."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

_SHARE = 0.3      # of the thread, at most
_POLITE = 0.0002  # s between two looks of the interpreter at who else wants it


class Share(QObject):
    """Calls `act` when asked, but leaves the rest of the thread to others: what is asked meanwhile becomes one call.

    What it costs is the work of the thread until the event loop is idle again, so that painting counts.
    """

    def __init__(self, act: Callable[[], object], parent: QObject, *, share: float = _SHARE) -> None:
        super().__init__(parent)
        self._act, self._share = act, share
        self._busy = self._again = False
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._end)

    def ask(self) -> None:
        """Now, or as soon as the share allows."""
        if self._busy:
            self._again = True
            return
        self._busy, self._again = True, False
        begun = time.thread_time()
        self._act()
        QTimer.singleShot(0, self, lambda: self._measure(begun))

    def _measure(self, begun: float) -> None:
        cost = time.thread_time() - begun
        self._rest.start(round(1e3 * cost * (1 / self._share - 1)))

    def _end(self) -> None:
        self._busy = False
        if self._again:
            self.ask()


_lock = threading.Lock()
_usual: list[float] = []  # the interval to return to, once per polite thread


@contextmanager
def polite() -> Iterator[None]:
    """For Python work in a thread: with the usual 5 ms it would keep the window waiting at every call into numpy."""
    with _lock:
        _usual.append(_usual[0] if _usual else sys.getswitchinterval())
        sys.setswitchinterval(_POLITE)
    try:
        yield
    finally:
        with _lock:
            interval = _usual.pop()
            if not _usual:
                sys.setswitchinterval(interval)
