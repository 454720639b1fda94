"""Jobs as the window sees them: the worker's events become one Qt signal. No thread: a timer polls the worker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

_POLL_MS = 25


@dataclass(slots=True)
class Job:
    """One thing the worker does or did. `state`: waiting, running, finished, failed, stopped, crashed."""

    id: int
    title: str
    state: str = "waiting"
    fraction: float = 0.0
    message: str = ""
    seconds: float = 0.0
    error: str = ""
    details: str = ""
    result: Any = None
    partial: np.ndarray | None = None
    on_finished: Callable[[Any], object] | None = field(default=None, repr=False)
    silent: bool = False       # not listed in the Jobs panel (catalogue, estimates)
    lasting: bool = False      # of no project: goes on when another one is opened
    makes_run: bool = False

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")


class Jobs(QObject):
    """Submits to the worker process and follows it.

    changed(Job): its state, progress or message moved. partial(Job): a live picture came (job.partial, (N, d)).
    """

    changed = Signal(object)
    partial = Signal(object)

    def __init__(self, *, worker: Any = None) -> None:
        super().__init__()
        self.jobs: dict[int, Job] = {}
        self._worker = worker
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._poll)

    def start(self) -> None:
        """Start the worker process; it warms itself while the user looks around."""
        if self._worker is None:
            from emberscope.jobs.client import Worker

            self._worker = Worker()
        self._worker.start()
        self._timer.start()

    def submit(self, function: str, arguments: dict[str, Any], *, title: str,
               on_finished: Callable[[Any], object] | None = None, silent: bool = False, lasting: bool = False,
               makes_run: bool = False) -> Job:
        """Queue "module:function"(arguments, monitor) in the worker."""
        if self._closed:  # a timer of a panel that outlived the session: nothing is started for it
            return Job(0, title, "stopped", silent=True)
        if self._worker is None:
            self.start()
        number = self._worker.submit(function, arguments, title=title)
        job = Job(number, title, on_finished=on_finished, silent=silent, lasting=lasting, makes_run=makes_run)
        self.jobs[number] = job
        self.changed.emit(job)
        return job

    def cancel(self, job_id: int) -> None:
        if self._worker is not None:
            self._worker.cancel(job_id)

    def forget(self, job: Job) -> None:
        """Take a job that has ended off the list: one of many small ones, of which only the last is news."""
        if not job.active:
            self.jobs.pop(job.id, None)

    def abandon(self) -> None:
        """Stop what was asked for another project; nobody waits for its results any more."""
        for job in [job for job in self.running if not job.lasting]:
            job.on_finished = None
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
            job = self.jobs.get(getattr(event, "job", -1))
            if job is not None:
                self._follow(job, event)

    def _follow(self, job: Job, event: Any) -> None:
        name = type(event).__name__
        if name == "Started":
            job.state = "running"
        elif name == "Progress":
            job.fraction, job.message = event.fraction, event.message
        elif name == "Partial":
            job.partial = event.Z
            self.partial.emit(job)
            return
        elif name == "Finished":
            job.state, job.fraction, job.result = "finished", 1.0, event.result
        elif name == "Failed":
            job.state, job.error, job.details = "failed", event.what, event.traceback
        elif name == "Stopped":
            job.state = "stopped"
        elif name == "Crashed":
            job.state, job.error = "crashed", event.what
        self.changed.emit(job)
        if name == "Finished" and job.on_finished is not None:
            job.on_finished(event.result)
            job.result = None
