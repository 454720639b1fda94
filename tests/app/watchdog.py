"""How long the window did not answer, and what it did meanwhile.

A timer of the event loop beats every few milliseconds. Where two beats lie far apart, the thread
that draws was busy in one piece: nothing was painted, no key was heard. A second thread notes
meanwhile where it is, so that every stall has its profile. Stalls count by the time that thread
worked, not by the clock: a busy computer makes no stall. Where somebody tells how slow the computer
is (`slowness`), that time is told as it would be at the usual speed.
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType

from PySide6.QtCore import QCoreApplication, QElapsedTimer, QEventLoop, QObject, Qt, QTimer

BEAT, SAMPLE = 0.005, 0.004  # s between two beats, between two looks at the thread
_OFTEN = 0.08  # share of the looks from which on a profile names a function


@dataclass(frozen=True, slots=True)
class Stall:
    """One stretch without a beat. worked, lasted : s of the thread's own time, at the usual speed
    of the computer, and by the clock. profile : functions and the share of looks that found the
    thread in them, outermost first."""

    worked: float
    lasted: float
    profile: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{1e3 * self.worked:.0f} ms of work in one piece ({1e3 * self.lasted:.0f} ms by the "
            "clock)"
        ]
        return "\n".join([*lines, *(f"  {share:4.0%} {place}" for place, share in self.profile)])


@dataclass(slots=True)
class _Look:
    at: float
    places: tuple[CodeType, ...]


class Watchdog(QObject):
    """Watches the thread it is made in, between `start` and `stop`. `stalls` : what took longer
    than `bound` s.

    slowness : tells how many times as long as usual a piece of work takes at this moment; asked
    after each long stretch, and its own time is nobody's.
    """

    def __init__(self, *, bound: float = 0.05, slowness: Callable[[], float] = lambda: 1.0) -> None:
        super().__init__()
        self.bound, self.slowness = bound, slowness
        self.stalls: list[Stall] = []
        self.longest = self.longest_by_clock = 0.0
        self._thread = threading.get_ident()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._looks: list[_Look] = []
        self._over = threading.Event()
        self._sampler: threading.Thread | None = None
        self._worked = self._clock = 0.0

    def __enter__(self) -> "Watchdog":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        self.stalls, self.longest, self.longest_by_clock = [], 0.0, 0.0
        self._looks.clear()
        self._over.clear()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()
        self._worked, self._clock = time.thread_time(), time.perf_counter()
        self._timer.start(round(1e3 * BEAT))

    def stop(self) -> None:
        self._beat()
        self._timer.stop()
        self._over.set()
        if self._sampler is not None:
            self._sampler.join()

    def during(self, act: Callable[[], object], *, until: Callable[[], bool] = lambda: True,
               settle: float = 0.25, patience: float = 60.0) -> float:
        """Have the event loop do something, and go on until it has come of it and nothing followed
        for `settle` s.

        Returns the seconds until `until` held. Raises TimeoutError after `patience` s.
        """
        begun = time.perf_counter()
        acted: list[object] = []
        QTimer.singleShot(0, self, lambda: acted.append(act()))
        took = None
        quiet = QElapsedTimer()
        quiet.start()
        while took is None or quiet.elapsed() < 1e3 * settle:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
            if took is None and acted and until():
                took = time.perf_counter() - begun
                quiet.restart()
            if time.perf_counter() - begun > patience:
                raise TimeoutError("what was waited for did not come")
        return took

    def _beat(self) -> None:
        worked, clock = time.thread_time(), time.perf_counter()
        busy, lasted = worked - self._worked, clock - self._clock
        looks = self._looks.copy()
        if busy > self.bound / 2:
            busy /= self.slowness()
        self.longest, self.longest_by_clock = (
            max(self.longest, busy),
            max(self.longest_by_clock, lasted),
        )
        if busy > self.bound:
            self.stalls.append(Stall(busy, lasted, _profile(looks, since=self._clock)))
        self._looks.clear()
        self._worked, self._clock = time.thread_time(), time.perf_counter()

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE):
            self._looks.append(_Look(time.perf_counter(), _places(self._thread)))


def _places(thread: int) -> tuple[CodeType, ...]:
    """Where a thread is, innermost first. No frame may outlive this call: it keeps the locals of
    its function alive, and a QPainter that outlives the paint event ends the process."""
    frame: FrameType | None = sys._current_frames().get(thread)
    found = []
    while frame is not None and len(found) < 60:
        found.append(frame.f_code)
        frame = frame.f_back
    return tuple(found)


def _profile(looks: list[_Look], *, since: float) -> tuple[tuple[str, float], ...]:
    """Functions and the share of looks in which the thread was in them or in what they called,
    outermost first."""
    seen = [look.places for look in looks if look.at >= since]
    shares: Counter[str] = Counter()
    depths: dict[str, int] = {}
    for places in seen:
        ours = [_name(code) for code in reversed(places) if "emberscope_app" in code.co_filename
                or "emberscope/" in code.co_filename]
        names = [*ours, _name(places[0])] if places else []
        shares.update(set(names))
        for depth, name in enumerate(names):
            depths[name] = max(depths.get(name, 0), depth)
    often = [name for name, count in shares.items() if count >= _OFTEN * len(seen)]
    return tuple(
        (name, shares[name] / len(seen))
        for name in sorted(often, key=lambda name: (depths[name], name))
    )


def _name(code: CodeType) -> str:
    file = code.co_filename.rpartition("/")[2].removesuffix(".py")
    return f"{file}.{code.co_qualname.rpartition('.')[2]}"
