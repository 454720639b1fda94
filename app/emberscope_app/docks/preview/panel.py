"""The Frame dock of Explore: the frame of what is pointed at or selected, small, with its bag and its instance."""

from collections import OrderedDict

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, QRunnable, Qt, QThreadPool, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from emberscope.base.errors import EmberscopeError
from emberscope.base.ids import bag_name, label_of_bag
from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table
from emberscope.labels.geometry import bounds
from emberscope.project import Changes, Run, SourceRef
from emberscope.project.coloring import class_slots
from emberscope_app.pixels.chip_cache import Readers
from emberscope_app.state.row_index import RowIndex
from emberscope_app.state.session import Session
from emberscope_app.theme import tokens
from emberscope_app.theme.controls import Empty, MessageBar, trigger
from emberscope_app.theme.glyphs import paint_glyph
from emberscope_app.theme.look import current, font, look
from emberscope_app.theme.panel import Panel
from emberscope_app.words import spaced

_KEPT = 24  # frames
Place = tuple[int, int]  # source, frame


class _Told(QObject):
    ready = Signal(object, object, int)  # place, QImage or words, epoch


class _Read(QRunnable):
    def __init__(self, ref: SourceRef, frame: int, contrast: Contrast, locked: Lut | None, epoch: int,
                 readers: Readers, told: _Told) -> None:
        super().__init__()
        self._ref, self._frame, self._contrast, self._locked = ref, frame, contrast, locked
        self._epoch, self._readers, self._told = epoch, readers, told

    def run(self) -> None:
        found: object
        try:
            frame = self._readers.get(self._ref).read(self._frame)
            gray = np.ascontiguousarray(apply(self._locked or lookup_table(frame, self._contrast), frame))
            rows, cols = gray.shape
            found = QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()
        except (EmberscopeError, IndexError, OSError) as error:
            found = str(error)
        self._told.ready.emit((self._ref.id, self._frame), found, self._epoch)


class FramePictures(QObject):
    """Frames in gray, read in a thread; only the last wish counts."""

    arrived = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._kept: OrderedDict[Place, QImage] = OrderedDict()
        self._next: Place | None = None
        self._busy = False
        self._epoch = 0
        self.errors: dict[Place, str] = {}
        self._readers = Readers()
        self._told = _Told(self)
        self._told.ready.connect(self._take)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        session.contrast.changed.connect(lambda _: self.forget())
        session.closing.connect(self.close)

    def get(self, place: Place) -> QImage | None:
        """The frame of a place, or None until it is read."""
        found = self._kept.get(place)
        if found is None and place not in self.errors:
            self._next = place
            self._start()
        return found

    def forget(self, *, files: bool = False) -> None:
        """Another gray, or other files."""
        self._epoch += 1
        self._kept.clear()
        self.errors.clear()
        if files:
            self._pool.waitForDone()
            self._readers.close()
        self.arrived.emit()

    def close(self) -> None:
        self._next = None
        self._pool.clear()
        self._pool.waitForDone()
        self._readers.close()

    def _start(self) -> None:
        if self._busy or self._next is None:
            return
        source, frame = self._next
        ref, contrast = self._session.project.sources.get(source), self._session.contrast
        self._next = None
        if ref is None:
            return
        self._busy = True
        locked = contrast.lut_for(source, -1, np.empty((0, 0))) if contrast.locked else None
        self._pool.start(_Read(ref, frame, contrast.of(source), locked, self._epoch, self._readers, self._told))

    def _take(self, place: Place, found: object, epoch: int) -> None:
        self._busy = False
        if epoch == self._epoch:
            if isinstance(found, QImage):
                self._kept[place] = found
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            else:
                self.errors[place] = str(found)
        self.arrived.emit()
        self._start()


