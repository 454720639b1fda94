"""The files of a journal: set aside, removed, and the arrays beside it. Only what is of a journal
is ever replaced."""

import contextlib
import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from emberscope.base import own_files
from emberscope.base.files import PART, is_abandoned
from emberscope.project.store.disk import (
    Disk,
    own_part,
    remove_ours,
    remove_quietly,
    sync_folder_quietly,
    write_new,
)
from emberscope.project.store.journal import (
    array_name,
    arrays_folder,
    asides,
    is_array_name,
    set_aside_path,
    without_aside,
)
from emberscope.project.store.journal_reading import BEGINNING

_PIECE = 4 << 20
_HEAD = 64 << 10  # bytes in which a journal says what it is, also where its first record is damaged


def is_journal(file: BinaryIO) -> bool:
    """Whether a file holds records as a journal does, or nothing at all; some may be damaged."""
    head = file.read(_HEAD)
    return not head.strip(b"\0") or BEGINNING.search(head) is not None


def set_aside(disk: Disk, journal: Path) -> Path:
    """Keep a journal as NAME~, in place of the one that was left before. Raises NotOurs,
    OSError."""
    aside = check_aside(journal)
    disk.rename(journal, aside)
    return aside


def check_aside(journal: Path) -> Path:
    """Where a journal is set aside. Raises NotOurs where something else than a journal lies
    there."""
    aside = set_aside_path(journal)
    kind = own_files.kind_at(aside)
    if not kind and own_files.status(aside) is not None:
        with own_files.open_own_to_read(aside) as file:
            kind = "" if is_journal(file) else "a file of somebody else"
    if kind:
        raise own_files.NotOurs(aside, kind)
    return aside


def remove_journal(disk: Disk, journal: Path) -> None:
    """Remove a journal, set aside or not, and the arrays that no other one needs; what fails
    stays."""
    remove_ours(disk, journal, is_journal)
    beside = without_aside(journal)
    if not (asides(beside) or os.path.lexists(beside)):
        remove_arrays(disk, beside)
        with contextlib.suppress(OSError):
            disk.remove_folder(arrays_folder(beside))


def remove_arrays(disk: Disk, journal: Path, *, but: Collection[str] = ()) -> None:
    """Remove the arrays beside a journal, and what killed writers left of some; nothing else that
    lies there."""
    folder = arrays_folder(journal)
    try:
        names = own_files.names_in(folder)
    except OSError:  # none, or a link to a folder of somebody
        return
    for name in names:
        if is_array_name(name) and name not in but:
            remove_ours(disk, folder / name, lambda file, name=name: _hash_of(file) == name)  # type: ignore[misc]
        elif name.endswith(PART) and is_array_name(name[1:].partition(".")[0]):
            with contextlib.suppress(OSError):
                if is_abandoned(folder / name):
                    disk.remove(folder / name)


def size_of_arrays(journal: Path) -> int:
    """Bytes of the arrays beside a journal."""
    folder, size = arrays_folder(journal), 0
    with contextlib.suppress(OSError):
        for name in own_files.names_in(folder):
            found = own_files.status(folder / name)
            size += found.st_size if found is not None else 0
    return size


class Arrays:
    """Writes arrays beside journals. Each is durable before it is named, and written once."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        # Those of which this process knows that they are what their name says
        self._whole: set[Path] = set()

    def put(self, journal: Path, raw: memoryview) -> str:
        """The name of the file that holds these bytes. Raises NotOurs, OSError."""
        name, folder, disk = array_name(raw), arrays_folder(journal), self._disk
        path = folder / name
        if not self._is_there(path, len(raw)):
            if own_files.status(folder) is None:
                disk.make_folder(folder)
                sync_folder_quietly(disk, folder.parent)
            part = own_part(disk, path)
            write_new(disk, part, raw)
            try:
                disk.rename(part, path)
            except OSError:
                remove_quietly(disk, part)
                raise
            sync_folder_quietly(disk, folder)
        self._whole.add(path)
        return name

    def _is_there(self, path: Path, size: int) -> bool:
        """Raises NotOurs where something else has its name."""
        found = own_files.status(path)
        if found is None:
            return False
        if path in self._whole and found.st_size == size:
            return True
        with own_files.open_own_to_read(path) as file:
            if _hash_of(file) == path.name:
                return True
        raise own_files.NotOurs(path, "not what it is named after")


def _hash_of(file: BinaryIO) -> str:
    digest = hashlib.blake2b(digest_size=16)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
