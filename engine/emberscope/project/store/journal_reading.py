"""What is whole of a journal: its records one by one, and what is lost between them."""

import os
import re
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.own_files import open_own_to_read
from emberscope.base.text import as_bytes
from emberscope.project.model.operations import Operation, Together
from emberscope.project.model.packing import decode
from emberscope.project.store.journal_frames import Frame, Frames, Gap, exactly
from emberscope.project.store.journal_records import (
    FORMAT,
    VERSION,
    Entry,
    Header,
    Saved,
    array_name,
    count_steps,
    is_array_name,
)

# How the contents of records of all versions begin behind their first byte: a struct is written tag
# first.
_HEADER, _ENTRY = b"\xa6format\xb2emberscope-journal", b"\xa4type\xa5entry"
BEGINNING = re.compile(rb"\xa4type\xa5(?:entry|saved)|" + re.escape(_HEADER))
_WHAT = b"\xa4what"  # a key that each entry has once
# What stands before the tag of an operation: its key, and its length
_TAG = re.compile(rb"\xa2op([\xa0-\xbf])")
_FOLDED = b"\xa6folded"  # a key; behind it stands nil where there is nothing
_MOST = 16  # journals in one file
_TABLES = {as_bytes(str(kind.__struct_config__.tag)): kind.table
           for kind in get_args(Operation) if kind is not Together}


