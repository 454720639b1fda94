"""Select: labels, the instances under them, move and edit.

A click takes the smallest label under the pointer. Clicking the label that is selected already goes
on to the next one in the stack, then to the instance under the pointer, then starts over. Alt+click
takes the instance at once. Clicking ground takes the instance there, else clears. A drag on ground
is a rubber band over labels and instances.
"""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from emberscope.labels import Label
from emberscope.labels.geometry import bounds
from emberscope_app.frame_view.layers import strokes
from emberscope_app.frame_view.tools.edit import EditGesture
from emberscope_app.frame_view.tools.gesture import Gesture, Place, Pointer, Tool
from emberscope_app.state.core.selection import mode_of
from emberscope_app.state.points.frame_instances import FrameInstances

_CLICK = 3.0  # px on screen: less is a click


class SelectTool(Tool):
    id, title, key, icon = "select", "Select", "V", "select"
    hint = "Click a label or an instance. Drag to move."
    cursor = Qt.CursorShape.ArrowCursor
    draws = False

    def __init__(self, instances: FrameInstances) -> None:
        self._instances = instances

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        if pointer.alt:
            take_instance(place, self._instances, pointer)
            return None
        stack = place.hit(pointer.x, pointer.y)
        if not stack:
            return BandGesture(place, self._instances, pointer)
        chosen = set(place.session.focus.labels)
        if not any(label.id in chosen for label in stack):
            take_label(place, self._instances, stack[0], pointer)
            return BodyGesture(place, self._instances, [stack[0]], stack, pointer, fresh=True)
        return BodyGesture(place, self._instances, place.selected(), stack, pointer, fresh=False)


class BodyGesture(EditGesture):
    """Press on a label: a drag moves what is selected, a click on what was selected already goes
    down the stack."""

    def __init__(
        self,
        place: Place,
        instances: FrameInstances,
        moving: list[Label],
        stack: list[Label],
        pointer: Pointer,
        *,
        fresh: bool,
    ) -> None:
        super().__init__(place, moving, "move", pointer)
        self._instances, self._stack, self._fresh, self._moved = instances, stack, fresh, False

    def move(self, pointer: Pointer) -> None:
        self._moved = self._moved or (pointer.at - self._start.at).manhattanLength() >= _CLICK
        if self._moved:
            super().move(pointer)

    def release(self, pointer: Pointer) -> None:
        if self._moved:
            super().release(pointer)
        elif not self._fresh:
            self._go_down(pointer)

    def _go_down(self, pointer: Pointer) -> None:
        chosen = self._place.session.focus.labels
        if pointer.shift or pointer.ctrl:
            take_label(self._place, self._instances, self._stack[0], pointer)
            return
        position = max(i for i, label in enumerate(self._stack) if label.id in chosen)
        if position + 1 < len(self._stack):
            take_label(self._place, self._instances, self._stack[position + 1], pointer)
        elif self._instances.at(pointer.x, pointer.y) is not None:
            self._place.session.focus.set(labels=())
            take_instance(self._place, self._instances, pointer)


class BandGesture(Gesture):
    """A rubber band from bare ground; a click there takes the instance or clears."""

    def __init__(self, place: Place, instances: FrameInstances, pointer: Pointer) -> None:
        self._place, self._instances, self._start, self._now = place, instances, pointer, pointer

    def move(self, pointer: Pointer) -> None:
        self._now = pointer

    def release(self, pointer: Pointer) -> None:
        if (pointer.at - self._start.at).manhattanLength() < _CLICK:
            self._click(pointer)
            return
        x0, x1 = sorted((self._start.x, pointer.x))
        y0, y1 = sorted((self._start.y, pointer.y))
        inside = tuple(label.id for label in self._place.labels() if _within(label, x0, y0, x1, y1))
        session = self._place.session
        kept = session.focus.labels if pointer.shift else ()
        session.focus.set(labels=tuple(dict.fromkeys((*kept, *inside))))
        session.selection.select(
            self._instances.within(x0, y0, x1, y1), mode=mode_of(pointer.modifiers)
        )

    def _click(self, pointer: Pointer) -> None:
        session = self._place.session
        if not (pointer.shift or pointer.ctrl):
            session.focus.set(labels=())
        if not take_instance(self._place, self._instances, pointer) and not (
            pointer.shift or pointer.ctrl
        ):
            session.selection.clear()

    def paint(self, painter: QPainter) -> None:
        painter.setBrush(QColor(255, 255, 255, 20))
        box = QRectF(QPointF(self._start.at), QPointF(self._now.at)).normalized()
        strokes.cased(
            painter, strokes.pen(strokes.WHITE, 1.0, (4, 3)), lambda: painter.drawRect(box)
        )


def take_label(place: Place, instances: FrameInstances, label: Label, pointer: Pointer) -> None:
    """Select a label, and in all views the instances of its bags. Shift adds, Ctrl toggles."""
    session = place.session
    old = session.focus.labels
    if pointer.ctrl and label.id in old:
        session.focus.set(labels=tuple(key for key in old if key != label.id))
    elif pointer.shift or pointer.ctrl:
        session.focus.set(labels=tuple(dict.fromkeys((*old, label.id))))
    else:
        session.focus.set(labels=(label.id,))
    ids = instances.of_label(label.id)
    if len(ids):
        session.selection.select(ids, mode=mode_of(pointer.modifiers))


def take_instance(place: Place, instances: FrameInstances, pointer: Pointer) -> bool:
    """Select the instance under the pointer in all views; False where there is none."""
    found = instances.at(pointer.x, pointer.y)
    if found is None:
        return False
    modifiers = pointer.modifiers & ~Qt.KeyboardModifier.AltModifier
    place.session.selection.select(np.array([found]), mode=mode_of(modifiers))
    return True


def _within(label: Label, x0: float, y0: float, x1: float, y1: float) -> bool:
    box = bounds(label)
    return box is not None and x0 <= box[0] and y0 <= box[1] and box[2] <= x1 and box[3] <= y1
