"""A run made once more from its recipe, its bags and its frames: is it the same to the bit?"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from emberscope.base.errors import MissingLabels, ProjectError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.finished import side_known_to
from emberscope.course.inputs import inputs_of, prepare
from emberscope.course.of_project import SAYING, STAGES, begin, points_said
from emberscope.course.plan import Plan, plan_of
from emberscope.course.runner import contents_of, run_stages
from emberscope.course.stage import Given, Stage
from emberscope.course.stages.agreement import AGREEMENT
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.rests import RESTS
from emberscope.course.stages.side import SIDE
from emberscope.course.versions import code_version, versions
from emberscope.pipeline.project_run import labels_say
from emberscope.project.exchange.sources import changed_note, changed_sources, names_of
from emberscope.project.exchange.sources import missing_sources as missing_from
from emberscope.project.model.compare import same
from emberscope.project.model.made_by import Replayed
from emberscope.project.model.project import Project, Run

COORDINATES, SCORES = "coordinates", "scores of instances"
_OF_LABELS = (RESTS, AGREEMENT)  # read labels that a run does not hold
_LABELS_CHANGED = (
    "Labels changed since this run: its own bags were taken, and what needs more of its labels is "
    "not compared."
)
_NO_DIGESTS = (
    "This run was saved without digests of its stages: coordinates and scores alone are compared."
)


class _Begun(NamedTuple):
    """What a replay begins with. whole : whether the labels of the project are still those of the
    run, so that all stages can be compared."""

    given: Given
    stages: Sequence[Stage[Any]]
    whole: bool


def replay(
    project: Project, run: Run, *, previous: Run | None = None, monitor: Monitor | None = None
) -> Replayed:
    """Make a run of a project again, from its frames on, and compare every stage.

    Parameters
    ----------
    run : its recipe, its seed and its bags are taken, also where labels are others by now. Nothing
        that was kept of it is used.
    previous : the run whose embedding it went on from, where it did.

    Raises ProjectError for sources that are gone, or where that previous run is; FormatError for a
    source that cannot be read; Cancelled.
    """
    _check_there(project, run, previous)
    plan = plan_of(run.recipe, project, at_any_cost=run.made_by.at_any_cost)
    with tempfile.TemporaryDirectory(
        dir=cache_folder(), prefix="replay-", ignore_cleanup_errors=True
    ) as folder:
        given, stages, whole = _begun(project, run, plan, previous, Path(folder))
        run_stages(plan, stages, given, folder=Path(folder), monitor=monitored(monitor))
    compared = dict(_compared(run, plan, stages, given))
    other = [name for name, equal in compared.items() if not equal]
    notes = [*_source_notes(project, run), *_version_notes(run)]
    notes += [] if whole else [_LABELS_CHANGED]
    notes += [] if run.made_by.contents else [_NO_DIGESTS]
    return Replayed(run=run.id, equal=not other, differs=other[0] if other else "",
                    compared=list(compared), other=other, notes=notes)


def _begun(
    project: Project, run: Run, plan: Plan, previous: Run | None, folder: Path
) -> _Begun:
    try:
        given = begin(project, plan, prepare(project, run.recipe, folder), previous)
    except MissingLabels:  # they were removed
        given = None
    if given is not None and _same_labels(run, given):
        return _Begun(given, STAGES, whole=True)
    given = begin(project, plan, inputs_of(project, run, folder), previous)
    given.put(SIDE, side_known_to(run))
    stages = [stage for stage in STAGES if stage is not SIDE and stage not in _OF_LABELS]
    return _Begun(given, stages, whole=False)


def _same_labels(run: Run, given: Given) -> bool:
    """Whether the labels of the project say what they said when the run was made."""
    then, now = run.made_by.contents, labels_say(given)
    return all(then.get(name) == content for name, content in now.items())


def _compared(
    run: Run, plan: Plan, stages: Sequence[Stage[Any]], given: Given
) -> Iterator[tuple[str, bool]]:
    then = run.made_by.contents
    if then:
        for name, content in contents_of(plan, stages, given).items():
            yield name, then.get(name) == content
    yield COORDINATES, same(run.Z, given[EMBED].Z)
    said = [stage for stage in SAYING if stage in stages]
    points = points_said(said, given)
    yield SCORES, all(same(run.point_scores.get(name), found) for name, found in points.items())


def _check_there(project: Project, run: Run, previous: Run | None) -> None:
    used = set(run.source.tolist())
    gone = [ref for ref in missing_from(project) if ref.id in used]
    if gone:
        are = "is" if len(gone) == 1 else "are"
        raise ProjectError(f"run {run.id} cannot be replayed: {names_of(gone)} {are} gone",
                           hint="Locate what is gone, then replay again.")
    start = run.made_by.went_on_from
    if start and previous is None:
        raise ProjectError(f"run {run.id} went on from run {start}, which is gone",
                           hint="Undo its removal, or run the recipe again.")


def _source_notes(project: Project, run: Run) -> list[str]:
    used = set(run.source.tolist())
    note = changed_note(project, [ref for ref in changed_sources(project) if ref.id in used])
    return [note] if note else []


def _version_notes(run: Run) -> list[str]:
    """What is other than it was in the program and its libraries."""
    if run.made_by.code == code_version():
        return []
    now = versions()
    changed = [f"{name} was {old}, is {now.get(name, 'not there')}"
               for name, old in run.versions.items() if now.get(name) != old]
    if changed:
        return [f"Other versions than those that made the run: {'; '.join(changed)}."]
    if not run.made_by.code:
        return ["The run does not say what code of this version made it."]
    return ["The code of Emberscope is another than the one that made the run, of the same "
            "version."]
