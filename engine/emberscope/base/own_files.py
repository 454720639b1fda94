"""Files of this program in folders that others write to as well.

A journal, a lock, a cache lie where somebody else may have put a link under their name. Nothing
here follows one: the folder is opened first, itself no link, and what is done is done in the folder
that was opened, whatever takes its name meanwhile. What is no plain file is neither opened,
replaced nor removed. Windows does nothing by handles of folders: there each path is looked at
before.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from emberscope.base.files import NotAFile, kind_of_mode

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_BY_HANDLE = bool(_NO_LINK) and os.open in os.supports_dir_fd
_LINKS = tuple(getattr(stat, name, -1)
               for name in ("IO_REPARSE_TAG_SYMLINK", "IO_REPARSE_TAG_MOUNT_POINT"))


class NotOurs(OSError):
    """Where a file or folder of this program goes, something else lies: a link, a folder,
    somebody's file."""

    def __init__(self, path: str | Path, kind: str) -> None:
        super().__init__(errno.EEXIST, f"{Path(path).name} is {kind}", str(path))


def in_real_folder(path: str | Path) -> Path:
    """The path with the links of its folder followed, and its last name as it is."""
    path = Path(path)
    return Path(os.path.realpath(path.parent)) / path.name


def kind_at(path: str | Path) -> str:
    """What lies at a path, in words; "" for a plain file, and where there is nothing. Raises
    OSError."""
    found = status(path)
    return "" if found is None else _kind(found)


def is_own_file(path: str | Path) -> bool:
    """Whether a plain file lies there, and no link to one."""
    try:
        found = status(path)
    except OSError:
        return False
    return found is not None and not _kind(found)


def status(path: str | Path) -> os.stat_result | None:
    """As `os.lstat`, in a folder that is no link; None where there is nothing. Raises NotOurs,
    OSError."""
    path = Path(path)
    try:
        with folder_of(path) as folder:
            return _status(path, folder)
    except FileNotFoundError:
        return None


def open_own(path: str | Path, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """A handle on a plain file; never waits. With O_CREAT a new one, of a mode, where there is
    none.

    Raises NotOurs, FileExistsError as `os.open` does, OSError.
    """
    path = Path(path)
    flags |= _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with folder_of(path) as folder:
        found = _status(path, folder)
        if not flags & os.O_EXCL and not (flags & os.O_CREAT and found is None):
            _refuse(path, found)
        handle = os.open(_name(path, folder), flags, mode, dir_fd=folder)
    kind = kind_of_mode(os.fstat(handle).st_mode)
    if kind:  # it was put there since
        os.close(handle)
        raise NotOurs(path, kind)
    return handle


def open_own_to_read(path: str | Path, *, buffering: int = -1) -> BinaryIO:
    """A plain file open for reading. Raises NotAFile for all else, OSError as `open` does."""
    try:
        handle = open_own(path)
    except NotOurs as error:
        raise NotAFile(path, kind_at(path) or "something else") from error
    return os.fdopen(handle, "rb", buffering=buffering)  # type: ignore[return-value]


def remove(path: str | Path) -> None:
    """Delete a plain file. Raises NotOurs for all else, OSError."""
    path = Path(path)
    with folder_of(path) as folder:
        _refuse(path, _status(path, folder))
        os.unlink(_name(path, folder), dir_fd=folder)  # Path has no handle of a folder


def link(old: str | Path, new: str | Path) -> None:
    """A second name for a plain file. Raises NotOurs, FileExistsError where anything has the new
    name, OSError also where the file system has no such thing."""
    old, new = Path(old), Path(new)
    with folder_of(old) as before, folder_of(new) as after:
        _refuse(old, _status(old, before))
        if before is None or after is None:
            os.link(old, new)
        else:
            os.link(old.name, new.name, src_dir_fd=before, dst_dir_fd=after, follow_symlinks=False)


def rename(old: str | Path, new: str | Path) -> None:
    """A plain file takes the place of another one, or of none, in one step. Raises NotOurs,
    OSError."""
    old, new = Path(old), Path(new)
    with folder_of(old) as before, folder_of(new) as after:
        _refuse(old, _status(old, before))
        found = _status(new, after)
        if found is not None:
            _refuse(new, found)
        os.replace(
            _name(old, before), _name(new, after), src_dir_fd=before, dst_dir_fd=after)


def copy_mode(old: str | Path, new: str | Path) -> None:
    """Give a plain file the permissions of another one. Raises NotOurs, OSError."""
    found = status(old)
    if found is None or not hasattr(os, "fchmod"):
        return
    handle = open_own(new, os.O_WRONLY)
    try:
        os.fchmod(handle, stat.S_IMODE(found.st_mode))
    finally:
        os.close(handle)


def make_folder(path: str | Path) -> None:
    """A folder in one that is there; fine where it is there itself. Raises NotOurs, OSError."""
    path = Path(path)
    with folder_of(path) as folder:
        try:
            os.mkdir(_name(path, folder), dir_fd=folder)
        except FileExistsError:
            found = _status(path, folder)
            if found is None or _is_link(found) or not stat.S_ISDIR(found.st_mode):
                raise NotOurs(path, _words(found)) from None


def remove_folder(path: str | Path) -> None:
    """Delete an empty folder; what is in it keeps it. Raises OSError."""
    path = Path(path)
    with folder_of(path) as folder:
        found = _status(path, folder)
        if found is not None and _is_link(found):
            raise NotOurs(path, _words(found))
        os.rmdir(_name(path, folder), dir_fd=folder)


def names_in(path: str | Path) -> list[str]:
    """Names of what lies in a folder, which is no link. Raises NotOurs, OSError."""
    with opened_folder(Path(path), os.O_RDONLY) as folder:
        return sorted(os.listdir(path if folder is None else folder))  # noqa: PTH208


def sync_folder(path: str | Path) -> None:
    """Until new names in a folder outlast a power cut. Does nothing where folders have no handle.
    Raises OSError."""
    with opened_folder(Path(path), os.O_RDONLY) as folder:
        if folder is not None:
            os.fsync(folder)


@contextmanager
def folder_of(path: Path) -> Iterator[int | None]:
    """As `opened_folder`, of the folder that a path lies in; who may write to it need not be able
    to list it."""
    with opened_folder(path.parent, getattr(os, "O_PATH", os.O_RDONLY)) as folder:
        yield folder


@contextmanager
def opened_folder(folder: Path, flags: int) -> Iterator[int | None]:
    """A handle on a folder that is no link; None where folders have none. Raises NotOurs,
    OSError."""
    if not _BY_HANDLE:
        found = os.lstat(folder)
        if _is_link(found) or not stat.S_ISDIR(found.st_mode):
            raise NotOurs(folder, _words(found))
        yield None
        return
    try:
        handle = os.open(folder, flags | _FOLDER)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and os.path.lexists(folder):
            raise NotOurs(folder, _words(os.lstat(folder))) from error
        raise
    try:
        yield handle
    finally:
        os.close(handle)


def _name(path: Path, folder: int | None) -> str:
    return str(path) if folder is None else path.name


def _status(path: Path, folder: int | None) -> os.stat_result | None:
    try:
        return os.stat(_name(path, folder), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _refuse(path: Path, found: os.stat_result | None) -> None:
    """Raise where there is no plain file."""
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if _kind(found):
        raise NotOurs(path, _kind(found))


def _kind(found: os.stat_result) -> str:
    return "a link" if _is_link(found) else kind_of_mode(found.st_mode)


def _words(found: os.stat_result | None) -> str:
    return (_kind(found) if found else "") or "a file"


def _is_link(found: os.stat_result) -> bool:
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) in _LINKS
