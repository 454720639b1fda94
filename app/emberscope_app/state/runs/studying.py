"""The study that a person plans and fills: what it would take, how far it is, what it says."""

import math
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from emberscope.base.folders import cache_folder
from emberscope.findings.headline import HEADLINE
from emberscope.findings.studied.grid import Panel, PlaceScore, grid_panels
from emberscope.project import Changes, Recipe, to_snapshot
from emberscope.project.model.study import Study
from emberscope.tasks.studies import FillStudy, PlanStudy, ReportStudy, StudyFound, StudyPlan
from emberscope_app.state.core.figures import PAGE, Wanted, say_saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.asked_of_run import STOPPED
from emberscope_app.state.runs.computing import computing
from emberscope_app.state.runs.jobs import Job
from emberscope_app.when.timers import Later

TITLE = "Study"
_SETTLE_MS = 500  # after the last key, before the cost is asked for


class Studying(QObject):
    """`session.only(Studying)`. plan : of the study that is being written, None while it is not
    known. places : of the study that fills or is done, in the order of its axes. found : what a
    study that ended says. error : why there is none.

    changed() : any of it did.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.study: Study | None = None
        self.given: dict[str, Any] = {}  # what its recipe sets that the Run panel does not
        self._filled: Study | None = None
        self.plan: StudyPlan | None = None
        self.found: StudyFound | None = None
        self.places: list[PlaceScore] = []
        self.recipes: list[Recipe | None] = []
        self.score, self.error, self._title = "", "", ""
        self._planning: Job | None = None
        self._filling: Job | None = None
        self._settled = Later(self, self._ask_plan, _SETTLE_MS)
        session.changed.connect(self._on_project)
        session.jobs.changed.connect(self._on_job)
        session.jobs.partial.connect(self._on_partial)

    @property
    def folder(self) -> Path:
        """Where cells are kept: beside the project, and in the cache as long as it has no file."""
        path = self._session.path
        return cache_folder() / "studies" if path is None else path.with_name(f"{path.stem}-study")

    @property
    def planning(self) -> bool:
        """Whether it is being asked what the study takes."""
        return self._planning is not None or self._settled.isActive()

    @property
    def filling(self) -> bool:
        """Whether cells are being computed."""
        return self._filling is not None

    @property
    def of_plan(self) -> bool:
        """Whether the study that is written is another one than that whose places are there."""
        done = self._filled
        return done is not None and not self.filling and self.study != done

    @property
    def places_planned(self) -> list[PlaceScore]:
        """Of the study that is written, as far as its cells are done."""
        return self.plan.places if self.plan is not None else []

    @property
    def places_known(self) -> list[PlaceScore]:
        """Of the study that fills or is done, else of the one that is planned."""
        return self.places or self.places_planned

    @property
    def score_known(self) -> str:
        """The measure that places are compared by."""
        return self.score or (self.plan.score if self.plan is not None else "") or HEADLINE[0]

    @property
    def panels(self) -> list[Panel]:
        """The grid as tables of tiles."""
        return grid_panels(self.places_known, self.score_known)

    @property
    def title(self) -> str:
        """What the study is called that the places are of."""
        written = self.study.title if self.study is not None else TITLE
        return written if self.of_plan else self._title or written

    def write(self, study: Study | None, error: str = "") -> None:
        """Another study is wanted; None where what was written is none, for this reason."""
        self.study, self.plan, self.error = study, None, error
        self._drop(self._planning)
        self._planning = None
        if study is None:
            self._settled.stop()
        else:
            self._settled.start()
        self.changed.emit()

    def start(self, *, again: bool = False, halving: bool = False) -> None:
        """Compute the cells that are not done. again : also those that were given up. halving : the
        better places get more than the others."""
        if self.study is None or self.plan is None or self.filling:
            return
        self.places, self.recipes = list(self.plan.places), list(self.plan.recipes)
        self.found, self.error, self.score = None, "", self.plan.score
        self._title, self._filled = self.study.title, self.study
        where = computing()
        request = FillStudy(snapshot=to_snapshot(self._session.project), study=self.study,
                            folder=str(self.folder), workers=where.workers, dask=where.dask,
                            fall_back=where.fall_back, again=again, halving=halving)
        self._filling = self._session.jobs.ask(request, self._take, title=TITLE)
        self._filling.lays_out = False
        self.changed.emit()

    def stop(self) -> None:
        """What is done stays; the next start goes on."""
        self._drop(self._filling)

    def ask_for_report(self) -> None:
        """Ask where the report of the study goes that ended; the worker writes it."""
        session, found = self._session, self.found
        if found is None:
            session.say("There is nothing to report yet: the study has not ended.")
            return

        def save(path: Path) -> None:
            request = ReportStudy(found=found, path=str(path))
            session.jobs.ask(request, lambda made: say_saved(session, Path(made.report)),
                             title=f"Report {path.name}")

        session.figure_wanted.emit(Wanted("study-report", PAGE, save))

    def run_place(self, number: int) -> bool:
        """Run the recipe of a place, so that its map is there to look at; False where a run cannot
        have it, because the study changed labels for it."""
        recipe = self.recipes[number] if number < len(self.recipes) else None
        if recipe is None:
            return False
        self._session.runs.draft.show(recipe)
        self._session.runs.start()
        return True

    def _ask_plan(self) -> None:
        if self.study is None:
            return
        folder = str(self.folder) if self.folder.exists() else ""
        request = PlanStudy(snapshot=to_snapshot(self._session.project), study=self.study,
                            folder=folder)
        self._planning = self._session.jobs.ask(request, self._take_plan, title="Plan of a study")
        self.changed.emit()

    def _take_plan(self, plan: StudyPlan) -> None:
        self._planning, self.plan = None, plan
        self.changed.emit()

    def _take(self, found: StudyFound) -> None:
        self._filling, self.found = None, found
        self.places, self.score = found.places, found.score
        self._settled.start()  # its plan says that it is done
        self.changed.emit()

    def _on_partial(self, job: Job) -> None:
        """Some more cells are done."""
        if job is not self._filling or job.partial is None or len(job.partial) != len(self.places):
            return
        self.places = [
            msgspec.structs.replace(place, **_known(row)) for place, row in
            zip(self.places, job.partial.tolist(), strict=True)
        ]  # fmt: skip
        self.changed.emit()

    def _on_job(self, job: Job) -> None:
        if job.active or job.state == "finished":
            return
        if job is self._filling:
            self._filling, self.error = None, job.error or STOPPED
            self.changed.emit()
            self.write(self.study, self.error)
        elif job is self._planning:
            self._planning, self.error = None, job.error
            self.changed.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.everything:
            self.stop()
            self._filling = None
            self.found, self.places, self.recipes = None, [], []
            self.score = self._title = ""
            self.write(None)
        elif changes.touch("labels", "classes", "sources") and self.study is not None:
            self.write(self.study)

    def _drop(self, job: Job | None) -> None:
        if job is not None:
            self._session.jobs.cancel(job.id)


def _known(row: list[float]) -> dict[str, Any]:
    """What a row of partial results says of a place."""
    values = [value if math.isfinite(value) else None for value in row]
    known = dict(zip(("mean", "low", "high"), values, strict=True))
    return known | {"missing": 0}  # how many seeds it has so far nobody says before the end
