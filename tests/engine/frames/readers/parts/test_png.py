"""PNG files that cannot be decoded never reach libpng; whole ones come out as libpng decodes
them."""

import gc
import io
import struct
import sys
import zlib
from fractions import Fraction

import av
import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.readers.parts.png import harmless
from emberscope.frames.readers.still import decode_png

GRAY = (np.arange(12 * 16).reshape(12, 16) * 37 % 251).astype(np.uint8)
DEEP = GRAY.astype(np.uint16) * 257 + 3
ONE_PIXEL = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels, header=ONE_PIXEL, *others):
    packed = chunk(b"IDAT", zlib.compress(pixels))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + b"".join(others)
        + packed
        + chunk(b"IEND", b"")
    )


def by_pillow(mode, **options):
    memory = io.BytesIO()
    Image.fromarray(GRAY).convert(mode).save(memory, "PNG", **options)
    return memory.getvalue()


def interlaced(format, image):
    encoder = av.CodecContext.create("png", "w")
    encoder.height, encoder.width, encoder.pix_fmt = image.shape[0], image.shape[1], format
    encoder.time_base = Fraction(1, 25)
    encoder.flags |= av.codec.context.Flags.interlaced_dct
    return b"".join(
        bytes(packet) for packet in encoder.encode(av.VideoFrame.from_ndarray(image, format))
    )


WHOLE = {
    "gray": lambda: imagecodecs.png_encode(GRAY),
    "16-bit gray": lambda: imagecodecs.png_encode(DEEP),
    "color": lambda: imagecodecs.png_encode(np.dstack([GRAY, GRAY // 2, GRAY // 3])),
    "16-bit color": lambda: imagecodecs.png_encode(np.dstack([DEEP, DEEP // 2, DEEP // 3])),
    "16-bit color, transparent": lambda: imagecodecs.png_encode(np.dstack([DEEP, DEEP // 2,
                                                                           DEEP // 3, DEEP])),
    "bits": lambda: by_pillow("1"), "palette": lambda: by_pillow("P"),
    "palette of 4": lambda: by_pillow("P", bits=2),
    "transparent palette": lambda: by_pillow("P", transparency=3),
    "transparent gray": lambda: by_pillow("LA"),
    "interlaced": lambda: interlaced("gray", GRAY), "interlaced color": lambda: interlaced(
        "rgb24", np.dstack([GRAY, GRAY // 2, GRAY // 3])),
}  # fmt: skip


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_image_is_the_same_after_it_was_checked(kind):
    data = WHOLE[kind]()
    np.testing.assert_array_equal(
        imagecodecs.png_decode(harmless("a.png", data)), imagecodecs.png_decode(data)
    )


def test_what_is_called_interlaced_here_is():
    assert interlaced("gray", GRAY)[28] == 1


DAMAGED = {
    "a filter that does not exist": png(b"\5\0"),
    "too few pixels": png(b"\0"),
    "too many pixels": png(b"\0\0\0"),
    "no pixels": png(b"\0\0").replace(b"IDAT", b"eDAT"),
    "no packed pixels": png(b"\0\0").replace(b"\x78\x9c", b"\0\0"),
    "an end in the middle": imagecodecs.png_encode(GRAY)[:-40],
    "only the header": imagecodecs.png_encode(GRAY)[:33],
    "a color that does not exist": png(b"\0\0", struct.pack(">IIBBBBB", 1, 1, 8, 5, 0, 0, 0)),
    "a depth that does not exist": png(b"\0\0", struct.pack(">IIBBBBB", 1, 1, 4, 6, 0, 0, 0)),
    "no palette": png(b"\0\0", struct.pack(">IIBBBBB", 1, 1, 8, 3, 0, 0, 0)),
    "a palette of 2 bytes": png(
        b"\0\0", struct.pack(">IIBBBBB", 1, 1, 8, 3, 0, 0, 0), chunk(b"PLTE", b"\0\0")
    ),
    "another checksum": imagecodecs.png_encode(GRAY)[:-20] + b"\0" * 20,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_image_is_refused_before_it_is_decoded(damage, monkeypatch):
    monkeypatch.setattr(imagecodecs, "png_decode", lambda data: pytest.fail("it was decoded"))
    with pytest.raises(FormatError, match=r"a\.png"):
        decode_png("a.png", DAMAGED[damage])


def test_text_that_unpacks_to_gigabytes_is_not_unpacked(monkeypatch):
    text = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(1 << 20)))
    assert b"zTXt" not in harmless("a.png", png(b"\0\7", ONE_PIXEL, text))


def refuse_many(path):
    """By how much references to None change where a file is refused 40 times."""

    def read():
        with pytest.raises(FormatError), open_source(path) as source:
            source.read(0)

    read()
    gc.collect()
    before = sys.getrefcount(None)
    for _ in range(40):
        read()
    gc.collect()
    return sys.getrefcount(None) - before


OTHERS = {
    "a.jpg": imagecodecs.jpeg_encode(GRAY)[:160] + b"\xff\xd9", "a.gif": b"GIF89a" + b"\1" * 40,
    "a.webp": b"RIFF\x20\0\0\0WEBPVP8 " + b"\1" * 40, "a.jp2": imagecodecs.jpeg2k_encode(GRAY)[:90],
}  # fmt: skip


@pytest.mark.parametrize("damage", [*DAMAGED, *OTHERS])
def test_no_image_that_is_refused_costs_a_reference_to_none(damage, tmp_path):
    path = tmp_path / (damage if damage in OTHERS else "a.png")
    path.write_bytes(OTHERS.get(damage) or DAMAGED[damage])
    assert refuse_many(path) > -20


@pytest.mark.parametrize(
    "packing", ["png", "zlib", "lzw", "jpeg", "jpeg2000", "lzma", "zstd", "jpegxr", "jpegxl"]
)
def test_no_page_that_is_refused_costs_a_reference_to_none(packing, tmp_path):
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, GRAY, compression=packing, photometric="minisblack")
    with tifffile.TiffFile(path) as file:
        (at,), (size,) = file.pages[0].dataoffsets, file.pages[0].databytecounts
    data = path.read_bytes()
    kept = size // 2 if packing == "png" else 4
    path.write_bytes(data[: at + kept] + b"\xff" * (size - kept) + data[at + size :])
    assert refuse_many(path) > -20
