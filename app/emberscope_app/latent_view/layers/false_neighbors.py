"""False and missing neighbors of one instance: who stands beside it in the map but not in the
features, and who is beside it in the features but stands elsewhere."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.findings.maps.graph import neighbors_of
from emberscope.findings.shown_axes import FIRST, Axes, columns
from emberscope.project import Run
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.state.knowledge.shown_axes import axes_on_show
from emberscope_app.theme.look import current

_RING, _HOLLOW = 5.5, 3.0


class FalseNeighbors(MapLayer):
    """Of the instance pointed at: warm rings on false neighbors, cool hollow marks and lines to
    missing ones. Near is what is near on the two axes on show."""

    id = "false_neighbors"
    icon = "faith"
    title = "Neighbors of the instance pointed at: false ones ringed warm, missing ones cool"
    height = 5

    def why_not(self) -> str:
        return (
            ""
            if neighbors_of(self.session.run) is not None
            else "This run keeps no neighbors. Run it again."
        )

    def words(self, run: Run, row: int) -> list[str]:
        return kept_words(run, row, axes_on_show(run, self.session.focus.axes))

    def paint(self, painter: QPainter) -> None:
        cloud, row = self.cloud, self.cloud.hover_row
        neighbors = neighbors_of(cloud.run)
        if neighbors is None or row < 0:
            return
        false, missing = false_and_missing(
            np.asarray(columns(cloud.Z, cloud.shown_axes), float), neighbors, row
        )
        false, missing = false[cloud.visible[false]], missing[cloud.visible[missing]]
        _paint_marks(
            painter, *(self.surface.spots(rows) for rows in (np.array([row]), false, missing))
        )


def false_and_missing(
    Z: NDArray, neighbors: NDArray, row: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows near `row` in Z (N, d) that `neighbors` (N, k) does not list, and listed rows that are
    not near; O(N)."""
    listed = np.asarray(neighbors[row], np.int64)
    far = np.square(Z - Z[row]).sum(axis=1)
    far[row] = np.inf
    k = min(len(listed), len(Z) - 1)
    near = np.argpartition(far, k - 1)[:k] if k else np.empty(0, np.int64)
    near = near[np.isfinite(far[near])]
    return np.setdiff1d(near, listed), np.setdiff1d(listed, near)


def kept_words(run: Run, row: int, axes: Axes = FIRST) -> list[str]:
    """"9 of 15 neighbors kept" on the axes on show; nothing where the run does not know them."""
    listed = neighbors_of(run)
    if listed is None:
        return []
    _, missing = false_and_missing(np.asarray(columns(run.Z, axes), float), listed, row)
    return [f"{listed.shape[1] - len(missing)} of {listed.shape[1]} neighbors kept"]


def _paint_marks(painter: QPainter, here: NDArray, false: NDArray, missing: NDArray) -> None:
    """here (1, 2), false (F, 2), missing (M, 2) : logical px."""
    warm, cool = QColor(current().warn), QColor(current().info)
    faint = QColor(cool)
    faint.setAlphaF(0.55)
    painter.setBrush(QColor(0, 0, 0, 0))
    painter.setPen(QPen(faint, 1))
    painter.drawLines(
        [QLineF(QPointF(*here[0].tolist()), QPointF(*place)) for place in missing.tolist()]
    )
    painter.setPen(QPen(cool, 1.6))
    for place in missing.tolist():
        painter.drawEllipse(QPointF(*place), _HOLLOW, _HOLLOW)
        painter.drawEllipse(QPointF(*place), _RING, _RING)
    painter.setPen(QPen(warm, 1.8))
    for place in false.tolist():
        painter.drawEllipse(QPointF(*place), _RING, _RING)
