"""Client of the worker process, for the window and the command line. Nothing here waits, except `wait`."""

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
from typing import Any

from emberscope.base.errors import WorkerError, defect_in_words, in_words
from emberscope.base.folders import cache_folder
from emberscope.base.process.os_lock import HeldFile
from emberscope.base.process.starting import start
from emberscope.jobs import worker
from emberscope.jobs.environment import worker_environment
from emberscope.jobs.events import Crashed, Event, Failed, Finished, Partial, Started, Stopped
from emberscope.jobs.folders import own_folder
from emberscope.jobs.parcels import Contents, Parcel, contents_of, discard, no_room, unpack

_NAME = "emberscope worker"
PATIENCE = 0.5          # s between asking a job to stop and killing its process
_PIPE_FULL = 32 << 10   # bytes; a message up to this never waits for its reader
_STARTS = 3             # processes that may die one after the other before they did anything
_REAP = 0.03            # s to wait for a killed process
_LOG_TAIL = 64 << 10
_WRITTEN = 0.01         # s between two looks whether arguments are written


_INLINE = _PIPE_FULL // 4  # bytes of an argument that needs no file


@dataclass(slots=True, eq=False)
class _Job:
    id: int
    function: str
    title: str
    arguments: Parcel | None = None  # None until they are written
    wrong: str = ""                  # why they cannot be
    wanted: bool = True
    started: bool = False
    kill_at: float | None = None  # set when it was asked to stop

    def write(self, contents: Contents, folder: Path) -> None:
        """Write large arguments into files, in a thread: nobody waits for the disk."""
        try:
            parcel = contents.pack(folder, inline=_INLINE)
        except OSError as error:
            self.wrong = str(no_room(folder, error))
            return
        except Exception as error:  # without memory, say: a job that never comes would hold up all others
            self.wrong = in_words(error) or defect_in_words(error)
            return
        self.arguments = parcel
        if not self.wanted:
            discard(parcel)

    def drop(self) -> None:
        """Nobody runs it any more."""
        self.wanted = False
        if self.arguments is not None:
            discard(self.arguments)


class Worker:
    """One worker process and the queue of its jobs, first in, first out.

    Parameters
    ----------
    allow : tuple of str. Prefixes of the modules whose functions may be called.
    warm : bool. Load and compile in the background what the first run will need.
    folder : path, optional. Where large arrays and the log go; default: in the user's cache folder.

    Notes
    -----
    A process that has to be killed, or that dies, is replaced by a fresh one; the jobs that wait stay.
    """

    def __init__(
        self, *, allow: tuple[str, ...] = ("emberscope.",), warm: bool = True, folder: str | Path | None = None
    ) -> None:
        self._allow = allow
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
        """Start the process, if it is not there; returns at once. Where the computer has no memory or no process left
        for it, the jobs that wait crash, with the reason."""
        if self._process is not None:
            return
        settings = worker.Settings(self._files(), self._log_path, self._allow, self._warm)
        with contextlib.ExitStack() as undo:
            try:
                mine, theirs = Pipe()
                undo.callback(mine.close)
                with theirs:
                    # `close` at exit keeps Python from waiting for a process that is no daemon.
                    process = start(worker.main, (theirs, settings), name=_NAME, environment=worker_environment())
            except OSError as error:
                self._give_up(f"The worker cannot be started: {error.strerror or error}.")
                return
            undo.pop_all()
        self._process, self._connection, self.is_warm = process, mine, False

    def submit(self, function: str, arguments: dict[str, Any], *, title: str = "") -> int:
        """Queue ``function(arguments, monitor)``, function as "module:name"; returns the job's id.

        Arrays among the arguments are not written to from now on: large ones are copied to a file meanwhile. Raises
        WorkerError for a function that is not allowed. A job whose arguments find no room on the disk crashes.
        """
        worker.check_allowed(function, self._allow)
        job, self._next_job = _Job(self._next_job, function, title), self._next_job + 1
        contents, folder = contents_of(arguments), self._files()
        self._waiting.append(job)
        if len(contents) <= _INLINE:
            job.write(contents, folder)
        else:
            writer = threading.Thread(target=job.write, args=(contents, folder), name="arguments", daemon=True)
            self._writers = [*(other for other in self._writers if other.is_alive()), writer]
            writer.start()
        self.start()
        self._dispatch()
        return job.id

    def cancel(self, job: int) -> None:
        """Ask a job to stop; one that does not stop within 0.5 s loses its process. Unknown ids are fine."""
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
        """Wait until `poll` has something to say or to do, at most `timeout` s. For the command line and tests."""
        if self._outbox or (self._current is None and self._waiting and self._waiting[0].wrong):
            return True
        if self._current is None and self._waiting and self._waiting[0].arguments is None:
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
            self._folder, self._held = own_folder(Path(parent) if parent is not None else cache_folder() / "jobs")
            atexit.register(self.close)
        return self._folder

    @property
    def _log_path(self) -> Path:
        return self._files() / "worker.log"

    def _dispatch(self) -> None:
        """Send the next job where none runs. The process reads in a thread, so this does not wait."""
        while self._current is None and self._waiting and self._process is not None:
            job = self._waiting[0]
            if job.wrong:
                self._outbox.append(Crashed(self._waiting.popleft().id, job.wrong))
                continue
            if job.arguments is None:  # they are being written
                return
            self._current = self._waiting.popleft()
            self._send(worker.Task(job.id, job.function, job.arguments))

    def _send(self, message: worker.Task | worker.Cancel) -> None:
        assert self._connection is not None
        with contextlib.suppress(OSError):  # a dead process is noticed by `poll`
            self._connection.send(message)

    def _receive(self) -> None:
        while self._connection is not None:
            try:
                if not self._connection.poll():
                    return
                message = self._connection.recv()
            except (EOFError, OSError):
                return
            self._take(unpack(message) if isinstance(message, Parcel) else message)

    def _take(self, message: worker.Warm | Event) -> None:
        if isinstance(message, worker.Warm):
            self.is_warm = True
            return
        job = self._current
        if job is None or message.job != job.id:
            return
        if isinstance(message, Started):
            job.started, self._deaths = True, 0
        asked_to_stop = job.kill_at is not None
        match message:
            case Finished() | Failed() | Stopped() | Crashed():
                self._current = None
                self._outbox.append(Stopped(job.id) if asked_to_stop else message)
            case Partial() if asked_to_stop:
                pass
            case _:
                self._outbox.append(message)

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
        """Processes die before they do anything: say so, and try again at the next submit only."""
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
        process.join(_REAP)  # one that takes longer is reaped by multiprocessing when the next one starts
        if process.exitcode is not None:
            process.close()


def run(
    function: str, arguments: dict[str, Any], *, worker: Worker, on_event: Callable[[Event], None] | None = None
) -> Any:
    """Submit a job and wait for its result, for the command line. Raises WorkerError where it does not finish."""
    job = worker.submit(function, arguments)
    while True:
        worker.wait(1.0)
        for event in worker.poll():
            if event.job != job:
                continue
            if on_event is not None:
                on_event(event)
            match event:
                case Finished():
                    return event.result
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
