"""A data set of an HDF5 file as frames. Links to other places are never followed."""

import contextlib
import importlib
import math
import re
from pathlib import Path
from typing import Any, ClassVar

import h5py
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.files import check_growth
from emberscope.base.plain_text import showable
from emberscope.frames.readers.parts.axes import (
    layout,
    matlab_note,
    others_note,
    upright_note,
)
from emberscope.frames.readers.parts.base import (
    COPY_AGAIN,
    MAX_FRAME_BYTES,
    Source,
    check_frame,
    native_dtype,
)
from emberscope.frames.readers.parts.gray import COLOR_WARNING, bands_of, check_band, one_channel
from emberscope.frames.readers.parts.nodata import blank, blank_dtype, no_data_note, number_of

MAX_LISTED = 10_000       # data sets looked at
CACHE = 64 * 1024 * 1024  # bytes of decoded chunks kept
# Attributes, the first that is there counts
NO_DATA = ("_FillValue", "missing_value", "fillvalue", "FillValue")
# Of the CF convention, which other programs follow too
_FACTOR, _OFFSET = ("scale_factor", "slope"), ("add_offset", "intercept")
_NAMED = 3                # data sets that an error names
_NUMBER = re.compile(r"[0-9]+(?=[^0-9/]*$)")  # the last number of the name of a data set
_AT_ONCE = 4096           # chunks of a table that are looked at together


class Hdf5Source(Source):
    """One data set. `dataset`: its path in the file; default the largest of the most axes. `axis`
    counts frames.

    Where there are none of three axes or more, data sets of one size and type whose names differ in
    their number only are frames together, in the order of these: "frame_*". What MATLAB marks as
    its own (version 7.3) has its columns first there, and is put in order; `columns_first` says so
    of other files, or that it is not so.
    """

    format = "hdf5"
    accepts: ClassVar[tuple[str, ...]] = ("dataset", "axis", "band", "columns_first")

    def _open(self) -> None:
        self._file = h5py.File(self.path, "r", locking="best-effort", rdcc_nbytes=CACHE)
        found = _candidates(self._file)
        self._series = series_of(found)
        name = (
            self.options.get("dataset", "").strip("/")
            or next(iter(self._series), None)
            or _largest(found)
        )
        if name in self._series:
            found[name] = found[self._series[name][0]]
        if name is None or name not in found:
            asked = f"no data set {name}" if name else "no data set"
            names = ", ".join(sorted(found)[:20]) or f"none{_what_else(self._file)}"
            raise FormatError(
                self.uri,
                None,
                f"it has {asked} of 2 to 4 dimensions and numbers",
                f"Usable: {names}.",
            )
        self._set = found[name]
        _refuse_hostile(self.uri, self._set)
        _refuse_damaged_table(self.uri, self._set)
        _refuse_missing_filter(self.uri, self._set)
        marked = "MATLAB_class" in self._set.attrs
        first = bool(self.options.get("columns_first", marked))
        self._layout = layout(self.uri, self._set.shape, axis=self.options.get("axis"), what=name,
                              columns_first=first)
        self.n_frames, self.shape = self._layout.n_frames, self._layout.size
        check_band(self.uri, self.options.get("band", 1), bands_of(self._layout.n_samples))
        self.dtype = native_dtype(self.uri, self._set.dtype)
        check_frame(self.uri, self.shape, self.dtype.itemsize)
        self._each = tuple(found[key] for key in self._series.get(name, ()))
        if self._each:
            self.n_frames = len(self._each)
        self.warnings += self._order_notes(marked)
        if self._layout.samples is not None:
            self.units = "display8"
            if "band" not in self.options:
                self.warnings.append(COLOR_WARNING)
        if self.dtype == np.uint8:
            self.bit_depth = 8
        self._blank = _no_data(self._set)
        if self._blank is not None:
            self.dtype, self.bit_depth = blank_dtype(self.dtype), None
            self.warnings.append(no_data_note(self._blank))
        self.warnings += _scale_note(self._set)
        mine = self._series.get(name, [])
        alike = sorted(
            other
            for other in found
            if other not in (name, *mine) and found[other].ndim == self._set.ndim
        )
        if alike and "dataset" not in self.options:
            self.warnings.append(others_note(name, alike))
        self._facts = {"stored_shape": list(self._set.shape), "dataset": name,
                       "columns_first": first,
                       "other_datasets": sorted(other for other in found if other != name)}
        if self._layout.samples is not None:
            self._facts["bands"] = bands_of(self._layout.n_samples)

    def _order_notes(self, marked: bool) -> list[str]:
        """What to know of the order of the axes, as far as nobody chose it. marked : by MATLAB."""
        found, own = self._layout, ""
        if "columns_first" not in self.options:
            if marked:
                own = matlab_note(found)
            elif self.n_frames > 1 and "axis" not in self.options:
                own = upright_note(found)
        return [words] if (words := f"{own} {found.note}".strip()) else []

    def _stored(self, index: int) -> NDArray:
        if not self._each:
            return self._set[self._layout.key(index)]
        one = self._each[index]
        for check in (_refuse_hostile, _refuse_damaged_table, _refuse_missing_filter):
            check(self.uri, one)
        return one[self._layout.key(0)]

    def _frame_meta(self, index: int) -> dict[str, Any]:
        return {"name": self._each[index].name.strip("/")} if self._each else {}

    def _read(self, index: int) -> NDArray:
        frame = self._layout.upright(self._stored(index))
        image = one_channel(self.uri, frame, self.options.get("band")).image
        if self._blank is None:
            return image
        return blank(
            image, frame == self._blank if frame.ndim == 2 else (frame == self._blank).all(axis=-1)
        )

    def read_many(self, start: int, stop: int, step: int = 1) -> NDArray:
        """Frames range(start, stop, step), (n, rows, cols); one read, so that each chunk is decoded
        once."""
        plain = self._layout.frames == 0 and self._layout.in_order and self._layout.samples is None
        plain = plain and self._blank is None and not self._each
        if (
            self._set is None
            or not plain
            or step < 1
            or stop <= start
            or self.dtype != self._set.dtype
        ):
            return super().read_many(start, stop, step)
        self._check(stop - 1)
        with self._at(start) as first:
            frames = self._set[self._layout.key(slice(first, stop, step))]
        return frames

    def _close(self) -> None:
        self._set, self._each = None, ()
        if "_file" in self.__dict__:
            self._file.close()

    _set: Any = None
    _each: tuple[Any, ...] = ()  # the data sets that are frames one by one


