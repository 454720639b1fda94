"""Small pictures of frames for lists, read one after the other in a thread, newest wish first."""

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal
from PySide6.QtGui import QImage

from emberscope.frames.thumbnails import small_picture
from emberscope.project import SourceRef
from emberscope_app.state.read_errors import READ_ERRORS, read_error_words

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
            self._told.ready.emit((self._ref.id, self._frames[0]), read_error_words(error, self._ref, self._frames[0]))


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
    """At most (104, 130) gray: the middle of the frame in that aspect."""
    width, height = SIZE
    rows, cols = frame.shape
    scale = min(cols / width, rows / height)
    tall, wide = max(round(height * scale), 1), max(round(width * scale), 1)
    top, left = (rows - tall) // 2, (cols - wide) // 2
    return small_picture(frame[top : top + tall, left : left + wide], size=SIZE)


def _image(gray: NDArray) -> QImage:
    rows, cols = gray.shape
    return QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()
