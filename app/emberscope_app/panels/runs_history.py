"""History: the finished runs, the newest first. A click shows a run in every view."""

from datetime import datetime
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from emberscope.project import Changes, PutRuns, Recipe, Run
from emberscope_app.actions import trigger
from emberscope_app.panels.learned import LearnedSheet
from emberscope_app.panels.run_methods import title_of_method
from emberscope_app.panels.table import RIGHT, Table, paint_ground, paint_words
from emberscope_app.session import Session
from emberscope_app.status import spaced
from emberscope_app.theme import tokens

COLUMNS = ("History", "", "", "")
WIDTHS = (60, 120, 48, 56)
_ABOUT = {
    "bag_auc": ("AUC", "Area under the ROC curve of bags: the classifier of the run, on frames it was not fitted on"),
    "knn_accuracy": ("k-NN", "Accuracy of the 3 nearest neighbors, on instances the picture was not fitted on"),
    "trustworthiness": ("Trust", "Trustworthiness: how far near points in the picture are near in the features"),
}
_UNSAID = {"n_components", "random_state"}
Index = QModelIndex | QPersistentModelIndex


def key_parameter(recipe: Recipe) -> str:
    """The first parameter that was set, e.g. "gamma 0.5"."""
    said = [(name, value) for name, value in recipe.params.items() if name not in _UNSAID and value is not None]
    if not said:
        return ""
    name, value = said[0]
    said_value = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{name.removeprefix('n_').replace('_', ' ')} {said_value}"


def clock(run: Run) -> str:
    """When the run was made, in local time: "10:41" today, else with the day."""
    try:
        made = datetime.fromisoformat(run.created).astimezone()
    except ValueError:
        return run.created
    return made.strftime("%H:%M" if made.date() == datetime.now().astimezone().date() else "%Y-%m-%d %H:%M")


def about(run: Run) -> str:
    """All that is known of a run, line by line."""
    recipe = run.recipe
    lines = [f"Run {run.id}, {title_of_method(recipe.method)}, labels as of {clock(run)}",
             f"{spaced(len(run.ids))} instances in {spaced(len(run.bag_ids))} bags, {recipe.features.kind}"]
    if recipe.params:
        lines.append(", ".join(f"{name} {value}" for name, value in recipe.params.items()))
    accuracy, majority = run.metrics.get("knn_accuracy"), run.metrics.get("majority")
    if accuracy is not None and majority is not None:
        lines.append(f"k-NN accuracy {accuracy:.2f}, always the same answer {majority:.2f}")
    if recipe.classifier:
        lines.append(classified_words(run))
    return "\n".join([*lines, *run.notes])


def classified_words(run: Run) -> str:
    """"Citation-kNN: 87 % of bags right (80 - 92), always the same answer 51 %, AUC 0.91 (0.85 - 0.97)".

    Intervals are 95 %; what failed is in notes.
    """
    title, found = title_of_method(run.recipe.classifier), run.metrics
    if "bag_accuracy" not in found:
        return f"{title}: no result"
    low, high = (round(100 * found[f"bag_accuracy_{end}"]) for end in ("low", "high"))
    least, most = (found.get(f"bag_auc_{end}", np.nan) for end in ("low", "high"))
    interval = f" ({least:.2f} – {most:.2f})" if np.isfinite(least + most) else ""
    return (f"{title}: {round(100 * found['bag_accuracy'])} % of bags right ({low} – {high}), always the same answer "
            f"{round(100 * found['bag_majority'])} %, AUC {found['bag_auc']:.2f}{interval}")


