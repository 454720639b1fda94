"""Distortion ellipses: what a small ball around an instance became in the embedding, for instances
that stand apart."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from emberscope.project import Run
from emberscope_app.guard import saved
from emberscope_app.latent_view.layers.layer import MapLayer
from emberscope_app.theme.look import current

SPACING = 32        # px of the cells of which each gives place to one ellipse
_RADIUS = 8.0       # px of the median one
_LEAST, _MOST = 1.2, 28.0
_DRAWN, _TRIED = 300, 20_000
Spots = Callable[[NDArray], NDArray]  # where the points of some rows are (M, 2), logical px


class Ellipses(MapLayer):
    """Of the axes on show, where the run has the points."""

    id = "ellipses"
    icon = "ellipses"
    title = "Distortion: how the map stretches the surroundings of an instance"
    height = 1

    def why_not(self) -> str:
        return "" if ellipses_of(self.session.run) is not None else (
            "This run keeps no distortion: it is of an older version, or not of 2 or 3 dimensions")

    def paint(self, painter: QPainter) -> None:
        found, axes = ellipses_of(self.cloud.run), self.cloud.shown_axes
        if found is None or self.cloud.at is not None or max(axes) >= found.shape[1]:
            return
        canvas, rows = self.surface.canvas, np.flatnonzero(self.cloud.visible)
        size = canvas.width(), canvas.height()
        paint_ellipses(painter, found, rows, self.surface.spots, size=size, axes=axes)


def ellipses_of(run: Run | None) -> NDArray | None:
    """(N, d, d) metrics of the features in the embedding, as the run keeps them; None where it has
    none to draw."""
    found = run.diagnostics.get("ellipses") if run is not None else None
    if (
        found is None
        or run is None
        or len(found) != len(run.ids)
        or found.ndim != 3
        or found.shape[1] < 2
    ):
        return None
    return found


def axes_of(
    metrics: NDArray, axes: tuple[int, int] = (0, 1)
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Semi-axes (P, 2), the longer first, and angles (P,) of it, of the ellipses dz' S dz = 1 for S
    (P, d, d), seen along the further dimensions. NaN where S is none.

    The shadow of an ellipsoid on two `axes` is the ellipse of that block of its inverse.
    """
    S = np.asarray(metrics, np.float64)
    known = np.isfinite(S.sum(axis=(1, 2)))
    values, vectors = np.linalg.eigh(np.where(known[:, None, None], S, np.eye(S.shape[1])))
    # A direction nobody moved in
    values = np.maximum(values, np.maximum(values[:, -1:], 1e-300) * 1e-6)
    inverse = np.einsum("pij,pj,pkj->pik", vectors, 1 / values, vectors)[:, list(axes)][
        :, :, list(axes)
    ]
    squares, directions = np.linalg.eigh(inverse)
    long = np.sqrt(np.maximum(squares[:, ::-1], 0))
    angles = np.arctan2(directions[:, 1, 1], directions[:, 0, 1])
    long[~known], angles[~known] = np.nan, np.nan
    return long, angles


def paint_ellipses(
    painter: QPainter, metrics: NDArray, rows: NDArray, spots: Spots, *, size: tuple[int, int],
    axes: tuple[int, int] = (0, 1),
) -> int:
    """Ellipses of visible `rows` that have room, where their points are. Returns how many.

    All in one scale, in which the median one is a circle of `_RADIUS`: long = stretched, large =
    pulled apart.
    """
    chosen = spread_out(rows, spots, size)
    if not len(chosen):
        return 0
    long, angles = axes_of(metrics[chosen], axes)
    area = np.sqrt(long[:, 0] * long[:, 1])
    usual = float(np.nanmedian(area)) if np.isfinite(area).any() else 0.0
    if not usual > 0:
        return 0
    long = np.clip(long * (_RADIUS / usual), _LEAST, _MOST)
    ink = QColor(current().ink)
    ink.setAlphaF(0.75)
    painter.setPen(QPen(ink, 1))
    ink.setAlphaF(0.10)
    painter.setBrush(ink)
    drawn = 0
    for at, (a, b), angle in zip(spots(chosen).tolist(), long, angles, strict=True):
        if not np.isfinite(a):
            continue
        with saved(painter):
            painter.translate(QPointF(*at))
            painter.rotate(-float(np.degrees(angle)))  # the map's second axis points up
            painter.drawEllipse(QPointF(0, 0), float(a), float(b))
        drawn += 1
    return drawn


def spread_out(rows: NDArray, spots: Spots, size: tuple[int, int]) -> NDArray[np.int64]:
    """At most `_DRAWN` of the rows, one in each cell of the canvas; always the same ones for one
    view."""
    rows = np.random.default_rng(0).permutation(rows[:: 1 + len(rows) // _TRIED])
    at = spots(rows)
    inside = ((at >= 0) & (at < size)).all(axis=1)
    rows, cells = rows[inside], np.floor(at[inside] / SPACING).astype(np.int64)
    _, first = np.unique(cells @ (1, 1 << 16), return_index=True)
    return np.asarray(rows[np.sort(first)][:_DRAWN], np.int64)
