"""The method list of the Run dock: methods as rows, those that lack labels locked."""


from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from emberscope_app.guard import saved
from emberscope_app.plain import tip
from emberscope_app.state.runs.method_choices import Choice
from emberscope_app.theme import tokens
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font
from emberscope_app.theme.table import paint_words

Index = QModelIndex | QPersistentModelIndex
CHOICE = Qt.ItemDataRole.UserRole


class _Choices(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Choice] = []

    def show(self, rows: list[Choice]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        fits = index.isValid() and not self.rows[index.row()].missing
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if fits else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        choice = self.rows[index.row()]
        if role == CHOICE:
            return choice
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{choice.title}, {choice.about}"
        return tip(choice.method.summary) if role == Qt.ItemDataRole.ToolTipRole else None


class _Rows(QStyledItemDelegate):
    """Radio, title, second line; `suggested` as a tag, a lock where something is missing."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, tokens.METHOD_ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, choice, rect = current(), index.data(CHOICE), QRect(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        row = rect.adjusted(8, 1, -8, -1)
        if chosen or (state & QStyle.StateFlag.State_MouseOver and not choice.missing):
            painter.fillRect(row, QColor(t.bg3 if chosen else t.bg2))
        if chosen:
            painter.fillRect(row.x(), row.y(), 2, row.height(), QColor(t.ink))
        self._paint_radio(painter, QPointF(rect.x() + 26, rect.center().y()), chosen, bool(choice.missing))
        right = rect.right() - 20 - (self._paint_tag(painter, rect, chosen) if choice.suggested else 0)
        if choice.missing:
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(QRect(right - 14, rect.center().y() - 7, 14, 14), pixmap("lock", t.t3, 14, ratio))
            right -= 20
        left, faint = rect.x() + 42, bool(choice.missing)
        paint_words(painter, QRect(left, rect.y() + 5, right - left, 17), choice.title, weight=600,
                    color="t3" if faint else "t1")
        second = QRect(left, rect.y() + 22, rect.right() - 16 - left, 16)
        paint_words(painter, second, choice.about, px=tokens.PX_SMALL, color="t3" if faint else "t2")

    def _paint_radio(self, painter: QPainter, center: QPointF, chosen: bool, faint: bool) -> None:
        t = current()
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(t.ink if chosen else t.line2 if faint else t.edge), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(center, 6.5, 6.5)
            if chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.ink))
                painter.drawEllipse(center, 3.5, 3.5)

    def _paint_tag(self, painter: QPainter, rect: QRect, chosen: bool) -> int:
        t = current()
        wide = QFontMetrics(font(tokens.PX_SMALL)).horizontalAdvance("suggested") + 12
        tag = QRect(rect.right() - 16 - wide, rect.y() + 5, wide, 17)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.bg1 if chosen else t.bg3))
            painter.drawRoundedRect(tag, tokens.RADIUS_TAG, tokens.RADIUS_TAG)
        paint_words(painter, tag, "suggested", align=Qt.AlignmentFlag.AlignCenter, px=tokens.PX_SMALL, color="t2")
        return wide


class MethodList(QListView):
    """All methods at once; `chosen` carries the id the person took."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Choices(self)
        self._quiet = False
        self.setModel(self._model)
        self.setItemDelegate(_Rows(self))
        self.setMouseTracking(True)
        self.setAccessibleName("Method")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current)

    @property
    def rows(self) -> list[Choice]:
        return self._model.rows

    @property
    def method(self) -> str:
        """Id of the method that is taken, "" for none."""
        choice = self.currentIndex().data(CHOICE)
        return choice.method.id if choice is not None else ""

    def show_choices(self, rows: list[Choice], method_id: str) -> None:
        """The methods, one of them taken."""
        self._quiet = True
        if rows != self._model.rows:
            self._model.show(rows)
            self.setFixedHeight(len(rows) * tokens.METHOD_ROW)
        at = next((i for i, c in enumerate(rows) if c.method.id == method_id), -1)
        if at >= 0:
            self.setCurrentIndex(self._model.index(at, 0))
        self._quiet = False

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and not self._quiet:
            self.chosen.emit(index.data(CHOICE).method.id)
