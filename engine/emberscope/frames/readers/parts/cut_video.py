"""Videos that end where they were cut off: what of them is whole, and why nothing can be read.

Containers are looked at by their outermost parts only; what these hold is for the decoder.
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from emberscope.base.files import open_to_read

_TAIL = 64 << 10             # bytes at the end of a stream of JPEG that are looked at
_PACKETS = (188, 192, 204)   # bytes of a packet of a transport stream, by its kind
_MOST_PARTS = 1_000_000      # of a file, that are walked through
_AGAIN = "Copy it again, or repair it with the program of the recorder."
_SEGMENT, _CLUSTER = 0x18538067, 0x1F43B675


class _Box(NamedTuple):
    """A part of an MP4 or MOV file: its name, where it begins and where it says that it ends."""

    name: bytes
    start: int
    end: int


class Until(io.RawIOBase):
    """A file up to one of its bytes, as a decoder reads it."""

    def __init__(self, path: Path, end: int) -> None:
        super().__init__()
        self._file, self._end = open_to_read(path), end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            return self._file.seek(self._end + offset)
        return self._file.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        """Bytes from here on, none of them beyond the end."""
        left = max(self._end - self._file.tell(), 0)
        return self._file.read(left if size < 0 else min(size, left))

    def close(self) -> None:
        self._file.close()
        super().close()


def whole_until(path: Path) -> int | None:
    """Where the last whole fragment of a fragmented MP4 ends, None where no fragment is cut."""
    boxes = _boxes(path)
    if len(boxes) < 2 or boxes[-1].end <= path.stat().st_size:
        return None
    fragments = any(box.name == b"moof" for box in boxes[:-1])
    return boxes[-1].start if fragments and boxes[-1].name in (b"moof", b"mfra") else None


def why_not(path: Path) -> tuple[str, str]:
    """What is wrong with a video that no decoder opens, and what to do."""
    boxes = _boxes(path)
    names = {box.name for box in boxes}
    if names & {b"mdat", b"ftyp"} and not names & {b"moov"}:
        return "its index is missing, so it was cut off before its end was written", _AGAIN
    if boxes and boxes[-1].end > path.stat().st_size:
        return "it ends before its index or its first frame is complete", _AGAIN
    return "what it holds cannot be decoded as video", "Check that it plays in another program."


def why_no_frame(path: Path) -> tuple[str, str] | None:
    """Why a video that opens has no frame, where that is known, and what to do."""
    boxes, size = _boxes(path), path.stat().st_size
    with open_to_read(path) as file:
        is_matroska = file.read(4) == b"\x1a\x45\xdf\xa3"
    if (boxes and boxes[-1].end > size) or (is_matroska and _ends_inside_element(path)):
        return "it ends before its first frame is complete", _AGAIN
    return None


def ends_inside(path: Path, container: str) -> bool:
    """Whether a file ends in the middle of one of its parts, by what its kind of container tells.

    False where it does not tell. container : its name in FFmpeg.
    """
    if container == "mpegts":
        return _ends_inside_packet(path)
    if container == "mjpeg":
        return not _tail(path).rstrip(b"\0").endswith(b"\xff\xd9")
    if container.startswith("matroska"):
        return _ends_inside_element(path)
    return False


def _boxes(path: Path) -> list[_Box]:
    """The parts of an MP4 or MOV file; of any other file none, or a few that mean nothing."""
    found: list[_Box] = []
    at, size = 0, path.stat().st_size
    with open_to_read(path) as file:
        while at + 8 <= size and len(found) < _MOST_PARTS:
            file.seek(at)
            head = file.read(16)
            name, length = head[4:8], int.from_bytes(head[:4], "big")
            if length == 1:
                length = int.from_bytes(head[8:16], "big")
            if length == 0:  # to the end of the file
                length = size - at
            if length < 8 or not name.isalnum():
                break
            found.append(_Box(name, at, at + length))
            at += length
    return found


def _ends_inside_packet(path: Path) -> bool:
    with open_to_read(path) as file:
        head = file.read(3 * max(_PACKETS))
    for packet, first in zip(_PACKETS, (0, 4, 0), strict=True):
        if head[first : first + 2 * packet + 1 : packet] == b"\x47" * 3:
            return path.stat().st_size % packet > 0
    return False


def _tail(path: Path) -> bytes:
    with open_to_read(path) as file:
        file.seek(max(path.stat().st_size - _TAIL, 0))
        return file.read()


def _ends_inside_element(path: Path) -> bool:
    """Whether the last element of a Matroska file ends beyond it."""
    size = path.stat().st_size
    with open_to_read(path) as file:
        return any(end > size for end in _element_ends(file, size))


def _element_ends(file: BinaryIO, size: int) -> Iterator[int]:
    """Where the elements of a Matroska file say that they end; those of unknown length are looked
    into."""
    at = 0
    for _ in range(_MOST_PARTS):
        if at >= size:
            return
        file.seek(at)
        head = file.read(12)
        id_bytes = 9 - head[0].bit_length()
        length_bytes = 9 - head[id_bytes].bit_length() if len(head) > id_bytes else 9
        if id_bytes > 4 or length_bytes > 8 or len(head) < id_bytes + length_bytes:
            yield size + 1
            return
        name = int.from_bytes(head[:id_bytes], "big")
        coded = int.from_bytes(head[id_bytes : id_bytes + length_bytes], "big")
        length = coded - (1 << 7 * length_bytes)
        at += id_bytes + length_bytes
        unknown = length == (1 << 7 * length_bytes) - 1
        if name != _SEGMENT and not (name == _CLUSTER and unknown):
            at += length
            yield at
