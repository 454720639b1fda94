"""The worker process: takes one job at a time from the pipe, warms itself between them, dies with
its parent."""

import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from emberscope.base.errors import Cancelled, QuestionError, WorkerError, defect_in_words, in_words
from emberscope.base.monitor import Monitor, Watch
from emberscope.base.process.log_file import keep_log
from emberscope.jobs.environment import lower_priority
from emberscope.jobs.events import Failed, Noted, Partial, Progress, Started, Stopped
from emberscope.jobs.parcels import Parcel, pack, unpack
from emberscope.project.model.packing import decode, encode
from emberscope.tasks.request import Table, answer_class

log = logging.getLogger(__name__)

_PROGRESS_GAP = 0.05  # s between two reports with the same message
_PARTIAL_GAP = 0.1    # s between two intermediate embeddings


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker process gets at its start."""

    folder: Path   # for what is large
    log: Path      # takes stdout and stderr
    table: Table   # what it answers
    warm: bool


class Task(msgspec.Struct, frozen=True, tag=True):
    """A job on its way to the worker: the name of the kind of request, and the request."""

    job: int
    kind: str
    request: Parcel


class Cancel(msgspec.Struct, frozen=True, tag=True):
    """Sent to the worker: stop this job at its next step."""

    job: int


class Warm(msgspec.Struct, frozen=True, tag=True):
    """Sent once: everything that can be loaded and compiled before the first job is."""


class Drawn(msgspec.Struct, frozen=True, tag=True):
    """Sent for a `Partial`, which may be large."""

    job: int
    partial: Parcel


class Answered(msgspec.Struct, frozen=True, tag=True):
    """Sent at the end of a job that went well: its answer."""

    job: int
    answer: Parcel


ToWorker = Task | Cancel
FromWorker = Warm | Started | Progress | Noted | Drawn | Answered | Failed | Stopped


def send(connection: Connection, message: ToWorker | FromWorker) -> None:
    """A message into a pipe. Raises OSError where nobody is at its other end."""
    connection.send_bytes(encode(message))


def receive(connection: Connection, kind: Any) -> Any:
    """A message from a pipe. Raises EOFError and OSError where nobody is at its other end."""
    return decode(connection.recv_bytes(), kind=kind, what="a message of the other process")


def main(connection: Connection, settings: Settings) -> None:
    """What the worker process runs until its parent goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the parent
    _redirect(settings.log)
    keep_log()
    lower_priority()
    inbox = _Inbox(connection)
    warming = (
        _warming(connection, settings.folder, gives_way=inbox.has_task) if settings.warm else None
    )
    while True:
        task = inbox.take(wait=warming is None)
        if task is not None:
            _run(task, inbox, connection, settings)
        elif warming is not None and next(warming, None) is None:
            warming = None


class _Inbox:
    """Reads the pipe in a thread, so that the parent never waits and a cancel arrives while a job
    runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, daemon=True, name="inbox").start()

    def take(self, *, wait: bool) -> Task | None:
        try:
            return self._tasks.get(block=wait)
        except queue.Empty:
            return None

    def has_task(self) -> bool:
        return not self._tasks.empty()

    def is_cancelled(self, job: int) -> bool:
        return job in self._cancelled

    def _read(self) -> None:
        while True:
            try:
                message = receive(self._connection, ToWorker)
            except (EOFError, OSError):
                os._exit(0)  # the parent is gone
            if isinstance(message, Cancel):
                self._cancelled.add(message.job)
            else:
                self._tasks.put(message)


class _Reporter:
    """The monitor of a job: progress and intermediate embeddings to the parent, a few times per
    second."""

    def __init__(
        self, job: int, connection: Connection, folder: Path, *, is_stopped: Callable[[], bool]
    ) -> None:
        self._job = job
        self._connection = connection
        self._folder = folder
        self._is_stopped = is_stopped
        self._message = ""
        self._last_step = self._last_partial = -1.0

    def step(self, fraction: float, message: str = "") -> None:
        if self._is_stopped():
            raise Cancelled
        now = time.monotonic()
        if message != self._message or now - self._last_step >= _PROGRESS_GAP:
            self._message, self._last_step = message, now
            send(self._connection, Progress(self._job, float(fraction), message))

    def partial(self, Z: np.ndarray) -> None:
        if self._is_stopped():
            raise Cancelled
        now = time.monotonic()
        if now - self._last_partial >= _PARTIAL_GAP:
            self._last_partial = now
            shown = Partial(self._job, np.ascontiguousarray(Z, np.float32))
            try:
                parcel = pack(shown, Partial, self._folder)
            except WorkerError:  # a full disk costs a live view, not the job
                return
            send(self._connection, Drawn(self._job, parcel))


class _Notes(logging.Handler):
    """Warnings of the engine during a job, for the log of the parent, which people see; and for
    that of the worker."""

    def __init__(self, job: int, connection: Connection) -> None:
        super().__init__(logging.WARNING)
        self._job, self._connection, self._thread = job, connection, threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        _log(record.getMessage())
        if record.thread == self._thread:  # the pipe is written by one thread
            send(self._connection, Noted(self._job, record.getMessage()[:2000]))


def _run(task: Task, inbox: _Inbox, connection: Connection, settings: Settings) -> None:
    send(connection, Started(task.job))
    monitor = _Reporter(
        task.job, connection, settings.folder, is_stopped=lambda: inbox.is_cancelled(task.job)
    )
    notes = _Notes(task.job, connection)
    logging.getLogger("emberscope").addHandler(notes)
    try:
        send(connection, Answered(task.job, _answer(task, monitor, settings)))
    except Cancelled:
        send(connection, Stopped(task.job))
    except Exception as error:  # whatever a job does, the worker lives on and says so
        log.warning("%s failed", task.kind, exc_info=error)
        send(
            connection,
            Failed(task.job, in_words(error) or defect_in_words(error), traceback.format_exc()),
        )
    finally:
        logging.getLogger("emberscope").removeHandler(notes)


def _answer(task: Task, monitor: Monitor, settings: Settings) -> Parcel:
    """Answer one request. Raises WorkerError where it is not in the table, and where the answer is
    not what the request says: that is a defect of the worker, whoever asked."""
    kind = settings.table.kind(task.kind)
    answer = settings.table.handler(kind)(unpack(task.request, kind, settings.folder), monitor)
    try:
        return pack(answer, answer_class(kind), settings.folder)
    except QuestionError as error:
        raise WorkerError(
            f"the answer to {task.kind} is not as declared, a defect of the worker: {error}"
        ) from error


def _warming(
    connection: Connection, folder: Path, *, gives_way: Callable[[], bool]
) -> Iterator[str]:
    """Yields after each small step of warming; a failure is a line in the log. A step that gives
    way to a job yields too, and is done again after it."""
    from emberscope.jobs.warm import steps

    for title, step in steps(folder, Watch(stop=gives_way)):
        while not _is_warmed(title, step):
            yield title
        yield title
    send(connection, Warm())


def _is_warmed(title: str, step: Callable[[], object]) -> bool:
    """Whether a step of warming came to its end."""
    started = time.perf_counter()
    try:
        step()
    except Cancelled:
        _log(f"warming {title}: gives way to a job after {time.perf_counter() - started:.2f} s")
        return False
    except Exception:
        traceback.print_exc()
        _log(f"warming {title}: failed, the first run will be slower")
    else:
        _log(f"warming {title}: {time.perf_counter() - started:.2f} s")
    return True


def _log(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _redirect(log: Path) -> None:
    """Everything written to stdout and stderr, by C libraries too, goes to the log."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    faulthandler.enable(sys.stderr)
