"""The Study card: the grid of a study as it fills, or small plots of a score over each setting in
which runs differ alone."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from emberscope.findings.judged.study import (
    MEASURED,
    Studies,
    Study,
    point_words,
    studies,
    study_plots,
)
from emberscope.findings.measures import MEASURES, title_of
from emberscope.findings.studied.grid import best_place, study_rows
from emberscope.project import Run
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.state.core.figures import Shown, ask_for_plots, ask_for_study
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.studying import Studying
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Scrolling, text, trigger
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.plot_view import PlotView
from emberscope_app.theme.tile_panels import TilePanels
from emberscope_app.words import counted, method_title, spaced

_WIDE, _HIGH = 170, 130  # px that a plot asks for
_TABLE = 260  # px that a table of the grid asks for


class StudyPanel(Card):
    """A click on a place of the grid, or on a plot, says what it reached, and offers its run. The
    grid of a study stands before the plots where there is one."""

    needs_judgment = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.measure = ""  # that is shown; "" for the one that most runs have
        self.found: Studies | None = None
        self.plots: list[PlotView] = []
        self._at = (0, 0)  # the study and the value that the words are about
        self.studying = session.only(Studying)
        self.wants_plots = False  # where there is a grid too
        self._asked: Mapping[str, Any] | None = None  # values of the place that was asked for
        holder = QWidget()
        self._grid = QGridLayout(holder)
        self._grid.setContentsMargins(6, 8, 6, 6)
        self._grid.setSpacing(8)
        self.said, self.means = text("", "title"), text("", "secondary")
        self.means.setWordWrap(True)
        self.open_run = QPushButton("Open this run")
        self.open_run.clicked.connect(self._open)
        self.stop = QPushButton("Stop study")
        self.stop.clicked.connect(self.studying.stop)
        self.grid = TilePanels(_TABLE)
        self.grid.setContentsMargins(tokens.PAD, 0, tokens.PAD, 0)
        self.grid.chosen.connect(self._ask_for)
        self._stack = QStackedWidget()
        self._stack.addWidget(Scrolling(holder))
        self._stack.addWidget(Scrolling(self.grid))
        self.body.addWidget(self._stack, 1)
        self.body.addWidget(rule())
        self.body.addLayout(self._foot())
        self.studying.changed.connect(lambda: self.in_sight(self.show_all))
        self.show_all()

    def _foot(self) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.said)
        words.addWidget(self.means)
        foot = QHBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        foot.setSpacing(8)
        foot.addLayout(words, 1)
        foot.addWidget(self.stop)
        foot.addWidget(self.open_run)
        return foot

    @property
    def of_study(self) -> bool:
        """Whether the grid of a study is on show."""
        return bool(self.studying.places) and not self.wants_plots

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
        if self.of_study:
            return ""
        self.found = self._look()
        return self.evaluation.why_not() if self.found is None else self.found.why_not

    def read(self) -> None:
        self._stack.setCurrentIndex(int(self.of_study))
        self.stop.setVisible(self.of_study and self.studying.filling)
        if self.of_study:
            self._read_grid()
            return
        self.open_run.setText("Open this run")
        self.open_run.setEnabled(True)
        self.open_run.setToolTip("")
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

    def _read_grid(self) -> None:
        studying = self.studying
        done = sum(place.mean is not None for place in studying.places)
        axes = ", ".join(dict.fromkeys(axis for place in studying.places for axis in place.values))
        self.set_count(f"{title_of(studying.score_known)} over {axes}; {spaced(done)} of "
                       f"{counted(len(studying.places), 'place')} "
                       f"{'so far' if studying.filling else 'done'}")
        self._say_place()

    @property
    def place(self) -> int:
        """Number of the place of the grid that was asked for, else of the best so far; -1 for
        none."""
        places = self.studying.places
        asked = (number for number, place in enumerate(places) if place.values == self._asked)
        return next(asked, best_place(places, self.studying.score_known))

    def _ask_for(self, number: int) -> None:
        self._asked = self.studying.places[number].values
        self._say_place()

    def _say_place(self) -> None:
        """Say what a place of the grid reached."""
        studying, number = self.studying, self.place
        there = number >= 0
        self.grid.show_panels(studying.panels, number)
        self.said.setText(studying.places[number].spoken if there else "")
        self.means.setText(studying.found.answer if studying.found is not None else "")
        self.open_run.setText("Run this place")
        able = there and number < len(studying.recipes) and studying.recipes[number] is not None
        self.open_run.setEnabled(able and not studying.filling)
        self.open_run.setToolTip("" if able or not there else "The study changed labels for it.")

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
        """Show the newest run of the value in every view; run a place of the grid."""
        if self.of_study:
            self.studying.run_place(self.place)
            return
        if self.found is not None and self.found.found:
            self.session.focus.set(run=self.study.points[self._at[1]].runs[-1])

    # --- the menu

    def offers(self, menu: QMenu) -> None:
        if self.studying.places:
            for title, wants in (("Grid of the study", False), ("Runs that differ", True)):
                action = menu.addAction(title, partial(self.show_plots, wants))
                action.setCheckable(True)
                action.setChecked(self.wants_plots == wants)
        menu.addAction("New study...", partial(trigger, self, "run.study"))
        menu.addSeparator()
        if self.of_study:
            return
        group = QActionGroup(menu)
        for key in MEASURED:
            action = menu.addAction(MEASURES[key].title, partial(self.choose_measure, key))
            action.setCheckable(True)
            action.setChecked(self.found is not None and self.found.measure == key)
            group.addAction(action)
        menu.addSeparator()

    def show_plots(self, wanted: bool) -> None:
        """Show plots of runs that differ, or else the grid of the study."""
        self.wants_plots = wanted
        self.show_all()

    def choose_measure(self, key: str) -> None:
        """Show another score."""
        self.measure = key
        self.show_all()

    is_figure = True

    def save(self, forms: tuple[str, ...]) -> None:
        if self.of_study:
            known = self.studying
            ask_for_study(self.session, known.title, known.places, known.score_known, forms)
            return
        found, about = self.found, self.about
        if found is None or about is None:
            return
        title = f"{MEASURES[found.measure].title}, runs that differ in one setting"
        ask_for_plots(self.session, title, study_plots(found.found), Shown(None, "study", [about]),
                      forms)

    def data(self) -> str:
        if self.of_study:
            return table(study_rows(self.studying.places, self.studying.score_known))
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
