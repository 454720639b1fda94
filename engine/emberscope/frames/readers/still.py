"""Single PNG and JPEG images of every mode, down to one channel; 16-bit gray stays uint16."""

import io
import struct
from typing import ClassVar

import imagecodecs
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth, read_bytes
from emberscope.frames.readers.parts.base import COPY_AGAIN, Source, check_frame, reading
from emberscope.frames.readers.parts.gray import COLOR_WARNING, Gray, one_channel
from emberscope.frames.readers.parts.mpf import JpegImage, images_in
from emberscope.frames.readers.parts.png import SAMPLES, harmless
from emberscope.frames.turning import jpeg_turn, png_turn, upright

ADOBE = b"Adobe"
# Bytes of an image never look like this; the decoder would fill the rest with gray
JPEG_END = b"\xff\xd9"


def png_size(uri: str, data: bytes) -> tuple[tuple[int, int], np.dtype]:
    """(rows, cols) and gray dtype of a PNG from its first 33 bytes. Raises FormatError for a
    damaged header."""
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise FormatError(uri, 8, "the PNG header is damaged", COPY_AGAIN)
    cols, rows, bits, color = struct.unpack_from(">IIBB", data, 16)
    if color not in SAMPLES or bits not in (1, 2, 4, 8, 16):
        raise FormatError(uri, 24, "the PNG header is damaged", COPY_AGAIN)
    check_frame(uri, (rows, cols, 4), 2 if bits == 16 else 1, offset=16)
    return (rows, cols), np.dtype(np.uint16 if bits == 16 else np.uint8)


def jpeg_size(uri: str, data: bytes) -> tuple[tuple[int, int], np.dtype]:
    """(rows, cols) and dtype of a JPEG: a walk over its markers to the start of frame.

    Raises FormatError where there is none.
    """
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        # Fill bytes and markers without a length
        if marker == 0xFF or marker == 1 or 0xD0 <= marker <= 0xD7:
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            bits, rows, cols = struct.unpack_from(">BHH", data, at + 4)
            check_frame(uri, (rows, cols, 4), 1, offset=at + 5)
            return (rows, cols), np.dtype(np.uint8 if bits == 8 else np.uint16)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    raise FormatError(uri, at, "the JPEG ends before its frame header", COPY_AGAIN)


def decode_png(uri: str, data: bytes, band: int | None = None) -> Gray:
    """One channel of a PNG, the one that is asked for or its luminance; 1, 2 and 4-bit gray are
    stretched to 8 bit, a palette is resolved."""
    (rows, cols), dtype = png_size(uri, data)
    check_growth(uri, rows * cols * dtype.itemsize * SAMPLES[data[25]], len(data))
    with reading(uri):
        gray = one_channel(uri, imagecodecs.png_decode(harmless(uri, data)), band)
    return gray


def decode_jpeg(uri: str, data: bytes, band: int | None = None) -> Gray:
    """One channel of a JPEG, likewise: baseline, progressive, CMYK or 12-bit. Raises FormatError
    where the data end early."""
    (rows, cols), dtype = jpeg_size(uri, data)
    check_growth(uri, rows * cols * dtype.itemsize * 3, len(data))
    if JPEG_END not in data:
        raise FormatError(uri, len(data), "the JPEG ends in the middle of the image", COPY_AGAIN)
    with reading(uri):
        image = imagecodecs.jpeg_decode(data)
        if image.ndim == 3 and image.shape[2] == 4:
            image = _ink_to_light(image, inverted=ADOBE in data[:65536])
        gray = one_channel(uri, image, band)
    return gray


def _ink_to_light(cmyk: NDArray, *, inverted: bool) -> NDArray:
    """CMYK to RGB without color management. Adobe writes light (255 - ink), others ink."""
    light = cmyk.astype(np.float32) if inverted else 255 - cmyk.astype(np.float32)
    return np.rint(light[..., :3] * light[..., 3:] / 255).astype(np.uint8)


def still_turn(data: bytes) -> int:
    """How the image of a PNG or JPEG is to be turned, from its bytes."""
    return png_turn(io.BytesIO(data)) if data.startswith(b"\x89PNG") else jpeg_turn(data)


class _Still(Source):
    """One image, decoded when opened."""

    n_frames = 1
    turns = True
    accepts: ClassVar[tuple[str, ...]] = ("band",)

    def _open(self) -> None:
        data = read_bytes(self.path)
        gray = self._decode(data)
        self._turn = still_turn(data)
        self._image, self._alpha = gray.image, gray.alpha
        self._image.flags.writeable = False
        self.shape, self.dtype = self._image.shape, self._image.dtype
        if self.dtype == np.uint8:
            self.bit_depth, self.units = 8, "display8"
        if gray.colored:
            self.units = "display8"
            self.warnings.append(COLOR_WARNING)
        if gray.bands > 1:
            self._facts["bands"] = gray.bands

    def _decode(self, data: bytes) -> Gray:
        raise NotImplementedError

    def _read(self, index: int) -> NDArray:
        return self._image

    def valid_mask(self) -> NDArray[np.bool_] | None:
        """False where the image is fully transparent; None where it nowhere is."""
        if self._alpha is None or self._alpha.all():
            return None
        return upright(self._alpha > 0, self._turn)


class PngSource(_Still):
    """A PNG of any mode as one frame."""

    format = "png"

    def _decode(self, data: bytes) -> Gray:
        return decode_png(self.uri, data, self.options.get("band"))


class JpegSource(_Still):
    """A JPEG of any mode: one frame, or all images of its size in a file of several (MPO), but for
    reduced versions.

    Its only `dataset` is "display"; radiometric ones have a reader of their own.
    """

    format = "jpeg"
    accepts: ClassVar[tuple[str, ...]] = ("dataset", "band")

    def _decode(self, data: bytes) -> Gray:
        asked = self.options.get("dataset", "display")
        if asked != "display":
            raise FormatError(self.uri, None, f"it has no image {asked}", "It has display only.")
        self._starts = [0]
        inside = images_in(io.BytesIO(data))
        if inside:
            self._data = data
            self._starts = frames_inside(self.uri, data, inside)
            self.n_frames = len(self._starts)
            left = len(inside) - self.n_frames
            if left:
                which = "1 image is" if left == 1 else f"{left} images are"
                self.warnings.append(f"{which} left out, of another size or a preview.")
        return decode_jpeg(self.uri, data, self.options.get("band"))

    def _read(self, index: int) -> NDArray:
        if not index:
            return self._image
        data = self._data[self._starts[index] :]
        image = decode_jpeg(self.uri, data, self.options.get("band")).image
        return image.astype(self.dtype, copy=False)


def frames_inside(uri: str, data: bytes, inside: list[JpegImage]) -> list[int]:
    """Where the images begin that are frames: as large as the first one, and no reduced versions of
    another."""
    first, _ = jpeg_size(uri, data)
    starts = [0]
    for one in inside[1:]:
        if one.preview or one.at + 4 > len(data):
            continue
        try:
            size, _ = jpeg_size(uri, data[one.at :])
        except FormatError:
            continue
        if size == first:
            starts.append(one.at)
    return starts
