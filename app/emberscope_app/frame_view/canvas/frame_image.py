"""The frame on show: raw counts, gray image, and what went wrong where it cannot be shown."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from emberscope.frames.contrast import Lut, apply, smooth
from emberscope.project import SourceRef
from emberscope_app.pixels.frame_service import frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.state.core.session import Session
from emberscope_app.when.timers import later
from emberscope_app.words import counted, verb

_SLOW_MS = 300    # from then on a person hears that a frame is being read
_SMOOTH = 0.2     # s, time constant of the contrast while playing


class FrameImage:
    """Reads `session.focus`. After an error the last good frame stays, and `error` says why."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._frames = frame_service(session)
        self.source: int | None = None
        self.frame = -1
        self.counts: NDArray | None = None
        self.gray: NDArray[np.uint8] | None = None
        self.lut: Lut | None = None
        self.image = QImage()
        self.error = ""
        self.note = ""
        self._shaded: int | None = None  # source of `lut`
        # Source and frame that a slow disk still reads
        self._awaited: tuple[int, int] | None = None
        # Called when that frame came, and when it takes long
        self.on_late: Callable[[], object] = lambda: None

    def read(self) -> None:
        """Read the frame in focus; a frame that is there already is kept."""
        focus = self._session.focus
        ref = self._ref(focus.source)
        if ref is None:
            self.clear()
            return
        place = (ref.id, focus.frame)
        if (place == (self.source, self.frame) and not self.error) or place == self._awaited:
            return
        counts = self._frames.show(ref, focus.frame, late=partial(self._take_late, place))
        self._awaited = place if counts is None else None
        if counts is not None:
            self._take(place, counts)
            return
        if ref.id != self.source:
            self._drop()
            self.source, self.frame = ref.id, -1
        later(self._session, partial(self._say_slow, place), _SLOW_MS)

    def _take(self, place: tuple[int, int], counts: NDArray | ReadFailure) -> None:
        if isinstance(counts, ReadFailure):
            self.error, self.note = counts.words, ""
            if place[0] != self.source:
                self._drop()
            self.source, self.frame = place
            return
        (self.source, self.frame), self.counts, self.error = place, counts, ""
        self.note = _about(counts, place[1])
        self.shade()

    def _take_late(self, place: tuple[int, int], counts: NDArray | ReadFailure) -> None:
        if place == self._awaited:
            self._awaited, self.note = None, ""
            self._take(place, counts)
            self.on_late()

    def _say_slow(self, place: tuple[int, int]) -> None:
        if place == self._awaited:
            self.note = f"Reading frame {place[1] + 1}."
            self.on_late()

    def _drop(self) -> None:
        self.counts = self.gray = self.lut = None
        self.image = QImage()

    def shade(self) -> None:
        """The gray of the frame; while playing the table moves smoothly, so that nothing
        flickers."""
        if self.counts is None or self.source is None:
            return
        contrast, player = self._session.contrast, self._session.player
        lut = contrast.lut_for(self.source, self.frame, self.counts)
        if player.playing and not contrast.locked and self._shaded == self.source:
            lut = smooth(self.lut, lut, weight=1 - math.exp(-player.seconds_per_frame() / _SMOOTH))
        self.lut, self._shaded = lut, self.source
        self.gray = np.ascontiguousarray(apply(lut, self.counts))
        rows, cols = self.gray.shape
        self.image = QImage(self.gray.data, cols, rows, cols, QImage.Format.Format_Grayscale8)

    def clear(self) -> None:
        self.source, self.frame, self.counts, self.gray, self.lut = None, -1, None, None, None
        self.image, self.error, self.note, self._awaited = QImage(), "", "", None

    @property
    def shape(self) -> tuple[int, int]:
        """rows, cols of what is on show; from the project where nothing could be read."""
        if self.counts is not None:
            return int(self.counts.shape[0]), int(self.counts.shape[1])
        ref = self._ref(self.source)
        return (ref.rows, ref.cols) if ref is not None else (1, 1)

    def value(self, x: float, y: float) -> float | int | None:
        """Raw counts at a frame point; None outside."""
        rows, cols = self.shape
        if self.counts is None or not (0 <= x < cols and 0 <= y < rows):
            return None
        return self.counts[int(y), int(x)].item()

    def units(self) -> str:
        ref = self._ref(self.source)
        return self._session.readers.facts(ref).units if ref is not None else ""

    def _ref(self, source: int | None) -> SourceRef | None:
        return self._session.project.sources.get(source) if source is not None else None


def _about(counts: NDArray, frame: int) -> str:
    """A remark about pixels without a value, or ""."""
    if counts.dtype.kind != "f":
        return ""
    missing = int(counts.size - np.count_nonzero(np.isfinite(counts)))
    if missing == counts.size:
        return f"Frame {frame + 1} has no finite pixel."
    return (
        f"Frame {frame + 1}: {counted(missing, 'pixel')} {verb(missing, 'have')} no value."
        if missing
        else ""
    )
