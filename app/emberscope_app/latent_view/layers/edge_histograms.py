"""Histograms of each group of points along two edges of the map: of what is in view."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope.findings.maps.histograms import edge_counts
from emberscope.findings.maps.strip import groups_of
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.latent_view.surfaces.surface import Flat
from emberscope_app.theme.look import current

HIGH = 44  # px of the highest bar
Corner = tuple[float, float]


class EdgeHistograms(MapLayer):
    """Along the lower edge, above the legend, how many points stand above each other; along the
    left one how many beside each other. All groups on one scale."""

    id = "edge_histograms"
    icon = "bars"
    title = "Histograms along the edges, of what is in view"
    height = 6
    needs_below = HIGH
    surface: Flat

    def why_not(self) -> str:
        return "One axis is on show" if self.surface.is_strip else ""

    def paint(self, painter: QPainter) -> None:
        cloud, surface = self.cloud, self.surface
        if not len(cloud) or surface.is_strip:
            return
        group, known = groups_of(self.session.project, cloud.style, current().name)
        keys = [key for key in known if key not in cloud.hidden]
        wide, high = surface.canvas.width(), surface.canvas.height()
        floor = float(high - max(surface.free_below - HIGH, 0))
        (x0, y0), (x1, y1) = surface.to_map(np.array([[0.0, floor], [float(wide), 0.0]])).tolist()
        places, seen = surface.places, cloud.visible
        counts = edge_counts(places[seen, 0], group[seen], keys, (x0, x1))
        self._paint(painter, counts, [known[key][2] for key in keys],
                    lambda at, up: (at * wide, floor - up))
        counts = edge_counts(places[seen, 1], group[seen], keys, (y0, y1))
        self._paint(painter, counts, [known[key][2] for key in keys],
                    lambda at, up: (up, floor * (1 - at)))

    def _paint(
        self, painter: QPainter, counts: NDArray[np.int64], colors: list[str],
        place: Callable[[float, float], Corner],
    ) -> None:
        """place : px of a share along the edge, and of a height."""
        most = max(int(counts.max(initial=0)), 1)
        shares = np.repeat(np.linspace(0, 1, counts.shape[1] + 1), 2).tolist()
        for row, name in zip(counts, colors, strict=True):
            ups = [0.0, *np.repeat(row / most * HIGH, 2).tolist(), 0.0]
            stairs = QPolygonF([QPointF(*place(at, up))
                                for at, up in zip(shares, ups, strict=True)])
            color = QColor(name)
            color.setAlphaF(0.14)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(stairs)
            color.setAlphaF(0.9)
            painter.setPen(QPen(color, 1.2))
            painter.drawPolyline(stairs)
