"""Gray chips of instances, for every view alike: cut from frames in a thread, kept in memory, least recently used out.

A chip shows the square around an instance's pixel support, as the method sees it, in the gray its frame is shown in.
"""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QImage

from emberscope.base.errors import EmberscopeError
from emberscope.frames.contrast import Contrast, Lut, apply, lookup_table
from emberscope.frames.source import FrameSource
from emberscope.project import Changes, Run, SourceRef
from emberscope_app.state.session import Session

BUDGET = 256 << 20  # bytes of pictures kept
WIDEST = 320        # px; wider supports are kept shrunk: a chip is shown at 160 px at most, on sharp displays too
_FRAMES = 8         # frames read per task
_PENDING = 6000     # wishes kept; older ones have been scrolled past
_OBJECT = "chip cache"


def chip_cache(session: Session) -> "ChipCache":
    """The one chip cache of a session."""
    found = session.findChild(ChipCache, _OBJECT, Qt.FindChildOption.FindDirectChildrenOnly)
    return found if isinstance(found, ChipCache) else ChipCache(session)


def chip_image(session: Session, row: int, size: int) -> QImage | None:
    """The chip of a row of the run on show, to be drawn at `size` px; None while it is being cut.

    `chip_cache(session).ready` says that chips came. The picture has its own resolution: scale it while painting.
    """
    run = session.run
    if run is None or not 0 <= row < len(run.ids):
        return None
    return chip_cache(session).get(run, row, size)


def cut(gray: NDArray[np.uint8], box: NDArray) -> NDArray[np.uint8]:
    """The square around a box x0, y0, x1, y1, (s, s); beyond the frame its border goes on, as in features."""
    x0, y0, x1, y1 = (float(value) for value in box)
    side = max(round(max(x1 - x0, y1 - y0)), 1)
    steps = np.arange(side)
    rows = np.clip(round((y0 + y1 - side) / 2) + steps, 0, gray.shape[0] - 1)
    cols = np.clip(round((x0 + x1 - side) / 2) + steps, 0, gray.shape[1] - 1)
    return gray[np.ix_(rows, cols)]


@dataclass(frozen=True, slots=True)
class _Wish:
    """One chip: where it lies."""

    source: int
    frame: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Task:
    """Chips of some frames of one source, with all that the thread needs to know."""

    ref: SourceRef
    frames: dict[int, dict[int, _Wish]]  # frame -> instance id -> wish
    contrast: Contrast
    locked: Lut | None
    epoch: int


class _Told(QObject):
    cut = Signal(object, object)     # _Task, {instance id: QImage}
    done = Signal(object, str)       # _Task, words of the error, if any


class Readers:
    """Sources opened by the thread, for the thread: readers are not shared between threads."""

    def __init__(self) -> None:
        self._open: dict[int, FrameSource] = {}

    def get(self, ref: SourceRef) -> FrameSource:
        if ref.id not in self._open:
            from emberscope.project.sources import open_ref

            self._open[ref.id] = open_ref(ref)
        return self._open[ref.id]

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()


class _Cut(QRunnable):
    def __init__(self, task: _Task, readers: Readers, told: _Told) -> None:
        super().__init__()
        self._task, self._readers, self._told = task, readers, told

    def run(self) -> None:
        task, words = self._task, ""
        try:
            source = self._readers.get(task.ref)
            for index in sorted(task.frames):
                frame = source.read(index)
                lut = task.locked or lookup_table(frame, task.contrast)
                gray = apply(lut, frame)
                found = {key: _picture(cut(gray, np.array(wish.box))) for key, wish in task.frames[index].items()}
                self._told.cut.emit(task, found)
        except (EmberscopeError, IndexError, OSError) as error:
            words = str(error)
        finally:
            self._told.done.emit(task, words)


class _Close(QRunnable):
    def __init__(self, readers: Readers) -> None:
        super().__init__()
        self._readers = readers

    def run(self) -> None:
        self._readers.close()


