"""The journal NAME.ember-journal: what was done since the project file was saved, an operation a record.

A record is its length and the CRC-32 of length and content (two little-endian uint32), then the content, MessagePack.
The first one is a `Header`, which names the file that the journal goes on from by its fingerprint; the others are
`Entry` and `Saved`. In a long journal the first entries are replaced by what they come to, one entry that is `Folded`.
Arrays of 64 KiB and more lie beside it in NAME.ember-journal-arrays, each in a file named after its content. A journal
that is torn anywhere is read up to the last whole record. Nothing in it is trusted: sizes are compared with the file
before memory is taken, arrays with their names; no code is run.
"""

import hashlib
import os
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.files import sidecar
from emberscope.base.own_files import open_own_to_read
from emberscope.project.lock import Owner
from emberscope.project.net import Net, kind_of
from emberscope.project.operations import Operation
from emberscope.project.packing import PutAside, decode, encode

SUFFIX = "-journal"
VERSION = 3  # 2 had no side information, 1 no folded entries
_FORMAT = "emberscope-journal"
MAGIC = _FORMAT.encode()  # in the first record of every journal
_FRAME = struct.Struct("<II")
_NAME = re.compile("[0-9a-f]{32}")

What = Literal["do", "undo", "redo"]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the journal goes on from: `base`, the fingerprint of a project file, "" for an empty project."""

    format: str = _FORMAT
    version: int = VERSION
    written_by: str = ""
    project: str = ""  # path of the project file, "" where it was never saved
    base: str = ""
    owner: Owner


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """How many steps an entry stands for, of what kinds (see `count_kinds`), the time of the first, and ids beyond all
    that they used."""

    steps: Annotated[int, msgspec.Meta(ge=1)]
    kinds: dict[str, int]
    first: float
    next_id: int = 0
    next_label: int = 0
    next_run: int = 0


class Entry(msgspec.Struct, frozen=True, kw_only=True, tag="entry", eq=False):
    """One step: an operation that was done, undone or redone, and when (seconds since 1970, as the clock said)."""

    what: What
    at: float
    op: Operation | None = None
    of: int | None = None  # instead of `op`: that of an earlier entry of this journal, counted from 0
    folded: Folded | None = None  # `op` is what several steps come to; `at` is the time of the last

    @property
    def steps(self) -> int:
        """How many steps it stands for."""
        return self.folded.steps if self.folded else 1


class Saved(msgspec.Struct, frozen=True, kw_only=True, tag="saved"):
    """A save that was about to replace the project file: which content, and how many steps are in it."""

    fingerprint: str
    entries: int


class Contents(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A journal that was read. `entries` have their operations; `torn`: something after the last whole record."""

    header: Header
    entries: list[Entry]
    saved: list[Saved]
    torn: bool


def count_steps(entries: Iterable[Entry]) -> int:
    """How many steps these entries are: one may stand for several."""
    return sum(entry.steps for entry in entries)


def count_kinds(entries: Iterable[Entry]) -> dict[str, int]:
    """What the steps changed, and how many each; "undone" and "redone" for those."""
    verbs, counts = {"undo": "undone", "redo": "redone"}, Counter[str]()
    for entry in entries:
        if entry.folded:
            counts.update(entry.folded.kinds)
        else:
            assert entry.op is not None
            counts[verbs.get(entry.what) or kind_of(entry.op)] += 1
    return dict(counts.most_common())


def place_of(entries: Sequence[Entry], steps: int) -> int | None:
    """How many entries the first `steps` steps are; all where there are fewer, None where that is inside of one."""
    for number, entry in enumerate(entries):
        if steps <= 0:
            return number if steps == 0 else None
        steps -= entry.steps
    return len(entries) if steps >= 0 else None


def fold(entries: Sequence[Entry]) -> Entry:
    """One entry for a row of some."""
    net, inside = Net(), [entry.folded for entry in entries if entry.folded]
    for entry in entries:
        assert entry.op is not None
        net.add(entry.op, undone=entry.what == "undo")
    first = entries[0].folded.first if entries[0].folded else entries[0].at
    folded = Folded(steps=count_steps(entries), kinds=count_kinds(entries), first=first,
                    next_id=max(net.next_id, *(one.next_id for one in inside), 0),
                    next_label=max(net.next_label, *(one.next_label for one in inside), 0),
                    next_run=max(net.next_run, *(one.next_run for one in inside), 0))
    return Entry(what="do", at=entries[-1].at, op=net.operation(f"{folded.steps} steps"), folded=folded)


