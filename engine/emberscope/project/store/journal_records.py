"""What a journal holds: records of steps and of saves, and what a row of steps comes to."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Annotated, Literal

import msgspec

from emberscope.project.model.net_effect import Net, main_kind
from emberscope.project.model.next_ids import NextIds
from emberscope.project.model.operations import Operation
from emberscope.project.store.lock import Owner

# 5 had no polygons, ellipses and lines, 4 no columns, 3 no numbers and marks, 2 no side
# information, 1 no folded entries
VERSION = 6
FORMAT = "emberscope-journal"
_MARK = 8  # bytes
_ARRAY = re.compile("[0-9a-f]{32}")

What = Literal["do", "undo", "redo"]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the journal goes on from: `base`, the fingerprint of a project file, "" for an empty
    project."""

    format: str = FORMAT
    version: int = VERSION
    written_by: str = ""
    project: str = ""  # path of the project file, "" where it was never saved
    base: str = ""
    owner: Owner
    mark: bytes = b""  # of all records of this journal, see `new_mark`


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """How many steps an entry stands for, of what kinds (see `count_kinds`), the time of the first,
    and ids beyond all that they used."""

    steps: Annotated[int, msgspec.Meta(ge=1)]
    kinds: dict[str, int]
    first: float
    next_id: int = 0
    next_label: int = 0
    next_run: int = 0

    @property
    def next_ids(self) -> NextIds:
        """Ids beyond all that they used."""
        return NextIds(self.next_id, self.next_label, self.next_run)


class Entry(msgspec.Struct, frozen=True, kw_only=True, tag="entry", eq=False):
    """One step: an operation that was done, undone or redone, and when (seconds since 1970, as the
    clock said)."""

    what: What
    at: float
    op: Operation | None = None
    # Instead of `op`: that of an earlier entry of this journal, by its number
    of: int | None = None
    folded: Folded | None = None  # `op` is what several steps come to; `at` is the time of the last
    # How many steps came before it in this journal
    number: Annotated[int, msgspec.Meta(ge=0, lt=2**62)] | None = None
    mark: bytes = b""
    # `op` does nothing, since no file can keep what the step did; what it changed, as `kind_of`
    left_out: str = ""

    @property
    def steps(self) -> int:
        """How many steps it stands for."""
        return self.folded.steps if self.folded else 1


class Saved(msgspec.Struct, frozen=True, kw_only=True, tag="saved"):
    """A save that was about to replace the project file: which content, and how many steps are in
    it."""

    fingerprint: str
    entries: int
    mark: bytes = b""


def count_steps(entries: Iterable[Entry]) -> int:
    """How many steps these entries are: one may stand for several."""
    return sum(entry.steps for entry in entries)


def count_kinds(entries: Iterable[Entry]) -> dict[str, int]:
    """What the steps changed above all, and how many each; "undone" and "redone" for those."""
    verbs, counts = {"undo": "undone", "redo": "redone"}, Counter[str]()
    for entry in entries:
        if entry.folded:
            counts.update(entry.folded.kinds)
        else:
            assert entry.op is not None
            counts[verbs.get(entry.what) or main_kind(entry.op)] += 1
    return dict(counts.most_common())


def place_of(entries: Sequence[Entry], steps: int) -> int | None:
    """How many entries the first `steps` steps are; all where there are fewer, None where that is
    inside of one."""
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
    ids = reduce(NextIds.beyond, (one.next_ids for one in inside), net.next_ids)
    steps = count_steps(entries)
    return Entry(what="do", at=entries[-1].at, op=net.operation(f"{steps} steps"),
                 folded=folded(steps, count_kinds(entries), first, ids))


def folded(steps: int, kinds: dict[str, int], first: float, ids: NextIds) -> Folded:
    """What an entry stands for that took ids before `ids`."""
    return Folded(
        steps=steps,
        kinds=kinds,
        first=first,
        next_id=ids.record,
        next_label=ids.label,
        next_run=ids.run,
    )


def array_name(raw: memoryview) -> str:
    """The name of a file with these bytes: their hash."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def is_array_name(name: str) -> bool:
    """Whether a file beside a journal may be an array of it."""
    return _ARRAY.fullmatch(name) is not None


def new_mark(base: str) -> bytes:
    """A mark for a journal that goes on from the file of that fingerprint."""
    return _start_of_mark(base) + os.urandom(_MARK // 2)


def is_mark_of(mark: bytes, base: str) -> bool:
    """Whether a journal with this mark goes on from the file of that fingerprint."""
    return len(mark) == _MARK and mark.startswith(_start_of_mark(base))


def _start_of_mark(base: str) -> bytes:
    return hashlib.blake2b(base.encode(), digest_size=_MARK // 2).digest()
