"""Figures of a run for papers: which there are, and one of them in a file."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun, Request


class FigureName(msgspec.Struct, frozen=True):
    """A figure by its name, and what it shows."""

    name: str
    title: str


class FigureNames(msgspec.Struct, frozen=True):
    """All that the program can draw of a run; a run may lack some."""

    figures: list[FigureName]


class NameFigures(Request[FigureNames], frozen=True, kw_only=True):
    """Which figures there are."""


class SavedFigure(msgspec.Struct, frozen=True):
    """The file that was written."""

    path: str


class RankingCut(msgspec.Struct, frozen=True):
    """What a ranking ranks, "instance" or "bag", and where it is cut; None for the threshold that
    the Evaluate workspace begins with. by : whose held-out scores, "method" or "classifier"; curves
    are of those, too."""

    level: str = "instance"
    threshold: float | None = None
    by: str = "method"


class SaveFigure(AboutRun[SavedFigure], frozen=True, kw_only=True):
    """Draw a figure of a run, or write its data.

    figure : its name. path : the file. form : "svg", "pdf", "png" or "csv"; "" for what the ending
    of the file says. file : of the project, for the command below the figure. color, theme, round,
    selected, axes, points, histograms, graph : as `report.drawing.MapLook` has
    them; selected : (n,) ids. cut : of a ranking.
    """

    figure: str
    path: str
    form: str = ""
    file: str = ""
    color: str = "class"
    theme: str = "light"
    round: int | None = None
    selected: NDArray[np.int64] | None = None
    axes: tuple[int, int] = (0, 1)
    points: str = "instances"
    histograms: bool = False
    graph: str = ""
    cut: RankingCut | None = None


def name_figures(request: NameFigures, monitor: Monitor) -> FigureNames:
    """See `report.figures`."""
    from emberscope.report.figures import KINDS

    return FigureNames([FigureName(kind.name, kind.title) for kind in KINDS.values()])


def save_figure(request: SaveFigure, monitor: Monitor) -> SavedFigure:
    """See `report.figures` and `figures.figure`."""
    from emberscope.figures import figure
    from emberscope.report.drawing import MapLook
    from emberscope.report.figures import figure_of

    figure.check_place(request.path, request.form)
    ids = request.selected.tolist() if request.selected is not None else ()
    project = from_snapshot(request.snapshot, runs=[request.run])
    reach = None
    if request.graph.startswith("r"):
        from emberscope.pipeline.measures import neighbor_distances

        reach = neighbor_distances(project, request.run, monitor=Portion(monitor, 0.0, 0.9))
    cut = request.cut or RankingCut()
    look = MapLook(
        request.color, request.theme, request.round, ids, request.axes, request.points,
        request.histograms, request.graph, reach, cut.threshold, cut.level, cut.by,
    )  # fmt: skip
    monitor.step(0.9, "Drawing")
    drawn = figure_of(project, request.run, request.figure, look, file=request.file)
    return SavedFigure(str(figure.save_figure(drawn, request.path, request.form)))
