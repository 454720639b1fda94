"""FLIR FFF (one image), SEQ and CSQ (a block for each frame), opened in place: one frame is decoded
at a time."""

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.monitor import monitored
from emberscope.frames.radiometry import Calibration
from emberscope.frames.readers.parts.base import COPY_AGAIN
from emberscope.frames.readers.parts.flir_blocks import (
    CAMERA,
    HEADER,
    MAGIC,
    PALETTE,
    PLACE,
    RAW,
    Block,
    Record,
    camera_facts,
    decode_raw,
    is_swapped,
    palette_name,
    place_facts,
    raw_image,
    read_block,
)
from emberscope.frames.readers.parts.plain import PlainFile
from emberscope.frames.readers.parts.radiometric import RadiometricSource

_REPORTED = 256          # blocks between two reports of progress
# Bytes that are looked through at once for the next block, more each time
_FIRST_PIECE, _PIECE = 4096, 1 << 20
_LOOKED = 64 << 20       # bytes that are looked through at most
_LOST = -1               # where a frame has no raw counts
_MOST_RECORD = 1 << 28   # bytes of a record that are taken into memory


class _Index:
    """Where frames lie: of each its block, its raw counts and what the camera says. 48 bytes for a
    frame."""

    def __init__(self) -> None:
        self.block, self.raw, self.raw_bytes = array("q"), array("q"), array("q")
        self.camera, self.camera_bytes = array("q"), array("q")
        self.lost: list[tuple[int, int]] = []  # byte, frames that cannot be read from there on

    def add(self, block: Block) -> None:
        raw, camera = block.records.get(RAW), block.records.get(CAMERA)
        self.block.append(block.at)
        for where, length, record in (
            (self.raw, self.raw_bytes, raw),
            (self.camera, self.camera_bytes, camera),
        ):
            where.append(record.at if record else _LOST)
            length.append(record.length if record else 0)

    def lose(self, at: int, frames: int) -> None:
        """Frames whose block is damaged keep their numbers, so that those behind keep theirs."""
        self.lost.append((at, frames))
        for _ in range(frames):
            self.add(Block(at, at, {}))


