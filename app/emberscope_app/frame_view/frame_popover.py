"""The frame label popover (I): 1-9 toggle what the frame contains, 0 empty, C complete, Shift =
whole clip.

A / D and arrows step through frames while it stays.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from emberscope_app.frame_view.timeline.seek import seek_key
from emberscope_app.frame_view.tools.frame_label import says, toggle
from emberscope_app.frame_view.tools.gesture import Place
from emberscope_app.state.labels.class_keys import class_of_key, in_order
from emberscope_app.theme import tokens
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.icons import pixmap
from emberscope_app.theme.look import current, font

_ROW, _LOWEST_ROW = 28, 18
_TITLE, _FOOT = 30, 34


class FramePopover(QWidget):
    """Part of the window, not one of its own: the canvas may be lower than it is. Closes with Esc,
    I or a click elsewhere."""

    # What they do here, they do here
    letters = frozenset({Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_D, Qt.Key.Key_I})
    closed = Signal()

    def __init__(self, place: Place, parent: QWidget) -> None:
        super().__init__(parent)
        self._place, self._canvas = place, parent
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Frame label")
        self._under = -1
        self._row = _ROW  # px, less where the window is low
        place.session.changed.connect(lambda _changes: self.update())
        place.session.focus.changed.connect(lambda _names: self.update())
        self.hide()

    def rows(self) -> list[tuple[str, int | None, str, str]]:
        """(what, class id, words, key) of each line."""
        project = self._place.session.project
        found: list[tuple[str, int | None, str, str]] = [
            ("contains", info.id, f"Contains {info.name}", str(i))
            for i, info in enumerate(in_order(project)[:9], 1)
        ]
        return [
            *found,
            ("empty", None, "Empty frame", "0"),
            ("complete", None, "Every target is labeled", "C"),
        ]

    def open_at(self, at: QPointF) -> None:
        """Show at a place of the canvas, or as near to it as the window has room."""
        window = self._canvas.window()
        self.setParent(window)
        self._row = max(
            min(_ROW, (window.height() - _TITLE - _FOOT) // len(self.rows())), _LOWEST_ROW
        )
        self.resize(self.sizeHint())
        corner = self._canvas.mapTo(window, at.toPoint())
        x, y = (
            min(corner.x(), window.width() - self.width()),
            min(corner.y(), window.height() - self.height()),
        )
        self.move(max(x, 0), max(y, 0))
        self.show()
        self.raise_()
        self.setFocus()

    def sizeHint(self) -> QSize:
        return QSize(252, _TITLE + self._row * len(self.rows()) + _FOOT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, whole = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        digit = (
            event.nativeVirtualKey() - ord("0")
            if whole and ord("0") <= event.nativeVirtualKey() <= ord("9")
            else key - Qt.Key.Key_0
        )
        if key in (Qt.Key.Key_Escape, Qt.Key.Key_I, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close_quietly()
        elif seek_key(self._place.session, event):
            pass
        elif key == Qt.Key.Key_C:
            toggle(self._place, "complete", whole_clip=whole)
        elif digit == 0:
            toggle(self._place, "empty", whole_clip=whole)
        elif 1 <= digit <= 9:
            found = class_of_key(self._place.session.project, digit)
            if found is not None:
                toggle(self._place, "contains", found.id, whole_clip=whole)
        else:
            super().keyPressEvent(event)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._under = self._row_at(event.position())
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position())
        if row >= 0:
            what, class_id, _, _ = self.rows()[row]
            toggle(
                self._place,
                what,
                class_id,
                whole_clip=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier),
            )
            self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.close_quietly()
        super().focusOutEvent(event)

    def close_quietly(self) -> None:
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def _row_at(self, at: QPointF) -> int:
        row = int((at.y() - _TITLE) // self._row)
        return row if 0 <= row < len(self.rows()) and at.y() >= _TITLE else -1

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(t.line2), 1))
        painter.setBrush(QColor(t.bg2))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
            tokens.RADIUS_CARD,
            tokens.RADIUS_CARD,
        )
        painter.setPen(QColor(t.t1))
        painter.setFont(font(tokens.PX_BODY, 600))
        painter.drawText(
            QRectF(12, 0, self.width() - 24, _TITLE),
            Qt.AlignmentFlag.AlignVCenter,
            f"Frame {self._place.session.focus.frame + 1}",
        )
        for i, row in enumerate(self.rows()):
            self._paint_row(painter, i, *row)
        painter.setPen(QColor(t.t3))
        painter.setFont(font(tokens.PX_SMALL))
        painter.drawText(
            QRectF(12, self.height() - 30, self.width() - 24, 26),
            Qt.AlignmentFlag.AlignVCenter,
            "Shift: the whole clip   A, D: other frames",
        )
        painter.end()

    def _paint_row(
        self, painter: QPainter, i: int, what: str, class_id: int | None, words: str, key: str
    ) -> None:
        t = current()
        box = QRectF(4, _TITLE + i * self._row, self.width() - 8, self._row)
        if i == self._under:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.bg3))
            painter.drawRoundedRect(box, tokens.RADIUS_FIELD, tokens.RADIUS_FIELD)
        middle = box.center().y()
        if class_id is not None:
            slot = self._place.session.project.classes[class_id].slot
            paint_glyph(painter, slot, QPointF(18, middle), 4.5)
        else:
            painter.drawPixmap(
                QPointF(11, middle - 7),
                pixmap("ignore" if what == "empty" else "check", t.t2, 14, 2.0),
            )
        painter.setPen(QColor(t.t1))
        painter.setFont(font(tokens.PX_BODY, 500))
        room = box.adjusted(28, 0, -56, 0)
        words = painter.fontMetrics().elidedText(
            words, Qt.TextElideMode.ElideMiddle, int(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(QColor(t.t3))
        painter.setFont(font(tokens.PX_SMALL, 500))
        painter.drawText(
            box.adjusted(0, 0, -34, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            key,
        )
        square = QRectF(box.right() - 24, middle - 7, 14, 14)
        on = says(self._place, what, class_id)
        painter.setPen(QPen(QColor(t.ink if on else t.edge), 1.2))
        painter.setBrush(QColor(t.ink) if on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(square, 3, 3)
        if on:
            painter.drawPixmap(square.topLeft() + QPointF(1, 1), pixmap("check", t.onink, 12, 2.0))
