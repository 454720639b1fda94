"""Kernels: functions that numba compiles. Their code is kept on the disk and checked before it
runs.

numba believes what it finds there: one bit that flipped gives wrong numbers, a crash, or a run
without an end. Here the code of a kernel for one signature is a cache file as all others, checked
whole, under a name that says what it was compiled from. One that is damaged is removed and compiled
again, which the log says. Files are written whole, so that many processes may compile at once.
numba is imported here and nowhere else.

A frozen program comes with the code of its kernels, for the processor that a file beside them
names: most computers have it or a newer one.
"""

import contextlib
import functools
import hashlib
import inspect
import logging
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from emberscope.base.cache_file import read_arrays, throw_away, write_arrays
from emberscope.base.errors import defect_in_words
from emberscope.base.files import PART, is_abandoned
from emberscope.base.process.threads import ignore_wrong_counts

SUFFIX = ".nbc"
_INDEX = ".nbi"  # of numba itself
_SETTINGS = ".numba_config.yaml"  # which numba reads from the current folder
_FOLDER = "NUMBA_CACHE_DIR"
# Where a frozen program has the code that came with it; any other has no such folder
SHIPPED = Path(getattr(sys, "_MEIPASS", Path(__file__).parent)) / "kernels"
PROCESSOR = "processor.txt"  # its name, and what it can do, as numba takes them
_VARIABLES = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
log = logging.getLogger(__name__)
_PLACE = re.compile(r" at 0x[0-9a-f]+")
_said: set[type[Exception]] = set()


def njit(function: FunctionType | None = None, *, cache: bool = False, **options: Any) -> Any:
    """`numba.njit`; with `cache` the compiled code is kept on the disk.

    Where numba works otherwise than it is known to, or no folder can be written, each process
    compiles code anew, and the log says so once.
    """
    def compiled(function: FunctionType) -> Any:
        kernel = numba.njit(**options)(function)
        if cache and kernel is not function:  # else numba was set to compile nothing
            _keep(kernel, function)
        return kernel

    return compiled if function is None else compiled(function)


def thread_count() -> int:
    """How many threads numba was set to use; by default one per core."""
    return max(1, int(numba.config.NUMBA_NUM_THREADS))


class Code:
    """The code of one kernel on the disk.

    It plays the part of the cache that numba asks before it compiles, and hands what it compiled.
    Whatever goes wrong in it costs time and nothing else.
    """

    def __init__(self, function: FunctionType) -> None:
        from numba.core.caching import CompileResultCacheImpl
        from numba.core.serialize import dumps

        self._function = function
        self._dumps = dumps
        self._codec = CompileResultCacheImpl(function)
        self.cache_path = str(self._codec.locator.get_cache_path())
        self._stem = str(self._codec.filename_base)
        self._source = _digest(numba.__version__, _source_of(function))[:8]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function, or None where it must be compiled."""
        with _costs_time_only():
            context.refresh()
            key = self._key(signature, context.codegen())
            own = self._path(key)
            for path in (own, SHIPPED / own.name):
                found = read_arrays(path, key)
                if found is None:
                    continue
                try:
                    return self._codec.rebuild(context, pickle.loads(found[0].data))
                except Exception as error:
                    throw_away(path, defect_in_words(error))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled function; code of another state of its source goes."""
        with _costs_time_only():
            if not self._codec.check_cachable(result):
                return
            key = self._key(signature, result.codegen)
            parts = self._codec.reduce(result)
            # What numba notes for people names places in memory: the same code shall be one file
            code = self._dumps(
                tuple(_PLACE.sub("", part) if isinstance(part, str) else part for part in parts)
            )
            if write_arrays(self._path(key), key, [np.frombuffer(code, np.uint8)]):
                self._remove(self._is_outdated)

    def enable(self) -> None:
        """It is always on."""

    def disable(self) -> None:
        """It is always on."""

    def flush(self) -> None:
        """Remove the code for all signatures."""
        self._remove(lambda name: True)

    def _key(self, signature: Any, codegen: Any) -> str:
        """What code depends on: source and numba, types, processor, what the function closes
        over."""
        closed = [cell.cell_contents for cell in self._function.__closure__ or ()]
        own = (self._function.__code__.co_code, self._dumps(closed) if closed else b"")
        return _digest(self._source, self._stem, signature, codegen.magic_tuple(), *own)

    def _path(self, key: str) -> Path:
        return Path(self.cache_path) / f"{self._stem}.{self._source}-{key[:16]}{SUFFIX}"

    def _is_outdated(self, name: str) -> bool:
        return not name.startswith(f"{self._stem}.{self._source}-")

    def _remove(self, fits: Callable[[str], bool]) -> None:
        """Remove files of this kernel, and what killed writers left of them."""
        with os.scandir(self.cache_path) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            path = Path(self.cache_path) / name
            is_part = name.startswith(f".{self._stem}.") and name.endswith(PART)
            is_code = name.startswith(f"{self._stem}.") and name.endswith((SUFFIX, _INDEX))
            with contextlib.suppress(OSError):
                if (is_code and fits(name)) or (is_part and is_abandoned(path)):
                    path.unlink()


