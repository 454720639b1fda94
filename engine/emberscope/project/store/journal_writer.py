"""Writing the journal: in a thread of its own, so that a slow or full disk never keeps anybody from
working.

`Book` is the file and what belongs in it, for one thread; `Journal` is that thread and its queue.
"""

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from emberscope import __version__
from emberscope.base import own_files
from emberscope.base.files import is_there
from emberscope.base.process import os_lock
from emberscope.project.model.net_effect import kind_of
from emberscope.project.model.operations import Operation, PutClasses, PutSources, Together
from emberscope.project.store.disk import (
    DISK,
    Disk,
    own_part,
    remove_quietly,
    sync_folder_quietly,
)
from emberscope.project.store.journal import (
    Entry,
    Header,
    Saved,
    What,
    asides,
    count_steps,
    fold,
    frame,
    new_mark,
    place_of,
)
from emberscope.project.store.journal_files import (
    Arrays,
    remove_arrays,
    remove_journal,
    set_aside,
)
from emberscope.project.store.lock import this_process

log = logging.getLogger(__name__)

# Seconds from an operation to its being on the disk; with writing and waiting less than 2
SYNC_AFTER = 0.5
RETRY_AFTER = 1.0   # seconds after which a journal that no place takes is tried again
# Entries, and bytes, from which on a journal is folded; again when it has doubled
_LONG = 1000
_LARGE = 4 << 20
_FOLD_AFTER = 600.0  # seconds after which it is folded at half that length
_SMALL = 1 << 20    # bytes of a record up to which it may be written twice
_SILENT = 5.0       # seconds after which a disk that does not answer is worth a word


