"""The list of runs: which stand side by side, what changed between two of them, how they were
split."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.findings.judged.levels import INSTANCE
from emberscope.findings.judged.plots import COLORS
from emberscope.findings.measures import MEASURES
from emberscope.project import Run
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.docks.evaluate.changes import Changes, FoldStrip
from emberscope_app.lists.cells import REST, RIGHT, Check, Ground, Row, Spot, Words, line
from emberscope_app.lists.model import Column, RowModel
from emberscope_app.lists.table import Table
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import Evaluation
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Fitting, primary, text, trigger
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.look import current
from emberscope_app.words import counted, method_title

_NUMBERS = (("method_bag_auc", "AUC"), ("q_nx", "Kept"))
WIDTHS = (46, 100, 44, 44, 50)  # px; the second takes what is left
_LEAST_ROWS = 3
_LONG = 100.0  # s, from which on tenths say nothing


class RunsModel(RowModel[Run]):
    """The runs of the project, the newest first, with a check box each."""

    columns = (Column("", about="Side by side, up to four"), Column("Run"),
               *(Column(title, numbers=True, about=MEASURES[key].title)
                 for key, title in _NUMBERS), Column("Time", numbers=True))  # fmt: skip

    def __init__(self, evaluation: Evaluation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._evaluation = evaluation

    def words(self, run: Run, column: int) -> str:
        if column == 0:
            return str(run.id)
        if column == 1:
            return method_title(run.recipe.method)
        if column == len(self.columns) - 1:
            return f"{run.seconds:.{1 if run.seconds < _LONG else 0}f} s"
        value = run.metrics.get(_NUMBERS[column - 2][0], math.nan)
        return f"{value:.2f}" if math.isfinite(value) else "–"

    def spoken(self, run: Run, column: int) -> str:
        on = "checked" if run.id in self._evaluation.checked else "not checked"
        return f"Run {run.id}, {on}" if column == 0 else self.words(run, column)

    def tip(self, run: Run, column: int) -> str:
        found = self._evaluation.judged(run.id)
        level = found.level(self._evaluation.level) if found is not None else None
        said = "" if level is None else level.why_not or level.rests_on
        return "\n".join(filter(None, (f"Run {run.id}, {method_title(run.recipe.method)}", said)))

    def row(self, run: Run, spot: Spot) -> Row:
        active, place = self._evaluation.active is run, self._evaluation.checked.get(run.id)
        words, ground = self.words(run, spot.column), Ground(active=active, rule=0)
        if spot.column == 0:
            color = "" if place is None else current().class_color(int(COLORS[place][6:])).name()
            check = Check(place is not None, color or "ink", does="check")
            return Row((line(check, Words(words, weight=600, align=RIGHT, wide=REST), right=0,
                             left=10),), ground)  # fmt: skip
        if spot.column == 1:
            name = Words(words, color="t1" if active else "t2", whole_start=True, wide=REST)
            return Row((line(name, left=8, right=4),), ground)
        last = spot.column == len(self.columns) - 1
        known = words[:1].isdigit()
        number = Words(words, px=tokens.PX_SMALL if last else tokens.PX_BODY,
                       weight=500 if known and not last else 400,
                       color="t2" if last or not known else "t1", align=RIGHT, wide=REST)
        return Row((line(number, left=0, right=tokens.PAD if last else 4),), ground)


class RunTable(Table):
    """Space checks the run that has the keyboard."""

    def __init__(self, model: RunsModel, checked: Callable[[int], object]) -> None:
        super().__init__(model, "Runs", row=30)
        self._checked = checked
        self.setSelectionMode(Table.SelectionMode.SingleSelection)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self._checked(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class RunsPanel(Card):
    """A check puts a run beside the others; a click on its row makes it the active one."""

    needs_judgment = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter by method or note")
        self.filter.setAccessibleName("Filter the runs")
        self.filter.setClearButtonEnabled(True)
        self.model = RunsModel(self.evaluation, self)
        self.runs = RunTable(self.model, self._toggle)
        self.changed_title, self.changes = text("What changed", "title"), Changes()
        self.split_title, self.split = text("", "secondary"), FoldStrip()
        self.evaluate = primary("Evaluate", icon_name="run")
        self.command, self.report = QPushButton("Copy as command"), QPushButton("Report")
        self._lay_out()
        self.setFocusProxy(self.runs)
        self.filter.textChanged.connect(lambda _: self.read())
        self.runs.clicked.connect(self._click)
        self.runs.activated.connect(self._click)
        self.runs.delegate.asked.connect(lambda index, _does, _keys: self._toggle(index.row()))
        self.evaluate.clicked.connect(self.evaluation.again)
        self.command.clicked.connect(self._copy_command)
        self.report.clicked.connect(partial(trigger, self, "file.export"))
        self.show_all()

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        head.addWidget(self.filter)
        self.body.addLayout(head)
        self.body.addWidget(rule())
        self.body.addWidget(self.runs, 3)
        header = self.runs.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for at, wide in enumerate(WIDTHS):
            header.resizeSection(at, wide)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.runs.setMinimumHeight(tokens.ROW + 30 * _LEAST_ROWS)
        self.changed_title.setContentsMargins(tokens.PAD, 8, tokens.PAD, 6)
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self.changes)
        below.addStretch(1)
        self._scroll = Fitting(self._below)
        self._scroll.setMinimumHeight(2 * tokens.ROW)
        for part in (rule(), self.changed_title, rule(), self._scroll):
            self.body.addWidget(part, 2 if part is self._scroll else 0)
        along = QHBoxLayout()
        along.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        along.addWidget(text("Split", "title"))
        along.addStretch(1)
        along.addWidget(self.split_title)
        self.body.addLayout(along)
        self.body.addWidget(self.split)
        foot = QVBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 10)
        foot.setSpacing(10)
        foot.addWidget(self.evaluate)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.command, 1)
        row.addWidget(self.report, 1)
        foot.addLayout(row)
        self.body.addLayout(foot)

    def why_not(self) -> str:
        return "" if self.session.project.runs else self.evaluation.why_not()

    def read(self) -> None:
        wanted = self.filter.text().strip().lower()
        runs = sorted(self.session.project.runs.values(), key=lambda run: -run.id)
        self.set_count(f"{len(runs)} finished" if runs else "")
        self.model.show_rows([run for run in runs if wanted in _all_words(run)])
        self.runs.viewport().update()
        pair, active = self.evaluation.compared, self.evaluation.active
        self.changes.show_pair(pair)
        self.changed_title.setText(
            f"What changed, {pair.first} to {pair.second}"
            if pair is not None
            else "What changed: check two runs"
        )
        self._scroll.setVisible(pair is not None)
        self.split_title.setText(self.split.show_run(active))
        count = len(self.evaluation.checked)
        self.evaluate.setText(f"Evaluate {counted(count, 'checked run')}")
        self.evaluate.setEnabled(count > 0)
        self.command.setEnabled(count > 0)

    def _click(self, index: QModelIndex) -> None:
        if index.column():
            self.session.focus.set(run=self.model.rows[index.row()].id)

    def _toggle(self, row: int) -> None:
        run = self.model.rows[row].id
        self.evaluation.check(run, run not in self.evaluation.checked)

    @property
    def command_words(self) -> str:
        """The same by the command line."""
        numbers = ",".join(str(run) for run in self.evaluation.checked)
        path = str(self.session.path or "PROJECT.ember")
        quoted = f'"{path}"' if " " in path else path
        return f"emberscope evaluate {quoted} --runs {numbers} --level {self.evaluation.level}"

    def _copy_command(self) -> None:
        QGuiApplication.clipboard().setText(self.command_words)
        self.session.say("Copied. In a terminal it prints the numbers of the cards.")

    def offers(self, menu: QMenu) -> None:
        words = self.changes.words
        menu.addAction("Copy the comparison in words",
                       lambda: QGuiApplication.clipboard().setText("\n".join(words))
                       ).setEnabled(bool(words))  # fmt: skip
        pair = self.evaluation.compared
        by_instance = [one for one in pair.pairs if one.level == INSTANCE] if pair else []
        for title, name in (("Select what is judged rightly now", "won"),
                            ("Select what is no longer", "lost")):
            ids = getattr(by_instance[0], name) if by_instance else ()
            menu.addAction(title, partial(self.session.selection.select, np.asarray(ids))
                           ).setEnabled(len(ids) > 0)  # fmt: skip

    def data(self) -> str:
        rows: list[list[object]] = [["run", "method", *(key for key, _ in _NUMBERS), "seconds"]]
        for run in self.model.rows:
            numbers = [run.metrics.get(key, math.nan) for key, _ in _NUMBERS]
            rows.append([run.id, run.recipe.method, *numbers, run.seconds])
        changes = self.changes.compared.changes if self.changes.compared is not None else []
        rows += [[one.title, one.before, one.after] for one in changes]
        return table(rows)


def _all_words(run: Run) -> str:
    return f"{run.id} {method_title(run.recipe.method)} {' '.join(run.notes)}".lower()
