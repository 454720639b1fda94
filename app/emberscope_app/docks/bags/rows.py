"""Bags as rows: what is known of each, computed once as arrays; the table's model and how its cells are painted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import bag_name, label_of_bag
from emberscope.findings.coloring import class_slots
from emberscope.labels import kind
from emberscope.project import Project, Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.plain import tip
from emberscope_app.state.core.best_first import best_first
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current
from emberscope_app.theme.table import LEFT, RIGHT, Table, paint_bar, paint_ground, paint_words
from emberscope_app.words import LABEL_TITLES, counted, percent, spaced, verb

BARS = 22
SMALL = 4          # instances; fewer leave the witness little choice
COLUMNS = ("Bag", "Witness score", "Size", "Purity", "Source")
WIDTHS = (72, 100, 52, 62, 56)  # px; the last takes what is left
LEFT_OUT = (3, 2)  # columns that go in a narrow dock, in this order
Index = QModelIndex | QPersistentModelIndex
_ASKING = Qt.ItemDataRole.AccessibleTextRole
PURITY = "Share of the instances whose score agrees with the label of the bag"


@dataclass(frozen=True, slots=True)
class BagRows:
    """Row k is bag k. Arrays are (K,) unless said otherwise; NaN where no run has scored the instances.

    spark : (K, BARS) float32, scores from the highest down, NaN beyond the size. witness : row of the instance with
    the highest score, the first one where there is no score. conflicts : instances that lie in a bag of the other sign.
    """

    instances: Instances
    index: RowIndex
    bags: Bags
    slots: NDArray[np.uint8]
    top: NDArray[np.float32]
    purity: NDArray[np.float32]
    spark: NDArray[np.float32]
    witness: NDArray[np.int64]
    conflicts: NDArray[np.int64]
    kinds: list[str]
    small: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.bags)

    def ids_of(self, bags: NDArray | list[int]) -> NDArray[np.int64]:
        """Instance ids of bags."""
        rows = [self.bags.of(int(k)) for k in bags]
        return self.instances.ids[np.concatenate(rows)] if rows else np.empty(0, np.int64)

    def wholly(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(K,) True where all instances of a bag are among `ids`."""
        return self._count(self.index.flags(ids)) == self.bags.sizes if len(self) else np.zeros(0, bool)

    def touched(self, instance: int | None) -> NDArray[np.bool_]:
        """(K,) True where a bag has this instance."""
        row = self.index.row(instance)
        found = np.zeros(len(self), bool)
        found[self.bags.bag_of_member[self.bags.members == row]] = row >= 0
        return found

    def _count(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.bags.bag_of_member, weights=flags[self.bags.members], minlength=len(self)).astype(int)


def rows_of_run(project: Project, run: Run) -> BagRows:
    """The bags of a run with what it scored."""
    chip = run.recipe.bags.level == "chip"
    ranks, votes = witness_scores(project, run), run.point_scores.get("score")
    return _rows(project, run.instances, run.bags, ranks, votes, chip=chip)


def rows_of_labels(session: Session) -> BagRows | None:
    """The bags that a run would make of the labels now; no scores. None until they are made (see `LabelBags.made`)."""
    project, made = session.project, label_bags(session).made
    if made is None:
        return None
    return _rows(project, made.instances, made.bags, None, None, chip=project.recipe.bags.level == "chip")


