"""The instances of a frame above the threshold, while runs are judged side by side."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter

from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.layer import FrameLayer
from emberscope_app.frame_view.layers.strokes import cased, pen
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.theme.tokens import DARK


class AboveThreshold(FrameLayer):
    """Targets that are found, a whole green line; ground taken for target, a dashed yellow one."""

    height = -1

    def boxes(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """(n, 4) of the frame on show, and whether each shows a target."""
        run = self.instances.run
        rows, right = evaluation_of(self.session).above_of(run)
        if run is None:
            return np.empty((0, 4), np.float32), right
        here = np.isin(rows, self.instances.rows)
        return run.box[rows[here]], right[here]

    def paint(self, painter: QPainter, view: Viewport) -> None:
        boxes, right = self.boxes()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for own, color, dash in ((~right, DARK.warn, (4, 3)), (right, DARK.ok, ())):
            rects = [view.rect(*row) for row in boxes[own].tolist()]
            if rects:
                cased(painter, pen(QColor(color), 1.4, dash),
                      lambda rects=rects: painter.drawRects(rects))  # type: ignore[misc]
