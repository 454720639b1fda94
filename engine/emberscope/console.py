"""What a command shows on a terminal: words, tables, and a progress bar on anything over a
second."""

import io
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, TextIO

import numpy as np

from emberscope.base.errors import shortened
from emberscope.base.monitor import Monitor
from emberscope.base.plain_text import plain, showable

RULE = "\u2500"
_LONGEST_LINE = 100_000  # letters; what is printed is cut nowhere else
_QUIET_SECONDS = 1.0


def open_output() -> None:
    """Make standard output and error take whatever is written: characters they have no code for,
    and closed ones.

    A closed stream, input too, is opened on nothing: else the next file that is opened takes its
    number.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif isinstance(stream, io.TextIOWrapper) and name != "stdin":
            stream.reconfigure(errors="replace" if name == "stdout" else "backslashreplace")


def say(words: str) -> None:
    """Print one line of plain text, with ? for characters that the output has no code for, as Greek
    ones in cp1252."""
    _print(showable(words, _LONGEST_LINE), sys.stdout)


def say_page(text: str) -> None:
    """Print lines of our own, as `say` does a line."""
    _print(plain(text), sys.stdout)


def complain(words: str) -> None:
    """Say on stderr what is wrong, on one line of at most 300 characters."""
    _print(f"emberscope: {shortened(words)}", sys.stderr)


def _print(words: str, stream: TextIO) -> None:
    try:
        print(words, file=stream)
    except UnicodeEncodeError:  # which names "charmap" instead of the encoding
        print(words.encode(stream.encoding, "replace").decode(stream.encoding), file=stream)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a heading, wrapped to the terminal; cells are text, not markup."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in head:
        table.add_column(showable(title, _LONGEST_LINE), overflow="fold")
    for row in rows:
        table.add_row(*(showable(cell, _LONGEST_LINE) for cell in row))
    Console(width=None if sys.stdout.isatty() else 160, markup=False, highlight=False).print(table)


class TableRows:
    """A table whose rows are printed one by one, as they come; a progress bar on the terminal stays
    below them.

    widths : of all columns but the last, which takes what is left of the line and goes on below
    itself. The first column is words, the others are numbers at their right edge.
    """

    def __init__(self, head: Sequence[str], widths: Sequence[int]) -> None:
        self._widths = [
            max(width, len(title)) for width, title in zip(widths, head[:-1], strict=True)
        ]
        before = sum(width + 2 for width in self._widths)
        total = shutil.get_terminal_size().columns if sys.stdout.isatty() else 160
        self._rest = max(total - before, 24)
        self._print(head)
        say(f" {(before + min(self._rest, total - before) - 2) * RULE}")

    def print_row(self, cells: Sequence[str]) -> None:
        """One row, at once."""
        self._print(cells)

    def _print(self, cells: Sequence[str]) -> None:
        *left, last = (showable(cell, _LONGEST_LINE) for cell in cells)
        pads = [str.ljust] + [str.rjust] * (len(left) - 1)
        start = "  ".join(
            pad(cell, width) for pad, cell, width in zip(pads, left, self._widths, strict=True)
        )
        lines = textwrap.wrap(last, self._rest - 1) or [""]
        indent = " " * len(start)
        for at, words in enumerate(lines):
            print(f" {start if at == 0 else indent}  {words}".rstrip(), flush=True)


class ConsoleMonitor(Monitor):
    """A monitor that draws a progress bar on stderr once a second has passed."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def step(self, fraction: float, message: str = "") -> None:
        if self._progress is None:
            if time.monotonic() - self._begin < _QUIET_SECONDS or not sys.stderr.isatty():
                return
            self._open()
        self._progress.update(
            self._task, completed=fraction, description=showable(message or self._title)
        )

    def partial(self, Z: np.ndarray) -> None:
        pass

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        words, share = (
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.percentage:3.0f} %"),
        )
        console = Console(stderr=True)
        self._progress = Progress(
            words, BarColumn(), share, TimeRemainingColumn(), console=console, transient=True,
            # What is printed goes above the bar; into a file, past it
            redirect_stdout=sys.stdout.isatty(),
        )
        self._progress.start()
        self._task = self._progress.add_task(showable(self._title), total=1.0)
