"""Camera motion: shifts between frames of one clip."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reader = Callable[[int], NDArray]

_SIDE = 256     # px, of the reduced frames: block means, which take out most of the detector's fixed pattern
_SMOOTH = 15    # reduced pixels; slower slopes are of the lens, or of a sky, and stay when the camera moves
_EXTREMES = (2, 98)  # percentiles of counts, and of their detail; what is beyond counts no more: targets that move
_LOOKS = 8      # frames that are looked at, over the whole clip
_BAND = 0.12    # cycles per reduced pixel: finer detail is noise
_CLEAR = 20.0   # peak over the spread of the rest; still clips reach 40 and more, unrelated frames 3 to 15
_TOLERANCE = 4  # px; a place that moved by less is the same place


@dataclass(frozen=True, slots=True)
class Scenery:
    """A frame as it is compared with others: `detail` of (rows, cols) blocks of `step` px."""

    detail: NDArray[np.float32]
    step: int


def scenery(frame: NDArray) -> Scenery:
    """What of a frame (rows, cols) tells camera motion."""
    return Scenery(*_reduced(frame))


def movement(a: Scenery, b: Scenery) -> NDArray[np.float64]:
    """(2,) rows and columns in px by which b's scenery lies further on than a's, as in `shifts`; 0 where not known."""
    if a.detail.shape != b.detail.shape:
        return np.zeros(2)
    shift, clear = _shift(a.detail, b.detail)
    return (shift * max(a.step, 1)).astype(np.float64) if clear else np.zeros(2)


def stands_still(read: Reader, frames: Sequence[int]) -> bool:
    """Whether the scenery of these frames is in one place, so that a pixel is the same ground on all of them.

    Parameters
    ----------
    read : frame number -> (rows, cols) counts, all of one size. frames : of one clip; eight of them are read.

    Notes
    -----
    Phase correlation (Kuglin and Hines 1975) of the first frame with the others. False where it is not known: a sky
    without clouds, a single frame. About 0.1 s for frames of 512 x 640, plus reading.
    """
    looks = np.unique(np.linspace(0, len(frames) - 1, _LOOKS).astype(int)) if len(frames) else ()
    if len(looks) < 2:
        return False
    first, *others = (_reduced(read(frames[look])) for look in looks)
    step = max(first[1], 1)
    return all(_stays(first[0], other, step) for other, _ in others)


def shifts(read: Reader, frames: Sequence[int]) -> NDArray[np.float64]:
    """By how many pixels the scenery moved from each frame to the next: (T - 1, 2) rows and columns, NaN if not known.

    Parameters
    ----------
    read : frame number -> (rows, cols) counts, all of one size. frames : (T,), in their order; each is read once.

    Notes
    -----
    Phase correlation as in `stands_still`, exact to the pixels of the reduced frames (3 px of 640). Shifts of more than
    half a frame are taken for their complement. About 15 ms a frame of 512 x 640, plus reading.
    """
    found = np.full((max(len(frames) - 1, 0), 2), np.nan)
    before: NDArray | None = None
    for t, number in enumerate(frames):
        now, step = _reduced(read(number))
        if before is not None and now.shape == before.shape:
            shift, clear = _shift(before, now)
            if clear:
                found[t - 1] = shift * max(step, 1)
        before = now
    return found


def _reduced(frame: NDArray) -> tuple[NDArray[np.float32], int]:
    """Block means of a frame without slow slopes and extremes, tapered to the edges; px per block."""
    from scipy.ndimage import uniform_filter

    frame = np.nan_to_num(np.asarray(frame, np.float32))
    step = max(-(-max(frame.shape) // _SIDE), 1)
    rows, cols = (length // step for length in frame.shape)
    small = frame[: rows * step, : cols * step].reshape(rows, step, cols, step).mean(axis=(1, 3))
    small = np.clip(small, *np.percentile(small, _EXTREMES))
    detail = small - uniform_filter(small, _SMOOTH)
    detail = np.clip(detail, *np.percentile(detail, _EXTREMES))
    return detail * np.hanning(rows)[:, None] * np.hanning(cols), step


def _stays(a: NDArray, b: NDArray, step: int) -> bool:
    shift, clear = _shift(a, b)
    return clear and bool(np.abs(shift).max() * step <= _TOLERANCE)


def _shift(a: NDArray, b: NDArray) -> tuple[NDArray[np.int64], bool]:
    """By how many rows and columns b's scenery lies further on than a's, and whether that is sure."""
    cross = np.conj(np.fft.rfft2(a)) * np.fft.rfft2(b)
    size = np.abs(cross)
    if not size.max() > 0:
        return np.zeros(2, np.int64), False
    frequency = np.fft.fftfreq(a.shape[0])[:, None] ** 2 + np.fft.rfftfreq(a.shape[1]) ** 2
    peaks = np.fft.irfft2(cross / (size + 1e-9 * size.max()) * np.exp(-frequency / (2 * _BAND**2)), a.shape)
    middle = np.median(peaks)
    spread = 1.4826 * np.median(np.abs(peaks - middle))
    at = np.array(np.unravel_index(peaks.argmax(), a.shape))
    shape = np.array(a.shape)
    return np.where(at > shape // 2, at - shape, at), bool(peaks.max() - middle >= _CLEAR * spread)
