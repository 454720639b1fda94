"""Published tables and what was measured of them since the program started; the worker gets them
row by row."""

import math
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from emberscope.reproduction.tables import (
    Line,
    Row,
    Table,
    draws,
    has_benchmark,
    not_measured,
    published_tables,
    read_table,
)
from emberscope.tasks.measures import MeasureRow
from emberscope_app.state.core.preferences import Preferences
from emberscope_app.state.core.qt_paths import from_qt
from emberscope_app.state.runs.jobs import Job, Jobs

_FOLDER = "published/data"
WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Ask:
    """A row that was asked for. seeds : draws, 0 = as the table says."""

    table: str
    row: Row
    seeds: int
    folder: str


class Published(QObject):
    """Outlives its sheet. changed(table): rows came, or it runs, waits, stops.

    Numbers are kept by table, row and folder of data until the program ends, never longer: ours are
    always measured.
    """

    changed = Signal(str)

    def __init__(
        self, jobs: Jobs, preferences: Preferences, tables: dict[str, Table] | None = None
    ) -> None:
        super().__init__()
        self.tables = tables or {name: read_table(name) for name in published_tables()}
        self.problems: dict[str, str] = {}  # table -> why it stopped
        self._jobs, self._preferences = jobs, preferences
        self._found: dict[tuple[str, str], dict[str, Line]] = {}
        self._waiting: deque[Ask] = deque()
        self._asked: dict[str, int] = {}
        self._now: Ask | None = None
        self._job: Job | None = None
        jobs.changed.connect(self._follow)

    # --- data

    @property
    def folder(self) -> str:
        """Where the public sets are; "" where nobody said."""
        name = self._preferences.text(_FOLDER)
        return str(from_qt(name)) if name else ""

    def set_folder(self, folder: str) -> None:
        self._preferences.set_text(_FOLDER, folder)
        for name, table in self.tables.items():
            if table.data:
                self.problems.pop(name, None)
                self.changed.emit(name)

    def lacks(self, name: str) -> str:
        """Why a table cannot be measured; "" where it can."""
        table = self.tables[name]
        if all(row.unavailable for row in table.rows):
            return "No row of this table can be measured here"
        if table.data and not self.folder:
            return f"Needs the public set {table.data}: choose its folder first"
        if table.data and not has_benchmark(table.data, Path(self.folder)):
            return f"There is no {table.data} in {self.folder}"
        return ""

    # --- what is there

    def lines(self, name: str) -> list[Line]:
        """All rows, measured or not."""
        table, found = self.tables[name], self._of(name)
        return [found.get(row.name, not_measured(table, row)) for row in table.rows]

    def count(self, name: str) -> tuple[int, int]:
        """Rows measured, and rows that can be."""
        of = sum(not row.unavailable for row in self.tables[name].rows)
        return sum(not math.isnan(line.ours) for line in self._of(name).values()), of

    def left(self, name: str, seeds: int) -> list[Row]:
        """Rows that a run would measure: those not yet drawn so often."""
        table, found = self.tables[name], self._of(name)
        return [row for row in table.rows
                if draws(table, row, seeds) > (found[row.name].seeds if row.name in found else 0)]

    # --- running

    def start(self, name: str, seeds: int = 0) -> None:
        """Measure what is left of a table; where nothing is, all of it again."""
        if self.lacks(name) or self.active(name):
            return
        if not self.left(name, seeds):
            self._of(name).clear()
        rows = self.left(name, seeds)
        self.problems.pop(name, None)
        self._asked[name] = len(rows)
        folder = self.folder if self.tables[name].data else ""
        self._waiting += [Ask(name, row, seeds, folder) for row in rows]
        self._next()
        self.changed.emit(name)

    def cancel(self, name: str) -> None:
        """Stop; rows that are measured stay."""
        self._waiting = deque(ask for ask in self._waiting if ask.table != name)
        if self._now is not None and self._now.table == name and self._job is not None:
            self._jobs.cancel(self._job.id)
        self.changed.emit(name)

    def active(self, name: str) -> bool:
        return self.is_now(name) or any(ask.table == name for ask in self._waiting)

    def is_now(self, name: str) -> bool:
        """Whether a row of this table is being measured, not only waiting behind another table."""
        return self._now is not None and self._now.table == name

    def fraction(self, name: str) -> float:
        """How much of what was asked for is done."""
        waiting = sum(ask.table == name for ask in self._waiting) + self.is_now(name)
        share = self._job.fraction if self._job is not None and self.is_now(name) else 0.0
        return (self._asked.get(name, 0) - waiting + share) / max(self._asked.get(name, 0), 1)

    def state(self, name: str, row: str) -> str:
        """"draw 2 of 5", "measuring" or "waiting" for a row that was asked for; "" for others."""
        now = self._now
        if now is not None and (now.table, now.row.name) == (name, row) and self._job is not None:
            count = draws(self.tables[name], now.row, now.seeds)
            at = min(int(self._job.fraction * count + 1e-6) + 1, count)
            return f"draw {at} of {count}" if count > 1 else "measuring"
        return (
            WAITING
            if any((ask.table, ask.row.name) == (name, row) for ask in self._waiting)
            else ""
        )

    def summary(self, name: str) -> str:
        """What is being done now, else why it stopped; "" otherwise."""
        if not self.is_now(name) or self._job is None or self._now is None:
            return "Waits for another table" if self.active(name) else self.problems.get(name, "")
        row, message = self._now.row.name, self._job.message
        return f"{row}: {message}" if message and message != row else row

    def _of(self, name: str) -> dict[str, Line]:
        return self._found.setdefault((name, self.folder if self.tables[name].data else ""), {})

    def _next(self) -> None:
        """Hand the next row to the worker; jobs of rows before it leave the list of jobs."""
        if self._now is not None or not self._waiting:
            return
        if self._job is not None and self._job.state == "finished":
            self._jobs.forget(self._job)
        ask = self._now = self._waiting.popleft()
        request = MeasureRow(table=ask.table, row=ask.row.name, data=ask.folder, seeds=ask.seeds)
        self._job = self._jobs.ask(
            request, partial(self._take, ask), title=f"Table {ask.table}", lasting=True
        )
        if not self._job.active:  # the program is closing
            self._now = None
            self._waiting.clear()

    def _take(self, ask: Ask, line: Line) -> None:
        self._found.setdefault((ask.table, ask.folder), {})[ask.row.name] = line
        self._now = None
        self._next()
        self.changed.emit(ask.table)

    def _follow(self, job: Job) -> None:
        if job is not self._job or self._now is None or job.state == "finished":
            return
        name = self._now.table
        # Stopped, here or in the list of jobs, or failed: so would the rows after it
        if not job.active:
            self._now = None
            self._waiting = deque(ask for ask in self._waiting if ask.table != name)
            if job.error:
                self.problems[name] = job.error
            self._next()
        self.changed.emit(name)


def head(table: Table) -> str:
    """What a table is called where there is little room: its title up to the colon."""
    return table.title.partition(":")[0]
