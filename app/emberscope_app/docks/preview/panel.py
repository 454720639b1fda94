"""The Frame dock of Explore: the frame of what is pointed at or selected, small, with its bag and
its instance."""

from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope.base.ids import bag_name, label_of_bag
from emberscope.findings.coloring import class_slots
from emberscope.findings.concepts import RunConcepts
from emberscope.findings.point_looks import CONCEPT
from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table
from emberscope.labels.geometry import bounds
from emberscope.project import Changes, Run
from emberscope_app.frame_view.layers.concept_marks import (
    ConceptMarks,
    concept_marks,
    paint_concepts,
    paint_legend,
)
from emberscope_app.pixels.byte_cache import ByteCache
from emberscope_app.pixels.frame_service import Frames, Priority, Request, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.state.core.row_index import RowIndex
from emberscope_app.state.core.session import Session
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import MessageBar, trigger, without_data
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import spaced

BUDGET = 32 << 20  # bytes of gray frames kept: 100 of 640 x 512
Place = tuple[int, int]  # source, frame


class FramePreviews(QObject):
    """Frames in gray, one after the other; of those asked for meanwhile only the last one
    counts."""

    arrived = Signal()

    def __init__(self, session: Session, parent: QObject, *, budget: int = BUDGET) -> None:
        super().__init__(parent)
        self._session, self._frames = session, frame_service(session)
        self._previews: ByteCache[Place, QImage] = ByteCache(budget, QImage.sizeInBytes)
        self._next: Place | None = None
        self._request: Request | None = None
        self.errors: dict[Place, str] = {}
        session.contrast.changed.connect(lambda _: self.forget())

    def get(self, place: Place) -> QImage | None:
        """The frame of a place, or None until it is read."""
        image = self._previews.get(place)
        if image is None and place not in self.errors:
            self._next = place
            self._start()
        return image

    def forget(self) -> None:
        """Another gray, or other files."""
        self._frames.cancel(self)
        self._request = None
        self._previews.clear()
        self.errors.clear()
        self.arrived.emit()

    def _start(self) -> None:
        if self._request is not None or self._next is None:
            return
        place, self._next = self._next, None
        source, frame = place
        ref, contrast = self._session.project.sources.get(source), self._session.contrast
        if ref is None:
            return
        locked = contrast.lut_for(source, -1, np.empty((0, 0))) if contrast.locked else None
        work = partial(_rendered, frame, contrast.of(source), locked)
        take, fail = partial(self._take, place), partial(self._fail, place)
        self._request = self._frames.ask(
            self, ref, work, priority=Priority.SHOWN, frame=frame, take=take, fail=fail
        )

    def _take(self, place: Place, image: QImage) -> None:
        self._previews.put(place, image)
        self._end()

    def _fail(self, place: Place, failure: ReadFailure) -> None:
        self.errors[place] = failure.words
        self._end()

    def _end(self) -> None:
        self._request = None
        self.arrived.emit()
        self._start()


def _rendered(frame: int, contrast: Contrast, locked: Lut | None, frames: Frames) -> QImage:
    counts = frames.read(frame)
    gray = np.ascontiguousarray(apply(locked or lookup_table(counts, contrast), counts))
    rows, cols = gray.shape
    return QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()


