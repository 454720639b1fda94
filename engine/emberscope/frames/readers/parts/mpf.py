"""JPEG files of several images (MPO): where each of them lies."""

import struct
from typing import BinaryIO, NamedTuple

from emberscope.frames.readers.parts.segments import APP2, segments

_MPF = b"MPF\0"
_COUNT, _ENTRIES = 0xB001, 0xB002  # tags: number of images, and a table of them
_ENTRY = 16
_MOST = 1000                       # images
_PREVIEW = 0x01                    # highest byte of the type of a reduced version


class JpegImage(NamedTuple):
    """One image of a file: its first byte, how many it has, and whether it is a reduced version of
    another."""

    at: int
    length: int
    preview: bool


def images_in(file: BinaryIO) -> list[JpegImage]:
    """All images of a JPEG, the first one included; empty for a JPEG of one, or where the table
    cannot be read."""
    for segment in segments(file):
        if segment.marker == APP2:
            file.seek(segment.at)
            data = file.read(segment.length)
            if data.startswith(_MPF):
                try:
                    return _entries(data[len(_MPF) :], segment.at + len(_MPF))
                except struct.error:
                    return []
    return []


def _entries(data: bytes, start: int) -> list[JpegImage]:
    """The table; places in it count from `start`, where its header lies in the file, but 0 is the
    file itself."""
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None:
        return []
    (at,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, at)
    said = {}
    for k in range(min(count, 64)):
        tag, _, _, value = struct.unpack_from(order + "HHII", data, at + 2 + 12 * k)
        said[tag] = value
    found = []
    for k in range(min(said.get(_COUNT, 0), _MOST)):
        kind, length, place = struct.unpack_from(order + "III", data, said[_ENTRIES] + _ENTRY * k)
        found.append(
            JpegImage(start + place if place else 0, length, kind >> 16 & 0xFF == _PREVIEW)
        )
    return found if len(found) > 1 else []
