"""Who has a project open: NAME.ember-lock beside it names the computer, the user, the process and
since when.

A lock of a process that is gone is taken over. Of another computer nobody here can know that; it
stays until a person says otherwise. Where the system keeps locks on open files, whoever has a
project holds its lock file too: that tells even of a process of another container of this computer
whether it runs.

A lock file is whole from the start: it is written beside its place and given its name where there
is none. It is taken over only by who has the lock of the lock, NAME-lock~, and sees then that it is
still the one that stands for nobody; so of any number that try at the same time one gets it.
"""

import contextlib
import getpass
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from emberscope.base import own_files
from emberscope.base.errors import ProjectError
from emberscope.base.files import NotAFile, sidecar
from emberscope.base.own_files import NotOurs
from emberscope.base.plain_text import showable
from emberscope.base.process import here, os_lock
from emberscope.base.text import from_json, to_json
from emberscope.project.store.disk import DISK, Disk, own_part, remove_quietly

_LARGEST = 4096      # bytes of a lock file
_LONGEST = 80        # letters of a name of a computer or user
_UNFINISHED = 10.0   # seconds after which a lock file without content is no longer being written
_PATIENCE = 5.0      # seconds for which others may take and release it again and again
_DEEPEST = 3         # locks of locks, each left by a process that was killed while it had it
_BEGIN = b'{"host":'    # of what a lock file holds
_BOOT = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) [0-9]+")


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A process: its computer, its number, what tells it from others of that number; its user;
    since when it is the owner.

    `machine`, `boot` and `space` as in `base.process.here`; "" where that is not known, as
    in what older versions wrote.
    `token` tells one taking from all others. `guarded`: the system tells whether the owner still
    has its file open.
    """

    host: str
    pid: int
    started: str
    since: float
    user: str = ""
    machine: str = ""
    boot: str = ""
    space: str = ""
    token: str = ""
    guarded: bool = False

    @property
    def is_here(self) -> bool:
        """Whether it is, or was, a process of this computer."""
        mine = here.here()
        return self.host == mine.host and self._is_same("machine") and not self._started_elsewhere()

    @property
    def is_this_process(self) -> bool:
        """Whether it is the one that asks."""
        same = self.pid == os.getpid() and self.started == here.start_of_this()
        return same and self.is_here and self._is_same("boot", "space")

    def is_gone(self) -> bool:
        """Whether the process ended; False where that cannot be known: on another computer, in
        another container."""
        if not self.is_here:
            return False
        if self._is_of_earlier_boot():
            return True
        return self._is_same("space") and not here.runs(self.pid, self.started)

    @property
    def is_known(self) -> bool:
        """Whether it can be seen from here whether it runs."""
        return self.is_here and not self.is_of_another_space()

    def is_of_another_space(self) -> bool:
        """Whether it is a process of this start of this computer that has its number in another
        container."""
        return (
            self.is_here
            and bool(self.boot)
            and self._is_same("boot")
            and not self._is_same("space")
        )

    def _is_same(self, *names: str) -> bool:
        mine = here.here()
        return all(
            getattr(self, name) in ("", getattr(mine, name)) or not getattr(mine, name)
            for name in names
        )

    def _boot(self) -> str:
        told = _BOOT.fullmatch(self.started)  # all that an older version kept
        return self.boot or (told[1] if told else "")

    def _is_of_earlier_boot(self) -> bool:
        boot, mine = self._boot(), here.here().boot
        return bool(boot and mine and boot != mine) and self.since < here.booted_at()

    def _started_elsewhere(self) -> bool:
        """Whether it is of another start than this one, and not of an earlier one: a computer of
        the same name."""
        boot, mine = self._boot(), here.here().boot
        return bool(boot and mine and boot != mine) and self.since >= here.booted_at()

    def __str__(self) -> str:
        host = showable(self.host, _LONGEST)
        where = f"{'another computer called ' if self.host == here.here().host else ''}{host}"
        if self.is_here:
            where = f"this computer{', another container' if self.is_of_another_space() else ''}"
        user = f"user {showable(self.user, _LONGEST)}, " if self.user and not self.is_here else ""
        return f"{where}, {user}process {self.pid}, since {clock(self.since)}"


class Locked(ProjectError):
    """Somebody else has the project open; `owner` says who."""

    def __init__(self, path: Path, owner: Owner) -> None:
        hint = "Close it there, or save to another file here."
        if not owner.is_known:
            which = "container" if owner.is_here else "computer"
            hint += f" If that {which} is gone: emberscope recover PROJECT --unlock"
        super().__init__(f"the project is open elsewhere ({owner})", where=str(path), hint=hint)
        self.owner = owner


class Lock:
    """The right to write a project, until it is released."""

    def __init__(
        self, path: Path, owner: Owner, disk: Disk = DISK, held: os_lock.HeldFile | None = None
    ) -> None:
        self.path, self.owner, self._disk, self._held = path, owner, disk, held

    def is_held(self) -> bool:
        """Whether nobody took it away meanwhile. A process that this one forked does not have
        it."""
        found = _read(self.path)
        return found is not None and found.owner == self.owner and self.owner.pid == os.getpid()

    @property
    def content(self) -> bytes:
        """What stands in the file."""
        return to_json(self.owner)

    def name(self, part: Path) -> None:
        """Give the finished file its name. FileExistsError where anything has it."""
        try:
            self._disk.link(part, self.path)
        except FileExistsError:
            raise
        # A file system without hard links: others see a file without content, which they wait for
        except OSError:
            self._create()
        self._hold_again()

    def _create(self) -> None:
        self.let_go()
        self._held = os_lock.HeldFile(self._disk.create(self.path))
        try:
            self._disk.write(self._held.handle, self.content)
            self._disk.sync(self._held.handle)
        except OSError:
            self.let_go()
            remove_quietly(self._disk, self.path)
            raise

    def replace(self, part: Path) -> None:
        """Let the finished file take the place of one that is there."""
        self._disk.rename(part, self.path)
        self._hold_again()

    def _hold_again(self) -> None:
        if os.name == "nt":
            self.let_go()
            with contextlib.suppress(OSError):
                self._held = os_lock.HeldFile(own_files.open_own(self.path, os.O_RDWR))

    def release(self) -> None:
        """Let others write. Fine where the file is gone."""
        mine = self.is_held()
        if os.name == "nt":  # where an open file cannot be removed
            self.let_go()
        if mine:
            remove_quietly(self._disk, self.path)
        self.let_go()

    def let_go(self) -> None:
        """Leave the file as it is."""
        if self._held is not None:
            self._held.close()


class _Found(NamedTuple):
    """A lock file as it lies there. is_held : whether somebody has it open, as far as the system
    tells."""

    content: bytes
    owner: Owner | None
    is_held: bool | None
    age: float

    @property
    def is_left(self) -> bool:
        """Whether it stands for nobody."""
        if self.owner is None:
            return not self.is_held and self.age >= _UNFINISHED
        return _is_left(self.owner, self.is_held)


def this_process() -> Owner:
    """This process as the owner of a lock: host, process id, its start, now, the user."""
    mine = here.here()
    return Owner(
        host=mine.host,
        pid=os.getpid(),
        started=here.start_of_this(),
        since=time.time(),
        user=_user(),
        machine=mine.machine,
        boot=mine.boot,
        space=mine.space,
        token=os.urandom(8).hex(),
    )


def lock_path(path: str | Path) -> Path:
    """The lock file of a project file, beside it."""
    return sidecar(Path(path), "-lock")


def take(path: str | Path, *, anyway: bool = False, disk: Disk = DISK) -> Lock | None:
    """The lock of a project file; None where its folder cannot be written, so that there is nothing
    to guard.

    `anyway` takes it from whoever has it, on a person's word. Raises Locked. Raises ProjectError
    where others change it all the time, and where something else lies in its place.
    """
    path = own_files.in_real_folder(path)
    lock, end = lock_path(path), time.monotonic() + _PATIENCE
    while True:
        try:
            found = _taken(lock, disk, anyway=anyway)
        except NotOurs as error:
            hint = "Move it away: the lock of the project goes there."
            raise ProjectError(str(error.strerror), where=str(error.filename), hint=hint) from error
        except OSError:  # what is there counts all the same
            found = None if anyway else holder(path)
            if found is None:
                return None
        if isinstance(found, Lock):
            _clear(_lock_of(lock), disk)
            return found
        if isinstance(found, Owner):
            raise Locked(path, found)
        if time.monotonic() > end:
            raise ProjectError(
                "the lock of the project changes all the time", where=str(lock), hint="Try again."
            )
        time.sleep(random.uniform(0.002, 0.02))


def holder(path: str | Path) -> Owner | None:
    """Who has a project open now, this process included; None for nobody."""
    found = _read(lock_path(own_files.in_real_folder(path)))
    return None if found is None or found.is_left else found.owner


def is_left(owner: Owner, file: Path) -> bool:
    """Whether the process that wrote a file, and had it open, is gone."""
    held = None
    with contextlib.suppress(OSError), own_files.open_own_to_read(file) as opened:
        held = os_lock.is_held(opened.fileno())
    return _is_left(owner, held)


def clock(at: float) -> str:
    """A time as people say it: "10:42" of today, "2026-03-01 10:42" of another day."""
    try:
        when = datetime.fromtimestamp(at)
    except (OverflowError, OSError, ValueError):
        return "an unknown time"
    return f"{when:%H:%M}" if when.date() == datetime.now().date() else f"{when:%Y-%m-%d %H:%M}"


def _is_left(owner: Owner, is_held: bool | None) -> bool:
    if owner.is_gone():
        return not is_held or owner.is_this_process  # which knows by itself what it has
    return is_held is False and owner.guarded and owner.is_of_another_space()


def _taken(lock: Path, disk: Disk, *, anyway: bool = False, depth: int = 0) -> Lock | Owner | None:
    """One try: the lock, or who has it; None where it has to be tried again. Raises NotOurs,
    ProjectError, OSError."""
    there = _look(lock)
    if there is not None and not (anyway or there.is_left):
        return there.owner
    with _written(lock, disk) as (part, mine):
        if there is not None:
            done = depth < _DEEPEST and _replaced(there, part, mine, disk, depth)
        else:
            with contextlib.suppress(FileExistsError):  # a share may do it, and say that it did not
                mine.name(part)
            done = mine.is_held()
        if not done:
            mine.let_go()
    return mine if done else None


def _replaced(there: _Found, part: Path, mine: Lock, disk: Disk, depth: int) -> bool:
    """Put a lock in the place of one that stands for nobody, where it is still that one."""
    right = _taken(_lock_of(mine.path), disk, depth=depth + 1)
    if not isinstance(right, Lock):
        return False
    try:
        now = _look(mine.path)
        if now is None or now.content != there.content:  # somebody else was faster: it is theirs
            return False
        mine.replace(part)
    except PermissionError as error:
        if os.name == "nt":  # somebody reads it
            return False
        what = f"the lock of a process that is gone cannot be taken over: {error.strerror}"
        raise ProjectError(
            what, where=str(mine.path), hint="Remove it, or save to another folder."
        ) from error
    finally:
        right.release()
    return True


@contextmanager
def _written(lock: Path, disk: Disk) -> Iterator[tuple[Path, Lock]]:
    """A lock of this process that has no name yet, and the file that it is; the file goes at the
    end."""
    part = own_part(disk, lock)
    held = os_lock.HeldFile(disk.create(part))
    mine = Lock(lock, msgspec.structs.replace(this_process(), guarded=held.is_guarded), disk, held)
    try:
        disk.write(held.handle, mine.content)
        disk.sync(held.handle)
        if os.name == "nt":  # where an open file keeps its name
            mine.let_go()
        yield part, mine
    except BaseException:
        mine.let_go()
        raise
    finally:
        remove_quietly(disk, part)


def _lock_of(lock: Path) -> Path:
    return sidecar(lock, "~")


def _clear(right: Path, disk: Disk) -> None:
    """Remove the lock of a lock that was left by a process that was killed while it had it."""
    if os.path.lexists(right):
        with contextlib.suppress(OSError, ProjectError):
            found = _taken(right, disk, depth=1)
            if isinstance(found, Lock):
                found.release()


def _read(lock: Path) -> _Found | None:
    """As `_look`; None also where it cannot be read, or is no lock."""
    try:
        return _look(lock)
    except (OSError, ProjectError):
        return None


def _look(lock: Path) -> _Found | None:
    """A lock file, None where there is none. Raises NotOurs, ProjectError where it cannot be
    read."""
    try:
        with own_files.open_own_to_read(lock) as file:
            content = file.read(_LARGEST)
            held, age = (
                os_lock.is_held(file.fileno()),
                abs(time.time() - os.fstat(file.fileno()).st_mtime),
            )
    except FileNotFoundError:
        return None
    except NotAFile as error:
        raise NotOurs(lock, own_files.kind_at(lock) or "something else") from error
    except OSError as error:
        raise ProjectError(
            f"the lock of the project cannot be read: {error.strerror}", where=str(lock)
        ) from error
    try:
        owner = from_json(content, kind=Owner)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        if content.strip(b"\0") and not content.startswith(_BEGIN[:len(content)]):
            raise NotOurs(lock, "no lock of this program") from None
        owner = None  # a power cut, or a process that is killed while it writes, leaves such a one
    return _Found(content, owner, held, age)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a number without a name
        return ""
