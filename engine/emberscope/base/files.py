"""Files: opened for reading only where they are files, written whole or not at all; what killed writers leave."""

import contextlib
import errno
import os
import socket
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from emberscope.base.errors import FormatError
from emberscope.base.text import as_bytes

UNASKED = 64 << 20  # bytes that are unpacked whatever the size of the file
GROWTH = 100
_LARGEST_TABLE = 64 << 20  # bytes; a line takes about 50
_NOT_FILES = ("/proc", "/sys", "/dev")  # what lies there is made up by the system while it is read, and may never end
_KINDS = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
)  # fmt: skip


class NotAFile(OSError):
    """What a path names cannot be read as a file: a folder, a pipe, a device, a terminal."""

    def __init__(self, path: str | Path, kind: str) -> None:
        super().__init__(errno.EINVAL, f"this is {kind}, not a file", str(path))


def open_to_read(path: str | Path, *, buffering: int = -1) -> BinaryIO:
    """A file on a disk, open for reading from its start. The one way in for everything that a person or a file names.

    Links are followed. Never waits, as opening a pipe or a terminal does. Raises NotAFile for all else that has a path,
    OSError as `open` does; a path that no file system can hold is FileNotFoundError. About 30 us.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:  # NUL in a path
        raise FileNotFoundError(errno.ENOENT, "no file has such a name", str(path)) from error
    except OSError as error:
        kind = _kind_of(path)  # sockets and folders elsewhere cannot even be opened
        raise NotAFile(path, kind) if kind else error from error
    kind = _kind(os.fstat(handle), path)
    if kind:
        os.close(handle)
        raise NotAFile(path, kind)
    return os.fdopen(handle, "rb", buffering=buffering)  # type: ignore[return-value]


def is_there(path: str | Path) -> bool:
    """Whether anything lies at a path; False also where no file system can hold such a path."""
    try:
        return Path(path).exists()
    except (ValueError, OSError):  # NUL in it, a name of 70 000 characters
        return False


def check_file(path: str | Path) -> None:
    """Raise as `open_to_read` does: for libraries that open a path themselves."""
    open_to_read(path).close()


def check_folder(path: str | Path) -> None:
    """Raise NotAFile for a folder of views into the system, such as /proc, which nothing is looked for in."""
    if _is_made_up(path):
        raise NotAFile(path, "a view into the system")


def read_bytes(path: str | Path) -> bytes:
    """The whole of a file. Raises as `open_to_read` does."""
    with open_to_read(path) as file:
        return file.read()


def table_lines(path: str | Path, what: str) -> list[str]:
    """The lines of a table, CSV in UTF-8, of `what`, e.g. "distances". Raises FormatError where the file cannot be
    opened, is larger than 64 MiB or is no text."""
    try:
        with open_to_read(path) as file:
            raw = file.read(_LARGEST_TABLE + 1)
    except OSError as error:
        raise FormatError(str(path), None, f"cannot be opened: {error.strerror or error}") from error
    if len(raw) > _LARGEST_TABLE:
        raise FormatError(str(path), None, f"a table of more than {_LARGEST_TABLE >> 20} MB", "Split it.")
    try:
        return raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(str(path), 0, f"no table of {what}", "Save it as CSV in UTF-8.") from error


def check_growth(uri: str, wanted: int, there: int, *, what: str = "a frame") -> None:
    """Refuse to unpack `there` bytes of a file to `wanted` bytes where nobody packs data like that; FormatError.

    Up to 64 MiB anything goes, beyond a hundred times the size of the file: deflate reaches 1032, on zeros only.
    """
    if wanted > max(UNASKED, GROWTH * there):
        words = f"{what} of {wanted >> 20} MiB in a file of {there} bytes is not believed"
        raise FormatError(uri, None, words, "The header may be damaged, or made to fill the memory.")


def _kind_of(path: str | Path) -> str:
    try:
        return _kind(Path(path).stat(), path)
    except OSError:
        return ""


def _kind(status: os.stat_result, path: str | Path) -> str:
    """What it is in words, "" for a file."""
    if stat.S_ISREG(status.st_mode):
        return "a view into the system" if _is_made_up(path) else ""
    return next((words for is_kind, words in _KINDS if is_kind(status.st_mode)), "something else")


def _is_made_up(path: str | Path) -> bool:
    real = f"{os.path.realpath(path)}/"
    inside = os.name == "posix" and real.startswith(tuple(f"{place}/" for place in _NOT_FILES))
    return inside and not real.startswith("/dev/shm/")

PART = ".part"
_OLD_PART_HOURS = 1  # a file of this age is nobody's work in progress


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` at the end, and is removed where writing fails.

    An OSError on the way names `path`, whatever was being done to the file beside it.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a device would be replaced by a file, for everybody
        raise OSError(errno.EINVAL, "this is not a file, so nothing is written there", str(path))
    partial = part_path(path)
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def part_path(path: Path) -> Path:
    """Where a file is written before it takes the place of `path`: beside it, hidden, named after the writer."""
    return path.with_name(f".{path.name}.{_host_mark()}-{os.getpid()}{PART}")


def is_abandoned(part: Path) -> bool:
    """Whether nobody writes to a part any more: its process is dead or, of another computer, it is an hour old.

    Raises OSError where the part is gone.
    """
    host, _, pid = part.name.removesuffix(PART).rpartition(".")[2].partition("-")
    if host == _host_mark() and pid.isdigit():
        import psutil

        return int(pid) != os.getpid() and not psutil.pid_exists(int(pid))
    return abs(time.time() - part.stat().st_mtime) > _OLD_PART_HOURS * 3600


def _host_mark() -> str:
    return f"{zlib.crc32(as_bytes(socket.gethostname())):08x}"
