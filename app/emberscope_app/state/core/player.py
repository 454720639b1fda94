"""Playing a clip: one clock for every view that shows the frame in focus."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal

from emberscope.project import Project, SourceRef
from emberscope_app.state.core.focus import Focus
from emberscope_app.state.reading.readers import Readers
from emberscope_app.when.timers import Every

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)
_NO_RATE = 10.0   # frames/s of sources that do not say
_SHORTEST = 10    # ms between frames


class Clips(Protocol):
    """What the player steps through: the session."""

    focus: Focus
    project: Project
    readers: Readers

    def go(self, source: int | None = None, frame: int | None = None) -> None: ...


class Player(QObject):
    """Steps `session.focus.frame` in time. changed(): started, stopped, or another speed."""

    changed = Signal()

    def __init__(self, session: Clips) -> None:
        super().__init__()
        self._session = session
        self.speed = 1.0
        self.loop = False
        self._timer = Every(self, self._tick)
        session.focus.changed.connect(self._focus_changed)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def toggle(self) -> None:
        """Play, from the beginning where the end is on show; or pause."""
        last = self._last()
        if self.playing:
            self.stop()
        elif last > 0:
            if self._session.focus.frame >= last:
                self._session.go(frame=0)
            self._timer.start(self._interval())
            self.changed.emit()

    def stop(self) -> None:
        if self.playing:
            self._timer.stop()
            self.changed.emit()

    def set_speed(self, speed: float) -> None:
        """1 is the source's own rate."""
        self.speed = speed
        if self.playing:
            self._timer.setInterval(self._interval())
        self.changed.emit()

    def rate(self) -> float | None:
        """Frames per second of the source; None where it does not say."""
        ref = self._ref()
        return self._session.readers.facts(ref).fps if ref is not None else None

    def seconds_per_frame(self) -> float:
        return max(1 / ((self.rate() or _NO_RATE) * self.speed), _SHORTEST / 1000)

    def _interval(self) -> int:
        return round(1000 * self.seconds_per_frame())

    def _last(self) -> int:
        ref = self._ref()
        return ref.n_frames - 1 if ref is not None else 0

    def _ref(self) -> SourceRef | None:
        """The source in focus."""
        source = self._session.focus.source
        return self._session.project.sources.get(source) if source is not None else None

    def _tick(self) -> None:
        if self._session.focus.frame < self._last():
            self._session.go(frame=self._session.focus.frame + 1)
        elif self.loop:
            self._session.go(frame=0)
        else:
            self.stop()

    def _focus_changed(self, names: set[str]) -> None:
        if "source" in names:
            self.stop()
