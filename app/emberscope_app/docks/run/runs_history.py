"""History: the finished runs. A click shows a run in every view; those that are checked are
compared."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QMenu, QPushButton, QVBoxLayout, QWidget

from emberscope.project import Changes
from emberscope.project.model.run_notes import SETTING
from emberscope_app.docks.run.finished_runs import CHECK, ROW, HistoryModel
from emberscope_app.docks.run.run_menu import run_menu
from emberscope_app.lists.table import Table
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.runs.checked_runs import checked_runs
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import trigger
from emberscope_app.words import counted

# Rows that are in sight without scrolling: where there is room, and in any case
_MOST, _LEAST = 5, 2
_SHARE = 0.4          # of the panel is what the list asks for at most
_FOOT = 44  # px of the button below
_BAR = 8  # px of the scroll bar


class RunsHistory(QWidget):
    """Click = show; Space, or a click on its box = check; right click = the rest. `again(Recipe)`
    asks for those settings."""

    again = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = HistoryModel(session, self)
        self.table = Table(self.model, "History of runs", row=ROW)
        self.table.setSelectionMode(Table.SelectionMode.SingleSelection)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        self.compare = QPushButton()
        self.compare.setFixedHeight(32)
        self.compare.clicked.connect(lambda: trigger(self, "run.compare"))
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(tokens.PAD, 6, tokens.PAD, 6)
        foot.addWidget(self.compare)
        column.addWidget(self._foot)
        self._checked = checked_runs(session)
        self._pressed_check = False  # its click shows no run
        self.table.delegate.asked.connect(self._on_asked)
        self.table.clicked.connect(self._on_click)
        self.table.installEventFilter(self)
        self._checked.changed.connect(self._show_checked)
        self.table.activated.connect(lambda index: self.show_row(index.row()))
        self.table.menu_wanted.connect(self._open_menu)
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self._show_checked()

    def _on_asked(self, index: QModelIndex, what: object, keys: object) -> None:
        if what == CHECK:
            self._pressed_check = True
            self._toggle(index.row())

    def _on_click(self, index: QModelIndex) -> None:
        was_check, self._pressed_check = self._pressed_check, False
        if not was_check:
            self.show_row(index.row())

    def _toggle(self, row: int) -> None:
        number = self.model.runs[row].id
        self._checked.check(number, number not in self._checked.ids)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        row = self.table.currentIndex().row()
        space = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if space and event.type() == QEvent.Type.KeyPress and row >= 0:
            self._toggle(row)
            return True
        return False

    def _show_checked(self) -> None:
        """What the button compares; without two there is none."""
        ids = self._checked.ids
        two = len(ids) == 2
        self.compare.setText(f"Compare {ids[0]} with {ids[1]}" if two else
                             f"Compare {counted(len(ids), 'run')}")
        self._foot.setVisible(len(ids) > 1)
        self.read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.model.fit(self.width() - _BAR)
        self._size_columns()
        self._size_rows()

    def read(self) -> None:
        self.model.read()
        self._size_columns()
        self._size_rows()
        self.setVisible(bool(self.model.runs))
        self.setMinimumHeight(self._tall(self._heights()[:_LEAST]))
        self.setMaximumHeight(self._tall(self._heights()))
        self.updateGeometry()
        self.table.viewport().update()

    def wanted(self, room: int) -> int:
        """Px of as many rows as should be in sight in a panel of so many px; 0 without runs."""
        heights = self._heights()
        fit = [
            count
            for count in range(_LEAST, _MOST + 1)
            if self._tall(heights[:count]) <= room * _SHARE
        ]
        return self._tall(heights[: max(fit, default=_LEAST)]) if heights else 0

    def _heights(self) -> list[int]:
        return [self.model.height(row, 0) for row in self.model.rows]

    def _tall(self, rows: list[int]) -> int:
        foot = _FOOT if len(self._checked.ids) > 1 else 0
        return tokens.ROW + sum(rows) + 2 + foot

    def _size_rows(self) -> None:
        """Which figures have room decides what a row says of doubts."""
        for row, height in enumerate(self._heights()):
            self.table.verticalHeader().resizeSection(row, height)

    def _size_columns(self) -> None:
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for at, wide in enumerate(self.model.widths):
            header.resizeSection(at, wide)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)

    def show_row(self, row: int) -> None:
        """Show this run in every view."""
        self._session.focus.set(run=self.model.runs[row].id)

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("runs", "sources") or SETTING in changes.settings:
            self.read()
        elif changes.touch("marks", "classes") or concepts_edited(changes):
            self.model.forget_marks()
            self.table.viewport().update()

    def _on_focus(self, names: set[str]) -> None:
        row = next((at for at, run in enumerate(self.model.runs) if run is self._session.run), -1)
        if "run" in names and row >= 0:
            self.table.scrollTo(self.model.index(row, 0))
        self.table.viewport().update()

    def _open_menu(self, where: QPoint) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self.menu(row).popup(where)

    def menu(self, row: int) -> QMenu:
        """What can be done with a run."""
        return run_menu(self, self._session, self.model.runs[row], self.again.emit)
