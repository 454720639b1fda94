"""Jobs as the window sees them: the worker's events become one Qt signal. No thread: a timer polls
the worker."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.jobs.events import (
    Crashed,
    Event,
    Failed,
    Finished,
    Noted,
    Partial,
    Progress,
    Started,
    Stopped,
)
from emberscope.tasks import Request
from emberscope_app.when.timers import Every

A = TypeVar("A")
_POLL_MS = 25
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """One thing the worker does or did. `state`: waiting, running, finished, failed, stopped,
    crashed."""

    id: int
    title: str
    state: str = "waiting"
    fraction: float = 0.0
    message: str = ""
    seconds: float = 0.0
    error: str = ""
    details: str = ""
    answer: Any = None         # where nobody waits for it; else until it was taken
    partial: NDArray | None = None
    answered: Callable[[Any], object] | None = field(default=None, repr=False)
    silent: bool = False       # not listed in the Jobs panel (catalogue, estimates)
    lasting: bool = False      # of no project: goes on when another one is opened
    makes_run: bool = False
    lays_out: bool = True      # `partial` is a layout for the maps

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")


class Worker(Protocol):
    """What runs the jobs: `emberscope.jobs.client.Worker`, or a stand-in of the tests."""

    def start(self) -> None: ...
    def ask(self, request: Request[Any]) -> int: ...
    def cancel(self, job_id: int) -> None: ...
    def poll(self) -> list[Event]: ...
    def close(self) -> None: ...


class Jobs(QObject):
    """Asks the worker process and follows it.

    changed(Job): its state, progress or message moved. partial(Job): a live embedding came
    (job.partial, (N, d)), or what else is known before the end.
    """

    changed = Signal(object)
    partial = Signal(object)

    def __init__(self, *, worker: Worker | None = None) -> None:
        super().__init__()
        self.jobs: dict[int, Job] = {}
        self._worker = worker
        self._closed = False
        self._timer = Every(self, self._poll, _POLL_MS)

    def start(self) -> Worker:
        """Start the worker process; it warms itself while the user looks around."""
        if self._worker is None:
            from emberscope.jobs import client

            self._worker = client.Worker()
        self._worker.start()
        self._timer.start()
        return self._worker

    def ask(self, request: Request[A], answered: Callable[[A], object] | None = None, *, title: str,
            silent: bool = False, lasting: bool = False, makes_run: bool = False) -> Job:
        """Ask the engine, in the worker. answered : gets the answer, once it is there. Raises
        QuestionError, naming the field, where one is of another type than declared."""
        if self._closed:  # a timer of a panel that outlived the session: nothing is started for it
            return Job(0, title, "stopped", silent=True)
        number = (self._worker or self.start()).ask(request)
        job = Job(
            number, title, answered=answered, silent=silent, lasting=lasting, makes_run=makes_run
        )
        self.jobs[number] = job
        self.changed.emit(job)
        return job

    def cancel(self, job_id: int) -> None:
        if self._worker is not None:
            self._worker.cancel(job_id)

    def forget(self, job: Job) -> None:
        """Take a job that has ended off the list: one of many small ones, of which only the last is
        news."""
        if not job.active:
            self.jobs.pop(job.id, None)

    def abandon(self) -> None:
        """Stop what was asked for another project; nobody waits for its results any more."""
        for job in [job for job in self.running if not job.lasting]:
            job.answered = None
            self.cancel(job.id)

    def cancel_newest(self) -> None:
        """Ctrl+. : stop what was asked for last."""
        if self.running:
            self.cancel(max(job.id for job in self.running))

    @property
    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.active and not job.silent]

    @property
    def making_run(self) -> Job | None:
        """The job that makes a run, which is named after it."""
        return next((job for job in self.running if job.makes_run), None)

    def close(self) -> None:
        """The end: the worker goes, nothing new is taken."""
        self._closed = True
        self._timer.stop()
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _poll(self) -> None:
        if self._worker is None:
            return
        for event in self._worker.poll():
            job = self.jobs.get(event.job)
            if job is not None:
                self._follow(job, event)

    def _follow(self, job: Job, event: Event) -> None:
        match event:
            case Started():
                job.state = "running"
            case Progress(fraction=fraction, message=message):
                job.fraction, job.message = fraction, message
            case Noted(words=words):
                log.warning("%s: %s", job.title, words)
                return
            case Partial(Z=Z):
                job.partial = Z
                self.partial.emit(job)
                return
            case Finished(answer=answer):
                job.state, job.fraction, job.answer = "finished", 1.0, answer
            case Failed(what=what, traceback=traceback):
                job.state, job.error, job.details = "failed", what, traceback
            case Stopped():
                job.state = "stopped"
            case Crashed(what=what):
                job.state, job.error = "crashed", what
        self.changed.emit(job)
        if job.state == "finished" and job.answered is not None:
            job.answered(job.answer)
            job.answer = None
