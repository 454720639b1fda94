"""How the fit went, in the sheet *What this run learned*."""

from emberscope.findings.fit_steps import FIT_OBJECTIVE, fit_plot
from emberscope.project import Run
from emberscope_app.sheets.learned_part import Part
from emberscope_app.state.core.figures import Shown, offer_plot, runs_on_show
from emberscope_app.state.core.session import Session
from emberscope_app.theme.plot_view import PlotView


class FitPart(Part):
    """The objective of the method after every step."""

    def __init__(self, session: Session) -> None:
        super().__init__("Steps of the fit")
        self.note.setText("what the method lowers or raises")
        self.plot = PlotView(150)
        self.column.addWidget(self.plot)
        offer_plot(self.plot, session, lambda: Shown(
            self.plot.plot, FIT_OBJECTIVE, runs_on_show(session), by_command=True))

    def show_run(self, run: Run) -> bool:
        return self.plot.show_plot(fit_plot(run))
