"""Slow measurements of a finished run, made on demand."""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.finished import metric_of, side_known_to
from emberscope.course.inputs import features, inputs_of
from emberscope.course.labels import Labels
from emberscope.course.plan import Plan, plan_of
from emberscope.course.runner import run_stages
from emberscope.course.scores import Scores, joined
from emberscope.course.stage import Given, Size, Stage
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED, Fitted
from emberscope.course.stages.faithful import axes_scores
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import LABELS, PARTS
from emberscope.course.stages.reduce import REDUCED, Seen
from emberscope.course.stages.separation import NOT_HELD_OUT, SEPARATION
from emberscope.course.stages.side import SIDE
from emberscope.course.stages.spread import NO_SPREAD, SPREAD
from emberscope.course.stages.start import START
from emberscope.findings.maps.graph import neighbors_of
from emberscope.findings.shown_axes import Axes, axes_words, dimensions, is_part
from emberscope.labels.side_info import SideInfo
from emberscope.neighbors.distances import Distances
from emberscope.pipeline.conversion import features_of_run, reduced
from emberscope.pipeline.truths import map_accuracy
from emberscope.project.model.project import Project, Run

# By metric
LEFT_OUT: dict[str, Stage[Scores]] = {
    "method_bag_auc_seconds": SEPARATION,
    "spread_seconds": SPREAD,
}
_BEGINS = {"method_bag_auc_seconds": NOT_HELD_OUT, "spread_seconds": NO_SPREAD}  # its note


def measure(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Run:
    """The run with the numbers it lacks: bags held out, and the spread between fits; itself where
    it lacks none.

    Made of the bags, labels and marks that the run was made of, whatever the project has by now.
    Features that are not kept any more are computed again. Raises ProjectError, FormatError where a
    source is gone, Cancelled.
    """
    lacking = [name for name in LEFT_OUT if name in run.metrics]
    if not lacking:
        return run
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    inputs = inputs_of(project, run, folder)
    wide = features(project.sources, inputs, run.recipe, Portion(watch, 0.0, 0.1))
    X = reduced(run, wide)
    plan, side = plan_of(run.recipe, project, at_any_cost=True), side_known_to(run)
    given = (
        Given()
        .put(FEATURES, wide)
        .put(REDUCED, Seen(X))
        .put(SEEN, Seen(_seen(run, X), distances=_distances(plan, side, X)))
    )
    labels = Labels.of(inputs.made)
    given.put(EMBED, Fitted(run.Z, run.state)).put(LABELS, labels).put(
        PARTS, plan.split.parts(labels)
    )
    given.put(SIDE, side).put(START, None)
    stages = [stage for name, stage in LEFT_OUT.items() if name in lacking]
    run_stages(
        plan,
        stages,
        given,
        size=Size(len(X), wide.shape[1], X.shape[1]),
        monitor=Portion(watch, 0.1, 1.0),
    )
    return _with(run, joined(*(given[stage] for stage in stages)), lacking)


def measure_axes(
    project: Project,
    run: Run,
    axes: Axes,
    *,
    cache: str | Path | None = None,
    monitor: Monitor | None = None,
) -> Run:
    """The run with the faithfulness of two of its axes, or of one, under the names of
    `findings.shown_axes`; itself where it has no more.

    Features that are not kept any more are computed again. Raises DataError for axes it has not,
    ProjectError, FormatError where a source is gone, Cancelled.
    """
    if not all(0 <= axis < dimensions(run) for axis in axes):
        what = f"run {run.id} has {dimensions(run)} axes, and no {axes_words(axes)}"
        raise DataError(what, hint="Choose two that it has, or one.")
    if not is_part(run, axes):
        return run
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_of_run(project, run, folder, Portion(watch, 0.0, 0.3))
    distances = _distances(plan_of(run.recipe, project), side_known_to(run), X)
    found = axes_scores(_seen(run, X), run.Z, axes, distances=distances, seed=run.recipe.seed,
                        monitor=Portion(watch, 0.3, 1.0))
    known = map_accuracy(
        project, inputs_of(project, run, folder).made, run.Z, axes, seed=run.recipe.seed
    )
    return msgspec.structs.replace(
        run,
        metrics={**run.metrics, **found.metrics, **known},
        point_scores={**run.point_scores, **found.points},
    )


def neighbor_distances(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> NDArray[np.float32]:
    """(N, K) how far the neighbors that a run keeps are in the features, as the method saw these.

    Features that are not kept any more are computed again. Raises DataError where the run keeps no
    neighbors, ProjectError, FormatError where a source is gone, Cancelled. O(N K D).
    """
    neighbors = neighbors_of(run)
    if neighbors is None:
        raise DataError(f"run {run.id} keeps no neighbors", hint="Run it again.")
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_seen(project, run, folder, monitor)
    near = np.asarray(neighbors, np.int64)
    columns = [np.linalg.norm(X - X[near[:, k]], axis=1) for k in range(near.shape[1])]
    out = np.column_stack(columns).astype(np.float32)
    out[near < 0] = np.inf
    return out


def features_seen(
    project: Project, run: Run, cache: Path, monitor: Monitor | None = None
) -> NDArray:
    """(N, D) the features of a run's instances, as its method saw these. Raises as
    `neighbor_distances`."""
    return np.asarray(_seen(run, features_of_run(project, run, cache, monitored(monitor))))


def _distances(plan: Plan, side: SideInfo | None, X: NDArray) -> Distances | None:
    """Those of chips, where a run has them in place of distances between features."""
    return plan.rule(side).between(X) if plan.measured else None


def _seen(run: Run, X: NDArray) -> NDArray:
    """The features as the method got them: through the metric, where the run has one."""
    metric = metric_of(run)
    return X if metric is None else np.ascontiguousarray(metric.transform(X), X.dtype)


def _with(run: Run, found: Scores, lacking: list[str]) -> Run:
    """The run with these scores instead of the notes that said why there were none."""
    old = tuple(_BEGINS[name] for name in lacking)
    return msgspec.structs.replace(
        run,
        metrics={name: value for name, value in run.metrics.items() if name not in lacking}
        | found.metrics,
        notes=list(
            dict.fromkeys([*(note for note in run.notes if not note.startswith(old)), *found.notes])
        ),
        point_scores=run.point_scores | found.points,
        diagnostics=run.diagnostics | found.arrays,
    )
