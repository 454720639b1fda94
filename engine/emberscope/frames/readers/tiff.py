"""TIFF and BigTIFF: one page or many, 8/16/32-bit or float, compressed, tiled, striped, palette or
color."""

import logging
import math
import re
import struct
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tifffile
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth, open_to_read
from emberscope.frames.readers.parts.base import (
    COPY_AGAIN,
    MAX_FRAME_BYTES,
    Source,
    check_frame,
    native_dtype,
    to_read,
)
from emberscope.frames.readers.parts.gray import COLOR_WARNING, check_band, luminance, to_gray
from emberscope.frames.readers.parts.nodata import blank, blank_dtype, no_data_note, number_of
from emberscope.frames.readers.parts.plain import PlainFile
from emberscope.frames.readers.parts.png import harmless
from emberscope.frames.turning import ORIENTATION

# tifffile logs what it finds odd; the log panel may show that, standard error never does.
# Tags: whether an image is a reduced version of another; GDAL's value of "no data"
SUBFILE, NO_DATA = 254, 42113
_DESCRIBED = 1 << 16  # letters of a description that are looked at
_CHANNELS = re.compile(r"""\bSizeC\s*=\s*"(\d{1,4})"|^channels=(\d{1,4})\s*$""", re.MULTILINE)
UNNAMED = 0  # a sample beside color or gray that is not opacity
WHITE_IS_ZERO = (
    "It says that 0 is white; counts are read as stored, so what looks bright "
    "elsewhere is low here."
)
logging.getLogger("tifffile").addHandler(logging.NullHandler())


