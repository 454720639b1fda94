"""Ways of what moved most between two maps, as lines."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope_app.latent_view.surfaces.plot import Plot
from emberscope_app.theme.look import current

_STRENGTH = 0.32  # of the ink
_END = 2.2  # px, radius of the dot where a way ends


class Movers:
    """ways : (2, W, 3) places of the map, where each begins and where it ends; `on` : they are
    painted."""

    def __init__(self, surface: Plot) -> None:
        self._surface = surface
        self.ways: NDArray = np.zeros((2, 0, 3))
        self.on = True

    def show(self, ways: NDArray | None) -> None:
        """Paint these from now on; None for none."""
        self.ways = ways if ways is not None else np.zeros((2, 0, 3))
        self._surface.canvas.update()

    def paint(self, painter: QPainter) -> None:
        """In logical px of the canvas."""
        if not self.on or not self.ways.shape[1]:
            return
        starts, ends = (self._surface.from_map(way[:, :2]).tolist() for way in self.ways)
        ink = QColor(current().ink)
        ink.setAlphaF(_STRENGTH)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, 1))
        painter.drawLines([QLineF(*start, *end) for start, end in zip(starts, ends, strict=True)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        for end in ends:
            painter.drawEllipse(QPointF(*end), _END, _END)
