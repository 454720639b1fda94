"""Slow measurements of a finished run, made on demand."""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.base.errors import DataError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.axes import axes_scores
from emberscope.course.cost import refit_seconds
from emberscope.course.estimator import (
    is_measured,
    make_whole,
    parameters,
    reads_labels,
    reads_side,
    refitted,
    rule_of,
    variations_of,
)
from emberscope.course.inputs import inputs_of
from emberscope.course.scores import NO_SPREAD, NOT_HELD_OUT, Scores, joined, separation, steady
from emberscope.findings.shown_axes import Axes, dimensions, is_part
from emberscope.labels.side_info import SideInfo
from emberscope.neighbors.distances import Distances
from emberscope.pipeline.conversion import features_of_run
from emberscope.pipeline.stages import known_labels
from emberscope.pipeline.truths import map_accuracy
from emberscope.project.model.project import Project, Run

LEFT_OUT = {"method_bag_auc_seconds": NOT_HELD_OUT, "spread_seconds": NO_SPREAD}  # metric -> how its note begins


def measure(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Run:
    """The run with the numbers it lacks: bags held out, and the spread between fits; itself where it lacks none.

    Made of the bags, labels and marks that the run was made of, whatever the project has by now. Features that are not
    kept any more are computed again. Raises ProjectError, FormatError where a source is gone, Cancelled.
    """
    lacking = [name for name in LEFT_OUT if name in run.metrics]
    if not lacking:
        return run
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    inputs = inputs_of(project, run, folder)
    X = features_of_run(project, run, folder, Portion(watch, 0.0, 0.1))
    fit_labels = known_labels(inputs.made, run.recipe.method)
    side = _side(run, X)
    parts: list[Scores] = []
    middle = 0.8 if len(lacking) == 2 else 0.1 if "spread_seconds" in lacking else 1.0
    if "method_bag_auc_seconds" in lacking:
        refit = (lambda: make_whole(run.recipe)) if reads_labels(run.recipe) else None
        parts.append(separation(
            X, run.Z, inputs.made, known=fit_labels, seed=run.recipe.seed, refit=refit,
            seconds=refit_seconds(run.recipe, *X.shape), side=side, monitor=Portion(watch, 0.1, middle),
        ))  # fmt: skip
    if "spread_seconds" in lacking:
        fits, kind = variations_of(run.recipe.method, parameters(run.recipe), seed=run.recipe.seed), run.recipe.method
        distances = _distances(run, X)
        parts.append(steady(
            lambda number: refitted(kind, fits[number], distances), _seen(run, X), run.Z, fit_labels, inputs.made.bags,
            fits=len(fits), side=side if reads_side(run.recipe) else None, monitor=Portion(watch, middle, 1.0),
        ))  # fmt: skip
    return _with(run, joined(*parts), lacking)


def measure_axes(
    project: Project, run: Run, axes: Axes, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Run:
    """The run with the faithfulness of two of its axes, under the names of `findings.shown_axes`; itself where it has
    no more.

    Features that are not kept any more are computed again. Raises DataError for axes it has not, ProjectError,
    FormatError where a source is gone, Cancelled.
    """
    if axes[0] == axes[1] or not all(0 <= axis < dimensions(run) for axis in axes):
        what = f"run {run.id} has {dimensions(run)} axes: {axes[0] + 1} and {axes[1] + 1} are no two of them"
        raise DataError(what, hint="Choose two that it has.")
    if not is_part(run, axes):
        return run
    watch = monitored(monitor)
    folder = Path(cache) if cache is not None else cache_folder()
    X = features_of_run(project, run, folder, Portion(watch, 0.0, 0.3))
    found = axes_scores(_seen(run, X), run.Z, axes, distances=_distances(run, X), seed=run.recipe.seed,
                        monitor=Portion(watch, 0.3, 1.0))
    known = map_accuracy(project, inputs_of(project, run, folder).made, run.Z, axes, seed=run.recipe.seed)
    return msgspec.structs.replace(
        run, metrics={**run.metrics, **found.metrics, **known}, point_scores={**run.point_scores, **found.points})


def _side(run: Run, X: NDArray) -> SideInfo | None:
    return SideInfo.from_state(run.state["side"]).checked(len(X)) if "side" in run.state else None


def _distances(run: Run, X: NDArray) -> Distances | None:
    """Those of chips, where the run has them in place of distances between features."""
    return rule_of(run.recipe, _side(run, X)).between(X) if is_measured(run.recipe) else None


def _seen(run: Run, X: NDArray) -> NDArray:
    """The features as the method got them: through the metric, where the run has one."""
    if "metric" not in run.state:
        return X
    metric = catalogue.load(run.recipe.metric).from_state(run.state["metric"])
    return np.ascontiguousarray(metric.transform(X), X.dtype)


def _with(run: Run, found: Scores, lacking: list[str]) -> Run:
    """The run with these scores instead of the notes that said why there were none."""
    old = tuple(LEFT_OUT[name] for name in lacking)
    return msgspec.structs.replace(
        run,
        metrics={name: value for name, value in run.metrics.items() if name not in lacking} | found.metrics,
        notes=list(dict.fromkeys([*(note for note in run.notes if not note.startswith(old)), *found.notes])),
        point_scores=run.point_scores | found.points,
        diagnostics=run.diagnostics | found.arrays,
    )
