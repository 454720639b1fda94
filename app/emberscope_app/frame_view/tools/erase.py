"""Erase: removes scribble points under the ring; a click on a shape deletes it. One stroke is one
operation."""

import itertools

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from emberscope.labels import Label, Scribble
from emberscope.labels.geometry import Corners, comes_near, hit, part_in_box
from emberscope.labels.lines import line_of
from emberscope.project import PutLabels
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.layers.handles import FIXED, is_fixed
from emberscope_app.frame_view.tools.gesture import Gesture, Place, Pointer, Tool
from emberscope_app.words import labels_name

Points = tuple[tuple[float, float], ...]
_MARGIN = 2.0  # px around the ring: what is left on either side has a point of its own there


class EraseGesture(Gesture):
    """What is left of each touched label; `shapes`: other labels than scribbles go as a whole."""

    def __init__(self, place: Place, pointer: Pointer, *, shapes: bool = True) -> None:
        self._place, self._shapes, self._at = place, shapes, pointer
        self._left: dict[int, list[Points]] = {}
        self._before: dict[int, Label] = {}
        self.move(pointer)

    def move(self, pointer: Pointer) -> None:
        radius = self._place.settings.brush
        for label in self._place.labels():
            if is_fixed(label):
                touched = comes_near([(self._at.x, self._at.y), (pointer.x, pointer.y)],
                                     label.points, radius)  # type: ignore[union-attr]
                self.words = FIXED if touched else self.words
            elif isinstance(label, Scribble):
                self._rub(label, pointer, radius)
        if self._shapes:
            for label in hit(self._place.labels(), pointer.x, pointer.y)[:1]:
                if not isinstance(label, Scribble) and not self._before:
                    self._before[label.id], self._left[label.id] = label, []
        self._at = pointer
        self.hides = frozenset(self._before)
        self.drafts = tuple(
            msgspec.structs.replace(self._before[key], points=points, id=-1 - key * 100 - i)
            for key, pieces in self._left.items()
            for i, points in enumerate(pieces)
        )

    def release(self, pointer: Pointer) -> None:
        before = list(self._before.values())
        if not before:
            return
        after, ids = [], itertools.count(self._place.session.project.next_label)
        for label in before:
            for i, points in enumerate(self._left[label.id]):
                key = label.id if i == 0 else next(ids)
                after.append(msgspec.structs.replace(label, id=key, points=points))
        verb = "Erase part of" if after else "Delete"
        self._place.session.do(
            PutLabels(title=f"{verb} {labels_name(before)}", before=before, after=after)
        )

    def paint(self, painter: QPainter) -> None:
        ring(painter, self._at.at, self._place.settings.brush * self._place.view.zoom)

    def _rub(self, label: Scribble, pointer: Pointer, radius: float) -> None:
        pieces = self._left.get(label.id, [label.points])
        left = [
            part
            for piece in pieces
            for part in rubbed(piece, (self._at.x, self._at.y), (pointer.x, pointer.y), radius)
        ]
        if left != pieces:
            self._before[label.id], self._left[label.id] = label, left


class EraseTool(Tool):
    id, title, key, icon = "erase", "Erase", "E", "erase"
    hint = "Drag over scribbles; click a shape to delete it."
    cursor = Qt.CursorShape.BlankCursor
    takes_handles = False

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        return EraseGesture(place, pointer)


def ring(painter: QPainter, at: QPointF, radius: float) -> None:
    """The eraser in its true size."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    strokes.cased(
        painter,
        strokes.pen(strokes.WHITE, 1.2),
        lambda: painter.drawEllipse(at, max(radius, 2), max(radius, 2)),
    )


def rubbed(
    points: Points, start: tuple[float, float], end: tuple[float, float], radius: float
) -> list[Points]:
    """The pieces of a polyline left outside the stroke from `start` to `end`; where the ring may
    touch them, segments are cut to 1 px first."""
    (x0, y0), (x1, y1) = (
        np.minimum(start, end) - radius - _MARGIN,
        np.maximum(start, end) + radius + _MARGIN,
    )
    line = _dense(line_of(points).points, (x0, y0, x1, y1))
    offset, step = line - start, np.subtract(end, start)
    along = np.clip(offset @ step / max(float(step @ step), 1e-12), 0, 1)
    keep = np.hypot(*(offset - along[:, None] * step).T) > radius
    if keep.all():
        return [points]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]]).astype(np.int8)))
    return [tuple(map(tuple, line[a:b].tolist())) for a, b in edges.reshape(-1, 2) if b - a >= 2]


def _dense(points: NDArray[np.float64], box: Corners) -> NDArray[np.float64]:
    """The same line, in steps of 1 px at most inside a box; a long segment has as few points as
    before outside."""
    start, step = points[:-1], np.diff(points, axis=0)
    parts = np.maximum(np.ceil(np.hypot(step[:, 0], step[:, 1])), 1)
    enter, leave = part_in_box(start, step, box)
    first, last = (
        np.maximum(np.ceil(enter * parts), 1),
        np.minimum(np.floor(leave * parts), parts - 1),
    )
    count = np.maximum(last - first + 1, 0).astype(np.int64) + 1  # the end of the segment is one
    owner = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    share = np.where(place < count[owner] - 1, (first[owner] + place) / parts[owner], 1.0)
    out = np.concatenate([points[:1], start[owner] + share[:, None] * step[owner]])
    out[np.cumsum(count)] = points[1:]  # as they were, not as they are computed
    return out
