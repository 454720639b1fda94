"""Numbers of a run in rows: title and figure, below its interval with a mark of what could be reached, what spoils it
and what it means."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.findings.headline import with_interval
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.table import RIGHT, paint_interval, paint_words

_FIGURE = 140      # px of a number with its interval
_TITLE, _LINE = 20, 15  # px of the line of a title, of a line in small print
_BAR = 12          # px of the line of an interval


class Row(NamedTuple):
    """A number in words. spoiled : what makes it doubtful, "" for nothing. ends : of the interval of a number 0..1.
    best : the ceiling. None where there is none."""

    title: str
    value: str
    meaning: str
    spoiled: str = ""
    ends: tuple[float, float] | None = None
    best: float | None = None


class Numbers(QWidget):
    """Rows one below the other; small print goes on in further lines where it has to."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look().changed.connect(self.update)

    def show_rows(self, rows: Sequence[Row], tip: str = "") -> None:
        """Show these; a screen reader hears titles, figures and what spoils them."""
        self.rows = list(rows)
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
        for row in self.rows:
            lines = sum(_lines(metrics, words, wide - room) for words, room in _small(row) if words)
            heights.append(_TITLE + max(lines * _LINE, _BAR if row.ends else 0) + 5)
        return heights

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, wide, top = QPainter(self), self.width(), 0
        metrics = QFontMetrics(font(tokens.PX_SMALL))
        for row, height in zip(self.rows, self._heights(wide), strict=True):
            painter.fillRect(0, top, wide, 1, QColor(current().line))
            paint_words(painter, QRect(0, top + 4, wide - _FIGURE, 17), row.title, weight=500)
            paint_words(painter, QRect(wide - _FIGURE, top + 4, _FIGURE, 17), row.value, align=RIGHT, weight=600)
            below = top + _TITLE
            if row.ends is not None:
                paint_interval(painter, QRect(wide - _FIGURE + 20, below + 2, _FIGURE - 20, 9), row.ends, best=row.best)
            for (words, room), color in zip(_small(row), ("warn", "t2"), strict=True):
                if words:
                    below += _small_print(painter, metrics, words, QRect(0, below, wide - room, 0), color=color)
            top += height


def _small(row: Row) -> tuple[tuple[str, int], tuple[str, int]]:
    """What stands below a figure: the words, and the px at the right that they leave to the line of its interval."""
    room = _FIGURE - 8 if row.ends is not None else 0
    return (row.spoiled, room), (row.meaning, room)


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


def figure_of(metrics: Mapping[str, float], key: str, decimals: int = 2) -> str:
    """A metric with its interval, or its standard error where it is estimated; "" where the run has none."""
    words = with_interval(metrics, key, digits=decimals)
    error = metrics.get(f"{key}_error", 0.0)
    return words + (f" \u00b1 {error:.2f}" if words and f"{key}_low" not in metrics and error >= 0.005 else "")
