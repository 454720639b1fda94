"""Paints the rows of a model of cells; says which cell is under the pointer, and what was
shortened."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
)

from emberscope_app.lists.cells import Cell, Row, Spot, Words
from emberscope_app.lists.layout import placed, words_width
from emberscope_app.lists.model import Index, RowModel
from emberscope_app.lists.paint import paint_ground, paint_row

_State = QStyle.StateFlag


class RowDelegate(QStyledItemDelegate):
    """Of a list or a table whose model is a `RowModel`."""

    # Of which row, what its cell does, the keys held down
    asked = Signal(QModelIndex, object, object)

    def __init__(self, view: QAbstractItemView, model: RowModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._view.viewport().width()
        return QSize(100, self._model.height(self._model.thing(index.row()), width))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state, rect = option.state, QRect(option.rect)  # type: ignore[attr-defined]
        chosen = bool(state & _State.State_Selected)
        over = bool(state & _State.State_MouseOver)
        hovered = getattr(self._view, "hovered", index.row() if over else -1) == index.row()
        row = self._row(index, rect, chosen=chosen, hovered=hovered)
        first = index.column() == 0
        paint_ground(painter, rect, row.ground, first=first, chosen=chosen, hovered=hovered)
        paint_row(painter, rect, row, self._whole(rect))

    def cells(self, index: Index) -> list[tuple[Cell, QRect]]:
        """The cells of a row, or of one column of it, with their places on the viewport."""
        rect = self._view.visualRect(index)  # type: ignore[arg-type]
        return [*placed(self._row(index, rect), rect, self._whole(rect))]

    def texts(self, index: Index) -> list[str]:
        """What is written in a row, from left to right, line by line."""
        texts = (getattr(cell, "text", "") for cell, _ in self.cells(index))
        return [text for text in texts if text]

    def cell_at(self, at: QPoint) -> Cell | None:
        """The cell under the pointer that does or stands for something."""
        index = self._view.indexAt(at)
        found = self.cells(index) if index.isValid() else []
        return next((cell for cell, place in found
                     if cell.does is not None and place.contains(at)), None)  # fmt: skip

    def _row(
        self, index: Index, rect: QRect, *, chosen: bool = False, hovered: bool = False
    ) -> Row:
        spot = Spot(index.column(), rect.width(), chosen, hovered)
        return self._model.row(self._model.thing(index.row()), spot)

    def _whole(self, rect: QRect) -> QRect:
        """The place of the row through all columns."""
        if not isinstance(self._view, QTableView):
            return rect
        return QRect(0, rect.y(), self._view.viewport().width(), rect.height())

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            cell = self.cell_at(event.position().toPoint())
            if cell is not None and event.button() == Qt.MouseButton.LeftButton:
                self.asked.emit(index, cell.does, event.modifiers())
                return True
        return super().editorEvent(event, model, option, index)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """What was shortened is said in full where the row has no tooltip of its own."""
        if index.isValid() and not index.data(Qt.ItemDataRole.ToolTipRole):
            cut = self.shortened(index)
            QToolTip.showText(event.globalPos(), "\n".join(cut), view)
            return bool(cut)
        return super().helpEvent(event, view, option, index)

    def shortened(self, index: Index) -> list[str]:
        """Texts of a row that have less room than they need."""
        return [cell.text for cell, place in self.cells(index)
                if isinstance(cell, Words) and not cell.wraps
                and words_width(cell.text, cell.px, cell.weight) > place.width()]  # fmt: skip
