"""Rows of cells below one another on a page: a list that does not scroll, as high as its rows."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope_app.lists.cells import Row
from emberscope_app.lists.layout import placed
from emberscope_app.lists.paint import paint_ground, paint_row
from emberscope_app.theme.look import look


class RowStack(QWidget):
    """What it shows is said by `rows_of`; it calls `fit` where that changed.

    `asked(what)` : a row or a cell that does something was pressed. `pointed(what)` : the pointer
    is over it, None where it is over none.
    """

    asked = Signal(object)
    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.over: object = None  # what the pointer is over
        self._rows: Sequence[tuple[Row, int]] = ()
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look().changed.connect(self.update)

    def rows_of(self, width: int) -> Sequence[tuple[Row, int]]:
        """Rows that are so wide, each with its height in px."""
        raise NotImplementedError

    def fit(self) -> None:
        """Show other rows."""
        self.over = None
        self._rows = self.rows_of(self.width())
        self.setFixedHeight(max(sum(high for _, high in self._rows), 1))
        self.update()

    @property
    def spots(self) -> list[tuple[QRect, object]]:
        """Places that do something or stand for something, those within a row after it."""
        found: list[tuple[QRect, object]] = []
        for row, place in self._places():
            if row.does is not None:
                found.append((place, row.does))
            found += [(rect, cell.does) for cell, rect in placed(row, place, place)
                      if cell.does is not None]  # fmt: skip
        return found

    def _places(self) -> list[tuple[Row, QRect]]:
        found, top = [], 0
        for row, high in self._rows:
            found.append((row, QRect(0, top, self.width(), high)))
            top += high
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._rows = self.rows_of(self.width())
        for row, place in self._places():
            paint_ground(painter, place, row.ground)
            paint_row(painter, place, row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._what(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        what = self._what(event.position())
        if event.button() == Qt.MouseButton.LeftButton and what is not None:
            self.asked.emit(what)

    def _what(self, at: QPointF) -> object:
        return next((what for place, what in self.spots if place.contains(at.toPoint())), None)

    def _point_at(self, what: object) -> None:
        if what != self.over:
            self.over = what
            hand = Qt.CursorShape.ArrowCursor if what is None else Qt.CursorShape.PointingHandCursor
            self.setCursor(hand)
            self.pointed.emit(what)
            self.update()
