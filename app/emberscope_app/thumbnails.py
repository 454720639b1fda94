"""Small pictures of frames for lists, read one after the other in a thread, newest wish first."""

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from PySide6.QtGui import QImage

from emberscope.project import SourceRef
from emberscope_app.reading import READ_ERRORS, said_error

SIZE = (130, 104)  # twice the 65 x 52 of a row, for sharp displays
_KEPT = 600
_CHUNK = 6         # frames read per opening of a file


class _Told(QObject):
    ready = Signal(object, object)  # (source id, frame), uint8 picture, or the words of an error


class _Read(QRunnable):
    def __init__(self, ref: SourceRef, frames: list[int], told: _Told) -> None:
        super().__init__()
        self._ref, self._frames, self._told = ref, frames, told

    def run(self) -> None:
        from emberscope.project.sources import open_ref

        try:
            with open_ref(self._ref) as source:
                for frame in self._frames:
                    self._told.ready.emit((self._ref.id, frame), _small(source.read(frame)))
        except READ_ERRORS as error:
            self._told.ready.emit((self._ref.id, self._frames[0]), said_error(error, self._ref, self._frames[0]))


class Thumbnails(QObject):
    """`get` returns a picture or None and has it read; `arrived` says that one came."""

    arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures: OrderedDict[tuple[int, int], QImage] = OrderedDict()
        self._wanted: set[tuple[int, int]] = set()
        self.errors: dict[int, str] = {}
        self._told = self._listen()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def get(self, ref: SourceRef, frames: list[int]) -> list[QImage | None]:
        """Pictures of frames; what is not there yet is read meanwhile."""
        missing = [f for f in frames if (ref.id, f) not in self._pictures and (ref.id, f) not in self._wanted]
        if missing and ref.id not in self.errors:
            self._wanted.update((ref.id, frame) for frame in missing)
            for at in range(0, len(missing), _CHUNK):
                self._pool.start(_Read(ref, missing[at : at + _CHUNK], self._told))
        return [self._pictures.get((ref.id, frame)) for frame in frames]

    def forget(self, source_ids: set[int]) -> None:
        """A source is another file now, or gone."""
        for key in [key for key in self._pictures if key[0] in source_ids]:
            del self._pictures[key]
        self._wanted = {key for key in self._wanted if key[0] not in source_ids}
        self.errors = {key: words for key, words in self.errors.items() if key not in source_ids}

    def clear(self) -> None:
        self._pool.clear()
        self._told.ready.disconnect(self._take)  # what is being read now belongs to what is gone
        self._told = self._listen()
        self._pictures.clear()
        self._wanted.clear()
        self.errors.clear()

    def wait(self) -> None:
        """Until nothing is being read: before the program ends."""
        self._pool.clear()
        self._pool.waitForDone()

    def _listen(self) -> _Told:
        told = _Told(self)
        told.ready.connect(self._take)
        return told

    def _take(self, key: tuple[int, int], found: object) -> None:
        self._wanted.discard(key)
        if isinstance(found, str):
            self.errors[key[0]] = found
        else:
            self._pictures[key] = _image(np.asarray(found))
            while len(self._pictures) > _KEPT:
                self._pictures.popitem(last=False)
        self.arrived.emit()


def _small(frame: NDArray) -> NDArray[np.uint8]:
    """(104, 130) gray: the middle of the frame in that aspect, every n-th pixel, 1 to 99 percent."""
    width, height = SIZE
    rows, cols = frame.shape
    scale = min(cols / width, rows / height)
    y = ((rows - height * scale) / 2 + (np.arange(height) + 0.5) * scale).astype(int).clip(0, rows - 1)
    x = ((cols - width * scale) / 2 + (np.arange(width) + 0.5) * scale).astype(int).clip(0, cols - 1)
    part = np.asarray(frame[np.ix_(y, x)], np.float32)
    finite = part[np.isfinite(part)]
    low, high = np.percentile(finite, (1, 99)) if len(finite) else (0.0, 1.0)
    gray = np.nan_to_num((part - low) / max(float(high - low), 1e-6), nan=0.0, posinf=1.0, neginf=0.0)
    return np.ascontiguousarray(np.clip(gray, 0, 1) * 255, np.float32).astype(np.uint8)


def _image(gray: NDArray) -> QImage:
    rows, cols = gray.shape
    return QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()
