"""Folders of workers in the cache: one of each window or command, removed by the next one where
that is gone."""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from emberscope.base import own_files
from emberscope.base.process import os_lock
from emberscope.base.process.here import is_running

_NAME = re.compile(r"worker-([0-9]+)-\w+")
_ALIVE = "alive"  # a file that is held as long as the folder is in use
# What lies in it; "warm-..." are folders
_FILES = re.compile(rf"[0-9a-f]{{32}}\.bin|worker\.log|{_ALIVE}")
_WARM = "warm-"


def own_folder(parent: Path) -> tuple[Path, os_lock.HeldFile]:
    """A fresh folder named after this process, and what says that it is in use; those of processes
    that are gone are removed. Raises OSError."""
    parent.mkdir(parents=True, exist_ok=True)
    parent = Path(os.path.realpath(parent))
    for name in own_files.names_in(parent):
        found = _NAME.fullmatch(name)
        if found and not _is_in_use(parent / name, int(found[1])):
            _remove(parent / name)
    folder = Path(tempfile.mkdtemp(prefix=f"worker-{os.getpid()}-", dir=parent))
    return folder, os_lock.HeldFile(
        own_files.open_own(folder / _ALIVE, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    )


def _is_in_use(folder: Path, pid: int) -> bool:
    """Whether its process runs; one of another container is seen by what it holds only."""
    if is_running(pid):
        return True
    with contextlib.suppress(OSError), own_files.open_own_to_read(folder / _ALIVE) as file:
        return bool(os_lock.is_held(file.fileno()))
    return False


def _remove(folder: Path) -> None:
    """What is a worker's goes; anything else that lies there stays, and so does its folder."""
    with contextlib.suppress(OSError):
        for name in own_files.names_in(folder):
            if name.startswith(_WARM):
                shutil.rmtree(folder / name, ignore_errors=True)  # goes through no link
            elif _FILES.fullmatch(name):
                with contextlib.suppress(OSError):
                    own_files.remove(folder / name)
        own_files.remove_folder(folder)