class Contents(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A journal that was read, as far as it is whole.

    header : None where it is damaged; then `mark` says what the journal goes on from, where it is
    not empty.
    entries : in order. With their operations, None where that is the one of an entry that is lost;
        with their numbers, None behind damage that nobody can count.
    torn : something after the last record that is whole. damaged : bytes of the file that are in no
    whole record.
    arrays : how many entries are lost because an array beside the journal is damaged or missing.
    lost : how many steps are known to be lost besides those that are missing between numbers. exact
    : whether that is
        all; otherwise there may be more. doubtful : what those of the lost ones may have changed,
        names of tables, of which that can still be seen; `seen` : how many these are.
    others : how many steps of other journals are in the same file.
    """

    header: Header | None
    mark: bytes = b""
    entries: list[Entry]
    saved: list[Saved]
    torn: bool
    damaged: int = 0
    arrays: int = 0
    lost: int = 0
    exact: bool = True
    doubtful: frozenset[str] = frozenset()
    seen: int = 0
    others: int = 0


def as_header(path: Path, content: bytes) -> Header:
    """The content of a first record. Raises ProjectError where it is none of this or an older
    version."""
    header = decode(content, kind=Header, what="a journal")
    if header.format != FORMAT:
        raise ProjectError("this is not a journal", where=str(path))
    if header.version > VERSION:
        what = f"this journal has version {header.version}; this program reads up to {VERSION}"
        raise ProjectError(what, where=str(path), hint="Update Emberscope.")
    return header


def _tables_in(raw: bytes) -> set[str]:
    """Which tables the operations in damaged bytes may change: their tags say so, or how long these
    are."""
    lengths = {found[1][0] - 0xA0 for found in _TAG.finditer(raw)}
    tables = {table for tag, table in _TABLES.items() if tag in raw or len(tag) in lengths}
    return tables or set(_TABLES.values())


class _Loss(NamedTuple):
    """Something is lost: how many entries, None where nobody knows; how many steps at least;
    whether that is all."""

    entries: int | None
    steps: int
    exact: bool


_NONE = _Loss(0, 0, True)


class _Part:
    """One journal of a file while it is read.

    `tail` is what is lost since the last whole entry. Entries without a number, of older versions,
    are counted: `place` entries and `steps` steps so far, None behind what nobody can count; `lost`
    and `exact` are what is lost there.
    """

    def __init__(self, mark: bytes) -> None:
        self.header: Header | None = None
        self.mark = mark
        self.entries: list[Entry] = []
        self.saved: list[Saved] = []
        self.lost, self.exact, self.tail = 0, True, _NONE
        self._place: int | None = 0
        self._steps: int | None = 0
        self._operations: dict[int, Operation | None] = {}

    def take(self, entry: Entry) -> None:
        """One more entry. Raises ProjectError for one that names no operation."""
        place = self._place if entry.number is None else entry.number
        if entry.number is not None and place in self._operations:
            return  # the same once more
        entry = self._with_operation(entry, place)
        if place is not None:
            self._operations[place] = entry.op
        if entry.number is None:
            entry = msgspec.structs.replace(entry, number=self._steps)
            if self._steps is None:
                self.lost, self.exact = self.lost + self.tail.steps, False
            self._count(_Loss(1, entry.steps, True))
        self.tail = _NONE
        self.entries.append(entry)

    def lose(self, loss: _Loss) -> None:
        """Something is lost here."""
        self._count(loss)
        self.tail = _Loss(None, self.tail.steps + loss.steps, self.tail.exact and loss.exact)

    def in_order(self) -> list[Entry]:
        """Its entries: those with a mark have numbers, and may be in the file in any order."""
        return (
            sorted(self.entries, key=lambda entry: entry.number or 0) if self.mark else self.entries
        )

    def is_same(self, other: "_Part") -> bool:
        """Whether it is the same journal once more."""
        return self is other or (self.mark == other.mark and self.header == other.header)

    def _count(self, loss: _Loss) -> None:
        self._place = (
            None if self._place is None or loss.entries is None else self._place + loss.entries
        )
        self._steps = None if self._steps is None or not loss.exact else self._steps + loss.steps

    def _with_operation(self, entry: Entry, place: int | None) -> Entry:
        if entry.op is not None:
            return entry
        if entry.of is None or entry.of < 0 or (place is not None and entry.of >= place):
            raise ProjectError("a record names no operation")
        operation = self._operations.get(entry.of)
        return msgspec.structs.replace(
            entry, op=operation, of=entry.of if operation is None else None
        )


class Reading:
    """What was read of a journal file so far; `arrays` is the folder beside it."""

    def __init__(self, path: Path, arrays: Path) -> None:
        self._path, self._aside = path, _Arrays(arrays)
        self._parts: list[_Part] = []
        self._current: _Part | None = None
        self._before: list[_Loss] = []  # before the first record
        self._torn, self._damaged, self._arrays = False, 0, 0
        self._doubtful: set[str] = set()
        self._seen = 0

    def take(self, found: Frame | Gap, frames: Frames) -> None:
        """One more frame or gap. Raises ProjectError for a first one of a newer version, or of
        something else."""
        lacking = self._aside.lacking
        self._torn = isinstance(found, Gap) or not self._is_taken(found.content)
        if isinstance(found, Gap):
            self._damaged += found.size
            self._lose(frames.chain(found), frames.raw(found))
        elif self._torn:
            lacks = self._aside.lacking > lacking
            self._arrays += lacks
            self._damaged += 0 if lacks else found.size
            self._lose([found.content], found.content)

    def contents(self) -> list[Contents]:
        """The journals of the file."""
        steps = {id(part): count_steps(part.entries) for part in self._parts}
        return [
            Contents(
                header=part.header,
                mark=part.mark,
                entries=part.in_order(),
                saved=part.saved,
                torn=self._torn,
                damaged=self._damaged,
                arrays=self._arrays,
                lost=part.lost + part.tail.steps,
                exact=part.exact and part.tail.exact,
                doubtful=frozenset(self._doubtful),
                seen=self._seen,
                others=sum(steps[id(other)] for other in self._parts if not other.is_same(part)),
            )
            for part in self._parts
        ]

    def _is_taken(self, content: bytes) -> bool:
        """Whether a whole content makes sense."""
        try:
            if content[1:].startswith(_HEADER):
                self._begin(as_header(self._path, content))
                return True
            record = decode(content, kind=Entry | Saved, what="a record", aside=self._aside)
            part = self._part_of(record.mark)
            if isinstance(record, Saved):
                part.saved.append(msgspec.structs.replace(record, mark=b""))
            else:
                part.take(record)
        except (ProjectError, OSError):
            if content[1:].startswith(_HEADER) and not self._parts:
                raise
            return False
        return True

    def _begin(self, header: Header) -> None:
        known = [part for part in self._parts if header.mark and part.mark == header.mark]
        self._current = known[0] if known else self._new(header.mark)
        self._current.header = self._current.header or header

    def _part_of(self, mark: bytes) -> _Part:
        if self._current is None or (mark and self._current.mark != mark):
            known = [part for part in self._parts if part.mark == mark]
            self._current = known[0] if known else self._new(mark)
            for loss in self._before:
                self._current.lose(loss)
            self._before = []
        return self._current

    def _new(self, mark: bytes) -> _Part:
        if len(self._parts) >= _MOST:
            raise ProjectError("too many journals in one file")
        self._parts.append(_Part(mark))
        return self._parts[-1]

    def _lose(self, contents: list[bytes] | None, raw: bytes) -> None:
        """Something is lost here: `contents` where it is known of what frames, else only bytes."""
        if contents is None or any(content[1:].startswith(_ENTRY) for content in contents):
            self._doubtful |= _tables_in(raw)
        self._seen += max(raw.count(_ENTRY), raw.count(_WHAT))
        loss = _Loss(None, raw.count(_ENTRY), False)
        if contents is not None:
            lost = [content for content in contents if content[1:].startswith(_ENTRY)]
            folded = any(
                content.count(_FOLDED) > content.count(_FOLDED + b"\xc0") for content in lost
            )
            loss = _Loss(len(lost), len(lost), not folded)
        if self._current is not None:
            self._current.lose(loss)
        else:
            self._before.append(loss)


class _Arrays:
    """Takes arrays out of the files beside a journal; each is in memory once, however often it is
    named.

    `lacking` is how often one was asked for that is damaged or not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self.lacking = folder, 0
        self._known: dict[str, memoryview | ValueError] = {}

    def __call__(self, name: str, size: int) -> memoryview:
        found = self._known.get(name)
        if found is None:
            try:
                found = self._read(name, size)
            except ValueError as error:
                found = error
            self._known[name] = found
        if isinstance(found, ValueError):
            self.lacking += 1
            raise found
        if len(found) != size:
            raise ValueError("an array of another size")
        return found

    def _read(self, name: str, size: int) -> memoryview:
        if not is_array_name(name):
            raise ValueError("an array without a name")
        path = self._folder / name
        try:
            with open_own_to_read(path) as file:
                raw = exactly(file.read, size) if os.fstat(file.fileno()).st_size == size else None
        except OSError as error:
            raise ValueError(f"an array is missing: {error}") from error
        if raw is None or array_name(memoryview(raw)) != name:
            raise ValueError("an array is damaged")
        return memoryview(raw)
