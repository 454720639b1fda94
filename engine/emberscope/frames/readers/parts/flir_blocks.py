"""The container of FLIR cameras: a block of records (FFF), alone, one after another (SEQ, CSQ), or
inside a JPEG.

A block begins with 64 bytes and a directory of its records: raw counts, what the camera says of
itself and of the scene, palette, place. Sizes and places come from the file, and are checked before
anything is read by them.
"""

import io
import math
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

import imagecodecs
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth
from emberscope.frames.radiometry import ZERO_C, Calibration, Planck, Scene, is_possible
from emberscope.frames.readers.parts.base import COPY_AGAIN, DAMAGED, check_frame, reading
from emberscope.frames.readers.parts.segments import JPEG_LS, segments
from emberscope.frames.readers.still import decode_jpeg, decode_png

MAGIC = (b"FFF\0", b"AFF\0")
HEADER, ENTRY, RAW_HEADER = 64, 32, 32  # bytes
RAW, VISIBLE, CAMERA, PALETTE, PLACE = 0x01, 0x0E, 0x20, 0x22, 0x2B
_MOST_RECORDS = 1024
_CAMERA_BYTES = 0x466
_PALETTE_NAME, _GPS_BYTES = 0x50, 0x58
_PNG, _JPEG = b"\x89PNG", b"\xff\xd8\xff"
# Times that pixels vary more from one to the next where bytes are in the wrong order
_ROUGHER = 2.0

# (offset, count) to so many bytes; FormatError where there are fewer
Read = Callable[[int, int], bytes]


class Record(NamedTuple):
    """One entry of a directory. `at` counts from the start of the file or of what was joined from a
    JPEG."""

    kind: int
    at: int
    length: int


class Block(NamedTuple):
    """One block: where it starts and ends, and its records, the first of each kind."""

    at: int
    end: int
    records: dict[int, Record]


def read_block(uri: str, read: Read, at: int, size: int) -> Block:
    """The directory of the block that starts at a byte of `size`. Raises FormatError that names the
    byte."""
    if at + HEADER > size:
        raise FormatError(uri, at, "it ends inside a FLIR header", COPY_AGAIN)
    head = read(at, min(HEADER + 64 * ENTRY, size - at))
    order = _order(head[20:24])
    if head[:4] not in MAGIC or not order:
        raise FormatError(uri, at, "no block of a FLIR file begins here", COPY_AGAIN)
    start, count = struct.unpack_from(order + "II", head, 24)
    if not (start >= HEADER and 0 < count <= _MOST_RECORDS and at + start + ENTRY * count <= size):
        raise FormatError(uri, at + 24, f"it has no room for {count} records", COPY_AGAIN)
    end = start + ENTRY * count
    table = head[start:end] if end <= len(head) else read(at + start, ENTRY * count)
    found: dict[int, Record] = {}
    for entry in range(count):
        kind, _, _, _, offset, length = struct.unpack_from(order + "HHIIII", table, ENTRY * entry)
        if kind and length:
            found.setdefault(kind, Record(kind, at + offset, length))
            end = max(end, offset + length)
    return Block(at, at + end, found)


def _order(version: bytes) -> str:
    """Which order of bytes makes the version one that exists; empty where none does."""
    return next((order for order, name in (("<", "little"), (">", "big"))
                 if 100 <= int.from_bytes(version, name) < 200), "")  # type: ignore[arg-type]


class RawImage(NamedTuple):
    """The record of raw counts: the size that it announces, the order of its bytes, and what
    follows."""

    shape: tuple[int, int]
    order: str
    payload: bytes

    @property
    def coding(self) -> str:
        """How counts are packed: "png", "jpeg-ls", "jpeg" or "plain"."""
        if self.payload.startswith(_PNG):
            return "png"
        if not self.payload.startswith(_JPEG):
            return "plain"
        return "jpeg" if _jpeg_ls_frame(self.payload) is None else "jpeg-ls"


def raw_image(uri: str, record: Record, data: bytes) -> RawImage:
    """Take the record of raw counts apart; `data` are its bytes. Raises FormatError."""
    if len(data) < RAW_HEADER:
        raise FormatError(uri, record.at, "the record of raw counts is too short", COPY_AGAIN)
    order = "<" if 0 < int.from_bytes(data[:2], "little") < 0x100 else ">"
    cols, rows = struct.unpack_from(order + "HH", data, 2)
    check_frame(uri, (rows, cols), 2, offset=record.at + 2)
    return RawImage((rows, cols), order, data[RAW_HEADER:])


