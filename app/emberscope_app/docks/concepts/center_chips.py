"""What the center of each concept looks like: chips that the worker makes, once for the concepts on
show."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from emberscope.findings.concept_chips import ConceptChips
from emberscope.findings.concepts import RunConcepts
from emberscope.project import Run, to_snapshot
from emberscope.project.model.concept_edits import EditedConcept
from emberscope.tasks.concepts import ShowConcepts
from emberscope_app.pixels.gray_chips import gray_chips
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.jobs import Job


class CenterChips(QObject):
    """`ready` says that chips came, or why there are none. images : of every concept, null where
    there is none; titles : what each is; error : why there is none at all."""

    ready = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._source: Run | None = None
        self._edits: tuple[EditedConcept, ...] = ()
        self._job: Job | None = None
        self.images: list[QImage] = []
        self.titles: list[str] = []
        self.error = ""
        session.jobs.changed.connect(self._on_job)

    def ask(self, found: RunConcepts | None) -> None:
        """The chips of these concepts, unless they are there or on their way."""
        source, edits = (found.source, found.edits) if found is not None else (None, ())
        if source is self._source and edits == self._edits:
            return
        if source is not self._source or len(edits) != len(self._edits):
            self.images, self.titles = [], []  # else the old ones stay until the new ones come
        self._source, self._edits, self._job, self.error = source, edits, None, ""
        if source is None:
            return
        request = ShowConcepts(snapshot=to_snapshot(self._session.project), run=source)
        job = self._session.jobs.ask(
            request,
            lambda made: self._take(job, made.found),
            title="Chips of concepts",
            silent=True,
        )
        self._job = job

    def image(self, k: int) -> QImage | None:
        """The chip of concept k, None where there is none."""
        return self.images[k] if k < len(self.images) and not self.images[k].isNull() else None

    def title(self, k: int) -> str:
        """"Center", or "Mean of nearest chips"; "" where there is none."""
        return self.titles[k] if self.image(k) is not None else ""

    def _take(self, job: Job, made: ConceptChips | None) -> None:
        if job is not self._job or made is None:
            return
        self.images, self.titles = gray_chips(made.chips), made.titles
        self.ready.emit()

    def _on_job(self, job: Job) -> None:
        if job is self._job and job.state in ("failed", "crashed"):
            self.images, self.titles, self.error = [], [], job.error
            self.ready.emit()
