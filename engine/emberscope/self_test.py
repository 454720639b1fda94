"""The self-test: whether what keeps work, caches results and computes does so on this computer,
tried for real.

Nothing of a person's is touched: every check works in a folder of its own and removes it.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from emberscope.base import cache_file
from emberscope.base.cache import KINDS, trim
from emberscope.base.errors import defect_in_words, in_words
from emberscope.base.folders import cache_folder, state_folder
from emberscope.doctor import PACKAGES, WINDOW_PACKAGES, renderer, version

if TYPE_CHECKING:
    from emberscope.jobs.client import Worker

State = Literal["ok", "warn", "failed"]

_LITTLE, _TOO_LITTLE = 1 << 30, 64 << 20  # bytes of disk or memory
# Seconds for the start of a worker, which loads its libraries
_PATIENCE = 60.0
_ENDING = 10.0                            # seconds for a process that was killed


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried. `words`: what was found, or what is wrong and what to do."""

    name: str
    state: State
    words: str


class _Failed(Exception):
    """What a check found wrong, in words."""


def self_test() -> Iterator[Check]:
    """Try everything, one check after the other, each as it ends; never raises. About 5 s, most of
    it the worker."""
    for name, check in _CHECKS:
        try:
            found = check()
        except _Failed as error:
            found = "failed", str(error)
        except Exception as error:
            found = "failed", in_words(error) or defect_in_words(error)
        yield Check(name, *found)


# --- the checks: each returns its state and words, or raises


def _versions() -> tuple[State, str]:
    missing = [name for name in PACKAGES if version(name) == "missing"]
    needed = [name for name in missing if name not in WINDOW_PACKAGES]
    if needed:
        raise _Failed(f"missing: {', '.join(needed)}. Install Emberscope again.")
    if missing:
        return "warn", f"missing: {', '.join(missing)}. The commands work, the window does not."
    return "ok", ", ".join(f"{name} {version(name)}" for name in PACKAGES[:4])


def _folders() -> tuple[State, str]:
    for folder in (cache_folder(), state_folder(), Path(tempfile.gettempdir())):
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"x" * 4096)
                file.flush()
        except OSError as error:
            hint = "Free some space, or set EMBERSCOPE_CACHE, EMBERSCOPE_STATE or TMPDIR."
            raise _Failed(f"{folder} cannot be written: {error.strerror}. {hint}") from error
    return "ok", f"{cache_folder()} and {state_folder()} can be written"


def _disk() -> tuple[State, str]:
    free = {folder: shutil.disk_usage(folder).free for folder in (state_folder(), cache_folder())}
    folder, least = min(free.items(), key=lambda item: item[1])
    return _enough(least, f"free beside {folder}", "Journal and caches need room: free some.")


def _memory() -> tuple[State, str]:
    import psutil

    return _enough(
        psutil.virtual_memory().available, "not in use", "Runs may end early: close other programs."
    )


def _enough(size: int, what: str, hint: str) -> tuple[State, str]:
    words = f"{size / 2**30:.1f} GiB {what}"
    if size < _TOO_LITTLE:
        raise _Failed(f"{words}. {hint}")
    return ("ok", words) if size >= _LITTLE else ("warn", f"{words}. {hint}")


def _journal() -> tuple[State, str]:
    """Save a project, change it, stop as a crash does, and look whether the change comes back."""
    from emberscope.labels.model import Spot
    from emberscope.project import Project, PutLabels
    from emberscope.project.store.file import save
    from emberscope.project.store.open_project import OpenProject

    with _own_folder(state_folder()) as folder:
        path = folder / "self-test.ember"
        save(Project(), path)
        opened = OpenProject.at(path)
        operation = PutLabels(after=[Spot(id=20, source=1, frame=0, x=1.0, y=2.0)])
        opened.project.apply(operation)
        start = time.perf_counter()
        opened.did(operation)
        if not opened.flush():
            raise _Failed(
                opened.trouble or "a step was not on the disk after 5 s. Save to another disk."
            )
        seconds = time.perf_counter() - start
        opened.close()
        again = OpenProject.at(path)
        try:
            found = again.recover() if again.recoverable is not None else Project()
        finally:
            again.close(discard=True)
        if [label.id for label in found.labels] != [20]:
            raise _Failed(
                f"a step did not come back from {folder.parent}. Save often, and report this."
            )
    return "ok", f"a step is on the disk after {1000 * seconds:.0f} ms and comes back"


