"""Chips as points: the pixels of the best instances on the map, as many as fit without overlap."""

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from emberscope_app.latent_view.cloud import Cloud
from emberscope_app.latent_view.hover_card import chip
from emberscope_app.session import Session

SIZE = 40        # logical px
_A_TICK = 4      # chips read from files at once: a few ms
_KEPT = 2000
_TRIED = 20_000  # best instances that are tried for a place


def places_without_overlap(x: np.ndarray, y: np.ndarray, order: np.ndarray, size: float, width: float,
                           height: float) -> list[int]:
    """Rows, best first, whose square of `size` px overlaps no earlier one (grid occupancy), within a picture."""
    taken: set[tuple[int, int]] = set()
    found = []
    cell_x, cell_y = np.floor(x / size).astype(int), np.floor(y / size).astype(int)
    for row in order.tolist():
        cell = (int(cell_x[row]), int(cell_y[row]))
        if not (0 <= x[row] < width and 0 <= y[row] < height) or cell in taken:
            continue
        near = [(cell[0] + i, cell[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        if any(other in taken for other in near):
            continue
        taken.add(cell)
        found.append(row)
    return found


class ChipLayer(QObject):
    """Paints chips over the points; reads them a few at a time so that the map keeps moving."""

    def __init__(self, session: Session, cloud: Cloud, surface: Any) -> None:
        super().__init__(surface)
        self._session, self._cloud, self._surface = session, cloud, surface
        self.on = False
        self._images: dict[int, QImage | None] = {}
        self._wanted: list[int] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._read_some)
        cloud.changed.connect(self._on_cloud)

    def set_on(self, on: bool) -> None:
        self.on = on
        self._surface.canvas.update()

    def _on_cloud(self, what: str) -> None:
        if what == "points":
            self._images.clear()
            self._timer.stop()

    def shown(self) -> list[int]:
        """Rows whose chips stand on the map now."""
        run = self._cloud.run
        if not self.on or run is None or not self._cloud.pickable:
            return []
        at = self._surface.screen()[:, :2] / self._surface.ratio
        score = run.point_scores.get("score")
        rows = np.flatnonzero(self._cloud.visible)
        order = rows[np.argsort(-score[rows], kind="stable")] if score is not None else rows
        canvas = self._surface.canvas
        return places_without_overlap(at[:, 0], at[:, 1], order[:_TRIED], SIZE, canvas.width(), canvas.height())

    def paint(self, painter: QPainter) -> None:
        rows = self.shown()
        if not rows:
            return
        at = self._surface.screen()[:, :2] / self._surface.ratio
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for row in rows:
            image = self._images.get(row)
            if image is None:
                continue
            rect = QRectF(float(at[row, 0]) - SIZE / 2, float(at[row, 1]) - SIZE / 2, SIZE, SIZE)
            painter.drawImage(rect, image)
            painter.setPen(QPen(QColor(0xFF000000 | int(self._cloud.rgb[row])), 1))
            painter.drawRect(rect)
        self._wanted = [row for row in rows if row not in self._images]
        if self._wanted:
            self._timer.start()

    def _read_some(self) -> None:
        run = self._cloud.run
        if not self._wanted or run is None or len(self._images) > _KEPT:
            self._timer.stop()
            return
        for row in self._wanted[:_A_TICK]:
            self._images[row] = chip(self._session, run, row, SIZE)
        self._wanted = self._wanted[_A_TICK:]
        self._surface.canvas.update()
