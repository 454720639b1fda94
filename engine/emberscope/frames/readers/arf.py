"""ARF, the big-endian raster of the DSIAC / NVESD range data (help page: formats): reader and
streaming writer."""

import struct
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, FormatError
from emberscope.base.files import written_whole
from emberscope.frames.readers.parts.base import COPY_AGAIN, DAMAGED, Source, check_frame
from emberscope.frames.readers.parts.gray import luminance
from emberscope.frames.readers.parts.plain import PlainFile

MAGIC = 0xBBBBBAAD
HEADER = struct.Struct(">8I")
# image_type -> (sample type on disk, significant bits)
SAMPLES: dict[int, tuple[str, int | None]] = {
    0: (">u1", 8), 1: (">u2", 10), 2: (">u2", 12), 3: (">i2", None), 4: (">i4", None),
    5: (">u2", None), 6: (">u4", None), 7: (">f4", None), 8: (">f8", None),
}
FOOTER_FLAG, COLOR_FLAG = 16, 128          # bits of subheader_flags
BEFORE_FOOTER_FLAGS = 15                   # sub-headers of bits 0-3 lie before the footer flags
MAX_FOOTER = 256
# X, y, azimuth, elevation, year, day of year, h, min, s, ms
FOOTER = struct.Struct(">10I")


class Header(NamedTuple):
    """The 32 bytes at the start. Rows come before columns."""

    magic: int
    version: int
    rows: int
    cols: int
    image_type: int
    n_frames: int
    image_offset: int
    flags: int


class ArfSource(Source):
    """Frames of an ARF file, read one by one; 0.3 ms per 640 x 512 frame.

    The distance between frames comes from the file size where that divides evenly (which finds
    per-frame footers without reading sub-headers), else from the sample type and the footer flags.
    """

    format = "arf"

    def _open(self) -> None:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            head = file.read(HEADER.size + 4)
        header = _parse(self.uri, head, size)
        sample, self.bit_depth = SAMPLES[header.image_type]
        self.shape = (header.rows, header.cols)
        disk = np.dtype(sample)
        check_frame(self.uri, self.shape, disk.itemsize, offset=8)
        self._frame_bytes = header.rows * header.cols * disk.itemsize
        stride = _stride(header, head, size, self._frame_bytes)
        self.n_frames = self._count(header, size, stride)
        self._footer = stride - self._frame_bytes
        self._file, self._size, self._disk = PlainFile(self.path), size, disk
        self._offset, self._stride = header.image_offset, stride
        self._frame_step = stride
        self._colored = header.image_type == 6 and bool(header.flags & COLOR_FLAG)
        if self._colored:
            disk, self.bit_depth, self.units = np.dtype(np.uint8), 8, "display8"
        elif header.image_type == 3 and self._has_negative():
            self._disk = disk = np.dtype(">u2")
            self.warnings.append(
                "Its samples are declared signed but wrap around; they are read as unsigned."
            )
        self.dtype = disk.newbyteorder("=")
        self._facts = {
            "version": header.version,
            "image_type": header.image_type,
            "image_offset": header.image_offset,
            "subheader_flags": header.flags,
            "footer_bytes": self._footer,
            "declared_frames": header.n_frames,
        }

    def _count(self, header: Header, size: int, stride: int) -> int:
        """How many whole frames there are; the last footer may be missing."""
        room = (size - header.image_offset + stride - self._frame_bytes) // stride
        if header.n_frames == 0:
            self.warnings.append(f"Its header names no frame count; its size holds {room}.")
            return room
        if room < header.n_frames:
            self._cut_short(room, header.n_frames)
        elif room > header.n_frames:
            self.warnings.append(
                f"Its header counts {header.n_frames} frames, its size {room}; the first are used."
            )
        return min(room, header.n_frames)

    def _has_negative(self) -> bool:
        """Whether one of up to 8 spread frames holds a negative sample."""
        spread = np.unique(np.linspace(0, self.n_frames - 1, 8).astype(int))
        return any(int(self._stored(i).min()) < 0 for i in spread)

    def _read(self, index: int) -> NDArray:
        if self._colored:
            argb = self._file.read(self._offset + index * self._stride, self._frame_bytes)
            return luminance(argb.reshape(*self.shape, 4)[..., 1:])
        return self._stored(index)

    def _stored(self, index: int) -> NDArray:
        """Frame `index` as it lies in the file."""
        start = self._offset + index * self._stride
        return self._file.read_array(start, self._disk, self.shape)

    def _frame_meta(self, index: int) -> dict[str, Any]:
        start = self._offset + index * self._stride + self._frame_bytes
        if self._footer < FOOTER.size or start + FOOTER.size > self._size:
            return {}
        x, y, azimuth, elevation, *when = FOOTER.unpack(self._file.read(start, FOOTER.size).data)
        facts: dict[str, Any] = {"x": x, "y": y, "azimuth": azimuth, "elevation": elevation}
        time = _time(when)
        return {**facts, "time": time} if time else facts

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()


