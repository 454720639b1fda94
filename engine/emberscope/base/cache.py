"""All caches together: what they hold, one bound over them, and how they are emptied.

What lies in a folder of `KINDS` can be computed again; anything there may be removed at any time.
The sample project, compiled code and the files of worker processes lie beside them and are none of
these.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from emberscope.base.cache_file import SUFFIX, is_cache_file, written_bytes
from emberscope.base.errors import ParamError
from emberscope.base.files import is_abandoned, is_part, written_whole
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.own_files import open_own_to_read, remove

KINDS = {"features": "features of instances", "stages": "results of stages",
         "video-index": "indexes of videos", "scores": "scored clips"}
DEFAULT_BOUND = 8 << 30
VARIABLE = "EMBERSCOPE_CACHE_GIB"
_OURS = re.compile(rf"[0-9a-f]{{16,64}}{re.escape(SUFFIX)}")  # also where it is damaged
_SETTING = "bound-gib"     # a file in the cache folder, so that window, worker and commands agree
_LEAST, _MOST = 0.0, 1e6   # GiB
# of the bound are left where it was passed, so that not every file costs a look at all
_KEEP = 0.9
_LOOK_AGAIN = 60.0         # s after which other processes may have written much


class Usage(NamedTuple):
    """What a kind of files takes."""

    files: int
    bytes: int


@dataclass(slots=True)
class _Look:
    """The last look of this process at the whole cache, and what the cache held then."""

    folder: Path
    at: float
    held: int
    written: int


class _File(NamedTuple):
    used: float
    bytes: int
    path: str


_last: list[_Look] = []


def usage(folder: Path) -> dict[str, Usage]:
    """Files and bytes by kind; a kind without files is there too."""
    found = {}
    for kind in KINDS:
        sizes = [file.bytes for file in _files(folder / kind)]
        found[kind] = Usage(len(sizes), sum(sizes))
    return found


def bound(folder: Path) -> int:
    """Bytes that all kinds together may take: EMBERSCOPE_CACHE_GIB, else what was set for the
    folder, else 8 GiB."""
    with contextlib.suppress(ParamError):
        if VARIABLE in os.environ:
            return _in_bytes(os.environ[VARIABLE])
    with contextlib.suppress(OSError, ValueError):
        return _in_bytes((folder / _SETTING).read_text()[:32])
    return DEFAULT_BOUND


def set_bound(folder: Path, gib: float) -> None:
    """Set the bound of a cache for all programs that use it. Raises ParamError, OSError."""
    _in_bytes(str(gib))
    with written_whole(folder / _SETTING) as partly:
        partly.write_text(f"{gib:g}\n")


def keep_bounded(folder: Path) -> None:
    """`trim`, where the cache may have passed its bound since this process looked last. Costs
    nothing otherwise."""
    now, most, written = time.monotonic(), bound(folder), written_bytes()
    for last in _last:
        if (last.folder == folder and now - last.at < _LOOK_AGAIN
            and last.held + written - last.written <= most):
            return
    _last[:] = [_Look(folder, now, trim(folder, most), written)]


def trim(folder: Path, most: int) -> int:
    """Remove what was used longest ago where all files take more than `most` bytes, down to 90 % of
    that.

    Also removes what killed writers left. Returns the bytes that are left. A reader has what it
    reads in memory, and computes again what it does not find.
    """
    files = [file for kind in KINDS for file in _files(folder / kind)]
    total = sum(file.bytes for file in files)
    room = most if total <= most else int(most * _KEEP)
    for file in sorted(files, key=lambda file: file.used):
        left_over = is_part(Path(file.path).name)
        if (total > room and not left_over) or (left_over and _is_abandoned(file.path)):
            total -= file.bytes if _removed(file.path) else 0
    return total


def clear(folder: Path, *, monitor: Monitor | None = None) -> int:
    """Remove every file of every kind, and the folders they leave empty; returns the bytes freed.
    Raises Cancelled."""
    watch = monitored(monitor)
    files = [file for kind in KINDS for file in _files(folder / kind)]
    freed = 0
    for at, file in enumerate(files):
        if at % 64 == 0:
            watch.step(at / len(files), "Clearing the cache")
        if not is_part(Path(file.path).name) or _is_abandoned(file.path):
            freed += file.bytes if _removed(file.path) else 0
    for inner in [inner for kind in KINDS for inner in (folder / kind).glob("*/")]:
        with contextlib.suppress(OSError):
            inner.rmdir()
    _last.clear()
    return freed


def _files(folder: Path | str) -> Iterator[_File]:
    """All files below a folder, which is no link; those that vanish meanwhile are left out."""
    if Path(folder).is_symlink():
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    stat = entry.stat(follow_symlinks=False)
                    yield _File(stat.st_mtime, stat.st_size, entry.path)


def _is_abandoned(part: str) -> bool:
    try:
        return is_abandoned(Path(part))
    except OSError:
        return False


def _removed(path: str) -> bool:
    """Windows keeps a file that somebody reads; one that is none of a cache stays everywhere."""
    try:
        with open_own_to_read(path, buffering=0) as file:
            ours = (is_part(Path(path).name) or _OURS.fullmatch(Path(path).name) is not None
                    or is_cache_file(file))
        if ours:
            remove(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return ours


def _in_bytes(gib: str) -> int:
    try:
        number = float(gib)
    except ValueError:
        number = -1.0
    if not _LEAST <= number <= _MOST:
        raise ParamError(f"the bound of the cache is {gib[:32]!r}",
                         hint=f"Give {_LEAST:.0f} - {_MOST:.0f} GiB.")
    return int(number * (1 << 30))
