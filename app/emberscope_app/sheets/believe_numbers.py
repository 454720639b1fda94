"""Numbers of a run in rows: title and figure, below what it means and what spoils it; and clip by clip."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.project.headline import with_interval
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.table import RIGHT, paint_words
from emberscope_app.words import counted, spaced

_FIGURE = 140      # px of a number with its interval
_TITLE, _LINE = 20, 15  # px of the line of a title, of a line in small print
_NAME = 118        # px of the name of a clip or class
_PART = 38         # px of a row of two lines


class Row(NamedTuple):
    """A number in words. spoiled : what makes it doubtful, "" for nothing."""

    title: str
    value: str
    meaning: str
    spoiled: str = ""


class Numbers(QWidget):
    """Rows one below the other; small print goes on in further lines where it has to."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str, str]] = []
        self.spoiled: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look().changed.connect(self.update)

    def show_rows(self, rows: Sequence[Row], tip: str = "") -> None:
        """Show these; a screen reader hears titles, figures and what spoils them."""
        self.rows = [(row.title, row.value, row.meaning) for row in rows]
        self.spoiled = [row.spoiled for row in rows]
        said = (", ".join(filter(None, (f"{row.title} {row.value}", row.spoiled))) for row in rows)
        self.setAccessibleName(", ".join(said))
        self.setToolTip(tip)
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(sum(self._heights(self.width())), 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(sum(self._heights(self.width())), 1))

    def _heights(self, wide: int) -> list[int]:
        metrics = QFontMetrics(font(tokens.PX_SMALL))
        heights = []
        for (_, _, meaning), spoiled in zip(self.rows, self.spoiled, strict=True):
            lines = _lines(metrics, meaning, wide) + (_lines(metrics, spoiled, wide) if spoiled else 0)
            heights.append(_TITLE + lines * _LINE + 5)
        return heights

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, wide, top = QPainter(self), self.width(), 0
        metrics = QFontMetrics(font(tokens.PX_SMALL))
        rows = zip(self.rows, self.spoiled, self._heights(wide), strict=True)
        for (title, value, meaning), spoiled, height in rows:
            painter.fillRect(0, top, wide, 1, QColor(current().line))
            paint_words(painter, QRect(0, top + 4, wide - _FIGURE, 17), title, weight=500)
            paint_words(painter, QRect(wide - _FIGURE, top + 4, _FIGURE, 17), value, align=RIGHT, weight=600)
            below = top + _TITLE
            if spoiled:
                below += _small_print(painter, metrics, spoiled, QRect(0, below, wide, 0), color="warn")
            _small_print(painter, metrics, meaning, QRect(0, below, wide, 0), color="t2")
            top += height


def _lines(metrics: QFontMetrics, words: str, wide: int) -> int:
    found = metrics.boundingRect(QRect(0, 0, max(wide, 60), 10_000), _WRAPPED, words)
    return max(round(found.height() / metrics.height()), 1)


_WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft) | int(Qt.AlignmentFlag.AlignTop)


def _small_print(painter: QPainter, metrics: QFontMetrics, words: str, place: QRect, *, color: str) -> int:
    """Words in as many lines as they need; returns the height of these."""
    high = _lines(metrics, words, place.width()) * _LINE
    painter.setFont(font(tokens.PX_SMALL))
    painter.setPen(QColor(getattr(current(), color)))
    painter.drawText(QRect(place.x(), place.y(), place.width(), high + _LINE), _WRAPPED, words)
    return high


COLUMNS = (("method_bag_auc", "Bag AUC"), ("witness_found", "Witness"), ("inside_auc", "Inside"),
           ("map_accuracy", "Map"))


