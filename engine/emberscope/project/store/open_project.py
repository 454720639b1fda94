"""One project that is open for work: its file, its lock and its journal, so that a window only says
what happened.

h5py is imported where a file is opened.
"""

import contextlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from emberscope.base.errors import ProjectError
from emberscope.base.files import is_there, longest_name, shortened
from emberscope.project.model.operations import Operation
from emberscope.project.model.project import Project
from emberscope.project.store.disk import DISK, Disk, clear_parts
from emberscope.project.store.generations import (
    SaveError,
    check_place,
    check_readable,
    fingerprint_of,
    finish,
)
from emberscope.project.store.journal import Entry, Saved, What, journal_path
from emberscope.project.store.journal_writer import Book, Journal
from emberscope.project.store.lock import Lock, Locked, Owner, lock_path, take
from emberscope.project.store.own_sources import allow, withhold
from emberscope.project.store.recoverable import Recoverable
from emberscope.project.store.recovery import (
    check_leaving,
    claim,
    keep_damaged,
    look,
    places,
    recover,
    set_aside,
)
from emberscope.project.store.whole_project import as_saved

log = logging.getLogger(__name__)


class OpenProject:
    """A project and everything that keeps its work.

    Attributes
    ----------
    project : Project. Change it through operations and say so: `did`, `undid`, `redid`.
    path : Path or None. Its file; None where it was never saved.
    held_by : Owner or None. Who else has it open: then it cannot be saved under its own name.
    recoverable : Recoverable or None. What a crash left; to be answered by `recover`,
        `open_without` or `keep_both` before the first change.
    unreadable : Recoverable or None. A journal of which nothing comes back: there is nothing to
    ask, only to say.
    kept : Path or None. Where a damaged journal is kept, once it was taken or left.
    recovered_steps : int. How many steps of the work that was taken are in the project.

    Notes
    -----
    `did`, `undid`, `redid` and `position` take some microseconds, from one thread. `save` takes as
    long as the disk does; call it from a thread of its own, one at a time, with a copy that does
    not change.
    """

    def __init__(self, *, disk: Disk = DISK) -> None:
        self.project = Project()
        self.path: Path | None = None
        self.held_by: Owner | None = None
        self.recoverable: Recoverable | None = None
        self.unreadable: Recoverable | None = None
        self.kept: Path | None = None
        self.recovered_steps = 0  # of the work that was taken
        self._fingerprint = ""
        self._lock: Lock | None = None
        self._claim: Lock | None = None  # of the journal that was taken
        self._disk = disk
        self._journal = Journal(Book(places(None), disk=disk))

    @classmethod
    def at(cls, path: str | Path, *, anyway: bool = False, disk: Disk = DISK) -> "OpenProject":
        """Read a project file, lock it where nobody has, and look for what a crash left. Raises
        ProjectError.

        anyway : take the lock from whoever has it, on a person's word: that computer is gone.
        """
        opened, path = cls(disk=disk), real_path(path)
        check_readable(path)  # before there is a lock beside it
        try:
            opened._lock = take(path, anyway=anyway, disk=disk)
        except Locked as locked:
            opened.held_by = locked.owner
        try:
            opened._read(path)
        except BaseException:
            opened._release()
            raise
        log.info(
            "opened %s%s", path, f", held by {opened.held_by}" if opened.held_by is not None else ""
        )
        return opened

    @classmethod
    def recovered(cls, work: Recoverable, *, disk: Disk = DISK) -> "OpenProject":
        """Go on with work that was never saved (see `recovery.look_unsaved`). Raises
        ProjectError."""
        opened = cls(disk=disk)
        opened.recoverable = work
        try:
            opened.recover()
        except BaseException:
            opened._let_claim_go()
            raise
        return opened

    @property
    def damage(self) -> str:
        """What to say of a journal of which nothing comes back, in one line; "" where there is
        none."""
        if self.unreadable is None:
            return ""
        kept = f" It is kept as {self.kept}." if self.unreadable.is_damaged else ""
        return f"{self.unreadable.damage()}.{kept}"

    # --- what a crash left

    def recover(self) -> Project:
        """Take it; the journal goes on, so that a second crash loses nothing either. Raises
        ProjectError."""
        work = self._wanted()
        if self._lock is None:  # which guards it else
            self._claim = claim(work, disk=self._disk)
        self.project, entries = recover(work)
        damaged = work.is_damaged or len(entries) < len(work.entries)
        self.kept = keep_damaged(work.journal, disk=self._disk) if damaged else None
        if work.project is not None:  # a journal beside a project came from wherever that came from
            withhold(self.project, work.project)
        self._fingerprint, self.recoverable = work.fingerprint, None
        self.recovered_steps = work.taken(entries)
        # Else it stays, or has gone aside
        mine = self.kept != work.journal and work.journal.exists()
        self._journal = Journal(self._book(entries, work.journal if mine else None))
        if not mine:
            self._journal.flush()
        log.info("recovered %d of %d steps from %s", work.taken(entries), work.count, work.journal)
        return self.project

    def open_without(self) -> None:
        """Leave it. The journal is kept as NAME.ember-journal~ until the next one is left, a
        damaged one for longer. Raises ProjectError."""
        work = self._wanted()
        aside = set_aside(work, disk=self._disk)
        log.info("opened without the work that a crash left: it is %s", aside)
        self.recoverable, self.kept = None, aside if work.is_damaged else None

    def keep_both(self, path: str | Path | None = None) -> Path:
        """Write it to a project file of its own, [NAME recovered.ember], and leave it here. Raises
        ProjectError."""
        work = self._wanted()
        beside = work.project or work.journal
        goal = (
            Path(path)
            if path is not None
            else free_path(beside.with_suffix(".ember"), " recovered")
        )
        aside = keep(work, goal, disk=self._disk)
        self.recoverable, self.kept = None, aside if work.is_damaged else None
        return goal

    # --- what happens

    def did(self, operation: Operation) -> None:
        """An operation was applied for the first time."""
        self._append("do", operation)

    def undid(self, operation: Operation) -> None:
        """An operation was reverted."""
        self._append("undo", operation)

    def redid(self, operation: Operation) -> None:
        """An operation was applied again."""
        self._append("redo", operation)

    @property
    def position(self) -> int:
        """How many steps were said so far: to be read together with the copy that `save` gets."""
        return self._journal.position

    @property
    def trouble(self) -> str:
        """What keeps work from being kept, in one line with the way out; "" where nothing does. Ask
        now and then."""
        self._need_no_file()
        return self._journal.trouble

    def flush(self, *, seconds: float = 5.0) -> bool:
        """Wait until every step is on the disk. False where that takes longer, or fails."""
        done = self._journal.flush(seconds=seconds)
        return self._journal.flush(seconds=seconds) if self._need_no_file() else done

    # --- out

    def save(
        self,
        project: Project,
        position: int,
        path: str | Path | None = None,
        *,
        anyway: bool = False,
    ) -> None:
        """Write a copy of the project that was made at `position`; later steps stay in the journal.

        Parameters
        ----------
        path : where to; None is its own file. Another one becomes its own.
        anyway : replace a file that somebody else changed, on a person's word; theirs stays as
        NAME.ember~.

        Raises Locked where somebody else has that file open, ChangedOnDisk where somebody else
        changed it, SaveError for everything else; then nothing changed. All three are ProjectErrors
        with the way out.
        """
        from emberscope.project.store.file import save

        goal = self.path if path is None else real_path(path)
        if goal is None:
            raise SaveError("the project has no file yet", hint="Save it under a name.")
        check_place(goal)
        own = goal == self.path
        lock = self._own_lock(goal) if own else take(goal, disk=self._disk)
        try:
            made = save(
                project,
                goal,
                expected=self._fingerprint if own and not anyway else None,
                disk=self._disk,
                before=(lambda made: self._announce(made, position)) if own else None,
            )
        except BaseException as error:
            if not own and lock is not None:
                lock.release()
            log.warning("not saved: %s", goal, exc_info=error)
            raise
        log.info("saved %s", goal)
        if not own:
            self._release()
            self.held_by = None
        self.path, self._lock, self._fingerprint = goal, lock, made
        self._journal.rebase(self._places(), base=made, project=str(goal), position=position)
        self._let_claim_go()

    def read_theirs(self) -> tuple[Project, str]:
        """What somebody else wrote into the file, for `merge`, and its fingerprint. Changes nothing
        here, in whatever thread. Raises ProjectError."""
        if self.path is None:
            raise ProjectError("the project has no file yet")
        return _read_whole(self.path)

    def merge(self, theirs_read: tuple[Project, str] | None = None) -> Project:
        """Take what somebody else wrote into the file, and do over on it, as one step, what was
        done here since.

        theirs_read : of `read_theirs`, where that was asked before in another thread. Raises
        BothChanged where both changed the same thing, ProjectError where their file cannot be read;
        then nothing changed here. See `project.store.merging` for what merges.
        """
        from emberscope.project.store.merging import merged

        theirs, fingerprint = theirs_read or self.read_theirs()
        entries = self._journal.entries()
        if entries is None:
            raise ProjectError(
                "the disk of the journal does not answer",
                hint="Save under another name to keep both.",
            )
        operation = merged(entries, theirs)
        theirs.apply(operation)
        steps = [Entry(what="do", at=time.time(), op=operation)] if operation.steps else []
        self._journal.start_over(steps, base=fingerprint)
        self.project, self._fingerprint = theirs, fingerprint
        return theirs

    def close(self, *, discard: bool = False, seconds: float = 5.0) -> None:
        """Let go. `discard`: unsaved work is not wanted any more, on a person's word; otherwise its
        journal stays."""
        self._journal.close(keep=not discard, seconds=seconds)
        self._release()
        self._let_claim_go()

    # --- inside

    def _read(self, path: Path) -> None:
        self.project, self._fingerprint = _read_whole(path)
        self.path = path
        if self._lock is not None:
            finish(path, disk=self._disk)
            clear_parts((lock_path(path), journal_path(path)), disk=self._disk)
        if self.held_by is None:
            self._look(path)
        self._journal = Journal(self._book())

    def _look(self, path: Path) -> None:
        """Look for what a crash left; a damaged journal of which nothing comes back is set
        aside."""
        work = look(path)
        if work is None or work.entries:
            self.recoverable = work
            return
        self.unreadable, self.kept = work, work.journal
        if work.is_damaged and self._lock is not None:
            with contextlib.suppress(ProjectError):
                self.kept = set_aside(work, disk=self._disk)
        log.warning("%s: %s", path, self.damage)

    def _book(self, entries: Sequence[Entry] = (), adopted: Path | None = None) -> Book:
        return Book(
            self._places(),
            base=self._fingerprint,
            project=str(self.path or ""),
            entries=entries,
            adopted=adopted,
            disk=self._disk,
        )

    def _places(self) -> list[Path]:
        """Where the journal may lie: beside the project only for who has the lock."""
        found = places(self.path)
        return found if self.path is None or self._lock is not None else found[1:]

    def _append(self, what: What, operation: Operation) -> None:
        if self.recoverable is not None:
            raise ProjectError("it is not said yet what becomes of the work that a crash left")
        self._journal.append(what, operation)
        self._need_no_file()

    def _need_no_file(self) -> bool:
        """Where the project file is gone with its folder: take it into the journal, which is in the
        state folder then, so that it can be offered without it. Should the folder come back, it
        goes on from the file."""
        entries = self._journal.entries(seconds=1.0) if self._journal.is_homeless else None
        if not entries:
            return False
        saved = [Saved(fingerprint=self._fingerprint, entries=1)]
        self._journal.start_over(
            [as_saved(self.project, entries), *entries], base="", saved=saved, seconds=1.0
        )
        return True

    def _announce(self, fingerprint: str, position: int) -> None:
        # A journal that cannot be written keeps nobody from saving: then the generation before is
        # what it goes on from.
        self._journal.announce(fingerprint, position)

    def _wanted(self) -> Recoverable:
        if self.recoverable is None:
            raise ProjectError("there is nothing to recover", where=str(self.path or ""))
        return self.recoverable

    def _own_lock(self, goal: Path) -> Lock | None:
        """The lock of its own file, taken again where it was lost. Raises Locked."""
        if self.held_by is not None or self._lock is None or not self._lock.is_held():
            taken = take(goal, disk=self._disk)
            if self._lock is not None:
                self._lock.let_go()
            return taken
        return self._lock

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self._lock = None

    def _let_claim_go(self) -> None:
        if self._claim is not None:
            self._claim.release()
        self._claim = None


