"""Editing labels: drag a handle or the whole, nudge, change class, delete, copy. One operation
each."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import attrgetter

import msgspec
from PySide6.QtCore import QPointF

from emberscope.labels import Box, Ellipse, FrameLabel, Label, Polygon, Polyline
from emberscope.labels.model import About
from emberscope.labels.table import LabelTable
from emberscope.project import PutLabels
from emberscope_app.frame_view.layers.handles import (
    FIXED,
    dragged,
    grown,
    handles_of,
    is_fixed,
    moved,
)
from emberscope_app.frame_view.layers.looseness import loosened
from emberscope_app.frame_view.layers.strokes import HIT
from emberscope_app.frame_view.tools.gesture import Gesture, Place, Pointer
from emberscope_app.state.labels.large_edit import MANY, large_edit
from emberscope_app.state.labels.signing import signature
from emberscope_app.words import counted, extent, labels_name

_VERBS = {"rail": "Relax", "cross": "Shift", "move": "Move", "dot": "Move"}
_SHAPES = Polygon | Polyline


class EditGesture(Gesture):
    """Drag one handle of a label, or the selected labels as a whole."""

    def __init__(
        self, place: Place, labels: Sequence[Label], handle: str, pointer: Pointer
    ) -> None:
        self._place, self._before, self._handle, self._start = place, list(labels), handle, pointer
        self._grip = next(
            (
                QPointF(x, y)
                for label in labels[:1]
                for name, x, y in handles_of(label, cols=place.frame_shape[1], tight_rail=True)
                if name == handle
            ),
            QPointF(pointer.x, pointer.y),
        )
        self.drafts = tuple(labels)
        self.rail_held = handle == "rail"

    def move(self, pointer: Pointer) -> None:
        dx, dy = pointer.x - self._start.x, pointer.y - self._start.y
        x, y = self._grip.x() + dx, self._grip.y() + dy
        self.drafts = tuple(
            dragged(label, self._handle, x, y, dx, dy, frame_shape=self._place.frame_shape)
            for label in self._before
        )
        box = self.drafts[0]
        if any(map(is_fixed, self.drafts)):
            self.words = FIXED
        elif isinstance(box, Ellipse):
            self.words = f"{extent(box.x1 - box.x0, box.y1 - box.y0)} px"
        elif isinstance(box, Box):
            self.words = f"{extent(box.x1 - box.x0, box.y1 - box.y0)} px" + (
                f", r {box.looseness:.2f}" if box.looseness else ""
            )

    def release(self, pointer: Pointer) -> None:
        after = list(self.drafts)
        if after != self._before:
            bent = isinstance(self._before[0], _SHAPES)
            verb = _VERBS.get(self._handle, "Reshape" if bent else "Resize")
            title = f"{verb} {labels_name(self._before)}"
            self._place.session.do(PutLabels(title=title, before=self._before, after=after))


def handle_at(place: Place, at: QPointF) -> tuple[Label, str] | None:
    """The handle of a selected label under a widget point (14 px around it)."""
    tight_rail = place.session.focus.tool == "relaxed"
    chosen = place.selected()
    for label in chosen:
        for name, x, y in handles_of(label, cols=place.frame_shape[1], tight_rail=tight_rail):
            if name == "rail" and len(chosen) > 1:
                continue
            spot = place.view.to_screen(x, y) - at
            if max(abs(spot.x()), abs(spot.y())) <= HIT / 2:
                return label, name
    return None


def nudge(place: Place, dx: float, dy: float) -> None:
    """Arrow keys: move the selected labels; steps in a row are one undo step."""
    chosen = place.selected()
    if any(map(is_fixed, chosen)):
        place.session.say(FIXED)
    _put(
        place,
        chosen,
        [moved(label, dx, dy, frame_shape=place.frame_shape) for label in chosen],
        "Move",
        "move",
    )


def resize(place: Place, dx: float, dy: float) -> None:
    """Ctrl and arrow keys: the right and lower edge of the selected labels."""
    chosen = place.selected()
    _put(
        place,
        chosen,
        [grown(label, dx, dy, frame_shape=place.frame_shape) for label in chosen],
        "Resize",
        "resize",
    )


def relax_by(place: Place, step: float) -> None:
    """Alt and up or down: r of the selected boxes."""
    chosen = [label for label in place.selected() if isinstance(label, Box)]
    _put(
        place,
        chosen,
        [loosened(box, box.looseness + step, frame_shape=place.frame_shape) for box in chosen],
        "Relax",
        "relax",
    )


def relax_to(place: Place, r: float) -> None:
    """The looseness slider, with relaxed boxes selected."""
    chosen = [label for label in place.selected() if isinstance(label, Box)]
    _put(
        place,
        chosen,
        [loosened(box, r, frame_shape=place.frame_shape) for box in chosen],
        "Relax",
        "relax",
    )


def change(place: Place, verb: str, **values: float | bool) -> None:
    """Set one parameter of the selected labels that have it, e.g. ``change(place, "Set rho of",
    rho=7.0)``."""
    chosen = [
        label
        for label in place.selected()
        if all(name in label.__struct_fields__ for name in values)
    ]
    after = [msgspec.structs.replace(label, **values) for label in chosen]
    _put(place, chosen, after, verb, verb)


def delete(place: Place) -> None:
    chosen = place.selected()
    if chosen:
        place.session.do(PutLabels(title=f"Delete {labels_name(chosen)}", before=chosen))


def copy_to_next(place: Place, count: int) -> None:
    """Copy the selected labels (or all of the frame) to the next frames as one step, and say so.

    A frame that has the same label already is left as it is. Very many are copied in a thread, and
    are there when it is done.
    """
    session = place.session
    focus, project = session.focus, session.project
    if focus.source is None:
        return
    labels = place.selected() or project.labels.on_frame(focus.source, focus.frame)
    last = min(focus.frame + count, project.sources[focus.source].n_frames - 1)
    frames = range(focus.frame + 1, last + 1)
    if not labels or not frames or not session.may_edit():
        return
    words = f"Copied to the next {counted(len(frames), 'frame')}. Ctrl+Z takes it back."
    if len(labels) * len(frames) >= MANY:
        large_edit(session).start(partial(copies, labels, frames), words=words)
        return
    made = copies(labels, frames, project.labels.table(), project.next_label)
    if made.after and session.do(made):
        session.say(words)


def copies(
    labels: Sequence[Label], frames: Sequence[int], there: LabelTable, first: int
) -> PutLabels:
    """What puts copies of labels of one source on frames, without what is there already; ids from
    `first` on."""
    shapes = [_shape(label) for label in labels]
    wanted: list[tuple[int, Label]] = []
    for frame in frames:
        rows = there.on_frame(labels[0].source, frame)
        same = {_shape(label) for label in there.labels[rows].tolist()}
        wanted += [
            (frame, label) for label, shape in zip(labels, shapes, strict=True) if shape not in same
        ]
    about = _about_copies(labels)
    new = [
        msgspec.structs.replace(
            label, id=key, frame=frame, origin="propagated", about=about[label.id]
        )
        for key, (frame, label) in enumerate(wanted, first)
    ]
    return PutLabels(
        title=f"Copy {labels_name(labels)} to next {counted(len(frames), 'frame')}", after=new
    )


def _about_copies(labels: Sequence[Label]) -> dict[int, About | None]:
    """What is known of the copies of labels, by the ids of these: they are of the same tracks, and
    nobody looked at them yet."""
    signed = signature()
    found: dict[int, About | None] = {}
    for label in labels:
        track = label.about.track if label.about is not None else None
        found[label.id] = (
            signed if track is None else msgspec.structs.replace(signed or About(), track=track)
        )
    return found


def _shape(label: Label) -> tuple[type, object]:
    """What is the same of a label and its copy on another frame."""
    kind = type(label)
    return kind, _values_of(kind)(label)


@cache
def _values_of(kind: type[Label]) -> Callable[[Label], object]:
    return attrgetter(
        *(name for name in kind.__struct_fields__ if name not in ("id", "frame", "origin", "about"))
    )


def _put(
    place: Place, before: Sequence[Label], after: Sequence[Label], verb: str, merge: str
) -> None:
    pairs = [
        (old, new)
        for old, new in zip(before, after, strict=True)
        if old != new and not isinstance(old, FrameLabel)
    ]
    if pairs:
        ids = ",".join(str(old.id) for old, _ in pairs)
        moved = [old for old, _ in pairs]
        edit = PutLabels(
            title=f"{verb} {labels_name(moved)}", before=[*moved], after=[new for _, new in pairs]
        )
        place.session.do(edit, merge=f"{merge}:{ids}")
