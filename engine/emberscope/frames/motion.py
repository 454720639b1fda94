"""Camera motion: shifts between frames of one clip."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.frames.blocks import block_means

Reader = Callable[[int], NDArray]

# Px, of the reduced frames: block means, which take out most of the detector's fixed pattern
_SIDE = 256
# Reduced pixels; slower slopes are of the lens, or of a sky, and stay when the camera moves
_SMOOTH = 15
# Percentiles of counts, and of their detail; what is beyond counts no more: targets that move
_EXTREMES = (2, 98)
_LOOKS = 8      # frames that are looked at, over the whole clip
_BAND = 0.12    # cycles per reduced pixel: finer detail is noise
# Peak over the spread of the rest; still clips reach 40 and more, unrelated frames 3 to 15
_CLEAR = 20.0
_TOLERANCE = 4  # px; a place that moved by less is the same place


@dataclass(frozen=True, slots=True)
class Scenery:
    """A frame as it is compared with others.

    spectrum : phases of its detail, (rows, cols // 2 + 1). shape : (rows, cols) of its blocks of
    `step` px.
    """

    spectrum: NDArray[np.complex64]
    shape: tuple[int, int]
    step: int


def scenery(frame: NDArray) -> Scenery:
    """What of a frame (rows, cols) tells camera motion: its detail, without slow slopes and
    extremes."""
    from scipy.fft import rfft2
    from scipy.ndimage import uniform_filter

    frame = np.nan_to_num(np.asarray(frame, np.float32))
    step = max(min(-(-max(frame.shape) // _SIDE), *frame.shape), 1)
    small = block_means(frame, step)
    small = np.clip(small, *np.percentile(small, _EXTREMES)).astype(np.float32)
    detail = small - uniform_filter(small, _SMOOTH)
    detail = np.clip(detail, *np.percentile(detail, _EXTREMES))
    rows, cols = small.shape
    # To the edges, which stay when the camera moves
    tapered = detail * np.hanning(rows)[:, None] * np.hanning(cols)
    spectrum = rfft2(tapered.astype(np.float32))
    size = np.abs(spectrum)
    frequency = np.fft.fftfreq(rows)[:, None] ** 2 + np.fft.rfftfreq(cols) ** 2
    band = np.exp(-frequency / (4 * _BAND**2))  # its square is the weight of a product of two
    phases = spectrum * (
        band / np.maximum(size + 1e-9 * size.max(initial=0.0), np.finfo(np.float32).tiny)
    )
    return Scenery(phases.astype(np.complex64), (rows, cols), step)


def movement(a: Scenery, b: Scenery) -> NDArray[np.float64]:
    """(2,) rows and columns in px by which b's scenery lies further on than a's, as in `shifts`;
    NaN if not known."""
    from scipy.fft import irfft2

    if a.shape != b.shape or not (a.spectrum.any() and b.spectrum.any()):
        return np.full(2, np.nan)
    peaks = irfft2(np.conj(a.spectrum) * b.spectrum, a.shape)
    rest = peaks[::2, ::2]  # a quarter of the places is enough for medians
    middle = np.median(rest)
    spread = 1.4826 * np.median(np.abs(rest - middle))
    if peaks.max() - middle < _CLEAR * spread:
        return np.full(2, np.nan)
    at, shape = np.array(np.unravel_index(peaks.argmax(), a.shape)), np.array(a.shape)
    return (np.where(at > shape // 2, at - shape, at) * a.step).astype(np.float64)


def stands_still(read: Reader, frames: Sequence[int]) -> bool:
    """Whether the scenery of these frames is in one place, so that a pixel is the same ground on
    all of them.

    Parameters
    ----------
    read : frame number -> (rows, cols) counts, all of one size. frames : of one clip; eight of them
    are read.

    Notes
    -----
    Phase correlation (Kuglin and Hines 1975) of the first frame with the others. False where it is
    not known: a sky without clouds, a single frame. About 25 ms for frames of 512 x 640, plus
    reading.
    """
    looks = np.unique(np.linspace(0, len(frames) - 1, _LOOKS).astype(int)) if len(frames) else ()
    if len(looks) < 2:
        return False
    first, *others = (scenery(read(frames[look])) for look in looks)
    return all(bool(np.all(np.abs(movement(first, other)) <= _TOLERANCE)) for other in others)


def shifts(read: Reader, frames: Sequence[int]) -> NDArray[np.float64]:
    """By how many pixels the scenery moved from each frame to the next: (T - 1, 2) rows and
    columns, NaN if not known.

    Parameters
    ----------
    read : frame number -> (rows, cols) counts, all of one size. frames : (T,), in their order; each
    is read once.

    Notes
    -----
    Phase correlation as in `stands_still`, exact to the pixels of the reduced frames (3 px of 640).
    Shifts of more than half a frame are taken for their complement. About 4 ms a frame of 512 x
    640, plus reading.
    """
    found = np.full((max(len(frames) - 1, 0), 2), np.nan)
    before: Scenery | None = None
    for t, number in enumerate(frames):
        now = scenery(read(number))
        if before is not None:
            found[t - 1] = movement(before, now)
        before = now
    return found
