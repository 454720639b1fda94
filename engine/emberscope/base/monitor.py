"""Progress, partial results and cancelling, as one small protocol."""

import threading
from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from emberscope.base.errors import Cancelled


@runtime_checkable
class Monitor(Protocol):
    """What a long computation reports to. Call `step` a few times per second."""

    def step(self, fraction: float, message: str = "") -> None:
        """Report progress in [0, 1]; raises `Cancelled` when the user asked to stop."""

    def partial(self, Z: np.ndarray) -> None:
        """Show an intermediate embedding, (N, d)."""


class Silent(Monitor):
    """A monitor that ignores everything."""

    def step(self, fraction: float, message: str = "") -> None:
        pass

    def partial(self, Z: np.ndarray) -> None:
        pass


class Watch(Monitor):
    """A monitor made of functions; `stop` returning True cancels at the next step."""

    def __init__(
        self,
        on_step: Callable[[float, str], None] | None = None,
        *,
        on_partial: Callable[[np.ndarray], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._on_step = on_step
        self._on_partial = on_partial
        self._stop = stop

    def step(self, fraction: float, message: str = "") -> None:
        if self._stop():
            raise Cancelled
        if self._on_step is not None:
            self._on_step(fraction, message)

    def partial(self, Z: np.ndarray) -> None:
        if self._on_partial is not None:
            self._on_partial(Z)


class Portion(Monitor):
    """The part [low, high] of another monitor's bar, handed to a sub-computation."""

    def __init__(self, monitor: Monitor, low: float, high: float) -> None:
        self._monitor = monitor
        self._low = low
        self._high = high

    def step(self, fraction: float, message: str = "") -> None:
        fraction = min(max(fraction, 0.0), 1.0)
        self._monitor.step(self._low + (self._high - self._low) * fraction, message)

    def partial(self, Z: np.ndarray) -> None:
        self._monitor.partial(Z)


class Onward(Monitor):
    """The bar of another monitor, which never goes back: less than was reached counts as that. For
    computations whose parts each begin at 0, where nobody knows how many there will be."""

    def __init__(self, monitor: Monitor | None) -> None:
        self._monitor = monitored(monitor)
        self._reached = 0.0

    def step(self, fraction: float, message: str = "") -> None:
        self._reached = max(self._reached, fraction)
        self._monitor.step(self._reached, message)

    def partial(self, Z: np.ndarray) -> None:
        self._monitor.partial(Z)


class Shared:
    """The bar of another monitor for computations that run in threads: one reports at a time, the
    bar shows their mean.

    What the monitor raises to stop one of them stops each other one at its next step.
    """

    def __init__(self, monitor: Monitor, count: int) -> None:
        self._monitor = monitor
        self._fractions = [0.0] * count
        self._lock = threading.Lock()
        self._end: BaseException | None = None

    def part(self, number: int) -> Monitor:
        """The monitor of one of the computations, 0 to count - 1."""

        def report(fraction: float, message: str) -> None:
            with self._lock:
                if self._end is not None:
                    raise self._end
                self._fractions[number] = fraction
                try:
                    self._monitor.step(sum(self._fractions) / len(self._fractions), message)
                except BaseException as end:
                    self._end = end
                    raise

        return Watch(report)


def monitored(monitor: Monitor | None) -> Monitor:
    """The given monitor, or `Silent` for None."""
    return Silent() if monitor is None else monitor


def slices(
    count: int, rows: int, monitor: Monitor | None = None, message: str = ""
) -> Iterator[slice]:
    """Rows 0 to count - 1, as many at a time (1 at least); each part is reported before it is
    worked on."""
    watch, rows = monitored(monitor), max(1, rows)
    for start in range(0, count, rows):
        watch.step(start / count, message)
        yield slice(start, min(start + rows, count))