class TiffSource(Source):
    """The first image series of a TIFF, and every further one of the same size and type, as frames.

    Frames of uncompressed series are read where they lie; other pages are decoded one at a time.
    Color is reduced to luminance. `band`: which of several bands is read as counts, from 1; by
    default color or the first, with a note.
    """

    format = "tiff"
    turns = True
    accepts: ClassVar[tuple[str, ...]] = ("band",)
    _plain: PlainFile | None = None

    def _open(self) -> None:
        whole = _page_list_is_whole(self.uri, self.path)
        # What microscopes write about planes, or an index beside the file, is not looked at: it
        # names other files, and counts that would be believed.
        self._file = tifffile.TiffFile(
            self.path, _multifile=False, is_ome=False, is_micromanager=False
        )
        self._file.is_ndtiff = False
        measured = self._without_previews()
        first = measured[0]
        alike = [
            s
            for s in measured
            if (s.shape, s.dtype, s.axes) == (first.shape, first.dtype, first.axes)
        ]
        if len(alike) < len(measured):
            left = len(measured) - len(alike)
            self.warnings.append(
                f"It holds {left} more image series of another size or type, which are left out."
            )
        self._stored = np.dtype(first.dtype)
        self._samples = first.shape[first.axes.index("S")] if "S" in first.axes else 1
        # `sizes` names them "height" and "width" in some versions only
        sides = dict(zip(first.axes, first.shape))
        self.shape = (sides["Y"], sides["X"])
        self.dtype = native_dtype(self.uri, self._stored)
        check_frame(self.uri, (*self.shape, self._samples), self._stored.itemsize)
        for pixels in (
            self.shape[0] * self.shape[1] * self._samples,
            math.prod(first.keyframe.chunks),
        ):
            check_growth(self.uri, pixels * self._stored.itemsize, self.path.stat().st_size)
        self._stored_shape, self._turn = self.shape, _turn(first.keyframe)
        self._palette = _palette(first.keyframe)
        self._frames: Any = None
        self._pages: list[Any] = []
        self._find_frames(alike)
        if not whole and not self.truncated:
            self.truncated = True
            self.warnings.append(f"Its list of pages breaks off; {self.n_frames} can be used.")
        self._describe(first.keyframe)

    def _without_previews(self) -> list[Any]:
        """The series of images that are not reduced versions of another one, which the file marks
        as such."""
        every = self._file.series
        measured = [
            series for series in every if not (_number(series.keyframe, SUBFILE) or 0) & 1
        ] or list(every)
        if len(measured) < len(every):
            count = len(every) - len(measured)
            self.warnings.append(
                "1 preview is left out." if count == 1 else f"{count} previews are left out."
            )
        return measured

    def _find_frames(self, alike: list[Any]) -> None:
        """Decide how frames are reached: by their place in the file, the pages, or the whole series
        in memory."""
        first = alike[0]
        planar = "S" in first.axes and not first.axes.endswith("S")
        in_series = int(np.prod(first.shape, dtype=object)) // (
            self.shape[0] * self.shape[1] * self._samples
        )
        if len(alike) == 1 and first.dataoffset is not None and not planar:
            self._lay_out(first, in_series)
        elif len(first.pages) == in_series:
            self._pages = [page for series in alike for page in series.pages]
            self.n_frames = self._whole_pages()
        else:
            if int(np.prod(first.shape, dtype=object)) * self._stored.itemsize > MAX_FRAME_BYTES:
                raise FormatError(
                    self.uri, None, "its volume exceeds 2 GiB", "Save it with one page per frame."
                )
            check_growth(self.uri, first.nbytes, self.path.stat().st_size, what="a volume")
            for page in first.pages:
                self._refuse_damaged_png(page)
            self._frames = self._stacked(first.asarray(), first.axes)
            self.n_frames = len(self._frames)

    def _lay_out(self, series: Any, promised: int) -> None:
        size = self.path.stat().st_size
        frame = self._stored.itemsize * self.shape[0] * self.shape[1] * self._samples
        self.n_frames = min(promised, max(size - series.dataoffset, 0) // frame)
        if self.n_frames < promised:
            self._cut_short(self.n_frames, promised)
        self._plain, self._start, self._frame_bytes = PlainFile(self.path), series.dataoffset, frame

    def _whole_pages(self) -> int:
        """How many leading pages lie inside the file."""
        size = self.path.stat().st_size
        for count in range(len(self._pages), 0, -1):
            if _lies_inside(self._pages[count - 1], size):
                break
        else:
            count = 0
        if count < len(self._pages):
            self._cut_short(count, len(self._pages))
        return count

    def _stacked(self, array: NDArray, axes: str) -> NDArray:
        """Any array that ends in rows and columns as (n, rows, cols[, samples])."""
        if "S" in axes:
            array = np.moveaxis(array, axes.index("S"), -1)
            return array.reshape(-1, *self._stored_shape, self._samples)
        return array.reshape(-1, *self._stored_shape)

    def _describe(self, page: Any) -> None:
        self._facts = {
            "compression": _name(page.compression),
            "photometric": _name(page.photometric),
        }
        if self._samples > 1:
            self._facts["bands"] = self._samples
        channels = _channels(page)
        if channels > 1 and self.n_frames > 1:
            self.warnings.append(
                f"It says that its {self.n_frames} pages are {channels} channels in turn; each "
                "page is a frame."
            )
        if self.dtype == np.uint8:
            self.bit_depth = 8
        if self._palette is not None:
            self.dtype, self.bit_depth = np.dtype(np.uint8), 8
        self._band = self._chosen_band(page)
        if self._palette is not None or (self._samples > 2 and not isinstance(self._band, int)):
            self.units = "display8"
            if self._palette is not None or to_gray(self._raw(0)[..., self._band]).colored:
                self.warnings.append(COLOR_WARNING)
        if self._facts["photometric"] == "MINISWHITE":
            self.warnings.append(WHITE_IS_ZERO)
        self._blank = (
            _no_data(page, self._stored)
            if self._palette is None and self._stored.kind in "uif"
            else None
        )
        if self._blank is not None:
            self.dtype = blank_dtype(self.dtype)
            self.warnings.append(no_data_note(self._blank))

    def _chosen_band(self, page: Any) -> int | slice:
        """Which samples of a pixel are read: one band as counts, or those that are colors (with
        opacity)."""
        asked, count = self.options.get("band"), self._samples
        if asked is not None:
            check_band(self.uri, asked, count)
            return asked - 1 if count > 1 else slice(None)
        extra = [int(kind) for kind in page.extrasamples]
        if UNNAMED not in extra:
            return slice(None)
        color = count - len(extra) >= 3
        read = "color, from bands 1 to 3, is" if color else "band 1 is"
        self.warnings.append(
            f"It has {count} bands: {read} read, the others are left out. "
            f"{to_read('the last one', f'--band {count}')}")
        return slice(0, 3) if color else 0

    def _raw(self, index: int) -> NDArray:
        if self._plain is not None:
            shape = (
                self._stored_shape if self._samples == 1 else (*self._stored_shape, self._samples)
            )
            disk = self._stored.newbyteorder(self._file.byteorder)
            return self._plain.read_array(self._start + index * self._frame_bytes, disk, shape)
        if self._frames is not None:
            return self._frames[index]
        page = self._pages[index]
        # Else tifffile allocates whatever the page promises
        if not _lies_inside(page, self.path.stat().st_size):
            raise FormatError(
                self.uri, None, f"frame {index + 1} lies beyond the end of the file", COPY_AGAIN
            )
        self._refuse_damaged_png(page)
        frame = page.asarray()
        return self._stacked(frame, page.axes)[0] if "S" in page.axes else frame

    def _refuse_damaged_png(self, page: Any) -> None:
        """Of pages that are packed as PNG: the decoder must not see what it cannot decode, see
        `_png`."""
        if page is None or page.compression != tifffile.COMPRESSION.PNG:
            return
        with open_to_read(self.path) as file:
            for offset, count in zip(page.dataoffsets, page.databytecounts):
                file.seek(offset)
                if count:
                    harmless(self.uri, file.read(count))

    def _read(self, index: int) -> NDArray:
        frame = self._raw(index)
        if self._palette is not None:
            return self._palette[frame.astype(np.uint8) if frame.dtype == np.bool_ else frame]
        if self._samples > 1:
            frame = frame[..., self._band]
        image = to_gray(frame).image
        if self._blank is None:
            return image
        return blank(
            image, frame == self._blank if frame.ndim == 2 else (frame == self._blank).all(axis=-1)
        )

    def _close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()
        if self._plain is not None:
            self._plain.close()
        self._frames, self._pages = None, []


def _page_list_is_whole(uri: str, path: Path) -> bool:
    """Walk the chain of page directories: False where it leaves the file, FormatError where it runs
    in a circle.

    tifffile notices only small circles, and follows a large one for hours.
    """
    with path.open("rb") as file:

        def number(kind: str, at: int) -> int:
            file.seek(at)
            return struct.unpack(order + kind, file.read(struct.calcsize(order + kind)))[0]

        order = "<" if file.read(2) == b"II" else ">"
        big = number("H", 2) == 43
        count, entry, pointer = ("Q", 20, "Q") if big else ("H", 12, "I")
        at = number(pointer, 8 if big else 4)
        seen: set[int] = set()
        while at:
            if at in seen:
                raise FormatError(
                    uri,
                    at,
                    f"its list of pages runs in a circle after {len(seen)} pages",
                    COPY_AGAIN,
                )
            seen.add(at)
            try:
                entries = number(count, at)
                at = number(pointer, at + struct.calcsize(order + count) + entries * entry)
            except (struct.error, OverflowError, OSError, ValueError):
                return False
    return True


def _channels(page: Any) -> int:
    """How many channels the pages are of, by what microscope programs write about them; 1 where
    nothing says so."""
    words = str(page.description or "")[:_DESCRIBED]
    found = _CHANNELS.search(words)
    return int(next(filter(None, found.groups()))) if found else 1


def _lies_inside(page: Any, size: int) -> bool:
    """Whether all that a page reads lies in a file of `size` bytes."""
    return page is not None and all(
        o + b <= size for o, b in zip(page.dataoffsets, page.databytecounts)
    )


def _turn(page: Any) -> int:
    """How the image of a page is to be turned."""
    turn = _number(page, ORIENTATION)
    return turn if turn is not None and 1 <= turn <= 8 else 1


def _number(page: Any, tag: int) -> int | None:
    """The value of a tag that holds one whole number, None where there is none."""
    found = page.tags.get(tag)
    return int(found.value) if found is not None and isinstance(found.value, int) else None


def _no_data(page: Any, dtype: np.dtype) -> np.generic | None:
    """The value that the file marks as "no data", as a number of this type; None where it marks
    none that can occur."""
    found = page.tags.get(NO_DATA)
    try:
        value = float(str(found.value).strip("\0 ")) if found is not None else math.nan
    except ValueError:
        return None
    return number_of(value, dtype)


def _palette(page: Any) -> NDArray[np.uint8] | None:
    """Palette index to luminance, or None for pages without a palette."""
    colormap = getattr(page, "colormap", None)
    if colormap is None or _name(page.photometric) != "PALETTE":
        return None
    return luminance((np.asarray(colormap).T >> 8).astype(np.uint8))


def _name(code: Any) -> str:
    """Name of an enumerated TIFF value; tifffile leaves codes it does not know as integers."""
    return getattr(code, "name", str(code))
