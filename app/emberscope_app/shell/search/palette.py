"""The palette: type a few letters, find an action, a setting, a clip, a run (>), a bag (#) or a page of the help."""

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from emberscope_app.sheets.sheet import return_focus
from emberscope_app.shell.host import Host
from emberscope_app.shell.search.search_entries import Entry, entries
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

WIDTH, ROW, MOST_ROWS = 560, 32, 11
_AROUND = 56  # px that the field and the margins take
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
Index = QModelIndex | QPersistentModelIndex


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Entry] = []

    def show(self, rows: list[Entry]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.rows[index.row()].title if role == Qt.ItemDataRole.DisplayRole else None


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, _Model)
        entry, t, rect = model.rows[index.row()], current(), QRect(option.rect)  # type: ignore[attr-defined]
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]
            painter.fillRect(rect, QColor(t.bg3))
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), QColor(t.ink))
        inner = rect.adjusted(tokens.PAD, 0, -tokens.PAD, 0)
        painter.setFont(font(tokens.PX_BODY, 500))
        painter.setPen(QColor(t.t3 if entry.reason else t.t1))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, entry.title)
        used = painter.fontMetrics().horizontalAdvance(entry.title)
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(t.t3))
        room = inner.adjusted(used + 12, 0, -painter.fontMetrics().horizontalAdvance(entry.keys) - 8, 0)
        words = painter.fontMetrics().elidedText(entry.beside, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(QColor(t.t2))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, entry.keys)


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
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Delegate(self.view))
        self.view.setUniformItemSizes(True)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setMouseTracking(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
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
        self.model.show(entries(self._host, query))
        self._place()
        self.view.setCurrentIndex(self.model.index(0, 0))

    def _place(self) -> None:
        """As high as what was found."""
        width, top = min(WIDTH, self._host.width() - 24), tokens.HEADER_H + 8
        rows = min(len(self.model.rows), MOST_ROWS, max((self._host.height() - top - _AROUND) // ROW, 1))
        self.setGeometry((self._host.width() - width) // 2, top, width, rows * ROW + _AROUND)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        row, key = self.view.currentIndex().row(), event.key()
        step = _STEPS.get(Qt.Key(key), 0)
        if step:
            self.view.setCurrentIndex(self.model.index(min(max(row + step, 0), len(self.model.rows) - 1), 0))
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
