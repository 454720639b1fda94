"""The bag of the point pointed at, as lines from its witness, and hulls about bags that are selected as a whole."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope.project.model.witness import witness_scores
from emberscope_app.latent_view.layers.overlays import convex_hull
from emberscope_app.latent_view.surfaces.surface import Surface
from emberscope_app.state.core.best_first import best_first
from emberscope_app.state.core.session import Session
from emberscope_app.state.points.cloud import Cloud
from emberscope_app.theme.look import current

_OUTLINED = 12  # selected bags that get a hull
_LINES = 24     # lines from a witness; a larger bag has its hull, and lines to
_BEST = 5       # members of it


class BagLines:
    """Paints over the points of a map."""

    def __init__(self, session: Session, cloud: Cloud, surface: Surface) -> None:
        self._session, self._cloud, self._surface = session, cloud, surface

    def paint(self, painter: QPainter, *, lines: bool) -> None:
        """Hulls, and `lines` of the bag pointed at."""
        run = self._cloud.run
        if run is None or not self._cloud.pickable or not len(run.bags):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = self._cloud.whole_bags
        for bag in whole if len(whole) <= _OUTLINED else ():
            self._paint_hull(painter, int(bag))
        if lines and self._cloud.hover_row >= 0:
            self._paint_lines(painter, self._cloud.hover_row)

    def links(self, row: int) -> NDArray[np.int64]:
        """Rows of the bag of a row that is pointed at: the witness first, then what lines lead to from there; of many
        members the best only. Empty where it is in no bag."""
        run = self._cloud.run
        bag = run.bags.first_of(row) if run is not None else -1
        if run is None or bag < 0:
            return np.empty(0, np.int64)
        members = run.bags.of(bag)
        members = members[self._cloud.visible[members]]
        score, hub = witness_scores(self._session.project, run, members), row
        if score is not None and run.bag_labels[bag] > 0 and np.isfinite(score).any():
            hub = int(members[np.nanargmax(score)])
        if len(members) > _LINES:
            members = members[best_first(score if score is not None else np.zeros(len(members)))][: _BEST + 1]
        return np.array([hub, *members[members != hub]])

    def _paint_lines(self, painter: QPainter, row: int) -> None:
        run, rows = self._cloud.run, self.links(row)
        if run is None or not len(rows):
            return
        bag = run.bags.first_of(row)
        if run.bags.sizes[bag] > _LINES and bag not in self._cloud.whole_bags:
            self._paint_hull(painter, bag)
        ink = QColor(current().ink)
        ink.setAlphaF(0.45)
        painter.setPen(QPen(ink, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start, *ends = self._at(rows)
        painter.drawLines([QLineF(start, end) for end in ends])
        ink.setAlphaF(0.8)
        painter.setPen(QPen(ink, 1.2))
        for end in ends:
            painter.drawEllipse(end, 4.5, 4.5)

    def _paint_hull(self, painter: QPainter, bag: int) -> None:
        run, ink = self._cloud.run, QColor(current().ink)
        assert run is not None
        ink.setAlphaF(0.5)
        painter.setPen(QPen(ink, 1))
        ink.setAlphaF(0.08)
        painter.setBrush(ink)
        corners = convex_hull(self._surface.positions()[run.bags.of(bag), :2] / self._surface.ratio)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners.tolist()]))

    def _at(self, rows: NDArray) -> list[QPointF]:
        """Where rows are on the canvas, logical px."""
        return [QPointF(*place) for place in (self._surface.positions()[rows, :2] / self._surface.ratio).tolist()]
