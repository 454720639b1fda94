"""Images that Pillow decodes and no other reader does: BMP, GIF, WebP, PGM, JPEG 2000, animated PNG
and others."""

import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth, open_to_read, read_bytes
from emberscope.frames.readers.parts.base import Source, check_frame, reading
from emberscope.frames.readers.parts.gray import COLOR_WARNING, Gray, check_band, one_channel
from emberscope.frames.turning import exif_turn, upright

if TYPE_CHECKING:
    from PIL.Image import Image

# Decoders that only look at pixels. Left out are those that run other programs (EPS, WMF), and
# containers with readers of their own here or elsewhere (TIFF, HDF5, FITS).
DECODERS = (
    "AVIF",
    "BMP",
    "DIB",
    "GIF",
    "JPEG2000",
    "PCX",
    "PNG",
    "PPM",
    "QOI",
    "SGI",
    "SUN",
    "TGA",
    "WEBP",
)
_WIDE = {"I;16": np.uint16, "I;16B": np.uint16, "I;16L": np.uint16, "I": np.int32, "F": np.float32}
_TAIL = 1 << 12  # bytes at the end in which an animation says that it ends
_MOST_PIXELS = 1 << 30  # of all frames of an animation: each is made from those before it
_SPLIT = "Save them as a folder of images, or as TIFF."
_PNM = re.compile(rb"P[2356](?:\s|#[^\n]*\n)+\d+(?:\s|#[^\n]*\n)+\d+(?:\s|#[^\n]*\n)+(\d+)\s")


class ImageFacts(NamedTuple):
    """What the header of an image says: number of frames, (rows, cols) as stored and gray dtype of
    each, and how they are to be turned."""

    n_frames: int
    shape: tuple[int, int]
    dtype: np.dtype
    turn: int = 1


def image_facts(path: Path) -> ImageFacts:
    """The facts of an image, without decoding its pixels. Raises FormatError."""
    with reading(str(path)), _opened(path) as image:
        return _facts_of(path, image)


class ImageSource(Source):
    """An image as one frame, an animation as its frames, down to one channel.

    16-bit gray stays uint16 and PGM keeps its counts whatever its largest value; float stays
    float32; palettes and color become luminance.
    """

    format = "image"
    turns = True
    accepts: ClassVar[tuple[str, ...]] = ("band",)

    def _open(self) -> None:
        self._image = _opened(self.path)
        self.n_frames, self.shape, self.dtype, self._turn = _facts_of(self.path, self._image)
        self._largest = _largest_count(self.path) if self._image.format == "PPM" else None
        if self._image.format == "PPM" and (more := _images_after(self.path, self.shape)):
            s = "s" if more > 1 else ""
            self.warnings.append(
                f"{more} more image{s} of the same size after the first: left out. {_SPLIT}"
            )
        self._facts = {"decoder": self._image.format}
        if self.n_frames > 1 and _ends_early(self.path):
            whole = self._whole_frames()
            self._cut_short(whole, self.n_frames)
            self.n_frames = whole
        first = self._gray(0)
        self._alpha = first.alpha
        if self.dtype == np.uint8:
            self.bit_depth, self.units = 8, "display8"
        elif self._largest:
            self.bit_depth = int(self._largest).bit_length()
        if first.colored:
            self.warnings.append(COLOR_WARNING)
        if first.bands > 1:
            self._facts["bands"] = first.bands

    def _whole_frames(self) -> int:
        """How many frames of an animation can be read, from the first on."""
        for index in range(self.n_frames):
            try:
                self._gray(index)
            except (OSError, EOFError, SyntaxError, ValueError):
                return max(index, 1)
        return self.n_frames

    def _gray(self, index: int) -> Gray:
        self._image.seek(index)
        mode = self._image.mode
        if mode in (*_WIDE, "1", "L") and (band := self.options.get("band")) is not None:
            check_band(self.uri, band, 1)
        if mode in _WIDE:
            return Gray(_counts(np.asarray(self._image), self.dtype, self._largest))
        if mode in ("1", "L"):
            return Gray(_counts(np.asarray(self._image.convert("L")), self.dtype, self._largest))
        clear = mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in self._image.info
        image = np.asarray(self._image.convert("RGBA" if clear else "RGB"))
        return one_channel(self.uri, image, self.options.get("band"))

    def _read(self, index: int) -> NDArray:
        return self._gray(index).image

    def valid_mask(self) -> NDArray[np.bool_] | None:
        """False where the first frame is fully transparent; None where it nowhere is, and for
        animations."""
        if self._alpha is None or self.n_frames > 1 or self._alpha.all():
            return None
        return upright(self._alpha > 0, self._turn)

    def _close(self) -> None:
        if "_image" in self.__dict__:
            self._image.close()


