"""How frames lie in a file that says nothing about it: guessed from how bytes, samples and rows
repeat."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.files import open_to_read

_LOOKED_AT = 8 << 20          # bytes at the start that are looked at
_SAMPLES = 1 << 20            # of them for the width
_NARROW, _WIDE = 16, 4096     # columns
_ALMOST = 0.6                 # of the best score: parts of the best lag are taken from there on
_REPEATS = 0.5                # correlation of the rows of one frame with those of the next
_HEADER = 65536               # bytes before the first frame
_USUAL = (  # columns and rows of sensors, and of what they are shown in
    (640, 512),
    (640, 480),
    (320, 256),
    (320, 240),
    (1280, 1024),
    (1024, 768),
    (1280, 720),
    (160, 120),
    (384, 288),
    (336, 256),
    (256, 192),
    (80, 60),
    (512, 512),
    (256, 256),
    (1280, 960),
    (1920, 1080),
    (1024, 1024),
    (720, 576),
    (464, 348),
    (206, 156),
    (240, 180),
    (120, 90),
    (80, 64),
    (32, 24),
)


class Setup(NamedTuple):
    """How frames lie in a file: columns, rows, type and order of numbers, bytes before the first
    frame."""

    width: int
    height: int
    dtype: np.dtype
    offset: int = 0

    def __str__(self) -> str:
        """As the option `raw` takes it, e.g. "640x512,uint16,big,offset=32"."""
        order = (
            ",big"
            if self.dtype.byteorder == ">" or (self.dtype.byteorder == "=" and not _LITTLE)
            else ""
        )
        offset = f",offset={self.offset}" if self.offset else ""
        return f"{self.width}x{self.height},{self.dtype.name}{order}{offset}"


_LITTLE = np.dtype("<u2") == np.dtype("u2")


def guess(path: Path) -> Setup | None:
    """The most likely layout of a file of frames; None where nothing in it repeats. About 0.3 s.

    Samples: bytes resemble those that lie as far away as a sample is long, and the high byte
    changes least. Width: a row resembles the next one. Height: a size that sensors have, or the
    distance at which rows repeat.
    """
    size = path.stat().st_size
    with open_to_read(path) as file:
        data = np.frombuffer(file.read(_LOOKED_AT), np.uint8)
    if len(data) < 4 * _NARROW * _NARROW:
        return None
    dtype = _sample(data)
    values = data[: len(data) // dtype.itemsize * dtype.itemsize].view(dtype).astype(np.float32)
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    width = _width(values[-_SAMPLES:])
    if width is None:
        return None
    height = _height(values, width, size // dtype.itemsize)
    if height is None:
        return None
    frame = width * height * dtype.itemsize
    over = size % frame
    return Setup(width, height, dtype, over if over <= _HEADER and size >= frame else 0)


def _sample(data: NDArray[np.uint8]) -> np.dtype:
    """Type and order of the numbers."""
    signed = data.astype(np.int16)
    one, two, four = (float(np.abs(signed[lag:] - signed[:-lag]).mean()) for lag in (1, 2, 4))
    if one <= two:
        return np.dtype(np.uint8)
    length = 4 if four < 0.7 * two else 2
    whole = signed[: len(signed) // length * length].reshape(-1, length)
    changes = np.abs(np.diff(whole, axis=0)).mean(axis=0)
    order = "<" if changes[-1] <= changes[0] else ">"
    return np.dtype(f"{order}{'f4' if length == 4 else 'u2'}")


def _width(values: NDArray) -> int | None:
    """The lag at which samples resemble each other again and again."""
    change = np.diff(values.astype(np.float64))
    # A single edge of a frame or of a header must not outweigh all else
    limit = 4 * float(np.abs(change).mean())
    change = np.clip(change, -limit, limit)
    spectrum = np.fft.rfft(change, 2 * len(change))
    alike = np.fft.irfft(np.abs(spectrum) ** 2)[: 3 * _WIDE + 3]
    if alike[0] <= 0:
        return None
    alike = alike / alike[0]
    lags = np.arange(_NARROW, min(_WIDE, len(alike) // 3 - 1) + 1)
    if not len(lags):
        return None
    score = (alike[lags] + alike[2 * lags] + alike[3 * lags]) / 3
    best = float(score.max())
    if best < 6 / np.sqrt(len(change)):
        return None
    first = int(lags[int(np.argmax(score))])  # it may be several rows
    parts = [int(lag) for lag in lags[score >= _ALMOST * best] if first % lag == 0]
    usual = [lag for lag in parts if any(lag == width for width, _ in _USUAL)]
    return usual[0] if usual else parts[0]


def _height(values: NDArray, width: int, total: int) -> int | None:
    """Rows of a frame: a size that is usual for the width and fills the file, the distance at which
    rows repeat, or all there are."""
    rows, over = divmod(total, width)
    usual = [height for cols, height in _USUAL if cols == width and height <= rows]
    whole = [
        height for height in usual if total % (width * height) * values.itemsize <= _HEADER // 8
    ]
    single = [height for height in whole if total // (width * height) == 1]
    repeats = None if single else _repeats(values, width)
    if repeats is not None:
        near = [
            height
            for height in (*usual, *range(repeats - 2, repeats + 3))
            if abs(height - repeats) <= 2
        ]
        return next((height for height in near if rows % height == 0 and not over), near[0])
    if rows <= _WIDE and rows not in usual and not over and len(whole) == 0:
        return rows
    fit = single or whole or usual
    return fit[0] if fit else rows if _NARROW <= rows <= _WIDE else None


def _repeats(values: NDArray, width: int) -> int | None:
    """The distance in rows at which the profile of rows repeats, where several frames are looked
    at."""
    rows = values[: len(values) // width * width].reshape(-1, width)
    profile = rows[:, :: max(width // 64, 1)].mean(axis=1).astype(np.float64)
    change = np.diff(profile)
    if len(change) < 4 * _NARROW or not change.any():
        return None
    found = []
    for lag in range(_NARROW, len(change) // 2):
        a, b = change[:-lag], change[lag:]
        scale = float(np.sqrt((a @ a) * (b @ b)))
        found.append(float(a @ b) / scale if scale else 0.0)
    best = max(found, default=0.0)
    if best < _REPEATS:
        return None
    return _NARROW + next(k for k, value in enumerate(found) if value >= 0.9 * best)
