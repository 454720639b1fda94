"""What the mouse does on the frame canvas: the tool in hand, its gesture, hover, pan and the
cursor."""

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from emberscope.labels import Label
from emberscope_app.frame_view.canvas.frame_image import FrameImage
from emberscope_app.frame_view.canvas.gesture_words import gesture_hint
from emberscope_app.frame_view.canvas.minimap import MiniMap
from emberscope_app.frame_view.canvas.plates import Plates
from emberscope_app.frame_view.frame_popover import FramePopover
from emberscope_app.frame_view.tools.edit import EditGesture, handle_at
from emberscope_app.frame_view.tools.gesture import Gesture, Place, Pointer, Tool
from emberscope_app.frame_view.tools.table import make_tools
from emberscope_app.state.points.frame_instances import FrameInstances

_HOLD_MS = 250  # a tool key held longer is used until release
_CURSORS = {
    "n": Qt.CursorShape.SizeVerCursor,
    "s": Qt.CursorShape.SizeVerCursor,
    "e": Qt.CursorShape.SizeHorCursor,
    "w": Qt.CursorShape.SizeHorCursor,
    "nw": Qt.CursorShape.SizeFDiagCursor,
    "se": Qt.CursorShape.SizeFDiagCursor,
    "ne": Qt.CursorShape.SizeBDiagCursor,
    "sw": Qt.CursorShape.SizeBDiagCursor,
    "rail": Qt.CursorShape.SizeHorCursor,
}


