"""The shortcut sheet: every key, by where it acts, searchable."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QLineEdit, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from emberscope_app.actions import ACTIONS, VIEW_KEYS, key_text
from emberscope_app.overlay import Sheet
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font

Index = QModelIndex | QPersistentModelIndex
Row = tuple[str, str, str]  # scope, keys, title


def all_keys() -> list[Row]:
    """(scope, keys, title) of everything that has a key, scope by scope."""
    rows = [(row.scope, key_text(row), row.title) for row in ACTIONS if row.keys] + list(VIEW_KEYS)
    scopes = list(dict.fromkeys(scope for scope, _, _ in rows))
    return sorted(rows, key=lambda row: scopes.index(row[0]))


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.search("")

    def search(self, words: str) -> None:
        """Rows with `words`, each scope under a heading (a row without keys)."""
        self.beginResetModel()
        self.rows, scope = [], ""
        for row in all_keys():
            if words.lower() in " ".join(row).lower():
                if row[0] != scope:
                    scope = row[0]
                    self.rows.append((scope, "", scope))
                self.rows.append(row)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self.rows[index.row()] if role == Qt.ItemDataRole.UserRole else (
            self.rows[index.row()][2] if role == Qt.ItemDataRole.DisplayRole else None
        )


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, tokens.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, keys, title = index.data(Qt.ItemDataRole.UserRole)
        t, inner = current(), QRect(option.rect).adjusted(0, 0, -4, 0)  # type: ignore[attr-defined]
        painter.setFont(font(tokens.PX_BODY, 400 if keys else 600))
        painter.setPen(QColor(t.t1))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(font(tokens.PX_SMALL, 500))
        painter.setPen(QColor(t.t2))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        if not keys:
            painter.fillRect(inner.x(), inner.bottom(), inner.width(), 1, QColor(t.line))


class ShortcutSheet(Sheet):
    """Keyboard shortcuts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Keyboard shortcuts", parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search keys")
        self.field.setAccessibleName("Search keys")
        self.field.setFixedHeight(28)
        self.model = _Model()
        self.field.textChanged.connect(self.model.search)
        view = QListView()
        view.setModel(self.model)
        view.setItemDelegate(_Delegate(view))
        view.setUniformItemSizes(True)
        view.setSelectionMode(QListView.SelectionMode.NoSelection)
        view.setAccessibleName("Keyboard shortcuts")
        self.body.addWidget(self.field)
        self.body.addWidget(view, 1)
        self.field.setFocus()
