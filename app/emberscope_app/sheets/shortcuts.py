"""The shortcut sheet: every key, by where it acts, searchable."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from emberscope_app.sheets.sheet import Sheet
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

Index = QModelIndex | QPersistentModelIndex
_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
Row = tuple[str, str, str]  # scope, keys, title


class _Model(QAbstractListModel):
    def __init__(self, keys: Sequence[Row]) -> None:
        super().__init__()
        self._keys = keys
        self.rows: list[Row] = []
        self.search("")

    def search(self, words: str) -> None:
        """Rows with `words`, each scope under a heading (a row without keys)."""
        self.beginResetModel()
        self.rows, scope = [], ""
        for row in self._keys:
            if words.lower() in " ".join(row).lower():
                if row[0] != scope:
                    scope = row[0]
                    self.rows.append((scope, "", scope))
                self.rows.append(row)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.rows[index.row()] if role == Qt.ItemDataRole.UserRole else (
            self.rows[index.row()][2] if role == Qt.ItemDataRole.DisplayRole else None
        )


class _Delegate(QStyledItemDelegate):
    """What keys do at the left, in as many lines as it takes; the keys at the right."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._view.viewport().width()
        return QSize(width, max(self.title_box(QRect(0, 0, width, tokens.ROW), index).height() + 8, tokens.ROW))

    def title_box(self, row: QRect, index: Index) -> QRect:
        """Where the title stands in a row, wrapped beside the keys."""
        _, keys, title = index.data(Qt.ItemDataRole.UserRole)
        taken = QFontMetrics(font(tokens.PX_SMALL, 500)).horizontalAdvance(keys) + 16 if keys else 0
        room = QRect(0, 0, row.width() - 4 - taken, 1000)
        words = QFontMetrics(font(tokens.PX_BODY, 400 if keys else 600)).boundingRect(room, _WRAP, title)
        return QRect(row.x(), row.y() + (row.height() - words.height()) // 2, room.width(), words.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, keys, title = index.data(Qt.ItemDataRole.UserRole)
        t, inner = current(), QRect(option.rect).adjusted(0, 0, -4, 0)  # type: ignore[attr-defined]
        painter.setFont(font(tokens.PX_BODY, 400 if keys else 600))
        painter.setPen(QColor(t.t1))
        painter.drawText(self.title_box(QRect(option.rect), index), _WRAP, title)  # type: ignore[attr-defined]
        painter.setFont(font(tokens.PX_SMALL, 500))
        painter.setPen(QColor(t.t2))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        if not keys:
            painter.fillRect(inner.x(), inner.bottom(), inner.width(), 1, QColor(t.line))


class ShortcutSheet(Sheet):
    """Keyboard shortcuts."""

    of_project = False

    def __init__(self, keys: Sequence[Row], parent: QWidget) -> None:
        """keys : (scope, keys, title), scope by scope."""
        super().__init__("Keyboard shortcuts", parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search keys")
        self.field.setAccessibleName("Search keys")
        self.field.setFixedHeight(28)
        self.model = _Model(keys)
        self.field.textChanged.connect(self.model.search)
        view = self.view = QListView()
        view.setModel(self.model)
        view.setItemDelegate(_Delegate(view))
        view.setResizeMode(QListView.ResizeMode.Adjust)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setSelectionMode(QListView.SelectionMode.NoSelection)
        view.setAccessibleName("Keyboard shortcuts")
        self.body.addWidget(self.field)
        self.body.addWidget(view, 1)
        self.field.setFocus()