class ToolController(QObject):
    """Turns mouse events of a canvas into gestures of the tool in hand. It paints nothing; the
    canvas shows its state.

    gesture : what is being drawn or edited. hover_label : id of the label under the pointer.
    pointer : where the mouse is, widget px; None outside.
    """

    def __init__(
        self,
        place: Place,
        frame_image: FrameImage,
        instances: FrameInstances,
        minimap: MiniMap,
        plates: Plates,
        canvas: QWidget,
    ) -> None:
        super().__init__(canvas)
        self._place, self._frame_image, self._instances = place, frame_image, instances
        self._minimap, self._plates, self._canvas = minimap, plates, canvas
        self._session = place.session
        self.tools = make_tools(instances)
        self.gesture: Gesture | None = None
        self.hover_label: int | None = None
        self.pointer: QPointF | None = None
        self.popover = FramePopover(place, canvas)
        self.popover.closed.connect(self._popover_closed)
        self._space_held = self._ctrl_held = False
        self._pan_from: QPointF | None = None
        self._pressed = False  # a press began or went on with the gesture
        self._used = False  # the tool in hand was used since its key went down
        self._held: tuple[int, str] | None = None  # key held, tool to go back to
        self._since = QElapsedTimer()
        self._tool_before = "select"

    # --- the tool in hand

    @property
    def tool(self) -> Tool:
        """The tool in hand."""
        return self.tools.get(self._session.focus.tool, self.tools["select"])

    def take_tool(self, tool: str, *, key: int | None = None) -> None:
        """Take a tool in hand; with `key` held down it is given back on release."""
        if key is not None:
            self._held = (key, self._session.focus.tool)
            self._used = False
            self._since.start()
        if tool == self._session.focus.tool == "frame":
            self.open_frame_labels()
        self._session.focus.set(tool=tool)

    def tool_changed(self) -> None:
        """Another tool is in hand."""
        self._settle()
        if self.tool.id == "frame":
            self.open_frame_labels()
        else:
            self._tool_before = self.tool.id
            self.popover.hide()
        self._aim()

    def open_frame_labels(self) -> None:
        """Show the frame label popover under its plate."""
        if self._session.focus.source is not None:
            self.popover.open_at(QPointF(12, 44))

    def _popover_closed(self) -> None:
        if self._session.focus.tool == "frame":
            self._session.focus.set(tool=self._tool_before)
        self._canvas.setFocus()

    def hold_space(self, down: bool) -> None:
        """While space is held, the left button pans."""
        self._space_held = down
        self._aim()

    def hold_ctrl(self, down: bool) -> None:
        """While Ctrl is held, handles act with a drawing tool too."""
        if down != self._ctrl_held:
            self._ctrl_held = down
            self._aim()
            self._canvas.update()

    @property
    def handles_act(self) -> bool:
        """Whether a press on a handle takes it: one of a drawing tool begins a label there, without
        Ctrl."""
        return self.tool.takes_handles and (self._ctrl_held or not self.tool.draws)

    def release_key(self, key: int) -> bool:
        """Give the tool back whose key was held; False where `key` holds none."""
        if self._held is None or key != self._held[0]:
            return False
        if self._used and self._since.elapsed() > _HOLD_MS:
            self._session.focus.set(tool=self._held[1])
        self._held = None
        return True

    def let_go_of_keys(self) -> None:
        """The canvas lost the focus: releases of held keys will not come."""
        self._space_held = self._ctrl_held = False
        self._held = None

    # --- the gesture

    def cancel(self) -> bool:
        """Drop the draft; True where there was one."""
        had = self.gesture is not None
        self._hold(None)
        self._canvas.update()
        return had

    def forget(self) -> None:
        """Another frame: no draft, nothing pointed at."""
        self._settle()
        self.hover_label = None

    @property
    def draws_on(self) -> bool:
        """Whether something is drawn click by click."""
        return self.gesture is not None and self.gesture.lasts

    def finish(self) -> bool:
        """Make what is drawn click by click; False where nothing is."""
        gesture = self.gesture
        if gesture is None or not gesture.lasts:
            return False
        gesture.finish()
        self._go_on(gesture)
        return True

    def back(self) -> bool:
        """Take back the last click of what is drawn; False where nothing is."""
        gesture = self.gesture
        if gesture is None or not gesture.lasts:
            return False
        gesture.back()
        self._go_on(gesture)
        return True

    def double(self, event: QMouseEvent) -> None:
        """A double click ends what is drawn click by click; else it is two clicks."""
        if event.button() != Qt.MouseButton.LeftButton or not self.finish():
            self.press(event)

    def _go_on(self, gesture: Gesture) -> None:
        """Hold a gesture that lasts until it is done."""
        self._hold(None if gesture.done else gesture)
        self._canvas.update()

    def _settle(self) -> None:
        """End the gesture; of what lasts, keep what can be kept."""
        gesture = self.gesture
        self._hold(None)
        if gesture is not None:
            gesture.leave()
        self._canvas.update()

    def _hold(self, gesture: Gesture | None) -> None:
        """The gesture in progress, or its end; the status bar says what it would make."""
        if gesture is not None or self.gesture is not None:
            self.gesture = gesture
            self._session.hinted.emit(gesture_hint(self._place, self._instances, gesture))

    def _begin(self, pointer: Pointer) -> None:
        tool = self.tool
        self._used = True
        found = (
            handle_at(self._place, pointer.at)
            if self.handles_act and not pointer.alt and pointer.button == Qt.MouseButton.LeftButton
            else None
        )
        if found is not None:
            self._hold(EditGesture(self._place, [found[0]], found[1], pointer))
        else:
            self._hold(tool.press(self._place, pointer))
        self._canvas.update()

    # --- mouse

    def press(self, event: QMouseEvent) -> None:
        """Pan, jump in the mini map, open the frame labels, or begin a gesture."""
        self._read_ctrl(event)
        at, button = event.position(), event.button()
        if self._session.focus.source is None:
            return
        if button == Qt.MouseButton.MiddleButton or (
            button == Qt.MouseButton.LeftButton and self._space_held
        ):
            self._pan_from = at
            self._canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if button == Qt.MouseButton.LeftButton and self._minimap.contains(at, self._frame_image):
            self._minimap.go(at, self._frame_image)
            self._pan_from = None
            self._canvas.update()
            return
        if button == Qt.MouseButton.LeftButton and self._plates.frame_box().contains(at):
            self.open_frame_labels()
            return
        tool = self._session.focus.tool
        if button == Qt.MouseButton.LeftButton or (
            button == Qt.MouseButton.RightButton and tool == "scribble"
        ):
            self._pressed = True
            if self.gesture is not None and self.gesture.lasts:
                self.gesture.press(self._pointer_of(event))
            else:
                self._begin(self._pointer_of(event))

    def move(self, event: QMouseEvent) -> None:
        """Go on with what the press began; without one, point."""
        self._read_ctrl(event)
        self.pointer = event.position()
        if self._pan_from is not None:
            self._place.view.pan(event.position() - self._pan_from)
            self._pan_from = event.position()
        elif (
            event.buttons() & Qt.MouseButton.LeftButton
            and self.gesture is None
            and self._minimap.contains(event.position(), self._frame_image)
        ):
            self._minimap.go(event.position(), self._frame_image)
        elif self.gesture is not None:
            self.gesture.move(self._pointer_of(event))
            self._hold(self.gesture)
        else:
            self._hover(self._pointer_of(event))
        self._canvas.update()

    def release(self, event: QMouseEvent) -> None:
        """End a pan, or let the gesture do what it drew."""
        if self._pan_from is not None:
            self._pan_from = None
            self._aim()
        elif self.gesture is not None and self._pressed:
            gesture = self.gesture
            self._hold(None)
            pointer = self._pointer_of(event)
            if not gesture.done:
                gesture.move(pointer)
                gesture.release(pointer)
            if gesture.lasts:
                self._go_on(gesture)
            self._aim()
        self._pressed = False
        self._canvas.update()

    def leave(self) -> None:
        """The mouse left the canvas."""
        self.pointer = None
        self.hover_label = None
        self._session.selection.set_hover(None, origin=self)
        self._canvas.update()

    def select_at(self, at: QPointF) -> None:
        """Select the label under a place, unless one of the labels there is selected already."""
        stack = self._labels_at(at)
        if not any(label.id in self._session.focus.labels for label in stack):
            self._session.focus.set(labels=(stack[0].id,) if stack else ())

    def _pointer_of(self, event: QMouseEvent) -> Pointer:
        at = event.position()
        x, y = self._place.view.to_frame(at)
        rows, cols = self._frame_image.shape
        return Pointer(
            min(max(x, 0.0), float(cols)),
            min(max(y, 0.0), float(rows)),
            at,
            event.modifiers(),
            event.button(),
        )

    def _read_ctrl(self, event: QMouseEvent) -> None:
        """Ctrl as the mouse has it: the keyboard may be elsewhere."""
        self.hold_ctrl(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def _labels_at(self, at: QPointF) -> list[Label]:
        x, y = self._place.view.to_frame(at)
        return self._place.hit(x, y)

    def _hover(self, pointer: Pointer) -> None:
        stack = self._labels_at(pointer.at)
        self.hover_label = stack[0].id if stack else None
        instance = self._instances.at(*self._place.view.to_frame(pointer.at))
        self._session.selection.set_hover(instance, origin=self)
        self._aim()

    def _aim(self) -> None:
        """The cursor that says what a press would do."""
        tool = self.tool
        if self._space_held:
            self._canvas.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        found = (
            handle_at(self._place, self.pointer)
            if self.pointer is not None and self.handles_act
            else None
        )
        if found is not None:
            self._canvas.setCursor(_CURSORS.get(found[1], Qt.CursorShape.SizeAllCursor))
        elif tool.id == "select" and self.hover_label in self._session.focus.labels:
            self._canvas.setCursor(Qt.CursorShape.SizeAllCursor)
        else:
            self._canvas.setCursor(tool.cursor)
