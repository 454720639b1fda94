"""A table of painted rows: header with sort arrow, rows that light up as a whole, no grid, no frame."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


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
            flags = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) or LEFT
            painter.setFont(font(tokens.PX_SMALL))
            painter.setPen(QColor(t.t2))
            last = column == self.count() - 1
            inner = rect.adjusted(tokens.PAD if column == 0 else 6, 0, -tokens.PAD if last else -6, 0)
            painter.drawText(inner, int(flags), words)
            if self.isSortIndicatorShown() and self.sortIndicatorSection() == column and words:
                self._paint_arrow(painter, inner, words, int(flags))

    def _paint_arrow(self, painter: QPainter, inner: QRect, words: str, flags: int) -> None:
        name = "up" if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else "down"
        wide = painter.fontMetrics().horizontalAdvance(words)
        x = inner.right() - wide - 14 if flags & Qt.AlignmentFlag.AlignRight.value else inner.x() + wide + 4
        arrow = pixmap(name, current().t2, 10, painter.device().devicePixelRatioF())
        painter.drawPixmap(QRect(x, inner.center().y() - 4, 10, 10), arrow)


class Table(QTableView):
    """Rows of one height; `pointed(row)` says which one the pointer is over, -1 for none."""

    pointed = Signal(int)
    menu_wanted = Signal(QPoint)

    def __init__(self, model: QAbstractItemModel, *, row: int = tokens.ROW, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered = -1
        self.setHorizontalHeader(Header(self))
        self.setModel(model)
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
        self.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(self.viewport().mapToGlobal(at)))

    def rows_chosen(self) -> list[int]:
        """Rows chosen by mouse or keyboard, ascending."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

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


def paint_ground(painter: QPainter, rect: QRect, index: QModelIndex, *, active: bool, hovered: bool) -> None:
    """The ground of one cell: bg3 and an ink bar at the left for an active row."""
    t = current()
    if active or hovered:
        painter.fillRect(rect, QColor(t.bg3 if active else t.bg2))
    painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, QColor(t.line))
    if active and index.column() == 0:
        painter.fillRect(rect.x(), rect.y(), 2, rect.height(), QColor(t.ink))


def paint_words(painter: QPainter, rect: QRect, words: str, *, align: Qt.AlignmentFlag = LEFT, weight: int = 400,
                px: int = tokens.PX_BODY, color: str = "t1", whole_start: bool = False) -> None:
    """One line of text, shortened in the middle where it must be; at its end where the start matters most."""
    painter.setFont(font(px, weight))
    painter.setPen(QColor(getattr(current(), color, color)))
    where = Qt.TextElideMode.ElideRight if whole_start else Qt.TextElideMode.ElideMiddle
    words = painter.fontMetrics().elidedText(words, where, rect.width())
    painter.drawText(rect, int(align), words)


def paint_interval(painter: QPainter, rect: QRect, ends: tuple[float, float], *, best: float | None = None) -> None:
    """The interval of a number 0..1 as a part of a thin line. best : what it could be at most, a mark across it."""
    t, middle = current(), rect.center().y()
    painter.fillRect(rect.x(), middle, rect.width(), 1, QColor(t.line2))
    low, high = (round(min(max(end, 0.0), 1.0) * (rect.width() - 1)) for end in ends)
    painter.fillRect(rect.x() + low, middle - 1, max(high - low, 2), 3, QColor(t.t2))
    if best is not None:
        at = rect.x() + round(min(max(best, 0.0), 1.0) * (rect.width() - 2))
        painter.fillRect(at, middle - 4, 2, 9, QColor(t.acc))


def paint_bar(painter: QPainter, rect: QRect, share: float, *, color: QColor | str = "", high: int = 4,
              is_round: bool = True) -> None:
    """A share 0..1 as a bar in its track."""
    t = current()
    share = min(max(share, 0.0), 1.0)
    track = QRect(rect.x(), rect.center().y() - (high - 1) // 2, rect.width(), high)
    radius, least = (high / 2, high) if is_round else (0, 0)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.bg4))
        painter.drawRoundedRect(track, radius, radius)
        if share > 0:
            painter.setBrush(QColor(color or t.t2))
            done = QRect(track.x(), track.y(), max(round(track.width() * share), least), high)
            painter.drawRoundedRect(done, radius, radius)
