"""Figures and their data for papers: what is on show asks for a file, the window says which.

`offer_plot` gives a widget that shows a plot the two entries of its context menu, `figure_actions`
an own menu.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from emberscope.findings.judged.tiles import Tiles
from emberscope.findings.plot import Plot
from emberscope.findings.studied.grid import PlaceScore
from emberscope.project import Run
from emberscope_app.words import method_title

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from emberscope.figures.figure import Figure
    from emberscope_app.state.core.session import Session

PICTURES, DATA, PAGE = ("svg", "pdf", "png"), ("csv", "parquet"), ("html",)


class Wanted(NamedTuple):
    """A file that a person asked for. name : what it is called, without its ending. forms : it may
    have. save : writes it, or has it written and says so; raises EmberscopeError and OSError."""

    name: str
    forms: tuple[str, ...]
    save: Callable[[Path], object]


class Shown(NamedTuple):
    """A plot on show. name : what the command line calls it, or what its file is called. runs :
    that it is of.
    by_command : the command line draws it too."""

    plot: Plot | None
    name: str
    runs: Sequence[Run]
    by_command: bool = False


class Ask(Protocol):
    """Asks for a file, of a figure or of its data."""

    def __call__(self, forms: tuple[str, ...]) -> object: ...


def figure_actions(parent: "QWidget", ask: Ask) -> list[QAction]:
    """The two entries of a context menu."""
    found = []
    for title, forms in (("Save figure...", PICTURES), ("Save its data...", DATA)):
        action = QAction(title, parent)
        action.triggered.connect(lambda _=False, forms=forms: ask(forms))
        found.append(action)
    return found


def offer_plot(widget: "QWidget", session: "Session", shown: Callable[[], Shown]) -> None:
    """Give a widget a context menu that saves the plot it shows, or its data."""
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    widget.addActions(figure_actions(widget, lambda forms: ask_for_plot(session, shown(), forms)))


def ask_for_plot(session: "Session", shown: Shown, forms: tuple[str, ...]) -> None:
    """Ask where the plot goes."""
    plot = shown.plot

    def make(below: tuple[str, ...]) -> "Figure":
        from emberscope.figures.figure import plot_figure

        assert plot is not None
        return plot_figure(plot, below)

    there = plot is not None and bool(plot.marks)
    _ask(session, shown, forms, make if there else None)


def ask_for_plots(
    session: "Session", title: str, plots: Sequence[Plot], shown: Shown, forms: tuple[str, ...]
) -> None:
    """Ask where plots beside each other go. shown : their name and runs."""
    def make(below: tuple[str, ...]) -> "Figure":
        from emberscope.figures.figure import plots_figure

        return plots_figure(title, plots, below)

    _ask(session, shown, forms, make if plots else None)


def ask_for_tiles(
    session: "Session", tiles: Tiles, shown: Shown, forms: tuple[str, ...]
) -> None:
    """Ask where a table of tiles goes. shown : its name and runs."""
    def make(below: tuple[str, ...]) -> "Figure":
        from emberscope.figures.tiles import tiles_figure

        return tiles_figure(tiles, below)

    _ask(session, shown, forms, make if tiles.rows else None)


def ask_for_study(
    session: "Session", title: str, places: Sequence[PlaceScore], score: str,
    forms: tuple[str, ...],
) -> None:
    """Ask where the grid of a study goes. score : the measure that places are compared by."""
    def make(below: tuple[str, ...]) -> "Figure":
        from emberscope.figures.study import study_figure

        return study_figure(title, places, score, below)

    _ask(session, Shown(None, "study", []), forms, make if places else None)


def _ask(
    session: "Session", shown: Shown, forms: tuple[str, ...],
    make: "Callable[[tuple[str, ...]], Figure] | None",
) -> None:
    """make : the figure with lines below it, None where there is none."""
    if make is None:
        session.say("There is nothing to save here yet.")
        return

    def save(path: Path) -> None:
        from emberscope.figures.below import below_figure
        from emberscope.figures.figure import save_figure

        titles = [method_title(run.recipe.method) for run in shown.runs]
        figure = shown.name if shown.by_command else ""
        below = below_figure(shown.runs, titles, project=file_of(session), figure=figure)
        save_figure(make(below), path)
        say_saved(session, path)

    session.figure_wanted.emit(Wanted(file_name(shown.name, shown.runs), forms, save))


def runs_on_show(session: "Session") -> list[Run]:
    """The run on show alone; none where there is none."""
    return [session.run] if session.run is not None else []


def file_name(name: str, runs: Sequence[Run]) -> str:
    """What a file of a figure is called: "run12-distances"."""
    return "-".join([*(f"run{run.id}" for run in runs), name])


def file_of(session: "Session") -> str:
    """The file of the project as a command names it; "" where it has none yet."""
    return session.path.name if session.path is not None else ""


def say_saved(session: "Session", path: Path) -> None:
    session.say(f"Saved {path.name} in {path.parent}.")
