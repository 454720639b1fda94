"""Plates over the frame: what is said about it, the read-out under the pointer, what went wrong."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from emberscope_app.frame_view.canvas.frame_image import FrameImage
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.tools.frame_label import sentence
from emberscope_app.frame_view.tools.gesture import Place
from emberscope_app.guard import saved
from emberscope_app.theme import tokens
from emberscope_app.words import pixel_value

Part = tuple[str, QColor, int]  # words, color, weight


class Plates:
    """Frame label top left, read-out bottom left, message at the top."""

    def __init__(self, place: Place, frame_image: FrameImage) -> None:
        self._place, self._frame_image = place, frame_image

    def paint(self, painter: QPainter, pointer: QPointF | None, draft: str) -> None:
        """Paint all; `draft` is the size of what is being drawn."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = self.frame_words()
        if words:
            strokes.row_plate(
                painter, self.frame_box(), ((words, strokes.WHITE, 600),), icon="frame"
            )
        parts = self._readout(pointer, draft)
        if parts:
            width = strokes.row_width(parts)
            strokes.row_plate(
                painter, QRectF(12, self._place.view.size.height() - 38, width, 26), parts
            )
        self._paint_message(painter)

    def frame_words(self) -> str:
        words = sentence(self._place)
        whole = self._place.index().ignored
        return (f"{words}, ignored" if words else "Frame ignored") if whole else words

    def frame_box(self) -> QRectF:
        """Where the frame label plate lies; empty where nothing is said."""
        words = self.frame_words()
        if not words:
            return QRectF()
        return QRectF(12, 12, strokes.row_width(((words, strokes.WHITE, 600),), icon="frame"), 28)

    def readout_box(self, pointer: QPointF | None) -> QRectF:
        """Where the read-out lies; empty where there is none."""
        parts = self._readout(pointer, "")
        return (
            QRectF(12, self._place.view.size.height() - 38, strokes.row_width(parts), 26)
            if parts
            else QRectF()
        )

    def _readout(self, pointer: QPointF | None, draft: str) -> list[Part]:
        """x, y - counts - units under the pointer, and the size of a draft."""
        parts: list[Part] = []
        if pointer is not None:
            x, y = self._place.view.to_frame(pointer)
            value = self._frame_image.value(x, y)
            if value is not None:
                value_text = pixel_value(value, self._frame_image.units())
                parts = [
                    (f"{int(x)}, {int(y)}", strokes.WHITE, 600),
                    (value_text, strokes.WHITE, 500),
                ]
        if draft:
            parts.append((draft, strokes.MUTED, 500))
        return parts

    def _paint_message(self, painter: QPainter) -> None:
        """Why the frame cannot be shown, over the last good one."""
        words = self._frame_image.error or self._frame_image.note
        if not words:
            return
        parts = (
            (words, QColor(tokens.DARK.err if self._frame_image.error else tokens.DARK.warn), 500),
        )
        room = self._place.view.size.width()
        width = min(strokes.row_width(parts, icon="warn"), room - 24)
        with saved(painter):
            box = QRectF((room - width) / 2, 52, width, 32)
            painter.setClipRect(box)
            strokes.row_plate(painter, box, parts, icon="warn")