def _rows(
    project: Project, instances: Instances, bags: Bags, ranks: NDArray | None, votes: NDArray | None, *, chip: bool
) -> BagRows:
    """`ranks` order a bag and find its witness, `votes` say how pure it is."""
    unknown = np.full(len(instances), np.nan, np.float32)
    values = unknown if ranks is None else np.asarray(ranks, np.float32)
    says = unknown if votes is None else np.asarray(votes, np.float32)
    of_bag, member = bags.bag_of_member, bags.members
    order = best_first(values[member], of_bag)
    ranked = values[member[order]]
    first = np.minimum(bags.indptr[:-1], max(len(member) - 1, 0))
    conflict = np.zeros(len(instances), bool)
    conflict[bags.conflicts(len(instances))] = True
    agrees = np.where(bags.labels[of_bag] > 0, says[member] >= 0.5, says[member] < 0.5).astype(float)
    sizes = np.maximum(bags.sizes, 1)
    purity = np.bincount(of_bag, weights=agrees, minlength=len(bags)) / sizes
    spark = _spark(ranked, first, bags.sizes)
    scored = np.bincount(of_bag, weights=np.isfinite(says[member]), minlength=len(bags)) > 0
    return BagRows(
        instances, RowIndex(instances), bags, class_slots(project, bags.classes),
        spark[:, 0],
        np.where(scored & (bags.labels != 0), purity, np.nan).astype(np.float32),
        spark,
        member[order][first] if len(member) else np.empty(0, np.int64),
        np.bincount(of_bag, weights=conflict[member], minlength=len(bags)).astype(np.int64),
        [_kind(project, int(key)) for key in bags.ids],
        (bags.sizes < SMALL) & (not chip),
    )


