"""NumPy arrays of frames: NPY through a memory map, NPZ one member at a time. Never unpickles."""

import tokenize
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth
from emberscope.frames._base import COPY_AGAIN, MAX_FRAME_BYTES, Source, check_frame, native_dtype

MAX_HEADER = 1 << 16  # bytes; that of an array of numbers has some hundred
HINT = "Save a (frames, rows, cols) or (rows, cols) array of numbers."


def frames_view(uri: str, array: NDArray, what: str = "it") -> NDArray:
    """An array of numbers as (n, rows, cols). Raises FormatError for other shapes and types."""
    if array.dtype.hasobject:
        raise FormatError(uri, None, f"{what} holds Python objects, which are never loaded", HINT)
    native_dtype(uri, array.dtype)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or 0 in array.shape:
        raise FormatError(uri, None, f"{what} has shape {array.shape}", HINT)
    check_frame(uri, array.shape[1:], array.dtype.itemsize)
    return array


def npy_header(file: BinaryIO) -> tuple[tuple[int, ...], np.dtype, bool]:
    """Shape, dtype and Fortran order that an NPY file or member announces. Raises ValueError."""
    with _quiet():
        version = npy_format.read_magic(file)
        length = file.read(2 if version == (1, 0) else 4)
        if int.from_bytes(length, "little") > MAX_HEADER:  # memory is taken for it before it is read
            raise ValueError(f"a header of more than {MAX_HEADER} bytes")
        file.seek(-len(length), 1)
        read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
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
    _frames: NDArray

    def _take(self, array: NDArray, what: str = "it") -> None:
        self._frames = frames_view(self.uri, array, what)
        self.n_frames = len(self._frames)
        self.shape = self._frames.shape[1:]
        self.dtype = native_dtype(self.uri, self._frames.dtype)
        if self.dtype == np.uint8:
            self.bit_depth = 8

    def _read(self, index: int) -> NDArray:
        frame = self._frames[index]
        return frame.astype(np.uint8) * np.uint8(255) if frame.dtype == np.bool_ else frame

    def _close(self) -> None:
        self._frames = np.empty((0, 0, 0))


class NpySource(_Array):
    """An NPY file, memory-mapped."""

    format = "npy"

    def _open(self) -> None:
        with self.path.open("rb") as file:
            shape, dtype, fortran = npy_header(file)
            start = file.tell()
        if dtype.hasobject:
            raise FormatError(self.uri, None, "it holds Python objects, which are never loaded", HINT)
        wanted = int(np.prod(shape, dtype=object)) * dtype.itemsize
        there = self.path.stat().st_size - start
        if there < wanted and len(shape) == 3:
            if fortran:
                raise FormatError(self.uri, start, "it ends early, in an order that spreads frames", COPY_AGAIN)
            self._open_short(shape, dtype, start, there)
            return
        if there < wanted:
            raise FormatError(self.uri, start, f"it announces {wanted} bytes and holds {there}", COPY_AGAIN)
        with _quiet():
            self._take(np.asarray(np.load(self.path, mmap_mode="r", allow_pickle=False)))

    def _open_short(self, shape: tuple[int, ...], dtype: np.dtype, start: int, there: int) -> None:
        """The whole frames of a file that ends early."""
        check_frame(self.uri, shape[1:], dtype.itemsize)
        found = there // (shape[1] * shape[2] * dtype.itemsize)
        self._cut_short(found, shape[0])
        self._take(np.asarray(np.memmap(self.path, dtype, "r", start, (found, *shape[1:]))))


class NpzSource(_Array):
    """One array of an NPZ archive, held in memory. `array`: its name; default the largest 3-D, else the largest 2-D."""

    format = "npz"
    accepts: ClassVar[tuple[str, ...]] = ("array",)

    def _open(self) -> None:
        with zipfile.ZipFile(self.path) as archive:
            found = self._headers(archive)
            name = self.options.get("array") or _choose(found)
            if name is None or name not in found:
                asked = f"no array {name}" if name else "no array of frames"
                raise FormatError(self.uri, None, f"it has {asked}", f"Arrays: {', '.join(found) or 'none'}.")
            shape, dtype = found[name]
            size = int(np.prod(shape, dtype=object)) * dtype.itemsize
            if size > MAX_FRAME_BYTES:
                what = f"{name} needs {size >> 20} MiB of memory"
                raise FormatError(self.uri, None, what, "Save it as .npy, which is mapped.")
            check_growth(self.uri, size, self.path.stat().st_size, what="an array")
            with archive.open(f"{name}.npy") as file, _quiet():
                self._take(npy_format.read_array(file, allow_pickle=False), name)
        self._frames.flags.writeable = False
        self._facts = {"array": name, "other_arrays": [other for other in found if other != name]}

    @staticmethod
    def _headers(archive: zipfile.ZipFile) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
        found = {}
        for member in archive.namelist():
            if member.endswith(".npy"):
                with archive.open(member) as file:
                    found[member.removesuffix(".npy")] = npy_header(file)[:2]  # type: ignore[arg-type]
        return found


def _choose(found: dict[str, tuple[tuple[int, ...], np.dtype]]) -> str | None:
    def usable(shape: tuple[int, ...], dtype: np.dtype) -> bool:
        return len(shape) in (2, 3) and dtype.kind in "buif" and 0 not in shape

    fit = [name for name, header in found.items() if usable(*header)]
    return max(fit, key=lambda name: (len(found[name][0]), np.prod(found[name][0], dtype=object)), default=None)