class Book:
    """The journal file: in the first of `places` that takes it, written anew in the next where one
    fails.

    Parameters
    ----------
    places : paths of the journal, best first; their folders are there.
    base, project : as in `Header`. entries : what a crash left, to go on from.
    adopted : the file that those were read from; it goes when another one holds them.

    Notes
    -----
    A journal that got long is folded: written anew with what its steps come to in place of them, so
    that recovery stays quick. What a person saved is never touched for that, large arrays stay
    where they are, and nobody needs a copy of the project for it. The steps themselves stay in
    memory until they are saved.
    """

    def __init__(
        self,
        places: Sequence[Path],
        *,
        base: str = "",
        project: str = "",
        entries: Sequence[Entry] = (),
        adopted: Path | None = None,
        disk: Disk = DISK,
    ) -> None:
        self.entries = list(entries)
        self.first = 0            # how many steps came before the first entry
        # what keeps the journal from being written, "" where nothing does
        self.wrong = "" if places else "there is no folder for it"
        self.left_out = ""        # what no file can keep, "" where there was no such thing
        self.path: Path | None = None
        # Whether it goes on from a project file that is not there any more
        self.is_homeless = False
        self._places, self._place, self._disk = list(places), 0, disk
        self._base, self._project = base, project
        self._saved: list[Saved] = []
        self._handle: int | None = None
        # Whether the system tells others that it is being written
        self._is_guarded = False
        self._written = self._written_saved = 0
        self._synced = len(self.entries) if adopted else 0
        # How many entries the file holds as what they come to
        self._folded = 0
        self._size = self._lean = 0            # bytes of the file, now and when it was written anew
        self._folded_at = time.monotonic()
        self._mark = b""                       # of the records in the file
        self._count = 0                        # of steps in the file
        # Id of an operation -> the number of its first entry in the file
        self._numbers: dict[int, int] = {}
        self._array_files = Arrays(disk)
        self._arrays: set[str] = set()         # names of those that the entries need
        self._outdated = {adopted} if adopted else set()
        self._mine = set(self._outdated)

    @property
    def is_behind(self) -> bool:
        """Whether there is something that a power cut would take away."""
        return self._synced < len(self.entries) or self._written_saved < len(self._saved)

    @property
    def synced(self) -> int:
        """How many steps were ever made durable, here or in a saved project."""
        return self.first + count_steps(self.entries[:self._synced])

    def add(self, entry: Entry) -> None:
        """One more step, not written yet."""
        self.entries.append(entry)

    def announce(self, fingerprint: str, position: int) -> None:
        """The project file is about to be replaced by one that holds all steps before
        `position`."""
        if not self.entries:
            return
        steps = max(position - self.first, 0)
        self._saved.append(Saved(fingerprint=fingerprint, entries=steps))
        if (place_of(self.entries, steps) or 0) < self._folded:  # steps on both sides became one
            self._let_go()

    def rebase(self, places: Sequence[Path], *, base: str, project: str, position: int) -> None:
        """The project file holds all steps before `position`: start anew from it, with those that
        came after."""
        self._let_go()
        self._places, self._place, self._base, self._project = list(places), 0, base, project
        self.entries = self.entries[place_of(self.entries, max(position - self.first, 0)) or 0:]
        self.first = max(position, self.first)
        self._saved, self._written_saved, self._synced, self._folded = [], 0, 0, 0
        if not self.entries:
            self.discard()

    def start_over(
        self, entries: Sequence[Entry], *, base: str, saved: Sequence[Saved] = ()
    ) -> None:
        """From another base on, with `entries` in place of all there were. The old file stays until
        the new one is.

        saved : files that hold some of them.
        """
        self._let_go()
        self.first, self.entries, self._base = (
            self.first + count_steps(self.entries),
            list(entries),
            base,
        )
        self._saved, self.is_homeless = list(saved), False
        self._written_saved = self._synced = self._folded = 0
        if not self.entries:
            self.discard()

    def put_down(self, *, sync: bool) -> None:
        """Bring the file up to date, in the first place that takes it. Never raises OSError: see
        `wrong`."""
        for _ in self._places:
            try:
                self._write()
                if sync:
                    self._sync()
            except (OSError, MemoryError) as error:
                place = self._places[self._place]
                self.wrong = f"{place}: {getattr(error, 'strerror', None) or _in_words(error)}"
                self._let_go()
                self._place = (self._place + 1) % len(self._places)
            else:
                self.wrong = ""
                return

    def fold(self) -> None:
        """Make a long journal short. Whatever fails, it goes on as it is, or anew in the next
        `put_down`."""
        new, grown = len(self.entries) - self._folded, self._size - self._lean
        is_long = new >= max(_LONG, self._folded) or grown >= max(_LARGE, self._lean)
        waited = time.monotonic() - self._folded_at > _FOLD_AFTER and (
            2 * new >= _LONG or 2 * grown >= _LARGE
        )
        if self._handle is None or self.left_out or not (is_long or waited):
            return
        before, self._folded, self._folded_at = (
            (self._folded, self._count),
            len(self.entries),
            time.monotonic(),
        )
        try:
            self._start()
        except (
            OSError,
            MemoryError,
            TypeError,
            ValueError,
            AttributeError,
            KeyError,
            RecursionError,
        ):
            self._folded, self._count = before
            self._numbers = {}  # those of the file that was not written
            self._lean = self._size  # not again before it has doubled
        else:
            self._remove_needless_arrays()

    def forget(self) -> None:
        """Nothing of the work that it holds is needed any more."""
        self.entries, self._saved = [], []

    def discard(self) -> None:
        """Remove the journal and its arrays: nobody needs them any more."""
        self._let_go()
        for path in self._outdated:
            remove_journal(self._disk, path)
        self._outdated, self.path = set(), None

    def close(self) -> None:
        """Let go of the file; it stays."""
        self._let_go()

    def _write(self) -> None:
        if self._handle is None:
            self._start()
            return
        frames = self._frames(self._written)
        frames += self._saves(self._written_saved)
        if frames:
            data = b"".join(frames)
            self._disk.write(self._handle, data)
            self._size += len(data)
        self._written, self._written_saved = len(self.entries), len(self._saved)

    def _start(self) -> None:
        """Write a whole journal, let it take the place of what is there, and go on at its end."""
        place, disk = self._places[self._place], self._disk
        part = own_part(disk, place)
        handle, size = self._written_to(part)
        self._let_go()
        try:
            if place not in self._mine and own_files.status(place) is not None:
                set_aside(disk, place)
            if os.name == "nt":  # where an open file keeps its name
                disk.close(handle)
            disk.rename(part, place)
        except OSError:
            with contextlib.suppress(OSError):
                disk.close(handle)
            remove_quietly(disk, part)
            raise
        sync_folder_quietly(disk, place.parent)
        self._mine.add(place)
        self._outdated.add(place)
        self._handle, self.path = disk.append(place) if os.name == "nt" else handle, place
        self.is_homeless = bool(self._base and self._project) and not is_there(self._project)
        self._size = self._lean = size
        self._written = self._synced = len(self.entries)
        self._written_saved = len(self._saved)
        for other in self._outdated - {place}:
            remove_journal(disk, other)
        self._outdated = {place}

    def _written_to(self, part: Path) -> tuple[int, int]:
        """A handle on a new file that holds all there is, and its size. Nothing is left of it where
        that fails."""
        disk = self._disk
        handle = disk.create(part)
        try:
            self._is_guarded = os_lock.hold(handle)
            data = self._whole()
            disk.write(handle, data)
            disk.sync(handle)
        except BaseException:
            with contextlib.suppress(OSError):
                disk.close(handle)
            remove_quietly(disk, part)
            raise
        return handle, len(data)

    def _sync(self) -> None:
        assert self._handle is not None
        assert self.path is not None
        self._disk.sync(self._handle)
        if not os.path.samestat(os.fstat(self._handle), self.path.lstat()):
            raise FileNotFoundError(f"{self.path} is gone")  # another file, or none, has its name
        self._synced = self._written

    def _whole(self) -> bytes:
        """A journal of all entries; the first `_folded` of them as what they come to up to each
        save and to the end."""
        self._mark, self._count, self._numbers, self._arrays, start = (
            new_mark(self._base),
            0,
            {},
            set(),
            0,
        )
        frames = [
            frame(
                Header(
                    written_by=f"emberscope {__version__}",
                    project=self._project,
                    base=self._base,
                    owner=msgspec.structs.replace(this_process(), guarded=self._is_guarded),
                    mark=self._mark,
                )
            )
        ]
        for end in self._seams():
            frames.append(self._frame(fold(self.entries[start:end])))
            start = end
        return b"".join([*frames, *self._frames(start), *self._saves(0)])

    def _seams(self) -> list[int]:
        """Where what is folded ends: at each save that was announced too, since one may be the file
        that is there."""
        saves = {place_of(self.entries, saved.entries) or 0 for saved in self._saved}
        return sorted({min(place, self._folded) for place in (*saves, self._folded)} - {0})

    def _frames(self, start: int) -> list[bytes]:
        frames = []
        for entry in self.entries[start:]:
            earlier = self._numbers.setdefault(id(entry.op), self._count)
            if earlier < self._count:
                entry = msgspec.structs.replace(entry, op=None, of=earlier)
            frames.append(self._frame(entry))
        return frames

    def _saves(self, start: int) -> list[bytes]:
        return [
            frame(msgspec.structs.replace(saved, mark=self._mark)) for saved in self._saved[start:]
        ]

    def _frame(self, entry: Entry) -> bytes:
        """The next record, of an entry; of one without effect where a file cannot keep it: the
        others are kept."""
        entry = msgspec.structs.replace(entry, number=self._count, mark=self._mark)
        self._count += entry.steps
        try:
            found = frame(entry, aside=self._put_array)
            return 2 * found if _is_built_upon(entry) and len(found) <= _SMALL else found
        except (OSError, MemoryError):  # it is tried again
            raise
        # Whatever a step holds, and whatever is wrong with how it is packed
        except Exception as error:
            assert entry.op is not None
            title, kind = str(entry.op.title), kind_of(entry.op)
            self.left_out = f"{title or 'one step'}: {error}"
            entry = msgspec.structs.replace(entry, op=Together(title=title), of=None, left_out=kind)
        return frame(entry)

    def _put_array(self, raw: memoryview) -> str:
        """Write an array beside the journal where it is not there yet; it is durable before its
        entry is written."""
        name = self._array_files.put(self._places[self._place], raw)
        self._arrays.add(name)
        return name

    def _remove_needless_arrays(self) -> None:
        assert self.path is not None
        if not asides(self.path):  # which may need them
            remove_arrays(self._disk, self.path, but=self._arrays)

    def _let_go(self) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._disk.close(self._handle)
        self._handle = None


