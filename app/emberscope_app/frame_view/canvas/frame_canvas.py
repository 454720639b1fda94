"""The frame canvas: image, layers, labels, plates. Mouse events go to the controller of the tool in
hand."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from emberscope.labels import Box, Label, LabelSet
from emberscope.project import Changes
from emberscope_app.frame_view.canvas.canvas_keys import press_key
from emberscope_app.frame_view.canvas.canvas_menu import canvas_menu
from emberscope_app.frame_view.canvas.frame_image import FrameImage
from emberscope_app.frame_view.canvas.minimap import MiniMap
from emberscope_app.frame_view.canvas.paint_image import paint_image
from emberscope_app.frame_view.canvas.plates import Plates
from emberscope_app.frame_view.canvas.tool_controller import ToolController
from emberscope_app.frame_view.canvas.viewport import Viewport
from emberscope_app.frame_view.layers.many_labels import FROM, Crowd, CrowdLayer
from emberscope_app.frame_view.layers.overlay import Scene, paint_labels
from emberscope_app.frame_view.layers.table import frame_layers
from emberscope_app.frame_view.tools.edit import copy_to_next
from emberscope_app.frame_view.tools.erase import ring
from emberscope_app.frame_view.tools.gesture import DRAFT, Place
from emberscope_app.frame_view.tools.settings import ToolSettings
from emberscope_app.guard import paint_layers
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import concepts_edited
from emberscope_app.state.points.frame_instances import FrameInstances
from emberscope_app.state.runs.evaluation import evaluation_of
from emberscope_app.state.runs.scored import Scored
from emberscope_app.theme import tokens
from emberscope_app.words import counted

_BESIDE = 40  # px around the canvas: what lies there may have a plate or a corner inside


class FrameCanvas(QWidget):
    """Shows `session.focus.frame`. `image_changed` says that the image is another one."""

    image_changed = Signal()

    def __init__(
        self,
        session: Session,
        *,
        settings: ToolSettings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.settings = settings or ToolSettings()
        self.view = Viewport()
        self.frame_image = FrameImage(session)
        self.frame_image.on_late = lambda: self.reload()
        self.instances = FrameInstances(session)
        self.place = Place(session, self.view, self.settings)
        self.labels_hidden = False
        self.minimap = MiniMap(self.view)
        self.plates = Plates(self.place, self.frame_image)
        self.controller = ToolController(
            self.place, self.frame_image, self.instances, self.minimap, self.plates, canvas=self
        )
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 96)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Frame")
        session.changed.connect(self._project_changed)
        session.focus.changed.connect(self._focus_changed)
        session.selection.changed.connect(self._selection_changed)
        session.selection.hovered.connect(lambda _origin: self._selection_changed())
        session.contrast.changed.connect(self._contrast_changed)
        session.player.changed.connect(lambda: self._contrast_changed(None))
        self.settings.changed.connect(lambda _name: self.update())
        session.only(Scored).changed.connect(self._read_layers)
        for signal in (evaluation_of(session).moved, evaluation_of(session).changed):
            signal.connect(self.update)
        self._crowd_layer = CrowdLayer()
        self.layers = [kind(session, self.instances) for kind in frame_layers()]
        self._follow_missed = False  # the selection changed while the frame was out of sight
        self.reload()

    # --- what is on show

    def reload(self) -> None:
        """Read the frame in focus, and everything drawn on it."""
        self.frame_image.read()
        self.place.frame_shape = self.frame_image.shape
        self.view.show(*self.frame_image.shape)
        self._read_layers()
        self._selection_changed()
        self.image_changed.emit()
        self._describe()

    def _read_layers(self) -> None:
        self.instances.update()
        for layer in self.layers:
            layer.read()
        self.update()

    def fit(self) -> None:
        self.view.fit()
        self.update()

    def one_to_one(self) -> None:
        self.view.zoom_to(1.0, self.controller.pointer if self.underMouse() else None)
        self.update()

    def toggle_lock(self) -> None:
        """Keep the gray of this frame for all frames, or let it go (L)."""
        contrast = self.session.contrast
        if contrast.locked:
            contrast.unlock()
        elif self.frame_image.lut is not None:
            contrast.lock(self.frame_image.lut)

    def copy_to_next(self) -> None:
        """Copy labels to the next frames (M)."""
        copy_to_next(self.place, self.settings.copies)

    def scene(self) -> Scene:
        """What the overlay paints."""
        focus, project = self.session.focus, self.session.project
        labels, crowd = ([], None) if self.labels_hidden else self._labels_in_view()
        gesture, held = self.controller.gesture, False
        if gesture is not None:
            drafts = {label.id: label for label in gesture.drafts}
            labels = [
                drafts.pop(label.id, label) for label in labels if label.id not in gesture.hides
            ]
            labels += drafts.values()
            held = gesture.rail_held
        selected = frozenset(focus.labels) | ({DRAFT} if gesture is not None else frozenset())
        if not self.controller.tool.takes_handles:
            selected = frozenset()
        taken = [self.plates.frame_box(), self.plates.readout_box(self.controller.pointer)]
        if not self.view.everything_visible:
            taken.append(self.minimap.box(self.frame_image))
        taken += [layer.legend(QRectF(self.rect())) for layer in self.layers]
        return Scene(
            labels,
            project.classes,
            selected,
            self.controller.hover_label,
            self.instances.conflicts(),
            focus.tool == "relaxed",
            held,
            taken,
            self._dots(labels, focus.labels),
            crowd,
            self.controller.handles_act,
        )

    def _labels_in_view(self) -> tuple[list[Label], Crowd | None]:
        """Labels that are painted one by one, and the crowd where there are too many: of it those
        stay single that are pointed at or selected."""
        focus, gesture, index, view = (
            self.session.focus,
            self.controller.gesture,
            self.place.index(),
            self.view,
        )
        x0, y0 = view.to_frame(QPointF(-_BESIDE, -_BESIDE))
        x1, y1 = view.to_frame(QPointF(view.size.width() + _BESIDE, view.size.height() + _BESIDE))
        rows = index.within(x0, y0, x1, y1)
        if len(rows) < FROM:
            return index.at(rows), None
        hidden = (
            frozenset()
            if gesture is None
            else frozenset((*gesture.hides, *(d.id for d in gesture.drafts)))
        )
        many = len(focus.labels) >= FROM
        single = {*(() if many else focus.labels), self.controller.hover_label, *hidden}
        alone = np.isin(index.ids[rows], [key for key in single if key is not None]) | ~np.isfinite(
            index.corners[rows, 0])
        crowd = Crowd(
            index,
            rows,
            self.session.project.classes,
            hidden,
            frozenset(focus.labels if many else ()),
            self.instances.conflicts(),
        )
        return index.at(rows[alone]), crowd

    def _dots(self, labels: list[Label], chosen: tuple[int, ...]) -> NDArray[np.float32] | None:
        """Instance centers of the one selected relaxed box."""
        relaxed = [b for b in labels if b.id in chosen and isinstance(b, Box) and b.looseness > 0]
        box = relaxed[0] if len(relaxed) == len(chosen) == 1 else None
        return self.instances.centers(box.x0, box.y0, box.x1, box.y1) if box is not None else None

    # --- signals

    def _project_changed(self, changes: Changes) -> None:
        focus = self.session.focus
        if changes.everything:
            self.controller.cancel()
        if changes.touch("sources", "runs"):
            self.view.fitted |= changes.everything
            if changes.touch("sources"):
                self.frame_image.clear()
            self.reload()
        elif concepts_edited(changes) or changes.touch("marks", "classes"):
            self._read_layers()
        elif (focus.source, focus.frame) in changes.frames or changes.touch("settings"):
            self.update()

    def _focus_changed(self, names: set[str]) -> None:
        if names & {"source", "frame"}:
            self.controller.forget()
            self.reload()
        if names & {"run", "color_by"}:
            self._read_layers()
        if "run" in names:
            self._selection_changed()
        if "tool" in names:
            self.controller.tool_changed()
        self.update()

    def _selection_changed(self, _origin: object = None) -> None:
        # Of very many instances it takes a while, in each of several workspaces
        if not self.isVisible():
            self._follow_missed = True
            return
        self._follow_missed = False
        for layer in self.layers:
            layer.follow()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._follow_missed:
            self._selection_changed()

    def _contrast_changed(self, source: int | None) -> None:
        if source is None or source == self.frame_image.source:
            self.frame_image.shade()
            self.image_changed.emit()
            self.update()

    def _describe(self) -> None:
        focus = self.session.focus
        ref = self.session.project.sources.get(focus.source) if focus.source is not None else None
        labels: LabelSet = self.session.project.labels
        self.setAccessibleDescription(
            f"{ref.name}, frame {focus.frame + 1} of {ref.n_frames}, "
            + counted(len(labels.on_frame(ref.id, focus.frame)), "label")
            if ref
            else "No frame open"
        )

    # --- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.controller.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.controller.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.controller.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.controller.double(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Right click takes the label under the pointer first; with the scribble tool the right
        button erases."""
        drawing = self.controller.draws_on or self.controller.tool.id == "scribble"
        if self.session.focus.source is None or drawing:
            return
        self.controller.select_at(QPointF(event.pos()))
        canvas_menu(self, self).popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            self.view.zoom_by(steps, event.position())
            self.update()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.controller.leave()

    # --- keys

    def event(self, event: QEvent) -> bool:
        """While something is drawn click by click, Undo takes back its last corner."""
        undo = (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Undo)
        )
        if undo and self.controller.draws_on:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_key(self, event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Space:
            self.controller.hold_space(False)
        elif event.key() == Qt.Key.Key_Control:
            self.controller.hold_ctrl(False)
        elif event.key() == Qt.Key.Key_H:
            self.labels_hidden = False
            self.update()
        elif not self.controller.release_key(event.key()):
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.labels_hidden = False
        self.controller.let_go_of_keys()
        super().focusOutEvent(event)
        self.update()

    # --- painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view.resize(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.DARK.canvas))
        if self.session.focus.source is not None:
            gesture, room = self.controller.gesture, QRectF(self.rect())
            layers = [
                layer for layer in self.layers if not (self.labels_hidden and layer.with_labels)
            ]
            words = gesture.words if gesture is not None else ""
            paint_layers(
                painter,
                [
                    lambda p: paint_image(p, self.view, self.frame_image.image),
                    *(partial(layer.paint, view=self.view) for layer in layers if layer.height < 0),
                    self._paint_labels,
                    *(partial(layer.paint, view=self.view) for layer in layers if layer.height > 0),
                    self._paint_gesture,
                    lambda p: self.plates.paint(p, self.controller.pointer, words),
                    *(partial(layer.paint_legend, room=room) for layer in layers),
                    lambda p: (
                        None
                        if self.view.everything_visible
                        else self.minimap.paint(p, self.frame_image)
                    ),
                ],
            )

    def _paint_labels(self, painter: QPainter) -> None:
        scene = self.scene()
        if scene.crowd is not None:
            self._crowd_layer.paint(painter, self.view, scene.crowd, self.devicePixelRatioF())
        paint_labels(painter, self.view, scene)

    def _paint_gesture(self, painter: QPainter) -> None:
        gesture, pointer = self.controller.gesture, self.controller.pointer
        if gesture is not None:
            gesture.paint(painter)
        elif self.session.focus.tool == "erase" and pointer is not None:
            ring(painter, pointer, self.settings.brush * self.view.zoom)
