"""What a worker reports about its jobs. The last event of a job is Finished, Failed, Stopped or
Crashed."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray


class Started(msgspec.Struct, frozen=True, tag=True):
    """The job left the queue."""

    job: int


class Progress(msgspec.Struct, frozen=True, tag=True):
    """How far the job is, in [0, 1], and what it does."""

    job: int
    fraction: float
    message: str


class Noted(msgspec.Struct, frozen=True, tag=True):
    """A warning that the engine logged during the job."""

    job: int
    words: str


class Partial(msgspec.Struct, frozen=True, tag=True):
    """An intermediate embedding, (N, d) float32."""

    job: int
    Z: NDArray[np.float32]


class Finished(msgspec.Struct, frozen=True, tag=True):
    """The answer, of the class that the request says. Its arrays are read-only."""

    job: int
    answer: Any


class Failed(msgspec.Struct, frozen=True, tag=True):
    """An error: `what` in one line for a person, `traceback` for the log."""

    job: int
    what: str
    traceback: str


class Stopped(msgspec.Struct, frozen=True, tag=True):
    """Stopped as asked; it changes nothing, even where it had just finished."""

    job: int


class Crashed(msgspec.Struct, frozen=True, tag=True):
    """The worker process died under the job; `what` says how. A new process is already there."""

    job: int
    what: str


Event = Started | Progress | Noted | Partial | Finished | Failed | Stopped | Crashed
