"""Last words of a process that crashed: Python's fault handler writes the stacks of its threads to a file."""

import atexit
import contextlib
import faulthandler
import os
import platform
import sys
import time
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from emberscope import __version__
from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import state_folder

_KEPT = 5           # crashes
_LARGEST = 64 << 10  # bytes of one that are read


@dataclass(frozen=True, slots=True)
class Crash:
    """What a process left that crashed: the file, and its text."""

    path: Path
    text: str


def watch_for_crashes() -> None:
    """From now on a crash of this process leaves its last words. Where no file can be made, on standard error."""
    try:
        path = _folder() / f"running-{os.getpid()}.txt"
        file = path.open("wb", buffering=0)
    except (OSError, EmberscopeError):
        faulthandler.enable()
        return
    file.write(_head().encode())
    faulthandler.enable(file)
    atexit.register(_end, path, file)


def crashes_left() -> list[Crash]:
    """What processes left that crashed since the last call, newest last; each is kept as crash-TIME.txt."""
    try:
        folder = _folder()
        running = sorted(folder.glob("running-*.txt"), key=lambda path: path.stat().st_mtime)
    except (OSError, EmberscopeError):
        return []
    found = [crash for crash in map(_crash_of, running) if crash is not None]
    for old in sorted(folder.glob("crash-*.txt"))[:-_KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
    return found


def _crash_of(path: Path) -> Crash | None:
    import psutil

    pid = path.stem.partition("-")[2]
    if not pid.isdigit() or psutil.pid_exists(int(pid)):
        return None
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST).decode("utf-8", "replace")
        if not text.partition("\n")[2].strip():  # ended from outside: nothing is known but the head
            path.unlink()
            return None
        at = time.strftime("%Y%m%d-%H%M%S", time.localtime(path.stat().st_mtime))
        return Crash(path.replace(path.with_name(f"crash-{at}-{pid}.txt")), text)
    except OSError:
        return None


def _folder() -> Path:
    folder = state_folder() / "crashes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _head() -> str:
    at = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"Emberscope {__version__}, Python {platform.python_version()}, {sys.platform}, started {at}\n"


def _end(path: Path, file: FileIO) -> None:
    """The process ends by itself: there is nothing to say."""
    faulthandler.disable()
    file.close()
    with contextlib.suppress(OSError):
        path.unlink()
