"""FLIR Public Format: a header of 892 bytes and one frame of numbers."""

import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.frames.radiometry import ZERO_C
from emberscope.frames.readers.parts.base import COPY_AGAIN, DAMAGED, Source, check_frame
from emberscope.frames.readers.parts.plain import PlainFile

_HEADER = 892
_TYPES = ("i2", "i4", "f4", "f8")  # of pixels, by their number in the header
_KINDS = ("temperature", "temperature difference", "object signal", "object signal difference")
_TEMPERATURE = 0
_BEYOND = 60.0  # kelvin by which a scene may lie beyond the range of the camera
_TEXTS = {"camera": 0x78, "lens": 0xE0, "filter": 0x140}
_NUMBERS = {"emissivity": 0x1E0, "distance m": 0x1E4, "humidity": 0x1F0}


class FpfSource(Source):
    """The one frame of an FPF file.

    Temperatures are in K or degC: the header does not say which, but names the range of the camera
    in kelvin, which only one of them can be within. Where that does not tell, they are counts.
    """

    format = "fpf"

    def _open(self) -> None:
        with self.path.open("rb") as file:
            head = file.read(_HEADER)
        if len(head) < _HEADER:
            raise FormatError(self.uri, len(head), "it ends inside its header", COPY_AGAIN)
        (version,) = struct.unpack_from("<I", head, 0x20)
        self._order = order = "<" if version & 0xFFFF else ">"
        (start,) = struct.unpack_from(f"{order}I", head, 0x24)
        kind, pixel, cols, rows = struct.unpack_from(f"{order}4H", head, 0x28)
        if pixel >= len(_TYPES):
            what = f"its pixels are of type {pixel}, which is not known"
            raise FormatError(self.uri, 0x2A, what, DAMAGED)
        self._stored = np.dtype(order + _TYPES[pixel])
        check_frame(self.uri, (rows, cols), self._stored.itemsize, offset=0x2C)
        size = self.path.stat().st_size
        if start < _HEADER or start + rows * cols * self._stored.itemsize > size:
            what = f"its frame of {cols} x {rows} pixels from byte {start} ends beyond the file"
            raise FormatError(self.uri, 0x24, what, COPY_AGAIN)
        self.n_frames, self.shape, self._start = 1, (rows, cols), start
        self.dtype = self._stored.newbyteorder("=")
        self._file = PlainFile(self.path)
        self._facts = self._said(head, kind)
        if kind == _TEMPERATURE:
            self.units = self._unit(head)

    def _said(self, head: bytes, kind: int) -> dict[str, Any]:
        """What the header says of camera and scene."""
        texts = {name: _text(head, at) for name, at in _TEXTS.items()}
        numbers = {name: self._number(head, at) for name, at in _NUMBERS.items()}
        low, high = (self._number(head, at) - ZERO_C for at in (0xD8, 0xDC))
        return {
            **{name: value for name, value in texts.items() if value},
            **{name: value for name, value in numbers.items() if math.isfinite(value)},
            "range degC": [round(low, 2), round(high, 2)] if low < high else [],
            "values": _KINDS[kind] if kind < len(_KINDS) else f"of kind {kind}",
        }

    def _unit(self, head: bytes) -> str:
        """The unit of temperatures, by the range of the camera; "counts" where that does not
        tell."""
        low, high = (self._number(head, at) for at in (0xD8, 0xDC))
        middle = float(np.nanmedian(self._read(0)))
        fits = [
            unit
            for unit, kelvin in (("K", middle), ("degC", middle + ZERO_C))
            if low - _BEYOND <= kelvin <= high + _BEYOND
        ]
        if len(fits) == 1 and self._stored.kind == "f":
            return fits[0]
        self.warnings.append(
            "It holds temperatures, but does not tell in which unit; numbers are read as stored."
        )
        return "counts"

    def _number(self, head: bytes, at: int) -> float:
        return float(struct.unpack_from(f"{self._order}f", head, at)[0])

    def _read(self, index: int) -> NDArray:
        return self._file.read_array(self._start, self._stored, self.shape)

    def _close(self) -> None:
        if "_file" in vars(self):
            self._file.close()


def _text(head: bytes, at: int) -> str:
    """A name of at most 32 letters."""
    name = head[at : at + 32].partition(b"\0")[0].decode("latin-1").strip()
    return name if name.isprintable() else ""