class Journal:
    """Takes what happens from any thread, at once; a thread of its own writes it down.

    An operation is in the file some milliseconds later, where it outlasts the process, and synced
    within `SYNC_AFTER` seconds, where it outlasts a power cut.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._count = count_steps(book.entries)
        self._lock = threading.Lock()
        self._commands: queue.SimpleQueue[
            tuple[Callable[[Book], object], threading.Event | None]
        ] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        # of the thread: what it took and has not done yet, who waits for what is done
        self._at_hand: tuple[Callable[[Book], object], threading.Event | None] | None = None
        self._waiting: list[threading.Event] = []
        self._busy_since: float | None = None
        self._ended = False

    @property
    def position(self) -> int:
        """How many steps there were so far."""
        return self._count

    @property
    def path(self) -> Path | None:
        """The file, None before the first entry."""
        return self._book.path

    @property
    def is_homeless(self) -> bool:
        """Whether the file that it goes on from was not there when it was written last."""
        return self._book.is_homeless

    @property
    def trouble(self) -> str:
        """What keeps the journal from the disk, and the way out, in one line; "" where nothing
        does."""
        since, book = self._busy_since, self._book
        if book.wrong:
            return (
                f"The journal cannot be written ({book.wrong}). What is new is in memory only: "
                "save elsewhere."
            )
        if book.left_out:
            return f"The journal cannot keep a step ({book.left_out}). Save the project."
        if since is not None and time.monotonic() - since > _SILENT:
            seconds = time.monotonic() - since
            return (
                f"The disk of the journal has not answered for {seconds:.0f} s. Work on, or "
                "save to another disk."
            )
        return ""

    def append(self, what: What, operation: Operation) -> None:
        """Take down that an operation was done, undone or redone. Returns at once."""
        entry = Entry(what=what, at=time.time(), op=operation)
        with self._lock:
            self._count += 1
            self._tell(lambda book: book.add(entry))

    def announce(self, fingerprint: str, position: int, *, seconds: float = 5.0) -> bool:
        """Take down that the project file is about to change; True where that is on the disk within
        the time."""
        return (
            self._ask(lambda book: book.announce(fingerprint, position), seconds)
            and not self._book.is_behind
        )

    def rebase(
        self,
        places: Sequence[Path],
        *,
        base: str,
        project: str,
        position: int,
        seconds: float = 5.0,
    ) -> bool:
        """As `Book.rebase`."""
        return self._ask(
            lambda book: book.rebase(places, base=base, project=project, position=position), seconds
        )

    def entries(self, *, seconds: float = 5.0) -> list[Entry] | None:
        """All steps that are in no file yet; None where the journal does not answer in time."""
        found: list[Entry] = []
        return found if self._ask(lambda book: found.extend(book.entries), seconds) else None

    def start_over(
        self,
        entries: Sequence[Entry],
        *,
        base: str,
        saved: Sequence[Saved] = (),
        seconds: float = 5.0,
    ) -> bool:
        """As `Book.start_over`."""
        with self._lock:
            self._count += count_steps(entries)
        return self._ask(lambda book: book.start_over(entries, base=base, saved=saved), seconds)

    def flush(self, *, seconds: float = 5.0) -> bool:
        """Wait until everything is on the disk; False where that takes longer, or fails."""
        return self._ask(lambda book: None, seconds) and not self._book.is_behind

    def close(self, *, keep: bool, seconds: float = 5.0) -> None:
        """Write what is left and end the thread; remove the journal where nobody needs it any
        more."""
        def end(book: Book) -> None:
            self._ended = True
            if not keep:
                book.forget()
                book.discard()

        if self._thread is None and not keep:
            end(self._book)
        elif self._thread is not None:
            self._ask(end, seconds)

    def _ask(self, action: Callable[[Book], object], seconds: float) -> bool:
        if self._ended:
            return False
        done = threading.Event()
        with self._lock:
            self._tell(action, done)
        return done.wait(seconds)

    def _tell(self, action: Callable[[Book], object], done: threading.Event | None = None) -> None:
        self._commands.put((action, done))
        if self._thread is None or not (self._thread.is_alive() or self._ended):
            self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()

    # --- the thread

    def _work(self) -> None:
        """Goes on until the journal is closed: after a defect, or without memory, all is tried
        again a little later."""
        while not self._ended:
            try:
                self._serve()
            except Exception as error:
                with contextlib.suppress(Exception):
                    log.exception("The journal stopped.")
                self._busy_since = None
                self._book.wrong = _in_words(error)
                self._book.close()  # it is written anew
                time.sleep(RETRY_AFTER)

    def _serve(self) -> None:
        # when what is behind has to be synced
        due: float | None = time.monotonic() if self._at_hand or self._book.is_behind else None
        while not self._ended:
            self._take(due)
            now = time.monotonic()
            if self._book.is_behind:
                due = now + SYNC_AFTER if due is None else due
                if self._waiting or now >= due or not self._book.wrong:
                    self._put_down(sync=bool(self._waiting) or now >= due)
            if not self._book.is_behind:
                due = None
                self._book.fold()
            elif now >= (due or now):  # no place took it
                due = time.monotonic() + RETRY_AFTER
            if self._ended:
                self._book.close()
            while self._waiting:
                self._waiting.pop().set()
        self._book.close()

    def _take(self, due: float | None) -> None:
        """Wait for commands, at most until `due`, and do all there are, in order."""
        while True:
            if self._at_hand is None:
                try:
                    self._at_hand = self._commands.get(
                        timeout=None if due is None else max(due - time.monotonic(), 0.0))
                except queue.Empty:
                    return
            self._do(*self._at_hand)
            self._at_hand = None
            due = 0.0  # no more waiting

    def _do(self, action: Callable[[Book], object], done: threading.Event | None) -> None:
        """One command. Without memory for it, it stays at hand and is done once there is some: no
        step is lost."""
        try:
            action(self._book)
        except MemoryError:
            raise
        except Exception:
            self._at_hand = None  # it would fail for ever
            raise
        if done is not None:
            self._waiting.append(done)

    def _put_down(self, *, sync: bool) -> None:
        self._busy_since = time.monotonic()
        self._book.put_down(sync=sync)
        self._busy_since = None


def _is_built_upon(entry: Entry) -> bool:
    """Whether what comes later is worth little without this entry: it is written twice, in case one
    is damaged."""
    return entry.folded is not None or (entry.op is not None and _adds_sources(entry.op))


def _adds_sources(operation: Operation) -> bool:
    if isinstance(operation, Together):
        return any(map(_adds_sources, operation.steps))
    return isinstance(operation, PutSources | PutClasses)


def _in_words(error: Exception) -> str:
    return (
        "there is no memory left"
        if isinstance(error, MemoryError)
        else f"{type(error).__name__}: {error}"
    )
