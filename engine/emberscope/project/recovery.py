"""After a crash: what a journal holds, and the project it leads to. h5py is imported where a file is opened."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.files import is_there
from emberscope.base.folders import state_folder
from emberscope.project.disk import DISK, Disk, sync_folder_quietly
from emberscope.project.generations import fingerprint_of, generations
from emberscope.project.journal import (
    Contents,
    Entry,
    array_name,
    arrays_folder,
    count_kinds,
    count_steps,
    journal_path,
    place_of,
    read_header,
    read_journal,
    set_aside_path,
)
from emberscope.project.lock import Lock, clock, holder, take
from emberscope.project.model import Project, Run
from emberscope.project.operations import (
    Operation,
    PutRuns,
    Together,
)
from emberscope.project.unfit_runs import leave_out_unfit

_UNSAVED = "untitled"
_LARGEST_ID = 2**62
_KEPT, _KEPT_BYTES, _KEPT_DAYS = 50, 1 << 30, 30  # of journals in the state folder that were left


class Recoverable(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Work that a project file does not hold.

    journal : the file it is in. project : the project file, None where it was never saved. base : the file that the
    actions go on from, None for an empty project; a generation before where somebody replaced the project meanwhile.
    fingerprint : of `base`, "" for an empty project. entries : the actions. torn : whether the journal ends too early.
    """

    journal: Path
    project: Path | None
    base: Path | None
    fingerprint: str
    entries: list[Entry]
    torn: bool

    @property
    def count(self) -> int:
        """How many steps there are."""
        return count_steps(self.entries)

    @property
    def kinds(self) -> dict[str, int]:
        """As in `journal.count_kinds`."""
        return count_kinds(self.entries)

    @property
    def first(self) -> float:
        """When the first action was, as the clock said."""
        folded = self.entries[0].folded
        return folded.first if folded else self.entries[0].at

    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "journal": str(self.journal), "project": str(self.project or ""), "goes_on_from": str(self.base or ""),
            "actions": self.count, "kinds": self.kinds, "first": self.first, "last": self.entries[-1].at,
            "torn": self.torn,
        }

    def words(self) -> str:
        """One line: "41 actions, first at 10:12, last at 10:42: 38 labels, 2 marks, 1 undone"."""
        actions = "1 action" if self.count == 1 else f"{self.count} actions"
        times = f"first at {clock(self.first)}, last at {clock(self.entries[-1].at)}"
        kinds = ", ".join(f"{count} {'of side information' if kind == 'side' else kind}"
                          for kind, count in self.kinds.items())
        return f"{actions}, {times}: {kinds}"


class Recovered(NamedTuple):
    """A project after `entries`: all of the journal, or those before the first that makes no sense."""

    project: Project
    entries: list[Entry]


def state_journals() -> Path:
    """The folder of journals that cannot lie beside their project. Raises EmberscopeError where it cannot be made."""
    folder = state_folder() / "journals"
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise EmberscopeError(f"it cannot be made: {error.strerror}", where=str(folder)) from error
    return folder


def places(project: Path | None) -> list[Path]:
    """Where the journal of a project may lie, best first: beside it, then in the state folder; one of this process."""
    beside = [journal_path(project)] if project is not None else []
    mark = array_name(memoryview(str(project or "").encode()))[:8]
    name = f"{project.stem if project else _UNSAVED}-{mark}-{os.getpid()}-{os.urandom(3).hex()}.ember-journal"
    try:
        return [*beside, state_journals() / name]
    except EmberscopeError:
        return beside


def look(project: str | Path) -> Recoverable | None:
    """The work that a crash left of a project, None where its file holds everything. For who has its lock.

    Journals in the state folder are left alone while their process runs. Where there are several, the longest counts.
    """
    path = Path(os.path.realpath(project))
    found = [work for work in (_work(journal, path) for journal in _journals(path)) if work is not None]
    return max(found, key=lambda work: work.count, default=None)


