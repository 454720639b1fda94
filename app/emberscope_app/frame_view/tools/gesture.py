"""What a tool gets (a pointer) and what it gives (a gesture that becomes one operation)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from emberscope.labels import Label
from emberscope.labels.table import LabelTable
from emberscope.project import PutLabels
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.label_index import LabelIndex
from emberscope_app.frame_view.tools.settings import ToolSettings
from emberscope_app.state.core.focus import FocusValues
from emberscope_app.state.core.session import Session
from emberscope_app.state.labels.signing import signature

DRAFT = -1  # id of a label that is not in the project yet


@dataclass(frozen=True, slots=True)
class Pointer:
    """The mouse: frame px (clamped to the frame in `x`, `y`), widget px, modifiers."""

    x: float
    y: float
    at: QPointF
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    button: Qt.MouseButton = Qt.MouseButton.LeftButton

    @property
    def shift(self) -> bool:
        return bool(self.modifiers & Qt.KeyboardModifier.ShiftModifier)

    @property
    def alt(self) -> bool:
        return bool(self.modifiers & Qt.KeyboardModifier.AltModifier)

    @property
    def ctrl(self) -> bool:
        return bool(self.modifiers & Qt.KeyboardModifier.ControlModifier)


@dataclass(slots=True)
class Place:
    """What tools see of the canvas: the session, the frame on show, the view, the parameters."""

    session: Session
    view: Viewport
    settings: ToolSettings
    frame_shape: tuple[int, int] = (1, 1)
    _index: LabelIndex = field(default_factory=lambda: LabelIndex(LabelTable.of([])))
    _index_of: tuple[object, ...] = ()

    @property
    def tolerance(self) -> float:
        """Hit tolerance in frame px: 4 px on screen."""
        return 4 / self.view.zoom

    def where(self) -> dict[str, Any]:
        """source, frame and class of a new label."""
        focus = self.session.focus
        return {"source": focus.source, "frame": focus.frame, "class_id": focus.class_id}

    def labels(self) -> list[Label]:
        """Labels of the frame that are shown."""
        focus = self.session.focus
        if focus.source is None:
            return []
        labels = self.session.project.labels.on_frame(focus.source, focus.frame)
        return (
            [label for label in labels if focus.shows(label)]
            if focus.hidden or focus.hidden_origins
            else labels
        )

    def index(self) -> LabelIndex:
        """The same labels by place."""
        focus, table = self.session.focus, self.session.project.labels.table()
        of = (table, focus.source, focus.frame, focus.hidden, focus.hidden_origins)
        if of != self._index_of:
            self._index_of = of
            rows = table.on_frame(focus.source if focus.source is not None else -1, focus.frame)
            gone = np.isin(table.classes[rows], list(focus.hidden))
            gone |= np.isin(table.origins[rows], list(focus.hidden_origins))
            here = table.take(rows[~gone])
            if not self._index.holds(here):
                self._index = LabelIndex(here)
        return self._index

    def hit(self, x: float, y: float) -> list[Label]:
        """Labels under a frame point, the smallest first."""
        return self.index().hit(x, y, tolerance=self.tolerance)

    def selected(self) -> list[Label]:
        labels = self.session.project.labels
        return [labels[key] for key in self.session.focus.labels if key in labels]

    def add(self, label: Label, *, title: str, select: bool = True) -> None:
        """Put a draft into the project as one step, and select it."""
        import msgspec

        new = msgspec.structs.replace(
            label, id=self.session.project.new_label_ids()[0], about=signature()
        )
        chosen = FocusValues(labels=(new.id,)) if select else None
        self.session.do(PutLabels(title=title, after=[new]), focus=chosen)


class Gesture:
    """From press to release. `drafts` are painted instead of the project's labels of the same
    id."""

    drafts: Sequence[Label] = ()
    hides: frozenset[int] = frozenset()  # ids of labels not painted meanwhile
    rail_held = False
    words = ""  # for the read-out: "126 × 86 px"

    # whether it goes on when the button is let go, click by click, until it is done
    lasts = False
    done = False

    def press(self, pointer: Pointer) -> None:
        """A further click of one that lasts."""

    def finish(self) -> None:
        """Make what is drawn, of one that lasts."""

    def back(self) -> None:
        """Take the last click of one that lasts back."""

    def leave(self) -> None:
        """Another frame is shown, or another tool in hand: keep what can be kept."""

    def move(self, pointer: Pointer) -> None: ...

    def release(self, pointer: Pointer) -> None: ...

    def paint(self, painter: QPainter) -> None: ...


class Tool:
    """A label tool: its names, its cursor, and the gesture it starts."""

    id = ""
    title = ""
    key = ""
    icon = ""
    hint = ""
    cursor = Qt.CursorShape.CrossCursor
    # Selected labels can be edited by their handles while this tool is in hand,
    takes_handles = True
    draws = True  # with Ctrl only: a label begun on a handle of another one is drawn

    def press(self, place: Place, pointer: Pointer) -> Gesture | None:
        """Start a gesture, or do what a click does and return None."""
        raise NotImplementedError
