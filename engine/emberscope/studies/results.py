"""The result of a cell: its numbers, or why it has none."""

import math
import time
from pathlib import Path

from emberscope.base.errors import EmberscopeError, FormatError, TooLarge
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.cost import cost_of, refuse_too_large, size_of
from emberscope.course.inputs import prepare
from emberscope.course.of_project import begin, points_said
from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.scores import joined
from emberscope.course.stages.classified import CLASSIFIED
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.faithful import FAITHFUL, SHOWN
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import MADE, MARKED
from emberscope.course.stages.graph import GRAPH
from emberscope.course.stages.metric import METRIC
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.separation import SEPARATION
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.split import SIDES
from emberscope.course.stages.start import START
from emberscope.pipeline.truths import truth_scores
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import Cell, judging_labels
from emberscope.studies.weakened import change_labels

SAYING = (FAITHFUL, SHOWN, SIDES, SEPARATION, CLASSIFIED)
STAGES = (FEATURES, REDUCED, SIDE, METRIC, SEEN, GRAPH, START, EMBED, *SAYING)


def compute(
    snapshot: Snapshot, cell: Cell, cache: Path, monitor: Monitor | None = None
) -> Result:
    """The result of a cell. snapshot : of the project. cache : folder of stages, which cells share.

    A recipe that these labels do not allow gives a result that says so. Raises FormatError, where a
    source cannot be read, TooLarge, where this computer has not the memory, and Cancelled.
    """
    began = time.perf_counter()
    if cell.error:
        return Result(key=cell.key, values=cell.values, error=cell.error)
    try:
        metrics, notes = _numbers(prepared(snapshot, cell), cell.recipe, cache, monitored(monitor))
    except (FormatError, TooLarge):  # another disk, or a larger computer, may do it
        raise
    except EmberscopeError as error:
        return Result(key=cell.key, values=cell.values, error=str(error),
                      seconds=time.perf_counter() - began)
    known = {name: float(value) for name, value in metrics.items() if math.isfinite(value)}
    return Result(key=cell.key, values=cell.values, metrics=known, notes=notes,
                  seconds=time.perf_counter() - began)


def prepared(snapshot: Snapshot, cell: Cell) -> Project:
    """The project with the labels of a cell. Raises MissingLabels where they cannot be changed as
    it wants."""
    project, bags = from_snapshot(snapshot), cell.recipe.bags
    if not cell.change.is_none:
        margin = bags.patch / 2 if bags.level == "instance" else 0.0
        judging = judging_labels(cell.recipe, project)
        change_labels(project, cell.change, judging, margin=margin)
    return project


def _numbers(
    project: Project, recipe: Recipe, cache: Path, monitor: Monitor
) -> tuple[dict[str, float], list[str]]:
    """Numbers of a run without those of its figures, and its notes."""
    # A number that places are compared by is never left out because it takes long.
    plan = plan_of(recipe, project, at_any_cost=True)
    inputs = prepare(project, recipe, cache)
    given = begin(project, plan, inputs, None)
    size = size_of(plan, inputs, given[MARKED])
    refuse_too_large(cost_of(plan, size, len(inputs.made.bags)), plan)
    run_stages(plan, STAGES, given, size=size, folder=cache, monitor=monitor)
    scores = joined(*(given[stage] for stage in SAYING))
    witness = points_said(SAYING, given).get("witness")
    truth = truth_scores(project, given[MADE], witness, given[EMBED].Z, seed=recipe.seed)
    sizes = {"n": float(len(inputs.made.instances)), "bags": float(len(inputs.made.bags))}
    return {**scores.metrics, **truth.metrics, **sizes}, scores.notes
