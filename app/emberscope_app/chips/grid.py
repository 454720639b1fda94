"""The grid of chips: a virtual list that paints what is in view, with sticky group headers, mouse and keyboard."""

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from emberscope.project import Run
from emberscope.project.witness import witness_scores
from emberscope_app.chips.delegate import paint_header, paint_picture, paint_ring, paint_score
from emberscope_app.chips.model import BAR, HEADER, LARGEST, NOTHING, SMALLEST, Arrangement, GridLayout
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.state.class_keys import class_of_key
from emberscope_app.state.row_index import RowIndex, Rows
from emberscope_app.state.selection import mode_of
from emberscope_app.state.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.look import current, look
from emberscope_app.words import spaced

_CLICK = 4    # px a press may move and still be a click
_AHEAD = 2    # screens cut beforehand
Key, Mod = Qt.Key, Qt.KeyboardModifier
_MOVES = {Key.Key_Left: "left", Key.Key_Right: "right", Key.Key_Up: "up", Key.Key_Down: "down", Key.Key_Home: "home",
          Key.Key_End: "end", Key.Key_PageUp: "pageup", Key.Key_PageDown: "pagedown"}


class ChipGrid(QAbstractScrollArea):
    """Chips of rows of a run. Selection and pointing go to the session and come from it."""

    resized = Signal(int)             # chips of another size are wanted (Ctrl+wheel)
    menu_wanted = Signal(QPoint)      # global position; the chip under it is selected

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cache = chip_cache(session)
        self.chips: Arrangement = NOTHING
        self.run: Run | None = None
        self.chip_size = 56
        self.cursor_at = 0
        self._index = RowIndex(None)
        self._collapsed: frozenset[int] = frozenset()
        self._selected = np.zeros(0, bool)
        self._ringed = False
        self._hover = -1
        self._anchor = 0
        self._press: QPointF | None = None
        self._band: QRect | None = None
        self._looked_ahead: object = None
        self._layout = GridLayout(NOTHING, 1, self.chip_size, tokens.PAD, collapsed=frozenset())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._cache.cancel())
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._cache.ready.connect(self.viewport().update)
        session.selection.changed.connect(lambda _origin: self._read_selection())
        session.selection.hovered.connect(lambda _origin: self._read_hover())
        look().changed.connect(self.viewport().update)

    # --- what is shown

    def show_chips(self, run: Run | None, chips: Arrangement, *, index: RowIndex, to_top: bool) -> None:
        """Show rows of a run; the scroll position stays where it can unless `to_top`."""
        self.run, self.chips, self._index = run, chips, index
        self._lay_out()
        if to_top:
            self.verticalScrollBar().setValue(0)
            self.cursor_at = self._anchor = 0
        self.cursor_at = min(self.cursor_at, max(len(chips) - 1, 0))
        self._read_selection()
        self._read_hover()
        self.viewport().update()

    def set_size(self, size: int) -> None:
        """Chips of about this many px; what is at the top stays there."""
        size = min(max(size, SMALLEST), LARGEST)
        if size != self.chip_size:
            first = self._first_in_view()
            self.chip_size = size
            self._lay_out()
            if first > 0:
                self.verticalScrollBar().setValue(self._layout.rect(first)[1] - HEADER)
            self.viewport().update()

    @property
    def layout_(self) -> GridLayout:
        """Where things lie, in content px (scroll position not taken off)."""
        return self._layout

    def rect_of(self, position: int) -> QRect:
        """Where a chip is on the viewport."""
        x, y, side = self._layout.rect(position)
        return QRect(x, y - self.verticalScrollBar().value(), side, self._layout.side)

    def _lay_out(self) -> None:
        view = self.viewport()
        self._layout = GridLayout(self.chips, view.width(), self.chip_size, tokens.PAD, collapsed=self._collapsed)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(self._layout.height - view.height(), 0))
        bar.setPageStep(view.height())
        bar.setSingleStep(max(self._layout.pitch // 2, 8))

    def _first_in_view(self) -> int:
        top = self.verticalScrollBar().value()
        if not len(self.chips) or top == 0:
            return 0
        for g in self._layout.groups_between(top, top + self.viewport().height()):
            found = self._layout.positions_between(g, top + HEADER, top + self.viewport().height())
            if found:
                return found[0]
        return 0

    def _read_selection(self) -> None:
        self._selected = np.zeros(len(self._index.ids), bool)
        self._selected[self._index.rows(self._session.selection.ids)] = True
        # Where all that is shown is selected, rings on every chip would say nothing.
        self._ringed = not bool(self._selected[self.chips.rows].all())
        self.viewport().update()

    def _read_hover(self) -> None:
        old, self._hover = self._hover, self._index.row(self._session.selection.hover)
        for row in (old, self._hover):
            position = np.flatnonzero(self.chips.rows == row)
            if len(position):
                self.viewport().update(self.rect_of(int(position[0])).adjusted(-3, -3, 3, 3 + BAR))

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, t, area = QPainter(self.viewport()), current(), event.rect()
        painter.fillRect(area, QColor(t.bg1))
        if self.run is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._look_ahead()
        top = self.verticalScrollBar().value()
        for g in self._layout.groups_between(top + area.top(), top + area.bottom() + 1):
            self._paint_group(painter, g, top, area)
        self._paint_sticky(painter, top, area)
        if self._band is not None:
            ink = QColor(t.ink)
            painter.setPen(QPen(ink, 1, Qt.PenStyle.DashLine))
            ink.setAlpha(24)
            painter.setBrush(ink)
            painter.drawRect(self._band)

    def _paint_group(self, painter: QPainter, g: int, top: int, area: QRect) -> None:
        assert self.run is not None
        head = QRect(0, int(self._layout.tops[g]) - top, self.viewport().width(), HEADER)
        if head.intersects(area):
            paint_header(painter, head, self.chips.heading(g), folded=bool(self._layout.folded[g]))
        scores = witness_scores(self._session.project, self.run)
        for position in self._layout.positions_between(g, top + area.top(), top + area.bottom() + 1):
            rect = self.rect_of(position)
            if rect.right() + 3 < area.left() or rect.left() - 3 > area.right():
                continue
            row = int(self.chips.rows[position])
            failed = int(self.run.source[row]) in self._cache.errors
            paint_picture(painter, rect, self._cache.get(self.run, row, rect.width()), failed=failed)
            if scores is not None:
                paint_score(painter, QRect(rect.x(), rect.bottom() + 3, rect.width(), 3), float(scores[row]))
            cursor = self.hasFocus() and position == self.cursor_at
            banded = self._band is not None and self._band.intersects(rect)
            selected = self._ringed and bool(self._selected[row])
            paint_ring(painter, rect, selected=selected, hovered=row == self._hover or banded, cursor=cursor)

    def _paint_sticky(self, painter: QPainter, top: int, area: QRect) -> None:
        """The header of the group at the top stays in view until the next one pushes it out."""
        g = next(iter(self._layout.groups_between(top, top + 1)), -1)
        if g < 0 or top <= self._layout.tops[g] or area.top() >= HEADER:
            return
        y = min(0, int(self._layout.tops[g + 1]) - top - HEADER)
        head = QRect(0, y, self.viewport().width(), HEADER)
        paint_header(painter, head, self.chips.heading(g), folded=bool(self._layout.folded[g]))

    def _look_ahead(self) -> None:
        """Wish for the chips of the next screens, before those in view, which so come first."""
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        key = (id(self.chips), top, height, self.chip_size)
        if key == self._looked_ahead or self.run is None:
            return
        self._looked_ahead = key
        stop = top + (1 + _AHEAD) * height
        for g in self._layout.groups_between(top, stop):
            for position in reversed(self._layout.positions_between(g, top, stop)):
                self._cache.want(self.run, int(self.chips.rows[position]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    # --- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._press is None:
            self._point_at(at)
            return
        if self._band is None and (at - self._press).manhattanLength() < _CLICK:
            return
        self._band = QRect(self._press.toPoint(), at.toPoint()).normalized()
        self._scroll_towards(at)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._press is None:
            return
        self._press, band = None, self._band
        self._band = None
        if band is not None:
            self._select_band(band, event.modifiers())
        else:
            self._click(event.position(), event.modifiers())
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position = self._at(event.position())
        if position >= 0:
            self._session.go_to_instance(self._id(position))

    def leaveEvent(self, event: QEvent) -> None:
        if self._hover >= 0:
            self._session.selection.set_hover(None, origin=self)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Mod.ControlModifier:
            self.resized.emit(self.chip_size + (8 if event.angleDelta().y() > 0 else -8))
            event.accept()
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the chip under the pointer (selected if it was not), or of the keyboard's place."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        position = self.cursor_at if by_key else self._at(QPointF(event.pos()))
        if not 0 <= position < len(self.chips):
            return
        if not self._selected[self.chips.rows[position]]:
            self._select(range(position, position + 1), "replace")
        middle = self.viewport().mapToGlobal(self.rect_of(position).center())
        self.menu_wanted.emit(middle if by_key else event.globalPos())

    def _at(self, at: QPointF) -> int:
        if 0 <= at.y() < HEADER and self._sticky_group() >= 0:
            return -1
        return self._layout.at(at.x(), at.y() + self.verticalScrollBar().value())

    def _sticky_group(self) -> int:
        top = self.verticalScrollBar().value()
        g = next(iter(self._layout.groups_between(top, top + 1)), -1)
        return g if g >= 0 and top > self._layout.tops[g] else -1

    def _header_at(self, at: QPointF) -> int:
        if at.y() < HEADER and self._sticky_group() >= 0:
            return self._sticky_group()
        return self._layout.header_at(at.y() + self.verticalScrollBar().value())

    def _point_at(self, at: QPointF) -> None:
        position = self._at(at)
        self._session.selection.set_hover(self._id(position) if position >= 0 else None, origin=self)

    def _click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        g = self._header_at(at)
        if g >= 0:
            self._click_header(g, at, modifiers)
            return
        position = self._at(at)
        if position < 0:
            self._session.selection.select(np.empty(0, np.int64), mode=mode_of(modifiers), origin=self)
            return
        self.cursor_at = position
        if modifiers & Mod.ShiftModifier:
            self._select_span(position)
            return
        self._anchor = position
        self._select(range(position, position + 1), mode_of(modifiers))

    def _click_header(self, g: int, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The chevron folds the group, its name selects it."""
        if at.x() < tokens.PAD + 16:
            self._collapsed = self._collapsed ^ {int(self.chips.keys[g])}
            self._lay_out()
        else:
            self._select(self._span_of_group(g), mode_of(modifiers))

    def _select_band(self, band: QRect, modifiers: Qt.KeyboardModifier) -> None:
        top = self.verticalScrollBar().value()
        found = self._layout.inside(band.left(), band.top() + top, band.right(), band.bottom() + top)
        self._select(found, mode_of(modifiers))

    def _scroll_towards(self, at: QPointF) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        step = -24 if at.y() < 0 else 24 if at.y() > height else 0
        if step and self._press is not None:
            before = bar.value()
            bar.setValue(before + step)
            self._press -= QPointF(0, bar.value() - before)

    # --- selecting

    def _id(self, position: int) -> int:
        return int(self._index.ids[self.chips.rows[position]])

    def _span_of_group(self, g: int) -> range:
        return range(int(self.chips.starts[g]), int(self.chips.starts[g + 1]))

    def _select(self, positions: "range | list[int]", mode: str) -> None:
        rows: Rows = self.chips.rows[np.asarray(positions, np.int64)]
        self._session.selection.select(self._index.ids[rows], mode=mode, origin=self)

    def _select_span(self, position: int) -> None:
        low, high = sorted((min(self._anchor, len(self.chips) - 1), position))
        self._select(range(low, high + 1), "replace")

    # --- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not len(self.chips) or not self._press_key(event):
            super().keyPressEvent(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        key, mods = Key(event.key()), event.modifiers() & ~Mod.KeypadModifier
        if key in _MOVES and not mods & (Mod.AltModifier | Mod.ControlModifier):
            self._move(_MOVES[key], extend=bool(mods & Mod.ShiftModifier))
        elif key == Key.Key_A and mods == Mod.ControlModifier:
            self._select_all()
        elif mods:
            return False
        elif key == Key.Key_Space:
            self._anchor = self.cursor_at
            self._select(range(self.cursor_at, self.cursor_at + 1), "toggle")
        elif key in (Key.Key_Return, Key.Key_Enter):
            self._anchor = self.cursor_at
            self._select(range(self.cursor_at, self.cursor_at + 1), "replace")
        elif key == Key.Key_Escape:
            self._session.selection.clear()
        else:
            return self._mark(key)
        return True

    def _move(self, where: str, *, extend: bool) -> None:
        self.cursor_at = self._layout.moved(self.cursor_at, where, self.viewport().height())
        if extend:
            self._select_span(self.cursor_at)
        else:
            self._anchor = self.cursor_at
        self._reveal(self.cursor_at)
        self._session.selection.set_hover(self._id(self.cursor_at), origin=self)
        self.viewport().update()

    def _reveal(self, position: int) -> None:
        rect, bar = self.rect_of(position), self.verticalScrollBar()
        if rect.top() < HEADER:
            bar.setValue(bar.value() + rect.top() - HEADER)
        elif rect.bottom() + BAR > self.viewport().height():
            bar.setValue(bar.value() + rect.bottom() + BAR - self.viewport().height())

    def _select_all(self) -> None:
        """The group of the cursor; once more, everything shown."""
        span = self._span_of_group(self.chips.group_of(self.cursor_at))
        whole = bool(self._selected[self.chips.rows[span.start : span.stop]].all())
        self._select(range(len(self.chips)) if whole else span, "replace")

    def _mark(self, key: Qt.Key) -> bool:
        """1-9 say the class of the selected chips (else of the one at the cursor), G ignores them."""
        info = class_of_key(self._session.project, key - Key.Key_0) if Key.Key_1 <= key <= Key.Key_9 else None
        if key != Key.Key_G and info is None:
            return False
        if not len(self._session.selection):
            self._select(range(self.cursor_at, self.cursor_at + 1), "replace")
        self._session.mark_selection(info.id if info is not None else 0)
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def summarize(self) -> None:
        """Words for screen readers."""
        chosen = int(self._selected[self.chips.rows].sum())
        self.setAccessibleName(f"Chips, {spaced(len(self.chips))} shown, {spaced(chosen)} selected")