def journal_path(project: str | Path) -> Path:
    """Where the journal of a project file lies as long as its folder can be written."""
    return sidecar(Path(project), SUFFIX)


def arrays_folder(journal: Path) -> Path:
    """The folder beside a journal that holds the arrays of its operations."""
    return sidecar(journal, "-arrays")


def set_aside_path(journal: Path) -> Path:
    """Where a journal goes that nobody wanted to have back."""
    return sidecar(journal, "~")


def frame(record: Header | Entry | Saved, *, aside: PutAside | None = None) -> bytes:
    """One record as it lies in the file. Raises TypeError for an operation that holds what a file cannot keep."""
    content = encode(record, aside=aside)
    length = len(content).to_bytes(4, "little")
    return _FRAME.pack(len(content), zlib.crc32(content, zlib.crc32(length))) + content


def read_header(path: Path) -> Header:
    """The first record. Raises ProjectError where this is no journal of this or an older version; OSError."""
    with open_own_to_read(path) as file:
        return _header(path, _Records(file, os.fstat(file.fileno()).st_size))


def read_journal(path: Path) -> Contents:
    """All whole records. Raises ProjectError where this is no journal of this or an older version; OSError."""
    entries: list[Entry] = []
    saved: list[Saved] = []
    take = _Arrays(arrays_folder(path))
    with open_own_to_read(path) as file:
        size = os.fstat(file.fileno()).st_size
        records = _Records(file, size)
        header = _header(path, records)
        end = records.end  # of the last record that makes sense
        while (content := records.following()) is not None:
            try:
                record = decode(content, kind=Entry | Saved, what="a record", aside=take)
                if isinstance(record, Saved):
                    saved.append(record)
                else:
                    entries.append(_with_operation(record, entries))
            except (ProjectError, OSError, MemoryError):
                break
            end = records.end
    return Contents(header=header, entries=entries, saved=saved, torn=end != size)


def is_array_name(name: str) -> bool:
    """Whether a file beside a journal may be an array of it."""
    return _NAME.fullmatch(name) is not None


def array_name(raw: memoryview) -> str:
    """The name of a file with these bytes: their hash."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def _header(path: Path, records: "_Records") -> Header:
    content = records.following()
    if content is None:
        raise ProjectError("this is not a journal, or nothing in it is whole", where=str(path))
    header = decode(content, kind=Header, what="a journal")
    if header.format != _FORMAT:
        raise ProjectError("this is not a journal", where=str(path))
    if header.version > VERSION:
        what = f"this journal has version {header.version}; this program reads up to {VERSION}"
        raise ProjectError(what, where=str(path), hint="Update Emberscope.")
    return header


class _Records:
    """The contents of whole records, one after the other; `end` is where the last one ended."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size, self.end = file, size, 0

    def following(self) -> bytes | None:
        """The next one, None where there is none."""
        head = _exactly(self._file.read, _FRAME.size)
        if head is None:
            return None
        length, crc = _FRAME.unpack(head)
        end = self.end + _FRAME.size + length
        content = _exactly(self._file.read, length) if end <= self._size else None
        if content is None or zlib.crc32(content, zlib.crc32(head[:4])) != crc:
            return None
        self.end = end
        return content


def _exactly(read: Callable[[int], bytes], count: int) -> bytes | None:
    pieces, missing = [], count
    while missing:
        piece = read(missing)
        if not piece:
            return None
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def _with_operation(entry: Entry, earlier: Sequence[Entry]) -> Entry:
    if entry.op is None:
        if entry.of is None or not 0 <= entry.of < len(earlier):
            raise ProjectError("a record names no operation")
        return msgspec.structs.replace(entry, op=earlier[entry.of].op, of=None)
    return entry


class _Arrays:
    """Takes arrays out of the files beside a journal; each is in memory once, however often it is named."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, memoryview] = {}

    def __call__(self, name: str, size: int) -> memoryview:
        if name not in self._known:
            self._known[name] = self._read(name, size)
        if len(self._known[name]) != size:
            raise ValueError("an array of another size")
        return self._known[name]

    def _read(self, name: str, size: int) -> memoryview:
        if not is_array_name(name):
            raise ValueError("an array without a name")
        path = self._folder / name
        try:
            with open_own_to_read(path) as file:
                raw = _exactly(file.read, size) if os.fstat(file.fileno()).st_size == size else None
        except OSError as error:
            raise ValueError(f"an array is missing: {error}") from error
        if raw is None or array_name(memoryview(raw)) != name:
            raise ValueError("an array is damaged")
        return memoryview(raw)