class HistoryModel(QAbstractTableModel):
    """Runs of the project, the newest first."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.runs: list[Run] = []
        self.metrics = ("knn_accuracy", "trustworthiness")  # of the last two columns

    def read(self) -> None:
        runs = sorted(self._session.project.runs.values(), key=lambda run: -run.id)
        if runs != self.runs:
            self.beginResetModel()
            self.runs = runs
            classified = any("bag_auc" in run.metrics for run in runs)
            self.metrics = ("bag_auc", "knn_accuracy") if classified else ("knn_accuracy", "trustworthiness")
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.runs)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            runs = f"{len(self.runs)} run{'s' * (len(self.runs) != 1)}"
            return (COLUMNS[0], runs, *(_ABOUT[name][0] for name in self.metrics))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section > 1:
            return RIGHT
        tip = role == Qt.ItemDataRole.ToolTipRole and section > 1
        return _ABOUT[self.metrics[section - 2]][1] if tip else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        run, column = self.runs[index.row()], index.column()
        if role == Qt.ItemDataRole.ToolTipRole:
            return about(run)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        if column == 0:
            return str(run.id)
        if column == 1:
            return f"{title_of_method(run.recipe.method)} {key_parameter(run.recipe)}".strip()
        value = run.metrics.get(self.metrics[column - 2], np.nan)
        return f"{value:.2f}" if np.isfinite(value) else "–"


class _Cells(QStyledItemDelegate):
    def __init__(self, session: Session, runs: HistoryModel, table: Table) -> None:
        super().__init__(table)
        self._session, self._runs, self._table = session, runs, table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect, column = QRect(option.rect), index.column()  # type: ignore[attr-defined]
        shown = self._session.run is self._runs.runs[index.row()]
        paint_ground(painter, rect, index, active=shown, hovered=self._table.hovered == index.row())  # type: ignore[arg-type]
        if column == 0:
            paint_words(painter, rect.adjusted(tokens.PAD, 0, 0, 0), index.data(), weight=600)
        elif column == 1:
            paint_words(painter, rect.adjusted(6, 0, -4, 0), index.data(), color="t1" if shown else "t2",
                        whole_start=True)
        else:
            inner = rect.adjusted(0, 0, -6 if column == 2 else -tokens.PAD, 0)
            paint_words(painter, inner, index.data(), align=RIGHT, weight=500 if column == 2 else 400,
                        color="t1" if column == 2 else "t2")


class RunsHistory(QWidget):
    """Click = show; right click = settings again, delete. `again(Recipe)` asks for those settings."""

    again = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = HistoryModel(session, self)
        self.table = Table(self.model)
        self.table.setAccessibleName("History of runs")
        self.table.setItemDelegate(_Cells(session, self.model, self.table))
        self.table.setSelectionMode(Table.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for at, width in enumerate(WIDTHS):
            header.resizeSection(at, width)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.table.clicked.connect(lambda index: self.show_row(index.row()))
        self.table.activated.connect(lambda index: self.show_row(index.row()))
        self.table.menu_wanted.connect(self._open_menu)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self.read()

    def read(self) -> None:
        self.model.read()
        count = len(self.model.runs)
        self.setVisible(bool(count))
        self.setMinimumHeight(tokens.ROW * (1 + min(count, 3)) + 2)
        self.setMaximumHeight(tokens.ROW * (1 + count) + 2)
        self.table.viewport().update()

    def show_row(self, row: int) -> None:
        """Show this run in every view."""
        self._session.focus.set(run=self.model.runs[row].id)

    def _on_project(self, changes: Changes) -> None:
        if changes.runs:
            self.read()

    def _on_focus(self, names: set[str]) -> None:
        row = next((at for at, run in enumerate(self.model.runs) if run is self._session.run), -1)
        if "run" in names and row >= 0:
            self.table.scrollTo(self.model.index(row, 0))
        self.table.viewport().update()

    def _open_menu(self, where: QPoint) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self.menu(row).popup(where)

    def _show_learned(self, row: int) -> None:
        """The sheet about it; one that is open follows the run."""
        self.show_row(row)
        if self.window().findChild(LearnedSheet) is None:
            trigger(self, "run.learned")

    def menu(self, row: int) -> QMenu:
        """What can be done with a run."""
        run, session = self.model.runs[row], self._session
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show", lambda: self.show_row(row))
        menu.addAction("What this run learned", lambda: self._show_learned(row))
        menu.addAction("Use its settings again", lambda: self.again.emit(run.recipe))
        menu.addSeparator()
        menu.addAction("Delete", lambda: session.do(PutRuns(title=f"Delete run {run.id}", before=[run])))
        return menu
