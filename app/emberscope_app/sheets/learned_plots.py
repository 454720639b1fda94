"""What was said of bags, painted: their confusion, and figures with their intervals."""

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QWidget

from emberscope.findings.coloring import ramp
from emberscope_app.lists.cells import REST, RIGHT, Ground, Row, Words, line
from emberscope_app.lists.stack import RowStack
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.knowledge.learned_facts import Figure, Verdicts
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.words_and_bars import paint_words
from emberscope_app.words import counted, percent, spaced

CENTER = Qt.AlignmentFlag.AlignCenter
_CELL_W, _CELL_H, _ROW_NAME, _HEAD = 72, 60, 84, 40


class _Cell(QAbstractButton):
    """A share of a row, and how many that are. A click asks for them."""

    wanted = Signal(str)  # how they join the selection

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_CELL_W, _CELL_H)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.share, self.count, self._mode = 0.0, 0, "replace"
        self.clicked.connect(lambda: self.wanted.emit(self._mode))

    def show_share(self, share: float, count: int, what: str) -> None:
        self.share, self.count = share, count
        self.setEnabled(count > 0)
        words = f"{what}: {counted(count, 'bag')}, {percent(share)}"
        self.setAccessibleName(words)
        self.setToolTip(f"{words}. Click selects their instances." if count else words)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mode = mode_of(event.modifiers())
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._mode = "replace"
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(*ramp(np.array([0.08 + 0.72 * self.share]), 0, 1)[0].tolist())
        words = "#14181C" if ground.lightnessF() > 0.42 and ground.green() > 90 else "#FFFFFF"
        framed = self.hasFocus() or (self.underMouse() and self.isEnabled())
        painter.setPen(QPen(QColor(t.ink), 2) if framed else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        edge = 2.0 if framed else 1.0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(edge, edge, -edge, -edge), 3, 3)
        painter.setPen(QColor(words))
        painter.setFont(font(tokens.PX_HEADER, 600))
        middle = self.height() // 2
        painter.drawText(QRect(0, middle - 19, self.width(), 20), CENTER, percent(self.share))
        painter.setFont(font(tokens.PX_SMALL))
        painter.drawText(QRect(0, middle + 2, self.width(), 16), CENTER, spaced(self.count))


class Confusion(QWidget):
    """Rows: what bags are labeled; columns: what was said of them. Beside it what a fixed answer
    would reach."""

    wanted = Signal(object, str)  # numbers of bags, how their instances join the selection

    def __init__(self) -> None:
        super().__init__()
        self._found: Verdicts | None = None
        self._slots = (1, 2)
        self.cells = {(label, judged): _Cell() for label in (1, -1) for judged in (1, -1)}
        grid = QGridLayout(self)
        grid.setContentsMargins(_ROW_NAME, _HEAD, 0, 0)
        grid.setSpacing(2)
        for (label, judged), cell in self.cells.items():
            grid.addWidget(cell, int(label < 0), int(judged < 0))
            cell.wanted.connect(
                lambda mode, label=label, judged=judged: self._ask(label, judged, mode)
            )
        grid.setColumnStretch(2, 1)
        self.setFixedHeight(_HEAD + 2 * _CELL_H + 2)
        look().changed.connect(self.update)

    def show_verdicts(self, found: Verdicts, slots: tuple[int, int]) -> None:
        """`slots`: glyphs of positive and of negative bags."""
        self._found, self._slots = found, slots
        for (label, judged), cell in self.cells.items():
            count, total = len(found.cell(label, judged)), int((found.labels == label).sum())
            cell.show_share(
                count / max(total, 1), count, f"{_sign(label)} bags judged {_sign(judged).lower()}"
            )
        self.setAccessibleName("Confusion of bags")
        self.update()

    def _ask(self, label: int, judged: int, mode: str) -> None:
        if self._found is not None:
            self.wanted.emit(self._found.cell(label, judged), mode)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = 2 * _CELL_W + 2
        paint_words(
            painter,
            QRect(_ROW_NAME, 0, wide, 16),
            "Judged",
            px=tokens.PX_SMALL,
            align=CENTER,
            color="t2",
        )
        for i, (slot, words) in enumerate(zip(self._slots, ("Positive", "Negative"), strict=True)):
            paint_glyph(
                painter, slot, QPointF(_ROW_NAME + i * (_CELL_W + 2) + _CELL_W / 2, 28), 4.5
            )
            y = _HEAD + i * (_CELL_H + 2)
            paint_glyph(painter, slot, QPointF(5, y + _CELL_H / 2), 4.5)
            paint_words(painter, QRect(16, y, _ROW_NAME - 20, _CELL_H), words)
        if self._found is not None:
            self._paint_majority(painter, self._found.majority)

    def _paint_majority(self, painter: QPainter, figure: Figure) -> None:
        left = _ROW_NAME + 2 * _CELL_W + 18
        wide = self.width() - left
        top = _HEAD + _CELL_H - 33
        paint_words(
            painter, QRect(left, top, wide, 16), figure.title, px=tokens.PX_SMALL, color="t2"
        )
        paint_words(
            painter, QRect(left, top + 18, wide, 28), figure.value, px=tokens.PX_BIG, weight=600
        )
        below = QRect(left, top + 50, wide, self.height() - top - 50)
        painter.setFont(font(tokens.PX_SMALL))
        painter.setPen(QColor(current().t2))
        painter.drawText(below, Qt.TextFlag.TextWordWrap.value, figure.interval)


class Figures(RowStack):
    """Rows: title, number, interval."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Figure, ...] = ()

    def show_rows(self, rows: tuple[Figure, ...]) -> None:
        self.rows = rows
        self.setAccessibleName(
            ", ".join(f"{row.title} {row.value} {row.interval}".strip() for row in rows)
        )
        self.fit()

    def rows_of(self, width: int) -> list[tuple[Row, int]]:
        return [(Row((line(
            Words(row.title, wide=REST), Words(row.value, weight=600, align=RIGHT, wide=62),
            Words(row.interval, px=tokens.PX_SMALL, color="t2", align=RIGHT, wide=88), left=0,
            right=0,
        ),), Ground(rule=0, above=True)), tokens.ROW) for row in self.rows]  # fmt: skip


def _sign(label: int) -> str:
    return "Positive" if label > 0 else "Negative"
