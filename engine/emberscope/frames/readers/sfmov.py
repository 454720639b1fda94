"""FLIR SFMOV: lines of text, the word DATA, and frames up to the end of the file, little-endian."""

import contextlib
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.readers.parts.base import COPY_AGAIN, Source, check_frame
from emberscope.frames.readers.parts.plain import PlainFile

_HEAD = 1 << 16       # bytes in which the text ends
_PADDED = 4096        # bytes there may be between the text and the first frame
_SAMPLES = {"flt32": np.dtype("<f4"), "float32": np.dtype("<f4")}  # others are counts of 16 bits
_LINE = re.compile(r"^(\w+)[ \t]+(.+?)\s*$", re.MULTILINE)
_DATA = re.compile(rb"^DATA[ \t\0]*\r?\n?", re.MULTILINE)
_BESIDE = {"FRate_0": "frame rate", "ITime_0": "integration time ms", "CamName_0": "camera"}


class SfmovSource(Source):
    """Frames of an SFMOV file, read where they lie. What lies beside it as .inc tells frame rate
    and integration time.

    Frames end with the file; how much padding there is between the text and the first one follows
    from that.
    """

    format = "sfmov"

    def _open(self) -> None:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            head = file.read(_HEAD)
        found = _DATA.search(head)
        if found is None:
            raise FormatError(
                self.uri,
                min(len(head), _HEAD),
                "its text has no line DATA before frames",
                COPY_AGAIN,
            )
        said = _lines(head[: found.start()])
        cols, rows, promised = (_whole(said.get(name)) for name in ("xPixls", "yPixls", "NumDPs"))
        check_frame(self.uri, (rows, cols), 4, offset=0)
        self._disk = _SAMPLES.get(said.get("DaType", "").lower(), np.dtype("<u2"))
        self._frame_bytes = self._frame_step = rows * cols * self._disk.itemsize
        room = size - found.end()
        self._start = found.end() + _padding(room, self._frame_bytes, promised)
        self.n_frames = max((size - self._start) // self._frame_bytes, 0)
        if self.n_frames < max(promised, 1):
            self._cut_short(self.n_frames, max(promised, 1))
        elif promised and self.n_frames > promised:
            self.warnings.append(
                f"Its text counts {promised} frames, its size {self.n_frames}; all of them are "
                "used."
            )
        self.shape, self.dtype = (rows, cols), self._disk.newbyteorder("=")
        self._file = PlainFile(self.path)
        beside = self._beside()
        with contextlib.suppress(ValueError):
            self.fps = float(beside["frame rate"]) or None if "frame rate" in beside else None
        self._facts = {**beside, "header": {name: said[name] for name in sorted(said)[:50]}}

    def _beside(self) -> dict[str, Any]:
        """What the text file of the same name says of the camera; empty where there is none."""
        try:
            with open_to_read(self.path.with_suffix(".inc")) as file:
                said = _lines(file.read(_HEAD))
        except OSError:
            return {}
        return {title: said[name] for name, title in _BESIDE.items() if name in said}

    def _read(self, index: int) -> NDArray:
        return self._file.read_array(
            self._start + index * self._frame_bytes, self._disk, self.shape
        )

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _padding(room: int, frame_bytes: int, promised: int) -> int:
    """Bytes between the text and the first frame, of `room` between the text and the end of the
    file."""
    over = room - promised * frame_bytes if promised else room % frame_bytes
    over = over if 0 <= over <= _PADDED else room % frame_bytes
    return over if over <= _PADDED else 0


def _lines(head: bytes) -> dict[str, str]:
    """The lines "name value" of a text; the first of a name counts, and padding is left out."""
    found: dict[str, str] = {}
    for name, value in _LINE.findall(head.decode("latin-1").replace("\0", " ")):
        if not name.startswith("saf_pad") and value.isprintable():
            found.setdefault(name, value[:200])
    return found


def _whole(value: str | None) -> int:
    return int(value) if value is not None and value.isdecimal() else 0
