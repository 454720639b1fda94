"""The instances that are selected or pointed at in any view, on the frame they lie on."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter

from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.layer import FrameLayer
from emberscope_app.frame_view.layers.strokes import INK, cased, pen
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.frame_instances import FrameInstances

_FAINT = QColor(255, 255, 255, 128)  # ink that steps back


class SelectedInstances(FrameLayer):
    """Selected ones (ink; of many the best, faint, and the line around all), the hovered one
    (thicker ink), outlines of their bags (dashed ink)."""

    with_labels = False

    def __init__(self, session: Session, instances: FrameInstances) -> None:
        super().__init__(session, instances)
        self.chosen = instances.region()
        self.hovered: NDArray[np.float32] | None = None
        self.outlines: list[NDArray[np.float32]] = []

    def follow(self) -> None:
        found = self.instances
        self.chosen, self.hovered, self.outlines = (
            found.region(),
            found.hovered(),
            found.bag_outlines(),
        )

    def paint(self, painter: QPainter, view: Viewport) -> None:
        chosen = self.chosen
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        rects = [view.rect(*row) for row in chosen.boxes.tolist()]
        lines = [
            QLineF(view.to_screen(x0, y0), view.to_screen(x1, y1))
            for x0, y0, x1, y1 in chosen.edges.tolist()
        ]
        if rects and chosen.faint:
            painter.setPen(pen(_FAINT, 1.0))
            painter.drawRects(rects)
        elif rects:
            cased(painter, pen(INK, 1.0), lambda: painter.drawRects(rects))
        if lines:
            cased(painter, pen(INK, 1.4), lambda: painter.drawLines(lines))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for outline in self.outlines:
            box = view.rect(*outline.tolist()).adjusted(-3, -3, 3, 3)
            cased(painter, pen(INK, 1.4, (4, 4)), lambda box=box: painter.drawRect(box))  # type: ignore[misc]
        if self.hovered is not None:
            box = view.rect(*self.hovered.tolist())
            painter.fillRect(box, QColor(255, 255, 255, 36))
            cased(painter, pen(INK, 2.0), lambda: painter.drawRect(box))
