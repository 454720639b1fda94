"""What the mouse does on the grid: point, click, fold, and the rubber band."""

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea

from emberscope_app.chips.grid_model import GridModel
from emberscope_app.chips.model import HEADER
from emberscope_app.state.core.selection import mode_of
from emberscope_app.theme import tokens

_CLICK = 4    # px a press may move and still be a click


class GridPointer:
    """Turns mouse events of a scroll area into selection and pointing. `band`: the rubber band, px
    of the viewport."""

    def __init__(self, view: QAbstractScrollArea, model: GridModel) -> None:
        self._view, self._model = view, model
        self.band: QRect | None = None
        self._press: QPointF | None = None

    def press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()

    def move(self, event: QMouseEvent) -> None:
        """Point, or draw the rubber band."""
        at = event.position()
        if self._press is None:
            self._model.point_at(self.chip_at(at))
            return
        if self.band is None and (at - self._press).manhattanLength() < _CLICK:
            return
        self.band = QRect(self._press.toPoint(), at.toPoint()).normalized()
        self._scroll_towards(at)
        self._view.viewport().update()

    def release(self, event: QMouseEvent) -> None:
        """Select what the rubber band touches, or click."""
        if event.button() != Qt.MouseButton.LeftButton or self._press is None:
            return
        self._press, band = None, self.band
        self.band = None
        if band is not None:
            self._select_band(band, event.modifiers())
        else:
            self._click(event.position(), event.modifiers())
        self._view.viewport().update()

    def chip_at(self, at: QPointF) -> int:
        """The position of the chip under a place, -1 where there is none."""
        if 0 <= at.y() < HEADER and self._model.layout.sticky(self._top) >= 0:
            return -1
        return self._model.layout.at(at.x(), at.y() + self._top)

    @property
    def _top(self) -> int:
        return self._view.verticalScrollBar().value()

    def _header_at(self, at: QPointF) -> int:
        sticky = self._model.layout.sticky(self._top)
        if at.y() < HEADER and sticky >= 0:
            return sticky
        return self._model.layout.header_at(at.y() + self._top)

    def _click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        g, position = self._header_at(at), self.chip_at(at)
        if g >= 0:
            self._click_header(g, at, modifiers)
        elif position < 0:
            self._model.select([], mode_of(modifiers))
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._model.select_span(position)
        else:
            self._model.select_one(position, mode_of(modifiers))

    def _click_header(self, g: int, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The chevron folds the group, its name selects it."""
        if at.x() < tokens.PAD + 16:
            self._model.fold(g)
        else:
            self._model.select_group(g, mode_of(modifiers))

    def _select_band(self, band: QRect, modifiers: Qt.KeyboardModifier) -> None:
        top = self._top
        found = self._model.layout.inside(
            band.left(), band.top() + top, band.right(), band.bottom() + top
        )
        self._model.select(found, mode_of(modifiers))

    def _scroll_towards(self, at: QPointF) -> None:
        bar, height = self._view.verticalScrollBar(), self._view.viewport().height()
        step = -24 if at.y() < 0 else 24 if at.y() > height else 0
        if step and self._press is not None:
            before = bar.value()
            bar.setValue(before + step)
            self._press -= QPointF(0, bar.value() - before)
