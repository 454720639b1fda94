"""ENVI: a header of text beside a file of numbers, in all three orders of bands."""

import math
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.readers.parts.base import (
    COPY_AGAIN,
    DAMAGED,
    Source,
    check_frame,
    fingerprint_files,
    reading,
    to_read,
)
from emberscope.frames.readers.parts.envi_files import HEADER, header_of, numbers_of
from emberscope.frames.readers.parts.gray import check_band
from emberscope.frames.readers.parts.nodata import blank, blank_dtype, no_data_note, number_of
from emberscope.frames.readers.parts.plain import PlainFile

_LONGEST = 4 << 20  # bytes of a header
_TYPES = {
    "1": "u1",
    "2": "i2",
    "3": "i4",
    "4": "f4",
    "5": "f8",
    "12": "u2",
    "13": "u4",
    "14": "i8",
    "15": "u8",
}
_ORDERS = {"0": "<", "1": ">"}
_AT_ONCE = 16 << 20  # bytes of lines that are read together where bands lie pixel by pixel
_ENTRY = re.compile(r"^[ \t]*([^=\n{}]+?)[ \t]*=[ \t]*(\{.*?\}|[^\n]*)", re.MULTILINE | re.DOTALL)
_SAID = ("description", "sensor type", "acquisition time", "wavelength units", "data units")


