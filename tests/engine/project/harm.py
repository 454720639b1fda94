"""Journals that are altered between a kill and the next start, and whether anything of them is lost
without a word.

What is whole in an altered journal is found without the reader of the program: a record is whole
where its bytes are in the file.
"""

import contextlib
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from emberscope.project import Project
from emberscope.project.model.compare import same, same_project
from emberscope.project.model.net_effect import Net, value_of
from emberscope.project.model.next_ids import NextIds
from emberscope.project.store.journal import arrays_folder, journal_path
from emberscope.project.store.open_project import OpenProject
from emberscope.project.store.recoverable import Recoverable, beginning, work_in
from emberscope.project.store.recovery import look_unsaved, state_journals


@dataclass(frozen=True, slots=True)
class Altered:
    """One altered journal: how it was altered; actions in it; those that came back; whole ones that
    neither came back nor were counted; whether nothing was said; whether the project is one that no
    row of its actions leads to."""

    how: str
    actions: int
    back: int
    silent: int
    unsaid: bool
    unexplained: bool


def flip(data: bytes, draw: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        out[draw.randrange(len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[:draw.randrange(len(data))]


def zero(data: bytes, draw: random.Random) -> bytes:
    size = draw.choice((16, 64, 512, 4096))
    at = draw.randrange(len(data))
    return data[:at] + bytes(len(data[at:at + size])) + data[at + size:]


def append(data: bytes, draw: random.Random) -> bytes:
    return data + draw.choice(
        (bytes(4096), draw.randbytes(draw.choice((1, 7, 300))), data[: len(data) // 3])
    )


def take_out(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + data[at + draw.choice((1, 100, 1000)):]


HARM = (flip, flip, cut, zero, append, take_out)


def places(data: bytes) -> list[int]:
    """Where the records of a whole journal begin, and its end."""
    found = [0]
    while found[-1] < len(data):
        found.append(found[-1] + 8 + struct.unpack_from("<I", data, found[-1])[0])
    return found


def records(whole: bytes) -> dict[int, tuple[bytes, int]]:
    """The bytes of each entry of a whole journal, and how many steps it stands for, by its
    number."""
    found, ends = {}, places(whole)
    for start, end in pairwise(ends):
        record = msgspec.msgpack.decode(whole[start + 8:end])
        if record.get("type") == "entry":
            found[record["number"]] = (
                whole[start:end],
                record["folded"]["steps"] if record["folded"] else 1,
            )
    return found


def is_rows_of(data: bytes, whole: bytes) -> bool:
    """Whether nobody can see that data were altered: they are records of the whole journal, and
    nothing else."""
    ends = places(whole)
    known, at = {whole[start:end] for start, end in pairwise(ends)}, 0
    while at < len(data):
        length = struct.unpack_from("<I", data, at)[0] if at + 8 <= len(data) else 0
        if data[at:at + 8 + length] not in known:
            return False
        at += 8 + length
    return at > 0


def journal_of(path: Path) -> tuple[Path, Path | None] | None:
    """The journal that a killed process left of a project, and the project where it was ever
    saved."""
    if path.exists():
        return (journal_path(path), path) if journal_path(path).exists() else None
    left = list(state_journals().glob("*.ember-journal"))
    return (left[0], None) if left else None


def altered(path: Path, draw: random.Random) -> Altered | None:
    """Alter the journal that a killed process left, and take what comes back; None where it left
    none."""
    there = journal_of(path)
    before = work_in(*there) if there is not None else None
    if before is None or not before.entries:
        return None
    journal, whole, how = before.journal, before.journal.read_bytes(), draw.choice(HARM)
    wanted = {number: there for number, there in records(whole).items()
              if number in {entry.number for entry in before.entries}}
    folder = arrays_folder(journal)
    arrays = [array for array in (sorted(folder.iterdir()) if folder.is_dir() else [])
              if any(array.name.encode() in record for record, _ in wanted.values())]
    if arrays and draw.random() < 0.2:
        data, array = whole, draw.choice(arrays)
        array.write_bytes(flip(array.read_bytes(), draw))
        words = "array"
    else:
        data, words = how(whole, draw), how.__name__
        journal.write_bytes(data)
    opened, work = _opened(path)
    steps = sum(count for record, count in wanted.values() if record in data)
    counted = (
        work.count + work.needing + (work.lost if words == "array" else 0)
        if work is not None
        else 0
    )
    project = opened.project
    opened.close()
    return Altered(
        words,
        before.count,
        work.count if work is not None else 0,
        max(steps - counted, 0),
        unsaid=(work is None or not work.is_damaged)
        and not (data is not whole and is_rows_of(data, whole)),
        unexplained=not (work is None or not work.entries or is_explained(before, work, project)),
    )


def _opened(path: Path) -> tuple[OpenProject, Recoverable | None]:
    """As a window opens it; with what comes back."""
    if path.exists():
        opened = OpenProject.at(path)
        work = opened.recoverable or opened.unreadable
        if opened.recoverable is not None:
            opened.recover()
        return opened, work
    left = look_unsaved()
    usable = [work for work in left if work.entries]
    opened = OpenProject.recovered(usable[0]) if usable else OpenProject()
    return opened, (usable or left or [None])[0]


def is_explained(before: Recoverable, work: Recoverable, project: Project) -> bool:
    """Whether a project is where the actions that came back lead, each made on what it was made on,
    none other."""
    known, reached = {entry.number: entry for entry in before.entries}, beginning(work.base)
    for entry in work.entries:
        net = Net()
        net.add(entry.op, undone=entry.what == "undo")
        if not same(entry.op, known[entry.number].op) or entry.what != known[entry.number].what:
            return False
        if not all(
            same(value_of(reached, *place), _plain(place, write.before))
            for place, write in net.writes.items()
        ):
            return False
        (reached.revert if entry.what == "undo" else reached.apply)(entry.op)
    for each in (reached, project):
        each.next_ids = NextIds()
    return same_project(reached, project)


def _plain(place: tuple, value: object) -> object:
    return sorted(set(value)) if place[0] == "selections" and value is not None else value


@contextlib.contextmanager
def small_disk(folder: Path, mebibytes: int) -> Iterator[bool]:
    """A file system of that size at a folder; False where this user may not mount one."""
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)]
    mounted = (
        shutil.which("mount") is not None
        and subprocess.run(words, capture_output=True).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
