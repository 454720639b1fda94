"""Client of the worker process, for the window and the command line. Nothing here waits, except
`wait`."""

import atexit
import contextlib
import shutil
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, TypeVar

from emberscope.base.errors import QuestionError, WorkerError, defect_in_words, in_words
from emberscope.base.folders import cache_folder
from emberscope.base.process.os_lock import HeldFile
from emberscope.base.process.starting import start
from emberscope.jobs import worker
from emberscope.jobs.environment import worker_environment
from emberscope.jobs.events import Crashed, Event, Failed, Finished, Partial, Started, Stopped
from emberscope.jobs.folders import own_folder
from emberscope.jobs.parcels import Parcel, discard, no_room, size_of, unpack, write
from emberscope.tasks.crossing import Encoded, encoded
from emberscope.tasks.request import Request, Table, answer_class
from emberscope.tasks.table import TABLE

A = TypeVar("A")
_NAME = "emberscope worker"
PATIENCE = 0.5          # s between asking a job to stop and killing its process
_PIPE_FULL = 32 << 10   # bytes; a message up to this never waits for its reader
_STARTS = 3             # processes that may die one after the other before they did anything
_REAP = 0.03            # s to wait for a killed process
_LOG_TAIL = 64 << 10
_WRITTEN = 0.01         # s between two looks whether a request is written


_INLINE = _PIPE_FULL // 4  # bytes of a request that needs no file


@dataclass(slots=True, eq=False)
class _Job:
    id: int
    kind: type[Request[Any]]
    folder: Path
    request: Parcel | None = None  # None until it is written
    wrong: str = ""                # why it cannot be
    wanted: bool = True
    started: bool = False
    kill_at: float | None = None  # set when it was asked to stop

    def write(self, made: Encoded) -> None:
        """Write a large request into a file, in a thread: nobody waits for the disk."""
        try:
            parcel = write(made, self.folder, inline=_INLINE)
        except OSError as error:
            self.wrong = str(no_room(self.folder, error))
            return
        # Without memory, say: a job that never comes would hold up all others
        except Exception as error:
            self.wrong = in_words(error) or defect_in_words(error)
            return
        self.request = parcel
        if not self.wanted:
            discard(parcel, self.folder)

    def drop(self) -> None:
        """Nobody runs it any more."""
        self.wanted = False
        if self.request is not None:
            discard(self.request, self.folder)


