"""Rings around the points above the threshold, while runs are judged side by side."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.session import Session
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.theme.look import current

_RING, _RINGS, _DOTS = 4.5, 1500, 20_000  # px; of more rings dots, of more dots some are painted


class AboveThreshold(MapLayer):
    """Green around targets that are found, and yellow around ground taken for target."""

    id = "above_threshold"
    title = "Points above the threshold of the Evaluate workspace"
    on_at_first = True
    height = 4

    def __init__(self, session: Session, surface: Surface) -> None:
        super().__init__(session, surface)
        self.evaluation = evaluation_of(session)
        self.evaluation.moved.connect(surface.canvas.update)
        self.evaluation.changed.connect(surface.canvas.update)

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Rows of the run on show, and whether each shows a target; none while nobody judges."""
        return self.evaluation.above_of(self.cloud.run)

    def paint(self, painter: QPainter) -> None:
        rows, right = self.rows()
        rows, right = rows[self.cloud.visible[rows]], right[self.cloud.visible[rows]]
        for own, color in ((~right, current().warn), (right, current().ok)):
            _paint_rings(painter, self.surface.spots(rows[own]), color)


def _paint_rings(painter: QPainter, places: NDArray, color: str) -> None:
    """places : (n, 2) px, NaN for what is out of sight."""
    there = places[np.isfinite(places).all(axis=1)]
    if len(there) > _RINGS:
        painter.setPen(QPen(QColor(color), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        some = there[:: len(there) // _DOTS + 1]
        painter.drawPoints(QPolygonF([QPointF(*at) for at in some.tolist()]))
        return
    painter.setPen(QPen(QColor(color), 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in there.tolist():
        painter.drawEllipse(QPointF(*at), _RING, _RING)
