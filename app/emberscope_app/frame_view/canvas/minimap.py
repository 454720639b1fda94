"""The small map top right: the whole frame, the part in view, the zoom. Shown only when not
everything fits."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from emberscope_app.frame_view.canvas.frame_image import FrameImage
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers import strokes
from emberscope_app.theme import tokens
from emberscope_app.theme.look import font
from emberscope_app.words import percent

_WIDTH, _TALLEST, _MARGIN = 142.0, 160.0, 12.0


class MiniMap:
    """Painted by the canvas; a press or drag on it brings that place to the middle."""

    def __init__(self, view: Viewport) -> None:
        self._view = view
        self._small: tuple[int, QImage] = (0, QImage())
        self._pixels: np.ndarray | None = None

    def box(self, frame_image: FrameImage) -> QRectF:
        rows, cols = frame_image.shape
        scale = min(_WIDTH / cols, _TALLEST / rows)
        return QRectF(
            self._view.size.width() - _MARGIN - cols * scale, _MARGIN, cols * scale, rows * scale
        )

    def contains(self, at: QPointF, frame_image: FrameImage) -> bool:
        return (
            not self._view.everything_visible
            and frame_image.gray is not None
            and self.box(frame_image).contains(at)
        )

    def go(self, at: QPointF, frame_image: FrameImage) -> None:
        box, (rows, cols) = self.box(frame_image), frame_image.shape
        self._view.center_on(
            (at.x() - box.left()) / box.width() * cols, (at.y() - box.top()) / box.height() * rows
        )

    def paint(self, painter: QPainter, frame_image: FrameImage) -> None:
        if frame_image.gray is None:
            return
        box, cols = self.box(frame_image), frame_image.shape[1]
        painter.setPen(QPen(QColor(12, 14, 16, 214), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        painter.drawImage(box, self._shrunk(frame_image))
        painter.fillRect(box, QColor(12, 14, 16, 90))
        seen, scale = self._view.visible, box.width() / cols
        part = QRectF(
            box.left() + seen.left() * scale,
            box.top() + seen.top() * scale,
            seen.width() * scale,
            seen.height() * scale,
        )
        painter.drawImage(
            part,
            self._shrunk(frame_image),
            QRectF(part.left() - box.left(), part.top() - box.top(), part.width(), part.height()),
        )
        painter.setPen(QPen(strokes.WHITE, 1.5))
        painter.drawRect(part)
        words = percent(self._view.zoom)
        plate = QRectF(box.right() - 50, box.bottom() - 22, 46, 18)
        strokes.ground(painter, plate)
        painter.setFont(font(tokens.PX_SMALL, 600))
        painter.setPen(strokes.WHITE)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, words)

    def _shrunk(self, frame_image: FrameImage) -> QImage:
        """The gray at map size; made once per frame."""
        assert frame_image.gray is not None
        if self._small[0] != id(frame_image.gray):
            box, (rows, cols) = self.box(frame_image), frame_image.shape
            w, h = max(int(box.width()), 1), max(int(box.height()), 1)
            self._pixels = np.ascontiguousarray(
                frame_image.gray[np.arange(h) * rows // h][:, np.arange(w) * cols // w]
            )
            self._small = (
                id(frame_image.gray),
                QImage(self._pixels.data, w, h, w, QImage.Format.Format_Grayscale8),
            )
        return self._small[1]
