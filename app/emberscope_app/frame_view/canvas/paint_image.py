"""Paints the gray of a frame through the view, with a grid of pixels at high zoom."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from emberscope_app.frame_view.canvas.viewport import GRID_FROM, NEAREST_FROM, Viewport


def paint_image(painter: QPainter, view: Viewport, image: QImage) -> None:
    """The part in view, of whole pixels; pixels keep their edges at 1:1 and from `NEAREST_FROM`
    on."""
    if image.isNull():
        return
    near = view.zoom >= NEAREST_FROM or view.zoom == 1.0
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not near)
    visible = view.visible
    part = QRectF(
        QPointF(int(visible.left()), int(visible.top())),
        QPointF(int(visible.right()) + 1, int(visible.bottom()) + 1),
    )
    part = part.intersected(QRectF(image.rect()))
    painter.drawImage(view.rect(part.left(), part.top(), part.right(), part.bottom()), image, part)
    if view.zoom >= GRID_FROM:
        _paint_grid(painter, view, part)


def _paint_grid(painter: QPainter, view: Viewport, part: QRectF) -> None:
    painter.setPen(QPen(QColor(0, 0, 0, 60), 1))
    for x in range(int(part.left()), int(part.right()) + 1):
        painter.drawLine(view.to_screen(x, part.top()), view.to_screen(x, part.bottom()))
    for y in range(int(part.top()), int(part.bottom()) + 1):
        painter.drawLine(view.to_screen(part.left(), y), view.to_screen(part.right(), y))