def decode_raw(
    uri: str, record: Record, raw: RawImage, *, swapped: bool = False
) -> NDArray[np.uint16]:
    """Counts (rows, cols) as the camera measured them. `swapped`: the bytes are in the other order
    than they claim.

    Raises FormatError with the byte where the record begins.
    """
    at = record.at + RAW_HEADER
    rows, cols = raw.shape
    if raw.coding == "plain":
        if len(raw.payload) < 2 * rows * cols:
            what = (
                f"{cols} x {rows} counts need {2 * rows * cols} bytes, the record has "
                f"{len(raw.payload)}"
            )
            raise FormatError(uri, at, what, DAMAGED)
        counts = np.frombuffer(raw.payload, raw.order + "u2", rows * cols).reshape(rows, cols)
        counts = counts.astype(np.uint16)
    else:
        try:
            counts = _unpacked(uri, raw)
        except FormatError as error:
            raise FormatError(uri, at, error.what, error.hint) from error
        if raw.coding == "png" and raw.order == "<" and counts.dtype == np.uint16:
            # The camera packs its own order of bytes as if it were that of PNG
            counts = counts.byteswap()
    return counts.byteswap() if swapped else counts


def _unpacked(uri: str, raw: RawImage) -> NDArray:
    if raw.coding == "png":
        counts = decode_png(uri, raw.payload).image
    elif raw.coding == "jpeg":
        counts = decode_jpeg(uri, raw.payload).image
    else:
        counts = _jpeg_ls(uri, raw)
    if counts.ndim != 2 or counts.dtype not in (np.uint8, np.uint16):
        raise FormatError(uri, None, "its raw counts are not one channel of up to 16 bits", DAMAGED)
    return counts.astype(np.uint16, copy=False)


def _jpeg_ls(uri: str, raw: RawImage) -> NDArray:
    """JPEG-LS, whose own header must announce the size of the record before memory is taken for
    it."""
    bits, rows, cols, samples = _jpeg_ls_frame(raw.payload) or (0, 0, 0, 0)
    if (rows, cols) != raw.shape or samples != 1 or not 2 <= bits <= 16:
        raise FormatError(
            uri,
            None,
            f"its JPEG-LS image of {cols} x {rows} pixels does not fit the record",
            DAMAGED,
        )
    check_growth(uri, 2 * rows * cols, len(raw.payload))
    with reading(uri):
        return imagecodecs.jpegls_decode(raw.payload)


def _jpeg_ls_frame(data: bytes) -> tuple[int, int, int, int] | None:
    """Bits, rows, columns and samples of a pixel that a JPEG-LS image announces; None for another
    kind of JPEG."""
    for segment in segments(io.BytesIO(data)):
        if segment.marker == JPEG_LS and segment.length >= 6 and segment.at + 6 <= len(data):
            return struct.unpack_from(">BHHB", data, segment.at)
    return None


def is_swapped(counts: NDArray[np.uint16]) -> bool:
    """Whether an image (rows, cols) is much smoother with its bytes in the other order: these are
    wrong then."""
    return _roughness(counts) > _ROUGHER * _roughness(counts.byteswap())


def _roughness(counts: NDArray) -> float:
    """How much neighbors in a row differ, in standard deviations of the image."""
    spread = float(counts.std())
    return (
        float(np.abs(np.diff(counts.astype(np.int32), axis=1)).mean()) / spread if spread else 0.0
    )


