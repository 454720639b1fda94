"""The segments of a JPEG before its pixels: what cameras put beside the image."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from emberscope.base.files import open_to_read

APP1, APP2, JPEG_LS, SCAN = 0xE1, 0xE2, 0xF7, 0xDA
FLIR = b"FLIR\0"
# Bytes of a FLIR segment before what it holds: name, 1, number, number of the last one
FLIR_HEAD = 8
_MOST = 100_000   # segments


class Segment(NamedTuple):
    """A segment: its marker, where its content begins, and how long that is."""

    marker: int
    at: int
    length: int


def segments(file: BinaryIO, start: int = 0) -> Iterator[Segment]:
    """The segments of the JPEG that begins at a byte of a file, up to its pixels. Ends where there
    is no marker."""
    at = start + 2
    for _ in range(_MOST):
        file.seek(at)
        head = file.read(4)
        if len(head) < 4 or head[0] != 0xFF or head[1] == SCAN:
            return
        marker = head[1]
        # Fill bytes and markers without a length
        if marker == 0xFF or marker == 1 or 0xD0 <= marker <= 0xD7:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(head[2:], "big")
        yield Segment(marker, at + 4, max(length - 2, 0))
        at += 2 + max(length, 2)


def holds_flir(path: Path) -> bool:
    """Whether a JPEG holds segments of a FLIR camera. Some 20 us."""
    with open_to_read(path) as file:
        for segment in segments(file):
            if segment.marker == APP1 and segment.length >= FLIR_HEAD:
                file.seek(segment.at)
                if file.read(len(FLIR)) == FLIR:
                    return True
    return False


def flir_blob(file: BinaryIO) -> tuple[bytes, bool]:
    """What FLIR segments of a JPEG hold, joined in order, and whether all of them are there."""
    parts: dict[int, list[bytes]] = {}
    last = 0
    for segment in segments(file):
        if segment.marker == APP1 and segment.length >= FLIR_HEAD:
            file.seek(segment.at)
            data = file.read(segment.length)
            if data.startswith(FLIR):
                parts.setdefault(data[6], []).append(data[FLIR_HEAD:])
                last = max(last, data[7])
    joined = b"".join(part for number in sorted(parts) for part in parts[number])
    count = sum(len(same) for same in parts.values())
    file.seek(0, os.SEEK_SET)
    return joined, count > last and set(range(max(parts, default=0) + 1)) == set(parts)
