"""Figures of a run by their names: maps and what it measured about itself, each with its data."""

import shlex
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from emberscope.base.errors import EmberscopeError
from emberscope.figures.below import below_figure
from emberscope.figures.figure import Figure, plot_figure
from emberscope.figures.maps import paint_map_2d, paint_map_3d
from emberscope.figures.plots import paint_plot
from emberscope.figures.tables import map_rows
from emberscope.findings.diagrams import agreement_curve, changes_plot, shepard_map
from emberscope.findings.fit_steps import FIT_OBJECTIVE, fit_plot
from emberscope.findings.imputed_rounds import rounds_of
from emberscope.findings.judged.levels import BAG, DETECTION, INSTANCE, Tally
from emberscope.findings.judged.plots import FOUND, PRECISION, Shown, judged_plot
from emberscope.findings.maps.bag_points import POINTS
from emberscope.findings.maps.concept_rounds import OBJECTIVE, PATHS, objective_plot, paths_plot
from emberscope.findings.maps.ranking import (
    rank_bags,
    rank_instances,
    ranking_plot,
    ranking_rows,
)
from emberscope.findings.maps.strip import strip_plot
from emberscope.findings.plot import Plot
from emberscope.findings.point_looks import style_points
from emberscope.findings.shown_axes import alone, axes_words, dimensions
from emberscope.judging.judge import judge_run
from emberscope.project.model.project import Project, Run
from emberscope.report.drawing import AS_USUAL, MapLook, map_data, short_title
from emberscope.report.export import check_color

_SIZE = (960, 640)  # px of a map


class Kind(NamedTuple):
    """name : what a command calls it. of : the figure of a run without what stands below it, None
    where the run has none."""

    name: str
    title: str
    of: Callable[[Project, Run, MapLook], Figure | None]


def _map_2d(project: Project, run: Run, look: MapLook) -> Figure:
    data = map_data(project, run, look)
    return Figure(
        data.title, _SIZE, lambda canvas: paint_map_2d(canvas, data, size=_SIZE),
        lambda: map_rows(data, run.ids), theme=look.theme,
    )  # fmt: skip


def _map_3d(project: Project, run: Run, look: MapLook) -> Figure | None:
    if run.Z.shape[1] < 3:
        return None
    data = map_data(project, run, look)
    return Figure(
        data.title, _SIZE, lambda canvas: paint_map_3d(canvas, data, size=_SIZE),
        lambda: map_rows(data, run.ids), theme=look.theme,
    )  # fmt: skip


def _strip(project: Project, run: Run, look: MapLook) -> Figure:
    style = style_points(project, run, look.color, "light", number=look.round)
    shown = np.ones(len(run.ids), bool)
    return plot_figure(
        strip_plot(project, run.Z, min(look.axes), style, shown), size=(_SIZE[0], 420)
    )


def _ranking(project: Project, run: Run, look: MapLook) -> Figure | None:
    """Instances, or bags, by their scores. The threshold is that of truth where it is known."""
    level = judge_run(project, run, by=look.by).level(look.level)
    ranking = (
        rank_bags(project, run, level) if look.level == BAG else
        rank_instances(project, run, by=look.by)
    )
    if ranking is None or not len(ranking.ids):
        return None
    start = ranking.start if level.why_not else level.start
    threshold = start if look.threshold is None else look.threshold
    plot = ranking_plot(project, ranking, threshold)
    return Figure(
        plot.title, (_SIZE[0], 420), lambda canvas: paint_plot(canvas, plot, (_SIZE[0], 420)),
        lambda: ranking_rows(project, ranking, threshold),
    )  # fmt: skip


def _plotted(
    plot: Callable[[Run], Plot | None],
) -> Callable[[Project, Run, MapLook], Figure | None]:
    def figure(project: Project, run: Run, look: MapLook) -> Figure | None:
        found = plot(run)
        return plot_figure(found) if found is not None else None

    return figure


def _changes(run: Run) -> Plot | None:
    found = rounds_of(run)
    return changes_plot(found, found.kept) if found is not None else None


def _judged(
    level: str, kind: str
) -> Callable[[Project, Run, MapLook], Figure | None]:
    """A curve of held-out scores; of bags where no truth of instances is known."""
    def figure(project: Project, run: Run, look: MapLook) -> Figure | None:
        judged = judge_run(project, run, by=look.by)
        found = judged.level(level)
        if found.why_not and level == INSTANCE:
            found = judged.level(BAG)
        at = None if found.why_not else Tally(found).at(found.start)
        plot = judged_plot([Shown(run.id, 0, found)], kind, run.id, at)
        return plot_figure(plot) if plot is not None else None

    return figure


