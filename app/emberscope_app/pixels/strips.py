"""What a change that does not matter makes of a chip: a strip of chips, computed in a thread."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from emberscope.frames.normalize import normalize
from emberscope.labels.side_info import Invariance
from emberscope.project import Run
from emberscope_app.pixels.chip_cache import cut
from emberscope_app.pixels.frame_service import Frames, Priority, Request, frame_service
from emberscope_app.pixels.read_errors import ReadFailure
from emberscope_app.state.core.session import Session

_BEYOND = 0.25  # of the range of the chip, above and below it: a stronger gain is still seen


@dataclass(frozen=True, slots=True)
class ChipStrip:
    """words : below each chip. images : the chips, alike in what gray means. lines : where a line
    ends, ascending."""

    words: list[str]
    images: list[QImage]
    lines: tuple[int, ...]


class Strips(QObject):
    """`ask` for the strip of a row of a run; only the last one asked for comes."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._request: Request | None = None

    def ask(
        self,
        run: Run,
        row: int,
        invariance: Invariance,
        side: int,
        *,
        take: Callable[[ChipStrip], object],
        fail: Callable[[ReadFailure], object],
    ) -> None:
        """side : px of the chips that are compared, which the support of the instance is resampled
        to."""
        if self._request is not None:
            self._request.canceled = True
        ref = self._session.project.sources.get(int(run.source[row]))
        if ref is None:
            fail(ReadFailure("The source of this chip is not in the project."))
            return
        frame, box = int(run.frame[row]), np.array(run.box[row], float)
        middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2 * run.recipe.features.sees
        work = partial(
            _strip, frame, np.concatenate([middle - half, middle + half]), invariance, side
        )
        self._request = frame_service(self._session).ask(
            self, ref, work, priority=Priority.CHIP, frame=frame, take=take, fail=fail)


def _strip(
    frame: int, box: NDArray, invariance: Invariance, side: int, frames: Frames
) -> ChipStrip:
    # Moves pixels by scipy, which takes a while to come
    from emberscope.metric.transforms import strip

    chip = resampled(cut(normalize(frames.read(frame)), box), side)
    words, chips = strip(chip, invariance)
    low, high = float(chip.min()), float(chip.max())
    room = _BEYOND * max(high - low, 1e-6)
    gray = np.clip((chips - low + room) / (high - low + 2 * room) * 255, 0, 255).astype(np.uint8)
    two = invariance.family == "translate" and invariance.direction is None
    return ChipStrip(
        words,
        [_image(one) for one in gray],
        (len(words) // 2, len(words)) if two else (len(words),),
    )


def resampled(chip: NDArray, side: int) -> NDArray[np.float32]:
    """A square chip with another side, px: blurred first where it shrinks, so that no pixel is left
    out."""
    from scipy import ndimage

    if len(chip) == side:
        return np.asarray(chip, np.float32)
    factor = len(chip) / side
    if factor > 1:
        chip = ndimage.gaussian_filter(chip, factor / 3, mode="nearest")
    at = np.clip((np.arange(side) + 0.5) * factor - 0.5, 0, len(chip) - 1)
    return np.asarray(
        ndimage.map_coordinates(chip, np.meshgrid(at, at, indexing="ij"), order=1), np.float32
    )


def _image(gray: NDArray[np.uint8]) -> QImage:
    gray = np.ascontiguousarray(gray)
    rows, cols = gray.shape
    return QImage(gray.tobytes(), cols, rows, cols, QImage.Format.Format_Grayscale8).copy()
