"""A data set of an HDF5 file as frames: (n, rows, cols) or (rows, cols). Links to other places are never followed."""

import math
from pathlib import Path
from typing import Any, ClassVar

import h5py
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth
from emberscope.frames._base import COPY_AGAIN, MAX_FRAME_BYTES, Source, check_frame, native_dtype

MAX_LISTED = 10_000       # data sets looked at
CACHE = 64 * 1024 * 1024  # bytes of decoded chunks kept


class Hdf5Source(Source):
    """One data set. `dataset`: its path in the file; default the largest 3-D one, else the largest 2-D one."""

    format = "hdf5"
    accepts: ClassVar[tuple[str, ...]] = ("dataset",)

    def _open(self) -> None:
        self._file = h5py.File(self.path, "r", locking="best-effort", rdcc_nbytes=CACHE)
        found = _candidates(self._file)
        name = self.options.get("dataset", "").strip("/") or _largest(found)
        if name is None or name not in found:
            asked = f"no data set {name}" if name else "no data set"
            names = ", ".join(sorted(found)[:20]) or "none"
            raise FormatError(self.uri, None, f"it has {asked} of 2 or 3 dimensions and numbers", f"Usable: {names}.")
        self._set = found[name]
        _refuse_hostile(self.uri, self._set)
        _refuse_damaged_table(self.uri, self._set)
        self.n_frames = self._set.shape[0] if self._set.ndim == 3 else 1
        self.shape = self._set.shape[-2:]
        self.dtype = native_dtype(self.uri, self._set.dtype)
        if self.dtype == np.uint8:
            self.bit_depth = 8
        self._facts = {"dataset": name, "other_datasets": sorted(other for other in found if other != name)}

    def _read(self, index: int) -> NDArray:
        frame = self._set[index] if self._set.ndim == 3 else self._set[()]
        return frame.astype(np.uint8) * np.uint8(255) if frame.dtype == np.bool_ else frame

    def read_many(self, start: int, stop: int, step: int = 1) -> NDArray:
        """Frames range(start, stop, step), (n, rows, cols); one read, so that each chunk is decoded once."""
        if self._set is None or self._set.ndim != 3 or step < 1 or stop <= start or self.dtype != self._set.dtype:
            return super().read_many(start, stop, step)
        self._check(stop - 1)
        with self._at(start) as first:
            frames = self._set[first:stop:step]
        return frames

    def _close(self) -> None:
        self._set = None
        if "_file" in self.__dict__:
            self._file.close()

    _set: Any = None


def _largest(found: dict[str, Any]) -> str | None:
    return max(found, key=lambda name: (found[name].ndim, found[name].size), default=None)


def _candidates(group: h5py.Group) -> dict[str, Any]:
    """Numeric 2-D and 3-D data sets by path. `visititems` follows hard links only."""
    found: dict[str, Any] = {}
    seen = 0

    def look(name: str, item: Any) -> bool | None:
        nonlocal seen
        seen += 1
        if isinstance(item, h5py.Dataset) and item.ndim in (2, 3) and 0 not in item.shape and item.dtype.kind in "buif":
            found[name] = item
        return True if seen >= MAX_LISTED else None

    group.visititems(look)
    return found


def _refuse_hostile(uri: str, dataset: Any) -> None:
    """No data from other files, no chunk or frame that would fill the memory."""
    if dataset.is_virtual or dataset.external:
        raise FormatError(uri, None, f"{dataset.name} takes its data from other files", "Copy the data into one file.")
    check_frame(uri, dataset.shape[-2:], dataset.dtype.itemsize)
    if dataset.chunks:
        chunk = math.prod(dataset.chunks) * dataset.dtype.itemsize
        if chunk > MAX_FRAME_BYTES:
            raise FormatError(uri, None, f"the chunks of {dataset.name} exceed 2 GiB", "Save it with smaller chunks.")
        check_growth(uri, chunk, Path(uri).stat().st_size, what="a chunk")


def _refuse_damaged_table(uri: str, dataset: Any) -> None:
    """Raise FormatError where a chunk cannot be what the table of chunks says. About 15 ms for a thousand chunks.

    HDF5 believes it and ends the process on some: a chunk of no bytes that is to be unpacked, chunks beside the grid,
    one that is not packed and shorter than its numbers.
    """
    if not dataset.chunks:
        return
    whole, size = math.prod(dataset.chunks) * dataset.dtype.itemsize, Path(uri).stat().st_size
    filters = dataset.id.get_create_plist().get_nfilters()
    before: tuple[int, ...] = ()

    def look(info: Any) -> bool | None:
        nonlocal before
        packed = any(not info.filter_mask >> k & 1 for k in range(filters))
        on_grid = all(at % side == 0 and at < length
                      for at, side, length in zip(info.chunk_offset, dataset.chunks, dataset.shape))
        in_order = info.chunk_offset > before
        before = info.chunk_offset
        inside = info.byte_offset is not None and 0 < info.byte_offset <= size - info.size
        return None if on_grid and in_order and inside and info.size >= (1 if packed else whole) else True

    if dataset.id.chunk_iter(look):
        raise FormatError(uri, None, f"the table of chunks of {dataset.name} is damaged", COPY_AGAIN)
