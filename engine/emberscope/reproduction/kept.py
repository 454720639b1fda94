"""Draws of a published table kept in a folder, as the cells of a study are.

A draw is a function of how it is measured, of its seed, of the data and of the code. So a table
that was stopped goes on, and several processes that share a folder share its draws.
"""

import math
import time
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.versions import code_version
from emberscope.features.cache import digest
from emberscope.project.store.cell_folder import Result, StudyFolder
from emberscope.reproduction.tables import Measure, Table, draws, wanted_rows

if TYPE_CHECKING:
    from emberscope.datasets.model import Points

VALUE = "value"
_WAIT = 0.3  # s between two looks at a draw that another process is at


class Draw(NamedTuple):
    """One number behind a row, before its mean is taken. values : what tells it from others."""

    key: str
    name: str
    params: dict[str, Any]
    seed: int

    @property
    def values(self) -> dict[str, Any]:
        """As columns of the table of the folder."""
        return {"measure": self.name, **self.params, "seed": self.seed}


class KeptDraws:
    """Measures that look into a folder first, and keep there what they find.

    measures : name -> measurement. only, seeds, seed : as of `tables.fill_in`. Raises ProjectError
    where nothing can be kept in the folder.
    """

    def __init__(
        self, folder: str | Path, table: Table, measures: dict[str, Measure], *, only: str = "",
        seeds: int = 0, seed: int = 0,
    ) -> None:
        self._folder, self._own, self._table = StudyFolder(folder), measures, table
        self._asked = [(row, seed + n) for row in wanted_rows(table, only)
                       for n in range(draws(table, row, seeds))]
        self._done, self._ahead = dict[str, tuple[Draw, Result]](), set[str]()
        self._content: str | None = None  # of the benchmark
        self._folder.begin(table)

    @property
    def measures(self) -> dict[str, Measure]:
        """These, in place of those that were given."""
        return {name: self._kept(name, measure) for name, measure in self._own.items()}

    def write_table(self) -> Path:
        """Write what was asked for so far, a row a draw. Returns the path."""
        found = list(self._done.values())
        return self._folder.write_table([draw for draw, _ in found],
                                        {draw.key: result for draw, result in found})

    def _kept(self, name: str, measure: Measure) -> Measure:
        @wraps(measure)
        def value(
            *, seed: int, monitor: Monitor | None, points: "Points | None", **params: Any
        ) -> float:
            draw = self._draw(name, params, seed, points)
            while (result := self._result(draw, measure, points, monitor)) is None:
                monitored(monitor).step(0.0, "Another process measures this")
                if not self._one_ahead(points, monitor):
                    time.sleep(_WAIT)
            self._done[draw.key] = draw, result
            return result.metrics[VALUE]

        return value

    def _result(
        self, draw: Draw, measure: Measure, points: "Points | None", monitor: Monitor | None
    ) -> Result | None:
        """Of a draw that is kept, or is measured now; None where another process is at it."""
        if (found := self._kept_result(draw)) is not None:
            return found
        with self._folder.lease(draw.key) as mine:
            if not mine:
                return None
            if (found := self._kept_result(draw)) is not None:  # done between the two looks
                return found
            began = time.perf_counter()
            number = measure(seed=draw.seed, monitor=monitor, points=points, **draw.params)
            result = Result(key=draw.key, values=draw.values, metrics={VALUE: float(number)},
                            seconds=time.perf_counter() - began)
            if math.isfinite(number):
                self._folder.put(result)
            return result

    def _one_ahead(self, points: "Points | None", monitor: Monitor | None) -> bool:
        """Measure a draw that nobody is at, so that this process is not idle; whether there was
        one. What fails, or is no number, is left to its row, which says so."""
        for row, seed in self._asked:
            name = row.measure or self._table.measure
            draw = self._draw(name, {**self._table.params, **row.params}, seed, points)
            if draw.key in self._ahead or self._kept_result(draw) is not None:
                continue
            try:
                if self._result(draw, self._own[name], points, monitor) is not None:
                    self._ahead.add(draw.key)
                    return True
            except (EmberscopeError, TypeError, ValueError):
                self._ahead.add(draw.key)
        return False

    def _kept_result(self, draw: Draw) -> Result | None:
        found = self._folder.result(draw.key)
        return found if found is not None and VALUE in found.metrics else None

    def _draw(
        self, name: str, params: dict[str, Any], seed: int, points: "Points | None"
    ) -> Draw:
        if self._content is None:  # a table is of one benchmark
            self._content = digest(points)
        key = digest([name, params, seed, self._content, code_version()])
        return Draw(key, name, params, seed)
