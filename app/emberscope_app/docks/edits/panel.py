"""Edits: the named steps of the undo stack; a click goes there."""

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from emberscope_app.plain import tip
from emberscope_app.state.core.session import Session
from emberscope_app.state.core.undo import OperationCommand
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import counted, frames_words

Index = QModelIndex | QPersistentModelIndex
PLACE = Qt.ItemDataRole.UserRole


class _Model(QAbstractListModel):
    """Row 0 is the state that was opened, row n the state after step n."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._stack = session, session.undo_stack

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return self._stack.count() + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._stack.text(index.row() - 1) if index.row() else "As opened"
        if role == PLACE:
            return self._place(index.row() - 1)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(": ".join(words for words in (index.data(), index.data(PLACE)) if words))
        return None

    def _place(self, step: int) -> str:
        """Which frames a step is about, "" where none; the clip where the project has several."""
        command = self._stack.command(step) if step >= 0 else None
        frames = command.frames() if isinstance(command, OperationCommand) else []
        return frames_words(self._session.project, frames)

    def refresh(self) -> None:
        self.beginResetModel()
        self.endResetModel()


class _Delegate(QStyledItemDelegate):
    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._stack = session, session.undo_stack

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, tokens.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, rect = current(), QRect(option.rect)  # type: ignore[attr-defined]
        here, row = self._stack.index(), index.row()
        if row == here:
            painter.fillRect(rect, QColor(t.bg3))
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), QColor(t.ink))
        elif option.state & QStyle.StateFlag.State_MouseOver:  # type: ignore[attr-defined]
            painter.fillRect(rect, QColor(t.bg2))
        inner = rect.adjusted(tokens.PAD, 0, -tokens.PAD, 0)
        right = [index.data(PLACE), "saved" if row == self._stack.cleanIndex() else ""]
        beside = ", ".join(words for words in right if words)
        painter.setFont(font(tokens.PX_SMALL))
        room = painter.fontMetrics().horizontalAdvance(beside) + 12 if beside else 0
        painter.setPen(QColor(t.t2 if row <= here else t.t3))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, beside)
        painter.setFont(font(tokens.PX_BODY, 600 if row == here else 400))
        painter.setPen(QColor(t.t1 if row <= here else t.t3))
        title = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, inner.width() - room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, title)


class UndoHistoryPanel(Panel):
    """Every step has a name; going back and forth loses nothing until a new edit is made."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack = session.undo_stack
        self.model = _Model(session)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Delegate(session, self.view))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Edits")
        self.view.clicked.connect(lambda index: self._stack.setIndex(index.row()))
        self.view.activated.connect(lambda index: self._stack.setIndex(index.row()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self._stack.indexChanged.connect(self._refresh)
        self._stack.cleanChanged.connect(self._refresh)
        look().changed.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        self.model.refresh()
        self.view.scrollTo(self.model.index(self._stack.index(), 0))
        count = self._stack.count()
        self.set_count(counted(count, "step") if count else "")