def _largest(found: dict[str, h5py.Dataset]) -> str | None:
    return max(found, key=lambda name: (found[name].ndim, found[name].size), default=None)


def series_of(found: dict[str, h5py.Dataset]) -> dict[str, list[str]]:
    """Data sets that are frames together, in natural order, by their common name with a star for
    the number.

    Only where each has two axes and there are no others that may be frames by themselves; the
    longest series first.
    """
    if any(one.ndim != 2 for one in found.values()):
        return {}
    groups: dict[tuple[str, tuple[int, ...], str], list[str]] = {}
    for name, one in found.items():
        key = _NUMBER.sub("*", name)
        if key != name:
            groups.setdefault((key, one.shape, one.dtype.str), []).append(name)
    longest = sorted((names for names in groups.values() if len(names) > 1), key=len, reverse=True)
    by_key = {_NUMBER.sub("*", names[0]): names for names in reversed(longest)}
    return {key: sorted(names, key=_number) for key, names in reversed(by_key.items())}


def _number(name: str) -> tuple[int, str]:
    found = _NUMBER.search(name)
    return (int(found.group(0)) if found else 0, name)


def _candidates(group: h5py.Group) -> dict[str, h5py.Dataset]:
    """Numeric 2-D and 3-D data sets by path. `visititems` follows hard links only."""
    found: dict[str, h5py.Dataset] = {}
    seen = 0

    def look(path: str | bytes, item: object) -> bool | None:
        nonlocal seen
        seen += 1
        if isinstance(item, h5py.Dataset) and _may_be_frames(item):
            # h5py gives the bytes of a path that is not UTF-8
            found[path if isinstance(path, str) else path.decode(errors="backslashreplace")] = item
        return True if seen >= MAX_LISTED else None

    group.visititems(look)
    return found