def _cache() -> tuple[State, str]:
    """Write entries, read them, change one byte of one, and make room for one of two."""
    from emberscope.features.cache import cached, path_of, read_kept

    wanted = (np.arange(1000.0),)
    with _own_folder(cache_folder()) as folder:
        inside = folder / next(iter(KINDS))
        cached(inside, b"self-test", lambda: wanted)
        if not _equal(read_kept(inside, b"self-test"), wanted):
            raise _Failed(
                f"what was written to {folder.parent} was not read back. Set EMBERSCOPE_CACHE."
            )
        file = path_of(inside, b"self-test")
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        with _quiet(cache_file.log):  # that this entry is damaged is nobody's news
            found = cached(inside, b"self-test", lambda: wanted)
        if not _equal(found, wanted):
            raise _Failed("a damaged entry was believed. Delete the cache folder, and report this.")
        cached(inside, b"older", lambda: wanted)
        os.utime(path_of(inside, b"older"), (0, 0))
        trim(folder, len(data) * 3 // 2)
        if read_kept(inside, b"older") is not None or not _equal(
            read_kept(inside, b"self-test"), wanted
        ):
            raise _Failed(
                "what was used longest ago does not make room. Clear the cache, and report this."
            )
    return "ok", "entries are read back, damaged ones are computed again, the oldest make room"


def _equal(found: tuple[np.ndarray, ...] | None, wanted: tuple[np.ndarray, ...]) -> bool:
    return found is not None and all(
        np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)
    )


def _worker() -> tuple[State, str]:
    """Start the process, do a job, stop another, end it."""
    from emberscope.jobs.client import Worker, wait_for_answer
    from emberscope.jobs.events import Started, Stopped
    from emberscope.tasks.trial import AddOne, WaitUntilStopped

    worker = Worker(warm=False)
    try:
        start = time.perf_counter()
        answer = wait_for_answer(AddOne(value=20), worker=worker).value
        seconds = time.perf_counter() - start
        if answer != 21:
            raise _Failed(
                f"the worker said {answer} instead of 21. Restart the computer, and report this."
            )
        job = worker.ask(WaitUntilStopped())
        _wait_for(worker, Started)
        worker.cancel(job)
        _wait_for(worker, Stopped)
        pid = worker.pid
    finally:
        worker.close()
    if pid is not None and not _ends(pid):
        raise _Failed(f"the worker (process {pid}) does not end. End it by hand, and report this.")
    return "ok", f"starts and answers within {seconds:.1f} s, stops when asked, ends"


def _ends(pid: int) -> bool:
    """Whether a process that was killed is gone within `_ENDING` seconds: on a busy computer that
    takes a while."""
    import psutil

    end = time.monotonic() + _ENDING
    while time.monotonic() < end:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def _wait_for(worker: "Worker", kind: type) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        worker.wait(0.1)
        if any(isinstance(event, kind) for event in worker.poll()):
            return
    raise _Failed("the worker does not answer. Restart the program; the log says more.")


def _opengl() -> tuple[State, str]:
    if any(version(name) == "missing" for name in WINDOW_PACKAGES):
        return "warn", "the window is not installed here"
    found = renderer()
    return ("warn", found) if found.startswith("none") else ("ok", found)


_CHECKS: tuple[tuple[str, Callable[[], tuple[State, str]]], ...] = (
    ("Libraries", _versions), ("Folders", _folders), ("Free disk", _disk), ("Free memory", _memory),
    ("Journal", _journal), ("Cache", _cache), ("Worker", _worker), ("OpenGL", _opengl),
)  # fmt: skip
NAMES = tuple(name for name, _ in _CHECKS)


@contextmanager
def _own_folder(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="self-test-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _quiet(log: logging.Logger) -> Iterator[None]:
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before
