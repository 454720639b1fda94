"""What the worker makes once of the run on show, when a person asks for it, and again of the next
run."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from emberscope.project import Changes, Run, to_snapshot
from emberscope.tasks.request import AboutRun
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job

STOPPED = "Stopped."


class OfRun(QObject):
    """`start` asks for it. on : somebody asked. result : of the run on show, None while there is
    none. error : why.
    waiting : it is being made. changed() : any of it did."""

    changed = Signal()

    def __init__(
        self, session: Session, kind: type[AboutRun[Any]], title: str, parent: QObject | None = None
    ) -> None:
        """kind : of the question. title : of its job, before "run 3"."""
        super().__init__(parent)
        self._session, self._kind, self._title = session, kind, title
        self.on = False
        self._result: Any = None
        self.error = ""
        self._in_sight = True
        self._run: Run | None = None  # of the result, or of the one that is being made
        self._job: Job | None = None
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        session.jobs.changed.connect(self._on_job)

    @property
    def result(self) -> Any:
        """Never what was made of another run, whoever hears first that another one is on show."""
        return self._result if self._run is self._session.run else None

    @property
    def waiting(self) -> bool:
        return self._job is not None

    @property
    def may_start(self) -> bool:
        """Whether it helps to press a button: nothing is under way, and there is a run."""
        return self._session.run is not None and not self.waiting and self.result is None

    def start(self) -> None:
        """Ask for it, where it is not there."""
        self.on, self.error = True, ""
        self._prepare()

    def set_in_sight(self, seen: bool) -> None:
        """Whether anybody looks: of the runs that are on show meanwhile nothing is made."""
        self._in_sight = seen
        if seen and self.on and self._session.run is not self._run and not self.error:
            self._prepare()

    def _prepare(self) -> None:
        run = self._session.run
        if not self.on or run is None or not self._in_sight:
            self._drop()
        elif run is not self._run or (self._result is None and self._job is None):
            self._drop()
            self._run = run
            request = self._kind(snapshot=to_snapshot(self._session.project), run=run)
            self._job = self._session.jobs.ask(
                request, lambda result: self._keep(run, result), title=f"{self._title} run {run.id}"
            )
        self.changed.emit()

    def _drop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._session.jobs.cancel(job.id)
        self._run = self._result = None

    def _keep(self, run: Run, result: object) -> None:
        if run is self._run:
            self._result, self._job = result, None
            self.changed.emit()

    def _on_job(self, job: Job) -> None:
        """The worker could not, or a person stopped it."""
        if job is self._job and not job.active and job.state != "finished":
            self._job = self._run = None
            self.error = job.error or STOPPED
            self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.on, self.error = False, ""
            self._drop()
            self.changed.emit()
        elif changes.touch("runs") and self._session.run is not self._run:
            self._another()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names and self._session.run is not self._run:
            self._another()

    def _another(self) -> None:
        """Another run is on show."""
        self.error = ""
        self._prepare()
