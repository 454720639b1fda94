"""The palette: type a few letters, find an action, a setting, a clip, a run (>), a bag (#) or a
page of the help."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QVBoxLayout, QWidget

from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Spot, Words, line
from emberscope_app.lists.model import RowModel
from emberscope_app.lists.view import RowList
from emberscope_app.sheets.sheet import return_focus
from emberscope_app.shell.host import Host
from emberscope_app.shell.search.search_entries import Entry, entries
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current

WIDTH, ROW, MOST_ROWS = 560, 32, 11
_AROUND = 56  # px that the field and the margins take
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


class _Model(RowModel[Entry]):
    """What was found."""

    def words(self, entry: Entry, column: int) -> str:
        return entry.title

    def spoken(self, entry: Entry, column: int) -> str:
        return ", ".join(filter(None, (entry.title, entry.beside, entry.keys)))

    def height(self, entry: Entry, width: int) -> int:
        return ROW

    def row(self, entry: Entry, spot: Spot) -> Row:
        small = tokens.PX_SMALL
        return Row((line(
            Words(entry.title, weight=500, color="t3" if entry.reason else "t1"),
            Words(entry.beside, px=small, color="t3", whole_start=True, wide=REST, before=12),
            Words(entry.keys, px=small, color="t2", align=RIGHT, before=12),
        ),), Ground(hovered=False))  # fmt: skip


class Palette(QFrame):
    """A sheet of 560 px under the header; Enter runs, Esc leaves."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._host = window
        self._before: QWidget | None = None
        self.setAccessibleName("Search actions and data")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search actions and data.  # bags   > runs")
        self.field.setFixedHeight(34)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.model = _Model()
        self.view = RowList(self.model, "Found")
        self.view.setUniformItemSizes(True)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.clicked.connect(lambda index: self.choose(index.row()))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.view)
        self.hide()

    def open(self) -> None:
        """Show, empty, with the cursor in the field."""
        self.field.clear()
        self._search("")
        self._before = QApplication.focusWidget()
        self.show()
        self.raise_()
        self.field.setFocus()

    def choose(self, row: int) -> None:
        """Do what a row says; one with a reason against it stays."""
        if 0 <= row < len(self.model.rows) and not self.model.rows[row].reason:
            chosen = self.model.rows[row]
            self.leave()
            chosen.choose()

    def leave(self) -> None:
        """Hide; the keyboard goes back to where it was."""
        return_focus(self, self._before)
        self.hide()

    def _search(self, query: str) -> None:
        self.model.show_rows(entries(self._host, query))
        self._place()
        self.view.setCurrentIndex(self.model.index(0, 0))

    def _place(self) -> None:
        """As high as what was found."""
        width, top = min(WIDTH, self._host.width() - 24), tokens.HEADER_H + 8
        rows = min(
            len(self.model.rows), MOST_ROWS, max((self._host.height() - top - _AROUND) // ROW, 1)
        )
        self.setGeometry((self._host.width() - width) // 2, top, width, rows * ROW + _AROUND)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        row, key = self.view.currentIndex().row(), event.key()
        step = _STEPS.get(Qt.Key(key), 0)
        if step:
            self.view.setCurrentIndex(
                self.model.index(min(max(row + step, 0), len(self.model.rows) - 1), 0)
            )
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose(row)
        elif key == Qt.Key.Key_Escape:
            self.leave()
        else:
            return super().eventFilter(watched, event)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().bg1))
        painter.setPen(QPen(QColor(current().line2), 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