def keep(work: Recoverable, path: Path, *, disk: Disk = DISK) -> Path:
    """Write what a crash left to a project file of its own, and set its journal aside, there.
    Raises ProjectError."""
    from emberscope.project.store.file import save

    mine = claim(work, disk=disk)
    try:
        check_leaving(work)
        save(recover(work).project, path, disk=disk)
        return set_aside(work, disk=disk)
    finally:
        if mine is not None:
            mine.release()


@contextmanager
def alone(
    path: str | Path, *, new: bool = False, read_sources: bool = False
) -> Iterator[OpenProject]:
    """A project for a command that changes and saves it; `new`: an empty one where there is no such
    file.

    `read_sources`: sources outside of the folder of a project from elsewhere may be read, on a
    person's word. Raises Locked where somebody has it open, ProjectError where a crash left work
    that this would bury.
    """
    path = real_path(path)
    check_place(path)
    opened = OpenProject() if new and not is_there(path) else OpenProject.at(path)
    try:
        if opened.held_by is not None:
            raise Locked(path, opened.held_by)
        if opened.recoverable is not None:
            what = f"a crash left work that is not in this file ({opened.recoverable.words()})"
            raise ProjectError(what, where=str(path), hint=f"First: emberscope recover {path}")
        if read_sources:
            allow(opened.project, path)
        yield opened
    finally:
        opened.close()


def _read_whole(path: Path) -> tuple[Project, str]:
    """The project in a file and the fingerprint of that file. Raises ProjectError."""
    from emberscope.project.store.file import load

    for _ in range(3):  # a save by somebody else may fall between the two
        stamp = _stamp(path)
        fingerprint = (fingerprint_of(path) if path.is_file() else None) or ""
        project = load(path)
        if _stamp(path) == stamp:
            break
    return project, fingerprint


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What changes whenever a file is replaced."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def free_path(path: Path, also: str = "") -> Path:
    """The path with more in its name, or the first of "NAME 2", "NAME 3" ... where nothing lies,
    not even a link to nothing. A long name is cut for it."""
    found, number = _that_fits(path, also), 1
    while os.path.lexists(found):
        number += 1
        found = _that_fits(path, f"{also} {number}")
    return found


def _that_fits(path: Path, also: str) -> Path:
    ending = f"{also}{path.suffix}"
    return path.with_name(shortened(path.stem, longest_name(path.parent) - len(ending)) + ending)


def real_path(path: str | Path) -> Path:
    """The path of a project file, links followed. Raises ProjectError for a path that no file
    system can hold."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise ProjectError("no file has such a name", where=repr(str(path))[:200]) from error
