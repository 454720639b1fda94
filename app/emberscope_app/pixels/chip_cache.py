"""Gray chips of instances, for every view alike: requests of the frame service, kept in memory.

A chip shows the square around an instance's pixel support that its features see, in the gray its
frame is shown in.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table
from emberscope.project import Changes, Recipe, Run, SourceRef
from emberscope.project.model.project import POINTS
from emberscope_app.pixels.byte_cache import ByteCache
from emberscope_app.pixels.frame_service import Frames, Priority, Request, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.pixels.value_strips import value_strip
from emberscope_app.state.core.session import Session
from emberscope_app.when.timers import Later

BUDGET = 256 << 20  # bytes of images kept
# Px; wider supports are kept shrunk: a chip is shown at 160 px at most, on sharp displays too
WIDEST = 320
_AT_ONCE = 8        # frames asked for at a time: what is wanted later may be nearer
_PENDING = 6000     # frames wanted at most; older ones have been scrolled past
Place = tuple[int, int]                   # source, frame
Box = tuple[float, float, float, float]   # x0, y0, x1, y1
Key = tuple[int, float]  # instance id, and how much wider its features look


class Shown(Protocol):
    """Rows of instances that have chips: a run, or what one would be made of.

    ids, source, frame : (N,). box : (N, 4).
    """

    @property
    def ids(self) -> NDArray: ...
    @property
    def source(self) -> NDArray: ...
    @property
    def frame(self) -> NDArray: ...
    @property
    def box(self) -> NDArray: ...
    @property
    def recipe(self) -> Recipe: ...


def chip_cache(session: Session) -> "ChipCache":
    """The one chip cache of a session."""
    return session.only(ChipCache)


def chip_image(session: Session, run: Run | None, row: int, size: int) -> QImage | None:
    """The chip of a row of a run, to be drawn at `size` px; None while it is being cut.

    `chip_cache(session).ready` says that chips came. The image has its own resolution: scale it
    while painting.
    """
    if run is None or not 0 <= row < len(run.ids):
        return None
    return chip_cache(session).get(run, row, size)


def cut(gray: NDArray, box: NDArray) -> NDArray:
    """The square around a box x0, y0, x1, y1, (s, s) of a frame; beyond it its border goes on, as
    in features.

    Of a box much larger than the frame as much as shows that it is.
    """
    x0, y0, x1, y1 = (float(value) for value in box)
    side = min(max(round(max(x1 - x0, y1 - y0)), 1), 3 * max(gray.shape))
    steps = np.arange(side)
    rows = np.clip(round((y0 + y1 - side) / 2) + steps, 0, gray.shape[0] - 1)
    cols = np.clip(round((x0 + x1 - side) / 2) + steps, 0, gray.shape[1] - 1)
    return gray[np.ix_(rows, cols)]


@dataclass(frozen=True, slots=True)
class _Gray:
    """How the frames of a source are shown; a newer `epoch` is another gray."""

    contrast: Contrast
    locked: Lut | None
    epoch: int


class ChipCache(QObject):
    """`get` returns a chip or None and has it cut; `ready` says that some came.

    After a change of contrast the old chips stay on show until the new ones come.
    """

    ready = Signal()

    def __init__(self, session: Session, *, budget: int = BUDGET) -> None:
        super().__init__(session)
        self._session, self._frames = session, frame_service(session)
        self._chips: ByteCache[tuple[Key, int], tuple[QImage, int]] = ByteCache(
            budget, lambda e: e[0].sizeInBytes()
        )
        # What is cut -> box; the newest frame last
        self._wanted: OrderedDict[Place, dict[Key, Box]] = OrderedDict()
        self._asked: dict[Key, Request] = {}
        self._requests: set[Request] = set()  # what is being read, of an earlier gray too
        self.errors: dict[int, str] = {}
        self._epoch = 0
        self._timer = Later(self, self._send)
        session.contrast.changed.connect(self._on_contrast)
        session.changed.connect(self._on_project)

    def get(self, run: Shown, row: int, size: int) -> QImage | None:
        """The chip of a row of a run, to be drawn at `size` px."""
        key = _key(run, row)
        kept = self._chips.get((key, 0))
        if kept is None or kept[1] != self._epoch:
            self.want(run, row)
        return self._fitting(key, kept, size) if kept is not None else None

    def want(self, run: Shown, row: int) -> None:
        """Have a chip cut that will be needed soon."""
        key, place = _key(run, row), (int(run.source[row]), int(run.frame[row]))
        kept = self._chips.get((key, 0))
        if (
            (kept is not None and kept[1] == self._epoch)
            or key in self._asked
            or place[0] in self.errors
        ):
            return
        self._wanted.setdefault(place, {})[key] = _grown(
            run.box[row].tolist(), run.recipe.features.sees
        )
        self._wanted.move_to_end(place)
        while len(self._wanted) > _PENDING:
            self._wanted.popitem(last=False)
        if not self._timer.isActive():
            self._timer.start()

    def cancel(self) -> None:
        """A view has scrolled: forget what was wanted and not begun. Views ask again for what they
        show."""
        if self.waiting:
            self._wanted.clear()
            self._frames.cancel(self, begun=False)
            self._requests = {request for request in self._requests if not request.canceled}
            self._asked = {
                key: request for key, request in self._asked.items() if not request.canceled
            }
            self.ready.emit()

    @property
    def waiting(self) -> bool:
        """Something is still to come."""
        return bool(self._wanted or self._asked)

    # --- requests

    def _send(self) -> None:
        """Ask for the frames that were wanted last."""
        while self._wanted and len(self._requests) < _AT_ONCE:
            (source, frame), boxes = self._wanted.popitem()
            ref = self._session.project.sources.get(source)
            if ref is None:
                continue
            contrast = self._session.contrast
            locked = contrast.lut_for(source, -1, np.empty((0, 0))) if contrast.locked else None
            gray = _Gray(contrast.of(source), locked, self._epoch)
            self._ask(ref, frame, boxes, gray)

    def _ask(self, ref: SourceRef, frame: int, boxes: dict[Key, Box], gray: _Gray) -> None:
        def end() -> None:
            self._requests.discard(request)
            for key in boxes:
                if self._asked.get(key) is request:
                    del self._asked[key]
            self._timer.start()
            self.ready.emit()

        def take(chips: dict[Key, QImage]) -> None:
            for key, image in chips.items():
                self._chips.put((key, 0), (image, gray.epoch))
            end()

        def fail(failure: ReadFailure) -> None:
            # What of a source cannot be read is not tried again
            self.errors[ref.id] = failure.words
            for place in [place for place in self._wanted if place[0] == ref.id]:
                del self._wanted[place]
            end()

        work = (
            partial(_strips, frame, boxes)
            if ref.format == POINTS
            else partial(_cut_all, frame, boxes, gray)
        )
        request = self._frames.ask(
            self, ref, work, priority=Priority.CHIP, frame=frame, take=take, fail=fail
        )
        self._requests.add(request)
        self._asked.update(dict.fromkeys(boxes, request))

    def _fitting(self, key: Key, native: tuple[QImage, int], size: int) -> QImage:
        """The chip itself, or shrunk where the painter would leave out pixels."""
        image, epoch = native
        if image.width() <= 2 * size:
            return image
        kept = self._chips.get((key, size))
        if kept is None or kept[1] != epoch:
            kept = _scaled(image, size), epoch
            self._chips.put((key, size), kept)
        return kept[0]

    # --- what is not true any more

    def _on_contrast(self, _source: object) -> None:
        self._epoch += 1
        self._asked.clear()
        self.ready.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self._epoch += 1
            self._frames.cancel(self)
            self._requests.clear()
            self._chips.clear()
            self._wanted.clear()
            self._asked.clear()
            self.errors.clear()
            self.ready.emit()


def _key(run: Shown, row: int) -> Key:
    return int(run.ids[row]), run.recipe.features.sees


def _grown(box: Box, factor: float) -> Box:
    x0, y0, x1, y1 = box
    more_x, more_y = (x1 - x0) * (factor - 1) / 2, (y1 - y0) * (factor - 1) / 2
    return x0 - more_x, y0 - more_y, x1 + more_x, y1 + more_y


def _cut_all(frame: int, boxes: dict[Key, Box], gray: _Gray, frames: Frames) -> dict[Key, QImage]:
    counts = frames.read(frame)
    shown = apply(gray.locked or lookup_table(counts, gray.contrast), counts)
    return {key: _qimage(cut(shown, np.array(box))) for key, box in boxes.items()}


def _strips(frame: int, boxes: dict[Key, Box], frames: Frames) -> dict[Key, QImage]:
    """Of a point set a strip of values stands for a chip: the row of the frame that the box is."""
    values, (mean, deviation) = frames.read(frame), frames.spread()
    return {key: value_strip(values[int(box[1])], mean, deviation) for key, box in boxes.items()}


def _qimage(gray: NDArray[np.uint8]) -> QImage:
    gray = np.ascontiguousarray(gray)
    side = len(gray)
    image = QImage(gray.tobytes(), side, side, side, QImage.Format.Format_Grayscale8).copy()
    return image if side <= WIDEST else _scaled(image, WIDEST)


def _scaled(image: QImage, side: int) -> QImage:
    ratio, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(side, side, ratio, smooth)
