"""NumPy arrays of frames: NPY one frame at a time, NPZ one member at a time. Never unpickles."""

import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth
from emberscope.frames.readers.parts.axes import HINT, LONG, layout, others_note
from emberscope.frames.readers.parts.base import (
    COPY_AGAIN,
    MAX_FRAME_BYTES,
    Source,
    check_frame,
    native_dtype,
)
from emberscope.frames.readers.parts.gray import COLOR_WARNING, bands_of, check_band, one_channel
from emberscope.frames.readers.parts.nodata import blank
from emberscope.frames.readers.parts.plain import PlainFile

# The attributes of a masked array of NumPy, which its parts are saved by
DATA, MASK = "data", "mask"
MAX_HEADER = 1 << 16  # bytes; that of an array of numbers has some hundred


def npy_header(file: BinaryIO) -> tuple[tuple[int, ...], np.dtype, bool]:
    """Shape, dtype and Fortran order that an NPY file or member announces. Raises ValueError."""
    with _quiet():
        version = npy_format.read_magic(file)
        length = file.read(2 if version == (1, 0) else 4)
        # Memory is taken for it before it is read
        if int.from_bytes(length, "little") > MAX_HEADER:
            raise ValueError(f"a header of more than {MAX_HEADER} bytes")
        file.seek(-len(length), 1)
        read = (
            npy_format.read_array_header_1_0
            if version == (1, 0)
            else npy_format.read_array_header_2_0
        )
        try:
            shape, fortran, dtype = read(file)
        except (tokenize.TokenError, SyntaxError, TypeError, RecursionError) as error:
            raise ValueError("its header is damaged") from error
    return shape, dtype, fortran


