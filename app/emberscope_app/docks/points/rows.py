"""Instances of point sets as rows: what is known of each, computed once as arrays; the model of the
table and its cells."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from emberscope.bags.make import MadeBags
from emberscope.base.ids import bag_name, instance_name, label_of_bag
from emberscope.findings.coloring import class_slots
from emberscope.labels.model import UNKNOWN
from emberscope.project import Project, Recipe, Run
from emberscope.project.model.witness import witness_scores
from emberscope_app.lists.cells import (
    REST,
    RIGHT,
    Bar,
    Glyph,
    Ground,
    Line,
    Picture,
    Row,
    Spot,
    Words,
    line,
)
from emberscope_app.lists.model import Column, RowModel
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.classes import class_title

WIDTHS = (150, 92, 72, 176, 104, 84)  # px; the last takes what is left
BY_HAND = "by hand"
_VALUES = "Features from left to right: pale is high, dark is low, against all rows of the file"
COLUMNS = (
    Column("Features", about=_VALUES),
    Column("Instance"),
    Column("Bag"),
    Column("Class"),
    Column("Score", about="How target-like the run on show finds it, from 0 to 1"),
    Column("Novelty", numbers=True, about=(
        "Distance to the nearest instance of another bag that taught the run on show: above 1 it "
        "is farther than 99 % of these are from each other")),
)


@dataclass(frozen=True, slots=True)
class PointRows:
    """Row n is instance n of the bags that the labels make now. Arrays are (N,).

    bag : ids of the first bag of each. classes : ids of classes, by a mark or else by the bag, 0
    for none, -1 for one that is left out. marked : whether a mark says so. score, novelty : NaN
    where no run has them.
    """

    made: MadeBags
    recipe: Recipe
    index: RowIndex
    bag: NDArray[np.int64]
    classes: NDArray[np.int64]
    slots: NDArray[np.uint8]
    marked: NDArray[np.bool_]
    score: NDArray[np.float64]
    novelty: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.made.instances)

    @property
    def ids(self) -> NDArray[np.int64]:
        """(N,) ids of the instances."""
        return self.made.instances.ids

    @property
    def source(self) -> NDArray[np.int64]:
        """(N,) ids of their sources."""
        return self.made.instances.source

    @property
    def frame(self) -> NDArray[np.int32]:
        """(N,) numbers of their bags in the file."""
        return self.made.instances.frame

    @property
    def box(self) -> NDArray[np.float32]:
        """(N, 4) which row of the bag they are."""
        return self.made.instances.box


def rows_of(project: Project, made: MadeBags, run: Run | None) -> PointRows:
    """The instances of the labels as they are now, with what a run says of them."""
    ids, n = made.instances.ids, len(made.instances)
    first = made.bags.first_bag(n)
    bag = np.where(first >= 0, made.bags.ids[first], -1) if len(made.bags) else first
    classes = np.where(first >= 0, made.bags.classes[first], UNKNOWN) if len(made.bags) else first
    marks = project.marks.of(ids)
    marked = marks >= 0
    classes = np.where(marked, marks, classes)
    return PointRows(
        made, project.recipe, RowIndex(made.instances), bag, classes,
        class_slots(project, classes), marked,
        _of_run(ids, run, None if run is None else witness_scores(project, run)),
        _of_run(ids, run, None if run is None else run.point_scores.get("novelty")),
    )  # fmt: skip


def _of_run(
    ids: NDArray[np.int64], run: Run | None, values: NDArray | None
) -> NDArray[np.float64]:
    """Numbers of the instances of a run, for instances as they are now."""
    out = np.full(len(ids), np.nan)
    if run is None or values is None or not len(run.ids):
        return out
    order = np.argsort(run.ids)
    at = order[np.minimum(np.searchsorted(run.ids, ids, sorter=order), len(order) - 1)]
    return np.where(run.ids[at] == ids, values[at], np.nan)


class PointModel(RowModel[int]):
    """Instances in a sorted and filtered order: `order[i]` is the instance in table row i."""

    columns = COLUMNS

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.points: PointRows | None = None
        self.order = np.empty(0, np.int64)
        self.chosen = np.zeros(0, bool)  # by instance: it is selected
        self.pointed = -1
        self.only: NDArray[np.bool_] | None = None
        self._column, self._direction = 2, Qt.SortOrder.AscendingOrder

    def show_points(self, points: PointRows | None, only: NDArray[np.bool_] | None = None) -> None:
        """Other instances, or others of them."""
        self.beginResetModel()
        self.points, self.only = points, only
        self.chosen, self.pointed = np.zeros(0 if points is None else len(points), bool), -1
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._direction = column, order
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.layoutChanged.emit()

    def place_of(self, instance: int) -> int:
        """Table row of an instance (its row of the arrays), -1 where it is filtered out."""
        found = np.flatnonzero(self.order == instance)
        return int(found[0]) if len(found) else -1

    def _arrange(self) -> None:
        self.order = np.empty(0, np.int64)
        if self.points is not None:
            key = self._key(self.points).astype(np.float64)
            down = self._direction == Qt.SortOrder.DescendingOrder
            # Those without a number last, both ways
            key = np.where(np.isfinite(key), -key if down else key, np.inf)
            order = np.argsort(key, kind="stable")
            self.order = order if self.only is None else order[self.only[order]]
        self.rows = self.order  # type: ignore[assignment]  # a list of 100 000 takes long

    def _key(self, points: PointRows) -> NDArray:
        place = np.arange(len(points))
        return (place, points.ids % 1_000_000, points.bag, points.classes,
                points.score, points.novelty)[self._column]

    def words(self, n: int, column: int) -> str:
        points = self.points
        if points is None or column == 0:
            return ""
        if column == 1:
            return instance_name(int(points.ids[n]))
        if column == 2:
            return bag_name(int(points.bag[n])) if points.bag[n] >= 0 else ""
        if column == 3:
            return self.class_words(n)
        value = float((points.score if column == 4 else points.novelty)[n])
        return f"{value:.2f}" if np.isfinite(value) else ""

    def class_words(self, n: int) -> str:
        """The class of an instance, and whether somebody said so of it alone."""
        assert self.points is not None
        name = class_title(self._session.project, int(self.points.classes[n]))
        return f"{name}, {BY_HAND}" if self.points.marked[n] else name

    def spoken(self, n: int, column: int) -> str:
        title = COLUMNS[column].title
        return f"{title} {self.words(n, column)}" if column else title

    def label_of(self, n: int) -> int:
        """Id of the label that the bag of an instance is made of."""
        assert self.points is not None
        return label_of_bag(int(self.points.bag[n]))

    def row(self, n: int, spot: Spot) -> Row:
        """A strip of values, the names of instance and bag, the class, the score."""
        assert self.points is not None
        ground = Ground(
            active=bool(self.chosen[n]), hovered=spot.hovered or n == self.pointed, rule=0
        )
        return Row((self._cell(self.points, n, spot),), ground)

    def _cell(self, points: PointRows, n: int, spot: Spot) -> Line:
        if spot.column == 0:
            cache = chip_cache(self._session)
            image = cache.get(points, n, spot.width)
            failed = int(points.source[n]) in cache.errors
            return line(Picture(image, failed=failed, wide=REST, high=14), left=12, right=6)
        if spot.column == 3:
            return line(
                Glyph(int(points.slots[n]), wide=10),
                Words(self.class_words(n), wide=REST, before=8), left=6,
            )  # fmt: skip
        if spot.column == 4:
            if not np.isfinite(points.score[n]):
                return line()
            score = float(points.score[n])
            return line(Words(f"{score:.2f}", wide=34, weight=500),
                        Bar(min(max(score, 0), 1), wide=REST, before=6), left=6)  # fmt: skip
        if spot.column == 5:
            return line(Words(self.words(n, 5), wide=REST, align=RIGHT), left=6)
        weight = 500 if spot.column == 1 else 400
        return line(Words(self.words(n, spot.column), wide=REST, weight=weight), left=6, right=6)