class ChipCache(QObject):
    """`get` returns a chip or None and has it cut; `ready` says that some came.

    After a change of contrast the old chips stay on show until the new ones come.
    """

    ready = Signal()

    def __init__(self, session: Session, *, budget: int = BUDGET) -> None:
        super().__init__(session)
        self.setObjectName(_OBJECT)
        self._session, self._budget = session, budget
        self._pictures: OrderedDict[tuple[int, int], tuple[QImage, int]] = OrderedDict()  # (id, width), epoch
        self._bytes = 0
        self._wishes: OrderedDict[int, _Wish] = OrderedDict()  # instance id; the newest last
        self._asked: set[int] = set()
        self.errors: dict[int, str] = {}
        self._epoch = 0
        self._readers = Readers()
        self._told = _Told(self)
        self._told.cut.connect(self._take)
        self._told.done.connect(self._done)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._busy = False
        self._oldest = 0  # epoch before which chips are of another file
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._send)
        session.contrast.changed.connect(self._on_contrast)
        session.changed.connect(self._on_project)
        session.closing.connect(self.close)

    def get(self, run: Run, row: int, size: int) -> QImage | None:
        """The chip of a row of a run, to be drawn at `size` px."""
        key = int(run.ids[row])
        found = self._pictures.get((key, 0))
        if found is None or found[1] != self._epoch:
            self.want(run, row)
        if found is None:
            return None
        self._pictures.move_to_end((key, 0))
        return self._fitting(key, found, size)

    def want(self, run: Run, row: int) -> None:
        """Have a chip cut that will be needed soon."""
        key, source = int(run.ids[row]), int(run.source[row])
        found = self._pictures.get((key, 0))
        if (found is not None and found[1] == self._epoch) or key in self._asked or source in self.errors:
            return
        x0, y0, x1, y1 = run.box[row].tolist()
        self._wishes[key] = _Wish(source, int(run.frame[row]), (x0, y0, x1, y1))
        self._wishes.move_to_end(key)
        while len(self._wishes) > _PENDING:
            self._wishes.popitem(last=False)
        if not self._timer.isActive() and not self._busy:
            self._timer.start()

    @property
    def waiting(self) -> bool:
        """Something is still to come."""
        return bool(self._wishes or self._asked)

    def close(self) -> None:
        """Stop reading and let go of files."""
        self._wishes.clear()
        self._pool.clear()
        self._pool.waitForDone()
        self._readers.close()

    # --- wishes

    def _send(self) -> None:
        """Hand the newest wishes of one source to the thread."""
        while self._wishes and not self._busy:
            source = next(reversed(self._wishes.values())).source
            ref = self._session.project.sources.get(source)
            frames = self._next_frames(source)
            if ref is None:
                continue
            contrast = self._session.contrast
            locked = contrast.lut_for(source, -1, np.empty((0, 0))) if contrast.locked else None
            for wishes in frames.values():
                self._asked.update(wishes)
            self._busy = True
            task = _Task(ref, frames, contrast.of(source), locked, self._epoch)
            self._pool.start(_Cut(task, self._readers, self._told))

    def _next_frames(self, source: int) -> dict[int, dict[int, _Wish]]:
        """Take the wishes for the frames of a source that were wished last."""
        frames: dict[int, dict[int, _Wish]] = {}
        for key, wish in reversed(list(self._wishes.items())):
            if wish.source == source and (wish.frame in frames or len(frames) < _FRAMES):
                frames.setdefault(wish.frame, {})[key] = self._wishes.pop(key)
        return frames

    # --- what comes back

    def _take(self, task: _Task, found: dict[int, QImage]) -> None:
        if task.epoch < self._oldest:
            return
        for key, image in found.items():
            self._keep((key, 0), image, task.epoch)
        self._asked.difference_update(found)
        self.ready.emit()

    def _done(self, task: _Task, words: str) -> None:
        self._busy = False
        if words and task.epoch >= self._oldest:
            self._fail(task, words)
        if self._wishes:
            self._timer.start()

    def _fail(self, task: _Task, words: str) -> None:
        """What of a source cannot be read is not tried again."""
        self.errors[task.ref.id] = words
        for wishes in task.frames.values():
            self._asked.difference_update(wishes)
        self._wishes = OrderedDict((k, w) for k, w in self._wishes.items() if w.source != task.ref.id)
        self.ready.emit()

    def _keep(self, key: tuple[int, int], image: QImage, epoch: int) -> None:
        old = self._pictures.pop(key, None)
        self._bytes += image.sizeInBytes() - (old[0].sizeInBytes() if old else 0)
        self._pictures[key] = image, epoch
        while self._bytes > self._budget and len(self._pictures) > 1:
            self._bytes -= self._pictures.popitem(last=False)[1][0].sizeInBytes()

    def _fitting(self, key: int, native: tuple[QImage, int], size: int) -> QImage:
        """The chip itself, or shrunk where the painter would leave out pixels."""
        image, epoch = native
        if image.width() <= 2 * size:
            return image
        found = self._pictures.get((key, size))
        if found is None or found[1] != epoch:
            self._keep((key, size), _scaled(image, size), epoch)
            found = self._pictures[key, size]
        return found[0]

    # --- what is not true any more

    def _on_contrast(self, _source: object) -> None:
        self._epoch += 1
        self._asked.clear()
        self.ready.emit()

    def _on_project(self, changes: Changes) -> None:
        if changes.touch("sources"):
            self._epoch += 1
            self._oldest = self._epoch
            self._pictures.clear()
            self._wishes.clear()
            self._asked.clear()
            self.errors.clear()
            self._bytes = 0
            self._pool.start(_Close(self._readers))
            self.ready.emit()


def _picture(gray: NDArray[np.uint8]) -> QImage:
    gray = np.ascontiguousarray(gray)
    side = len(gray)
    image = QImage(gray.tobytes(), side, side, side, QImage.Format.Format_Grayscale8).copy()
    return image if side <= WIDEST else _scaled(image, WIDEST)


def _scaled(image: QImage, side: int) -> QImage:
    ratio, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(side, side, ratio, smooth)
