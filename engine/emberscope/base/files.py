"""Files: opened for reading only where they are files, written whole or not at all; what killed
writers leave."""

import contextlib
import errno
import functools
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from emberscope.base.errors import FormatError
from emberscope.base.process.here import is_running, mark

UNASKED = 64 << 20  # bytes that are unpacked whatever the size of the file
GROWTH = 100
# what lies there is made up by the system while it is read, and may never end
_NOT_FILES = ("/proc", "/sys", "/dev")
_KINDS = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a disk"),
)  # fmt: skip


class NotAFile(OSError):
    """What a path names cannot be read as a file: a folder, a pipe, a device, a terminal."""

    def __init__(self, path: str | Path, kind: str) -> None:
        super().__init__(errno.EINVAL, f"this is {kind}, not a file", str(path))


def open_to_read(path: str | Path, *, buffering: int = -1) -> BinaryIO:
    """A file on a disk, open for reading from its start. The one way in for everything that a
    person or a file names.

    Links are followed. Never waits, as opening a pipe or a terminal does. Raises NotAFile for all
    else that has a path, OSError as `open` does; a path that no file system can hold is
    FileNotFoundError. About 30 us.
    """
    try:
        handle = os.open(path,
                         os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
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


def absolute(path: str | Path) -> Path:
    """A path from the root, as those of sources are, which it is compared with; links are kept."""
    return Path(os.path.normpath(Path.cwd() / path))


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
    """Raise NotAFile for a folder of views into the system, such as /proc, which nothing is looked
    for in."""
    if _is_made_up(path):
        raise NotAFile(path, "a view into the system")


def read_bytes(path: str | Path) -> bytes:
    """The whole of a file. Raises as `open_to_read` does."""
    with open_to_read(path) as file:
        return file.read()


def check_growth(uri: str, wanted: int, there: int, *, what: str = "a frame") -> None:
    """Refuse to unpack `there` bytes of a file to `wanted` bytes where nobody packs data like that;
    FormatError.

    Up to 64 MiB anything goes, beyond a hundred times the size of the file: deflate reaches 1032,
    on zeros only.
    """
    if wanted > max(UNASKED, GROWTH * there):
        words = f"{what} of {wanted >> 20} MiB in a file of {there} bytes is not believed"
        raise FormatError(uri, None, words,
                          "The header may be damaged, or made to fill the memory.")


def _kind_of(path: str | Path) -> str:
    try:
        return _kind(Path(path).stat(), path)
    except OSError:
        return ""


def _kind(status: os.stat_result, path: str | Path) -> str:
    """What it is in words, "" for a file."""
    return kind_of_mode(status.st_mode) or ("a view into the system" if _is_made_up(path) else "")


def kind_of_mode(mode: int) -> str:
    """What has such a mode, in words; "" for a plain file."""
    return "" if stat.S_ISREG(mode) else next((words for is_kind, words in _KINDS if is_kind(mode)),
                                              "something else")


def _is_made_up(path: str | Path) -> bool:
    real = f"{os.path.realpath(path)}/"
    inside = os.name == "posix" and real.startswith(tuple(f"{place}/" for place in _NOT_FILES))
    return inside and not real.startswith("/dev/shm/")


PART = ".part"
_OLD_PART_HOURS = 1  # a file of this age is nobody's work in progress
_WRITER = re.compile(r"\.[0-9a-f]{8}-[0-9]+")
_IS_PART = re.compile(rf"\..+{_WRITER.pattern}{re.escape(PART)}")
# bytes that the name of a part has more than that of the file, whatever the number of the process
_PART_ROOM = 26
_LONGEST_NAME = 255  # where the system does not say


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes the place of `path` at the end, and is removed
    where writing fails. What processes that were killed have left beside it goes, too.

    An OSError on the way names `path`, whatever was being done to the file beside it.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a device would be replaced by a file, for everybody
        raise OSError(errno.EINVAL, "this is not a file, so nothing is written there", str(path))
    partial = part_path(path)
    _remove_abandoned(path)
    try:
        _make_empty(partial)
        yield partial
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(partial.lstat().st_mode):
                partial.unlink()


def _remove_abandoned(path: Path) -> None:
    for part in parts_of(path, _parts_found(path.parent)):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(part.lstat().st_mode) and is_abandoned(part):
                part.unlink()


@functools.lru_cache(maxsize=64)
def _parts_found(folder: Path) -> tuple[str, ...]:
    """Names of parts in a folder as this process has found it: looking once is enough for what
    others left, and a folder of very many files is not read again for each."""
    try:
        return tuple(path.name for path in folder.iterdir() if is_part(path.name))
    except OSError:
        return ()


def _make_empty(part: Path) -> None:
    """A new file, so that what is written to this path goes through no link that somebody put
    there."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISREG(part.lstat().st_mode):  # of an earlier process of the same number
            part.unlink()
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def part_path(path: Path, end: str = PART) -> Path:
    """Where a file is written before it takes the place of `path`: beside it, hidden, named after
    the writer."""
    return path.with_name(f"{_part_stem(path)}.{mark()}-{os.getpid()}{end}")


def parts_of(path: Path, names: Iterable[str], end: str = PART) -> list[Path]:
    """Which of the names in the folder of a path are those of its parts, whoever writes them."""
    stem = _part_stem(path)
    return [path.with_name(name) for name in names if name.startswith(stem) and name.endswith(end)
            and _WRITER.fullmatch(name, len(stem), len(name) - len(end))]


def is_part(name: str) -> bool:
    """Whether a name is one of `part_path`, of whatever file and writer."""
    return _IS_PART.fullmatch(name) is not None


def is_abandoned(part: Path) -> bool:
    """Whether nobody writes to a part any more: its process is dead or, of another computer, it is
    an hour old.

    Raises OSError where the part is gone.
    """
    writer, _, pid = part.stem.rpartition(".")[2].partition("-")
    if writer == mark() and pid.isdigit():
        return not is_running(int(pid))
    return abs(time.time() - part.lstat().st_mtime) > _OLD_PART_HOURS * 3600


def sidecar(path: Path, suffix: str) -> Path:
    """The file NAME + suffix beside NAME. Of a name that is too long for that its start, and a hash
    of it all."""
    return path.with_name(shortened(path.name, longest_name(path.parent) - len(suffix)) + suffix)


def longest_name(folder: Path) -> int:
    """How many bytes a name in a folder may have; on Windows so many of its characters, two for
    some."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return _LONGEST_NAME


def length_of_name(name: str) -> int:
    """In the unit of `longest_name`."""
    return (len(name.encode("utf-16-le", "surrogatepass")) // 2 if os.name == "nt"
            else len(os.fsencode(name)))


def shortened(name: str, most: int) -> str:
    """A name, or its start and a hash of it all where it is longer than so many of
    `longest_name`."""
    if length_of_name(name) <= most:
        return name
    told = f"-{hashlib.blake2b(os.fsencode(name), digest_size=6).hexdigest()}"
    while name and length_of_name(name) > most - len(told):
        name = name[:-1]
    return name + told


def _part_stem(path: Path) -> str:
    return f".{shortened(path.name, longest_name(path.parent) - _PART_ROOM)}"