def look_unsaved() -> list[Recoverable]:
    """The work that crashes left of projects that were never saved, newest first."""
    found = [work for work in (_work(journal, None) for journal in _journals(None)) if work is not None]
    return sorted(found, key=lambda work: work.entries[-1].at, reverse=True)


def recover(work: Recoverable) -> Recovered:
    """The project as it was when the work stopped. Raises ProjectError where the file it goes on from changed."""
    if work.base is not None and fingerprint_of(work.base) != work.fingerprint:
        raise ProjectError("this file changed meanwhile", where=str(work.base), hint="Look again what there is.")
    count = len(work.entries)
    project, bad = _replayed(work, count)
    if bad is not None:  # what failed may have done the half of it
        project, count = _replayed(work, bad)[0], bad
    return Recovered(project, work.entries[:count])


def claim(work: Recoverable, *, disk: Disk = DISK) -> Lock | None:
    """The right to take the work, until it is released: of several windows only one gets it.

    Raises Locked where another has it, ProjectError where it was taken or left meanwhile.
    """
    lock = take(work.journal, disk=disk)
    if not work.journal.exists():
        if lock is not None:
            lock.release()
        raise ProjectError("this work was taken or left meanwhile", where=str(work.journal))
    return lock


def set_aside(work: Recoverable, *, disk: Disk = DISK) -> Path:
    """Leave the work: its journal stays as NAME.ember-journal~ until the next one is left. Raises ProjectError."""
    try:
        return _leave(work.journal, disk)
    except OSError as error:
        raise ProjectError(f"cannot be set aside: {error.strerror or error}", where=str(work.journal)) from error


def _leave(journal: Path, disk: Disk) -> Path:
    aside = set_aside_path(journal)
    disk.rename(journal, aside)
    with contextlib.suppress(OSError):
        os.utime(aside)  # `prune` counts from here
    sync_folder_quietly(disk, aside.parent)
    return aside


def prune(*, disk: Disk = DISK) -> list[Path]:
    """Remove from the state folder what nobody wanted to have back; returns the journals that went.

    The newest `_KEPT` of them stay, up to `_KEPT_BYTES` together and for `_KEPT_DAYS`. So do journals that somebody
    writes or took, and work that was not answered about yet, however old; journals that hold nothing go. Nobody can
    be asked about work on a project that was removed: after `_KEPT_DAYS` it counts as left.
    """
    try:
        folder, now = state_journals(), time.time()
        for path in folder.glob("*.ember-journal"):
            if now - _age(path) > _KEPT_DAYS * 86400 and _is_without_project(path):
                _leave(path, disk)
        left = sorted(folder.glob("*.ember-journal~"), key=_age, reverse=True)
        empty = [path for path in folder.glob("*.ember-journal") if _is_nothing(path)]
        gone, size = [], 0
        for number, path in enumerate(left):
            size += path.stat().st_size + _size_of(_arrays_of(path))
            if number >= _KEPT or size > _KEPT_BYTES or now - _age(path) > _KEPT_DAYS * 86400:
                gone.append(path)
        gone += [path for path in empty if now - _age(path) > _KEPT_DAYS * 86400]
        for path in gone:
            _remove(path, disk)
    except (EmberscopeError, OSError):
        return []
    return gone


def _age(path: Path) -> float:
    return path.stat().st_mtime


def _arrays_of(journal: Path) -> Path:
    return arrays_folder(journal.with_name(journal.name.removesuffix("~")))


def _size_of(folder: Path) -> int:
    return sum(entry.stat().st_size for entry in folder.iterdir()) if folder.is_dir() else 0


def _is_nothing(journal: Path) -> bool:
    """Whether no process writes or took it, and no step can be read from it."""
    if holder(journal) is not None:
        return False
    try:
        contents = read_journal(journal)
    except ProjectError:
        return True
    except OSError:
        return False
    return contents.header.owner.is_gone() and not contents.entries


