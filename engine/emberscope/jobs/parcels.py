"""Transfer of values between the two processes: large arrays through files, the rest through the pipe.

Pickle (protocol 5, buffers apart) is safe here, and only here: both ends are this program, the pipe is private.
"""

import contextlib
import mmap
import pickle
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emberscope.base.errors import WorkerError

INLINE = 1 << 20  # bytes; larger arrays go through a file


@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickled value; its arrays are bytes, or the path of a file that holds them."""

    body: bytes | Path
    buffers: tuple[bytes | Path, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """A pickled value on its way into a parcel: its body, and the bytes of its arrays, where they are in memory."""

    parts: tuple[bytes | memoryview, ...]

    def __len__(self) -> int:
        """Bytes of the largest part."""
        return max(map(len, self.parts))

    def pack(self, folder: Path, *, inline: int = INLINE) -> Parcel:
        """Write what is larger than `inline` bytes. Raises OSError of a full disk."""
        packed: list[bytes | Path] = []
        try:
            for data in self.parts:
                packed.append(_put(data, folder, inline))
        except OSError:
            discard(Parcel(b"", tuple(packed)))
            raise
        return Parcel(packed[0], tuple(packed[1:]))


def contents_of(value: Any) -> Contents:
    """The contents of a value; arrays are not copied. Raises what pickle raises for values without a pickled form."""
    found: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=found.append)
    return Contents((body, *(buffer.raw() for buffer in found)))


def pack(value: Any, folder: Path, *, inline: int = INLINE) -> Parcel:
    """The parcel of a value. Raises what pickle raises for values without a pickled form, OSError of a full disk."""
    return contents_of(value).pack(folder, inline=inline)


def unpack(parcel: Parcel) -> Any:
    """The value of a parcel, once: its files are removed. Arrays are read-only."""
    return pickle.loads(_get(parcel.body), buffers=[_get(buffer) for buffer in parcel.buffers])


def no_room(folder: Path, error: OSError) -> WorkerError:
    """What to say of a value that could not be written for the other process."""
    what = f"data of the job cannot be written: {error.strerror or error}"
    return WorkerError(what, where=str(folder), hint="Free some room there, or clear the caches.")


def discard(parcel: Parcel) -> None:
    """Remove the files of a parcel that no process will open."""
    for part in (parcel.body, *parcel.buffers):
        if isinstance(part, Path):
            part.unlink(missing_ok=True)


def _put(data: bytes | memoryview, folder: Path, inline: int) -> bytes | Path:
    if len(data) <= inline:
        return bytes(data)
    path = folder / f"{uuid.uuid4().hex}.bin"
    try:
        path.write_bytes(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


def _get(part: bytes | Path) -> Any:
    if isinstance(part, bytes):
        return part
    with part.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with contextlib.suppress(OSError):  # Windows keeps a mapped file; the folder goes when the worker closes
        part.unlink()
    return mapped
