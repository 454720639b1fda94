"""Where the map of another method takes the centers of concepts: asked of the worker, once for a
map."""

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from emberscope.findings.concepts import RunConcepts
from emberscope.project import Run
from emberscope.tasks.concepts import PlaceConcepts
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import place_stars
from emberscope_app.state.runs.jobs import Job


def mapped_concepts(session: Session) -> "MappedConcepts":
    """The one of a session."""
    return session.only(MappedConcepts)


class MappedConcepts(QObject):
    """`ready` says that concepts of another run have places of their own on the map on show; until
    then, and on maps without a rule for new points, they lie at means of instances."""

    ready = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._asked: tuple[Run, Run] | None = None
        self._job: Job | None = None

    def ask(self, found: RunConcepts) -> None:
        """Have the places of concepts on the map of another run found, unless that was asked
        for."""
        source, run = found.source, found.run
        asked = self._asked is not None and self._asked[0] is source and self._asked[1] is run
        if source is run or not found.placed.estimated or asked:
            return
        self._asked = (source, run)
        job = self._session.jobs.ask(
            PlaceConcepts(run=source, other=run),
            lambda found: self._take(job, source, run, found.places),
            title="Concepts on the map",
            silent=True,
        )
        self._job = job

    def _take(self, job: Job, source: Run, run: Run, stars: NDArray | None) -> None:
        if job is self._job and stars is not None:
            place_stars(source, run, stars)
            self.ready.emit()
