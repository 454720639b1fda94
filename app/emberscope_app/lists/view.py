"""The view of a list of rows: no frame, rows that light up, cells that can be pressed."""

from PySide6.QtCore import QMetaMethod, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QWidget

from emberscope_app.lists.delegate import RowDelegate
from emberscope_app.lists.model import RowModel
from emberscope_app.theme.look import look


class RowList(QListView):
    """Shows a model. `asked(index, what, keys)` says which cell that does something was pressed."""

    delegate_class = RowDelegate
    asked = Signal(QModelIndex, object, object)
    entered_row = Signal(QModelIndex)  # by Enter: a double click may mean something else

    def __init__(self, model: RowModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.delegate = self.delegate_class(self, model)
        self.delegate.asked.connect(self.asked)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(name)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        look().changed.connect(self.viewport().update)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        over = self.delegate.cell_at(event.position().toPoint()) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressed = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        wanted = self.isSignalConnected(QMetaMethod.fromSignal(self.entered_row))  # else a sheet's
        if pressed and wanted and self.currentIndex().isValid():
            self.entered_row.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
