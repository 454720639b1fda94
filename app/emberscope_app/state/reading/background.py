"""Work in a thread beside the one that draws, waited for while the window goes on.

What it does in Python shares the interpreter with the window; what numpy, HDF5 and the disk do does
not.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Signal

from emberscope.base.errors import Cancelled
from emberscope_app.state.core.message import Message
from emberscope_app.state.core.session import Session
from emberscope_app.when.threads import polite, threads
from emberscope_app.when.timers import Later

T = TypeVar("T")
_AT_ONCE = 0.03  # s; what takes no longer is waited for where it stands
_SAY_MS = 300    # then a person hears what is going on, and can cancel it


class _Task(Generic[T]):
    """What a thread does. `results` holds what came of it, `error` what it raised."""

    def __init__(
        self, work: Callable[[], T], unwanted: Callable[[T], object], end: Callable[[], None]
    ) -> None:
        self._work, self._unwanted, self._end = work, unwanted, end
        self.results: list[T] = []
        self.error: BaseException | None = None
        self.over = threading.Event()
        self.canceled = False
        self._lock = threading.Lock()

    def run(self) -> None:
        try:
            with polite():
                self.results.append(self._work())
        except BaseException as error:
            self.error = error
        with self._lock:
            canceled = self.canceled
            if not canceled:
                self.over.set()
        if not canceled:
            self._end()
        elif self.results:
            self._unwanted(self.results[0])

    def cancel(self) -> None:
        """Nobody waits any more; where it is over already, nothing happens."""
        with self._lock:
            self.canceled = not self.over.is_set()


class Aside(QObject):
    """Does one thing at a time for a window."""

    _ended = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._loop: QEventLoop | None = None
        self._cancel: Callable[[], None] = lambda: None
        session.closing.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Somebody waits: the event loop turns inside of `wait`."""
        return self._loop is not None

    def cancel(self) -> None:
        """End the wait."""
        self._cancel()
        if self._loop is not None:
            self._loop.quit()

    def wait(
        self,
        work: Callable[[], T],
        *,
        words: str,
        unwanted: Callable[[T], object] = lambda result: None,
    ) -> T:
        """What `work` returns or raises. The window draws and hears meanwhile: whoever calls this
        looks afterward whether what was asked for is still wanted.

        words : what is said above 0.3 s, e.g. "Opening range.ember"; without them it cannot be
        canceled, and keys and mouse wait. unwanted : called in the thread with a result
        that came after it was canceled. Raises Cancelled where a person cancels, or the window
        closes.
        """
        assert self._loop is None, "one thing at a time"
        task = _Task(work, unwanted, self._ended.emit)
        threads().begin(task.run, name="aside")
        if not task.over.wait(_AT_ONCE):
            self._turn(task, words)
        if not task.over.is_set():
            raise Cancelled
        if task.error is not None:
            raise task.error
        return task.results[0]

    def wait_quietly(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises, where a person cannot cancel it; in this thread while
        another thing is done. Raises Cancelled where the window closes."""
        return work() if self.busy else self.wait(work, words="")

    def _turn(self, task: _Task[T], words: str) -> None:
        """Turn the event loop until it is over."""
        self._loop, self._cancel = QEventLoop(), task.cancel
        self._ended.connect(self._loop.quit)
        message = Message(words, "info", "Cancel", self.cancel, lasts=True)
        say = Later(self, lambda: self._session.message.emit(message), _SAY_MS)
        flags = QEventLoop.ProcessEventsFlag
        if words:
            say.start()
        try:
            if not task.over.is_set():
                self._loop.exec(flags.AllEvents if words else flags.ExcludeUserInputEvents)
            task.cancel()  # the program ends: nobody else says so
        finally:
            say.stop()
            say.deleteLater()
            self._loop, self._cancel = None, lambda: None
            self._session.settled.emit(message)
