"""Hollow squares where clusters of negative instances lie, among which concepts were looked for."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.state.core.layers_on import GROUND_SQUARES
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.points.placing import in_frame_of
from emberscope_app.theme.look import current

_SIDE = 10.0  # px


class GroundSquares(MapLayer):
    """Hollow, since they are no targets. The Concepts dock has the button."""

    id = GROUND_SQUARES
    title = "Clusters of negative instances"
    height = 7
    in_space = True

    def why_not(self) -> str:
        found = run_concepts(self.session.project, self.cloud.run)
        return (
            ""
            if found is not None and len(found.ground)
            else "This run keeps no clusters of negative instances"
        )

    def paint(self, painter: QPainter) -> None:
        cloud, found = self.cloud, run_concepts(self.session.project, self.cloud.run)
        if found is None or not len(found.ground) or cloud.at is not None or cloud.dimensions < 2:
            return
        at = self.surface.from_space(in_frame_of(cloud.Z, found.ground))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in at[np.isfinite(at).all(axis=1)].tolist():
            for color, wide in ((current().plot, 4.0), (current().ink, 1.6)):
                painter.setPen(QPen(QColor(color), wide))
                painter.drawRect(QRectF(x - _SIDE / 2, y - _SIDE / 2, _SIDE, _SIDE))
