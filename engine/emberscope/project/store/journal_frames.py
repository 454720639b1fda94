"""Frames: how records lie in the journal file, and how they are found again behind damage.

A frame is the length of a content and the CRC-32 of length and content (two little-endian uint32),
then the content. Where a frame is not whole, the next one is looked for by the bytes that contents
begin with. A stranger's file may hold many such places that each claim the rest of the file: what
is read for frames that turn out to be none is bounded by the size of the file, and so is what is
searched.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

HEAD = struct.Struct("<II")
# Bytes that are searched at once, at first and in the end
_WINDOW, _LARGEST_WINDOW = 1 << 12, 1 << 20
_BEGIN = 32          # bytes; more than any beginning
_OVERLAP = 64        # bytes; more than a head and any beginning
# How often the size of the file may be read for frames that turn out to be none
_CLAIMS = 4
_FREE = 64 << 20     # bytes of that, and of damage that is searched, whatever the size
_LOOKED_AT = 1 << 20  # bytes of a gap that are given out


class Frame(NamedTuple):
    """A whole one: where it lies, and what is in it."""

    start: int
    end: int
    content: bytes

    @property
    def size(self) -> int:
        """How many bytes."""
        return self.end - self.start


class Gap(NamedTuple):
    """Bytes that are in no whole frame."""

    start: int
    end: int

    @property
    def size(self) -> int:
        """How many bytes."""
        return self.end - self.start


class Frames:
    """The frames of a file of `size` bytes and the gaps between them, in order.

    beginning : matches how contents begin, from the second byte on: the first is the count of a
    map.
    """

    def __init__(self, file: BinaryIO, size: int, beginning: re.Pattern[bytes]) -> None:
        self._file, self._size, self._beginning = file, size, beginning
        self._claims, self._searchable = _CLAIMS * size + _FREE, _FREE
        self._at = 0  # where the file is read next

    def __iter__(self) -> Iterator[Frame | Gap]:
        place = 0
        while place < self._size:
            content = self._content(place)
            if content is not None:
                end = place + HEAD.size + len(content)
                yield Frame(place, end, content)
            else:
                end = self._next(place + 1)
                yield Gap(place, end)
            place = end

    def raw(self, gap: Gap) -> bytes:
        """The bytes of a gap, those of a large one as far as it is looked at."""
        return self._read(gap.start, min(gap.size, _LOOKED_AT)) or b""

    def chain(self, gap: Gap) -> list[bytes] | None:
        """The contents of a gap where the lengths of its frames are as they were: each ends where
        the next begins, and the last one at the end of the gap. None where they are not."""
        raw, found, at = self.raw(gap), [], 0
        while at < gap.size:
            if at + HEAD.size > len(raw):
                return None
            length, _ = HEAD.unpack_from(raw, at)
            content = raw[at + HEAD.size:at + HEAD.size + length]
            if len(content) < length or not self._beginning.match(content, 1):
                return None
            found.append(content)
            at += HEAD.size + length
        return found

    def _next(self, start: int) -> int:
        """Where the next whole frame begins, from `start` on; the size of the file where there is
        none."""
        at, window = start, _WINDOW
        while at < self._size and at - start < self._searchable:
            piece = self._read(at, min(window, self._size - at))
            if piece is None:
                break
            for found in self._beginning.finditer(piece):
                place = at + found.start() - HEAD.size - 1
                if place >= start and self._content(place) is not None:
                    self._searchable -= place - start
                    return place
            at += len(piece) if at + len(piece) >= self._size else len(piece) - _OVERLAP
            window = min(2 * window, _LARGEST_WINDOW)
        return self._size

    def _content(self, place: int) -> bytes | None:
        """What is in the frame that begins there; None where none does."""
        head = self._read(place, HEAD.size)
        if head is None:
            return None
        length, crc = HEAD.unpack(head)
        if place + HEAD.size + length > self._size or length > self._claims:
            return None
        start = self._read(place + HEAD.size, min(length, _BEGIN))
        if start is None or not self._beginning.match(start, 1):
            return None
        rest = self._read(place + HEAD.size + len(start), length - len(start))
        content = start + rest if rest is not None else None
        if content is None or zlib.crc32(content, zlib.crc32(head[:4])) != crc:
            self._claims -= length
            return None
        return content

    def _read(self, place: int, count: int) -> bytes | None:
        if self._at != place:
            self._file.seek(place)
        found = exactly(self._file.read, count)
        self._at = place + count if found is not None else -1
        return found


def framed(content: bytes) -> bytes:
    """The frame of a content."""
    length = len(content).to_bytes(4, "little")
    return HEAD.pack(len(content), zlib.crc32(content, zlib.crc32(length))) + content


def exactly(read: Callable[[int], bytes], count: int) -> bytes | None:
    """So many bytes; None where there are fewer."""
    pieces, missing = [], count
    while missing:
        piece = read(missing)
        if not piece:
            return None
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