@contextmanager
def _quiet() -> Iterator[None]:
    """NumPy warns about headers written by Python 2; nobody can do anything about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Array(Source):
    """`axis`: the axis that counts frames, from 0; by default the shape tells, and a note says what
    was taken."""

    accepts: ClassVar[tuple[str, ...]] = ("axis", "band")

    def _describe(self, shape: tuple[int, ...], dtype: np.dtype, what: str = "it") -> None:
        if dtype.hasobject:
            raise FormatError(
                self.uri, None, f"{what} holds Python objects, which are never loaded", HINT
            )
        self.dtype = native_dtype(self.uri, dtype)
        self._layout = layout(self.uri, shape, axis=self.options.get("axis"), what=what)
        self.n_frames, self.shape = self._layout.n_frames, self._layout.size
        samples = self._layout.n_samples
        check_band(self.uri, self.options.get("band", 1), bands_of(samples))
        check_frame(self.uri, (*self.shape, samples), dtype.itemsize)
        self._facts = {"stored_shape": list(shape)}
        if self._layout.note:
            self.warnings.append(self._layout.note)
        elif may_be_rows(shape, dtype):
            self.warnings.append(rows_note(self.path.name, shape))
        if self._layout.samples is not None:
            self.units = "display8"
            self._facts["bands"] = bands_of(samples)
            if "band" not in self.options:
                self.warnings.append(COLOR_WARNING)
        if self.dtype == np.uint8:
            self.bit_depth = 8

    def _stored(self, index: int) -> NDArray:
        raise NotImplementedError

    def _read(self, index: int) -> NDArray:
        return one_channel(self.uri, self._stored(index), self.options.get("band")).image


# Beside X in a point set
_WITH_POINTS = {"y", "bag", "bag_y", "bag_class", "indptr", "members", "group", "X_new"}


class NpySource(_Array):
    """An NPY file. One whose frames are spread over the file is read as a whole: in Fortran order,
    or frames last."""

    format = "npy"
    _whole: NDArray | None = None

    def _open(self) -> None:
        with self.path.open("rb") as file:
            shape, dtype, fortran = npy_header(file)
            start = file.tell()
        if dtype.hasobject:
            raise FormatError(
                self.uri, None, "it holds Python objects, which are never loaded", HINT
            )
        wanted = int(np.prod(shape, dtype=object)) * dtype.itemsize
        there = self.path.stat().st_size - start
        if there < wanted and len(shape) == 2:
            raise FormatError(
                self.uri, start, f"it announces {wanted} bytes and holds {there}", COPY_AGAIN
            )
        self._describe(shape, dtype)
        spread = not self._layout.in_order or (fortran and len(shape) > 2)
        if there < wanted and spread:
            raise FormatError(
                self.uri, start, "it ends early, in an order that spreads frames", COPY_AGAIN
            )
        if spread and wanted > MAX_FRAME_BYTES:
            what = f"its frames are spread over {wanted >> 20} MiB"
            raise FormatError(self.uri, start, what, "Save it in C order: np.ascontiguousarray.")
        self._fortran, self._disk, self._start = fortran, dtype, start
        self._bytes = wanted // self.n_frames
        if there < wanted:
            found, promised = there // self._bytes, self.n_frames
            self.n_frames = found
            self._cut_short(found, promised)
            self._frame_step = self._bytes  # it may be that it is still being written
        self._file = PlainFile(self.path)
        if spread:
            self._whole = (
                self._file.read(start, wanted)
                .view(dtype)
                .reshape(shape, order="F" if fortran else "C")
            )

    def _stored(self, index: int) -> NDArray:
        if self._whole is not None:
            return self._layout.upright(self._whole[self._layout.key(index)])
        samples = () if self._layout.samples is None else (-1,)
        shape = self.shape if not self._fortran else self.shape[::-1]
        frame = self._file.read(self._start + index * self._bytes, self._bytes).view(self._disk)
        frame = frame.reshape(*shape, *samples)
        return frame.T if self._fortran else frame

    def _close(self) -> None:
        self._whole = None
        if "_file" in self.__dict__:
            self._file.close()


class NpzSource(_Array):
    """One array of an NPZ archive, held in memory.

    `dataset`: its name; default the largest 3-D, else the largest 2-D. `array` is the same in
    projects of before. Of a masked array, saved as data and mask, what is masked is NaN.
    """

    format = "npz"
    accepts: ClassVar[tuple[str, ...]] = ("dataset", "array", "axis", "band")

    def _open(self) -> None:
        with zipfile.ZipFile(self.path) as archive:
            found = _headers(archive)
            asked_for = self.options.get("dataset") or self.options.get("array")
            name = asked_for or _choose(found)
            if name is None or name not in found:
                asked = f"no array {name}" if name else "no array of frames"
                raise FormatError(
                    self.uri, None, f"it has {asked}", f"Arrays: {', '.join(found) or 'none'}."
                )
            shape, dtype = found[name]
            size = int(np.prod(shape, dtype=object)) * dtype.itemsize
            if size > MAX_FRAME_BYTES:
                what = f"{name} needs {size >> 20} MiB of memory"
                raise FormatError(
                    self.uri, None, what, "Save it as .npy, which is read frame by frame."
                )
            check_growth(self.uri, size, self.path.stat().st_size, what="an array")
            array = _member(archive, name)
            masked = name == DATA and found.get(MASK) == (shape, np.dtype(np.bool_))
            if masked:
                array = blank(array, _member(archive, MASK))
                self.warnings.append(
                    "Its array mask marks pixels without a value, which are read as NaN."
                )
        self._describe(array.shape, array.dtype, name)
        self._frames = array
        self._frames.flags.writeable = False
        beside = {name, MASK} if masked else {name}
        alike = [
            other
            for other in found
            if other not in beside
            and len(found[other][0]) == len(shape)
            and found[other][1].kind in "buif"
        ]
        if alike and not asked_for:
            self.warnings.append(others_note(name, alike))
        usable = [other for other in found if other not in beside and _usable(*found[other])]
        self._facts |= {"array": name, "other_arrays": [other for other in found if other != name],
                        "dataset": name, "other_datasets": usable}

    def _stored(self, index: int) -> NDArray:
        return self._layout.upright(self._frames[self._layout.key(index)])

    def _close(self) -> None:
        self._frames = np.empty((0, 0, 0))


def _headers(archive: zipfile.ZipFile) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    found = {}
    for member in archive.namelist():
        if member.endswith(".npy"):
            with archive.open(member) as file:
                found[member.removesuffix(".npy")] = npy_header(file)[:2]  # type: ignore[arg-type]
    return found


def _member(archive: zipfile.ZipFile, name: str) -> NDArray:
    with archive.open(f"{name}.npy") as file, _quiet():
        return npy_format.read_array(file, allow_pickle=False)


def may_be_rows(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    """Whether an array that can be one frame may as well be a table of features, a row per
    instance.

    Counts of a camera are whole numbers, and no frame is much longer than wide.
    """
    return len(shape) == 2 and (dtype.kind == "f" or max(shape) > LONG * min(shape))


def rows_note(name: str, shape: tuple[int, ...]) -> str:
    """The sentence on an array of one frame that may be a point set: what was taken, what else it
    may be."""
    rows, cols = shape
    return (
        f"Its shape {shape} is taken for one frame of {cols} x {rows} pixels. If its rows are "
        f"{rows} instances with {cols} features, it is a point set: as X of an NPZ that also has "
        "labels y, or bag and bag_y, it opens as one; without labels, in a terminal, "
        f"{_embed(name, 'umap')} maps it."
    )


def _embed(name: str, method: str) -> str:
    return f"emberscope embed {name} --method {method} --out map.npz"


def holds_points(path: Path) -> bool:
    """Whether an archive has rows of features X, labels or bags of these rows, and nothing else
    that may be frames. What cannot be read holds none."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = _headers(archive)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, RuntimeError):
        return False
    shape = found["X"][0] if "X" in found else ()
    return (
        len(shape) == 2
        and bool(_WITH_POINTS & found.keys())
        and all(len(other) < 3 for other, _ in found.values())
    )


def _choose(found: dict[str, tuple[tuple[int, ...], np.dtype]]) -> str | None:
    fit = [name for name, header in found.items() if _usable(*header)]
    return max(
        fit,
        key=lambda name: (len(found[name][0]), np.prod(found[name][0], dtype=object)),
        default=None,
    )


def _usable(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    """Whether an array may be frames."""
    return len(shape) in (2, 3, 4) and dtype.kind in "buif" and 0 not in shape
