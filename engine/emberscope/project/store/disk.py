"""Every call by which saved work reaches a disk. Tests put a disk in its place that fails, forgets
or tears.

Journal, lock and save change files through a `Disk` only, so that a test can fail the n-th call for
every n, and can work out what a power cut would have left. What is done is done as in `own_files`:
through no link, and to plain files.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from emberscope.base import own_files
from emberscope.base.files import is_abandoned, part_path, parts_of

# Bytes written by one call of the system, which keeps a large write interruptible
_PIECE = 8 << 20


class Disk:
    """The real one. Every method raises OSError, `own_files.NotOurs` where something else lies
    there."""

    def create(self, path: Path) -> int:
        """A handle on a new, empty file. FileExistsError where there is anything."""
        return own_files.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)

    def append(self, path: Path) -> int:
        """A handle that writes at the end of a file that is there."""
        return own_files.open_own(path, os.O_WRONLY | os.O_APPEND)

    def write(self, handle: int, data: bytes | memoryview) -> None:
        """All of `data`; after an error any part of it may have been written."""
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(handle, left[:_PIECE]):]

    def sync(self, handle: int) -> None:
        """Until what was written outlasts a power cut."""
        os.fsync(handle)

    def close(self, handle: int) -> None:
        """Close a file."""
        os.close(handle)

    def rename(self, old: Path, new: Path) -> None:
        """`old` takes the place of `new`, in one step."""
        own_files.rename(old, new)

    def link(self, old: Path, new: Path) -> None:
        """A second name for a file. FileExistsError where there is anything under the new one;
        OSError also where the file system has no such thing."""
        own_files.link(old, new)

    def remove(self, path: Path) -> None:
        """Delete a file."""
        own_files.remove(path)

    def make_folder(self, path: Path) -> None:
        """A folder in one that is there; fine where it is there."""
        own_files.make_folder(path)

    def remove_folder(self, path: Path) -> None:
        """Delete an empty folder."""
        own_files.remove_folder(path)

    def sync_folder(self, folder: Path) -> None:
        """Until new names in a folder outlast a power cut. Windows cannot open folders; there a
        rename is durable."""
        own_files.sync_folder(folder)

    def copy_mode(self, old: Path, new: Path) -> None:
        """Give a new file the permissions of an old one."""
        own_files.copy_mode(old, new)


DISK = Disk()


def write_new(disk: Disk, path: Path, data: bytes | memoryview) -> None:
    """A new file with `data` in it, synced. Removed again where that fails."""
    handle = disk.create(path)
    try:
        try:
            disk.write(handle, data)
            disk.sync(handle)
        finally:
            disk.close(handle)
    except OSError:
        remove_quietly(disk, path)
        raise


def own_part(disk: Disk, path: Path) -> Path:
    """Where this process writes what is to take the place of `path`: nothing lies there. Raises
    NotOurs, OSError."""
    part = part_path(path)
    kind = own_files.kind_at(part)
    if kind:
        raise own_files.NotOurs(part, kind)
    with contextlib.suppress(FileNotFoundError):  # of an earlier process of this number
        disk.remove(part)
    return part


def remove_quietly(disk: Disk, path: Path) -> None:
    """Remove a file that is in nobody's way should that fail."""
    with contextlib.suppress(OSError):
        disk.remove(path)


def remove_ours(disk: Disk, path: Path, is_ours: Callable[[BinaryIO], bool]) -> None:
    """Remove a file whose content says that it is one of this program; anything else stays, and so
    it does where that fails."""
    with contextlib.suppress(OSError):
        with own_files.open_own_to_read(path) as file:
            ours = is_ours(file)
        if ours:
            disk.remove(path)


def sync_folder_quietly(disk: Disk, folder: Path) -> None:
    """Some network file systems refuse to sync a folder; what is in the files is synced all the
    same."""
    with contextlib.suppress(OSError):
        disk.sync_folder(folder)


def clear_parts(paths: Iterable[Path], *, disk: Disk = DISK) -> None:
    """Remove what killed writers of files of one folder left beside them; those that may still be
    writing are left alone."""
    paths = list(paths)
    with contextlib.suppress(OSError):
        names = own_files.names_in(paths[0].parent)
        for left in (part for path in paths for part in parts_of(path, names)):
            with contextlib.suppress(OSError):
                if is_abandoned(left):
                    disk.remove(left)