class Worker:
    """One worker process and the queue of its jobs, first in, first out.

    Parameters
    ----------
    table : what it answers, by default every question there is.
    warm : bool. Load and compile in the background what the first run will need.
    folder : path, optional. Where large requests and answers and the log go; default: in the user's
    cache folder.

    Notes
    -----
    A process that has to be killed, or that dies, is replaced by a fresh one; the jobs that wait
    stay.
    """

    def __init__(
        self, *, table: Table = TABLE, warm: bool = True, folder: str | Path | None = None
    ) -> None:
        self._table = table
        self._warm = warm
        self._parent_folder = folder
        self._folder: Path | None = None
        self._held: HeldFile
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._waiting: deque[_Job] = deque()
        self._writers: list[threading.Thread] = []
        self._current: _Job | None = None
        self._outbox: list[Event] = []
        self._next_job = 1
        self._deaths = 0
        self.is_warm = False

    def start(self) -> None:
        """Start the process, if it is not there; returns at once. Where the computer has no memory
        or no process left for it, the jobs that wait crash, with the reason."""
        if self._process is not None:
            return
        settings = worker.Settings(self._files(), self._log_path, self._table, self._warm)
        with contextlib.ExitStack() as undo:
            try:
                mine, theirs = Pipe()
                undo.callback(mine.close)
                with theirs:
                    # `close` at exit keeps Python from waiting for a process that is no daemon.
                    process = start(
                        worker.main,
                        (theirs, settings),
                        name=_NAME,
                        environment=worker_environment(),
                    )
            except OSError as error:
                self._give_up(f"The worker cannot be started: {error.strerror or error}.")
                return
            undo.pop_all()
        self._process, self._connection, self.is_warm = process, mine, False

    def ask(self, request: Request[Any]) -> int:
        """Queue a request; returns the job's id. `Finished` brings its answer.

        Arrays of the request are not written to from now on: large ones are copied to a file
        meanwhile. Raises QuestionError, naming the field, where one is of another type than
        declared, WorkerError where the worker does not answer such requests. A request that finds
        no room on the disk is a job that crashes.
        """
        kind = type(request)
        self._table.handler(kind)
        made = encoded(request, kind)
        job, self._next_job = _Job(self._next_job, kind, self._files()), self._next_job + 1
        self._waiting.append(job)
        if size_of(made) <= _INLINE:
            job.write(made)
        else:
            writer = threading.Thread(target=job.write, args=(made,), name="request", daemon=True)
            self._writers = [*(other for other in self._writers if other.is_alive()), writer]
            writer.start()
        self.start()
        self._dispatch()
        return job.id

    def cancel(self, job: int) -> None:
        """Ask a job to stop; one that does not stop within 0.5 s loses its process. Unknown ids are
        fine."""
        if self._current is not None and self._current.id == job:
            if self._current.kill_at is None:
                self._current.kill_at = time.monotonic() + PATIENCE
                self._send(worker.Cancel(job))
            return
        for waiting in [found for found in self._waiting if found.id == job]:
            self._waiting.remove(waiting)
            waiting.drop()
            self._outbox.append(Stopped(job))

    def poll(self) -> list[Event]:
        """What happened since the last call; never waits."""
        self._receive()
        self._lose_patience()
        self._notice_death()
        self._dispatch()
        events, self._outbox = self._outbox, []
        return events

    def wait(self, timeout: float) -> bool:
        """Wait until `poll` has something to say or to do, at most `timeout` s. For the command
        line and tests."""
        if self._outbox or (self._current is None and self._waiting and self._waiting[0].wrong):
            return True
        if self._current is None and self._waiting and self._waiting[0].request is None:
            timeout = min(timeout, _WRITTEN)
        if self._process is None or self._connection is None:
            return False
        if self._current is not None and self._current.kill_at is not None:
            timeout = min(timeout, max(0.0, self._current.kill_at - time.monotonic()))
        return bool(wait([self._connection, self._process.sentinel], timeout))

    @property
    def pid(self) -> int | None:
        """The process, for the Jobs panel."""
        return self._process.pid if self._process is not None else None

    def log(self) -> str:
        """The last 64 kB that the processes of this worker wrote."""
        if self._folder is None or not self._log_path.exists():
            return ""
        with self._log_path.open("rb") as file:
            file.seek(max(0, self._log_path.stat().st_size - _LOG_TAIL))
            return file.read().decode("utf-8", "replace")

    def close(self) -> None:
        """End the process and remove its files. Jobs that run or wait are lost. Never hangs."""
        for job in self._waiting:
            job.wanted = False
        self._waiting.clear()
        self._outbox.clear()
        self._current = None
        self._end_process()
        for writer in self._writers:
            writer.join(PATIENCE)
        if self._folder is not None:
            atexit.unregister(self.close)
            self._held.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _files(self) -> Path:
        """The folder of this worker, made when it is first asked for."""
        if self._folder is None:
            parent = self._parent_folder
            self._folder, self._held = own_folder(
                Path(parent) if parent is not None else cache_folder() / "jobs"
            )
            atexit.register(self.close)
        return self._folder

    @property
    def _log_path(self) -> Path:
        return self._files() / "worker.log"

    def _dispatch(self) -> None:
        """Send the next job where none runs. The process reads in a thread, so this does not
        wait."""
        while self._current is None and self._waiting and self._process is not None:
            job = self._waiting[0]
            if job.wrong:
                self._outbox.append(Crashed(self._waiting.popleft().id, job.wrong))
                continue
            if job.request is None:  # it is being written
                return
            self._current = self._waiting.popleft()
            self._send(worker.Task(job.id, job.kind.__name__, job.request))

    def _send(self, message: worker.ToWorker) -> None:
        assert self._connection is not None
        with contextlib.suppress(OSError):  # a dead process is noticed by `poll`
            worker.send(self._connection, message)

    def _receive(self) -> None:
        while self._connection is not None:
            try:
                if not self._connection.poll():
                    return
                message = worker.receive(self._connection, worker.FromWorker)
            except (EOFError, OSError):
                return
            if isinstance(message, worker.Warm):
                self.is_warm = True
            else:
                self._take(self._opened(message))

    def _opened(self, message: Any) -> Event | None:
        """The event that a message brings; None where nobody waits for what it holds."""
        if not isinstance(message, worker.Drawn | worker.Answered):
            return message
        wanted, folder, job = self._current, self._files(), message.job
        parcel = message.partial if isinstance(message, worker.Drawn) else message.answer
        if wanted is None or wanted.id != job:
            discard(parcel, folder)
            return None
        try:
            if isinstance(message, worker.Drawn):
                return unpack(parcel, Partial, folder)
            return Finished(job, unpack(parcel, answer_class(wanted.kind), folder))
        except QuestionError as error:
            return Failed(job, f"The answer of the worker cannot be read: {error}", "")

    def _take(self, event: Event | None) -> None:
        job = self._current
        if event is None or job is None or event.job != job.id:
            return
        if isinstance(event, Started):
            job.started, self._deaths = True, 0
        asked_to_stop = job.kill_at is not None
        match event:
            case Finished() | Failed() | Stopped() | Crashed():
                self._current = None
                self._outbox.append(Stopped(job.id) if asked_to_stop else event)
            case Partial() if asked_to_stop:
                pass
            case _:
                self._outbox.append(event)

    def _lose_patience(self) -> None:
        job = self._current
        if job is not None and job.kill_at is not None and time.monotonic() >= job.kill_at:
            self._current = None
            self._end_process()
            self._outbox.append(Stopped(job.id))
            self.start()

    def _notice_death(self) -> None:
        if self._process is None or self._process.is_alive():
            return
        self._receive()  # what it sent before it died
        what = _how_it_died(self._process.exitcode)
        self._end_process()
        self._deaths += 1
        job, self._current = self._current, None
        if job is not None and job.kill_at is not None:
            self._outbox.append(Stopped(job.id))
        elif job is not None and job.started:
            self._outbox.append(Crashed(job.id, what))
        elif job is not None:
            self._waiting.appendleft(job)
        if self._deaths < _STARTS:
            self.start()
        else:
            self._give_up(f"{what} It does not start; the log says more.")

    def _give_up(self, what: str) -> None:
        """Processes die before they do anything: say so, and try again at the next question
        only."""
        self._deaths = 0
        for job in self._waiting:
            job.drop()
            self._outbox.append(Crashed(job.id, what))
        self._waiting.clear()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if process is None:
            return
        process.kill()
        # One that takes longer is reaped by multiprocessing when the next one starts
        process.join(_REAP)
        if process.exitcode is not None:
            process.close()


def wait_for_answer(
    request: Request[A], *, worker: Worker, on_event: Callable[[Event], None] | None = None
) -> A:
    """Ask and wait, for tests and tools. Raises QuestionError for a field of another type than
    declared, WorkerError where no answer comes."""
    job = worker.ask(request)
    while True:
        worker.wait(1.0)
        for event in worker.poll():
            if event.job != job:
                continue
            if on_event is not None:
                on_event(event)
            match event:
                case Finished():
                    return event.answer
                case Failed():
                    raise WorkerError(event.what, traceback=event.traceback)
                case Crashed():
                    raise WorkerError(event.what)
                case Stopped():
                    raise WorkerError("it was stopped")


def _how_it_died(exitcode: int | None) -> str:
    """An exit code in plain words."""
    if exitcode is not None and exitcode < 0:
        if -exitcode == getattr(signal, "SIGKILL", 9):
            return "The worker was killed by the system, most likely because the memory ran out."
        with contextlib.suppress(ValueError):
            return f"The worker crashed ({signal.Signals(-exitcode).name})."
    return f"The worker ended by itself (exit code {exitcode})."
