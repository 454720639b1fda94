"""The review of labels that are probably wrong: what was found, and what was decided."""

from PySide6.QtCore import QObject, Signal

from emberscope.catalogue.usual import usual_recipe
from emberscope.labels import Label
from emberscope.project import Changes, to_snapshot
from emberscope.project.model.doubtful_labels import DoubtfulLabel, DoubtfulLabels, reviewed
from emberscope.tasks.doubtful import FindDoubtful
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.asked_of_run import STOPPED
from emberscope_app.state.runs.jobs import Job

TITLE = "Doubtful labels"


class Review(QObject):
    """All decisions of a review are one step of the undo history, whatever their number.

    found : what the worker found, None before. decided : "accept" or "keep" by the id of a label.
    error : why nothing was found. changed() : any of it did.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._job: Job | None = None
        self._number = 0
        self.found: DoubtfulLabels | None = None
        self.decided: dict[int, str] = {}
        self.error = ""
        self._before: dict[int, Label] = {}  # as they were, by id
        self._after: dict[int, Label] = {}
        session.changed.connect(self._on_project)
        session.jobs.changed.connect(self._on_job)

    @property
    def waiting(self) -> bool:
        return self._job is not None

    @property
    def rows(self) -> list[DoubtfulLabel]:
        """Labels that are there still, the most doubtful first."""
        found = self.found.rows if self.found is not None else []
        return [row for row in found if row.label in self._session.project.labels]

    def start(self) -> None:
        """Ask the worker; what was decided in an earlier review stays as it is."""
        if self.waiting:
            return
        session = self._session
        self._forget()
        self._number += 1
        recipe = session.run.recipe if session.run else usual_recipe(session.project)[0]
        request = FindDoubtful(snapshot=to_snapshot(session.project), recipe=recipe)
        self._job = session.jobs.ask(request, self._take, title=TITLE)
        self.changed.emit()

    def decide(self, row: DoubtfulLabel, decision: str) -> None:
        """Accept the proposed change of a label, or keep it; the last word counts."""
        label = self._session.project.labels.get(row.label)
        if label is None or not self._session.may_edit():
            return
        self._before.setdefault(row.label, label)
        decided = {**self.decided, row.label: decision}
        step = reviewed(self._session.project, self._before, self.rows, decided)
        if step is not None:
            self._after = {label.id: label for label in step.after}
            self.decided = decided
            self._session.do(step, merge=f"review {self._number}")
            self.changed.emit()

    def _forget(self) -> None:
        self.found, self.error = None, ""
        self.decided, self._before, self._after = {}, {}, {}

    def _take(self, found: DoubtfulLabels) -> None:
        self._job, self.found = None, found
        self.changed.emit()

    def _on_job(self, job: Job) -> None:
        if job is self._job and not job.active and job.state != "finished":
            self._job, self.error = None, job.error or STOPPED
            self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self._forget()
            if self._job is not None:
                self._session.jobs.cancel(self._job.id)
            self._job = None
            self.changed.emit()
        elif changes.touch("labels", "classes") and self.found is not None:
            labels = self._session.project.labels
            undone = [key for key, label in self._after.items()
                      if key not in labels or labels[key] != label]
            for key in undone:
                self.decided.pop(key, None)
                self._before.pop(key, None)
                self._after.pop(key)
            if undone:
                self._number += 1  # what comes next is another step
            self.changed.emit()


def review_of(session: Session) -> Review:
    """The one of a session."""
    return session.only(Review)
