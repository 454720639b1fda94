"""The journal NAME.ember-journal: what was done since the project file was saved, an operation a
record.

Each record lies in a frame (`journal_frames`), its content is MessagePack. The first one is a
`Header`, which names the file that the journal goes on from by its fingerprint; the others are
`Entry` and `Saved`. In a long journal the first entries are replaced by what they come to, one
entry that is `Folded`. Entries that much is built upon may be there twice. Arrays of 64 KiB and
more lie beside it in NAME.ember-journal-arrays, each in a file named after its content.

A journal may be damaged anywhere: what is whole behind the damage is found again, and how much is
not is known because entries carry how many steps came before them. The header may be among what is
damaged: every record carries a mark of its journal, which says of what file that goes on. Nothing
in it is trusted: sizes are compared with the file before memory is taken, arrays with their names;
no code is run.
"""

import os
import re
from pathlib import Path

from emberscope.base.errors import ProjectError
from emberscope.base.files import sidecar
from emberscope.base.own_files import open_own_to_read
from emberscope.project.model.packing import PutAside, encode
from emberscope.project.store.journal_frames import Frame, Frames, Gap, framed
from emberscope.project.store.journal_reading import BEGINNING, Contents, Reading, as_header
from emberscope.project.store.journal_records import (
    VERSION,
    Entry,
    Folded,
    Header,
    Saved,
    What,
    array_name,
    count_kinds,
    count_steps,
    fold,
    is_array_name,
    is_mark_of,
    new_mark,
    place_of,
)

__all__ = [
    "VERSION",
    "Contents",
    "Entry",
    "Folded",
    "Header",
    "Saved",
    "What",
    "array_name",
    "arrays_folder",
    "asides",
    "count_kinds",
    "count_steps",
    "damaged_path",
    "fold",
    "frame",
    "is_array_name",
    "is_damaged_path",
    "is_mark_of",
    "is_whole",
    "journal_path",
    "new_mark",
    "place_of",
    "read_header",
    "read_journal",
    "read_journals",
    "set_aside_path",
    "without_aside",
]

SUFFIX = "-journal"
_DAMAGED = "-damaged"
_IS_DAMAGED = re.compile(rf"{_DAMAGED}(-[0-9]+)?$")
_QUICK = 16 << 20  # bytes of a journal that are looked through while somebody waits
_NOTHING = "this is not a journal, or nothing in it is whole"


def journal_path(project: str | Path) -> Path:
    """Where the journal of a project file lies as long as its folder can be written."""
    return sidecar(Path(project), SUFFIX)


def arrays_folder(journal: Path) -> Path:
    """The folder beside a journal that holds the arrays of its operations."""
    return sidecar(journal, "-arrays")


def set_aside_path(journal: Path) -> Path:
    """Where a journal goes that nobody wanted to have back."""
    return sidecar(journal, "~")


def damaged_path(journal: Path) -> Path:
    """Where a damaged journal is kept: the first name that is free."""
    found, number = sidecar(journal, _DAMAGED), 1
    while os.path.lexists(found):
        number += 1
        found = sidecar(journal, f"{_DAMAGED}-{number}")
    return found


def is_damaged_path(path: Path) -> bool:
    """Whether a path is one of `damaged_path`."""
    return _IS_DAMAGED.search(path.name) is not None


def without_aside(path: Path) -> Path:
    """The journal that a path of `set_aside_path` or `damaged_path` was of, where its name was not
    shortened."""
    return path.with_name(_IS_DAMAGED.sub("", path.name).removesuffix("~"))


def asides(journal: Path) -> list[Path]:
    """What was kept of a journal: one that nobody wanted, damaged ones. They may need its
    arrays."""
    try:
        beside = sorted(journal.parent.iterdir())
    except OSError:
        return []
    return [path for path in beside if path.name != journal.name and _is_aside_of(path, journal)]


def _is_aside_of(path: Path, journal: Path) -> bool:
    damaged = _IS_DAMAGED.search(path.name)
    return path.name == (sidecar(journal, damaged[0]) if damaged else set_aside_path(journal)).name


def frame(record: Header | Entry | Saved, *, aside: PutAside | None = None) -> bytes:
    """One record as it lies in the file. Raises TypeError for an operation that holds what a file
    cannot keep."""
    return framed(encode(record, aside=aside))


def read_header(path: Path) -> Header:
    """The first record. Raises ProjectError where this is no journal of this or an older version;
    OSError."""
    with open_own_to_read(path) as file:
        first = next(iter(Frames(file, os.fstat(file.fileno()).st_size, BEGINNING)), None)
    if not isinstance(first, Frame):
        raise ProjectError(_NOTHING, where=str(path))
    return as_header(path, first.content)


def read_journal(path: Path) -> Contents:
    """The journal of `read_journals`, the longest where there are several. Raises ProjectError
    where there is none."""
    found = read_journals(path)
    if not found:
        raise ProjectError(_NOTHING, where=str(path))
    return max(found, key=lambda contents: count_steps(contents.entries))


def read_journals(path: Path) -> list[Contents]:
    """What is whole of a journal; more than one where other journals were written behind it, none
    where nothing is whole. Raises ProjectError where this is no journal of this or an older
    version; OSError."""
    reading = Reading(path, arrays_folder(path))
    with open_own_to_read(path) as file:
        frames = Frames(file, os.fstat(file.fileno()).st_size, BEGINNING)
        try:
            for found in frames:
                reading.take(found, frames)
        except MemoryError as error:
            raise ProjectError(
                "there is not enough memory to read this journal", where=str(path)
            ) from error
    return reading.contents()


def is_whole(path: Path) -> bool:
    """Whether all of a journal is in whole frames; True for a large one, which nobody has the time
    to look through."""
    try:
        with open_own_to_read(path) as file:
            size = os.fstat(file.fileno()).st_size
            return size > _QUICK or (
                size > 0 and not any(isinstance(f, Gap) for f in Frames(file, size, BEGINNING))
            )
    except OSError:
        return False