KINDS = {kind.name: kind for kind in (
    Kind("map-2d", "The map in the plane; of one dimension a strip", _map_2d),
    Kind("map-3d", "The map in space", _map_3d),
    Kind("strip", "One axis: a density curve and the points of every class", _strip),
    Kind("ranking", "Instances, or bags, in the order of their scores", _ranking),
    Kind("neighbors-kept", "Neighbors kept, above chance",
         _plotted(lambda run: agreement_curve(run.diagnostics))),
    Kind("distances", "Distances on the map over distances in the features",
         _plotted(lambda run: shepard_map(run.diagnostics))),
    Kind("roc", "ROC curve of instances by truth, else of bags", _judged(INSTANCE, FOUND)),
    Kind("precision", "Precision of the same", _judged(INSTANCE, PRECISION)),
    Kind("false-alarms", "Targets found over false alarms per frame", _judged(DETECTION, FOUND)),
    Kind("labels-changed", "Labels changed per round", _plotted(_changes)),
    Kind(FIT_OBJECTIVE, "Objective of the method after every step of its fit",
         _plotted(fit_plot)),
    Kind(OBJECTIVE, "Objective of the search for target concepts per round",
         _plotted(objective_plot)),
    Kind(PATHS, "Where target concepts went on the map, from their starts on",
         _plotted(paths_plot)),
)}  # fmt: skip


def figure_of(
    project: Project, run: Run, name: str, look: MapLook = AS_USUAL, *, file: str = ""
) -> Figure:
    """The figure of a run, with the run and the command below it. file : of the project.

    Raises EmberscopeError for a name that there is not, or that the run has no figure of, and for
    a coloring that it does not have.
    """
    if name not in KINDS:
        raise EmberscopeError(
            f"there is no figure {name!r}", hint=f"Known figures: {', '.join(KINDS)}."
        )
    check_color(project.with_run(run.id), look.color, [])
    _check_look(run, look)
    found = KINDS[name].of(project, run, look)
    if found is None:
        there = ", ".join(
            other for other in KINDS if KINDS[other].of(project, run, look) is not None
        )
        raise EmberscopeError(f"run {run.id} has no figure {name!r}", hint=f"It has: {there}.")
    title = short_title(run.recipe.method)
    below = below_figure([run], [title], project=file, figure=name, options=options_of(name, look))
    return Figure(found.title, found.size, found.paint, found.rows, below, found.theme)


def _check_look(run: Run, look: MapLook) -> None:
    """Raises EmberscopeError for axes that the run has not, and for words that mean nothing."""
    count = dimensions(run)
    if count > 1 and not all(0 <= axis < count for axis in look.axes):
        raise EmberscopeError(
            f"run {run.id} has {count} axes, and no {axes_words(look.axes)}",
            hint=f"Give two from 1 to {count}, as --axes 1,2, or one.",
        )
    if look.points not in POINTS:
        raise EmberscopeError(
            f"points are no {look.points!r}", hint=f"Known: {', '.join(POINTS)}."
        )


def options_of(name: str, look: MapLook) -> str:
    """What a command says to draw a figure as it looks; "" as usual."""
    usual, said = MapLook(), list[str]()
    if name in ("map-2d", "map-3d", "strip") and look.color != usual.color:
        said.append(f"--color {shlex.quote(look.color)}")
    if name in ("map-2d", "map-3d") and look.theme != usual.theme:
        said.append(f"--theme {look.theme}")
    if name in ("map-2d", "strip") and look.axes != usual.axes:
        both = [str(axis + 1) for axis in look.axes]
        said.append(f"--axes {','.join(both[:1] if alone(look.axes) else both)}")
    if name in ("map-2d", "map-3d") and look.points != usual.points:
        said.append(f"--points {look.points}")
    if name == "map-2d" and look.histograms:
        said.append("--histograms")
    if name == "map-2d" and look.graph:
        said.append(f"--graph {look.graph.replace(' ', '')}")
    if name == "ranking" and look.level != usual.level:
        said.append(f"--level {look.level}")
    if name == "ranking" and look.threshold is not None:
        said.append(f"--threshold {look.threshold:.6g}")
    return " ".join(said)
