"""Cedip PTW, recordings of Cedip and FLIR Altair: a header, then a header and counts for each
frame, little-endian."""

import math
import struct
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.frames.radiometry import ZERO_C
from emberscope.frames.readers.parts.base import COPY_AGAIN, DAMAGED, Source, check_frame
from emberscope.frames.readers.parts.plain import PlainFile

# Bytes that are looked at; of the header of a frame, where it is as long
_HEADER, _FRAME_HEADER = 1600, 232
_USUAL_ROWS = 128                   # where the header names none
_LOCK_IN = (1220, 3907, 1204)       # words 1 to 3 of a first line that holds signals, not pixels
_COUNTS = np.dtype("<u2")


class PtwSource(Source):
    """Frames of a PTW file, read where they lie.

    The distance between frames is that of a frame header and its pixels, unless the size of the
    file says that there is more between them. Recordings of lock-in measurements have a line of
    signals before the pixels: it is left out.
    """

    format = "ptw"

    def _open(self) -> None:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            head = file.read(_HEADER)
        if len(head) < _HEADER:
            raise FormatError(self.uri, len(head), "it ends inside its header", COPY_AGAIN)
        start, frame_header, step = struct.unpack_from("<III", head, 11)
        (promised,) = struct.unpack_from("<I", head, 27)
        cols, rows = struct.unpack_from("<HH", head, 377)
        rows = rows or _USUAL_ROWS
        check_frame(self.uri, (rows, cols), 2, offset=377)
        if not _HEADER <= start < size:
            raise FormatError(
                self.uri, 11, f"the first frame cannot start at byte {start}", DAMAGED
            )
        self._start, self._frame_header = start, frame_header
        self._stride = _stride(frame_header + 2 * rows * cols, step, size - start, promised)
        there = (size - start) // self._stride
        if (size - start) % self._stride >= frame_header + 2 * rows * cols:
            there += 1  # nothing follows the pixels of the last frame
        self.n_frames = min(promised, there) if promised else there
        if there < promised:
            self._cut_short(there, promised)
        elif there > promised:
            says = f"Its header counts {promised} frames, its size {there}; "
            self.warnings.append(
                says + ("the first are used." if promised else "all of them are used.")
            )
        self.dtype, self.bit_depth = np.dtype(np.uint16), _bits(head)
        self._file = PlainFile(self.path)
        self._skipped = self._signals(cols, rows)
        self.shape = (rows - 1 if self._skipped else rows, cols)
        self._frame_step = self._stride
        period = _number(head, 403)
        self.fps = round(1 / period, 4) if period > 0 else None
        self._facts = _facts(head)
        self._day = _time(head)

    def _signals(self, cols: int, rows: int) -> int:
        """Bytes of a line of signals before the pixels of each frame, 0 where there is none."""
        if cols < 4 or rows < 2:
            return 0
        first = self._file.read_array(self._start + self._frame_header, _COUNTS, (4,))
        if tuple(first[1:].tolist()) != _LOCK_IN:
            return 0
        self.warnings.append(
            "Its first line holds signals of a lock-in measurement, no pixels, and is left out."
        )
        return 2 * cols

    def _read(self, index: int) -> NDArray:
        at = self._start + index * self._stride + self._frame_header + self._skipped
        return self._file.read_array(at, _COUNTS, self.shape)

    def _frame_meta(self, index: int) -> dict[str, Any]:
        if self._frame_header < _FRAME_HEADER:
            return {}
        head = self._file.read(self._start + index * self._stride, _FRAME_HEADER).tobytes()
        minute, hour, hundredths, second = head[80:84]
        (kelvin,) = struct.unpack_from("<f", head, 228)
        facts: dict[str, Any] = {}
        if self._day is not None and hour < 24 and minute < 60 and second < 60 and hundredths < 100:
            exact = self._day.replace(hour=hour, minute=minute, second=second, microsecond=0)
            facts["time"] = (
                exact + timedelta(milliseconds=10 * hundredths + head[160] % 10)
            ).isoformat(timespec="milliseconds")
        if math.isfinite(kelvin) and 1 < kelvin < 400:
            facts["detector K"] = round(kelvin, 2)
        return facts

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _stride(least: int, step: int, room: int, promised: int) -> int:
    """Bytes from one frame to the next: the header counts them in bytes or in words."""
    for stride in (least, step, 2 * step):
        if promised and stride >= least and stride * promised == room:
            return stride
    return least


def _bits(head: bytes) -> int | None:
    (bits,) = struct.unpack_from("<H", head, 381)
    return bits if 8 <= bits <= 16 else None


def _number(head: bytes, at: int) -> float:
    (value,) = struct.unpack_from("<f", head, at)
    return value if math.isfinite(value) else 0.0


def _facts(head: bytes) -> dict[str, Any]:
    """What the header says of camera and scene; what is empty is left out."""
    ambient, low, high = _number(head, 145), *struct.unpack_from("<hh", head, 245)
    when = _time(head)
    facts: dict[str, Any] = {
        "camera": {"model": _words(head, 44, 20)} if _words(head, 44, 20) else {},
        "lens": _words(head, 64, 20),
        "filter": _words(head, 84, 20),
        "aperture": _words(head, 104, 20),
        "emissivity": round(_number(head, 141), 4),
        "ambient degC": round(ambient - ZERO_C, 2) if ambient > 0 else None,
        "distance m": round(_number(head, 149), 3),
        "cut-on um": round(_number(head, 188), 3),
        "cut-off um": round(_number(head, 192), 3),
        "shown counts": [low, high] if low < high else [],
        "integration time s": round(_number(head, 407), 9),
        "comment": _words(head, 563, 1000),
        "time": when.isoformat(timespec="milliseconds") if when is not None else "",
    }
    return {name: value for name, value in facts.items() if value}


def _time(head: bytes) -> datetime | None:
    (year,) = struct.unpack_from("<H", head, 35)
    day, month, minute, hour, hundredths, second = head[37:43]
    try:
        return datetime(year, month, day, hour, minute, second, 10_000 * hundredths)
    except ValueError:
        return None


def _words(head: bytes, at: int, length: int) -> str:
    words = head[at : at + length].split(b"\0")[0].decode("latin-1").strip()
    return words if words.isprintable() else ""