class _View(QWidget):
    """Paints the frame; the last one stays until the next is there."""

    double_clicked = Signal()

    def __init__(self, session: Session, previews: FramePreviews) -> None:
        super().__init__()
        self._session, self._previews = session, previews
        self.place: Place | None = None
        self.run: Run | None = None  # of the row
        self.row = -1
        self.marks: ConceptMarks | None = None
        self._image: QImage | None = None
        self._image_of: Place | None = None
        previews.arrived.connect(self.update)
        look().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().canvas))
        if self.place is None:
            return
        found = self._previews.get(self.place)
        if found is not None:
            self._image, self._image_of = found, self.place
        if self._image is None:
            return
        where = self._where(self._image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setOpacity(1.0 if self._image_of == self.place else 0.6)
        painter.drawImage(where, self._image)
        painter.setOpacity(1.0)
        if self._image_of == self.place:
            self._paint_over(painter, where, where.width() / self._image.width())

    def _paint_over(self, painter: QPainter, where: QRectF, scale: float) -> None:
        """Concepts below, the bag and the instance above them."""
        run = self.run
        if self.marks is not None:
            paint_concepts(
                painter, lambda *corners: _mapped(list(corners), where, scale), self.marks
            )
        if run is not None and self.row >= 0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter, run, where, scale)
        if self.marks is not None:
            paint_legend(painter, QRectF(self.rect()), self.marks)

    def _where(self, image: QImage) -> QRectF:
        """The whole frame, as large as fits."""
        scale = min(self.width() / image.width(), self.height() / image.height())
        wide, high = image.width() * scale, image.height() * scale
        return QRectF((self.width() - wide) / 2, (self.height() - high) / 2, wide, high)

    def _paint_marks(self, painter: QPainter, run: Run, where: QRectF, scale: float) -> None:
        bag = run.bags.first_of(self.row)
        if bag >= 0:
            self._paint_bag(painter, run, bag, where, scale)
        _stroke(painter, _mapped(run.box[self.row].tolist(), where, scale), QColor("#FFFFFF"), 2.0)

    def _paint_bag(
        self, painter: QPainter, run: Run, bag: int, where: QRectF, scale: float
    ) -> None:
        """The label's outline, else what the instances of the bag cover; colors over a frame are
        the dark ones."""
        project, label_id = self._session.project, label_of_bag(int(run.bag_ids[bag]))
        box = run.box[run.bags.of(bag)]
        corners: list[float] = [*box[:, :2].min(axis=0).tolist(), *box[:, 2:].max(axis=0).tolist()]
        if label_id in project.labels:
            corners = list(bounds(project.labels[label_id]) or corners)
        slot = int(class_slots(project, run.bag_classes[bag : bag + 1])[0])
        color = tokens.DARK.class_color(slot)
        outline = _mapped(corners, where, scale)
        _stroke(painter, outline, color, 2.0, dashed=True)
        self._paint_plate(painter, outline, f"Bag {bag_name(int(run.bag_ids[bag]))}", slot)

    def _paint_plate(self, painter: QPainter, outline: QRectF, words: str, slot: int) -> None:
        face = font(tokens.PX_SMALL, 600)
        wide = QFontMetrics(face).horizontalAdvance(words) + 28
        x = min(max(outline.left(), 0), max(self.width() - wide, 0))
        y = (
            outline.top() - 24
            if outline.top() >= 24
            else min(outline.bottom() + 4, self.height() - 20)
        )
        plate = QRectF(x, y, wide, 20)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(12, 14, 16, 214))
        painter.drawRoundedRect(plate, tokens.RADIUS_TAG, tokens.RADIUS_TAG)
        paint_glyph(painter, slot, QPointF(x + 11, y + 10), 4, color=tokens.DARK.class_color(slot))
        painter.setFont(face)
        painter.setPen(QColor("#FFFFFF"))
        painter.drawText(plate.adjusted(21, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()


class PreviewPanel(Panel):
    """Follows the pointer and the selection; a double click opens the Label workspace at the
    frame."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._index = RowIndex(session.run)
        self.previews = FramePreviews(session, self)
        self._marks_of: tuple[Place, RunConcepts] | None = None
        self._found_marks: ConceptMarks | None = None
        self.view = _View(session, self.previews)
        self.view.setAccessibleName("Frame of the selection")
        self.view.double_clicked.connect(self.open_frame)
        self.message = MessageBar()
        self.empty = without_data("No frame open.")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self._pages, 1)
        self.previews.arrived.connect(self._show_error)
        session.selection.hovered.connect(lambda _origin: self.read())
        session.selection.changed.connect(lambda _origin: self.read())
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self.read()

    def read(self) -> None:
        """The frame of what is pointed at, else of the first selected, else the one in focus."""
        run, focus, project = self.session.run, self.session.focus, self.session.project
        row = self._row() if self._index.of is run else -1
        place: Place | None = None
        if run is not None and row >= 0:
            place = int(run.source[row]), int(run.frame[row])
        elif focus.source is not None:
            place = focus.source, focus.frame
        ref = project.sources.get(place[0]) if place is not None else None
        self.view.place, self.view.row = (place, row) if ref is not None else (None, -1)
        self.view.run = run
        self.view.marks = self._marks(place) if ref is not None and place is not None else None
        self._pages.setCurrentIndex(1 if ref is not None else 0)
        name = (ref.name.rpartition(".")[0] or ref.name) if ref is not None else ""
        self.set_count(
            f"frame {spaced(place[1] + 1)} · {name}"
            if ref is not None and place is not None
            else ""
        )
        self.view.update()

    def _marks(self, place: Place) -> ConceptMarks | None:
        """Concepts of the instances there, found once per frame, since the pointer moves much."""
        run, focus = self.session.run, self.session.focus
        found = run_concepts(self.session.project, run) if focus.color_by == CONCEPT else None
        if found is None or run is None:
            return None
        if self._marks_of is None or self._marks_of[0] != place or self._marks_of[1] is not found:
            self._marks_of = (place, found)
            rows = np.flatnonzero((run.source == place[0]) & (run.frame == place[1]))
            self._found_marks = concept_marks(self.session, rows)
        return self._found_marks

    def open_frame(self) -> None:
        """Label here."""
        place, run, row = self.view.place, self.view.run, self.view.row
        if place is None:
            return
        self.session.go(*place)
        if run is not None and row >= 0:
            bag = run.bags.first_of(row)
            label = label_of_bag(int(run.bag_ids[bag])) if bag >= 0 else -1
            if label in self.session.project.labels:
                self.session.focus.set(labels=(label,))
        trigger(self, "view.label")

    def _row(self) -> int:
        row = self._index.row(self.session.selection.hover)
        ids = self.session.selection.ids
        return row if row >= 0 or not len(ids) else self._index.row(int(ids[0]))

    def _show_error(self) -> None:
        words = self.previews.errors.get(self.view.place, "") if self.view.place is not None else ""
        if words:
            self.message.show_message(words, level="err")
        else:
            self.message.hide()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self.previews.forget()
        if changes.touch("runs"):
            self._index = RowIndex(self.session.run)
        if changes.touch("marks", "classes"):
            self._marks_of = None  # a concept is called by the class of its witnesses
        self.read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._index = RowIndex(self.session.run)
        if names & {"run", "source", "frame", "color_by"}:
            self.read()


def _mapped(corners: list[float], where: QRectF, scale: float) -> QRectF:
    x0, y0, x1, y1 = corners
    return QRectF(
        where.x() + x0 * scale, where.y() + y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale
    )


def _stroke(
    painter: QPainter, rect: QRectF, color: QColor, width: float, *, dashed: bool = False
) -> None:
    """A line that reads on hot and cold ground: dark casing beneath."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(0, 0, 0, 140), width + 2))
    painter.drawRect(rect)
    pen = QPen(color, width)
    if dashed:
        pen.setDashPattern([8 / width, 4 / width])
    painter.setPen(pen)
    painter.drawRect(rect)