def _spark(ranked: NDArray, first: NDArray, sizes: NDArray) -> NDArray[np.float32]:
    """(K, BARS) every n-th of the ranked scores where a bag has more than BARS."""
    step = np.arange(BARS)
    rank = np.where(sizes[:, None] > BARS, step * (sizes[:, None] - 1) // (BARS - 1), step)
    there = rank < sizes[:, None]
    if not len(ranked):
        return np.full((len(sizes), BARS), np.nan, np.float32)
    found = ranked[np.minimum(first[:, None] + rank, len(ranked) - 1)]
    return np.where(there, found, np.nan).astype(np.float32)


def _kind(project: Project, bag: int) -> str:
    label = label_of_bag(bag)
    return kind(project.labels[label]) if label in project.labels else ""


class BagModel(QAbstractTableModel):
    """Rows in a sorted and filtered order: `order[i]` is the bag in table row i."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: BagRows | None = None
        self.order = np.empty(0, np.int64)
        self.chosen = np.zeros(0, bool)   # by bag: all its instances are selected
        self.pointed = np.zeros(0, bool)  # by bag: it has the instance pointed at
        self.only: NDArray[np.bool_] | None = None
        self._column, self._direction = 1, Qt.SortOrder.DescendingOrder

    def show_rows(self, rows: BagRows | None, only: NDArray[np.bool_] | None = None) -> None:
        """Other bags, or others of them."""
        self.beginResetModel()
        self.rows, self.only = rows, only
        count = len(rows) if rows is not None else 0
        self.chosen, self.pointed = np.zeros(count, bool), np.zeros(count, bool)
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._direction = column, order
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.layoutChanged.emit()

    def row_of(self, bag: int) -> int:
        """Table row of a bag number, -1 where it is filtered out."""
        found = np.flatnonzero(self.order == bag)
        return int(found[0]) if len(found) else -1

    def _arrange(self) -> None:
        if self.rows is None:
            self.order = np.empty(0, np.int64)
            return
        key = self._key(self.rows)
        down = self._direction == Qt.SortOrder.DescendingOrder
        key = np.where(np.isfinite(key), -key if down else key, np.inf)  # those without a number last, both ways
        order = np.argsort(key, kind="stable")
        self.order = order if self.only is None else order[self.only[order]]

    def _key(self, rows: BagRows) -> NDArray[np.float64]:
        if self._column == 0:
            return rows.bags.ids.astype(float)
        if self._column == 4:
            _, index = np.unique(rows.kinds, return_inverse=True)
            return index.astype(float)
        return (rows.top, rows.bags.sizes, rows.purity)[self._column - 1].astype(float)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section == 2:
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and section == 3:
            return PURITY
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, _ASKING, Qt.ItemDataRole.ToolTipRole) and self.rows is not None:
            words = self._words(self.rows, int(self.order[index.row()]), index.column(), in_full=role != 0)
            return tip(words) if role == Qt.ItemDataRole.ToolTipRole else words
        return None

    def _words(self, rows: BagRows, k: int, column: int, *, in_full: bool) -> str:
        if column == 0:
            return bag_name(int(rows.bags.ids[k]))
        if column == 1:
            return f"{rows.top[k]:.2f}" if np.isfinite(rows.top[k]) else ""
        if column == 2:
            return counted(rows.bags.sizes[k], "instance") if in_full else spaced(int(rows.bags.sizes[k]))
        if column == 3:
            return percent(float(rows.purity[k])) if np.isfinite(rows.purity[k]) else ""
        return self._about(rows, k)

    def _about(self, rows: BagRows, k: int) -> str:
        words = [LABEL_TITLES[rows.kinds[k]].capitalize() if rows.kinds[k] else "The label was removed"]
        if rows.small[k]:
            size = int(rows.bags.sizes[k])
            words.append(f"{counted(size, 'instance')} {verb(size, 'leave')} little choice")
        if rows.conflicts[k]:
            both = int(rows.conflicts[k])
            words.append(f"{counted(both, 'instance')} {verb(both, 'lie')} in a bag of the other sign too")
        return ", ".join(words)


class BagDelegate(QStyledItemDelegate):
    """Paints glyph and number, sparkline, size, purity bar, icon of the label and badge."""

    def __init__(self, model: BagModel, table: Table) -> None:
        super().__init__(table)
        self._model, self._table = model, table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, rect = self._model, QRect(option.rect)  # type: ignore[attr-defined]
        rows, k = model.rows, int(model.order[index.row()])
        if rows is None:
            return
        hovered = bool(model.pointed[k]) or self._table.hovered == index.row()
        paint_ground(painter, rect, index, active=bool(model.chosen[k]), hovered=hovered)  # type: ignore[arg-type]
        (self._paint_name, self._paint_spark, self._paint_size, self._paint_purity, self._paint_source)[index.column()](
            painter, rect, rows, k
        )

    def _paint_name(self, painter: QPainter, rect: QRect, rows: BagRows, k: int) -> None:
        paint_glyph(painter, int(rows.slots[k]), QPointF(rect.x() + tokens.PAD + 5, rect.center().y() + 0.5), 4.5)
        words = rect.adjusted(tokens.PAD + 20, 0, -2, 0)
        paint_words(painter, words, bag_name(int(rows.bags.ids[k])), weight=500)

    def _paint_spark(self, painter: QPainter, rect: QRect, rows: BagRows, k: int) -> None:
        t, base, high = current(), rect.bottom() - 6, rect.height() - 11
        for i, value in enumerate(rows.spark[k].tolist()):
            if value == value:
                tall = max(round(value * high), 1)
                color = t.class_color(int(rows.slots[k])) if i == 0 else QColor(t.edge)
                painter.fillRect(QRect(rect.x() + 6 + 3 * i, base - tall + 1, 2, tall), color)

    def _paint_size(self, painter: QPainter, rect: QRect, rows: BagRows, k: int) -> None:
        color, words = "warn" if rows.small[k] else "t1", spaced(int(rows.bags.sizes[k]))
        paint_words(painter, rect.adjusted(0, 0, -6, 0), words, align=RIGHT, weight=500, color=color)

    def _paint_purity(self, painter: QPainter, rect: QRect, rows: BagRows, k: int) -> None:
        if np.isfinite(rows.purity[k]):
            paint_bar(painter, rect.adjusted(8, 0, -12, 0), float(rows.purity[k]))

    def _paint_source(self, painter: QPainter, rect: QRect, rows: BagRows, k: int) -> None:
        t, ratio, y = current(), painter.device().devicePixelRatioF(), rect.center().y() - 7
        warns, for_both = bool(rows.small[k] or rows.conflicts[k]), rect.width() >= 48
        if warns and not for_both:
            painter.drawPixmap(QRect(rect.x() + 8, y, 16, 16), pixmap("warn", t.warn, 16, ratio))
            return
        if rows.kinds[k]:
            painter.drawPixmap(QRect(rect.x() + 8, y, 16, 16), pixmap(rows.kinds[k], t.t2, 16, ratio))
        else:
            paint_words(painter, rect.adjusted(12, 0, 0, 0), "–", align=LEFT, color="t3")
        if warns:
            painter.drawPixmap(QRect(rect.x() + 32, y, 16, 16), pixmap("warn", t.warn, 16, ratio))
