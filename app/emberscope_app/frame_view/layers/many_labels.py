"""Very many labels on one frame: thin outlines in the colors of their classes, painted once per
view into a layer.

A label with casing, dashes and plate takes about 0.1 ms; thousands of them cannot be read either.
What a person points at, selects or draws is painted over the layer as ever.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from emberscope.labels import Ellipse, Label, Polygon, TargetClass
from emberscope.labels.outlines import ellipse_outline
from emberscope.labels.table import ELLIPSE, IGNORE, LINE, POLYGON, SCRIBBLE, SPOT
from emberscope_app.frame_view.canvas.screen_lines import line_on_screen, path_of
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.label_index import LabelIndex
from emberscope_app.frame_view.layers.strokes import GRAY, INK, frame_color
from emberscope_app.theme import tokens

FROM = 120      # labels in view; fewer are painted one by one
SHADED = 3000   # up to here each has a shadow and dashes, above a bare line
_SHADE = QColor(0, 0, 0, 170)
_ROUND = 24  # corners of an ellipse
_POINT = 3.5    # px, half the diagonal of the diamond that stands for a spot


@dataclass(frozen=True, slots=True)
class Crowd:
    """rows of `index` that are painted as a crowd. hidden : ids of labels that a gesture replaces.
    chosen : ids of selected labels, where they are too many to have handles."""

    index: LabelIndex
    rows: NDArray[np.int64]
    classes: dict[int, TargetClass]
    hidden: frozenset[int] = frozenset()
    chosen: frozenset[int] = frozenset()
    conflicts: frozenset[int] = frozenset()


class CrowdLayer:
    """Keeps the image of a crowd until labels, view or selection change."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._index: LabelIndex | None = None
        self._painted = QPixmap()

    def paint(self, painter: QPainter, view: Viewport, crowd: Crowd, ratio: float) -> None:
        size = QSize(round(view.size.width()), round(view.size.height()))
        colors = tuple((key, info.slot) for key, info in crowd.classes.items())
        of = (
            view.zoom,
            view.origin.x(),
            view.origin.y(),
            size,
            ratio,
            colors,
            crowd.hidden,
            crowd.chosen,
            crowd.conflicts,
        )
        if self._index is not crowd.index or of != self._of:
            self._of, self._index = of, crowd.index
            self._painted = QPixmap(size * ratio)
            self._painted.setDevicePixelRatio(ratio)
            self._painted.fill(Qt.GlobalColor.transparent)
            with QPainter(self._painted) as inside:
                _paint(inside, view, crowd)
        painter.drawPixmap(0, 0, self._painted)


def _paint(painter: QPainter, view: Viewport, crowd: Crowd) -> None:
    index = crowd.index
    rows = crowd.rows[np.isfinite(index.corners[crowd.rows, 0])]
    rows = rows[~_among(index.ids[rows], crowd.hidden)]
    slots = np.zeros(len(rows), np.int64)
    for info in crowd.classes.values():
        slots[index.table.classes[rows] == info.id] = info.slot
    slots[index.table.kinds[rows] == IGNORE] = -1
    for slot in np.unique(slots).tolist():
        color = GRAY if slot < 0 else frame_color(slot)
        _paint_outlines(
            painter, view, index, rows[slots == slot], color, shaded=len(rows) <= SHADED
        )
    _paint_outlines(
        painter, view, index, rows[_among(index.ids[rows], crowd.chosen)], INK, shaded=False
    )
    _paint_conflicts(painter, view, index, rows[_among(index.ids[rows], crowd.conflicts)])


def _paint_outlines(
    painter: QPainter,
    view: Viewport,
    index: LabelIndex,
    rows: NDArray,
    color: QColor,
    *,
    shaded: bool,
) -> None:
    """Boxes and outlines as they are, spots as diamonds, scribbles and lines without width."""
    kinds, relaxed = index.table.kinds[rows], index.table.looseness[rows] > 0
    spots, lines = kinds == SPOT, np.isin(kinds, (SCRIBBLE, POLYGON, ELLIPSE, LINE))
    for which, dashed in ((~spots & ~lines & ~relaxed, False), (relaxed, shaded)):
        _stroke(
            painter,
            path_of(_boxes(view, index.corners[rows[which]])),
            color,
            shaded=shaded,
            dashed=dashed,
        )
    _stroke(painter, path_of(_diamonds(view, index.corners[rows[spots]])), color, shaded=shaded)
    for label in index.at(rows[lines]):
        path = path_of(np.rint(line_on_screen(view, _way(label)))[None])
        _stroke(painter, path, color, shaded=shaded)


def _way(label: Label) -> tuple[tuple[float, float], ...]:
    """The points along the outline of a label, or along a line."""
    if isinstance(label, Ellipse):
        points = ellipse_outline((label.x0, label.y0, label.x1, label.y1), count=_ROUND)
        return *points, points[0]
    points = label.points  # type: ignore[union-attr]
    return (*points, points[0]) if isinstance(label, Polygon) else points


def _paint_conflicts(painter: QPainter, view: Viewport, index: LabelIndex, rows: NDArray) -> None:
    """Small amber triangles at their top right corners."""
    at = _on_screen(view, index.corners[rows][:, None, [2, 1]].astype(float))
    painter.setBrush(QColor(tokens.DARK.warn))
    _stroke(
        painter,
        path_of(at + np.array([(0, -5), (5, 4), (-5, 4), (0, -5)], float)),
        QColor(12, 14, 16),
        shaded=False,
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _stroke(
    painter: QPainter, path: QPainterPath, color: QColor, *, shaded: bool, dashed: bool = False
) -> None:
    if path.isEmpty():
        return
    stroke = QPen(color, 1)
    if dashed:
        stroke.setDashPattern([5, 3])
    if shaded:
        painter.setPen(QPen(_SHADE, 1))
        painter.drawPath(path.translated(QPointF(1, 1)))
    painter.setPen(stroke)
    painter.drawPath(path)


def _among(ids: NDArray[np.int64], wanted: Collection[int]) -> NDArray[np.bool_]:
    return (
        np.isin(ids, np.fromiter(wanted, np.int64, len(wanted)))
        if wanted
        else np.zeros(len(ids), bool)
    )


def _on_screen(view: Viewport, points: NDArray) -> NDArray[np.float64]:
    """Whole widget px, so that thin lines are sharp."""
    return np.rint(points * view.zoom + (view.origin.x(), view.origin.y()))


def _boxes(view: Viewport, corners: NDArray) -> NDArray[np.float64]:
    """(n, 5, 2) closed outlines."""
    return _on_screen(
        view, corners[:, [0, 1, 2, 1, 2, 3, 0, 3, 0, 1]].reshape(-1, 5, 2).astype(float)
    )


def _diamonds(view: Viewport, corners: NDArray) -> NDArray[np.float64]:
    middle = _on_screen(view, (corners[:, :2] + corners[:, 2:]).astype(float) / 2)[:, None]
    reach = np.maximum((corners[:, 2] - corners[:, 0]) / 2 * view.zoom, _POINT)[:, None, None]
    return middle + np.rint(reach) * np.array([(0, -1), (1, 0), (0, 1), (-1, 0), (0, -1)], float)
