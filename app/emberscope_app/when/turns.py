"""What views read of very many instances, one after the other: the window draws and hears between
two of them."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from emberscope_app.when.threads import polite, threads
from emberscope_app.when.timers import Later

MANY = 50_000        # instances of the run on show, or
MANY_LABELS = 5000   # labels of the project, from which on there is much
# Instances from which on a thread computes: one view alone would keep the window too long
VERY_MANY = 250_000

T = TypeVar("T")
Key = tuple[int, str]


class Turns(QObject):
    """Calls methods at once, or where there is much to read each in a turn of the event loop of its
    own.

    A method that is asked for again while it waits is called once, in the place it has. much,
    too_much : whether there is, and whether so much that threads compute it.
    """

    came = Signal(object)  # an _Answer, out of the thread

    def __init__(
        self, parent: QObject, much: Callable[[], bool], *, too_much: Callable[[], bool] = bool
    ) -> None:
        super().__init__(parent)
        self.ended = False  # the project is closed: nobody reads it any more
        self._much, self._too_much = much, too_much
        self._waiting: dict[Key, Callable[[], object]] = {}
        self._last: Key | None = None  # what was called, while others waited
        self._works: dict[Key, _Work] = {}  # what waits for its turn, for a thread, or to be shown
        self._pool = threads().pool(self, most=1, name="views")
        self.came.connect(self._take_answer)
        # Two timers, so that all that became due while the last one read comes before the next one.
        self._now = Later(self, self._take_one)
        self._next = Later(self, self._now.start)

    def take(self, method: Callable[[], object]) -> None:
        """Call a bound method now or soon."""
        if self._much():
            self.later(method)
        else:
            self._waiting.pop(_key(method), None)
            method()

    def aside(self, begin: Callable[[], Callable[[], T]], show: Callable[[T], object]) -> None:
        """Call bound methods now or soon: ``begin()`` says what to compute, ``show(result)`` shows
        what came of it.

        Where there is too much, a thread computes it: what `begin` returns reads nothing that may
        change meanwhile. What was asked for again in that time is shown, and then computed again.
        """
        key, work = _key(begin), self._works.get(_key(begin))
        if not self._much():
            self._works.pop(key, None)
            self._waiting.pop(key, None)
            show(begin()())
        elif work is not None:
            work.again = work.begun
        elif not self.ended:
            work = self._works[key] = _Work(self, key, begin, show)
            self._put({**self._waiting, key: partial(self._begin, work)})

    def later(self, method: Callable[[], object]) -> None:
        """Call a bound method in a turn of its own, however little there is."""
        self._put({**self._waiting, _key(method): self._waiting.get(_key(method), method)})

    def first(self, method: Callable[[], object]) -> None:
        """As `later`, before all that wait; again right after it was called, after one of them:
        what asks for itself each time keeps nobody waiting."""
        mine = _key(method)
        others = [(key, other) for key, other in self._waiting.items() if key != mine]
        ahead = others[: int(mine == self._last)]
        self._put(dict([*ahead, (mine, method), *others[len(ahead) :]]))

    def waits(self, method: Callable[[], object]) -> bool:
        """Whether it is called soon, or what it began is shown soon."""
        return _key(method) in self._waiting or _key(method) in self._works

    @property
    def busy(self) -> bool:
        """Whether something waits for its turn, or for a thread."""
        return bool(self._waiting) or bool(self._works)

    def forget(self) -> None:
        """What threads compute is of no use any more: another project is open."""
        self._waiting = {
            key: method for key, method in self._waiting.items() if key not in self._works
        }
        self._works.clear()

    def end(self) -> None:
        """Nothing of what waits is needed any more, nor of what comes."""
        self.ended = True
        self._waiting.clear()
        self._works.clear()

    def _put(self, waiting: dict[Key, Callable[[], object]]) -> None:
        if not self.ended:
            self._waiting = waiting
            self._next.start()

    def _take_one(self) -> None:
        try:
            if self._waiting:
                self._last = next(iter(self._waiting))
                self._waiting.pop(self._last)()
        finally:  # what goes wrong in one view holds up no other
            if self._waiting:
                self._next.start()
            else:
                self._last = None

    # --- threads

    def _begin(self, work: "_Work") -> None:
        work.begun, work.compute = True, work.begin()
        if self._too_much():
            self._pool.start(work.run)
        else:
            del self._works[work.key]
            work.show(work.compute())

    def _take_answer(self, answer: "_Answer") -> None:
        if self._works.get(answer.work.key) is answer.work:
            self._put({**self._waiting, answer.work.key: partial(self._show, answer)})

    def _show(self, answer: "_Answer") -> None:
        work = self._works.pop(answer.work.key)
        if work.again:
            self.aside(work.begin, work.show)
        if answer.error is not None:
            raise answer.error
        work.show(answer.result)


class _Work:
    """One thing to compute. begun : its turn came. again : it was asked for since then."""

    def __init__(self, turns: Turns, key: Key, begin: Callable[[], Callable[[], Any]],
                 show: Callable[[Any], object]) -> None:
        self._turns, self.key, self.begin, self.show = turns, key, begin, show
        self.begun = self.again = False
        self.compute: Callable[[], Any] = lambda: None

    def run(self) -> None:
        """In a thread."""
        result, error = None, None
        try:
            with polite():
                result = self.compute()
        except Exception as found:  # raised again in the thread that asked
            error = found
        if isValid(self._turns):  # the session may be gone
            self._turns.came.emit(_Answer(self, result, error))


class _Answer(NamedTuple):
    work: _Work
    result: Any
    error: Exception | None


def _key(method: Any) -> Key:
    return id(method.__self__), method.__name__