def _keep(kernel: Any, function: FunctionType) -> None:
    with _costs_time_only():
        if not hasattr(kernel, "_cache"):
            raise AttributeError("numba has no place for a cache")
        kernel._cache = Code(function)


@contextlib.contextmanager
def _costs_time_only() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # numba may be another than it was
        if type(error) not in _said:
            _said.add(type(error))
            what = (
                "Compiled code is not kept (%s). Everything works, but is compiled anew each time."
            )
            log.warning(what, defect_in_words(error))


def _source_of(function: FunctionType) -> bytes:
    """The digest of its file: code is the same wherever that lies and whenever it was written."""
    path = Path(inspect.getfile(function))
    found = path.stat()
    return _content(path, found.st_mtime_ns, found.st_size)


@functools.cache
def _content(path: Path, mtime: int, size: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()


def _imported() -> Any:
    """numba, with no settings from the current folder and no number of threads that is none."""
    if "numba" in sys.modules:  # somebody else's, with settings of theirs
        return sys.modules["numba"]
    for words in ignore_wrong_counts():
        log.warning("%s", words)
    if not Path(os.environ.get(_FOLDER) or os.sep).is_absolute():
        what = "%s is %r, no whole path, so it is ignored: it would name the current folder."
        log.warning(what, _FOLDER, os.environ.pop(_FOLDER)[:80])
    with warnings.catch_warnings(record=True) as said, _settings_unread():
        warnings.simplefilter("always", RuntimeWarning)
        import numba
    for warning in said:
        words, _, traceback = str(warning.message).partition("\n")
        if traceback:  # of a variable that it cannot read
            log.warning("numba: %s", words)
    with contextlib.suppress(AttributeError):  # the file is looked for again with each compilation
        numba.core.config._config_fname = os.devnull  # type: ignore[attr-defined]
    _compile_for_shipped(numba)
    return numba


def _compile_for_shipped(numba: Any) -> None:
    """Take the processor that the code of the program is for, where this one can do all it can."""
    if any(name in os.environ for name in _VARIABLES):
        return
    # No code came with the program, or numba works otherwise than it is known to
    with contextlib.suppress(OSError, ValueError, ImportError, AttributeError):
        name, features = (SHIPPED / PROCESSOR).read_text(encoding="ascii").split()
        from numba.core.codegen import get_host_cpu_features

        if set(features.split(",")) <= set(get_host_cpu_features().split(",")):
            os.environ.update(zip(_VARIABLES, (name, features), strict=True))
            numba.core.config.reload_config()


@contextlib.contextmanager
def _settings_unread() -> Iterator[None]:
    """Meanwhile numba finds nothing to read settings with, where the current folder has some."""
    if not Path(_SETTINGS).exists():
        yield
        return
    what = "%s in the current folder is not read. Set variables of the environment instead."
    log.warning(what, _SETTINGS)
    missing = object()
    before = sys.modules.get("yaml", missing)
    sys.modules["yaml"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["yaml"]
        if before is not missing:
            sys.modules["yaml"] = before  # type: ignore[assignment]


numba = _imported()
