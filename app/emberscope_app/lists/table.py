"""A table of rows of cells: header with sort arrow, rows that light up as a whole, no grid, no
frame."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from emberscope_app.guard import saved
from emberscope_app.lists.cells import LEFT
from emberscope_app.lists.delegate import RowDelegate
from emberscope_app.lists.model import RowModel
from emberscope_app.theme import tokens
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font


class Header(QHeaderView):
    """Secondary text on the ground of the panel, a chevron where it is sorted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHighlightSections(False)
        self.setFixedHeight(tokens.ROW)
        self.setMinimumSectionSize(16)

    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        t, model = current(), self.model()
        with saved(painter):
            painter.fillRect(rect, QColor(t.bg1))
            painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, QColor(t.line))
            words = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            flags = (
                model.headerData(
                    column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole
                )
                or LEFT
            )
            painter.setFont(font(tokens.PX_SMALL))
            painter.setPen(QColor(t.t2))
            last = column == self.count() - 1
            inner = rect.adjusted(
                tokens.PAD if column == 0 else 6, 0, -tokens.PAD if last else -6, 0
            )
            painter.drawText(inner, int(flags), words)
            if self.isSortIndicatorShown() and self.sortIndicatorSection() == column and words:
                self._paint_arrow(painter, inner, words, int(flags))

    def _paint_arrow(self, painter: QPainter, inner: QRect, words: str, flags: int) -> None:
        name = "up" if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else "down"
        wide = painter.fontMetrics().horizontalAdvance(words)
        x = (
            inner.right() - wide - 14
            if flags & Qt.AlignmentFlag.AlignRight.value
            else inner.x() + wide + 4
        )
        arrow = pixmap(name, current().t2, 10, painter.device().devicePixelRatioF())
        painter.drawPixmap(QRect(x, inner.center().y() - 4, 10, 10), arrow)


class Table(QTableView):
    """Rows of one height; `pointed(row)` says which one the pointer is over, -1 for none.

    A model of one column without a title has no header.
    """

    # Keys of the panel: they look for no row that begins with them
    letters: frozenset[Qt.Key] = frozenset()
    pointed = Signal(int)
    menu_wanted = Signal(QPoint)

    def __init__(
        self, model: RowModel, name: str, *, row: int = tokens.ROW, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.hovered = -1
        self.setHorizontalHeader(Header(self))
        self.setModel(model)
        self.delegate = RowDelegate(self, model)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(name)
        if [column.title for column in model.columns] == [""]:
            self.horizontalHeader().hide()
            self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(row)
        self.verticalHeader().setDefaultSectionSize(row)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda at: self.menu_wanted.emit(self.viewport().mapToGlobal(at)))

    def set_columns(
        self, widths: Sequence[int], *, stretched: int, by: int, order: Qt.SortOrder
    ) -> None:
        """Columns of these widths in px, one of which takes what is left; a click on a title sorts.
        by : the column that rows are sorted by at first."""
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(by, order)
        for at, width in enumerate(widths):
            header.resizeSection(at, width)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        self.setSortingEnabled(True)

    def rows_chosen(self) -> list[int]:
        """Rows chosen by mouse or keyboard, ascending."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def forget_chosen(self) -> None:
        """The selection came from elsewhere. Emits nothing."""
        selection = self.selectionModel()
        selection.blockSignals(True)
        selection.clear()
        selection.blockSignals(False)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in self.letters and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point_at(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(-1)

    def _point_at(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.pointed.emit(row)
            self.viewport().update()
