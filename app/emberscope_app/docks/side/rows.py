"""A row per record of side information: its two chips, what it says, and whether others contradict it."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from emberscope.base.ids import instance_name
from emberscope.labels.side_info import Pair, SideRecord, instances_of
from emberscope.project import Run
from emberscope_app.chips.delegate import paint_chip, paint_ring
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.plain import tip
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.side import PAIR_KEYS, record_about, record_words
from emberscope_app.theme import tokens
from emberscope_app.theme.table import Table, paint_ground, paint_words

ROW, CHIP, _GAP = 48, 32, 4  # px
_PANELS = frozenset({*PAIR_KEYS, Qt.Key.Key_Delete, Qt.Key.Key_Backspace})
Index = QModelIndex | QPersistentModelIndex


class RecordModel(QAbstractTableModel):
    """Records, the newest first. `wrong`: ids of those that contradict each other."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.records: list[SideRecord] = []
        self.wrong: set[int] = set()

    def show_records(self, records: list[SideRecord], wrong: set[int]) -> None:
        self.beginResetModel()
        self.records, self.wrong = records, wrong
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.records)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        record = self.records[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return record_words(record)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self.words(record))
        return self.words(record) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def words(self, record: SideRecord) -> str:
        """All of it: "Record 12: Same, chips 243276 and 118920, vehicle type, contradicted"."""
        names = [instance_name(i) for i in instances_of(record)[:2]]
        chips = f"chips {' and '.join(names)}" if len(names) == 2 else ""
        wrong = "contradicted by others" if record.id in self.wrong else ""
        parts = (record_words(record), chips, record_about(record), wrong)
        return f"Record {record.id}: {', '.join(part for part in parts if part)}"


class RecordTable(Table):
    """The records."""

    def __init__(self, session: Session, model: RecordModel) -> None:
        super().__init__(model, row=ROW)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.delegate = RecordDelegate(session, model, self)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Side information")
        chip_cache(session).ready.connect(self.viewport().update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters and Delete are the panel's: they do not look for a row that begins with them."""
        if Qt.Key(event.key()) in _PANELS and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


class RecordDelegate(QStyledItemDelegate):
    """Paints a record."""

    def __init__(self, session: Session, model: RecordModel, table: Table) -> None:
        super().__init__(table)
        self._session, self._model, self._table = session, model, table
        self.index = RowIndex(None)  # of the run whose chips stand beside the records

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect, record = QRect(option.rect), self._model.records[index.row()]  # type: ignore[attr-defined]
        active = self._table.selectionModel().isRowSelected(index.row(), QModelIndex())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        paint_ground(painter, rect, index, active=active,  # type: ignore[arg-type]
                     hovered=index.row() == self._table.hovered)
        top = rect.y() + (ROW - CHIP) // 2
        for at, instance in enumerate(instances_of(record)[:2]):
            place = QRect(rect.x() + tokens.PAD + at * (CHIP + _GAP), top, CHIP, CHIP)
            self._paint_chip(painter, place, instance)
        left = rect.x() + tokens.PAD + 2 * (CHIP + _GAP) + 8
        wide = rect.right() - tokens.PAD - left
        wrong = record.id in self._model.wrong
        about = ", ".join(filter(None, ("contradicted" if wrong else "", record_about(record))))
        color = "err" if isinstance(record, Pair) and not record.same else "ok" if isinstance(record, Pair) else "t1"
        high = rect.y() + (6 if about else 14)
        paint_words(painter, QRect(left, high, wide, 20), record_words(record), weight=600, color=color)
        if about:
            paint_words(painter, QRect(left, rect.y() + 26, wide, 16), about, px=tokens.PX_SMALL,
                        color="warn" if wrong else "t2", whole_start=True)

    def _paint_chip(self, painter: QPainter, place: QRect, instance: int) -> None:
        """The chip, where the run on show has it; a gray square elsewhere."""
        run, row = self.index.of, self.index.row(instance)
        if not isinstance(run, Run) or row < 0:
            paint_chip(painter, place, None)
            return
        failed = int(run.source[row]) in chip_cache(self._session).errors
        paint_chip(painter, place, chip_image(self._session, run, row, CHIP), failed=failed)
        paint_ring(painter, place, selected=False, hovered=instance == self._session.selection.hover, cursor=False)
