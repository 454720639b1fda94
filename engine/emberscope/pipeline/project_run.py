"""A run of a project: its course from the labels to the scores, and the record of it."""

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.coverage import coverage, label_looseness
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.base.cache import keep_bounded
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.cost import cost_of, refuse_too_large, size_of
from emberscope.course.inputs import prepare
from emberscope.course.of_project import SAYING, STAGES, begin, points_said
from emberscope.course.plan import Plan, plan_of
from emberscope.course.runner import contents_of, run_stages
from emberscope.course.scores import joined
from emberscope.course.stage import Given
from emberscope.course.stages.advice import ADVICE
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import CORES, MADE, MARKED
from emberscope.course.stages.graph import GRAPH
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.start import START
from emberscope.course.versions import code_version, versions
from emberscope.evaluate.loadings import loadings
from emberscope.features.cache import digest
from emberscope.features.extract import feature_names, grown
from emberscope.findings.concepts import WEIGHTS
from emberscope.findings.learned import GOES_WITH
from emberscope.findings.shown_axes import FIRST
from emberscope.neighbors.threads import one_blas_thread
from emberscope.pipeline.truths import map_accuracy, truth_scores
from emberscope.project.exchange.sources import changed_note, changed_sources
from emberscope.project.model.made_by import MadeBy
from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import Recipe

log = logging.getLogger(__name__)

LISTED_NEIGHBORS = 10  # kept with the run
BAGS_MADE, BESIDE_BAGS = "bags", "side information and tight boxes of labels"


def run(
    project: Project,
    recipe: Recipe,
    *,
    monitor: Monitor | None = None,
    cache: str | Path | None = None,
    run_id: int | None = None,
    previous: Run | None = None,
    at_any_cost: bool = False,
) -> Run:
    """Do what a recipe says with the labels of a project; the project is not changed.

    Parameters
    ----------
    monitor : gets progress, weighted by what each stage costs, and intermediate embeddings where
    there are any.
    cache : folder of stage results; default: the user's cache folder (see
    `base.folders.cache_folder`).
    run_id : int, optional. Id of the run; default: the project's next free one, which is not
    reserved.
    previous : Run, optional. A layout (t-SNE) with the same parameters and seed goes on from its
        embedding, so that instances stay where they were; the result then depends on it, which is
        noted. Other methods do not look at it.
    at_any_cost : also what takes long and is else left out: bags held out, and the spread between
    fits.

    Notes
    -----
    Features are kept per instance: one more label costs the features of that label's instances
    only. Raises MissingLabels, TooLarge, ParamError, FormatError (a source is gone), Cancelled.
    """
    started = time.perf_counter()
    folder = Path(cache) if cache is not None else cache_folder()
    monitored(monitor).step(0.0, "Bags")
    plan = plan_of(recipe, project, at_any_cost=at_any_cost)
    inputs = prepare(project, recipe, folder)
    given = begin(project, plan, inputs, previous)
    size = size_of(plan, inputs, given[MARKED])
    refuse_too_large(cost_of(plan, size, len(inputs.made.bags)), plan)
    run_stages(plan, STAGES, given, size=size, folder=folder, monitor=monitor)
    log.info(
        "run of %s: %d instances in %.1f s", recipe.method, size.n, time.perf_counter() - started
    )
    keep_bounded(folder)
    made = _Made(project.next_run if run_id is None else run_id, started)
    with one_blas_thread():
        return _record(project, plan, given, made)


@dataclass(frozen=True, slots=True)
class _Made:
    """The number of a run, and when it began, by `time.perf_counter`."""

    id: int
    started: float


def _goes_with_witness(X: NDArray, points: dict[str, NDArray]) -> dict[str, NDArray]:
    """Correlation (D,) of every feature of X (N, D) with the witness score; nothing where no two
    instances have one."""
    score = points.get("witness", np.empty(0))
    known = np.flatnonzero(np.isfinite(score))
    whole = len(known) == len(X)
    return (
        {GOES_WITH: loadings(X if whole else X[known], score[known, None])[:, 0]}
        if len(known) > 1
        else {}
    )


def _marks(project: Project) -> NDArray[np.int64]:
    """(M, 2) instance and class ids of the marks that the run was made with."""
    return np.stack(project.marks.columns(), axis=1)


