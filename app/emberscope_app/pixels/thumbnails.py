"""Small images of frames for lists: requests of the frame service, kept in memory."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from emberscope.frames.thumbnails import thumbnail
from emberscope.project import Changes, SourceRef
from emberscope_app.pixels.byte_cache import ByteCache
from emberscope_app.pixels.frame_service import Frames, Priority, Request, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.state.core.session import Session

SIZE = (130, 104)  # twice the 65 x 52 of a row, for sharp displays
BUDGET = 8 << 20   # bytes; 600 thumbnails
Place = tuple[int, int]  # source, frame


class Thumbnails(QObject):
    """`get` returns an image or None and has it made; `arrived` says that one came."""

    arrived = Signal()

    def __init__(
        self, session: Session, parent: QObject | None = None, *, budget: int = BUDGET
    ) -> None:
        super().__init__(parent)
        self._session, self._frames = session, frame_service(session)
        self._images: ByteCache[Place, QImage] = ByteCache(budget, QImage.sizeInBytes)
        self._asked: dict[Place, Request] = {}
        self.errors: dict[int, str] = {}
        session.changed.connect(self._on_project)

    def get(self, ref: SourceRef, frames: list[int]) -> list[QImage | None]:
        """Images of frames; what is not there yet is made meanwhile."""
        images = [self._images.get((ref.id, frame)) for frame in frames]
        for frame, image in zip(frames, images, strict=True):
            if image is None and (ref.id, frame) not in self._asked and ref.id not in self.errors:
                self._ask(ref, frame)
        return images

    def cancel(self) -> None:
        """Rows have scrolled: forget what was asked for and not begun. Views ask again for what
        they show."""
        if self._asked:
            self._frames.cancel(self, begun=False)
            self._asked = {
                place: request for place, request in self._asked.items() if not request.canceled
            }
            self.arrived.emit()

    def _ask(self, ref: SourceRef, frame: int) -> None:
        place = (ref.id, frame)

        def take(gray: NDArray[np.uint8]) -> None:
            self._images.put(place, _image(gray))
            self._end(place)

        def fail(failure: ReadFailure) -> None:
            self.errors[ref.id] = failure.words
            self._end(place)

        def make(frames: Frames) -> NDArray[np.uint8]:
            return _small(frames.read(frame))

        self._asked[place] = self._frames.ask(
            self, ref, make, priority=Priority.THUMBNAIL, frame=frame, take=take, fail=fail
        )

    def _end(self, place: Place) -> None:
        self._asked.pop(place, None)
        self.arrived.emit()

    def _on_project(self, changes: Changes) -> None:
        """Sources that are other files now, or gone, are no longer known."""
        if changes.everything:
            self._images.clear()
            self._asked.clear()
            self.errors.clear()
        elif changes.sources:
            self._images.drop_where(lambda place, _: place[0] in changes.sources)
            self._asked = {
                place: asked
                for place, asked in self._asked.items()
                if place[0] not in changes.sources
            }
            self.errors = {
                key: words for key, words in self.errors.items() if key not in changes.sources
            }


def _small(frame: NDArray) -> NDArray[np.uint8]:
    """At most (104, 130) gray: the middle of the frame in that aspect."""
    width, height = SIZE
    rows, cols = frame.shape
    scale = min(cols / width, rows / height)
    tall, wide = max(round(height * scale), 1), max(round(width * scale), 1)
    top, left = (rows - tall) // 2, (cols - wide) // 2
    return thumbnail(frame[top : top + tall, left : left + wide], size=SIZE)


def _image(gray: NDArray) -> QImage:
    rows, cols = gray.shape
    return QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()
