"""Chips as points: the pixels of the best instances on the map, as many as fit without overlap."""

import numpy as np
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.project.witness import witness_scores
from emberscope_app.latent_view.cloud import Cloud
from emberscope_app.latent_view.surface import Surface
from emberscope_app.pixels.chip_cache import chip_cache
from emberscope_app.state.session import Session

SIZE = 32        # logical px
SPACING = 40     # px between their middles: points show between chips
_TRIED = 20_000  # best instances that are tried for a place


def places_without_overlap(x: np.ndarray, y: np.ndarray, order: np.ndarray, size: float, width: float,
                           height: float) -> list[int]:
    """Rows, best first, whose square of `size` px overlaps no earlier one, within the map; by cells of that size."""
    taken: dict[tuple[int, int], tuple[float, float]] = {}  # of squares that do not overlap a cell holds one middle
    found = []
    across, down = x.tolist(), y.tolist()
    for row in order.tolist():
        at_x, at_y = across[row], down[row]
        if not (0 <= at_x < width and 0 <= at_y < height):
            continue
        cell_x, cell_y = int(at_x // size), int(at_y // size)
        near = [taken.get((cell_x + i, cell_y + j)) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        if any(other and max(abs(other[0] - at_x), abs(other[1] - at_y)) < size for other in near):
            continue
        taken[cell_x, cell_y] = (at_x, at_y)
        found.append(row)
    return found


class ChipLayer(QObject):
    """Paints chips over the points, those that are cut already; the others when they are."""

    def __init__(self, session: Session, cloud: Cloud, surface: Surface) -> None:
        super().__init__(surface.widget)
        self._session, self._cloud, self._surface = session, cloud, surface
        self.on = False
        self._chips = chip_cache(session)
        self._chips.ready.connect(self._on_ready)

    def set_on(self, on: bool) -> None:
        self.on = on
        self._surface.canvas.update()

    def _on_ready(self) -> None:
        if self.on:
            self._surface.canvas.update()

    def shown(self) -> list[int]:
        """Rows whose chips stand on the map now."""
        run = self._cloud.run
        if not self.on or run is None or not self._cloud.pickable:
            return []
        at = self._surface.positions()[:, :2] / self._surface.ratio
        score = witness_scores(self._session.project, run)
        rows = np.flatnonzero(self._cloud.visible)
        order = rows[np.argsort(-np.nan_to_num(score[rows], nan=-1.0), kind="stable")] if score is not None else rows
        canvas = self._surface.canvas
        return places_without_overlap(at[:, 0], at[:, 1], order[:_TRIED], SPACING, canvas.width(), canvas.height())

    def paint(self, painter: QPainter) -> None:
        run, rows = self._cloud.run, self.shown()
        if not rows or run is None:
            return
        at = self._surface.positions()[:, :2] / self._surface.ratio
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for row in rows:
            image = self._chips.get(run, row, SIZE)
            if image is None:
                continue
            rect = QRectF(float(at[row, 0]) - SIZE / 2, float(at[row, 1]) - SIZE / 2, SIZE, SIZE)
            painter.drawImage(rect, image)
            painter.setPen(QPen(QColor(0xFF000000 | int(self._cloud.rgb[row])), 1))
            painter.drawRect(rect)
