"""How target concepts were found, in the sheet *What this run learned*."""

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from emberscope.findings.maps.concept_rounds import OBJECTIVE, PATHS, objective_plot, paths_plot
from emberscope.project import Run
from emberscope_app.state.core.figures import Shown, offer_plot, runs_on_show
from emberscope_app.state.core.session import Session
from emberscope_app.theme.controls import text
from emberscope_app.theme.plot_view import PlotView


class SearchPlots(QWidget):
    """How the concepts were found: the objective after every round, and where their centers went on
    the map."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.objective, self.paths = PlotView(130), PlotView(236)
        self.plots = (
            (self.objective, objective_plot, OBJECTIVE), (self.paths, paths_plot, PATHS)
        )
        self._titles = [text("", "secondary") for _ in self.plots]
        for title, (view, _, name) in zip(self._titles, self.plots, strict=True):
            column.addWidget(title)
            column.addWidget(view)
            offer_plot(view, session, partial(_shown, session, view, name))

    def show_run(self, run: Run) -> bool:
        """Whether the run keeps any of them."""
        shown = []
        for title, (view, plot_of, _) in zip(self._titles, self.plots, strict=True):
            plot = plot_of(run)
            there = view.show_plot(plot)
            title.setText(plot.title if plot is not None else "")
            title.setVisible(there)
            view.setVisible(there)
            shown.append(there)
        return any(shown)


def _shown(session: Session, view: PlotView, name: str) -> Shown:
    return Shown(view.plot, name, runs_on_show(session), by_command=True)
