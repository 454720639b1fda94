"""Transfer of values between the two processes: what is large goes through a file, the rest through
the pipe."""

import contextlib
import mmap
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from emberscope.base.errors import WorkerError
from emberscope.tasks.crossing import Encoded, decoded, encoded

T = TypeVar("T")
INLINE = 1 << 20  # bytes; what is larger goes through a file
_ALIGNED = 64     # parts start at a multiple of this, so that arrays are read in place


class Parcel(msgspec.Struct, frozen=True):
    """An encoded value: `sizes` of its parts, the body first, then its arrays; each starts at a
    multiple of 64 bytes.

    data : the bytes of all, where they are in no file. file : else its name, in the folder of the
    worker.
    """

    sizes: tuple[int, ...]
    data: bytes = b""
    file: str = ""


def write(made: Encoded, folder: Path, *, inline: int = INLINE) -> Parcel:
    """The parcel of an encoded value; one of more than `inline` bytes is written. Raises OSError of
    a full disk."""
    sizes = tuple(map(len, (made.body, *made.arrays)))
    parts = (
        part for data in (made.body, *made.arrays) for part in (data, bytes(-len(data) % _ALIGNED))
    )
    if size_of(made) <= inline:
        return Parcel(sizes, data=b"".join(parts))
    name = f"{uuid.uuid4().hex}.bin"
    try:
        write_parts(folder / name, parts)
    except OSError:
        (folder / name).unlink(missing_ok=True)
        raise
    return Parcel(sizes, file=name)


def size_of(made: Encoded) -> int:
    """Bytes of its parcel, at most."""
    return sum(len(data) + _ALIGNED for data in (made.body, *made.arrays))


def pack(value: object, kind: type, folder: Path) -> Parcel:
    """The parcel of a value of a class. Raises QuestionError where it is of another type,
    WorkerError of a full disk.
    """
    made = encoded(value, kind)
    try:
        return write(made, folder)
    except OSError as error:
        raise no_room(folder, error) from error


def unpack(parcel: Parcel, kind: type[T], folder: Path) -> T:
    """The value of a parcel, once: its file is removed. Arrays are read-only.

    Raises QuestionError where it is not of that class.
    """
    whole = memoryview(_taken(folder / parcel.file) if parcel.file else parcel.data)
    parts, at = [], 0
    for size in parcel.sizes:
        parts.append(whole[at : at + size])
        at += size + -size % _ALIGNED
    return decoded(Encoded(parts[0], tuple(parts[1:])), kind)


def no_room(folder: Path, error: OSError) -> WorkerError:
    """What to say of a value that could not be written for the other process."""
    what = f"data of the job cannot be written: {error.strerror or error}"
    return WorkerError(what, where=str(folder), hint="Free some room there, or clear the caches.")


def discard(parcel: Parcel, folder: Path) -> None:
    """Remove the file of a parcel that no process will open."""
    if parcel.file:
        (folder / parcel.file).unlink(missing_ok=True)


def write_parts(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file, part after part."""
    with path.open("wb") as file:
        file.writelines(parts)


def _taken(path: Path) -> mmap.mmap:
    """A file in memory as far as it is read; its name goes."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    # Windows keeps a mapped file; the folder goes when the worker closes
    with contextlib.suppress(OSError):
        path.unlink()
    return mapped
