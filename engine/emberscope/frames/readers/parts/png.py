"""PNG files unpacked and checked here, so that libpng, by way of imagecodecs, is never given one
that it refuses.

The binding of imagecodecs drops a reference to None with every PNG that it cannot decode. Up to
Python 3.11 None is freed after some ten thousands of them, which ends the process.
"""

import struct
import zlib

import numpy as np

from emberscope.base.errors import FormatError
from emberscope.frames.readers.parts.base import COPY_AGAIN

SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of a pixel, by color type
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PALETTE = 3
# Bytes that say what is transparent, by color type
_CLEAR = {0: (2,), 2: (6,), _PALETTE: range(1, 257)}
_MAGIC = b"\x89PNG\r\n\x1a\n"
_FILTERS = 5
# x, y of the first pixel and steps to the next ones, of the passes of an interlaced image
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)


def harmless(uri: str, data: bytes) -> bytes:
    """The same image as a PNG that holds nothing but its pixels, palette and what is transparent,
    not packed.

    Nothing is unpacked beyond the pixels that the header announces. Raises FormatError where a
    checksum does not fit, a part is missing, or the pixels are no image: whatever libpng would
    refuse. About the time of unpacking.
    """
    if data[:8] != _MAGIC or data[12:16] != b"IHDR":
        raise _damaged(uri, 8)
    chunks = _chunks(uri, data)
    cols, rows, bits, color, packing, filtering, interlaced = struct.unpack(
        ">IIBBBBB", chunks[b"IHDR"]
    )
    if (
        bits not in _DEPTHS.get(color, ())
        or packing
        or filtering
        or interlaced > 1
        or not (rows and cols)
    ):
        raise _damaged(uri, 16)
    out = [_MAGIC, _chunk(b"IHDR", chunks[b"IHDR"])]
    palette, clear = chunks.get(b"PLTE", b""), chunks.get(b"tRNS", b"")
    if color == _PALETTE:
        if len(palette) % 3 or not 3 <= len(palette) <= 3 << bits:
            raise FormatError(uri, None, "the palette of the PNG is damaged", COPY_AGAIN)
        out.append(_chunk(b"PLTE", palette))
    if len(clear) in _CLEAR.get(color, ()) and (
        color != _PALETTE or 3 * len(clear) <= len(palette)
    ):
        out.append(_chunk(b"tRNS", clear))
    pixel_bits = bits * SAMPLES[color]
    sizes = _passes(rows, cols) if interlaced else [(rows, cols)]
    pixels = _pixels(
        uri, chunks.get(b"IDAT", b""), [(n, 1 + (m * pixel_bits + 7) // 8) for n, m in sizes]
    )
    return b"".join([*out, _chunk(b"IDAT", zlib.compress(pixels, 0)), _chunk(b"IEND", b"")])


def _chunks(uri: str, data: bytes) -> dict[bytes, bytes]:
    """What the parts hold that are looked at; the pixels may lie in many."""
    found: dict[bytes, bytes] = {}
    packed: list[bytes] = []
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 8 + length
        if kind == b"IEND":
            break
        if kind in (b"IHDR", b"PLTE", b"IDAT", b"tRNS"):
            if end + 4 > len(data):
                raise FormatError(uri, at, "the PNG ends in the middle of the image", COPY_AGAIN)
            if zlib.crc32(data[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
                raise _damaged(uri, at)
            content = data[at + 8 : end]
            packed.append(content) if kind == b"IDAT" else found.setdefault(kind, content)
        at = end + 4
    if len(found.get(b"IHDR", b"")) != 13:
        raise _damaged(uri, 8)
    return {**found, b"IDAT": b"".join(packed)}


def _pixels(uri: str, packed: bytes, passes: list[tuple[int, int]]) -> bytes:
    """The filtered rows of all passes, of (rows, bytes of a row) each."""
    wanted = sum(rows * width for rows, width in passes)
    unpack = zlib.decompressobj()
    try:
        pixels = unpack.decompress(packed, wanted + 1)
    except zlib.error as error:
        raise FormatError(
            uri, None, "the PNG is damaged: its pixels cannot be unpacked", COPY_AGAIN
        ) from error
    if len(pixels) < wanted:
        raise FormatError(uri, len(packed), "the PNG ends in the middle of the image", COPY_AGAIN)
    if len(pixels) > wanted or not unpack.eof:
        raise FormatError(
            uri, None, "the PNG is damaged: it holds other pixels than it announces", COPY_AGAIN
        )
    values, at = np.frombuffer(pixels, np.uint8), 0
    for rows, width in passes:
        if rows and values[at : at + rows * width : width].max() >= _FILTERS:
            raise FormatError(
                uri, None, "the PNG is damaged: a row is filtered in an unknown way", COPY_AGAIN
            )
        at += rows * width
    return pixels


def _passes(rows: int, cols: int) -> list[tuple[int, int]]:
    """Rows and columns of the passes of an interlaced image, without those that hold nothing."""
    sizes = [(-(-(rows - y) // down), -(-(cols - x) // right)) for x, y, right, down in _PASSES]
    return [(n, m) for n, m in sizes if n > 0 and m > 0]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def _damaged(uri: str, at: int) -> FormatError:
    return FormatError(uri, at, "the PNG is damaged", COPY_AGAIN)
