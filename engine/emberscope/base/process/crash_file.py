"""Last words of a process that crashed: Python's fault handler writes the stacks of its threads to
a file."""

import atexit
import contextlib
import faulthandler
import os
import platform
import re
import sys
import time
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from emberscope import __version__
from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import state_folder
from emberscope.base.own_files import (
    is_own_file,
    make_folder,
    open_own,
    open_own_to_read,
    remove,
    rename,
)
from emberscope.base.process import os_lock
from emberscope.base.process.here import is_running

_KEPT = 5           # crashes
_LARGEST = 64 << 10  # bytes of one that are read
_NAME = re.compile(r"running-[0-9]{1,10}\.txt|crash-[0-9]{8}-[0-9]{6}-[0-9]{1,10}\.txt")


@dataclass(frozen=True, slots=True)
class Crash:
    """What a process left that crashed: the file, and its text."""

    path: Path
    text: str


def watch_for_crashes() -> None:
    """From now on a crash of this process leaves its last words. Where no file can be made, on
    standard error."""
    try:
        path = _folder() / f"running-{os.getpid()}.txt"
        with contextlib.suppress(FileNotFoundError):  # of an earlier process of this number
            remove(path)
        file = os.fdopen(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb", buffering=0)
    except (OSError, EmberscopeError):
        faulthandler.enable()
        return
    os_lock.hold(file.fileno())  # which tells that it runs, to other containers too
    file.write(_head().encode())
    faulthandler.enable(file)
    atexit.register(_end, path, file)


def crashes_left() -> list[Crash]:
    """What processes left that crashed since the last call, newest last; each is kept as
    crash-TIME.txt."""
    try:
        folder = _folder()
        running = sorted(_texts(folder, "running"), key=lambda path: path.lstat().st_mtime)
    except (OSError, EmberscopeError):
        return []
    found = [crash for crash in map(_crash_of, running) if crash is not None]
    for old in _texts(folder, "crash")[:-_KEPT]:
        with contextlib.suppress(OSError):
            remove(old)
    return found


def _texts(folder: Path, kind: str) -> list[Path]:
    """Plain files that are called as ours are."""
    return [path for path in sorted(folder.glob(f"{kind}-*.txt"))
            if _NAME.fullmatch(path.name) and is_own_file(path)]


def _crash_of(path: Path) -> Crash | None:
    pid = path.stem.partition("-")[2]
    if is_running(int(pid)):
        return None
    try:
        with open_own_to_read(path) as file:
            if os_lock.is_held(file.fileno()):
                return None
            text = file.read(_LARGEST).decode("utf-8", "replace")
        if not text.partition("\n")[2].strip():  # ended from outside: nothing is known but the head
            remove(path)
            return None
        at = time.strftime("%Y%m%d-%H%M%S", time.localtime(path.lstat().st_mtime))
        kept = path.with_name(f"crash-{at}-{pid}.txt")
        rename(path, kept)
        return Crash(kept, text)
    except OSError:
        return None


def _folder() -> Path:
    folder = Path(os.path.realpath(state_folder())) / "crashes"
    make_folder(folder)
    return folder


def _head() -> str:
    at = time.strftime("%Y-%m-%d %H:%M:%S")
    return (
        f"Emberscope {__version__}, Python {platform.python_version()}, {sys.platform}, started "
        f"{at}\n"
    )


def _end(path: Path, file: FileIO) -> None:
    """The process ends by itself: there is nothing to say."""
    faulthandler.disable()
    file.close()
    with contextlib.suppress(OSError):
        remove(path)
