"""NITF 2.1 and NSIF 1.0 without compression: image segments as frames."""

from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import open_to_read
from emberscope.frames.readers.parts.base import COPY_AGAIN, DAMAGED, Source, check_frame, to_read
from emberscope.frames.readers.parts.gray import check_band
from emberscope.frames.readers.parts.plain import PlainFile

_VERSIONS = (b"NITF02.10", b"NSIF01.00")
# Where the header says its own length, and how many image segments there are
_HEADER_LENGTH, _SEGMENTS = 354, 360
_ROWS = 333                           # where the header of a segment says its rows
_LONGEST = 1 << 20                    # bytes of a header
_KINDS = {"INT": "u", "SI": "i", "R": "f"}
_SAVE = "Save it without compression, or as TIFF."


class _Layout(NamedTuple):
    """How the pixels of a segment lie: its size, bands, type, order of bands, blocks, and their
    first byte."""

    rows: int
    cols: int
    bands: int
    disk: np.dtype
    mode: str
    blocks: tuple[int, int]
    block: tuple[int, int]
    bits: int
    at: int

    @property
    def alike(self) -> tuple[object, ...]:
        return self[:5]

    @property
    def bytes(self) -> int:
        """Bytes of all pixels, with what fills the last blocks."""
        across, down = self.blocks
        return across * down * self.block[0] * self.block[1] * self.bands * self.disk.itemsize


class NitfSource(Source):
    """Image segments of one size and type as frames; `band`: which of several bands is read, from
    1.

    Bands lie block by block, pixel by pixel, row by row or one after another. One frame is put
    together at a time.
    """

    format = "nitf"
    accepts: ClassVar[tuple[str, ...]] = ("band",)

    def _open(self) -> None:
        segments = _segments(self.uri, self.path)
        first = segments[0]
        alike = [segment for segment in segments if segment.alike == first.alike]
        size = self.path.stat().st_size
        whole = [segment for segment in alike if segment.at + segment.bytes <= size]
        self.shape, self.dtype = (first.rows, first.cols), first.disk.newbyteorder("=")
        check_frame(self.uri, self.shape, first.disk.itemsize)
        self._frames, self.n_frames = whole, len(whole)
        if len(whole) < len(alike):
            self._cut_short(len(whole), len(alike))
        if len(alike) < len(segments):
            left = len(segments) - len(alike)
            self.warnings.append(
                f"{left} more image segment{'s' * (left > 1)} of another size or type: left out."
            )
        self.bit_depth = first.bits if first.disk.kind == "u" else None
        self._band = self._chosen(first.bands)
        self._file = PlainFile(self.path)
        self._facts = {"bands": first.bands}

    def _chosen(self, bands: int) -> int:
        asked = self.options.get("band")
        if asked is not None:
            check_band(self.uri, asked, bands)
        if asked is None and bands > 1:
            self.warnings.append(f"It has {bands} bands: band 1 is read, the others are left out. "
                                 f"{to_read('the last one', f'--band {bands}')}")
        return (asked or 1) - 1

    def _read(self, index: int) -> NDArray:
        layout = self._frames[index]
        across, down = layout.blocks
        rows, cols = layout.block
        out = np.empty((down * rows, across * cols), self.dtype)
        for block in range(across * down):
            y, x = divmod(block, across)
            out[y * rows : y * rows + rows, x * cols : x * cols + cols] = self._block(layout, block)
        return out[: layout.rows, : layout.cols]

    def _block(self, layout: _Layout, block: int) -> NDArray:
        """One block of the band that is read."""
        rows, cols = layout.block
        pixels, item, band = rows * cols, layout.disk.itemsize, self._band
        if layout.mode == "S" or layout.bands == 1:
            number = (
                block if layout.bands == 1 else band * layout.blocks[0] * layout.blocks[1] + block
            )
            return self._file.read_array(
                layout.at + number * pixels * item, layout.disk, (rows, cols)
            )
        at = layout.at + block * pixels * layout.bands * item
        if layout.mode == "B":
            return self._file.read_array(at + band * pixels * item, layout.disk, (rows, cols))
        shape = (rows, cols, layout.bands) if layout.mode == "P" else (rows, layout.bands, cols)
        every = self._file.read_array(at, layout.disk, shape)
        return every[..., band] if layout.mode == "P" else every[:, band]

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _segments(uri: str, path: Path) -> list[_Layout]:
    """The image segments of a file, those that can be read. Raises FormatError."""
    with open_to_read(path) as file:
        head = file.read(_SEGMENTS + 3)
        if head[:9] not in _VERSIONS:
            raise FormatError(uri, 0, f"it is {head[:9].decode('latin-1')}, not NITF 2.1", _SAVE)
        at, count = _whole(uri, head, _HEADER_LENGTH, 6), _whole(uri, head, _SEGMENTS, 3)
        table = file.read(16 * count)
        found, refused = [], None
        for k in range(count):
            length, data = _whole(uri, table, 16 * k, 6), _whole(uri, table, 16 * k + 6, 10)
            file.seek(at)
            try:
                found.append(_layout(uri, file.read(min(length, _LONGEST)), at, at + length))
            except FormatError as error:
                refused = refused or error
            at += length + data
    if not found:
        raise refused or FormatError(uri, _SEGMENTS, "it holds no image", "Choose another file.")
    return found


