"""The Jobs dock: everything the worker was asked to do, the newest first."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QStackedWidget, QVBoxLayout, QWidget

from emberscope.project import Run
from emberscope_app.docks.jobs.rows import JOB, JobDelegate, JobModel, button_words
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job
from emberscope_app.theme.controls import Empty, trigger
from emberscope_app.theme.look import look
from emberscope_app.theme.panel import Panel
from emberscope_app.when.timers import Every

_TICK_MS = 1000  # the time left is shown anew


class JobsPanel(Panel):
    """Cancel what runs, show what came of it, copy the details of what failed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = JobModel(session, self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.delegate = JobDelegate(self.model, self.view)
        self.view.setItemDelegate(self.delegate)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setSelectionMode(QListView.SelectionMode.SingleSelection)
        self.view.setAccessibleName("Jobs")
        self.view.viewport().setMouseTracking(True)
        self.view.viewport().installEventFilter(self)
        self.view.installEventFilter(self)
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
        look().changed.connect(self.view.viewport().update)
        self._settle()

    def _follow(self, job: Job) -> None:
        if job.silent:
            return
        if job.state == "finished" and isinstance(job.result, Run):
            self.delegate.runs[job.id] = job.result.id
        errors = [known.error for known in self.model.jobs]
        self.model.follow(job)
        if errors != [known.error for known in self.model.jobs]:
            self.view.scheduleDelayedItemsLayout()
        self._settle()

    def _settle(self) -> None:
        running = len(self.session.jobs.running)
        self._pages.setCurrentWidget(self.view if self.model.jobs else self.empty)
        self.set_count(f"{running} running" if running else "")
        if running and not self._timer.isActive():
            self._timer.start()
        elif not running:
            self._timer.stop()

    # --- the button of a row

    def act(self, job: Job) -> None:
        """What the button of a row says."""
        words = button_words(job, is_run=job.id in self.delegate.runs)
        if words == "Cancel":
            self.session.jobs.cancel(job.id)
        elif words == "Copy details":
            QGuiApplication.clipboard().setText(job.details or job.error)
        elif words == "Show":
            self._show_run(self.delegate.runs[job.id])

    def _show_run(self, run: int) -> None:
        """The run a job made, unless it was deleted or its making was undone."""
        if run in self.session.project.runs:
            self.session.focus.set(run=run)
            trigger(self, "view.explore")
        else:
            self.session.say(f"Run {run} was deleted. Ctrl+Z brings it back.")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and watched is self.view.viewport():
            index = self.view.indexAt(event.position().toPoint())
            over = index.isValid() and self._button_of(index).contains(event.position().toPoint())
            shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
            self.view.viewport().setCursor(shape)
            if over and event.type() == QEvent.Type.MouseButtonRelease:
                self.act(index.data(JOB))
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is self.view:
            return self._press(event)
        return super().eventFilter(watched, event)

    def _button_of(self, index: QModelIndex) -> QRect:
        return self.delegate.button(self.view.visualRect(index), index.data(JOB))

    def _press(self, event: QKeyEvent) -> bool:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.view.currentIndex().isValid():
            self.act(self.view.currentIndex().data(JOB))
            return True
        return False