class _View(QWidget):
    """Paints the frame; the last one stays until the next is there."""

    double_clicked = Signal()

    def __init__(self, session: Session, pictures: FramePictures) -> None:
        super().__init__()
        self._session, self._pictures = session, pictures
        self.place: Place | None = None
        self.row = -1
        self._image: QImage | None = None
        self._image_of: Place | None = None
        pictures.arrived.connect(self.update)
        look().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current().canvas))
        if self.place is None:
            return
        found = self._pictures.get(self.place)
        if found is not None:
            self._image, self._image_of = found, self.place
        if self._image is None:
            return
        where = self._where(self._image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setOpacity(1.0 if self._image_of == self.place else 0.6)
        painter.drawImage(where, self._image)
        painter.setOpacity(1.0)
        run = self._session.run
        if run is not None and self.row >= 0 and self._image_of == self.place:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter, run, where, where.width() / self._image.width())

    def _where(self, image: QImage) -> QRectF:
        """The whole frame, as large as fits."""
        scale = min(self.width() / image.width(), self.height() / image.height())
        wide, high = image.width() * scale, image.height() * scale
        return QRectF((self.width() - wide) / 2, (self.height() - high) / 2, wide, high)

    def _paint_marks(self, painter: QPainter, run: Run, where: QRectF, scale: float) -> None:
        bag = int(run.bags.first_bag(len(run.ids))[self.row])
        if bag >= 0:
            self._paint_bag(painter, run, bag, where, scale)
        _stroke(painter, _mapped(run.box[self.row].tolist(), where, scale), QColor("#FFFFFF"), 2.0)

    def _paint_bag(self, painter: QPainter, run: Run, bag: int, where: QRectF, scale: float) -> None:
        """The label's outline, else what the instances of the bag cover; colours over a frame are the dark ones."""
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
        y = outline.top() - 24 if outline.top() >= 24 else min(outline.bottom() + 4, self.height() - 20)
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
    """Follows the pointer and the selection; a double click opens the Label workspace at the frame."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._index = RowIndex(session.run)
        self.pictures = FramePictures(session, self)
        self.view = _View(session, self.pictures)
        self.view.setAccessibleName("Frame of the selection")
        self.view.double_clicked.connect(self.open_frame)
        self.message = MessageBar()
        self.empty = Empty("No frame open.", action="Open data", on_action=lambda: trigger(self, "file.open-data"))
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self._pages, 1)
        self.pictures.arrived.connect(self._show_error)
        session.selection.hovered.connect(lambda _origin: self.read())
        session.selection.changed.connect(lambda _origin: self.read())
        session.changed.connect(self._on_project)
        session.focus.changed.connect(self._on_focus)
        self.read()

    def read(self) -> None:
        """The frame of what is pointed at, else of the first selected, else the one in focus."""
        run, focus, project = self.session.run, self.session.focus, self.session.project
        row = self._row()
        place: Place | None = None
        if run is not None and row >= 0:
            place = int(run.source[row]), int(run.frame[row])
        elif focus.source is not None:
            place = focus.source, focus.frame
        ref = project.sources.get(place[0]) if place is not None else None
        self.view.place, self.view.row = (place, row) if ref is not None else (None, -1)
        self._pages.setCurrentIndex(1 if ref is not None else 0)
        name = (ref.name.rpartition(".")[0] or ref.name) if ref is not None else ""
        self.set_count(f"{name}, {spaced(place[1] + 1)}" if ref is not None and place is not None else "")
        self.view.update()

    def open_frame(self) -> None:
        """Label here."""
        place, run, row = self.view.place, self.session.run, self.view.row
        if place is None:
            return
        self.session.go(*place)
        if run is not None and row >= 0:
            bag = int(run.bags.first_bag(len(run.ids))[row])
            label = label_of_bag(int(run.bag_ids[bag])) if bag >= 0 else -1
            if label in self.session.project.labels:
                self.session.focus.set(labels=(label,))
        trigger(self, "view.label")

    def _row(self) -> int:
        row = self._index.row(self.session.selection.hover)
        ids = self.session.selection.ids
        return row if row >= 0 or not len(ids) else self._index.row(int(ids[0]))

    def _show_error(self) -> None:
        words = self.pictures.errors.get(self.view.place, "") if self.view.place is not None else ""
        if words:
            self.message.show_message(words, level="err")
        else:
            self.message.hide()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self.pictures.forget(files=True)
        if changes.touch("runs"):
            self._index = RowIndex(self.session.run)
        self.read()

    def _on_focus(self, names: set[str]) -> None:
        if "run" in names:
            self._index = RowIndex(self.session.run)
        if names & {"run", "source", "frame"}:
            self.read()


def _mapped(corners: list[float], where: QRectF, scale: float) -> QRectF:
    x0, y0, x1, y1 = corners
    return QRectF(where.x() + x0 * scale, where.y() + y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale)


def _stroke(painter: QPainter, rect: QRectF, color: QColor, width: float, *, dashed: bool = False) -> None:
    """A line that reads on hot and cold ground: dark casing beneath."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(0, 0, 0, 140), width + 2))
    painter.drawRect(rect)
    pen = QPen(color, width)
    if dashed:
        pen.setDashPattern([8 / width, 4 / width])
    painter.setPen(pen)
    painter.drawRect(rect)