def _layout(uri: str, head: bytes, at: int, data: int) -> _Layout:
    """What the header of a segment says; `at` is its first byte, `data` that of the pixels."""
    if head[:2] != b"IM":
        raise FormatError(uri, at, "no image segment begins here", DAMAGED)
    rows, cols = _whole(uri, head, _ROWS, 8), _whole(uri, head, _ROWS + 8, 8)
    kind, bits = (
        head[_ROWS + 16 : _ROWS + 19].decode("latin-1").strip(),
        _whole(uri, head, _ROWS + 35, 2),
    )
    pos = _ROWS + 39 + (60 if head[_ROWS + 38 : _ROWS + 39] != b" " else 0)
    pos += 1 + 80 * _whole(uri, head, pos, 1)
    packed = head[pos : pos + 2]
    if packed not in (b"NC",):
        raise FormatError(
            uri, at + pos, f"its pixels are packed ({packed.decode('latin-1')})", _SAVE
        )
    bands, pos = _whole(uri, head, pos + 2, 1), pos + 3
    if not bands:
        bands, pos = _whole(uri, head, pos, 5), pos + 5
    for _ in range(bands):
        tables = _whole(uri, head, pos + 12, 1)
        pos += 13 + (5 + tables * _whole(uri, head, pos + 13, 5) if tables else 0)
    mode = head[pos + 1 : pos + 2].decode("latin-1")
    across, down = _whole(uri, head, pos + 2, 4), _whole(uri, head, pos + 6, 4)
    wide, tall = _whole(uri, head, pos + 10, 4) or cols, _whole(uri, head, pos + 14, 4) or rows
    stored = _whole(uri, head, pos + 18, 2)
    if (
        kind not in _KINDS
        or stored not in (8, 16, 32, 64)
        or (kind == "R" and stored < 32)
        or mode not in "BPRS"
    ):
        raise FormatError(
            uri, at + _ROWS + 16, f"its pixels are {kind} of {stored} bits, order {mode}", _SAVE
        )
    check_frame(uri, (rows, cols), stored // 8, offset=at + _ROWS)
    if not (
        bands
        and across
        and down
        and 0 <= across * wide - cols < wide
        and 0 <= down * tall - rows < tall
    ):
        raise FormatError(uri, at + pos + 2, "its blocks do not cover its pixels", DAMAGED)
    check_frame(uri, (tall, wide, bands), stored // 8, offset=at + pos + 10)
    disk = np.dtype(f">{_KINDS[kind]}{stored // 8}")
    return _Layout(rows, cols, bands, disk, mode, (across, down), (tall, wide), bits, data)


def _whole(uri: str, head: bytes, at: int, length: int) -> int:
    digits = head[at : at + length]
    if len(digits) < length:
        raise FormatError(uri, at, "it ends inside a header", COPY_AGAIN)
    if not digits.isdigit():
        raise FormatError(uri, at, "a number is expected here", DAMAGED)
    return int(digits)
