"""The grid of chips: a virtual list that paints what is in view, with sticky group headers, mouse
and keyboard."""

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from emberscope.project import Run
from emberscope_app.chips.grid_model import GridModel
from emberscope_app.chips.model import BAR, HEADER, LARGEST, SMALLEST, Arrangement
from emberscope_app.chips.painter import GridPainter, Shown, chip_rect
from emberscope_app.chips.pointer import GridPointer
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.theme.look import look
from emberscope_app.words import spaced

Key, Mod = Qt.Key, Qt.KeyboardModifier
_LOOKED_AT = 200  # selected chips of which one in view is enough
_MOVES = {
    Key.Key_Left: "left",
    Key.Key_Right: "right",
    Key.Key_Up: "up",
    Key.Key_Down: "down",
    Key.Key_Home: "home",
    Key.Key_End: "end",
    Key.Key_PageUp: "pageup",
    Key.Key_PageDown: "pagedown",
}


class ChipGrid(QAbstractScrollArea):
    """Scrolls a `GridModel`: events go to pointer and keys, what is in view to the painter."""

    resized = Signal(int)             # chips of another size are wanted (Ctrl+wheel)
    menu_wanted = Signal(QPoint)      # global position; the chip under it is selected

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        cache = chip_cache(session)
        self.model = GridModel(session, self)
        self._painter = GridPainter(self.model, cache)
        self._pointer = GridPointer(self, self.model)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.verticalScrollBar().valueChanged.connect(lambda _value: cache.cancel())
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        cache.ready.connect(self.viewport().update)
        self.model.laid_out.connect(self._set_range)
        self.model.changed.connect(self.viewport().update)
        self.model.pointed.connect(self._repaint_row)
        look().changed.connect(self.viewport().update)
        self.model.set_width(self.viewport().width())

    # --- what is shown

    def show_chips(
        self, run: Run | None, chips: Arrangement, *, index: RowIndex, to_top: bool
    ) -> None:
        """Show rows of a run; the scroll position stays where it can unless `to_top`."""
        self.model.show_chips(run, chips, index=index, to_top=to_top)
        if to_top:
            self.verticalScrollBar().setValue(0)

    def set_size(self, size: int) -> None:
        """Chips of about this many px; what is at the top stays there."""
        if min(max(size, SMALLEST), LARGEST) != self.model.chip_size:
            first = self._first_in_view()
            self.model.set_size(size)
            if first > 0:
                self.verticalScrollBar().setValue(self.model.layout.rect(first)[1] - HEADER)
            self.viewport().update()

    def rect_of(self, position: int) -> QRect:
        """Where a chip is on the viewport."""
        return chip_rect(self.model.layout, position, self.verticalScrollBar().value())

    def reveal_selected(self) -> None:
        """Scroll to the first selected chip, unless one is in view."""
        chosen = np.flatnonzero(self.model.selected[self.model.chips.rows])
        if len(chosen) and not any(
            self._in_view(int(position)) for position in chosen[:_LOOKED_AT]
        ):
            self.model.unfold(int(chosen[0]))
            self._reveal(int(chosen[0]))

    def _in_view(self, position: int) -> bool:
        rect, folded = (
            self.rect_of(position),
            self.model.layout.folded[self.model.chips.group_of(position)],
        )
        return not folded and rect.top() >= 0 and rect.bottom() < self.viewport().height()

    def summarize(self) -> None:
        """Words for screen readers."""
        model = self.model
        chosen = int(np.count_nonzero(model.selected[model.chips.rows]))
        self.setAccessibleName(
            f"Chips, {spaced(len(model.chips))} shown, {spaced(chosen)} selected"
        )

    def _set_range(self) -> None:
        layout, height, bar = self.model.layout, self.viewport().height(), self.verticalScrollBar()
        bar.setRange(0, max(layout.height - height, 0))
        bar.setPageStep(height)
        bar.setSingleStep(max(layout.pitch // 2, 8))

    def _first_in_view(self) -> int:
        top, layout = self.verticalScrollBar().value(), self.model.layout
        if not len(self.model.chips) or top == 0:
            return 0
        for g in layout.groups_between(top, top + self.viewport().height()):
            found = layout.positions_between(g, top + HEADER, top + self.viewport().height())
            if found:
                return found[0]
        return 0

    def _repaint_row(self, row: int) -> None:
        position = np.flatnonzero(self.model.chips.rows == row)
        if len(position):
            self.viewport().update(self.rect_of(int(position[0])).adjusted(-3, -3, 3, 3 + BAR))

    def paintEvent(self, event: QPaintEvent) -> None:
        top, size = self.verticalScrollBar().value(), self.viewport().size()
        shown = Shown(top, size, self.hasFocus(), self._pointer.band)
        self._painter.paint(QPainter(self.viewport()), event.rect(), shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.model.set_width(self.viewport().width())

    # --- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position = self._pointer.chip_at(event.position())
        if position >= 0:
            self.model.session.show_instance(self.model.instance(position))

    def leaveEvent(self, event: QEvent) -> None:
        if self.model.hover >= 0:
            self.model.point_at(-1)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Mod.ControlModifier:
            self.resized.emit(self.model.chip_size + (8 if event.angleDelta().y() > 0 else -8))
            event.accept()
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the chip under the pointer (selected if it was not), or of the keyboard's place."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        position = self.model.cursor_at if by_key else self._pointer.chip_at(QPointF(event.pos()))
        if not 0 <= position < len(self.model.chips):
            return
        if not self.model.is_selected(position):
            self.model.select(range(position, position + 1), "replace")
        middle = self.viewport().mapToGlobal(self.rect_of(position).center())
        self.menu_wanted.emit(middle if by_key else event.globalPos())

    # --- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not len(self.model.chips) or not self._press_key(event):
            super().keyPressEvent(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        key, mods = Key(event.key()), event.modifiers() & ~Mod.KeypadModifier
        model = self.model
        if key in _MOVES and not mods & (Mod.AltModifier | Mod.ControlModifier):
            self._move(_MOVES[key], extend=bool(mods & Mod.ShiftModifier))
        elif key == Key.Key_A and mods == Mod.ControlModifier:
            model.select_all()
        elif mods:
            return False
        elif key == Key.Key_Space:
            model.select_one(model.cursor_at, "toggle")
        elif key in (Key.Key_Return, Key.Key_Enter):
            model.select_one(model.cursor_at, "replace")
        elif key == Key.Key_Escape:
            model.session.selection.clear()
        else:
            return model.mark(key)
        return True

    def _move(self, where: str, *, extend: bool) -> None:
        self.model.move(where, page=self.viewport().height(), extend=extend)
        self._reveal(self.model.cursor_at)
        self.model.point_at(self.model.cursor_at)

    def _reveal(self, position: int) -> None:
        rect, bar = self.rect_of(position), self.verticalScrollBar()
        if rect.top() < HEADER:
            bar.setValue(bar.value() + rect.top() - HEADER)
        elif rect.bottom() + BAR > self.viewport().height():
            bar.setValue(bar.value() + rect.bottom() + BAR - self.viewport().height())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
