"""The Study card: a score over each setting in which runs differ alone, small plots beside each
other."""

from functools import partial

from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from emberscope.findings.judged.study import (
    MEASURED,
    Studies,
    Study,
    point_words,
    studies,
    study_plots,
)
from emberscope.findings.measures import MEASURES
from emberscope.project import Run
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.state.core.figures import Shown, ask_for_plots
from emberscope_app.state.core.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Scrolling, text
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.words import counted, method_title

_WIDE, _HIGH = 170, 130  # px that a plot asks for


class StudyPanel(Card):
    """A click on a plot says what a value reached, and offers its run."""

    needs_judgment = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.measure = ""  # that is shown; "" for the one that most runs have
        self.found: Studies | None = None
        self.plots: list[PlotView] = []
        self._at = (0, 0)  # the study and the value that the words are about
        holder = QWidget()
        self._grid = QGridLayout(holder)
        self._grid.setContentsMargins(6, 8, 6, 6)
        self._grid.setSpacing(8)
        self.said, self.means = text("", "title"), text("", "secondary")
        self.means.setWordWrap(True)
        self.open_run = QPushButton("Open this run")
        self.open_run.clicked.connect(self._open)
        self.body.addWidget(Scrolling(holder), 1)
        self.body.addWidget(rule())
        self.body.addLayout(self._foot())
        self.show_all()

    def _foot(self) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.said)
        words.addWidget(self.means)
        foot = QHBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        foot.addLayout(words, 1)
        foot.addWidget(self.open_run)
        return foot

    @property
    def about(self) -> Run | None:
        """The run that the others differ from: the active one, else that in focus."""
        return self.evaluation.active or self.session.run

    def _look(self) -> Studies | None:
        about = self.about
        if about is None:
            return None
        runs = self.session.project.runs.values()
        return studies(runs, about, self.measure, title=method_title)

    def _remedy(self) -> str:
        return "again" if not self.evaluation.why_not() else super()._remedy()

    def why_not(self) -> str:
        self.found = self._look()
        return self.evaluation.why_not() if self.found is None else self.found.why_not

    def read(self) -> None:
        found = self.found
        if found is None or not found.found:
            self.set_count("")
            return
        while len(self.plots) < len(found.found):
            self.plots.append(self._make_plot(len(self.plots)))
        shown = study_plots(found.found)
        for at, view in enumerate(self.plots):
            view.show_plot(shown[at] if at < len(shown) else None)
        self._place()
        names = ", ".join(study.title.partition(",")[0].lower() for study in found.found)
        others = f"; {counted(found.left_out, 'run')} of other labels" if found.left_out else ""
        self.set_count(f"{MEASURES[found.measure].title} over {names}{others}")
        self._say(0, found.found[0].best)

    def _make_plot(self, at: int) -> PlotView:
        view = PlotView(0, clicks=True)
        view.setMinimumSize(_WIDE - 20, _HIGH)
        view.chosen.connect(lambda x: self._choose(at, x))
        return view

    def _place(self) -> None:
        """As many beside each other as there is room for."""
        count = len(self.found.found) if self.found is not None else 0
        columns = max(min(self.width() // _WIDE, count), 1)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
        for at, view in enumerate(self.plots):
            self._grid.removeWidget(view)
            if at < count:
                self._grid.addWidget(view, at // columns, at % columns)
                wide = max(self._grid.columnStretch(at % columns), _room_of(self.found, at))
                self._grid.setColumnStretch(at % columns, wide)
            view.setVisible(at < count)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    # --- the value that is spoken of

    @property
    def study(self) -> Study:
        """The one that the words are about."""
        assert self.found is not None
        return self.found.found[self._at[0]]

    def _choose(self, at: int, x: float) -> None:
        if self.found is not None and at < len(self.found.found):
            last = len(self.found.found[at].points) - 1
            self._say(at, min(max(round(x), 0), last))

    def _say(self, at: int, value: int) -> None:
        self._at = at, value
        study = self.study
        self.said.setText(f"{study.title.partition(',')[0]} {point_words(study.points[value])}")
        self.means.setText(study.words)

    def _open(self) -> None:
        """Show the newest run of the value in every view."""
        if self.found is not None and self.found.found:
            self.session.focus.set(run=self.study.points[self._at[1]].runs[-1])

    # --- the menu

    def offers(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        for key in MEASURED:
            action = menu.addAction(MEASURES[key].title, partial(self.choose_measure, key))
            action.setCheckable(True)
            action.setChecked(self.found is not None and self.found.measure == key)
            group.addAction(action)
        menu.addSeparator()

    def choose_measure(self, key: str) -> None:
        """Show another score."""
        self.measure = key
        self.show_all()

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        found, about = self.found, self.about
        if found is None or about is None:
            return
        title = f"{MEASURES[found.measure].title}, runs that differ in one setting"
        ask_for_plots(self.session, title, study_plots(found.found), Shown(None, "study", [about]),
                      forms)

    def data(self) -> str:
        rows: list[list[object]] = [["setting", "value", "runs", "score", "low", "high"]]
        for study in self.found.found if self.found is not None else ():
            rows += [[study.title, point.words, " ".join(map(str, point.runs)), point.score.value,
                      point.score.low, point.score.high]
                     for point in study.points]
        return table(rows)


def _room_of(found: Studies | None, at: int) -> int:
    """The share of the width that the words below a plot ask for."""
    points = found.found[at].points if found is not None else ()
    return 8 + sum(len(point.words) + 1 for point in points)
