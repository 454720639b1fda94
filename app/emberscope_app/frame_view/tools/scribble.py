"""Scribble: paint a line over target pixels. Shift+click continues the selected one straight; right
drag erases."""

import math

import msgspec
from PySide6.QtCore import Qt

from emberscope.labels import Scribble
from emberscope.labels.lines import line_of
from emberscope.project import PutLabels
from emberscope_app.frame_view.tools.erase import EraseGesture
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool

_STEP = 1.0  # px of the frame between points


class ScribbleGesture(Gesture):
    def __init__(self, place: Place, pointer: Pointer) -> None:
        self._place = place
        self._points = [(pointer.x, pointer.y)]
        self.move(pointer)

    def move(self, pointer: Pointer) -> None:
        if math.dist(self._points[-1], (pointer.x, pointer.y)) >= _STEP:
            self._points.append((pointer.x, pointer.y))
        self.drafts = (self._label(),)
        self.words = f"{length(tuple(self._points)):.0f} px long"

    def release(self, pointer: Pointer) -> None:
        if self._points[-1] != (pointer.x, pointer.y):
            self._points.append((pointer.x, pointer.y))
        self._place.add(self._label(), title="Draw scribble")

    def _label(self) -> Scribble:
        settings = self._place.settings
        return Scribble(
            id=DRAFT,
            points=tuple(self._points),
            rho=settings.rho,
            certain=settings.certain,
            **self._place.where(),
        )


class ScribbleTool(Tool):
    id, title, key, icon = "scribble", "Scribble", "S", "scribble"
    hint = "Paint over target pixels. Shift+click goes on straight, right drag erases."

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        if pointer.button == Qt.MouseButton.RightButton:
            return EraseGesture(place, pointer, shapes=False)
        last = [label for label in place.selected() if isinstance(label, Scribble)]
        if pointer.shift and len(last) == 1:
            longer = msgspec.structs.replace(
                last[0], points=(*last[0].points, (pointer.x, pointer.y))
            )
            place.session.do(PutLabels(title="Extend scribble", before=[*last], after=[longer]))
            return None
        return ScribbleGesture(place, pointer)


def length(points: tuple[tuple[float, float], ...]) -> float:
    """Length of a polyline in px."""
    return line_of(points).length