def _parse(uri: str, head: bytes, size: int) -> Header:
    if len(head) < HEADER.size:
        raise FormatError(uri, 0, f"an ARF header has 32 bytes, this file {size}", COPY_AGAIN)
    header = Header(*HEADER.unpack_from(head))
    if header.magic != MAGIC:
        raise FormatError(
            uri, 0, "this is not an ARF file", "Open a file that starts with BB BB BA AD."
        )
    if header.image_type not in SAMPLES:
        raise FormatError(
            uri, 16, f"image type {header.image_type} is not supported", "Export it as type 0 to 8."
        )
    if not HEADER.size <= header.image_offset <= size:
        raise FormatError(
            uri, 24, f"the first frame cannot start at byte {header.image_offset}", DAMAGED
        )
    return header


def _stride(header: Header, head: bytes, size: int, frame_bytes: int) -> int:
    """Bytes from one frame to the next."""
    room = size - header.image_offset
    if (
        header.n_frames
        and room % header.n_frames == 0
        and 0 <= room // header.n_frames - frame_bytes <= MAX_FOOTER
    ):
        return room // header.n_frames
    if (
        header.flags & FOOTER_FLAG
        and not header.flags & BEFORE_FOOTER_FLAGS
        and header.image_offset >= 36
    ):
        (footer,) = struct.unpack_from(">I", head, HEADER.size)
        return frame_bytes + 40 * (footer & 1) + 48 * (footer & 2)  # 40 for bit 0, 96 for bit 1
    return frame_bytes


def _time(when: list[int]) -> str | None:
    """ISO 8601 of (year, day of year, h, min, s, ms), or None where that is no date."""
    year, day, hour, minute, second, ms = when
    if not (
        1900 <= year <= 2200
        and 1 <= day <= 366
        and hour < 24
        and minute < 60
        and second < 61
        and ms < 1000
    ):
        return None
    start = datetime(year, 1, 1)
    return (
        start + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second, milliseconds=ms)
    ).isoformat()


def write_arf(
    path: str | Path,
    frames: Iterable[NDArray],
    *,
    n_frames: int,
    shape: tuple[int, int],
    image_type: int = 5,
    image_offset: int = 32,
    footers: Iterable[bytes] | None = None,
    footer_flags: int = 0,
) -> None:
    """Write frames one by one as they come; none is held.

    Parameters
    ----------
    frames : iterable of (rows, cols) arrays whose values fit the sample type of `image_type`.
    n_frames : int. How many frames will come.
    image_offset : int. Byte of the first frame, 32 or more; the gap is filled with zeros.
    footers : iterable of bytes, optional. Written behind each frame; `footer_flags` (bit 0: 40
        bytes, bit 1: 96 bytes) is declared in a sub-header then, which needs image_offset >= 36.

    Notes
    -----
    Writes a temporary file beside `path` and renames it, so that a failure leaves nothing half
    done. Raises DataError for a frame of another size or range, or another number of frames.
    """
    path = Path(path)
    disk = np.dtype(SAMPLES[image_type][0])
    flags = FOOTER_FLAG if footer_flags else 0
    head = HEADER.pack(MAGIC, 2, *shape, image_type, n_frames, image_offset, flags)
    if footer_flags:
        head += struct.pack(">I", footer_flags)
    if image_offset < len(head):
        raise DataError(f"image_offset is {image_offset}", hint=f"Give {len(head)} or more.")
    tails = iter(footers) if footers is not None else None
    with written_whole(path) as partial:
        with partial.open("wb") as file:
            file.write(head.ljust(image_offset, b"\0"))
            count = 0
            for frame in frames:
                file.write(_samples(frame, shape, disk, count).tobytes())
                if tails is not None:
                    file.write(next(tails))
                count += 1
        if count != n_frames:
            what = f"{count} frames came, {n_frames} were announced"
            raise DataError(what, where=str(path), hint="Give the right n_frames.")


def _samples(frame: NDArray, shape: tuple[int, int], disk: np.dtype, index: int) -> NDArray:
    frame = np.asarray(frame)
    if frame.shape != tuple(shape):
        raise DataError(
            f"frame {index} has shape {frame.shape}", hint=f"Give frames of shape {tuple(shape)}."
        )
    if disk.kind in "ui" and frame.dtype.newbyteorder("=") != disk.newbyteorder("="):
        limits = np.iinfo(disk)
        if not (
            np.isfinite(frame).all() and limits.min <= frame.min() and frame.max() <= limits.max
        ):
            raise DataError(
                f"frame {index} does not fit {disk.name}",
                hint="Scale it, or write another image type.",
            )
    return frame.astype(disk)
