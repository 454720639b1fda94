"""Clip by clip and class by class: the numbers of a run in a table, with their intervals and what they rest on."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from emberscope.findings.headline import NOTHING, with_interval
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.theme.table import RIGHT, paint_words
from emberscope_app.words import counted, spaced

COLUMNS = (("method_bag_auc", "Bag AUC"), ("witness_found", "Witness"), ("inside_auc", "Inside"),
           ("map_accuracy", "Map"))
_NAME = 108                # px of the name of a class, with its counts
_TITLE, _LINE = 20, 15     # px of the line of a title, of a line in small print
_CLIP, _PART = 24, 40      # px of the name of a clip, of a row below it


class Cell(NamedTuple):
    """A number in words. small : lines below it: its interval, what chance gives, what could be reached."""

    value: str
    small: tuple[str, ...] = ()


class PartRow(NamedTuple):
    """Of one clip, or of the mean of clips, and one class. clip : "" below the first row of a clip."""

    clip: str
    name: str
    counts: str
    cells: list[Cell]


class Parts(QWidget):
    """The mean of the clips, then clip by clip, each with its classes."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[PartRow] = []
        self.columns: list[str] = []
        self._small = 1  # lines below a figure
        self.setAccessibleName("By clip and class")
        look().changed.connect(self.update)

    def show_records(self, records: Sequence[dict[str, Any]]) -> bool:
        """Show `headline.part_records`; whether there is anything that the headline does not say."""
        keys = [key for key, _ in COLUMNS if any(record[key] is not None for record in records)]
        self.columns = [title for key, title in COLUMNS if key in keys]
        self.rows, before = [], ""
        for record in records:
            clip = record["clip"] or "Mean of clips"
            cells = [_cell(record, key) for key in keys]
            self.rows.append(PartRow(clip if clip != before else "", record["class"] or "All classes",
                                     _counts(record), cells))
            before = clip
        self._small = max((len(cell.small) for row in self.rows for cell in row.cells), default=1)
        self.setFixedHeight(self._tall())
        self.setToolTip("\n".join(self.said()[:40]))
        self.setAccessibleDescription("; ".join(self.said()[:40]))
        self.update()
        return len(self.rows) > 2

    def said(self) -> list[str]:
        """The rows as sentences."""
        found, clip = [], ""
        for row in self.rows:
            clip = row.clip or clip
            each = (", ".join((f"{title} {cell.value}", *cell.small))
                    for title, cell in zip(self.columns, row.cells, strict=True))
            found.append(f"{clip}, {row.name}, {row.counts}: {'; '.join(each)}")
        return found

    def _tall(self) -> int:
        return _TITLE + sum(self._step() + (_CLIP if row.clip else 0) for row in self.rows)

    def _step(self) -> int:
        return _PART + max(self._small - 1, 0) * _LINE

    def sizeHint(self) -> QSize:
        return QSize(200, self._tall())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, wide, top = QPainter(self), self.width(), _TITLE
        each = (wide - _NAME) // max(len(self.columns), 1)
        for at, title in enumerate(self.columns):
            place = QRect(_NAME + at * each, 0, each, _TITLE)
            paint_words(painter, place, title, align=RIGHT, px=tokens.PX_SMALL, color="t2")
        for row in self.rows:
            if row.clip:
                painter.fillRect(0, top, wide, 1, QColor(current().line2))
                paint_words(painter, QRect(0, top + 4, wide, 17), row.clip, weight=600)
                top += _CLIP
            paint_words(painter, QRect(8, top + 4, _NAME - 8, 17), row.name, whole_start=True)
            paint_words(painter, QRect(8, top + 20, _NAME - 8, _LINE), row.counts, px=tokens.PX_SMALL, color="t2")
            for at, cell in enumerate(row.cells):
                _paint_cell(painter, cell, QRect(_NAME + at * each, top, each, self._step()))
            top += self._step()


def _paint_cell(painter: QPainter, cell: Cell, place: QRect) -> None:
    known = bool(cell.small)
    paint_words(painter, QRect(place.x(), place.y() + 4, place.width(), 17), cell.value, align=RIGHT,
                weight=600 if known else 400, color="t1" if known else "t2")
    for line, words in enumerate(cell.small):
        small = QRect(place.x(), place.y() + 20 + line * _LINE, place.width(), _LINE)
        paint_words(painter, small, words, align=RIGHT, px=tokens.PX_SMALL, color="t2")


def _counts(record: Mapping[str, Any]) -> str:
    """"12 + 40 bags": positive ones, and negative ones beside them; else those with truth."""
    sides = [round(record[name]) for name in ("positive_bags", "negative_bags") if record[name] is not None]
    *first, last = sides or [round(record["witness_found_bags"] or 0)]
    return " + ".join([*map(spaced, first), counted(last, "bag")])


def _cell(record: Mapping[str, Any], key: str) -> Cell:
    """A number, and its interval; of one that is missing, or says nothing, why."""
    numbers = {name: value for name, value in record.items() if isinstance(value, float)}
    words = with_interval(numbers, key)
    if not words:
        return Cell("not judged" if key == "method_bag_auc" else "\u2013")
    value, _, interval = words.partition(" (")
    if f"{key}_low" not in numbers or not value[:1].isdigit():
        return Cell("all target" if words == NOTHING else words.replace("to judge ", ""))
    beside = {name: numbers.get(f"{key}_{name}") for name in ("chance", "ceiling")}
    lines = [f"{name} {other:.2f}" for name, other in beside.items() if other is not None]
    return Cell(value, (interval[:-1].replace(" ", ""), *lines))
