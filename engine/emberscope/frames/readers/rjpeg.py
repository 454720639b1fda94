"""FLIR radiometric JPEG: the raw counts inside, and the images beside them."""

import io
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import read_bytes
from emberscope.frames.radiometry import Calibration
from emberscope.frames.readers.parts.base import COPY_AGAIN
from emberscope.frames.readers.parts.flir_blocks import (
    CAMERA,
    MAGIC,
    PALETTE,
    PLACE,
    RAW,
    RAW_HEADER,
    VISIBLE,
    Record,
    camera_facts,
    decode_raw,
    is_swapped,
    palette_name,
    place_facts,
    raw_image,
    read_block,
)
from emberscope.frames.readers.parts.gray import COLOR_WARNING, Gray
from emberscope.frames.readers.parts.radiometric import RadiometricSource
from emberscope.frames.readers.parts.segments import flir_blob
from emberscope.frames.readers.still import decode_jpeg, decode_png, jpeg_size
from emberscope.frames.turning import jpeg_turn

COUNTS, DISPLAY, PHOTO = "raw", "display", "visible"
_SHOWN = "Add ::display to its name to open the image that it shows."


class RadiometricJpegSource(RadiometricSource):
    """One image. `dataset`: "raw" (default), the counts; "display", the image that a viewer shows;
    "visible", the photograph of a second camera, where there is one.

    Where the file has a FLIR part without counts, the image that it shows is read, with a note.
    """

    format = "rjpeg"
    n_frames = 1
    turns = True
    accepts: ClassVar[tuple[str, ...]] = ("dataset", *RadiometricSource.accepts)

    def _open(self) -> None:
        data = read_bytes(self.path)
        self._blob, whole = flir_blob(io.BytesIO(data))
        self._records = self._directory()
        there = [name for name, kind in ((COUNTS, RAW), (PHOTO, VISIBLE)) if kind in self._records]
        there.insert(len(there) and there[0] == COUNTS, DISPLAY)
        wanted = self.options.get("dataset", there[0])
        if wanted not in there:
            raise FormatError(
                self.uri, None, f"it has no image {wanted}", f"It has {', '.join(there)}."
            )
        facts, calibration = self._camera()
        if wanted == COUNTS:
            if not whole:
                self.warnings.append(
                    "Some of its FLIR segments are missing; what is left was put together."
                )
            self._image = self._counts()
            self.dtype = np.dtype(np.uint16)
            self._take_units(calibration)
            self._image = self._in_units(self._image)
            facts |= self.said_of_scene()
        else:
            self._take_shown(decode_jpeg(self.uri, data) if wanted == DISPLAY else self._photo())
            self._take_units(None)
            self.units = "display8"
            if COUNTS not in there:
                self.warnings.append(
                    "Its FLIR part holds no raw counts that can be read; what it shows is read."
                )
        self._image.flags.writeable = False
        self.shape = self._image.shape
        self._turn = _turn(data, self.shape) if wanted != PHOTO else 1
        self._facts = {
            **facts,
            "dataset": wanted,
            "other_datasets": [name for name in there if name != wanted],
        }

    def _directory(self) -> dict[int, Record]:
        if self._blob[:4] not in MAGIC:
            return {}
        try:
            return read_block(self.uri, self._piece, 0, len(self._blob)).records
        except FormatError:
            if self.options.get("dataset") == DISPLAY:
                return {}
            raise FormatError(self.uri, None, "its FLIR part is damaged", _SHOWN) from None

    def _piece(self, at: int, count: int) -> bytes:
        return self._blob[at : at + count]

    def _record(self, kind: int) -> bytes:
        record = self._records[kind]
        if record.at + record.length > len(self._blob):
            raise FormatError(self.uri, None, "its FLIR part ends before its raw counts do", _SHOWN)
        return self._piece(record.at, record.length)

    def _camera(self) -> tuple[dict[str, Any], Calibration | None]:
        there = [
            kind
            for kind, found in self._records.items()
            if found.at + found.length <= len(self._blob)
        ]
        facts, calibration = camera_facts(self._record(CAMERA)) if CAMERA in there else ({}, None)
        beside = {"palette": palette_name(self._record(PALETTE)) if PALETTE in there else "",
                  "place": place_facts(self._record(PLACE)) if PLACE in there else {}}
        facts.pop("frame rate", None)
        return facts | {name: value for name, value in beside.items() if value}, calibration

    def _counts(self) -> NDArray:
        record = self._records[RAW]
        try:
            raw = raw_image(self.uri, record, self._record(RAW))
            counts = decode_raw(self.uri, record, raw)
        except FormatError as error:
            raise FormatError(self.uri, None, error.what, _SHOWN) from error
        if is_swapped(counts):
            self.warnings.append(
                "Its counts are in the other order of bytes than it says; they are put right."
            )
            return counts.byteswap()
        return counts

    def _photo(self) -> Gray:
        photo = self._record(VISIBLE)[RAW_HEADER:]
        if photo.startswith(b"\x89PNG"):
            return decode_png(self.uri, photo)
        if photo.startswith(b"\xff\xd8\xff"):
            return decode_jpeg(self.uri, photo)
        raise FormatError(self.uri, None, "its photograph is damaged", COPY_AGAIN)

    def _take_shown(self, gray: Gray) -> None:
        self._image = gray.image
        self.dtype, self.bit_depth = gray.image.dtype, 8 if gray.image.dtype == np.uint8 else None
        if gray.colored:
            self.warnings.append(COLOR_WARNING)

    def _read(self, index: int) -> NDArray:
        return self._image

    def _frame_meta(self, index: int) -> dict[str, Any]:
        return {"time": self._facts["time"]} if "time" in self._facts else {}


def _turn(data: bytes, shape: tuple[int, int]) -> int:
    """How the image is to be turned: as that which it shows, unless that lies on its side and
    counts do not."""
    turn = jpeg_turn(data)
    if turn < 5:
        return turn
    (rows, cols), _ = jpeg_size("", data)
    return turn if (rows > cols) == (shape[0] > shape[1]) else 1
