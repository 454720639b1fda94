"""What all cards of runs side by side have in common: empty states, the menu, following the
threshold."""

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from emberscope.findings.judged.levels import BAG, METHOD
from emberscope.project import Run
from emberscope.project.nouns import nouns_of
from emberscope_app.docks.evaluate.split_line import SplitLine
from emberscope_app.state.core.figures import PICTURES, figure_actions
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import Evaluation, evaluation_of
from emberscope_app.state.runs.measuring import start_measuring
from emberscope_app.state.runs.splits import Splits
from emberscope_app.theme.controls import Empty, IconButton, trigger
from emberscope_app.theme.panel import Panel

WAITING = "Judging the run on bags it has not seen."
# of a remedy: words of its button, and the action that it stands for
REMEDIES = {"": ("Run", "run.run"), "truth": ("Import truth", "file.import-truth"),
            "label": ("Label more frames", "label.more"), "again": ("Run again", "run.run"),
            "measure": ("Measure what the run lacks", ""), BAG: ("Judge by bags", ""),
            METHOD: ("Judge by its method", "")}  # fmt: skip


class Card(Panel):
    """A subclass fills `body`, shows what is known in `read`, another threshold in `follow`."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.evaluation: Evaluation = evaluation_of(session)
        self.empty = Empty("", action="Run", on_action=self._help)
        self.page = QWidget()
        self.body = QVBoxLayout(self.page)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)
        self.evaluation.changed.connect(partial(self.in_sight, self.show_all))
        self.evaluation.moved.connect(partial(self.in_sight, self.follow))

    # --- what a card says

    def read(self) -> None:
        """Show other runs, another level, or what came of the one that was awaited."""

    def follow(self) -> None:
        """Show another threshold; called many times a second."""

    def why_not(self) -> str:
        """Why there is nothing to show, a sentence."""
        return self.evaluation.why_not()

    def data(self) -> str:
        """What the card shows, as lines of cells that tabs separate."""
        return ""

    is_figure = False  # whether it can be saved for a paper

    def save(self, forms: tuple[str, ...]) -> None:
        """Ask where its figure goes, or its data."""

    def runs_shown(self) -> list[Run]:
        """The runs that are checked, the active one first."""
        runs, active = self.session.project.runs, self.evaluation.active
        found = [runs[run] for run in self.evaluation.checked if run in runs]
        return sorted(found, key=lambda run: run is not active)

    def say_split(self, line: SplitLine, *, alone: bool = False) -> None:
        """Show by which split the active run was judged, and which others were not; nothing of
        scored clips, which no bag of a split is of. alone : the card shows no other run."""
        tally, run = self.evaluation.tally(), self.evaluation.active
        held_out = tally is not None and not tally.level.scored
        if run is None or not held_out:
            line.show_split(-1, None)
            return
        splits = self.session.only(Splits)
        others = {} if alone else {each.id: splits.of(each) for each in self.runs_shown()[1:]}
        line.show_split(run.id, splits.of(run), others)

    def offers(self, menu: QMenu) -> None:
        """Add what only this card can do."""

    # --- what all do

    def icons(self) -> list[QWidget]:
        """The menu of the card."""
        button = IconButton("more", "More", size=24)
        button.clicked.connect(lambda: self.menu().popup(button.mapToGlobal(QPoint(0, 24))))
        if not self.is_figure:
            return [button]
        figure = IconButton("export", "Save figure", size=24)
        figure.clicked.connect(lambda: self.save(PICTURES))
        return [figure, button]

    def menu(self) -> QMenu:
        """What can be done with the card."""
        menu = QMenu(self)
        self.offers(menu)
        there = self._pages.currentWidget() is self.page
        for words, do in (("Copy data", self._copy_data), ("Copy image", self._copy_image)):
            menu.addAction(words, do).setEnabled(there)
        if self.is_figure:
            menu.addSeparator()
            for action in figure_actions(menu, self.save):
                action.setEnabled(there)
                menu.addAction(action)
        return menu

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.evaluation.look(type(self).__name__, True)
        self.show_all()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Where Qt ends before the window, it may take what is behind a card first
        if not self.session.closed and isValid(self.evaluation):
            self.evaluation.look(type(self).__name__, False)

    def show_all(self) -> None:
        """Show what is known; called where a card is made, too."""
        why, waiting = self.why_not(), self.evaluation.waiting
        run = self.evaluation.active
        unknown = run is not None and self.evaluation.judged(run.id) is None
        if why or (unknown and self.needs_judgment):
            words, _ = REMEDIES.get(self._remedy(), REMEDIES[""])
            words = nouns_of(self.session.project).say(words)
            if self.empty.button is not None:
                self.empty.button.setText(words)
            self.empty.wait(waiting and not why, why or WAITING)
            if not why and self.empty.button is not None:
                self.empty.button.hide()
            self._pages.setCurrentWidget(self.empty)
        else:
            self._pages.setCurrentWidget(self.page)
        self.read()

    needs_judgment = True  # whether there is nothing to show before the active run is judged

    def _remedy(self) -> str:
        run = self.evaluation.active
        found = self.evaluation.judged(run.id) if run is not None else None
        return found.level(self.evaluation.level).remedy if found is not None else ""

    def _help(self) -> None:
        """What the button of the empty state says."""
        remedy, run = self._remedy(), self.evaluation.active
        if remedy == BAG:
            self.evaluation.show(level=BAG)
        elif remedy == METHOD:
            self.evaluation.show(by=METHOD)
        elif remedy == "measure" and run is not None:
            start_measuring(self.session, run)
        elif run is not None and self.evaluation.why_not() and not remedy:
            self.evaluation.again()
        else:
            trigger(self, REMEDIES.get(remedy, REMEDIES[""])[1])

    def _copy_data(self) -> None:
        QGuiApplication.clipboard().setText(self.data())

    def _copy_image(self) -> None:
        QGuiApplication.clipboard().setPixmap(self.page.grab())


def table(rows: list[list[object]]) -> str:
    """Lines of cells that tabs separate, numbers to six digits."""
    return "\n".join("\t".join(f"{cell:.6g}" if isinstance(cell, float) else str(cell)
                               for cell in row) for row in rows)
