"""The threads of the program. All are begun here, so that none works on when the program ends.

Python takes its interpreter away from threads that outlast it. One that is inside of Qt or of a
compiler at that moment ends the whole process by a signal, after everything was done well.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from PySide6.QtCore import QObject, QThreadPool
from shiboken6 import isValid

_POLITE = 0.0002  # s between two looks of the interpreter at who else wants it


class Threads:
    """Begins threads and ends them. `ending` : work of many steps looks at it between two of them,
    and stops."""

    def __init__(self) -> None:
        self.ending = False
        self._lock = threading.Lock()
        self._begun: list[threading.Thread] = []
        self._pools: list[tuple[str, QThreadPool]] = []

    def begin(self, work: Callable[[], object], *, name: str) -> threading.Thread:
        """Have a thread do something."""
        thread = threading.Thread(target=work, name=name, daemon=True)
        with self._lock:
            self._begun = [*(other for other in self._begun if other.is_alive()), thread]
            thread.start()
        return thread

    def pool(self, parent: QObject, *, most: int, name: str) -> QThreadPool:
        """A pool of at most so many threads that belongs to an object."""
        pool = QThreadPool(parent)
        pool.setMaxThreadCount(most)
        self._pools = [*(known for known in self._pools if isValid(known[1])), (name, pool)]
        return pool

    def helpers(self, count: int, *, name: str) -> ThreadPoolExecutor:
        """Threads that share the work of one that waits for them: nothing of theirs outlasts it."""
        return ThreadPoolExecutor(count, thread_name_prefix=name)

    def end(self, seconds: float) -> list[str]:
        """Wait so long until all have done what they do; the names of those that still work
        then."""
        self.ending = True
        until = time.monotonic() + seconds
        with self._lock:
            begun = self._begun.copy()
        for thread in begun:
            thread.join(max(0.0, until - time.monotonic()))
        late = [thread.name for thread in begun if thread.is_alive()]
        pools = [known for known in self._pools if isValid(known[1])]
        return late + [name for name, pool in pools if not pool.waitForDone(_left_ms(until))]


def _left_ms(until: float) -> int:
    return max(0, round(1e3 * (until - time.monotonic())))


_threads = Threads()


def threads() -> Threads:
    """Those of this process."""
    return _threads


_lock = threading.Lock()
_usual: list[float] = []  # the interval to return to, once per polite thread


@contextmanager
def polite() -> Iterator[None]:
    """For Python work in a thread: with the usual 5 ms it would keep the window waiting at every
    call into numpy."""
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