def _what_else(group: h5py.Group) -> str:
    """What a file without frames holds, in brackets: the first three of it; "" for nothing."""
    found: list[str] = []

    def look(path: str | bytes, item: object) -> bool | None:
        if isinstance(item, h5py.Dataset):
            sides = " x ".join(map(str, item.shape)) or "one value"
            found.append(f"{showable(path if isinstance(path, str) else str(path))} is {sides} of "
                         f"{item.dtype}")
        return True if len(found) > _NAMED else None

    group.visititems(look)
    for name in list(group)[:MAX_LISTED]:
        if isinstance(group.get(name, getlink=True), h5py.ExternalLink):
            found.append(f"{showable(name)} is in another file, which is not followed")
    more = " and more" if len(found) > _NAMED else ""
    return f" ({'; '.join(found[:_NAMED])}{more})" if found else ""


def _scale_note(dataset: h5py.Dataset) -> list[str]:
    """A sentence where a data set says how its counts become values."""
    factor, offset = (_one_number(dataset, names) for names in (_FACTOR, _OFFSET))
    if factor is None and offset is None:
        return []
    unit = dataset.attrs.get("units", "")
    unit = unit.decode(errors="replace") if isinstance(unit, bytes) else str(unit)
    plus = f" plus {offset:g}" if offset else ""
    times = f"{1.0 if factor is None else factor:g} times the count"
    return [
        f"It says that a value is {times}{plus}{f' ({showable(unit)[:20]})' if unit else ''}; "
        "counts are read as they are stored."
    ]


def _one_number(dataset: h5py.Dataset, names: tuple[str, ...]) -> float | None:
    """The first attribute of these names that is one finite number."""
    for name in names:
        value = np.asarray(dataset.attrs[name]).ravel() if name in dataset.attrs else np.empty(0)
        if value.size == 1 and value.dtype.kind in "uif" and math.isfinite(float(value[0])):
            return float(value[0])
    return None


def _no_data(dataset: h5py.Dataset) -> np.generic | None:
    """The value that stands for "no data": of an attribute, or the one (not 0) of pixels that were
    never written.

    None where there is none, and where it cannot occur among the numbers of the data set.
    """
    for name in NO_DATA:
        value = np.asarray(dataset.attrs[name]).ravel() if name in dataset.attrs else np.empty(0)
        if value.size == 1 and value.dtype.kind in "uif":
            return number_of(float(value[0]), dataset.dtype)
    defined = dataset.id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED
    return (
        number_of(float(dataset.fillvalue), dataset.dtype)
        if defined and dataset.fillvalue
        else None
    )


def _may_be_frames(item: h5py.Dataset) -> bool:
    """Whether it has numbers and axes enough. MATLAB keeps text as numbers, and says so."""
    shaped = item.ndim in (2, 3, 4) and 0 not in item.shape and item.dtype.kind in "buif"
    return shaped and item.attrs.get("MATLAB_class") != b"char"


def _refuse_missing_filter(uri: str, dataset: h5py.Dataset) -> None:
    """Raise FormatError where chunks are packed in a way that this installation cannot unpack."""
    packing = dataset.id.get_create_plist()
    for row in range(packing.get_nfilters()):
        code, _, _, name = packing.get_filter(row)
        used = (
            dataset.id.get_num_chunks() and not dataset.id.get_chunk_info(0).filter_mask >> row & 1
        )
        if used and not h5py.h5z.filter_avail(code) and not _more_filters(code):
            called = name.decode(errors="backslashreplace").partition(";")[0][:40]
            what = (
                f"{dataset.name} is packed with the HDF5 filter "
                f"{code}{f' ({called})' if called else ''}, "
            )
            hint = (
                "Install the Python package hdf5plugin beside Emberscope, or save it again with "
                "gzip, for example by h5repack -f GZIP=4, or as NPY."
            )
            raise FormatError(uri, None, f"{what}which this installation does not have", hint)


