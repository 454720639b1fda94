"""Every call by which saved work reaches a disk. Tests put a disk in its place that fails, forgets or tears.

Journal, lock and save change files through a `Disk` only, so that a test can fail the n-th call for every n, and can
work out what a power cut would have left.
"""

import contextlib
import os
import shutil
from pathlib import Path

from emberscope.base.files import PART, is_abandoned

_PIECE = 8 << 20     # bytes written by one call of the system, which keeps a large write interruptible


class Disk:
    """The real one. Every method raises OSError."""

    def create(self, path: Path) -> int:
        """A handle on a new, empty file. FileExistsError where there is one."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)

    def append(self, path: Path) -> int:
        """A handle that writes at the end of a file that is there."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))

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
        old.replace(new)

    def link(self, old: Path, new: Path) -> None:
        """A second name for a file. OSError also where the file system has no such thing."""
        os.link(old, new)

    def remove(self, path: Path) -> None:
        """Delete a file."""
        path.unlink()

    def make_folder(self, path: Path) -> None:
        """The folder and those above it; fine where they are there."""
        path.mkdir(parents=True, exist_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Until new names in a folder outlast a power cut. Windows cannot open folders; there a rename is durable."""
        if os.name == "nt":
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def copy_mode(self, old: Path, new: Path) -> None:
        """Give a new file the permissions of an old one."""
        shutil.copymode(old, new)


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


def remove_quietly(disk: Disk, path: Path) -> None:
    """Remove a file that is in nobody's way should that fail."""
    with contextlib.suppress(OSError):
        disk.remove(path)


def sync_folder_quietly(disk: Disk, folder: Path) -> None:
    """Some network file systems refuse to sync a folder; what is in the files is synced all the same."""
    with contextlib.suppress(OSError):
        disk.sync_folder(folder)




def clear_parts(path: Path, *, disk: Disk = DISK) -> None:
    """Remove what killed writers of `path` left beside it; those that may still be writing are left alone."""
    for left in _parts(path):
        with contextlib.suppress(OSError):
            if is_abandoned(left):
                disk.remove(left)


def _parts(path: Path) -> list[Path]:
    try:
        return [entry for entry in path.parent.iterdir()
                if entry.name.startswith(f".{path.name}") and entry.name.endswith(PART)]
    except OSError:
        return []
