"""The bag of the point pointed at, as lines from its witness, and hulls about bags that are
selected as a whole."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from emberscope.project.model.witness import witness_scores
from emberscope_app.latent_view.layers.false_neighbors import FalseNeighbors
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.state.core.best_first import best_first
from emberscope_app.theme.look import current

_OUTLINED = 12  # selected bags that get a hull
_LINES = 24     # lines from a witness; a larger bag has its hull, and lines to
_BEST = 5       # members of it


class BagLines(MapLayer):
    """Lines to missing neighbors would look like those from a witness: while they are on, there are
    hulls only."""

    id = "bag_lines"
    icon = "bag"
    title = "Lines of the bag pointed at, hulls of selected bags"
    on_at_first = True
    height = 4

    def paint(self, painter: QPainter) -> None:
        run = self.cloud.run
        if run is None or not len(run.bags):
            return
        whole = self.cloud.whole_bags
        for bag in whole if len(whole) <= _OUTLINED else ():
            self._paint_hull(painter, int(bag))
        if self.cloud.hover_row >= 0 and not self.session.layers.is_on(FalseNeighbors.id):
            self._paint_lines(painter, self.cloud.hover_row)

    def links(self, row: int) -> NDArray[np.int64]:
        """Rows of the bag of a row that is pointed at: the witness first, then what lines lead to
        from there; of many members the best only. Empty where it is in no bag."""
        run, bag = self.cloud.run, self.cloud.bag_of(row)
        if run is None or bag < 0:
            return np.empty(0, np.int64)
        members = run.bags.of(bag)
        members = members[self.cloud.visible[members]]
        score, hub = witness_scores(self.session.project, run, members), row
        if score is not None and run.bag_labels[bag] > 0 and np.isfinite(score).any():
            hub = int(members[np.nanargmax(score)])
        if len(members) > _LINES:
            members = members[best_first(score if score is not None else np.zeros(len(members)))][
                : _BEST + 1
            ]
        return np.array([hub, *members[members != hub]])

    def _paint_lines(self, painter: QPainter, row: int) -> None:
        run, rows = self.cloud.run, self.links(row)
        if run is None or not len(rows):
            return
        bag = self.cloud.bag_of(row)
        if run.bags.sizes[bag] > _LINES and bag not in self.cloud.whole_bags:
            self._paint_hull(painter, bag)
        ink = QColor(current().ink)
        ink.setAlphaF(0.45)
        painter.setPen(QPen(ink, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start, *ends = [QPointF(*place) for place in self.surface.spots(rows).tolist()]
        painter.drawLines([QLineF(start, end) for end in ends])
        ink.setAlphaF(0.8)
        painter.setPen(QPen(ink, 1.2))
        for end in ends:
            painter.drawEllipse(end, 4.5, 4.5)

    def _paint_hull(self, painter: QPainter, bag: int) -> None:
        run, ink = self.cloud.run, QColor(current().ink)
        assert run is not None
        ink.setAlphaF(0.5)
        painter.setPen(QPen(ink, 1))
        ink.setAlphaF(0.08)
        painter.setBrush(ink)
        corners = convex_hull(self.surface.spots(run.bags.of(bag)))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners.tolist()]))


def convex_hull(points: NDArray) -> NDArray[np.float64]:
    """(H, 2) corners of the convex hull, counter-clockwise (Andrew's monotone chain); O(N log
    N)."""
    found = np.unique(np.asarray(points, float), axis=0)
    if len(found) < 3:
        return found
    return np.array(_chain(found)[:-1] + _chain(found[::-1])[:-1])


def _chain(points: NDArray) -> list[NDArray]:
    out: list[NDArray] = []
    for p in points:
        while len(out) > 1:
            (ax, ay), (bx, by) = out[-2], out[-1]
            if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                break
            out.pop()
        out.append(p)
    return out
