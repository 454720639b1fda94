"""The folder of a study: a file for each cell that is done, the table of all, who computes what."""

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from emberscope.base.csv_cells import Digits
from emberscope.base.errors import ProjectError
from emberscope.base.files import absolute, is_abandoned, is_part, read_bytes, written_whole
from emberscope.base.out_folders import make_out_folder
from emberscope.base.own_files import in_real_folder, make_folder, names_in
from emberscope.base.tables.parquet import has_parquet
from emberscope.base.tables.table_files import table_file
from emberscope.project.store import lock
from emberscope.project.store.lock import Locked

CELLS, TABLE, ASKED, REPORT = "cells", "cells.csv", "study.json", "report.html"
HEARTBEAT = 5.0   # s between two signs of life of a process that computes a cell
SILENT = 60.0     # s without one after which a process of another computer counts as gone


class Cell(Protocol):
    """What a folder keeps results of."""

    @property
    def key(self) -> str:
        """A hash of all that the result depends on."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a cell came to.

    values : of every axis. metrics : numbers by the names of `findings.measures`, as a run of the
    same recipe has them. notes : sentences. error : why there are no numbers, a sentence, else "".
    given_up : processes died at it, and none tries again until somebody asks for that. seconds :
    that it took.
    """

    key: str
    values: dict[str, Any]
    metrics: dict[str, float] = {}
    notes: list[str] = []
    error: str = ""
    given_up: bool = False
    seconds: float = 0.0


class StudyFolder:
    """Where a study keeps what is done. Several processes, on several computers, may use one.

    Raises ProjectError for a folder that cannot be made, and for one that holds a table which no
    study wrote.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = in_real_folder(absolute(path))
        if (self.path / TABLE).exists() and not (self.path / ASKED).exists():
            raise ProjectError(f"there is a {TABLE} that no study wrote", where=str(self.path),
                               hint="Choose another folder.")
        make_out_folder(self.path.parent)
        try:
            make_folder(self.path)
            make_folder(self.path / CELLS)
        except OSError as error:
            raise ProjectError(f"the folder cannot be made: {error.strerror}",
                               where=str(self.path)) from error

    def begin(self, asked: msgspec.Struct) -> None:
        """Keep what was asked, and clear what killed processes left half written; the cells of
        another study of this folder stay."""
        for name in names_in(self.path / CELLS):
            with contextlib.suppress(OSError):
                if is_part(name) and is_abandoned(self.path / CELLS / name):
                    (self.path / CELLS / name).unlink()
        self._write(self.path / ASKED, msgspec.json.format(msgspec.json.encode(asked)))

    def result(self, key: str) -> Result | None:
        """The result of a cell; None where it is not done, or its file is damaged, so that it is
        computed again."""
        try:
            found = msgspec.json.decode(read_bytes(self._file(key)), type=Result)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return found if found.key == key else None

    def put(self, result: Result) -> None:
        """Keep a result, whole or not at all. Raises ProjectError where nothing can be written."""
        self._write(self._file(result.key), msgspec.json.encode(result))

    def try_again(self, cells: Iterable[Cell]) -> None:
        """Forget that cells were given up, so that they are computed again. Raises ProjectError
        where a file cannot be removed."""
        for key, result in self.results(cells).items():
            if result.given_up:
                try:
                    self._file(key).unlink(missing_ok=True)
                except OSError as error:
                    raise ProjectError(f"the study cannot be kept: {error.strerror}",
                                       where=str(self._file(key))) from error

    def results(self, cells: Iterable[Cell]) -> dict[str, Result]:
        """Those of the cells that are done, by their keys."""
        there = {name.removesuffix(".json") for name in names_in(self.path / CELLS)}
        found = (self.result(cell.key) for cell in cells if cell.key in there)
        return {result.key: result for result in found if result is not None}

    @contextmanager
    def lease(self, key: str) -> Iterator[bool]:
        """Whether this process may compute a cell: nobody else does as long as this lasts.

        A process that is gone gives its cells back: at once on the same computer, after a minute
        without a sign of life on another. Where a network lets two of them think so of a third,
        both compute the same result.
        """
        held = self._taken(key)
        if held is None:
            yield False
            return
        stop = threading.Event()
        beat = threading.Thread(target=_keep_alive, args=(held.path, stop), daemon=True)
        beat.start()
        try:
            yield True
        finally:
            stop.set()
            beat.join()
            held.release()

    def _taken(self, key: str) -> lock.Lock | None:
        file = self._file(key)
        try:
            return self._may_write(lock.take(file))
        except Locked as error:
            if error.owner.is_known or not _is_silent(lock.lock_path(file)):
                return None
        try:
            return self._may_write(lock.take(file, anyway=True))
        except Locked:
            return None

    def _may_write(self, held: lock.Lock | None) -> lock.Lock:
        if held is None:
            raise ProjectError("the folder of the study cannot be written", where=str(self.path))
        return held

    def write_table(
        self, cells: Iterable[Cell], results: dict[str, Result], form: str = "csv"
    ) -> Path:
        """Write the cells that are done, one a row: axes, then numbers. Returns the path. form :
        one of `TABLES`; Parquet raises ParamError where it is not installed."""
        rows = table_rows([results[cell.key] for cell in cells if cell.key in results])
        path = (self.path / TABLE).with_suffix(f".{form}")
        self._write(path, table_file(rows, form))
        return path

    def write_tables(self, cells: Iterable[Cell], results: dict[str, Result]) -> Path:
        """As `write_table`, and the same in Parquet where that is installed."""
        if has_parquet():
            self.write_table(cells, results, "parquet")
        return self.write_table(cells, results)

    @property
    def report(self) -> Path:
        """Where its report lies, beside the table."""
        return self.path / REPORT

    def _file(self, key: str) -> Path:
        return self.path / CELLS / f"{key}.json"

    def _write(self, path: Path, content: bytes) -> None:
        try:
            with written_whole(path) as part:
                part.write_bytes(content)
        except OSError as error:
            raise ProjectError(f"the study cannot be kept: {error.strerror}",
                               where=str(path)) from error


def table_rows(results: list[Result]) -> list[list[object]]:
    """A heading, then a row for each result: its axes, its numbers, seconds, why there are none,
    its key."""
    axes = list(dict.fromkeys(axis for result in results for axis in result.values))
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    rows: list[list[object]] = [[*axes, *names, "seconds", "error", "cell"]]
    for result in results:
        numbers = [_number(result.metrics.get(name)) for name in names]
        rows.append([*(_value(result.values.get(axis)) for axis in axes), *numbers,
                     Digits(f"{result.seconds:.3f}"), result.error, result.key])
    return rows


def _number(value: float | None) -> object:
    return "" if value is None else Digits(f"{value:.9g}")


def _value(value: Any) -> object:
    """A value of an axis as a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return Digits(msgspec.json.encode(value).decode())


def _keep_alive(path: Path, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT):
        with contextlib.suppress(OSError):
            os.utime(path)


def _is_silent(path: Path) -> bool:
    try:
        return abs(time.time() - path.stat().st_mtime) > SILENT
    except OSError:  # it was released meanwhile
        return False
