"""Files of arrays that can be computed again, and that say themselves whether they are what was
written.

A file is a line of magic bytes, a header with its CRC-32, and arrays with a CRC-32 each. The header
names what the arrays were computed from, so that a file under another name is not believed either.
Files are read, never mapped: one that shrinks or lies on a share that goes cannot end the process.
CRC-32 comes with zlib and is several times as fast as BLAKE2b or SHA-1; nobody forges a cache, and
of random damage one in 4 billion passes.

Why not diskcache: its index is one SQLite file, whose damage loses every entry and which cannot lie
on a share; it has no checksums and pickles what is no bytes; nobody looks after it any more.
"""

import contextlib
import itertools
import logging
import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.files import part_path
from emberscope.base.own_files import NotOurs, kind_at, open_own_to_read, remove

SUFFIX = ".arrays"
_MAGIC = b"EMBERCA1"
_START = struct.Struct("<8sII")  # magic, bytes of the header, its CRC-32
_LARGEST_HEADER = 1 << 20
_KINDS = "biufcSU"
log = logging.getLogger(__name__)
_serial = itertools.count()
_logged: set[str] = set()
_written = [0]


class _Array(msgspec.Struct, frozen=True):
    dtype: Annotated[str, msgspec.Meta(pattern=f"^[<>|][{_KINDS}][1-9][0-9]{{0,6}}$")]
    shape: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    crc: int

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=object)) * np.dtype(self.dtype).itemsize


class _Header(msgspec.Struct, frozen=True):
    key: str
    arrays: tuple[_Array, ...]


class _DamagedError(Exception):
    """A file that is not what was written."""


def write_arrays(path: Path, key: str, arrays: Sequence[NDArray]) -> bool:
    """Put a file in place whole; False where nothing can be written, which the log says once for
    each reason.

    Two processes may write the same file: the last one wins. Raises ValueError for arrays of
    objects. `arrays` : of any shape, numbers or fixed-width text.
    """
    found = [np.asarray(array, order="C") for array in arrays]
    for array in found:
        if array.dtype.kind not in _KINDS:
            raise ValueError(f"a cache cannot hold an array of {array.dtype}")
    rows = tuple(_Array(array.dtype.str, array.shape, zlib.crc32(_bytes(array))) for array in found)
    header = msgspec.json.encode(_Header(key, rows))
    # threads write at the same time too
    part = part_path(path.with_name(f"{path.name}.{next(_serial)}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = kind_at(path)
        if kind:
            raise NotOurs(path, kind)
        with part.open("xb") as file:
            file.write(_START.pack(_MAGIC, len(header), zlib.crc32(header)) + header)
            for array in found:
                file.write(_bytes(array))
            _written[0] += file.tell()
        part.replace(path)
    except OSError as error:
        _say_once(error)
        return False
    finally:
        with contextlib.suppress(OSError):
            remove(part)
    return True


def written_bytes() -> int:
    """How much this process has written so far."""
    return _written[0]


def read_arrays(
    path: Path, key: str, wanted: Sequence[int] | None = None
) -> tuple[NDArray, ...] | None:
    """The arrays of a file, read-only, or those of some numbers; None where it is absent.

    A damaged file, or one of another key, is removed, the log says so, and None is returned. What
    is read counts as used now. Half of the time of a file in memory goes to the checksum.
    """
    try:
        with open_own_to_read(path, buffering=0) as file:
            arrays = _read(file, key, wanted)
    except FileNotFoundError:
        return None
    except (OSError, _DamagedError, MemoryError) as error:
        throw_away(path, str(error))
        return None
    with contextlib.suppress(OSError):  # a cache that can only be read
        os.utime(path)
    return arrays


def is_cache_file(file: BinaryIO) -> bool:
    """Whether a file begins as those of a cache do, or holds nothing at all."""
    head = file.read(len(_MAGIC))
    return head in (_MAGIC, b"")


def throw_away(path: Path, why: str) -> None:
    """Remove a file that cannot be what it should be; a link that has its name is nobody's here,
    and stays."""
    if path.is_symlink():
        return
    log.warning("A damaged cache file was removed and is computed again: %s (%s).", path, why)
    with contextlib.suppress(OSError):
        path.unlink()


def _read(file: BinaryIO, key: str, wanted: Sequence[int] | None) -> tuple[NDArray, ...]:
    magic, length, crc = _START.unpack(_take(file, _START.size).data)
    if magic != _MAGIC or length > _LARGEST_HEADER:
        raise _DamagedError("it does not start as such a file does")
    header = _decoded(_take(file, length), crc)
    if header.key != key:
        raise _DamagedError("it was computed from something else")
    at = _START.size + length
    starts = list(itertools.accumulate((array.nbytes for array in header.arrays), initial=at))
    if os.fstat(file.fileno()).st_size != starts[-1]:
        raise _DamagedError("it has another length")
    numbers = range(len(header.arrays)) if wanted is None else wanted
    if max(numbers, default=-1) >= len(header.arrays):
        raise _DamagedError("it has fewer arrays")
    return tuple(_array(file, header.arrays[i], starts[i]) for i in numbers)


def _decoded(data: NDArray[np.uint8], crc: int) -> _Header:
    if zlib.crc32(data.data) != crc:
        raise _DamagedError("its header does not match its checksum")
    try:
        header = msgspec.json.decode(data.data, type=_Header)
        for array in header.arrays:
            np.empty(0, array.dtype).reshape((0, *array.shape))  # only what numpy can hold
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise _DamagedError("its header cannot be read") from error
    return header


def _array(file: BinaryIO, what: _Array, start: int) -> NDArray:
    file.seek(start)
    data = _take(file, what.nbytes)
    if zlib.crc32(data.data) != what.crc:
        raise _DamagedError("its values do not match their checksum")
    array = data.view(what.dtype).reshape(what.shape)
    array.flags.writeable = False
    return array


def _take(file: BinaryIO, count: int) -> NDArray[np.uint8]:
    """The next `count` bytes."""
    data = np.empty(count, np.uint8)
    left = data.data
    while left:
        got = file.readinto(left)  # type: ignore[attr-defined]
        if not got:
            raise _DamagedError("it ends early")
        left = left[got:]
    return data


def _bytes(array: NDArray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _say_once(error: OSError) -> None:
    why = error.strerror or str(error)
    if why not in _logged:
        _logged.add(why)
        log.warning("Nothing can be kept in the cache (%s: %s). Everything works, but is computed "
                    "anew each time.",
                    error.filename, why)  # fmt: skip