class Parts(QWidget):
    """A row per clip and class: its numbers, below them their intervals, and how many bags they rest on."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, str, list[tuple[str, str]]]] = []  # name, counts, (figure, interval) per column
        self.columns: list[str] = []
        self.setAccessibleName("By clip and class")
        look().changed.connect(self.update)

    def show_records(self, records: Sequence[dict[str, Any]]) -> bool:
        """Show `headline.part_records`; whether there is anything that the headline does not say."""
        keys = [key for key, _ in COLUMNS if any(record[key] is not None for record in records)]
        self.columns = [title for key, title in COLUMNS if key in keys]
        self.rows = [(_name(record), _counts(record), [_figure(record, key) for key in keys]) for record in records]
        self.setFixedHeight(_TITLE + _PART * len(self.rows))
        self.setToolTip("\n".join(_said(self.columns, row) for row in self.rows[:40]))
        self.update()
        return len(self.rows) > 2

    def sizeHint(self) -> QSize:
        return QSize(200, _TITLE + _PART * len(self.rows))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, wide = QPainter(self), self.width()
        each = (wide - _NAME) // max(len(self.columns), 1)
        for at, title in enumerate(self.columns):
            place = QRect(_NAME + at * each, 0, each, _TITLE)
            paint_words(painter, place, title, align=RIGHT, px=tokens.PX_SMALL, color="t2")
        for i, (name, counts, figures) in enumerate(self.rows):
            top = _TITLE + i * _PART
            painter.fillRect(0, top, wide, 1, QColor(current().line))
            paint_words(painter, QRect(0, top + 4, _NAME, 17), name, weight=500, whole_start=True)
            paint_words(painter, QRect(0, top + 20, _NAME, 15), counts, px=tokens.PX_SMALL, color="t2")
            for at, (value, interval) in enumerate(figures):
                first, second = (QRect(_NAME + at * each, top + y, each, high) for y, high in ((4, 17), (20, 15)))
                weight, color = (600, "t1") if interval else (400, "t2")
                paint_words(painter, first, value, align=RIGHT, weight=weight, color=color)
                paint_words(painter, second, interval, align=RIGHT, px=tokens.PX_SMALL, color="t2")


def _name(record: dict[str, Any]) -> str:
    clip, kind = record["clip"], record["class"]
    if clip is None:
        return f"Mean, {kind}" if kind else "Mean of clips"
    return f"{clip}, {kind}" if kind else clip


def _counts(record: dict[str, Any]) -> str:
    """"12 + 40 bags": positive ones, and negative ones beside them; else those with truth."""
    sides = [round(record[name]) for name in ("positive_bags", "negative_bags") if record[name] is not None]
    *first, last = sides or [round(record["witness_found_bags"] or 0)]
    return " + ".join([*map(spaced, first), counted(last, "bag")])


def _figure(record: dict[str, Any], key: str) -> tuple[str, str]:
    """A number, and its interval; of one that is missing, or rests on too few bags, why."""
    numbers = {name: value for name, value in record.items() if isinstance(value, float)}
    words = with_interval(numbers, key)
    if not words:
        return ("not judged" if key == "method_bag_auc" else "\u2013"), ""
    value, bracket, interval = words.partition(" (")
    if not bracket or not interval.endswith(")") or words.startswith("too few"):
        return words.replace("to judge ", ""), ""
    chance = numbers.get("witness_found_chance") if key == "witness_found" else None
    return value, interval[:-1].replace(" ", "") + (f", {chance:.2f}" if chance is not None else "")


def _said(columns: Sequence[str], row: tuple[str, str, list[tuple[str, str]]]) -> str:
    name, counts, figures = row
    each = (f"{title} {value}" + (f" ({interval})" if interval else "")
            for title, (value, interval) in zip(columns, figures, strict=True))
    return f"{name}, {counts}: {', '.join(each)}"


def figure_of(metrics: Mapping[str, float], key: str, decimals: int = 2) -> str:
    """A metric with its interval, or its standard error where it is estimated; "" where the run has none."""
    words = with_interval(metrics, key, digits=decimals)
    error = metrics.get(f"{key}_error", 0.0)
    return words + (f" \u00b1 {error:.2f}" if words and f"{key}_low" not in metrics and error >= 0.005 else "")
