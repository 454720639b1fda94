"""What a worker reports about its jobs. The last event of a job is Finished, Failed, Stopped or Crashed."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Started:
    """The job left the queue."""

    job: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the job is, in [0, 1], and what it does."""

    job: int
    fraction: float
    message: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A warning that the engine logged during the job."""

    job: int
    words: str


@dataclass(frozen=True, slots=True)
class Partial:
    """A intermediate embedding, (N, d) float32."""

    job: int
    Z: NDArray


@dataclass(frozen=True, slots=True)
class Finished:
    """What the function returned. Its large arrays are read-only views of files."""

    job: int
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """An error: `what` in one line for a person, `traceback` for the log."""

    job: int
    what: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """Stopped as asked; it changes nothing, even where it had just finished."""

    job: int


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker process died under the job; `what` says how. A new process is already there."""

    job: int
    what: str


Event = Started | Progress | Noted | Partial | Finished | Failed | Stopped | Crashed
