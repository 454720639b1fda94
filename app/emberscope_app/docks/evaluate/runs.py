"""The list of runs: which stand side by side, what changed between two of them, how they were
split."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from emberscope.base.files import written_whole
from emberscope.base.tables.table_files import table_file
from emberscope.findings.comparison.run_differences import differs
from emberscope.findings.judged.levels import CLASSIFIER, INSTANCE
from emberscope.findings.judged.plots import COLORS
from emberscope.findings.judged.study import MEASURED
from emberscope.findings.measures import MEASURES
from emberscope.findings.split_sides import split_words
from emberscope.project import Changes as Changed
from emberscope.project import Run
from emberscope.project.model.run_notes import SETTING, run_note
from emberscope_app.docks.evaluate.card import Card, table
from emberscope_app.docks.evaluate.changes import Changes
from emberscope_app.docks.evaluate.scores_of import ScoresOf
from emberscope_app.docks.evaluate.split_line import FoldStrip
from emberscope_app.lists.cells import REST, RIGHT, Check, Ground, Row, Spot, Words, line
from emberscope_app.lists.layout import width_of
from emberscope_app.lists.model import Column, RowModel
from emberscope_app.lists.table import Table
from emberscope_app.state.core.figures import DATA, Wanted, say_saved
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import Evaluation
from emberscope_app.state.runs.splits import Splits
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Fitting, IconButton, primary, text, trigger
from emberscope_app.theme.controls import line as rule
from emberscope_app.theme.icons import icon
from emberscope_app.theme.look import current, look
from emberscope_app.words import counted, duration, method_title, moment

_EXPORTED = ("method_bag_auc", "method_bag_auc_low", "method_bag_auc_high", *MEASURED[1:], "q_nx")
_ABOUT = {"method_bag_auc": "Held-out bag AUC, the mean of the clips where several have bags of "
                            "both kinds; the curve of bags draws all clips together"}  # fmt: skip
_NUMBERS = (("method_bag_auc", "AUC"), ("q_nx", "Kept"))
WIDTHS = (46, 100, 44, 44, 52)  # px; the second takes what is left
_COLUMNS = (Column("", about="Side by side, up to four"), Column("Run"),
            *(Column(title, numbers=True, about=_ABOUT.get(key, MEASURES[key].title))
              for key, title in _NUMBERS),
            Column("Time", numbers=True))  # fmt: skip
_FEWEST = 3  # columns that stay beside a long name
_NAME, _LEFT, _RIGHT = 140, 8, 4  # px of a name that is whole at most, and beside it
_BAR = 8  # px of the scroll bar
_LEAST_ROWS, _ROW, _ANY = 3, 30, 16_777_215  # the last: no limit for Qt
_SHORT = {"dimensions": "d", "neighbors": "k"}  # as papers write them


def made_at(run: Run) -> str:
    """When a run was made, as short as its column: "10:41" today, "26 Nov" else."""
    try:
        made = datetime.fromisoformat(run.created).astimezone()
    except ValueError:
        return ""
    today = moment(made)
    return today if len(today) == len("10:41") else f"{made.day} {made:%b}"


class RunsModel(RowModel[Run]):
    """The runs of the project, the newest first, with a check box each. The last columns are there
    where they leave names whole."""

    columns = _COLUMNS

    def __init__(self, evaluation: Evaluation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._evaluation = evaluation

    def fit(self, room: int) -> None:
        """Show as many columns as leave the names of runs whole in so many px."""
        wide = max((sum(cell.before + width_of(cell) for cell in self._named(run, "t1"))
                    for run in self.rows), default=0)  # fmt: skip
        columns = _COLUMNS
        while (len(columns) > _FEWEST and room - sum(self._wide(len(columns)))
               < min(wide, _NAME) + _LEFT + _RIGHT):
            columns = columns[:-1]
        if columns != self.columns:
            self.beginResetModel()
            self.columns = columns
            self.endResetModel()

    @staticmethod
    def _wide(count: int) -> tuple[int, ...]:
        """Px of the first columns but that of names; the last one ends as the panel does."""
        end = 0 if count == len(WIDTHS) else tokens.PAD - _RIGHT
        return (WIDTHS[0], *WIDTHS[2 : count - 1], WIDTHS[count - 1] + end)

    @property
    def widths(self) -> tuple[int, ...]:
        """Px of the columns; the second takes what is left."""
        first, *others = self._wide(len(self.columns))
        return (first, WIDTHS[1], *others)

    def _named(self, run: Run, color: str) -> tuple[Words, Words]:
        """The name of a run, and what tells it from the one before."""
        return (Words(self.name(run), color=color, whole_start=True),
                Words(self.settings(run), px=tokens.PX_SMALL, color="t2", whole_start=True,
                      before=6))  # fmt: skip

    def settings(self, run: Run) -> str:
        """What tells a run from the one before it of its method: "d 5"; "" beside a name."""
        project = self._evaluation.session.project
        if run_note(project, run.id).name:
            return ""
        same = [other for other in project.runs.values()
                if other.recipe.method == run.recipe.method and other.id < run.id]
        before = max(same, key=lambda other: other.id, default=None)
        words = next(iter(differs(run, before)), "")
        for long, short in _SHORT.items():
            words = words.replace(long, short)
        return words

    def name(self, run: Run) -> str:
        """That somebody gave it, else that of its method."""
        written = run_note(self._evaluation.session.project, run.id).name
        return written or method_title(run.recipe.method)

    def words(self, run: Run, column: int) -> str:
        if column == 0:
            return str(run.id)
        if column == 1:
            return f"{self.name(run)} {self.settings(run)}".strip()
        if column == len(_COLUMNS) - 1:
            return made_at(run)
        value = run.metrics.get(_NUMBERS[column - 2][0], math.nan)
        return f"{value:.2f}" if math.isfinite(value) else "–"

    def spoken(self, run: Run, column: int) -> str:
        on = "checked" if run.id in self._evaluation.checked else "not checked"
        return f"Run {run.id}, {on}" if column == 0 else self.words(run, column)

    def tip(self, run: Run, column: int) -> str:
        found = self._evaluation.judged(run.id)
        level = found.level(self._evaluation.level) if found is not None else None
        said = "" if level is None else level.why_not or level.rests_on
        written = run_note(self._evaluation.session.project, run.id)
        named = ", ".join(filter(None, (
            written.name, f"{method_title(run.recipe.method)} {self.settings(run)}".strip())))
        made = f"Run {run.id}, {named}, took {duration(run.seconds)}"
        split = split_words(run)
        held = "" if split in said else f"Split {split}"
        when = f"Made {made_at(run)}" if made_at(run) else ""
        return "\n".join(filter(None, (made, written.note, said, held, when)))

    def row(self, run: Run, spot: Spot) -> Row:
        active, place = self._evaluation.active is run, self._evaluation.checked.get(run.id)
        words, ground = self.words(run, spot.column), Ground(active=active, rule=0)
        if spot.column == 0:
            color = "" if place is None else current().class_color(int(COLORS[place][6:])).name()
            check = Check(place is not None, color or "ink", does="check")
            return Row((line(check, Words(words, weight=600, align=RIGHT, wide=REST), right=0,
                             left=10),), ground)  # fmt: skip
        if spot.column == 1:
            named = self._named(run, "t1" if active else "t2")
            return Row((line(*named, left=_LEFT, right=_RIGHT),), ground)
        time, last = (spot.column == len(some) - 1 for some in (_COLUMNS, self.columns))
        known = words[:1].isdigit()
        number = Words(words, px=tokens.PX_SMALL if time else tokens.PX_BODY,
                       weight=500 if known and not time else 400,
                       color="t2" if time or not known else "t1", align=RIGHT, wide=REST)
        return Row((line(number, left=0, right=tokens.PAD if last else _RIGHT),), ground)


class RunTable(Table):
    """Space checks the run that has the keyboard."""

    def __init__(self, model: RunsModel, checked: Callable[[int], object]) -> None:
        super().__init__(model, "Runs", row=_ROW)
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
        self.filter.setPlaceholderText("Filter by method, setting, note")
        self.filter.setAccessibleName("Filter the runs")
        self.filter.setClearButtonEnabled(True)
        self._glass = self.filter.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        self.model = RunsModel(self.evaluation, self)
        self.runs = RunTable(self.model, self._toggle)
        self.changed_title, self.changes = text("What changed", "title"), Changes()
        self.split_title, self.split = text("", "secondary"), FoldStrip()
        self.split_shared = text("", "secondary")
        self.scores_of = ScoresOf(self.evaluation)
        self.evaluate = primary("Evaluate", icon_name="run")
        self.export, self.report = QPushButton("Export CSV"), QPushButton("Report")
        self.copy = IconButton("copy", "Copy what changed, in words", size=24)
        self._lay_out()
        look().changed.connect(self._tint)
        self._tint()
        self.setFocusProxy(self.runs)
        self.filter.textChanged.connect(lambda _: self.read())
        self.runs.clicked.connect(self._click)
        self.runs.activated.connect(self._click)
        self.runs.delegate.asked.connect(lambda index, _does, _keys: self._toggle(index.row()))
        self.evaluate.clicked.connect(self.evaluation.again)
        self.export.clicked.connect(self._export)
        self.copy.clicked.connect(self._copy_words)
        self.report.clicked.connect(partial(trigger, self, "file.export"))
        session.changed.connect(self._on_project)
        self.show_all()

    def _on_project(self, changes: Changed) -> None:
        if SETTING in changes.settings:
            self.in_sight(self.show_all)

    def _tint(self) -> None:
        for holder, name in ((self._glass, "search"), (self.export, "export"),
                             (self.report, "copy")):
            holder.setIcon(icon(name))

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(tokens.PAD, 8, tokens.PAD, 8)
        head.addWidget(self.filter)
        self.body.addLayout(head)
        self.body.addWidget(rule())
        self.body.addWidget(self.runs, 60)
        self.runs.setMinimumHeight(tokens.ROW + _ROW * _LEAST_ROWS)
        between = QHBoxLayout()
        between.setContentsMargins(tokens.PAD, 4, tokens.PAD, 4)
        between.addWidget(self.changed_title, 1)
        between.addWidget(self.copy)
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self.changes)
        below.addStretch(1)
        self._scroll = Fitting(self._below)
        self._scroll.setMinimumHeight(2 * tokens.ROW)
        self.body.addWidget(rule())
        self.body.addLayout(between)
        self.body.addWidget(rule())
        self.body.addWidget(self._scroll, 40)
        along = QHBoxLayout()
        along.setContentsMargins(tokens.PAD, 8, tokens.PAD, 4)
        along.addWidget(text("Split", "title"))
        along.addStretch(1)
        along.addWidget(self.split_title)
        self.body.addLayout(along)
        self.body.addWidget(self.split)
        self.split_shared.setContentsMargins(tokens.PAD, 2, tokens.PAD, 0)
        self.body.addWidget(self.split_shared)
        self.body.addWidget(self.scores_of)
        foot = QVBoxLayout()
        foot.setContentsMargins(tokens.PAD, 8, tokens.PAD, 10)
        foot.setSpacing(10)
        foot.addWidget(self.evaluate)
        foot.addStretch()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.export, 1)
        row.addWidget(self.report, 1)
        foot.addLayout(row)
        foot.setStretch(1, 1)
        self.body.addLayout(foot, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        self.model.fit(self.width() - _BAR)
        header = self.runs.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for at, wide in enumerate(self.model.widths):
            header.resizeSection(at, wide)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)

    def why_not(self) -> str:
        return "" if self.session.project.runs else self.evaluation.why_not()

    def read(self) -> None:
        wanted = self.filter.text().strip().lower()
        runs = sorted(self.session.project.runs.values(), key=lambda run: -run.id)
        self.set_count(f"{len(runs)} finished" if runs else "")
        self.model.show_rows([run for run in runs
                              if wanted in self._all_words(run)])
        self._fit_columns()
        self.runs.viewport().update()
        pair, active = self.evaluation.compared, self.evaluation.active
        self.changes.show_pair(pair)
        asked = (pair.first, pair.second) if pair is not None else self.evaluation.comparing
        self.changed_title.setText("What changed: check two runs" if asked is None else
                                   f"What changed, {asked[0]} to {asked[1]}")
        self._scroll.setVisible(pair is not None)
        rows = max(self.model.rowCount(), _LEAST_ROWS)
        high = tokens.ROW + _ROW * rows + 2 if pair is not None else _ANY
        self.runs.setMaximumHeight(high)  # what changed gets the room that runs leave
        self._say_split(active)
        self.scores_of.read()
        count = len(self.evaluation.checked)
        self.evaluate.setText(f"Evaluate {counted(count, 'checked run')}")
        self.evaluate.setEnabled(count > 0)
        self.export.setEnabled(bool(runs))
        self.copy.setVisible(pair is not None)

    def _all_words(self, run: Run) -> str:
        """What the filter finds a run by."""
        written = run_note(self.session.project, run.id)
        words = (run.id, method_title(run.recipe.method), self.model.settings(run), written.name,
                 written.note, *run.notes)
        return " ".join(map(str, words)).lower()

    def _say_split(self, run: Run | None) -> None:
        """Of the active run."""
        split = self.session.only(Splits).of(run) if run is not None else None
        self.split.show_split(split)
        self.split.setVisible(bool(self.split.folds))
        self.split_title.setText("" if split is None else f"{split.head}{self.split.left_out}")
        self.split_shared.setText("" if split is None else split.shared)
        self.split_shared.setVisible(bool(self.split_shared.text()))

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
        by = f" --by {CLASSIFIER}" * (self.evaluation.by == CLASSIFIER)
        level = self.evaluation.level
        return f"emberscope evaluate {quoted} --runs {numbers} --level {level}{by}"

    def _copy_words(self) -> None:
        compared = self.changes.compared
        rows = compared.changes if compared is not None else []
        changes = [f"{row.title}: {row.before}, now {row.after}." for row in rows]
        QGuiApplication.clipboard().setText("\n".join([*changes, *self.changes.words]))

    def _export(self) -> None:
        """Ask where the list of runs goes, as a table."""
        def save(path: Path) -> None:
            content = table_file(self._rows(), path.suffix.removeprefix(".").lower())
            with written_whole(path) as partly:
                partly.write_bytes(content)
            say_saved(self.session, path)

        self.session.figure_wanted.emit(Wanted("runs", DATA, save))

    def _copy_command(self) -> None:
        QGuiApplication.clipboard().setText(self.command_words)
        self.session.say("Copied. In a terminal it prints the numbers of the cards.")

    def offers(self, menu: QMenu) -> None:
        menu.addAction("Copy as command", self._copy_command).setEnabled(
            bool(self.evaluation.checked))
        menu.addAction("Copy the comparison in words", self._copy_words).setEnabled(
            bool(self.changes.words))
        pair = self.evaluation.compared
        by_instance = [one for one in pair.pairs if one.level == INSTANCE] if pair else []
        for title, name in (("Select what is judged rightly now", "won"),
                            ("Select what is no longer", "lost")):
            ids = getattr(by_instance[0], name) if by_instance else ()
            menu.addAction(title, partial(self.session.selection.select, np.asarray(ids))
                           ).setEnabled(len(ids) > 0)  # fmt: skip

    def _rows(self) -> list[list[object]]:
        """The runs that the list shows, with their numbers."""
        rows: list[list[object]] = [["run", "method", "name", "settings", *_EXPORTED, "split",
                                    "seconds", "created"]]
        for run in self.model.rows:
            numbers = [run.metrics.get(key, "") for key in _EXPORTED]
            name = run_note(self.session.project, run.id).name
            rows.append([run.id, run.recipe.method, name, self.model.settings(run), *numbers,
                         split_words(run), run.seconds, run.created])
        return rows

    def data(self) -> str:
        rows = self._rows()
        changes = self.changes.compared.changes if self.changes.compared is not None else []
        rows += [[one.title, one.before, one.after] for one in changes]
        return table(rows)
