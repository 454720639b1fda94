"""Who has a project open: NAME.ember-lock beside it names the computer, the user, the process and since when.

A lock of a process that is gone is taken over. Of another computer nobody here can know that; it stays until a person
says otherwise.
"""

import contextlib
import getpass
import os
import socket
import time
from datetime import datetime
from pathlib import Path

import msgspec

from emberscope.base.errors import ProjectError
from emberscope.base.files import open_to_read, part_path
from emberscope.base.plain_text import showable
from emberscope.project.disk import DISK, Disk, remove_quietly, write_new

_LARGEST = 4096      # bytes of a lock file
_LONGEST = 80        # letters of a name of a computer or user
_UNFINISHED = 10.0   # seconds after which a lock file without content is no longer being written


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A process: its computer, its number, what tells it from others of that number; its user; since when it is the
    owner."""

    host: str
    pid: int
    started: str
    since: float
    user: str = ""

    @property
    def is_here(self) -> bool:
        """Whether it is, or was, a process of this computer."""
        return self.host == socket.gethostname()

    def is_gone(self) -> bool:
        """Whether the process ended; False where it runs on another computer."""
        return self.is_here and _start_of(self.pid) != self.started

    def __str__(self) -> str:
        where = "this computer" if self.is_here else showable(self.host, _LONGEST)
        user = f"user {showable(self.user, _LONGEST)}, " if self.user and not self.is_here else ""
        return f"{where}, {user}process {self.pid}, since {clock(self.since)}"


class Locked(ProjectError):
    """Somebody else has the project open; `owner` says who."""

    def __init__(self, path: Path, owner: Owner) -> None:
        hint = "Close it there, or save to another file here."
        if not owner.is_here:
            hint += " If that computer is gone: emberscope recover PROJECT --unlock"
        super().__init__(f"the project is open elsewhere ({owner})", where=str(path), hint=hint)
        self.owner = owner


class Lock:
    """The right to write a project, until it is released."""

    def __init__(self, path: Path, owner: Owner, disk: Disk = DISK) -> None:
        self.path, self.owner, self._disk = path, owner, disk

    def is_held(self) -> bool:
        """Whether nobody took it away meanwhile."""
        return _read(self.path) == self.owner

    def release(self) -> None:
        """Let others write. Fine where the file is gone."""
        if self.is_held():
            remove_quietly(self._disk, self.path)


def this_process() -> Owner:
    """This process as the owner of a lock: host, process id, its start, now, the user."""
    return Owner(host=socket.gethostname(), pid=os.getpid(), started=_start_of(os.getpid()), since=time.time(),
                 user=_user())


def lock_path(path: str | Path) -> Path:
    """The lock file of a project file, beside it."""
    path = Path(path)
    return path.with_name(path.name + "-lock")


def take(path: str | Path, *, anyway: bool = False, disk: Disk = DISK) -> Lock | None:
    """The lock of a project file; None where its folder cannot be written, so that there is nothing to guard.

    `anyway` takes it from whoever has it, on a person's word. Raises Locked.
    Raises ProjectError where others change it all the time.
    """
    lock, owner = lock_path(path), this_process()
    content, part = msgspec.json.encode(owner), part_path(lock)
    for _ in range(10):  # others may take and release at the same time
        try:
            remove_quietly(disk, part)
            write_new(disk, part, content)
            _name(disk, part, lock, content)
            return Lock(lock, owner, disk)
        except FileExistsError:
            _make_way(Path(path), lock, anyway, disk)
        except OSError:
            return None
        finally:
            remove_quietly(disk, part)
    raise ProjectError("the lock of the project changes all the time", where=str(lock), hint="Try again.")


def holder(path: str | Path) -> Owner | None:
    """Who has a project open now, this process included; None for nobody."""
    owner = _read(lock_path(path))
    return None if owner is None or owner.is_gone() else owner


def clock(at: float) -> str:
    """A time as people say it: "10:42" of today, "2026-03-01 10:42" of another day."""
    try:
        when = datetime.fromtimestamp(at)
    except (OverflowError, OSError, ValueError):
        return "an unknown time"
    return f"{when:%H:%M}" if when.date() == datetime.now().date() else f"{when:%Y-%m-%d %H:%M}"


def _name(disk: Disk, part: Path, lock: Path, content: bytes) -> None:
    """Give the finished file its name where there is none; FileExistsError otherwise."""
    try:
        disk.link(part, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        write_new(disk, lock, content)


def _make_way(path: Path, lock: Path, anyway: bool, disk: Disk) -> None:
    """Remove a lock that stands for nobody. Raises Locked where it stands for somebody."""
    owner = _read(lock)
    if owner is None:
        with contextlib.suppress(OSError):
            if abs(time.time() - lock.stat().st_mtime) < _UNFINISHED:
                time.sleep(0.05)
                return
    elif not anyway and not owner.is_gone():
        raise Locked(path, owner)
    taken = part_path(lock.with_name(lock.name + "~"))
    with contextlib.suppress(OSError):
        disk.rename(lock, taken)
        if _read(taken) != owner:  # somebody else was faster: it is theirs
            disk.link(taken, lock)
    remove_quietly(disk, taken)


def _read(lock: Path) -> Owner | None:
    try:
        with open_to_read(lock) as file:
            return msgspec.json.decode(file.read(_LARGEST), type=Owner)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a number without a name
        return ""


def _start_of(pid: int) -> str:
    """What tells a process from earlier ones of its number; "" where there is none.

    On Linux the start in ticks since this boot: clocks that are set do not change it.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except (OSError, ValueError):
        return _start_elsewhere(pid)
    return "" if status[0] in "ZX" else f"{boot} {status[19]}"


def _start_elsewhere(pid: int) -> str:
    import psutil

    try:
        return f"{psutil.Process(pid).create_time():.0f}"
    except (psutil.Error, OverflowError, ValueError):
        return ""
