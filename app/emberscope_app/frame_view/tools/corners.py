"""Polygon and line: a click for each corner. Enter or a double click ends them, Backspace takes the
last corner back, Esc drops them. A drag with the line tool is a straight line at once."""

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from emberscope.labels import Label, Polygon, Polyline
from emberscope.labels.outlines import polygon_area
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool
from emberscope_app.frame_view.tools.scribble import length
from emberscope_app.words import counted, spaced

Points = tuple[tuple[float, float], ...]
_CLICK = 4.0  # px on screen: less is no drag


class CornersGesture(Gesture):
    """Corners set one by one. make : the label of corners, on the frame where they were begun;
    least : how many it takes; what : what it is called."""

    lasts = True

    def __init__(
        self, place: Place, pointer: Pointer, make: Callable[[Points], Label], *, least: int,
        what: str,
    ) -> None:  # fmt: skip
        self._place, self._make, self._least, self._what = place, make, least, what
        self._here = (place.session.focus.source, place.session.focus.frame)
        self._points = [(pointer.x, pointer.y)]
        self._press = self._at = pointer
        self._strokes = 0
        self._show()

    def press(self, pointer: Pointer) -> None:
        """A further corner; on the first one it closes."""
        self._press = self._at = pointer
        first = self._place.view.to_screen(*self._points[0]) - pointer.at
        near = max(abs(first.x()), abs(first.y())) <= strokes.HIT / 2
        if near and len(self._points) >= max(self._least, 3):
            self.finish()
        elif (pointer.x, pointer.y) != self._points[-1]:
            self._points.append((pointer.x, pointer.y))
        self._show()

    def move(self, pointer: Pointer) -> None:
        self._at = pointer
        self._show()

    def release(self, pointer: Pointer) -> None:
        """The end of a drag is a corner too, and that of the first one ends a line."""
        far = pointer.at - self._press.at
        self._strokes += 1
        if math.hypot(far.x(), far.y()) >= _CLICK and not self.done:
            self._points.append((pointer.x, pointer.y))
            if self._least == len(self._points) == 2 and self._strokes == 1:
                self.finish()
        self._show()

    def finish(self) -> None:
        """Make the label of the corners that are set; too few are said, and it goes on."""
        if len(self._points) < self._least:
            few = counted(self._least, "corner")
            self._place.session.say(f"A {self._what} has {few} or more. Esc drops it.")
            return
        self.done, focus = True, self._place.session.focus
        here = self._here == (focus.source, focus.frame)
        label = self._make(tuple(self._points))
        self._place.add(label, title=f"Draw {self._what}", select=here)

    def back(self) -> None:
        """Take the last corner back; with the first one all is gone."""
        self._points.pop()
        self.done = not self._points
        self._show()

    def leave(self) -> None:
        if len(self._points) >= self._least:
            self.finish()

    def paint(self, painter: QPainter) -> None:
        """The corners, and the way from the last one to the pointer, before there is a shape."""
        view = self._place.view
        corners = [view.to_screen(*point) for point in self._points]
        if not self.drafts:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            way = QPolygonF([*corners, QPointF(self._at.at)])
            stroke = strokes.pen(strokes.WHITE, 1.5)
            strokes.cased(painter, stroke, lambda: painter.drawPolyline(way))
        for corner in corners:
            strokes.handle(painter, corner, size=6)

    def _show(self) -> None:
        """The shape as it would be with a corner under the pointer."""
        if self.done or not self._points:
            self.drafts = ()
            return
        at = (self._at.x, self._at.y)
        points = tuple(dict.fromkeys([*self._points, at]))
        self.drafts = (self._make(points),) if len(points) >= self._least else ()
        self.words = counted(len(self._points), "corner")
        if self.drafts and self._least > 2:
            self.words += f", {spaced(round(polygon_area(points)))} px\u00b2"
        elif self.drafts:
            self.words += f", {spaced(round(length(points)))} px long"


class PolygonTool(Tool):
    id, title, key, icon = "polygon", "Polygon", "N", "polygon"
    hint = "Click the corners of a target. Enter closes, Backspace takes one back."

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        here = place.where()

        def make(points: Points) -> Label:
            now = {**here, "class_id": place.session.focus.class_id}
            return Polygon(id=DRAFT, points=points, **now)

        return CornersGesture(place, pointer, make, least=3, what="polygon")


class LineTool(Tool):
    id, title, key, icon = "line", "Line", "T", "line"
    hint = "Drag along a thin target, or click along it. Enter ends the line."

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        here = place.where()

        def make(points: Points) -> Label:
            now = {**here, "class_id": place.session.focus.class_id}
            return Polyline(id=DRAFT, points=points, width=place.settings.line_width, **now)

        return CornersGesture(place, pointer, make, least=2, what="line")