def _opened(path: Path) -> "Image":
    """The image in a file, read at once. Of a path Pillow would map what is not compressed, which
    ends the process where the file shrinks."""
    from PIL import Image, UnidentifiedImageError

    # A header may ask for more than there is; of a file Python takes memory first
    data = io.BytesIO(read_bytes(path))
    try:
        with warnings.catch_warnings():
            # Sizes are checked here
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return Image.open(data, formats=DECODERS)
    except UnidentifiedImageError as error:
        raise FormatError(
            str(path), 0, "it holds no image that can be read", "Check what file it is."
        ) from error


def _ends_early(path: Path) -> bool:
    """Whether the mark at the end of an animation is missing."""
    with open_to_read(path) as file:
        head = file.read(12)
        file.seek(max(path.stat().st_size - _TAIL, 0))
        tail = file.read()
    if head.startswith(b"GIF8"):
        return not tail.rstrip(b"\0").endswith(b";")
    if head.startswith(b"\x89PNG"):
        return b"IEND" not in tail
    if head[8:12] == b"WEBP":
        return int.from_bytes(head[4:8], "little") + 8 > path.stat().st_size
    return False


def _facts_of(path: Path, image: "Image") -> ImageFacts:
    cols, rows = image.size
    check_frame(str(path), (rows, cols, 4), 4)
    check_growth(str(path), rows * cols * 4, path.stat().st_size)
    dtype = np.dtype(_WIDE.get(image.mode, np.uint8))
    if image.format == "PPM" and image.mode == "I":
        dtype = np.dtype(np.uint16)
    n_frames = getattr(image, "n_frames", 1)
    if n_frames > 1 and n_frames * rows * cols > _MOST_PIXELS:
        what = (
            f"an animation of {n_frames} frames of {cols} x {rows} pixels takes too long to be "
            "looked through"
        )
        raise FormatError(str(path), None, what, "Save it as a video, or as a folder of images.")
    return ImageFacts(n_frames, (rows, cols), dtype, exif_turn(image.info.get("exif") or b""))


def _largest_count(path: Path) -> int | None:
    """The largest count that the header of a PGM or PPM names."""
    with open_to_read(path) as file:
        found = _PNM.match(file.read(4096))
    return int(found.group(1)) if found else None


def _images_after(path: Path, shape: tuple[int, int]) -> int:
    """How many more images of this size a binary PGM or PPM has room for after its first one."""
    with open_to_read(path) as file:
        found = _PNM.match(head := file.read(4096))
    if not found or head[:2] not in (b"P5", b"P6"):
        return 0
    deep = 2 if int(found.group(1)) > 255 else 1
    image = found.end() + shape[0] * shape[1] * deep * (3 if head[:2] == b"P6" else 1)
    return max(path.stat().st_size // image - 1, 0)


def _counts(image: NDArray, dtype: np.dtype, largest: int | None) -> NDArray:
    """Counts as stored: the decoder stretches a PGM to 255 or 65535, which can be taken back
    without loss."""
    full = 65535 if dtype == np.uint16 else 255
    if largest is None or largest == full:
        return image.astype(dtype, copy=False)
    return np.rint(image * (largest / full)).astype(dtype)
