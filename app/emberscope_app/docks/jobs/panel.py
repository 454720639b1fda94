"""The Jobs dock: everything the worker was asked to do, the newest first."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope.project import Run
from emberscope_app.docks.jobs.rows import JobModel
from emberscope_app.lists.model import THING
from emberscope_app.lists.view import RowList
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.controls import Empty, trigger
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Every

_TICK_MS = 1000  # the time left is shown anew


class JobsPanel(Panel):
    """Cancel what runs, show what came of it, copy the details of what failed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = JobModel(session, self)
        self.view = RowList(self.model, "Jobs")
        self.view.asked.connect(lambda index: self.act(index.data(THING)))
        self.view.entered_row.connect(lambda index: self.act(index.data(THING)))
        self.empty = Empty("No jobs.")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self.setFocusProxy(self.view)
        self._timer = Every(self, self.view.viewport().update, _TICK_MS)
        session.jobs.changed.connect(self._follow)
        self._settle()

    def _follow(self, job: Job) -> None:
        if job.silent:
            return
        if job.state == "finished" and isinstance(job.answer, Run):
            self.model.runs[job.id] = job.answer.id
        self.model.follow(job)
        if job.error:  # its row is higher now
            self.view.scheduleDelayedItemsLayout()
        self._settle()

    def _settle(self) -> None:
        running = len(self.session.jobs.running)
        self._pages.setCurrentWidget(self.view if self.model.rows else self.empty)
        self.set_count(f"{running} running" if running else "")
        if running and not self._timer.isActive():
            self._timer.start()
        elif not running:
            self._timer.stop()

    # --- the button of a row

    def act(self, job: Job) -> None:
        """What the button of a row says."""
        words = self.model.button(job)
        if words == "Cancel":
            self.session.jobs.cancel(job.id)
        elif words == "Copy details":
            QGuiApplication.clipboard().setText(job.details or job.error)
        elif words == "Show":
            self._show_run(self.model.runs[job.id])

    def _show_run(self, run: int) -> None:
        """The run a job made, unless it was deleted or its making was undone."""
        if run in self.session.project.runs:
            self.session.focus.set(run=run)
            trigger(self, "view.explore")
        else:
            self.session.say(f"Run {run} was deleted. Ctrl+Z brings it back.")