def camera_facts(data: bytes) -> tuple[dict[str, Any], Calibration | None]:
    """What the record of the camera says, plain data, and how its counts become temperatures (None:
    not said).

    Whatever is missing or no number is left out.
    """
    data = data.ljust(_CAMERA_BYTES, b"\0")
    order = "<" if 0 < int.from_bytes(data[:2], "little") < 0x100 else ">"

    def number(at: int, kind: str = "f") -> float:
        value = struct.unpack_from(order + kind, data, at)[0]
        return value if math.isfinite(value) else 0.0

    def celsius(at: int) -> float | None:
        kelvin = number(at)
        return round(kelvin - ZERO_C, 3) + 0.0 if kelvin > 0 else None

    lens, camera = (
        _words(data, 0x170, 32),
        {
            "model": _words(data, 0xD4, 32),
            "part number": _words(data, 0xF4, 16),
            "serial": _words(data, 0x104, 16),
            "software": _words(data, 0x114, 16),
        },
    )
    facts: dict[str, Any] = {
        "camera": {name: words for name, words in camera.items() if words}, "lens": lens,
        "lens serial": _words(data, 0x1A0, 16), "filter": _words(data, 0x1EC, 16),
        "field of view deg": round(number(0x1B4), 3), "focus m": round(number(0x45C), 3),
        "range degC": _pair(celsius(0x94), celsius(0x90)),
        "shown counts": _window(number(0x338, "H"), number(0x33C, "H")),
        "frame rate": int(number(0x464, "H")), "time": _time(data, order),
    }
    calibration = _calibration(number, celsius)
    if calibration is not None:
        facts |= calibration.to_dict()
    return {name: value for name, value in facts.items() if value}, calibration


def _calibration(
    number: Callable[..., float], celsius: Callable[[int], float | None]
) -> Calibration | None:
    planck = Planck(
        R1=number(0x58),
        R2=number(0x30C),
        B=number(0x5C),
        F=number(0x60),
        O=number(0x308, "i"),
        alpha1=number(0x70),
        alpha2=number(0x74),
        beta1=number(0x78),
        beta2=number(0x7C),
        X=number(0x80),
    )
    if not planck.usable:
        return None
    humidity = number(0x3C)
    usual = Scene()
    said = {
        "emissivity": number(0x20),
        "distance": number(0x24),
        "reflected": celsius(0x28),
        "air": celsius(0x2C),
        "window": celsius(0x30),
        "transmission": number(0x34),
        "humidity": humidity / 100 if humidity > 2 else humidity,
    }
    shares = ("emissivity", "transmission")
    fit = {
        name: value
        for name, value in said.items()
        if value is not None and not (name in shares and value <= 0)
    }
    fit = {name: min(value, 1.0) if name in (*shares, "humidity") else max(value, -ZERO_C)
           for name, value in fit.items()}
    fit = {name: round(value, 6) for name, value in fit.items()}
    return Calibration(
        planck,
        usual.changed({name: value for name, value in fit.items() if is_possible(name, value)}),
    )


def palette_name(data: bytes) -> str:
    """The name of the palette that the camera showed, from the record of it."""
    return _words(data, _PALETTE_NAME, 32)


def place_facts(data: bytes) -> dict[str, Any]:
    """Where the camera stood: latitude and longitude in degrees, altitude in m. Empty where it did
    not know."""
    if len(data) < _GPS_BYTES:
        return {}
    order = "<" if 0 < int.from_bytes(data[:4], "little") < 0x100 else ">"
    south, west = data[8:9] == b"S", data[10:11] == b"W"
    latitude, longitude, altitude = struct.unpack_from(order + "ddf", data, 0x10)
    known = int.from_bytes(data[:4], "little" if order == "<" else "big") == 1
    if not known or not (abs(latitude) <= 90 and abs(longitude) <= 180 and math.isfinite(altitude)):
        return {}
    return {
        "latitude": round(-abs(latitude) if south else latitude, 7),
        "longitude": round(-abs(longitude) if west else longitude, 7),
        "altitude m": round(altitude, 2),
    }


def _words(data: bytes, at: int, length: int) -> str:
    """Text up to the first zero; nothing where it is no text."""
    words = data[at : at + length].split(b"\0")[0].decode("latin-1").strip()
    return words if words.isprintable() else ""


def _pair(low: float | None, high: float | None) -> list[float]:
    return [low, high] if low is not None and high is not None and low < high else []


def _window(level: float, span: float) -> list[int]:
    """Smallest and largest count that the camera showed."""
    return [max(int(level - span / 2), 0), int(level + span / 2)] if level and span else []


def _time(data: bytes, order: str) -> str:
    """ISO 8601 with the zone, of seconds since 1970, milliseconds and minutes east of Greenwich."""
    seconds, rest, west = struct.unpack_from(order + "IIh", data, 0x384)
    if not seconds or abs(west) > 14 * 60:
        return ""
    moment = datetime.fromtimestamp(seconds, UTC) + timedelta(milliseconds=rest & 0xFFFF)
    return moment.astimezone(timezone(timedelta(minutes=-west))).isoformat(timespec="milliseconds")
