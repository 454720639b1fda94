"""After a crash: what a journal holds, and the project it leads to. h5py is imported where a file
is opened."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.files import is_there, shortened
from emberscope.base.folders import state_folder
from emberscope.base.own_files import NotOurs, is_own_file, make_folder, open_own_to_read
from emberscope.base.process.here import is_running
from emberscope.base.text import as_bytes
from emberscope.project.model.project import Project
from emberscope.project.model.unfit_runs import leave_out_unfit
from emberscope.project.store.disk import DISK, Disk, sync_folder_quietly, write_new
from emberscope.project.store.generations import fingerprint_of, generations
from emberscope.project.store.journal import (
    Entry,
    array_name,
    asides,
    damaged_path,
    is_damaged_path,
    journal_path,
    read_header,
    read_journals,
    without_aside,
)
from emberscope.project.store.journal_files import check_aside, remove_journal, size_of_arrays
from emberscope.project.store.lock import Lock, holder, is_left, take
from emberscope.project.store.recoverable import Recoverable, beginning, work_in
from emberscope.project.store.replay import replay

_UNSAVED = "untitled"
_LONGEST_STEM = 100  # bytes of the name of a project in that of its journal in the state folder
_OF_STATE = re.compile(r"-(?P<mark>[0-9a-f]{8})-(?P<pid>[0-9]{1,10})-[0-9a-f]{6}\.ember-journal$")
_KEPT, _KEPT_BYTES, _KEPT_DAYS = 50, 1 << 30, 30  # of journals in the state folder that were left


class Recovered(NamedTuple):
    """A project after `entries`: all of the journal, without those that make no sense and what
    needs them."""

    project: Project
    entries: list[Entry]


def state_journals() -> Path:
    """The folder of journals that cannot lie beside their project. Raises EmberscopeError where it
    cannot be made."""
    folder = Path(os.path.realpath(state_folder())) / "journals"
    try:
        make_folder(folder)
    except OSError as error:
        raise EmberscopeError(f"it cannot be made: {error.strerror}", where=str(folder)) from error
    return folder


def places(project: Path | None) -> list[Path]:
    """Where the journal of a project may lie, best first: beside it, then in the state folder; one
    of this process."""
    beside = [journal_path(project)] if project is not None else []
    stem = shortened(project.stem, _LONGEST_STEM) if project else _UNSAVED
    name = f"{stem}-{_mark(project)}-{os.getpid()}-{os.urandom(3).hex()}.ember-journal"
    try:
        return [*beside, state_journals() / name]
    except EmberscopeError:
        return beside


def look(project: str | Path) -> Recoverable | None:
    """The work that a crash left of a project, None where its file holds everything. For who has
    its lock.

    Journals in the state folder are left alone while their process runs. Where there are several,
    the longest counts.
    """
    path = Path(os.path.realpath(project))
    found = [
        work for work in (work_in(journal, path) for journal in _journals(path)) if work is not None
    ]
    return max(found, key=lambda work: work.count, default=None)


def look_unsaved() -> list[Recoverable]:
    """The work that crashes left of projects that have no file: never saved, or gone since. Newest
    first."""
    found = [
        work for work in (work_in(journal, None) for journal in _journals(None)) if work is not None
    ]
    found += [work for work in map(_work_without_file, _state_journals()) if work is not None]
    return sorted(found, key=lambda work: work.last or 0.0, reverse=True)


def recover(work: Recoverable) -> Recovered:
    """The project as it was when the work stopped. Raises ProjectError where the file it goes on
    from changed."""
    if work.base is not None and fingerprint_of(work.base) != work.fingerprint:
        raise ProjectError(
            "this file changed meanwhile", where=str(work.base), hint="Look again what there is."
        )
    project, entries = replay(partial(beginning, work.base), work.entries)
    leave_out_unfit(project)
    return Recovered(project, entries)


def claim(work: Recoverable, *, disk: Disk = DISK) -> Lock | None:
    """The right to take the work, until it is released: of several windows only one gets it.

    Raises Locked where another has it, ProjectError where it was taken or left meanwhile.
    """
    lock = take(work.journal, disk=disk)
    if not is_own_file(work.journal):
        if lock is not None:
            lock.release()
        raise ProjectError("this work was taken or left meanwhile", where=str(work.journal))
    return lock


def set_aside(work: Recoverable, *, disk: Disk = DISK) -> Path:
    """Leave the work: its journal stays as NAME.ember-journal~ until the next one is left, a
    damaged one as NAME.ember-journal-damaged, which no save removes. Raises ProjectError."""
    with _setting_aside(work.journal):
        return _leave(work.journal, disk, damaged=work.is_damaged)


def check_leaving(work: Recoverable) -> None:
    """Raise ProjectError where `set_aside` would, since something else lies where the journal is
    left."""
    if not work.is_damaged:
        with _setting_aside(work.journal):
            check_aside(work.journal)


@contextlib.contextmanager
def _setting_aside(journal: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "Move it away, and try again." if isinstance(error, NotOurs) else ""
        what = f"cannot be set aside: {error.strerror or error}"
        raise ProjectError(what, where=str(journal), hint=hint) from error


def keep_damaged(journal: Path, *, disk: Disk = DISK) -> Path:
    """Give a damaged journal a second name, NAME.ember-journal-damaged, under which it stays when
    the work goes on; that name. Where there is no room for a copy it has that name only, where
    nothing can be written its old one."""
    for there in asides(journal):
        with contextlib.suppress(OSError):
            # It was taken before, and that process was killed
            if is_own_file(there) and there.samefile(journal):
                return there
    aside = damaged_path(journal)
    ways: tuple[Callable[[], object], ...] = (
        lambda: disk.link(journal, aside), lambda: write_new(disk, aside, _content_of(journal)),
        lambda: disk.rename(journal, aside),
    )  # fmt: skip
    for way in ways:
        with contextlib.suppress(OSError):
            way()
            os.utime(aside)  # `prune` counts from here
            sync_folder_quietly(disk, aside.parent)
            return aside
    return journal


def _content_of(journal: Path) -> bytes:
    with open_own_to_read(journal) as file:
        return file.read()


def _leave(journal: Path, disk: Disk, *, damaged: bool = False) -> Path:
    aside = damaged_path(journal) if damaged else check_aside(journal)
    disk.rename(journal, aside)
    with contextlib.suppress(OSError):
        os.utime(aside)  # `prune` counts from here
    sync_folder_quietly(disk, aside.parent)
    return aside


def prune(*, disk: Disk = DISK) -> list[Path]:
    """Remove from the state folder what nobody wanted to have back; returns the journals that went.

    The newest `_KEPT` of them stay, up to `_KEPT_BYTES` together and for `_KEPT_DAYS`; damaged ones
    for these days, however many. So do journals that somebody writes or took, and work that was not
    answered about yet, however old; journals that hold nothing go. Nobody can be asked about work
    on a project that was removed: after `_KEPT_DAYS` it counts as left.
    """
    try:
        folder, now = state_journals(), time.time()
        for path in _journals_in(folder):
            if now - _age(path) > _KEPT_DAYS * 86400 and _is_without_project(path):
                with contextlib.suppress(NotOurs):  # something else has the name it would get
                    _leave(path, disk)
        left = sorted(_journals_in(folder, "~"), key=_age, reverse=True)
        empty = [path for path in _journals_in(folder) if _is_nothing(path)]
        gone, size = [], 0
        for number, path in enumerate(left):
            size += path.stat().st_size + size_of_arrays(without_aside(path))
            if number >= _KEPT or size > _KEPT_BYTES or now - _age(path) > _KEPT_DAYS * 86400:
                gone.append(path)
        damaged = [
            path for path in sorted(folder.iterdir()) if is_damaged_path(path) and is_own_file(path)
        ]
        gone += [path for path in (*empty, *damaged) if now - _age(path) > _KEPT_DAYS * 86400]
        for path in gone:
            remove_journal(disk, path)
    except (EmberscopeError, OSError):
        return []
    return gone


def _journals_in(folder: Path, end: str = "") -> list[Path]:
    """Plain files that are called as journals are; links and folders of such names are nobody's
    here."""
    return [path for path in sorted(folder.glob(f"*.ember-journal{end}")) if is_own_file(path)]


def _age(path: Path) -> float:
    return path.lstat().st_mtime


def _is_nothing(journal: Path) -> bool:
    """Whether no process writes or took it, and no step can be read from it."""
    if holder(journal) is not None:
        return False
    try:
        found = read_journals(journal)
    except (ProjectError, OSError):  # of a newer version, or not to be read now
        return False
    owners = [part.header.owner for part in found if part.header is not None]
    return not any(part.entries for part in found) and all(
        is_left(owner, journal) for owner in owners
    )


def _is_without_project(journal: Path) -> bool:
    """Whether no process writes or took it, and the project and its generations are gone from a
    folder that is there.

    A drive that is not connected takes the folder with it.
    """
    try:
        header = read_header(journal)
    except (ProjectError, OSError):
        return False
    project = Path(header.project)
    if not header.base:  # it needs no file, and is offered
        return False
    if not header.project or not is_left(header.owner, journal) or holder(journal) is not None:
        return False
    return is_there(project.parent) and not any(
        is_there(path) for path in (project, *generations(project))
    )


def _journals(project: Path | None) -> list[Path]:
    """Journals that may belong to a project file (None: to none), and that nobody is writing."""
    found = [journal_path(project)] if project is not None else []
    return [journal for journal in (*found, *_state_journals()) if _belongs(journal, project)]


def _state_journals() -> list[Path]:
    try:
        return _journals_in(state_journals())
    except EmberscopeError:
        return []


def _work_without_file(journal: Path) -> Recoverable | None:
    """Work that needs no file, of a project that is not there any more."""
    try:
        header = read_header(journal)
    except (EmberscopeError, OSError):
        return None
    if (
        not header.project
        or header.base
        or not is_left(header.owner, journal)
        or holder(journal) is not None
    ):
        return None
    project = Path(header.project)
    if any(is_there(path) for path in (project, *generations(project))):
        return None  # it is offered where the project is opened
    return work_in(journal, project)


def _belongs(journal: Path, project: Path | None) -> bool:
    # Whatever the project was called then
    if project is not None and journal == journal_path(project):
        return True
    try:
        header = read_header(journal)
    except EmberscopeError:
        return _is_named_after(journal, project) and holder(journal) is None
    except OSError:
        return False
    return (
        header.project == str(project or "")
        and is_left(header.owner, journal)
        and holder(journal) is None
    )


def _is_named_after(journal: Path, project: Path | None) -> bool:
    """Whether the name of a journal in the state folder is one of `places`, and of a process that
    is gone."""
    found = _OF_STATE.search(journal.name)
    return (
        found is not None and found["mark"] == _mark(project) and not is_running(int(found["pid"]))
    )


def _mark(project: Path | None) -> str:
    """What the names of journals of a project in the state folder have in common."""
    return array_name(memoryview(as_bytes(str(project or ""))))[:8]
