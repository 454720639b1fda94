"""Damaged files are read in a process of its own, which may take so much time and memory and no
more.

A file is read, or refused with one line of at most 300 characters. All else is a find: another
exception, more time or memory than any such file may take, the end of the process.
"""

import contextlib
import gc
import multiprocessing as mp
import os
import random
import resource
import shutil
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import av

from emberscope.base.errors import EmberscopeError

SECONDS = 20.0          # for one small file, on a busy machine
MEMORY = 1 << 30        # bytes beyond those of the program itself
_START = 120.0          # seconds for a child to import what it needs
# Files that one child reads: libpng leaks 9 KiB of each that it cannot decode
_MOST = 20_000
_MOST_OF = {"kernel": 500}  # each compilation leaves 0.8 MB
_TOO_LONG = "it takes too long"
_LONGEST = 300          # characters of a message


@dataclass(frozen=True)
class Case:
    """One damaged file: which family, which of its seeds, and the number from which its damage is
    drawn."""

    family: str
    seed: str
    number: int


@dataclass(frozen=True)
class Find:
    """What a file did that it may not. `key` is alike for finds that look alike."""

    case: Case
    key: str
    detail: str


def file_of(case: Case) -> bytes:
    """The damaged file of a case, the same on every machine of this program."""
    from fuzz_families import FAMILIES, damaged, own_folders

    family = FAMILIES[case.family]
    with tempfile.TemporaryDirectory() as name, own_folders(Path(name)):
        family.beside(Path(name))
        family.seeds[case.seed](Path(name) / case.seed)
        data = (Path(name) / case.seed).read_bytes()
    return damaged(family, data, random.Random(f"{case.family} {case.seed} {case.number}"))


def judged(known: Any, family: str, path: Path) -> tuple[str, str]:
    """("", "") for a file that is read or refused as it should be, else key and detail of a
    find."""
    try:
        known.read(path)
    except EmberscopeError as error:
        words = str(error)
        if "\n" in words or len(words) > _LONGEST:
            return f"{family}: message of {len(words)} characters", words[:2000]
        if _ran_out_of_memory(error):
            return f"{family}: memory {_place(error)}", _last_lines()
    except Exception as error:
        return f"{family}: {type(error).__name__} {_place(error)}", _last_lines()
    return "", ""


def _ran_out_of_memory(error: BaseException | None) -> bool:
    while error is not None:
        # FFmpeg took none
        if isinstance(error, MemoryError) and not isinstance(error, av.FFmpegError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _place(error: BaseException) -> str:
    """The innermost line of the program itself that was on its way."""
    frames = traceback.extract_tb((error.__cause__ or error).__traceback__)
    own = [entry for entry in frames if "/emberscope/" in entry.filename] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""


def _last_lines() -> str:
    return traceback.format_exc()[-2500:]


class Child:
    """A process that reads damaged files until one is too much for it; then there is another."""

    def __init__(self, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._process: Any = None
        self._pipe: Any = None
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop()

    def read(self, case: Case, data: bytes | None = None) -> Find | None:
        """Read the file of a case, or `data` as such a file; what it did that it may not.

        What takes too long has a second try: on a busy machine a process may stand still.
        """
        first = self._read(case, data)
        return self._read(case, data) if first is not None and first.detail == _TOO_LONG else first

    def _read(self, case: Case, data: bytes | None) -> Find | None:
        if self._count >= _MOST_OF.get(case.family, _MOST):
            self._stop()
        if self._process is None:
            self._start()
        self._count += 1
        self._pipe.send((case, data))
        try:
            if self._pipe.poll(self._seconds):
                key, detail = self._pipe.recv()
                return Find(case, key, detail) if key else None
            what = _TOO_LONG
        except (EOFError, ConnectionError):
            self._process.join()
            what = f"it ended the process with {self._process.exitcode}"
        self._stop()
        return Find(case, f"{case.family}: {what}", what)

    def _start(self) -> None:
        spawn = mp.get_context("spawn")
        self._count = 0
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, self._memory), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(_START):
            raise TimeoutError("the reading process does not start")
        self._pipe.recv()

    def _stop(self) -> None:
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _serve(pipe: Connection, memory: int) -> None:
    import fuzz_families

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # decoders print what they find odd
    with tempfile.TemporaryDirectory() as name, fuzz_families.own_folders(Path(name)):
        folder = Path(name)
        seeds = {}
        # All of them, so that everything is imported
        for family, known in fuzz_families.FAMILIES.items():
            with _fresh(folder, known) as inside:
                for seed, write in known.seeds.items():
                    write(inside / seed)
                    seeds[family, seed] = (inside / seed).read_bytes()
                    assert judged(known, family, inside / seed) == ("", ""), seed
        _limit(memory)
        pipe.send("ready")
        while True:
            try:
                case, data = pipe.recv()
            except EOFError:
                return
            known = (
                fuzz_families.FAMILIES.get(case.family) or fuzz_families.BAD_READERS[case.family]
            )
            if data is None:
                draw = random.Random(f"{case.family} {case.seed} {case.number}")
                data = fuzz_families.damaged(known, seeds[case.family, case.seed], draw)
            with _fresh(folder, known) as inside:
                name = case.seed if case.seed in known.seeds else _named(known, case.seed)
                (inside / name).write_bytes(data)
                answer = judged(known, case.family, inside / name)
            gc.collect() if answer[0] else None
            pipe.send(answer)


def _named(known: Any, name: str) -> str:
    """The name that a kept file gets: that of the seed with its ending."""
    return next((seed for seed in known.seeds if Path(seed).suffix == Path(name).suffix), "file")


@contextlib.contextmanager
def _fresh(folder: Path, family: Any) -> Iterator[Path]:
    inside = Path(tempfile.mkdtemp(dir=folder))
    try:
        family.beside(inside)
        yield inside
    finally:
        shutil.rmtree(inside, ignore_errors=True)


def _limit(memory: int) -> None:
    """No more address space than there is now, and `memory` bytes."""
    pages = (
        int(Path("/proc/self/statm").read_text().split()[0])
        if Path("/proc/self/statm").exists()
        else 0
    )
    if pages:
        whole = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (whole, whole))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