class FlirSource(RadiometricSource):
    """Frames of an FFF, SEQ or CSQ file. Blocks are found by their directories: 20 us for each when
    it is opened.

    A block that is damaged costs its frame, and no more: the search goes on at the next one.
    """

    format = "flir"

    def _open(self) -> None:
        self._file = PlainFile(self.path)
        self._size = self.path.stat().st_size
        self._index = self._find_blocks()
        self.n_frames = len(self._index.block)
        first = next((i for i in range(self.n_frames) if self._index.raw[i] != _LOST), None)
        if first is None:
            raise FormatError(self.uri, None, "it holds no raw counts", "Choose another file.")
        self.dtype = np.dtype(np.uint16)
        facts, calibration = self._camera(first)
        raw = raw_image(self.uri, self._raw_record(first), self._raw_bytes(first))
        self.shape = raw.shape
        self._swapped = is_swapped(decode_raw(self.uri, self._raw_record(first), raw))
        if self._swapped:
            self.warnings.append(
                "Its counts are stored in the other order of bytes than it says; they are put "
                "right."
            )
        self._take_units(calibration)
        self.fps = (
            float(facts["frame rate"]) if self.n_frames > 1 and facts.get("frame rate") else None
        )
        self._facts = {**facts, **self.said_of_scene(), "coding": raw.coding, **self._beside(first)}
        self._say_lost()

    def _find_blocks(self) -> _Index:
        watch, index, at = monitored(self._monitor), _Index(), 0
        self._last: Block | None = None  # that could be read, and has raw counts
        while at + HEADER <= self._size:
            if len(index.block) % _REPORTED == 0:
                watch.step(at / self._size, "Finding frames")
            try:
                block = read_block(self.uri, self._read_bytes, at, self._size)
            except FormatError:
                at = self._skip_damage(index, at)
                continue
            if block.end > self._size and not self._whole(block):
                self._cut(len(index.block), at)
                break
            index.add(block)
            self._last = block if RAW in block.records else self._last
            at = max(block.end, at + HEADER)
        return index

    def _whole(self, block: Block) -> bool:
        """Whether the raw counts of the last block lie inside the file, though something else of it
        does not."""
        raw = block.records.get(RAW)
        return raw is not None and raw.at + raw.length <= self._size

    def _cut(self, found: int, at: int) -> None:
        self.truncated = True
        if not found:
            raise FormatError(self.uri, at, "it ends before its first frame does", COPY_AGAIN)
        s = "" if found == 1 else "s"
        self.warnings.append(
            f"It ends inside frame {found + 1}; the first {found} frame{s} can be used."
        )

    def _skip_damage(self, index: _Index, at: int) -> int:
        """Where the next block begins, or the end of the file; what lies between is counted as
        frames."""
        if not index.block and self._read_bytes(at, 4) not in MAGIC:
            raise FormatError(self.uri, at, "no FLIR block begins here", "Check what file it is.")
        last = self._last
        following = self._next_block(
            last.records[RAW].at + last.records[RAW].length if last else at + 1
        )
        if following is None and at + self._tail() >= self._size:
            return self._size  # what fills up the file
        if following is None:
            rest = self._size - at
            self.truncated = True
            self.warnings.append(
                f"What follows byte {at} cannot be read ({rest} bytes); the frames before it can."
            )
            return self._size
        usual = last.end - last.at if last else following - at
        lost = round((following - at) / usual)
        if lost > 0:  # else it is what fills up a block
            index.lose(at, lost)
        return following

    def _tail(self) -> int:
        """Bytes at the end of a file that are too few for a frame: half of the last one."""
        return (self._last.end - self._last.at) // 2 if self._last else 0

    def _next_block(self, start: int) -> int | None:
        end, at, length = min(self._size, start + _LOOKED), start, _FIRST_PIECE
        while at < end:
            piece = self._read_bytes(at, min(length + 3, self._size - at))
            for magic in MAGIC:
                found = piece.find(magic)
                while found >= 0:
                    try:
                        block = read_block(self.uri, self._read_bytes, at + found, self._size)
                        if RAW in block.records:
                            return at + found
                    except FormatError:
                        pass
                    found = piece.find(magic, found + 1)
            at, length = at + length, min(2 * length, _PIECE)
        return None

    def _say_lost(self) -> None:
        frames = sum(count for _, count in self._index.lost)
        if frames:
            at = self._index.lost[0][0]
            s, keep = ("s", "keep their numbers") if frames > 1 else ("", "keeps its number")
            self.warnings.append(
                f"{frames} frame{s} cannot be read, the first at byte {at}: damaged. The others "
                f"open; what cannot be read {keep}."
            )

    def _read_bytes(self, at: int, count: int) -> bytes:
        return self._file.read(at, count).tobytes()

    def _record(self, record: Record) -> bytes:
        if record.length > _MOST_RECORD or record.at + record.length > self._size:
            what = f"a record of {record.length} bytes does not lie in the file"
            raise FormatError(self.uri, record.at, what, COPY_AGAIN)
        return self._read_bytes(record.at, record.length)

    def _raw_record(self, index: int) -> Record:
        at = self._index.raw[index]
        if at == _LOST:
            where = self._index.block[index]
            raise FormatError(
                self.uri, where, f"frame {index} is damaged", "The other frames can be read."
            )
        return Record(RAW, at, self._index.raw_bytes[index])

    def _raw_bytes(self, index: int) -> bytes:
        return self._record(self._raw_record(index))

    def _camera(self, index: int) -> tuple[dict[str, Any], Calibration | None]:
        at = self._index.camera[index]
        length = min(self._index.camera_bytes[index], self._size - at, 4096)
        return (
            camera_facts(self._read_bytes(at, length)) if at != _LOST and length > 0 else ({}, None)
        )

    def _beside(self, index: int) -> dict[str, Any]:
        """Palette and place, of the block of a frame."""
        records = read_block(
            self.uri, self._read_bytes, self._index.block[index], self._size
        ).records
        palette, place = records.get(PALETTE), records.get(PLACE)
        found: dict[str, Any] = {}
        if palette is not None and palette.at + palette.length <= self._size:
            found["palette"] = palette_name(self._record(palette))
        if place is not None and place.at + place.length <= self._size:
            found["place"] = place_facts(self._record(place))
        return {name: value for name, value in found.items() if value}

    def _read(self, index: int) -> NDArray:
        record = self._raw_record(index)
        raw = raw_image(self.uri, record, self._record(record))
        counts = decode_raw(self.uri, record, raw, swapped=self._swapped)
        return counts if self.units == "counts" else self._in_units(counts, self._camera(index)[1])

    def _frame_meta(self, index: int) -> dict[str, Any]:
        facts, _ = self._camera(index)
        return {name: facts[name] for name in ("time", "shown counts") if name in facts}

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()
