"""A file that is replaced whole: the new one is written beside it, synced, read back, put in its
place.

Two generations before it are kept, as NAME~ and NAME~~. Whatever fails, and whenever the computer
stops, there is a whole file under the name: the old one or the new one.
"""

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from emberscope.base import own_files
from emberscope.base.errors import ProjectError
from emberscope.base.files import (
    NotAFile,
    check_file,
    check_folder,
    is_abandoned,
    is_there,
    length_of_name,
    longest_name,
    open_to_read,
    part_path,
    parts_of,
    read_bytes,
    shortened,
    sidecar,
)
from emberscope.project.store.disk import (
    DISK,
    Disk,
    clear_parts,
    own_part,
    remove_quietly,
    sync_folder_quietly,
    write_new,
)

_PIECE = 4 << 20
_KEPT = ".kept"  # the end of the name under which replaced content waits for that of a generation
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class SaveError(ProjectError):
    """A save that failed; the file is as it was before."""


class ChangedOnDisk(SaveError):
    """The file holds something else than what was read or saved here last."""


def generations(path: str | Path) -> list[Path]:
    """The files that keep what was saved before, newest first: NAME~ and NAME~~. They need not be
    there."""
    path = Path(path)
    return [sidecar(path, "~"), sidecar(path, "~~")]


def kept_generations(path: str | Path) -> list[Path]:
    """Those that are there: plain files, and no links to some."""
    return [kept for kept in generations(path) if own_files.is_own_file(kept)]


def check_place(path: Path) -> None:
    """Raise ProjectError where no project file can lie: on a device, a folder, under a name that is
    too long."""
    most, length = longest_name(path.parent), length_of_name(path.name)
    if length > most:
        what = f"the name is too long: {length} bytes, {most} fit here"
        raise ProjectError(what, where=shortened(path.name, most), hint="Choose a shorter one.")
    try:
        if is_there(path):
            check_file(path)
        check_folder(path.parent)
    except NotAFile as error:
        raise ProjectError(str(error.strerror), where=str(path), hint="Choose a file.") from error
    except OSError:  # a file that cannot be read is said where it is read
        return


def check_readable(path: Path) -> None:
    """Raise ProjectError where there is no file at a path, or one that may not be read. Nothing is
    left beside it."""
    check_place(path)
    try:
        check_file(path)
    except FileNotFoundError as error:
        raise ProjectError("there is no such file", where=str(path)) from error
    except OSError as error:
        words = (
            "this file may not be read" if isinstance(error, PermissionError) else error.strerror
        )
        raise ProjectError(words or str(error), where=str(path), hint=advice(path)) from error


def advice(path: Path) -> str:
    """What to do about a project file that cannot be read, "" where no generation before it is
    there."""
    previous = next(iter(kept_generations(path)), None)
    return f"The generation before it is {previous.name}; rename it to open it." if previous else ""