class EnviSource(Source):
    """Bands of an ENVI image as frames; `band`: one of them as the only frame, from 1.

    The path is that of the header or of the numbers. Bands may lie one after another (bsq), by
    lines (bil) or by pixels (bip), in both orders of bytes.
    """

    format = "envi"
    accepts: ClassVar[tuple[str, ...]] = ("band",)
    _numbers: Path | None = None

    @property
    def path(self) -> Path:
        """The file of numbers, whichever of the two was named."""
        return self._numbers or Path(self.uri)

    def _open(self) -> None:
        self._find_files()
        said = _entries(self.uri, self._header)
        self._lines, self._samples, self._bands = (
            _whole(self.uri, said, name) for name in ("lines", "samples", "bands"))
        offset = _whole(self.uri, said, "header offset", 0)
        self._interleave = said.get("interleave", "bsq").strip().lower()
        self._disk = _dtype(self.uri, said)
        if self._interleave not in ("bsq", "bil", "bip"):
            raise FormatError(
                self.uri,
                None,
                f"its bands are interleaved as {self._interleave}",
                "Save it as bsq.",
            )
        if said.get("file compression", "0").strip() not in ("", "0"):
            raise FormatError(
                self.uri, None, "its numbers are packed", "Save it without compression."
            )
        check_frame(self.uri, (self._lines, self._samples), self._disk.itemsize)
        self.shape, self.dtype = (self._lines, self._samples), self._disk.newbyteorder("=")
        self._start, self._frame_bytes = offset, self._lines * self._samples * self._disk.itemsize
        self._first, self.n_frames = 0, self._whole_bands()
        self._choose(said)
        self._file = PlainFile(self.path)
        self._take_blank(said)
        if self.dtype == np.uint8:
            self.bit_depth = 8
        self._facts["bands"] = self._bands
        self._facts |= {
            name: said[name].strip("{} \n") for name in _SAID if said.get(name, "").strip("{} \n")
        }

    def _find_files(self) -> None:
        """Header and numbers, whichever of them was named; from here on the numbers are what must
        not change."""
        given = Path(self.uri)
        header = given if given.suffix.lower() == HEADER else header_of(given)
        numbers = numbers_of(given) if header == given else given
        if header is None:
            raise FormatError(
                self.uri, None, "there is no ENVI header beside it", f"Put NAME{HEADER} there."
            )
        if numbers is None:
            raise FormatError(self.uri, None, "there is no file of numbers beside this header",
                              f"Put {header.stem}.img or {header.stem}.dat there.")
        self._header, self._numbers = header, numbers
        self._watch(numbers)

    def _whole_bands(self) -> int:
        there = self.path.stat().st_size - self._start
        if there >= self._bands * self._frame_bytes:
            return self._bands
        if self._interleave != "bsq" and self._bands > 1:
            raise FormatError(
                self.uri, None, "it ends early, in an order that spreads bands", COPY_AGAIN
            )
        found = max(there, 0) // self._frame_bytes
        self._cut_short(found, self._bands)
        return found

    def _choose(self, said: dict[str, str]) -> None:
        self._names = _list(said.get("band names", ""))
        self._wavelengths = _list(said.get("wavelength", ""))
        asked = self.options.get("band")
        if asked is None:
            if self.n_frames > 1 and (self._names or self._wavelengths):
                otherwise = to_read("one of them", "--band N")
                self.warnings.append(f"Its {self.n_frames} bands are read as frames. {otherwise}")
            return
        check_band(self.uri, asked, self.n_frames)
        self._first, self.n_frames = asked - 1, 1

    def _take_blank(self, said: dict[str, str]) -> None:
        try:
            value = float(said.get("data ignore value", "nan"))
        except ValueError:
            value = math.nan
        self._blank = number_of(value, self._disk)
        if self._blank is not None:
            self.dtype = blank_dtype(self.dtype)
            self.warnings.append(no_data_note(self._blank))

    def _read(self, index: int) -> NDArray:
        band = self._stored(self._first + index)
        return band if self._blank is None else blank(band, band == self._blank)

    def _stored(self, band: int) -> NDArray:
        if self._interleave == "bsq" or self._bands == 1:
            return self._file.read_array(
                self._start + band * self._frame_bytes, self._disk, self.shape
            )
        out = np.empty(self.shape, self._disk.newbyteorder("="))
        line = self._samples * self._disk.itemsize
        if self._interleave == "bil":
            for row in range(self._lines):
                at = self._start + (row * self._bands + band) * line
                out[row] = self._file.read_array(at, self._disk, (self._samples,))
            return out
        rows = max(_AT_ONCE // (line * self._bands), 1)
        for first in range(0, self._lines, rows):
            count = min(rows, self._lines - first)
            at = self._start + first * line * self._bands
            piece = self._file.read_array(at, self._disk, (count, self._samples, self._bands))
            out[first : first + count] = piece[..., band]
        return out

    def _frame_meta(self, index: int) -> dict[str, Any]:
        band = self._first + index
        facts = {"band": self._names[band]} if band < len(self._names) else {}
        return facts | (
            {"wavelength": self._wavelengths[band]} if band < len(self._wavelengths) else {}
        )

    def fingerprint(self) -> str:
        """A hash over names, sizes and times of both files."""
        with reading(self.uri):
            return fingerprint_files([self._header, self.path])

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _entries(uri: str, header: Path) -> dict[str, str]:
    """The entries "name = value" of a header, names in lower case; a value in braces may have many
    lines."""
    with open_to_read(header) as file:
        text = file.read(_LONGEST).decode("utf-8", "replace").replace("\r", "\n")
    if not text.startswith("ENVI"):
        raise FormatError(uri, 0, f"{header.name} is no ENVI header", "Check what file it is.")
    return {" ".join(name.lower().split()): value.strip() for name, value in _ENTRY.findall(text)}


def _whole(uri: str, said: dict[str, str], name: str, usual: int | None = None) -> int:
    value = said.get(name, "" if usual is None else str(usual)).strip()
    if not value.isdecimal() or len(value) > 15 or (usual is None and int(value) < 1):
        raise FormatError(uri, None, f"its header gives {value or 'nothing'} for {name}", DAMAGED)
    return int(value)


def _dtype(uri: str, said: dict[str, str]) -> np.dtype:
    kind, order = said.get("data type", "").strip(), said.get("byte order", "0").strip()
    if kind not in _TYPES or order not in _ORDERS:
        what = f"its numbers are of data type {kind or 'unknown'}, byte order {order}"
        raise FormatError(uri, None, what, f"Save it as one of the data types {', '.join(_TYPES)}.")
    return np.dtype(_ORDERS[order] + _TYPES[kind])


def _list(value: str) -> list[str]:
    return (
        [" ".join(part.split()) for part in value.strip("{}").split(",")]
        if value.strip("{} \n")
        else []
    )
