"""Locks that the system keeps on open files. They end with the process that took them, however it
ends.

Not every file system has them: then nothing is known, and who asks goes by what the file says. A
process that this one forks does not share them.
"""

import contextlib
import errno
import os
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# the byte that is locked on Windows, behind all content: nobody else may read one that is locked
_AT = 1 << 30
_TRIES, _PAUSE = 20, 0.002  # s; who asks whether a file is held holds it for a moment
_BUSY = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class HeldFile:
    """An open file that this process alone holds until it is closed, or the process ends; whoever
    forgets it holds it on.

    handle : open for writing; it is closed with this. `is_guarded`: whether the system keeps the
    lock.
    """

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.is_guarded = hold(handle)
        _all.add(self)

    def close(self) -> None:
        """Let go. Fine twice."""
        if self in _all:
            _all.remove(self)
            with contextlib.suppress(OSError):
                os.close(self.handle)


def is_held(handle: int) -> bool | None:
    """Whether somebody holds the file that a handle is on; None where nobody can know that. The
    handle is to be closed soon after: it keeps others from holding the file."""
    try:
        _share(handle)
    except OSError as error:
        return True if error.errno in _BUSY else None
    return False


def hold(handle: int) -> bool:
    """Keep all others from holding a file that is open for writing, until it is closed; whether the
    system does that. Unlike a `HeldFile`, a process that this one forks holds it too."""
    for _ in range(_TRIES):
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                _lock_byte(handle)
        except OSError as error:
            if error.errno not in _BUSY:
                return False
            time.sleep(_PAUSE)  # somebody asks
        else:
            return True
    return False


def _share(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # any number may ask at the same time
    else:
        _lock_byte(handle)
        _lock_byte(handle, free=True)


def _lock_byte(handle: int, *, free: bool = False) -> None:
    import msvcrt

    os.lseek(handle, _AT, os.SEEK_SET)
    msvcrt.locking(handle, msvcrt.LK_UNLCK if free else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    os.lseek(handle, 0, os.SEEK_SET)


def _let_go_in_child() -> None:
    """What is closed here stays held by the parent, and by nobody once that is gone."""
    for held in list(_all):
        held.close()


_all: set[HeldFile] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