def _followed(made: MadeBags, marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(F,) ids of the instances whose label follows from pairs."""
    return made.instances.ids[made.marked & ~np.isin(made.instances.ids, marks[:, 0])]


def labels_say(given: Given) -> dict[str, str]:
    """Digests of what a course begins with, and the labels of a project determine."""
    made, marked = given[MADE], given[MARKED]
    bags, instances = made.bags, made.instances
    values = [] if bags.values is None else [bags.values]  # as before bags had any
    return {
        BAGS_MADE: digest([instances.ids, instances.source, instances.frame, instances.box,
                           bags.indptr, bags.members, bags.labels, bags.ids, bags.classes,
                           *values, made.y, made.marked]),
        BESIDE_BAGS: digest([marked.to_state(), list(given[CORES].items())]),
    }


def _listed(given: Given) -> dict[str, NDArray]:
    """The nearest instances in the features, (N, 10), for the view of false and missing
    neighbors."""
    neighbors = given[GRAPH]
    return (
        {}
        if neighbors is None
        else {"neighbors": np.ascontiguousarray(neighbors.idx[:, :LISTED_NEIGHBORS])}
    )


def _looseness(project: Project, bags: Bags) -> dict[str, float]:
    """Of the boxes of labels; nothing of points, whose bags are exactly what they are."""
    return {} if project.of_points else label_looseness(bags, project.labels)


def _record(project: Project, plan: Plan, given: Given, of: _Made) -> Run:
    """The run, with what the labels of the project know of it."""
    recipe = plan.recipe
    made, seen, fitted = given[MADE], given[SEEN], given[EMBED]
    side, start = given[SIDE], given[START]
    scores = joined(*(given[stage] for stage in SAYING))
    advice = joined(*(given[stage] for stage in ADVICE))
    points, marks = points_said(SAYING, given), _marks(project)
    known = truth_scores(project, made, points.get("witness"), fitted.Z, seed=recipe.seed)
    flat = (
        map_accuracy(project, made, fitted.Z, FIRST, seed=recipe.seed)
        if fitted.Z.shape[1] > 2
        else {}
    )
    shown = coverage(grown(made.instances, recipe.features.sees), made.bags, project.labels)
    beside = {
        "reduction": seen.reduction,
        "metric": seen.metric,
        "side": {} if side is None else side.to_state(),
    }
    state = {**fitted.state, **{name: kept for name, kept in beside.items() if kept}}
    told = _goes_with_witness(given[FEATURES], points)
    if told or "loadings" in scores.arrays or WEIGHTS in scores.arrays:
        state["feature_names"] = feature_names(recipe.features)
    sizes = {"n": len(made.instances), "d": given[REDUCED].X.shape[1], "bags": len(made.bags)}
    facts = (
        known.metrics | flat | shown.metrics | _looseness(project, made.bags)
        | {name: float(value) for name, value in sizes.items()}
    )
    changed = changed_note(project, changed_sources(project))
    went_on = [] if start is None else [f"It went on from the embedding of run {start.run}."]
    return Run(
        id=of.id,
        recipe=recipe,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=time.perf_counter() - of.started,
        versions=versions(),
        ids=made.instances.ids, source=made.instances.source, frame=made.instances.frame,
        box=made.instances.box,
        indptr=made.bags.indptr, members=made.bags.members, bag_labels=made.bags.labels,
        bag_ids=made.bags.ids,
        bag_classes=made.bags.classes, y=made.y, Z=fitted.Z,
        point_scores=points,
        metrics={**scores.metrics, **advice.metrics, **facts},
        notes=list(dict.fromkeys([*filter(None, [changed]), *made.notes, *shown.notes,
                                  *advice.notes, *seen.notes, *fitted.notes, *went_on,
                                  *scores.notes])),
        state=state,
        diagnostics={**scores.arrays, **known.arrays, **told, **_listed(given), "marks": marks,
                     "followed": _followed(made, marks)},
        made_by=MadeBy(code=code_version(), at_any_cost=plan.at_any_cost,
                       went_on_from=0 if start is None else start.run,
                       contents=labels_say(given) | contents_of(plan, STAGES, given)),
    )  # fmt: skip
