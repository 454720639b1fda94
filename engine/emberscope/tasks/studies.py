"""Studies: how many cells one has and what they take, and fill its grid."""

import math
from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.project.model.study import Study
from emberscope.tasks.request import Request


class CellScore(msgspec.Struct, frozen=True):
    """As `studies.summary.Place`: one combination of the values of all axes but the seed."""

    values: dict[str, Any]
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    seeds: int
    missing: int
    errors: list[str]


class StudyPlan(msgspec.Struct, frozen=True):
    """cells : how many the study has. done : of these. seconds : about what the others take in one
    process, features of a patch once. notes : on cells whose recipe these labels do not allow."""

    cells: int
    done: int
    seconds: float
    notes: list[str]


class StudyFound(msgspec.Struct, frozen=True):
    """What a study came to. score : the measure that cells are compared by. places : in the order
    of the axes. answer : a sentence, "" where there is no number. table : path of the table. notes
    : on cells that could not be computed."""

    title: str
    score: str
    places: list[CellScore]
    cells: int
    done: int
    answer: str
    table: str
    notes: list[str]


class PlanStudy(Request[StudyPlan], frozen=True, kw_only=True):
    """What a study would take. snapshot : of the project. folder : where its cells
    are kept, "" for none."""

    snapshot: Snapshot
    study: Study
    folder: str = ""


class FillStudy(Request[StudyFound], frozen=True, kw_only=True):
    """Compute the cells of a study that are not done. Fields as of `PlanStudy`. workers :
    processes that share the work."""

    snapshot: Snapshot
    study: Study
    folder: str
    workers: int = 1


class ReadStudy(Request[StudyFound], frozen=True, kw_only=True):
    """What is done of a study; computes nothing. Fields as of `PlanStudy`."""

    snapshot: Snapshot
    study: Study
    folder: str


def plan_study(request: PlanStudy, monitor: Monitor) -> StudyPlan:
    """The plan of a study, see `studies.estimate`."""
    from emberscope.studies.cells import cells_of
    from emberscope.studies.estimate import estimate_cells
    from emberscope.studies.folder import StudyFolder
    from emberscope.studies.summary import check_score

    check_score(request.study)
    cells = cells_of(request.study, from_snapshot(request.snapshot))
    done = StudyFolder(request.folder).results(cells) if request.folder else {}
    left = [cell for cell in cells if cell.key not in done]
    seconds, notes = estimate_cells(request.snapshot, left, monitor)
    return StudyPlan(len(cells), len(done), seconds, notes)


def fill_study(request: FillStudy, monitor: Monitor) -> StudyFound:
    """What the study came to, see `studies.fill`."""
    from emberscope.studies.cells import cells_of
    from emberscope.studies.fill import Work, fill
    from emberscope.studies.folder import StudyFolder
    from emberscope.studies.summary import check_score
    from emberscope.studies.workers import fill_with

    study = request.study
    check_score(study)
    cells = cells_of(study, from_snapshot(request.snapshot))
    folder = StudyFolder(request.folder)
    folder.begin(study)
    work = Work(request.snapshot, cells, folder)
    if request.workers > 1:
        filled = fill_with(request.workers, work, monitor=monitor)
    else:
        filled = fill(work, monitor=monitor, show=lambda found: folder.write_table(cells, found))
    return _found(study, cells, filled.results, folder, list(filled.failed.values()))


def read_study(request: ReadStudy, monitor: Monitor) -> StudyFound:
    """What is done of it."""
    from emberscope.studies.cells import cells_of
    from emberscope.studies.folder import StudyFolder

    study = request.study
    cells = cells_of(study, from_snapshot(request.snapshot))
    folder = StudyFolder(request.folder)
    return _found(study, cells, folder.results(cells), folder, [])


def _found(study: Any, cells: Any, results: Any, folder: Any, notes: list[str]) -> StudyFound:
    from emberscope.studies.summary import answer_of, places_of, score_of

    score = score_of(study, results)
    places = places_of(study, cells, results, score)
    answer = answer_of(places, score)
    table = folder.write_table(cells, results)
    rows = [CellScore(place.values, _known(place.mean), _known(place.low), _known(place.high),
                      _known(place.spread), len(place.scores), place.missing, list(place.errors))
            for place in places]
    words = "" if answer is None else answer.words
    return StudyFound(study.title, score, rows, len(cells), len(results), words, str(table), notes)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