def fingerprint(data: bytes | memoryview) -> str:
    """What tells one content of a file from another: 32 hex digits. About 1 s per GB."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def fingerprint_of(path: str | Path) -> str | None:
    """The fingerprint of a file's content, None where there is no file. OSError where it cannot be
    read."""
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
    before: Callable[[str], None] | None = None, magic: bytes = b"", disk: Disk = DISK,
) -> str:
    """Put `content` in the place of the file `path`, whole or not at all; returns its fingerprint.

    Parameters
    ----------
    path : its folder exists; links are resolved.
    content : the whole file.
    expected : fingerprint of the file that may be replaced. ChangedOnDisk where another content is
        there now; a file that is gone stands in nobody's way. None: whatever is there.
    before : called with the new fingerprint as the last thing before the file changes.
    magic : what every such file begins with. A generation that does not is never given up.

    Notes
    -----
    Reading back compares every byte; on Linux the system is asked to forget its copy first, so that
    what is read comes from the disk. Raises SaveError with the way out; then the old file and its
    generations are there still, and nothing else is.
    """
    kept = None
    try:
        _check_places(path)
        finish(path, disk=disk)
        part = own_part(disk, path)
        try:
            _check_expected(path, expected)
            write_new(disk, part, content)
            _compare(part, memoryview(content))
            if own_files.status(path) is not None:
                disk.copy_mode(path, part)
                kept = _keep(path, disk)
            made = fingerprint(content)
            if before is not None:
                before(made)
            disk.rename(part, path)
        except BaseException:
            for rubbish in (part, kept):
                if rubbish is not None:
                    remove_quietly(disk, rubbish)
            raise
    except OSError as error:
        raise SaveError(
            f"cannot save: {_reason(error)}", where=str(path), hint=_way_out(error)
        ) from error
    sync_folder_quietly(disk, path.parent)
    if kept is not None:
        _rotate(path, kept, magic, disk)
    return made


def finish(path: Path, *, disk: Disk = DISK) -> None:
    """Do what a save did not come to: remove what it left half-written, give the name of a
    generation to the content that it had replaced. What may still be written is left alone."""
    newer = generations(path)[0]
    clear_parts((path, newer), disk=disk)
    try:
        names = own_files.names_in(path.parent)
    except OSError:
        return
    for kept in parts_of(newer, names, _KEPT):
        with contextlib.suppress(OSError):
            if kept != part_path(newer, _KEPT) and not is_abandoned(kept):
                continue
            # It was not replaced, or is kept already
            if fingerprint_of(kept) in map(fingerprint_of, (path, newer)):
                disk.remove(kept)
            else:
                _rotate(path, kept, b"", disk)


def _check_places(path: Path) -> None:
    """Raise NotOurs where something else lies where generations go, NotAFile where it lies in the
    place of the file."""
    kind = own_files.kind_at(path)
    if kind:  # a device would be replaced by a file, for everybody
        raise NotAFile(path, kind)
    for place in generations(path):
        kind = own_files.kind_at(place)
        if kind:
            raise own_files.NotOurs(place, kind)


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
    with own_files.open_own_to_read(path, buffering=0) as file:
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        at = 0
        while piece := file.read(_PIECE):
            # Views are compared byte by byte, slowly
            if piece != bytes(content[at:at + len(piece)]):
                break
            at += len(piece)
        if at != len(content):
            raise OSError(errno.EIO, f"what was written cannot be read back at byte {at}")


def _keep(path: Path, disk: Disk) -> Path:
    """The old file gets a second name before it is replaced, so that there is a file called `path`
    at every moment.

    Not yet that of a generation: as long as the new file is not in its place, none of those is
    given up.
    """
    newer = generations(path)[0]
    kept = part_path(newer, _KEPT)
    try:
        disk.link(path, kept)
    except OSError:  # a file system without hard links
        part = own_part(disk, newer)
        try:
            write_new(disk, part, read_bytes(path))
            disk.rename(part, kept)  # so that what is called so is whole
        except OSError:
            remove_quietly(disk, part)
            raise
    return kept


def _rotate(path: Path, kept: Path, magic: bytes, disk: Disk) -> None:
    """The content that was replaced becomes the newest generation. Where that fails it stays, for
    `finish`."""
    newer, older = generations(path)
    for _ in range(2):  # a disk that fails once
        with contextlib.suppress(OSError):
            if own_files.status(newer) is not None:
                _save_stranger(older, magic, disk)
                disk.rename(newer, older)
            disk.rename(kept, newer)
            return


def _save_stranger(older: Path, magic: bytes, disk: Disk) -> None:
    """What never was a project, but has the name of a generation that goes, is kept under one more
    "~"."""
    if own_files.status(older) is None:
        return
    with own_files.open_own_to_read(older) as file:
        begin = file.read(len(magic))
    if begin and begin != magic:
        goal = older
        while own_files.status(goal) is not None:
            goal = sidecar(goal, "~")
        disk.rename(older, goal)


def _reason(error: OSError) -> str:
    return error.strerror or str(error).splitlines()[0][:160]


def _way_out(error: OSError) -> str:
    unharmed = "The last saved state is unharmed."
    if isinstance(error, own_files.NotOurs):
        return f"Move it away and save again, or save under another name. {unharmed}"
    if isinstance(error, NotAFile):
        return f"Save under another name. {unharmed}"
    if error.errno in _FULL:
        return f"Free some space and save again, or save to another disk. {unharmed}"
    if error.errno in _FORBIDDEN:
        return f"Save to a folder that you may write to. {unharmed}"
    if error.errno == errno.ENOENT:
        return "The folder is gone: save to another one."
    return f"Save again, or to another disk. {unharmed}"
