"""The frame canvas: picture, labels, plates; mouse and keys go to the tool in hand."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.labels import Box, Label, LabelSet
from emberscope.labels.geometry import hit
from emberscope.project import Changes
from emberscope_app.frame_view.canvas_keys import press_key
from emberscope_app.frame_view.canvas_menu import canvas_menu
from emberscope_app.frame_view.frame_popover import FramePopover
from emberscope_app.frame_view.instances import FrameInstances
from emberscope_app.frame_view.live import said
from emberscope_app.frame_view.minimap import MiniMap
from emberscope_app.frame_view.overlay import Scene, paint_labels, paint_supports
from emberscope_app.frame_view.picture import Picture
from emberscope_app.frame_view.plates import Plates
from emberscope_app.frame_view.tools.edit import EditGesture, copy_to_next, handle_at
from emberscope_app.frame_view.tools.erase import ring
from emberscope_app.frame_view.tools.gesture import DRAFT, Gesture, Place, Pointer, Tool
from emberscope_app.frame_view.tools.settings import ToolSettings
from emberscope_app.frame_view.tools.table import make_tools
from emberscope_app.frame_view.viewport import GRID_FROM, NEAREST_FROM, Viewport
from emberscope_app.state.session import Session
from emberscope_app.theme import tokens

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


class FrameCanvas(QWidget):
    """Shows `session.focus.frame`. `pictured` says that the picture is another one."""

    pictured = Signal()

    def __init__(
        self, session: Session, *, settings: ToolSettings | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.settings = settings or ToolSettings()
        self.view = Viewport()
        self.picture = Picture(session)
        self.instances = FrameInstances(session)
        self.place = Place(session, self.view, self.settings)
        self.tools = make_tools(self.instances)
        self.gesture: Gesture | None = None
        self.hover_label: int | None = None
        self.labels_hidden = False
        self.space_held = False
        self.pointer: QPointF | None = None
        self._pan_from: QPointF | None = None
        self._used = False  # the tool in hand was used since its key went down
        self._held: tuple[int, str] | None = None  # key held, tool to go back to
        self._since = QElapsedTimer()
        self.minimap = MiniMap(self.view)
        self.plates = Plates(self.place, self.picture)
        self.popover = FramePopover(self.place, self)
        self.popover.closed.connect(self._popover_closed)
        self._tool_before = "select"
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Frame")
        session.changed.connect(self._project_changed)
        session.focus.changed.connect(self._focus_changed)
        session.selection.changed.connect(self._selection_changed)
        session.selection.hovered.connect(lambda _origin: self._selection_changed())
        session.contrast.changed.connect(self._contrast_changed)
        session.player.changed.connect(lambda: self._contrast_changed(None))
        self.settings.changed.connect(lambda _name: self.update())
        self._supports: tuple[NDArray, NDArray | None, list[NDArray]] = (self.instances.selected(), None, [])
        self.reload()

    @property
    def tool(self) -> Tool:
        """The tool in hand."""
        return self.tools.get(self.session.focus.tool, self.tools["select"])

    # --- what is on show

    def reload(self) -> None:
        """Read the frame in focus, and everything drawn on it."""
        self.picture.read()
        self.place.frame_shape = self.picture.shape
        self.view.show(*self.picture.shape)
        self.instances.update()
        self._selection_changed()
        self.pictured.emit()
        self._describe()

    def fit(self) -> None:
        self.view.fit()
        self.update()

    def one_to_one(self) -> None:
        self.view.zoom_to(1.0, self.pointer if self.underMouse() else None)
        self.update()

    def toggle_lock(self) -> None:
        """Keep the gray of this frame for all frames, or let it go (L)."""
        contrast = self.session.contrast
        if contrast.locked:
            contrast.unlock()
        elif self.picture.lut is not None:
            contrast.lock(self.picture.lut)

    def copy_to_next(self) -> None:
        """Copy labels to the next frames (M)."""
        done = copy_to_next(self.place, self.settings.copies)
        if done:
            self.session.say(f"Copied to the next {done} frames. Ctrl+Z takes it back.")

    def open_frame_labels(self) -> None:
        """Show the frame label popover under its plate."""
        if self.session.focus.source is not None:
            self.popover.open_at(QPointF(12, 44))

    def cancel(self) -> bool:
        """Drop the draft; True where there was one."""
        had = self.gesture is not None
        self._hold(None)
        self.update()
        return had

    def _hold(self, gesture: Gesture | None) -> None:
        """The gesture in progress, or its end; the status bar says what it would make."""
        if gesture is not None or self.gesture is not None:
            self.gesture = gesture
            self.session.hinted.emit(said(self.place, self.instances, gesture))

    def scene(self) -> Scene:
        """What the overlay paints."""
        focus, project = self.session.focus, self.session.project
        labels: list[Label] = [] if self.labels_hidden else self.place.labels()
        held = False
        if self.gesture is not None:
            drafts = {label.id: label for label in self.gesture.drafts}
            labels = [drafts.pop(label.id, label) for label in labels if label.id not in self.gesture.hides]
            labels += drafts.values()
            held = self.gesture.rail_held
        selected = frozenset(focus.labels) | ({DRAFT} if self.gesture is not None else frozenset())
        if not self.tool.takes_handles:
            selected = frozenset()
        taken = [self.plates.frame_box(), self.plates.readout_box(self.pointer)]
        if not self.view.everything_visible:
            taken.append(self.minimap.box(self.picture))
        return Scene(
            labels,
            project.classes,
            selected,
            self.hover_label,
            self.instances.conflicts(),
            focus.tool == "relaxed",
            held,
            taken,
            self._dots(labels, focus.labels),
        )

    def _dots(self, labels: list[Label], chosen: tuple[int, ...]) -> NDArray[np.float32] | None:
        """Instance centers of the one selected relaxed box."""
        relaxed = [b for b in labels if b.id in chosen and isinstance(b, Box) and b.looseness > 0]
        box = relaxed[0] if len(relaxed) == len(chosen) == 1 else None
        return self.instances.centers(box.x0, box.y0, box.x1, box.y1) if box is not None else None

    # --- signals

    def _project_changed(self, changes: Changes) -> None:
        focus = self.session.focus
        if changes.touch("sources", "runs"):
            self.view.fitted |= changes.everything
            if changes.touch("sources"):
                self.picture.clear()
            self.reload()
        elif changes.touch("classes") or (focus.source, focus.frame) in changes.frames:
            self.update()

    def _focus_changed(self, names: set[str]) -> None:
        if names & {"source", "frame"}:
            self._hold(None)
            self.hover_label = None
            self.reload()
        if "run" in names:
            self.instances.update()
            self._selection_changed()
        if "tool" in names:
            self._tool_changed()
        self.update()

    def _tool_changed(self) -> None:
        self.cancel()
        if self.tool.id == "frame":
            self.open_frame_labels()
        else:
            self._tool_before = self.tool.id
            self.popover.hide()
        self._aim()

    def _popover_closed(self) -> None:
        if self.session.focus.tool == "frame":
            self.session.focus.set(tool=self._tool_before)
        self.setFocus()

    def _selection_changed(self, _origin: object = None) -> None:
        found = self.instances
        self._supports = (found.selected(), found.hovered(), found.bag_outlines())
        self.update()

    def _contrast_changed(self, source: int | None) -> None:
        if source is None or source == self.picture.source:
            self.picture.shade()
            self.pictured.emit()
            self.update()

    def _describe(self) -> None:
        focus = self.session.focus
        ref = self.session.project.sources.get(focus.source) if focus.source is not None else None
        labels: LabelSet = self.session.project.labels
        self.setAccessibleDescription(
            f"{ref.name}, frame {focus.frame + 1} of {ref.n_frames}, {len(labels.on_frame(ref.id, focus.frame))} labels"
            if ref
            else "No frame open"
        )

    # --- mouse

    def _pointer_of(self, event: QMouseEvent) -> Pointer:
        at = event.position()
        x, y = self.view.to_frame(at)
        rows, cols = self.picture.shape
        return Pointer(
            min(max(x, 0.0), float(cols)), min(max(y, 0.0), float(rows)), at, event.modifiers(), event.button()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at, button = event.position(), event.button()
        if self.session.focus.source is None:
            return
        if button == Qt.MouseButton.MiddleButton or (button == Qt.MouseButton.LeftButton and self.space_held):
            self._pan_from = at
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if button == Qt.MouseButton.LeftButton and self.minimap.contains(at, self.picture):
            self.minimap.go(at, self.picture)
            self._pan_from = None
            self.update()
            return
        if button == Qt.MouseButton.LeftButton and self.plates.frame_box().contains(at):
            self.open_frame_labels()
            return
        tool = self.session.focus.tool
        if button == Qt.MouseButton.LeftButton or (button == Qt.MouseButton.RightButton and tool == "scribble"):
            self._begin(self._pointer_of(event))

    def _begin(self, pointer: Pointer) -> None:
        tool = self.tool
        self._used = True
        found = (
            handle_at(self.place, pointer.at)
            if tool.takes_handles and not pointer.alt and pointer.button == Qt.MouseButton.LeftButton
            else None
        )
        if found is not None:
            self._hold(EditGesture(self.place, [found[0]], found[1], pointer))
        else:
            self._hold(tool.press(self.place, pointer))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointer = event.position()
        if self._pan_from is not None:
            self.view.pan(event.position() - self._pan_from)
            self._pan_from = event.position()
        elif (
            event.buttons() & Qt.MouseButton.LeftButton
            and self.gesture is None
            and self.minimap.contains(event.position(), self.picture)
        ):
            self.minimap.go(event.position(), self.picture)
        elif self.gesture is not None:
            self.gesture.move(self._pointer_of(event))
            self._hold(self.gesture)
        else:
            self._hover(self._pointer_of(event))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            self._pan_from = None
            self._aim()
        elif self.gesture is not None:
            gesture = self.gesture
            self._hold(None)
            pointer = self._pointer_of(event)
            gesture.move(pointer)
            gesture.release(pointer)
            self._aim()
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Right click takes the label under the pointer first; with the scribble tool the right button erases."""
        if self.session.focus.source is None or self.tool.id == "scribble":
            return
        x, y = self.view.to_frame(QPointF(event.pos()))
        stack = hit(self.place.labels(), x, y, tolerance=self.place.tolerance)
        if not any(label.id in self.session.focus.labels for label in stack):
            self.session.focus.set(labels=(stack[0].id,) if stack else ())
        canvas_menu(self, self).popup(event.globalPos())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            self.view.zoom_by(steps, event.position())
            self.update()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self.hover_label = None
        self.session.selection.set_hover(None, origin=self)
        self.update()

    def _hover(self, pointer: Pointer) -> None:
        x, y = self.view.to_frame(pointer.at)
        stack = hit(self.place.labels(), x, y, tolerance=self.place.tolerance)
        self.hover_label = stack[0].id if stack else None
        self.session.selection.set_hover(self.instances.at(x, y), origin=self)
        self._aim()

    def _aim(self) -> None:
        """The cursor that says what a press would do."""
        tool = self.tool
        if self.space_held:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        found = handle_at(self.place, self.pointer) if self.pointer is not None and tool.takes_handles else None
        if found is not None:
            self.setCursor(_CURSORS.get(found[1], Qt.CursorShape.SizeAllCursor))
        elif tool.id == "select" and self.hover_label in self.session.focus.labels:
            self.setCursor(Qt.CursorShape.SizeAllCursor)
        else:
            self.setCursor(tool.cursor)

    # --- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_key(self, event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Space:
            self.space_held = False
            self._aim()
        elif event.key() == Qt.Key.Key_H:
            self.labels_hidden = False
            self.update()
        elif self._held is not None and event.key() == self._held[0]:
            if self._used and self._since.elapsed() > _HOLD_MS:
                self.session.focus.set(tool=self._held[1])
            self._held = None
        else:
            super().keyReleaseEvent(event)

    def take_tool(self, tool: str, *, key: int | None = None) -> None:
        """Take a tool in hand; with `key` held down it is given back on release."""
        if key is not None:
            self._held = (key, self.session.focus.tool)
            self._used = False
            self._since.start()
        if tool == self.session.focus.tool == "frame":
            self.open_frame_labels()
        self.session.focus.set(tool=tool)

    def aim(self) -> None:
        self._aim()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.space_held = self.labels_hidden = False
        self._held = None
        super().focusOutEvent(event)
        self.update()

    # --- painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view.resize(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.DARK.canvas))
        if self.session.focus.source is not None:
            self._paint_picture(painter)
            selected, hovered, outlines = self._supports
            paint_supports(painter, self.view, selected, hover=hovered, outlines=outlines)
            paint_labels(painter, self.view, self.scene())
            if self.gesture is not None:
                self.gesture.paint(painter)
            elif self.session.focus.tool == "erase" and self.pointer is not None:
                ring(painter, self.pointer, self.settings.brush * self.view.zoom)
            self.plates.paint(painter, self.pointer, self.gesture.words if self.gesture is not None else "")
            if not self.view.everything_visible:
                self.minimap.paint(painter, self.picture)
        painter.end()

    def _paint_picture(self, painter: QPainter) -> None:
        if self.picture.image.isNull():
            return
        near = self.view.zoom >= NEAREST_FROM or self.view.zoom == 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not near)
        visible = self.view.visible
        part = QRectF(
            QPointF(int(visible.left()), int(visible.top())),
            QPointF(int(visible.right()) + 1, int(visible.bottom()) + 1),
        )
        part = part.intersected(QRectF(self.picture.image.rect()))
        painter.drawImage(
            self.view.rect(part.left(), part.top(), part.right(), part.bottom()), self.picture.image, part
        )
        if self.view.zoom >= GRID_FROM:
            self._paint_grid(painter, part)

    def _paint_grid(self, painter: QPainter, part: QRectF) -> None:
        painter.setPen(QPen(QColor(0, 0, 0, 60), 1))
        for x in range(int(part.left()), int(part.right()) + 1):
            painter.drawLine(self.view.to_screen(x, part.top()), self.view.to_screen(x, part.bottom()))
        for y in range(int(part.top()), int(part.bottom()) + 1):
            painter.drawLine(self.view.to_screen(part.left(), y), self.view.to_screen(part.right(), y))