def _more_filters(code: int) -> bool:
    """Whether the filters of the package hdf5plugin, where it is installed, are this one too."""
    with contextlib.suppress(ImportError):
        importlib.import_module("hdf5plugin")  # it registers them
    return bool(h5py.h5z.filter_avail(code))


def _refuse_hostile(uri: str, dataset: h5py.Dataset) -> None:
    """No data from other files, no chunk or frame that would fill the memory."""
    if dataset.is_virtual or dataset.external:
        raise FormatError(
            uri,
            None,
            f"{dataset.name} takes its data from other files",
            "Copy the data into one file.",
        )
    if dataset.chunks:
        chunk = math.prod(dataset.chunks) * dataset.dtype.itemsize
        if chunk > MAX_FRAME_BYTES:
            raise FormatError(
                uri,
                None,
                f"the chunks of {dataset.name} exceed 2 GiB",
                "Save it with smaller chunks.",
            )
        check_growth(uri, chunk, Path(uri).stat().st_size, what="a chunk")


def _refuse_damaged_table(uri: str, dataset: h5py.Dataset) -> None:
    """Raise FormatError where a chunk cannot be what the table of chunks says. About 2 ms for a
    thousand chunks.

    HDF5 believes it and ends the process on some: a chunk of no bytes that is to be unpacked,
    chunks beside the grid, one that is not packed and shorter than its numbers.
    """
    if not dataset.chunks:
        return
    size, table = Path(uri).stat().st_size, _ChunkTable(dataset)
    some: list[Any] = []

    def look(info: Any) -> bool | None:
        """One by one they would take three times as long; all at once a table in a circle would
        never end."""
        some.append(info)
        if len(some) < _AT_ONCE:
            return None
        fits = table.fits(some, size)
        some.clear()
        return None if fits else True

    if dataset.id.chunk_iter(look) or (some and not table.fits(some, size)):
        raise FormatError(
            uri, None, f"the table of chunks of {dataset.name} is damaged", COPY_AGAIN
        )


class _ChunkTable:
    """What has to hold of the chunks of a data set, which come in ascending order."""

    def __init__(self, dataset: h5py.Dataset) -> None:
        self._sides, self._lengths = (
            np.array(numbers, np.uint64) for numbers in (dataset.chunks, dataset.shape)
        )
        self._bytes = math.prod(dataset.chunks) * dataset.dtype.itemsize
        self._all_filters = (1 << dataset.id.get_create_plist().get_nfilters()) - 1
        self._last = -1

    def fits(self, infos: list[Any], file_bytes: int) -> bool:
        """Whether the next chunks lie on the grid, after those before, inside the file, and are not
        too short."""
        at = np.array([info.chunk_offset for info in infos], np.uint64).reshape(len(infos), -1)
        if (at % self._sides).any() or (at >= self._lengths).any():
            return False
        grid = -(-self._lengths.astype(object) // self._sides.astype(object))
        number = np.zeros(len(infos), np.int64)
        for axis, count in enumerate(grid.tolist()):
            number = number * count + (at[:, axis] // self._sides[axis]).astype(np.int64)
        in_order = number[0] > self._last and bool((np.diff(number) > 0).all())
        self._last = int(number[-1])
        start, size, masked = (np.array(values, np.uint64) for values in zip(
            *((info.byte_offset or 0, info.size, info.filter_mask) for info in infos), strict=True))
        packed = (masked & np.uint64(self._all_filters)) != self._all_filters
        inside = (
            (start > 0)
            & (size <= file_bytes)
            & (start <= np.uint64(file_bytes) - np.minimum(size, file_bytes))
        )
        return in_order and bool((inside & (size >= np.where(packed, 1, self._bytes))).all())
