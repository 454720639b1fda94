"""Bags as rows: what is known of each, computed once as arrays; the table's model and its cells."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import bag_name, label_of_bag
from emberscope.findings.coloring import class_slots
from emberscope.labels import kind
from emberscope.labels.columns import Column as Known
from emberscope.project import Project, Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Cell,
    Glyph,
    Ground,
    Icon,
    Line,
    Row,
    Spark,
    Spot,
    Words,
    line,
)
from emberscope_app.lists.model import Column, RowModel
from emberscope_app.state.core.best_first import best_first
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.label_bags import label_bags
from emberscope_app.theme.look import current
from emberscope_app.words import LABEL_TITLES, counted, percent, spaced, verb

BARS = 22
SMALL = 4          # instances; fewer leave the witness little choice
WIDTHS = (72, 100, 52, 62, 56)  # px; the last takes what is left
LEFT_OUT = (3, 2)  # columns that go in a narrow dock, in this order
PURITY = "Share of the instances whose score agrees with the label of the bag"
COLUMNS = (
    Column("Bag"),
    Column("Witness score"),
    Column("Size", numbers=True),
    Column("Purity", about=PURITY),
    Column("Source"),
)
_BOTH = 48  # px of the last column from which it holds two icons


@dataclass(frozen=True, slots=True)
class BagRows:
    """Row k is bag k. Arrays are (K,) unless said otherwise; NaN where no run has scored the
    instances.

    spark : (K, BARS) float32, scores from the highest down, NaN beyond the size. witness : row of
    the instance with the highest score, the first one where there is no score. conflicts :
    instances that lie in a bag of the other sign.
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
        return (
            self._count(self.index.flags(ids)) == self.bags.sizes
            if len(self)
            else np.zeros(0, bool)
        )

    def some_of(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(K,) True where a bag has one of these instances (N,)."""
        return self._count(rows) > 0 if len(self) else np.zeros(0, bool)

    def touched(self, instance: int | None) -> NDArray[np.bool_]:
        """(K,) True where a bag has this instance."""
        row = self.index.row(instance)
        found = np.zeros(len(self), bool)
        found[self.bags.bag_of_member[self.bags.members == row]] = row >= 0
        return found

    def _count(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(
            self.bags.bag_of_member, weights=flags[self.bags.members], minlength=len(self)
        ).astype(int)


def rows_of_run(project: Project, run: Run) -> BagRows:
    """The bags of a run with what it scored."""
    chip = run.recipe.bags.level != "instance"
    ranks, votes = witness_scores(project, run), run.point_scores.get("score")
    return _rows(project, run.instances, run.bags, ranks, votes, chip=chip)


def rows_of_labels(session: Session) -> BagRows | None:
    """The bags that a run would make of the labels now; no scores. None until they are made (see
    `LabelBags.made`)."""
    project, made = session.project, label_bags(session).made
    if made is None:
        return None
    return _rows(
        project, made.instances, made.bags, None, None, chip=project.recipe.bags.level != "instance"
    )


def _rows(
    project: Project,
    instances: Instances,
    bags: Bags,
    ranks: NDArray | None,
    votes: NDArray | None,
    *,
    chip: bool,
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
    agrees = np.where(bags.labels[of_bag] > 0, says[member] >= 0.5, says[member] < 0.5).astype(
        float
    )
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


class BagModel(RowModel[int]):
    """Bags in a sorted and filtered order: `order[i]` is the number of the bag in table row i."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bags: BagRows | None = None
        self.order = np.empty(0, np.int64)
        self.chosen = np.zeros(0, bool)   # by bag: all its instances are selected
        self.pointed = np.zeros(0, bool)  # by bag: it has the instance pointed at
        self.only: NDArray[np.bool_] | None = None
        self._column, self._direction = 1, Qt.SortOrder.DescendingOrder
        self.by: Known | None = None  # in place of what the header says
        self._highest_first = False  # by it

    def show_bags(self, bags: BagRows | None, only: NDArray[np.bool_] | None = None) -> None:
        """Other bags, or others of them."""
        self.beginResetModel()
        self.bags, self.only = bags, only
        if self.by is not None and len(self.by.values) != (len(bags) if bags is not None else 0):
            self.by = None  # of other bags
        count = len(bags) if bags is not None else 0
        self.chosen, self.pointed = np.zeros(count, bool), np.zeros(count, bool)
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._direction, self.by = column, order, None
        self._arrange_again()

    def sort_by(self, known: Known | None, *, highest_first: bool = False) -> None:
        """Put bags in the order of a column of what is known of them, those without a value last;
        None: as the header says."""
        self.by, self._highest_first = known, highest_first
        self._arrange_again()

    def _arrange_again(self) -> None:
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.layoutChanged.emit()

    def row_of(self, bag: int) -> int:
        """Table row of a bag number, -1 where it is filtered out."""
        found = np.flatnonzero(self.order == bag)
        return int(found[0]) if len(found) else -1

    def _arrange(self) -> None:
        self.order = np.empty(0, np.int64)
        if self.bags is not None:
            key = self._key(self.bags)
            down = self._direction == Qt.SortOrder.DescendingOrder
            down = down if self.by is None else self._highest_first
            # Those without a number last, both ways
            key = np.where(np.isfinite(key), -key if down else key, np.inf)
            order = np.argsort(key, kind="stable")
            self.order = order if self.only is None else order[self.only[order]]
        self.rows = self.order.tolist()

    def _key(self, rows: BagRows) -> NDArray[np.float64]:
        if self.by is not None:
            return self.by.values
        if self._column == 0:
            return rows.bags.ids.astype(float)
        if self._column == 4:
            _, index = np.unique(rows.kinds, return_inverse=True)
            return index.astype(float)
        return (rows.top, rows.bags.sizes, rows.purity)[self._column - 1].astype(float)

    def words(self, k: int, column: int) -> str:
        return (
            self._words(k, column, str(spaced(int(self.bags.bags.sizes[k]))))
            if self.bags is not None
            else ""
        )

    def spoken(self, k: int, column: int) -> str:
        return (
            self._words(k, column, counted(self.bags.bags.sizes[k], "instance"))
            if self.bags is not None
            else ""
        )

    def tip(self, k: int, column: int) -> str:
        known = f"{self.by.name}: {self.by.words(self.by.values[k])}" if self.by is not None else ""
        return "\n".join(filter(None, (self.spoken(k, column), known)))

    def _words(self, k: int, column: int, size: str) -> str:
        rows = self.bags
        assert rows is not None
        if column == 0:
            return bag_name(int(rows.bags.ids[k]))
        if column == 1:
            return f"{rows.top[k]:.2f}" if np.isfinite(rows.top[k]) else ""
        if column == 2:
            return size
        if column == 3:
            return percent(float(rows.purity[k])) if np.isfinite(rows.purity[k]) else ""
        return about(rows, k)

    def row(self, k: int, spot: Spot) -> Row:
        """Sign and number, sparkline, size, purity, icon of the label and a warning."""
        rows = self.bags
        assert rows is not None
        ground = Ground(
            active=bool(self.chosen[k]), hovered=spot.hovered or bool(self.pointed[k]), rule=0
        )
        return Row((_CELLS[spot.column](rows, k, spot),), ground)


def about(rows: BagRows, k: int) -> str:
    """What kind of label a bag is made of, and what is odd about it."""
    words = [LABEL_TITLES[rows.kinds[k]].capitalize() if rows.kinds[k] else "The label was removed"]
    if rows.small[k]:
        size = int(rows.bags.sizes[k])
        words.append(f"{counted(size, 'instance')} {verb(size, 'leave')} little choice")
    if rows.conflicts[k]:
        both = int(rows.conflicts[k])
        words.append(
            f"{counted(both, 'instance')} {verb(both, 'lie')} in a bag of the other sign too"
        )
    return ", ".join(words)


def _name(rows: BagRows, k: int, spot: Spot) -> Line:
    name = bag_name(int(rows.bags.ids[k]))
    return line(
        Glyph(int(rows.slots[k]), wide=10), Words(name, weight=500, wide=REST, before=10), right=2
    )


def _spark_line(rows: BagRows, k: int, spot: Spot) -> Line:
    return line(
        Spark(tuple(rows.spark[k].tolist()), current().classes[int(rows.slots[k])]), left=6, right=0
    )


def _size(rows: BagRows, k: int, spot: Spot) -> Line:
    color, words = "warn" if rows.small[k] else "t1", spaced(int(rows.bags.sizes[k]))
    return line(Words(words, weight=500, color=color, align=RIGHT, wide=REST), left=0, right=6)


def _purity(rows: BagRows, k: int, spot: Spot) -> Line:
    known = np.isfinite(rows.purity[k])
    return line(*((Bar(float(rows.purity[k]), wide=REST),) if known else ()), left=8)


def _source(rows: BagRows, k: int, spot: Spot) -> Line:
    warns = bool(rows.small[k] or rows.conflicts[k])
    sign: Cell = (
        Icon(rows.kinds[k]) if rows.kinds[k] else Words("\u2013", color="t3", wide=12, before=4)
    )
    warn = Icon("warn", "warn", before=8)
    if warns and spot.width < _BOTH:
        return line(Icon("warn", "warn"), left=8, right=0)
    return line(sign, *((warn,) if warns else ()), left=8, right=0)


_CELLS = (_name, _spark_line, _size, _purity, _source)
