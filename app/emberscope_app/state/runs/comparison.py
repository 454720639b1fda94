"""The checked runs against the first of them: laid over it at once, neighbors and movers when the
worker has found them."""

from contextlib import suppress

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope.base.errors import DataError
from emberscope.findings.comparison.maps import Laid, MapComparison, lay_over
from emberscope.project import Changes, Run
from emberscope.tasks.comparison import CompareMaps, MapComparisons
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.checked_runs import checked_runs
from emberscope_app.state.runs.jobs import Job


class Comparison(QObject):
    """runs : by id, the first is what the others are compared with. laid, found : of the others, by
    id; what has too little in common with the first is in neither. changed() : any of it is
    another."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._checked = checked_runs(session)
        self._job: Job | None = None
        self._asked: list[Run] = []
        self.runs: list[Run] = []
        self.laid: dict[int, Laid] = {}
        self.found: dict[int, MapComparison] = {}
        session.changed.connect(self._on_project)

    @property
    def first(self) -> Run | None:
        return self.runs[0] if self.runs else None

    def read(self) -> None:
        """Take the checked runs; what is known of the same ones stays."""
        runs = sorted(self._checked.runs, key=lambda run: run.id)
        if len(runs) == len(self.runs) and all(
            run.Z is other.Z for run, other in zip(runs, self.runs, strict=True)
        ):
            self.runs = runs
            return
        self.runs, self.laid, self.found = runs, {}, {}
        for run in runs[1:]:
            with suppress(DataError):
                self.laid[run.id] = lay_over(runs[0], run)
        self._ask()
        self.changed.emit()

    def _ask(self) -> None:
        """Ask the worker for what takes a search of neighbors."""
        if self._job is not None and self._job.active:
            self._session.jobs.cancel(self._job.id)
        self._job, self._asked = None, self.runs
        wanted = [run for run in self.runs if run.id in self.laid]
        if wanted:
            request = CompareMaps(runs=[_bare(run) for run in (self.runs[0], *wanted)])
            title = f"Compare runs {', '.join(str(run.id) for run in self.runs)}"
            runs = self.runs
            self._job = self._session.jobs.ask(
                request, lambda made: self._take(runs, made), title=title
            )

    def _take(self, runs: list[Run], made: MapComparisons) -> None:
        if runs is self._asked:
            self.found = {found.second: found for found in made.found}
            self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.runs, self.laid, self.found = [], {}, {}
            self._asked = []


def _bare(run: Run) -> Run:
    """A run with its map and nothing else that is large."""
    return msgspec.structs.replace(run, point_scores={}, state={}, diagnostics={}, notes=[])


def comparison(session: Session) -> Comparison:
    """That of a session."""
    return session.only(Comparison)
