"""Erase: removes scribble points under the ring; a click on a shape deletes it. One stroke is one operation."""

import math
from itertools import pairwise

import msgspec
import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from emberscope.labels import Label, Scribble
from emberscope.labels.geometry import hit
from emberscope.project import PutLabels
from emberscope_app.frame_view import strokes
from emberscope_app.frame_view.tools.gesture import Gesture, Place, Pointer, Tool
from emberscope_app.words import labels_name

Points = tuple[tuple[float, float], ...]


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
            if isinstance(label, Scribble):
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
        after = []
        for label in before:
            for i, points in enumerate(self._left[label.id]):
                key = label.id if i == 0 else self._place.session.project.new_label_ids()[0]
                after.append(msgspec.structs.replace(label, id=key, points=points))
        verb = "Erase part of" if after else "Delete"
        self._place.session.do(PutLabels(title=f"{verb} {labels_name(before)}", before=before, after=after))

    def paint(self, painter: QPainter) -> None:
        ring(painter, self._at.at, self._place.settings.brush * self._place.view.zoom)

    def _rub(self, label: Scribble, pointer: Pointer, radius: float) -> None:
        pieces = self._left.get(label.id, [label.points])
        left = [
            part for piece in pieces for part in rubbed(piece, (self._at.x, self._at.y), (pointer.x, pointer.y), radius)
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
        painter, strokes.pen(strokes.WHITE, 1.2), lambda: painter.drawEllipse(at, max(radius, 2), max(radius, 2))
    )


def rubbed(points: Points, start: tuple[float, float], end: tuple[float, float], radius: float) -> list[Points]:
    """The pieces of a polyline left outside the stroke from `start` to `end`; long segments are cut to 1 px first."""
    line = _dense(points)
    offset, step = line - start, np.subtract(end, start)
    along = np.clip(offset @ step / max(float(step @ step), 1e-12), 0, 1)
    keep = np.hypot(*(offset - along[:, None] * step).T) > radius
    if keep.all():
        return [points]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]]).astype(np.int8)))
    return [tuple(map(tuple, line[a:b].tolist())) for a, b in edges.reshape(-1, 2) if b - a >= 2]


def _dense(points: Points) -> np.ndarray:
    found = [points[0]]
    for a, b in pairwise(points):
        n = max(math.ceil(math.dist(a, b) / 1.0), 1)
        found += [(a[0] + (b[0] - a[0]) * i / n, a[1] + (b[1] - a[1]) * i / n) for i in range(1, n + 1)]
    return np.array(found)
