"""Studies: how many cells one has and what they take, and fill its grid."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from emberscope.base.errors import ParamError, ProjectError
from emberscope.base.files import written_whole
from emberscope.base.monitor import Monitor, Portion
from emberscope.base.text import SHOWN
from emberscope.findings.studied.grid import PlaceScore
from emberscope.findings.studied.load import ClusterLoad
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.project.model.study import Study
from emberscope.tasks.request import Request

if TYPE_CHECKING:
    from emberscope.project.model.project import Project
    from emberscope.project.store.cell_folder import Result, StudyFolder
    from emberscope.studies.cells import Cell
    from emberscope.studies.fill import Filled
    from emberscope.studies.summary import Place
    from emberscope.studies.where import Where

_PLANNING = 10.0  # s that are spent on what the cells of a study will take, before it is filled


class StudyPlan(msgspec.Struct, frozen=True):
    """cells : how many the study has. done : of these. given_up : at how many processes died, which
    are tried again where somebody asks for it. seconds : about what the others take in one
    process, features of a patch once. places : in the order of the axes, as far as they are done.
    recipes : of the first seed of each, None where its labels are changed too. score : the measure
    that they are compared by. notes : on cells whose recipe these labels do not allow."""

    cells: int
    done: int
    given_up: int
    seconds: float
    places: list[PlaceScore]
    recipes: list[Recipe | None]
    score: str
    notes: list[str]


class StudyFound(msgspec.Struct, frozen=True):
    """What a study came to. score : the measure that cells are compared by. places : in the order
    of the axes. answer : a sentence, "" where there is no number. table : path of the table. notes
    : on cells that could not be computed. report : path of the page that says all of it."""

    title: str
    score: str
    places: list[PlaceScore]
    cells: int
    done: int
    answer: str
    table: str
    notes: list[str]
    report: str = ""


class PlanStudy(Request[StudyPlan], frozen=True, kw_only=True):
    """What a study would take. snapshot : of the project. folder : where its cells
    are kept, "" for none."""

    snapshot: Snapshot
    study: Study
    folder: str = ""


class FillStudy(Request[StudyFound], frozen=True, kw_only=True):
    """Compute the cells of a study that are not done. Fields as of `PlanStudy`. workers :
    processes that share the work. again : also what was given up. halving : every place
    gets little, the better ones more (`studies.halving`). dask : address of a scheduler
    that does it, or "local:N"; "" for none. fall_back : go on with `workers` of this computer
    where that is gone. begin : the part of the cells that one process begins after, from 0 to 1,
    so that several that share a folder begin apart. curve : a file for the curve over an axis of
    numbers, "" for none; its ending says its form. over : that axis, "" for the one with most
    values."""

    snapshot: Snapshot
    study: Study
    folder: str
    workers: int = 1
    again: bool = False
    halving: bool = False
    dask: str = ""
    fall_back: bool = False
    begin: float = 0.0
    curve: str = ""
    over: str = ""


class ReportStudy(Request[StudyFound], frozen=True, kw_only=True):
    """Write the page that says what a study came to. found : what it did. path : of the page, an
    HTML file, which is replaced; the answer has it as its report."""

    found: StudyFound
    path: str


class LookAtCluster(Request[ClusterLoad], frozen=True, kw_only=True):
    """What the workers of a scheduler of Dask do. address : of it, as "tls://host:8786"."""

    address: str


def look_at_cluster(request: LookAtCluster, monitor: Monitor) -> ClusterLoad:
    """See `studies.cluster`. Raises WorkerError where nobody answers."""
    from emberscope.studies.cluster import load_of

    monitor.step(0.0, "Looking for the workers")
    return load_of(request.address)


def plan_study(request: PlanStudy, monitor: Monitor) -> StudyPlan:
    """The plan of a study, see `studies.estimate`."""
    from emberscope.project.store.cell_folder import StudyFolder
    from emberscope.studies.cells import cells_of
    from emberscope.studies.estimate import estimate_cells
    from emberscope.studies.summary import check_score, places_of, score_of

    study = request.study
    check_score(study)
    cells = cells_of(study, from_snapshot(request.snapshot))
    done = StudyFolder(request.folder).results(cells) if request.folder else {}
    left = [cell for cell in cells if cell.key not in done]
    seconds, notes = estimate_cells(request.snapshot, left, monitor)
    score = score_of(study, done)
    places = places_of(study, cells, done, score)
    recipes = [None if not place.first.change.is_none else place.first.recipe for place in places]
    given_up = sum(result.given_up for result in done.values())
    return StudyPlan(len(cells), len(done) - given_up, given_up, seconds,
                     [_scored(place) for place in places], recipes, score, notes)


def fill_study(request: FillStudy, monitor: Monitor) -> StudyFound:
    """What the study came to, see `studies.fill`. Partial results are (P, 3): mean and ends of the
    interval of every place, NaN where there is none."""
    from emberscope.project.store.cell_folder import StudyFolder
    from emberscope.studies.budget import gain_words
    from emberscope.studies.cells import cells_of
    from emberscope.studies.halving import rungs_of
    from emberscope.studies.summary import (
        answer_of,
        check_score,
        lacking_words,
        places_of,
        score_of,
    )
    from emberscope.studies.where import Where

    study, project = request.study, from_snapshot(request.snapshot)
    check_score(study)
    cells = cells_of(study, project)
    if request.halving:
        rungs_of(study)  # before anything is written
    if request.curve:
        _check_curve(request, places_of(study, cells, {}, ""))
    folder = StudyFolder(request.folder)
    folder.begin(study)
    if request.again:
        folder.try_again(cells)

    where = Where(request.workers, request.dask, request.fall_back, request.begin)
    done = _fill(request, cells, folder, where, monitor)
    results, notes = done.results, [*_notes(study, project, cells), *done.notes]
    score = score_of(study, results)
    places = places_of(study, cells, results, score)
    if request.curve:
        _draw(request, places, score)
    answer = answer_of(places if done.ended is None else done.ended, score)
    given_up = {cell.key: f"{cell.words}: {results[cell.key].error}" for cell in cells
                if cell.key in results and results[cell.key].given_up}
    words = "" if answer is None else answer.words
    scored = [_scored(place) for place in places]
    notes = [*where.notes, *notes, *gain_words(places, score),
             *lacking_words(cells, results, score),
             *{**done.failed, **given_up}.values()]
    found = StudyFound(study.title, score, scored, len(cells), len(results) - len(given_up), words,
                       str(folder.write_tables(cells, results)), notes)
    return _reported(found, folder.report)


def report_study(request: ReportStudy, monitor: Monitor) -> StudyFound:
    """The same page as a study leaves beside its cells. Raises ProjectError where it cannot be
    written."""
    monitor.step(0.0, "Writing")
    return _reported(request.found, Path(request.path))


def _reported(found: StudyFound, path: Path) -> StudyFound:
    """What a study came to, with its page at a path."""
    from emberscope.report.study_page import study_page

    page = study_page(found.title, found.answer, found.places, found.score, found.notes)
    try:
        with written_whole(path) as part:
            part.write_bytes(page.encode("utf-8", SHOWN))
    except OSError as error:
        raise ProjectError(f"the report cannot be written: {error.strerror}",
                           where=str(path)) from error
    return msgspec.structs.replace(found, report=str(path))


class _Done(NamedTuple):
    """As `studies.fill.Filled`. notes : sentences on how it went. ended : places that halving
    computed to the end, None without it."""

    results: dict[str, "Result"]
    failed: dict[str, str]
    notes: list[str]
    ended: list["Place"] | None


def _fill(
    request: FillStudy, cells: Sequence["Cell"], folder: "StudyFolder", where: "Where",
    monitor: Monitor,
) -> _Done:
    """Compute what is not done, all of it or by halving."""
    from emberscope.studies.estimate import cell_seconds
    from emberscope.studies.fill import Work
    from emberscope.studies.halving import fill_by_halving
    from emberscope.studies.pace import Pace
    from emberscope.studies.summary import places_of, score_of

    study, kept, pace = request.study, dict[str, Any](), Pace()

    def show(results: dict[str, Any]) -> None:
        kept.update(results)
        folder.write_table(cells, kept)
        found = places_of(study, cells, kept, score_of(study, kept))
        monitor.partial(np.array([[place.mean, place.low, place.high] for place in found]))

    def fill_part(part: Sequence["Cell"], later: float = 0.0) -> "Filled":
        if len(folder.results(part)) < len(part):
            planning = Portion(monitor, pace.fraction, pace.fraction)
            pace.expect(cell_seconds(request.snapshot, part, planning, _PLANNING)[0], later)
        return where.fill(Work(request.snapshot, part, folder, pace=pace), monitor, show)

    if not request.halving:
        return _Done(*fill_part(cells), [], None)
    halved = fill_by_halving(study, from_snapshot(request.snapshot), cells, fill_part)
    return _Done(halved.results, halved.failed, [halved.words], halved.places)


def _check_curve(request: FillStudy, places: Sequence["Place"]) -> None:
    """Raise ParamError for a study without a curve, EmberscopeError for no form of figures."""
    from emberscope.figures.figure import check_place
    from emberscope.findings.studied.curve import curve_axes

    check_place(request.curve)
    axes = curve_axes([_scored(place) for place in places])
    if axes and request.over and request.over not in axes:
        raise ParamError(f"the axis {request.over} has no three numbers",
                         hint=f"Axes that have: {', '.join(axes)}.")
    if not axes:
        raise ParamError("no axis of the study has three numbers, so there is no curve",
                         hint="Give an axis more values, or leave the curve out.")


def _draw(request: FillStudy, places: Sequence["Place"], score: str) -> None:
    """Write the curve of a study. Raises ProjectError where there is none, or no room for it."""
    from emberscope.figures.figure import plot_figure, save_figure
    from emberscope.findings.studied.curve import study_curve

    path, title = request.curve, request.study.title
    plot = study_curve([_scored(place) for place in places], score, request.over)
    if plot is None:
        raise ProjectError("fewer than three places have a number, so there is no curve",
                           where=path, hint="cells.csv says why.")
    try:
        save_figure(plot_figure(plot, (title,) if title else ()), path)
    except OSError as error:
        raise ProjectError(f"the figure cannot be written: {error.strerror}",
                           where=path) from error


def _notes(study: Study, project: "Project", cells: Sequence["Cell"]) -> list[str]:
    """Sentences on what the axes of a study rest on."""
    from emberscope.studies.budget import spare_words
    from emberscope.studies.label_times import label_times, times_words

    if "minutes" not in study.axes:
        return []
    return [times_words(label_times(project.labels)), *spare_words(cells, project)]


def _scored(place: "Place") -> PlaceScore:
    return PlaceScore(
        place.values, _known(place.mean), _known(place.low), _known(place.high),
        _known(place.spread), len(place.scores), place.missing, list(place.errors),
    )  # fmt: skip


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
