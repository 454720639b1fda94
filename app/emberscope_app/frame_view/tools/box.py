"""Box, relaxed box and ignore region: drag from corner to corner. Shift = square, Alt = from the
center."""

from collections.abc import Callable
from functools import partial

from emberscope.labels import Box, Ellipse, Ignore, Label
from emberscope.project import PutLabels
from emberscope_app.frame_view.layers.handles import MIN_SIDE, box_from
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool
from emberscope_app.words import extent


class BoxGesture(Gesture):
    """A box being drawn; `make` turns corners into the label."""

    def __init__(
        self, place: Place, pointer: Pointer, make: Callable[..., Label], title: str
    ) -> None:
        self._place, self._start, self._make, self._title = place, pointer, make, title

    def move(self, pointer: Pointer) -> None:
        corners = self._corners(pointer)
        self.drafts = (self._make(*corners),)
        self.words = f"{extent(corners[2] - corners[0], corners[3] - corners[1])} px"

    def release(self, pointer: Pointer) -> None:
        corners = self._corners(pointer)
        if min(corners[2] - corners[0], corners[3] - corners[1]) < MIN_SIDE:
            click(self._place, pointer)
        else:
            self._place.add(self._make(*corners), title=self._title)

    def _corners(self, pointer: Pointer) -> tuple[float, float, float, float]:
        rows, cols = self._place.frame_shape
        x0, y0, x1, y1 = box_from(
            self._start.x,
            self._start.y,
            pointer.x,
            pointer.y,
            square=pointer.shift,
            centered=pointer.alt,
        )
        return max(x0, 0.0), max(y0, 0.0), min(x1, float(cols)), min(y1, float(rows))


class BoxTool(Tool):
    id, title, key, icon = "box", "Box", "B", "box"
    hint = "Drag around a target."
    step = "Draw box"

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        return BoxGesture(place, pointer, partial(self.make, place), self.step)

    def make(self, place: Place, x0: float, y0: float, x1: float, y1: float) -> Label:
        """The label of these corners."""
        return Box(id=DRAFT, x0=x0, y0=y0, x1=x1, y1=y1, **place.where())


class EllipseTool(BoxTool):
    id, title, key, icon = "ellipse", "Ellipse", "O", "ellipse"
    hint = "Drag around a round target. Shift draws a circle."
    step = "Draw ellipse"

    def make(self, place: Place, x0: float, y0: float, x1: float, y1: float) -> Label:
        return Ellipse(id=DRAFT, x0=x0, y0=y0, x1=x1, y1=y1, **place.where())


class RelaxedTool(BoxTool):
    id, title, key, icon = "relaxed", "Relaxed box", "R", "relaxed"
    hint = "Drag loosely around a target."
    step = "Draw relaxed box"

    def make(self, place: Place, x0: float, y0: float, x1: float, y1: float) -> Label:
        looseness = max(place.settings.looseness, 0.05)
        return Box(id=DRAFT, x0=x0, y0=y0, x1=x1, y1=y1, looseness=looseness, **place.where())


class IgnoreTool(BoxTool):
    id, title, key, icon = "ignore", "Ignore", "G", "ignore"
    hint = "Drag over what to leave out."
    step = "Ignore region"

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        if place.settings.whole_frame:
            ignore_frame(place)
            return None
        return super().press(place, pointer)

    def make(self, place: Place, x0: float, y0: float, x1: float, y1: float) -> Label:
        return Ignore(id=DRAFT, x0=x0, y0=y0, x1=x1, y1=y1, **place.where())


def ignore_frame(place: Place) -> None:
    """Leave the whole frame out, or take it back in."""
    whole = [label for label in place.labels() if isinstance(label, Ignore) and label.x0 is None]
    if whole:
        place.session.do(PutLabels(title="Use frame again", before=[*whole]))
    else:
        place.add(Ignore(id=DRAFT, **place.where()), title="Ignore frame")


def click(place: Place, pointer: Pointer) -> None:
    """A click with a drawing tool selects the smallest label under it, or nothing."""
    stack = place.hit(pointer.x, pointer.y)
    place.session.focus.set(labels=(stack[0].id,) if stack else ())