def _is_without_project(journal: Path) -> bool:
    """Whether no process writes or took it, and the project and its generations are gone from a folder that is there.

    A drive that is not connected takes the folder with it.
    """
    try:
        header = read_header(journal)
    except (ProjectError, OSError):
        return False
    project = Path(header.project)
    if not header.project or not header.owner.is_gone() or holder(journal) is not None:
        return False
    return is_there(project.parent) and not any(is_there(path) for path in (project, *generations(project)))


def _remove(journal: Path, disk: Disk) -> None:
    disk.remove(journal)
    folder = _arrays_of(journal)
    if not folder.is_dir() or journal.with_name(journal.name.removesuffix("~")).exists():
        return
    for entry in folder.iterdir():
        disk.remove(entry)
    folder.rmdir()


def _replayed(work: Recoverable, count: int) -> tuple[Project, int | None]:
    """The project after the first `count` entries; the number of the first that makes no sense."""
    from emberscope.project.file import load

    project = load(work.base) if work.base is not None else Project()
    for number, entry in enumerate(work.entries[:count]):
        try:
            _step(project, entry)
        except (ProjectError, ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryError):
            leave_out_unfit(project)
            return project, number
    leave_out_unfit(project)
    return project, None


def _step(project: Project, entry: Entry) -> None:
    from emberscope.project.runs import check_run

    assert entry.op is not None
    for run in _runs(entry.op):
        check_run(run)
    if entry.what == "undo":
        project.revert(entry.op)
    else:
        project.apply(entry.op)
    if entry.folded:
        project.reserve(entry.folded.next_id - 1)
        project.reserve_label(entry.folded.next_label - 1)
        project.next_run = max(project.next_run, entry.folded.next_run)
    if not 0 <= max(project.next_id, project.next_label, project.next_run) < _LARGEST_ID:
        raise ProjectError("an id beyond all bounds")


def _runs(operation: Operation) -> Iterator[Run]:
    if isinstance(operation, Together):
        for step in operation.steps:
            yield from _runs(step)
    elif isinstance(operation, PutRuns):
        yield from (*operation.before, *operation.after)


def _journals(project: Path | None) -> list[Path]:
    """Journals that may belong to a project file (None: to none), and that nobody is writing."""
    found = [journal_path(project)] if project is not None else []
    with contextlib.suppress(EmberscopeError):
        found += sorted(state_journals().glob("*.ember-journal"))
    return [journal for journal in found if _belongs(journal, project)]


def _belongs(journal: Path, project: Path | None) -> bool:
    try:
        header = read_header(journal)
    except (EmberscopeError, OSError):
        return False
    beside = project is not None and journal == journal_path(project)  # whatever the project was called then
    return beside or (header.project == str(project or "") and header.owner.is_gone() and holder(journal) is None)


def _work(journal: Path, project: Path | None) -> Recoverable | None:
    try:
        contents = read_journal(journal)
        base = _base(contents, project)
    except (EmberscopeError, OSError):
        return None
    if base is None or not contents.entries[base[2]:]:
        return None
    path, fingerprint, start = base
    return Recoverable(journal=journal, project=project, base=path, fingerprint=fingerprint,
                       entries=contents.entries[start:], torn=contents.torn)


def _base(contents: Contents, project: Path | None) -> tuple[Path | None, str, int] | None:
    """The file that the entries go on from, its fingerprint, and the first entry that it does not hold."""
    starts = {contents.header.base: 0}
    for saved in contents.saved:
        place = place_of(contents.entries, saved.entries)
        if place is not None:
            starts[saved.fingerprint] = place
    for path in (project, *generations(project)) if project is not None else ():
        there = fingerprint_of(path)
        if there is not None and there in starts:
            return path, there, starts[there]
    return (None, "", 0) if "" in starts else None
