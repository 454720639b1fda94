"""A file that is replaced whole: the new one is written beside it, synced, read back, put in its place.

Two generations before it are kept, as NAME~ and NAME~~. Whatever fails, and whenever the computer stops, there is a
whole file under the name: the old one or the new one.
"""

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from emberscope.base.errors import ProjectError
from emberscope.base.files import open_to_read, part_path, read_bytes
from emberscope.project.disk import (
    DISK,
    Disk,
    clear_parts,
    remove_quietly,
    sync_folder_quietly,
    write_new,
)

_PIECE = 4 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class SaveError(ProjectError):
    """A save that failed; the file is as it was before."""


class ChangedOnDisk(SaveError):
    """The file holds something else than what was read or saved here last."""


def generations(path: str | Path) -> list[Path]:
    """The files that keep what was saved before, newest first: NAME~ and NAME~~. They need not be there."""
    path = Path(path)
    return [path.with_name(path.name + "~"), path.with_name(path.name + "~~")]


def fingerprint(data: bytes | memoryview) -> str:
    """What tells one content of a file from another: 32 hex digits. About 1 s per GB."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def fingerprint_of(path: str | Path) -> str | None:
    """The fingerprint of a file's content, None where there is no file. OSError where it cannot be read."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        with open_to_read(path, buffering=0) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


def replace(
    path: Path, content: bytes | memoryview, *, expected: str | None = None,
    before: Callable[[str], None] | None = None, disk: Disk = DISK,
) -> str:
    """Put `content` in the place of the file `path`, whole or not at all; returns its fingerprint.

    Parameters
    ----------
    path : its folder exists; links are resolved.
    content : the whole file.
    expected : fingerprint of the file that may be replaced. ChangedOnDisk where another content is there now; a file
        that is gone stands in nobody's way. None: whatever is there.
    before : called with the new fingerprint as the last thing before the file changes.

    Notes
    -----
    Reading back compares every byte; on Linux the system is asked to forget its copy first, so that what is read comes
    from the disk. Raises SaveError with the way out; then the old file and its generations are there still, and
    nothing else is.
    """
    part, spare = part_path(path), part_path(generations(path)[0])
    try:
        if path.exists() and not path.is_file():  # a device would be replaced by a file, for everybody
            raise OSError(errno.EINVAL, "this is not a file")
        clear_parts(path, disk=disk)
        for mine in (part, spare):  # of an earlier process of the same number
            if mine.exists():
                disk.remove(mine)
        _check_expected(path, expected)
        write_new(disk, part, content)
        _compare(part, memoryview(content))
        if path.exists():
            disk.copy_mode(path, part)
            _keep(path, spare, disk)
        made = fingerprint(content)
        if before is not None:
            before(made)
        disk.rename(part, path)
    except OSError as error:
        raise SaveError(f"cannot save: {_reason(error)}", where=str(path), hint=_way_out(error)) from error
    finally:
        for rubbish in (part, spare):
            if rubbish.exists():
                remove_quietly(disk, rubbish)
    sync_folder_quietly(disk, path.parent)
    return made


def _check_expected(path: Path, expected: str | None) -> None:
    if expected is None:
        return
    there = fingerprint_of(path)
    if there is not None and there != expected:
        what = "somebody else changed this file since it was opened here, so it was not replaced"
        hint = "Save under another name to keep both, or open it again to go on with theirs."
        raise ChangedOnDisk(what, where=str(path), hint=hint)


def _compare(path: Path, content: memoryview) -> None:
    content = content.cast("B")
    with open_to_read(path, buffering=0) as file:
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        at = 0
        while piece := file.read(_PIECE):
            if piece != bytes(content[at:at + len(piece)]):  # views are compared byte by byte, slowly
                break
            at += len(piece)
        if at != len(content):
            raise OSError(errno.EIO, f"what was written cannot be read back at byte {at}")


def _keep(path: Path, spare: Path, disk: Disk) -> None:
    """The old file gets a second name, so that there is a file called `path` at every moment."""
    newer, older = generations(path)
    try:
        disk.link(path, spare)
    except OSError:  # a file system without hard links
        remove_quietly(disk, spare)
        write_new(disk, spare, read_bytes(path))
    if newer.exists():
        disk.rename(newer, older)
    disk.rename(spare, newer)


def _reason(error: OSError) -> str:
    return error.strerror or str(error).splitlines()[0][:160]


def _way_out(error: OSError) -> str:
    unharmed = "The last saved state is unharmed."
    if error.errno in _FULL:
        return f"Free some space and save again, or save to another disk. {unharmed}"
    if error.errno in _FORBIDDEN:
        return f"Save to a folder that you may write to. {unharmed}"
    if error.errno == errno.ENOENT:
        return "The folder is gone: save to another one."
    return f"Save again, or to another disk. {unharmed}"
