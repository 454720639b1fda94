"""What axes are made of, painted: the strongest features as bars, edges or pixels of a chip as an
image."""

from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from emberscope_app.lists.layout import words_width
from emberscope_app.state.knowledge.learned_facts import short_names
from emberscope_app.theme import tokens
from emberscope_app.theme.feature_glyph import MANY_CELLS, ends, paint_strokes, signed_image
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.words_and_bars import RIGHT, paint_words

BAR = 22         # px of a bar's row
_NAME, _VALUE = 140, 44
# Px of the image's height, and of its key at the right or below
_SIDE, _KEY, _KEY_BELOW = 208, 140, 48


class Bars(QWidget):
    """The strongest features of an axis: bars from the middle, the value at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, float]] = []
        look().changed.connect(self.update)

    def show_rows(self, rows: list[tuple[str, float]]) -> None:
        self.rows = rows
        self.setAccessibleName(", ".join(f"{name} {value:.2f}" for name, value in rows))
        self.setFixedHeight(max(BAR * len(rows), 1))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, BAR * len(self.rows))

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, color = current(), QPainter(self), ends()
        names = short_names([name for name, _ in self.rows])
        longest = max((words_width(name, tokens.PX_SMALL) for name in names), default=0) + 8
        left, right = min(max(longest, _NAME), self.width() // 2), self.width() - _VALUE
        middle, half = (left + right) / 2, (right - left) / 2
        for i, (label, (_, value)) in enumerate(zip(names, self.rows, strict=True)):
            y = i * BAR
            paint_words(painter, QRect(0, y, left - 8, BAR), label, px=tokens.PX_SMALL, color="t2")
            paint_words(
                painter,
                QRect(right, y, _VALUE, BAR),
                f"{value:+.2f}".replace("-", "\u2212"),
                weight=500,
                align=RIGHT,
            )
            long = half * min(abs(value), 1.0)
            start = middle if value > 0 else middle - long
            painter.fillRect(QRectF(start, y + 6, max(long, 1.0), BAR - 12), color.of(value))
        painter.fillRect(QRectF(round(middle), 0, 1, self.height()), QColor(t.edge))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = event.pos().y() // BAR
            if 0 <= row < len(self.rows):
                name, value = self.rows[row]
                QToolTip.showText(event.globalPos(), f"{name}: correlation {value:.3f}", self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


class AxisGlyph(QWidget):
    """What an axis looks at in a chip: strokes along edges per cell, or pixels; warm toward its
    positive end.

    The key is at its right; chips of very many cells take the whole width, show one stroke per
    cell, and have it below.
    """

    def __init__(self) -> None:
        super().__init__()
        self._strokes: NDArray | None = None
        self._exact = False  # the angle of a stroke is its own, not the begin of a range
        self._pixels: NDArray | None = None
        self._axis = 0
        look().changed.connect(self.update)

    def show_axis(
        self, axis: int, strokes: NDArray | None, pixels: NDArray | None, edges: NDArray | None
    ) -> bool:
        """Whether there is anything to show. `strokes`, `pixels` and `edges` (`edge_strokes`) as in
        `learned_facts`; one of them."""
        self._exact, strokes = edges is not None, strokes if edges is None else edges
        self._axis, self._strokes, self._pixels = axis, strokes, pixels
        grid = strokes if strokes is not None else pixels
        if grid is None:
            return False
        what = "Edges" if strokes is not None else "Pixels"
        self.setAccessibleName(
            f"{what} that axis {axis + 1} looks at, {grid.shape[0]} x {grid.shape[1]}"
        )
        self._take_height()
        self.update()
        return True

    @property
    def _shape(self) -> tuple[int, int]:
        grid = self._strokes if self._strokes is not None else self._pixels
        return (grid.shape[0], grid.shape[1]) if grid is not None else (1, 1)

    @property
    def _fine(self) -> bool:
        return self._strokes is not None and self._shape[1] > MANY_CELLS

    @property
    def frame(self) -> QRectF:
        """Where the chip is painted, at its own proportions."""
        rows, columns = self._shape
        scale = (
            self.width() / columns
            if self._fine
            else min(_SIDE / rows, (self.width() - _KEY) / columns)
        )
        return QRectF(0, 0, scale * columns, scale * rows)

    def _take_height(self) -> None:
        self.setFixedHeight(max(round(self.frame.height()) + (_KEY_BELOW if self._fine else 0), 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_height()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter, frame = current(), QPainter(self), self.frame
        painter.fillRect(frame, QColor(t.plot))
        if self._strokes is not None:
            paint_strokes(painter, frame, self._strokes, exact=self._exact)
        elif self._pixels is not None:
            painter.drawImage(frame, signed_image(self._pixels))
        if self._fine:
            self._paint_key(
                painter,
                QRect(0, round(frame.bottom()) + 8, self.width(), _KEY_BELOW - 8),
                beside=True,
            )
        else:
            left, top = round(frame.right()) + 16, round(frame.height() / 2) - 42
            self._paint_key(painter, QRect(left, top, self.width() - left, 104), beside=False)

    def _paint_key(self, painter: QPainter, place: QRect, *, beside: bool) -> None:
        """Two colors, `beside` each other or not, and a sentence."""
        color, axis, x, y = ends(), self._axis + 1, place.x(), place.y()
        for ink, words in (
            (color.plus, f"toward + of axis {axis}"),
            (color.minus, f"toward \u2212 of axis {axis}"),
        ):
            painter.fillRect(QRectF(x, y + 6, 14, 4), ink)
            paint_words(
                painter, QRect(x + 22, y, place.right() - x - 22, 16), words, px=tokens.PX_SMALL
            )
            x, y = (x + 150, y) if beside else (x, y + 20)
        more = "The stronger a pixel, the more the axis goes with it."
        if self._strokes is not None:
            more = "Strokes lie along edges: the stronger, the more the axis goes with them."
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(current().t2))
        top = place.y() + (22 if beside else 46)
        rest = QRect(place.x(), top, place.width(), place.bottom() - top)
        painter.drawText(rest, Qt.TextFlag.TextWordWrap.value, more)
