"""Arrays and JSON in an HDF5 file of a stranger: nothing is trusted, nothing is run, no memory
beyond the file's size.

Every element is a plain data set that lies whole in the file (no chunks, so no filters; no external
or virtual storage; hard links only; numbers only) and has its CRC-32 in `/checksums`. JSON is a row
of bytes.
"""

import json
import zlib
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ProjectError

CHECKSUMS = "checksums"
_NUMBERS = "iufb"


class Writer:
    """Puts named arrays and JSON into an open HDF5 file; `close` adds the checksums."""

    def __init__(self, file: h5py.File) -> None:
        self._file = file
        self._checksums: dict[str, int] = {}
        self._with_groups = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        self._with_groups.set_create_intermediate_group(True)
        self._with_groups.set_char_encoding(h5py.h5t.CSET_UTF8)
        self._without_times = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        self._without_times.set_obj_track_times(False)

    def array(self, name: str, value: NDArray) -> None:
        """Keep an array of any shape. Raises ProjectError where it holds no numbers."""
        if value.dtype.kind not in _NUMBERS:
            raise ProjectError(
                f"{name} holds {value.dtype}, not numbers", hint="Nothing was saved."
            )
        value = np.ascontiguousarray(value).reshape(value.shape)
        # what `create_dataset` does, at a quarter of the time; a project has two of these per run
        space = (
            h5py.h5s.create_simple(value.shape) if value.ndim else h5py.h5s.create(h5py.h5s.SCALAR)
        )
        kind = h5py.h5t.py_create(value.dtype, logical=True)
        data = h5py.h5d.create(
            self._file.id, name.encode(), kind, space, self._without_times, self._with_groups
        )
        if value.size:
            data.write(h5py.h5s.ALL, h5py.h5s.ALL, value)
        self._checksums[name] = zlib.crc32(value.data)

    def json(self, name: str, value: object) -> None:
        """Keep plain data under a name."""
        self.array(name, np.frombuffer(json.dumps(value).encode(), np.uint8))

    def close(self) -> None:
        """Write the checksums of all that was written."""
        self.json(CHECKSUMS, self._checksums)


class Reader:
    """Takes named arrays and JSON out of an open HDF5 file of `size` bytes.

    All reads together never allocate more than `size` bytes for arrays. Raises ProjectError where
    an element is missing, is no plain data set, or does not have its checksum.
    """

    def __init__(self, file: h5py.File, size: int) -> None:
        self._file = file
        self._left = size
        self._checksums: dict[str, int] | None = None

    def __contains__(self, name: str) -> bool:
        return self._file.id.links.exists(name.encode())

    def array(self, name: str) -> NDArray:
        """The array under a name. Raises ProjectError where it is larger than the file or
        damaged."""
        data = self._data_set(name)
        self._left -= data.size * data.dtype.itemsize
        if self._left < 0:
            raise ProjectError(f"{name} claims more data than the file has")
        value = np.empty(data.shape, data.dtype)
        if value.size:
            data.read_direct(value)
        if name != CHECKSUMS:
            self._check(name, value)
        return value

    def json(self, name: str) -> Any:
        """The plain data under a name."""
        return json.loads(self.array(name).tobytes())

    def _check(self, name: str, value: NDArray) -> None:
        if self._checksums is None:
            self._checksums = dict(self.json(CHECKSUMS))
        if self._checksums.get(name) != zlib.crc32(value.data):
            raise ProjectError(f"the project is damaged: {name} does not have its checksum")

    def _data_set(self, name: str) -> h5py.Dataset:
        found = self._file
        for part in name.split("/"):
            if not isinstance(found, h5py.Group) or not found.id.links.exists(part.encode()):
                raise ProjectError(f"{name} is missing")
            if found.id.links.get_info(part.encode()).type != h5py.h5l.TYPE_HARD:
                raise ProjectError(f"{name} is a link")
            found = found[part]
        if not _is_plain(found):
            raise ProjectError(f"{name} is stored in an unexpected way")
        return found


def _is_plain(found: object) -> bool:
    """Whether this is numbers that lie whole and as they are in this file."""
    return (
        isinstance(found, h5py.Dataset)
        and found.shape is not None
        and not found.is_virtual
        and found.external is None
        and found.chunks is None
        and found.dtype.kind in _NUMBERS
        and found.id.get_storage_size() == found.size * found.dtype.itemsize
    )
