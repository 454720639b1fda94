"""How long a study still takes: what its plan says of each cell, corrected by those that are
done."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from emberscope.base.grouping import about, how_many
from emberscope.base.monitor import Monitor
from emberscope.project.model.study import SEED
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import Cell

_LEAST = 1e-3  # s that a cell takes at least


class _Took(NamedTuple):
    """Seconds that a cell of some kinds took, and those that its plan said."""

    kinds: tuple[str, ...]
    seconds: float
    guess: float


class Pace:
    """The clock of a study, from when it is asked for to its end.

    clock : the time, s. at_once : cells that are computed at the same time, as far as that is
    known before some are done.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self.at_once = clock, 1
        self._began = self._last = clock()
        self._first, self._busy, self._count = clock(), 0.0, 0
        self._cells: Sequence[Cell] = ()
        self._by_key = dict[str, Cell]()
        self._estimates: Mapping[str, float] = {}
        self._later, self._ended = 0.0, set[str]()
        self._took = dict[str, _Took]()
        self._failed: Collection[str] = ()
        self._left = self._longest = 0.0
        self._weighed = clock()

    def expect(self, estimates: Mapping[str, float], later: float = 0.0) -> None:
        """What is known beforehand. estimates : seconds of cells, by key; all are alike where there
        are none. later : how many more cells come in later rounds."""
        self._estimates, self._later = estimates, later

    def begin(self, cells: Sequence[Cell], there: Mapping[str, Result]) -> None:
        """Take up the cells of a study, or of a round of it. there : results of those that were
        done before."""
        self._cells = cells
        self._by_key = {cell.key: cell for cell in cells}
        for result in there.values():
            self._take(result)
        self._weigh()

    def see(self, results: Mapping[str, Result], failed: Collection[str] = ()) -> None:
        """Take in the results that are new, whoever computed them. failed : keys of cells that
        nobody tries again."""
        now, new = self._clock(), [result for key, result in results.items()
                                   if key not in self._ended]
        if not new and len(failed) == len(self._failed):
            return
        for result in new:
            # What others had begun before counts from now on
            began = max(now - result.seconds, self._began)
            self._first = began if not self._count else min(self._first, began)
            self._busy += now - began
            self._count += 1
            self._take(result)
        self._failed, self._last = frozenset(failed), now
        self._weigh()

    @property
    def left(self) -> float:
        """Seconds until the end."""
        spent = min(self._clock() - self._weighed, self._longest)
        return max(self._left - spent, 0.0)

    @property
    def fraction(self) -> float:
        """The part of the time that is over, 0 to 1: clocks that go by it say what is left."""
        over = self._clock() - self._began
        return over / max(over + self.left, _LEAST)

    @property
    def words(self) -> str:
        """"12 of 175 cells, about 4 min left"."""
        there = sum(cell.key in self._ended for cell in self._cells)
        words = f"{there} of {how_many(len(self._cells), 'cell')}"
        return f"{words}, {about(self.left)} left" if self._known() else words

    def _known(self) -> bool:
        return bool(self._estimates or self._took)

    def _take(self, result: Result) -> None:
        self._ended.add(result.key)
        cell = self._by_key.get(result.key)
        if cell is not None and result.seconds:
            self._took[result.key] = _Took(_kinds(cell), result.seconds, self._guess(cell))

    def _weigh(self) -> None:
        """What the cells that are not done still take."""
        self._weighed = self._clock()
        took = list(self._took.values())
        usual = (sum(one.seconds for one in took) / sum(one.guess for one in took)) if took else 1.0
        ratios = dict[str, list[float]]()
        for one in took:
            for kind in one.kinds:
                ratios.setdefault(kind, []).append(one.seconds / one.guess)
        rates = {kind: median(own) for kind, own in ratios.items()}
        each = {cell.key: self._guess(cell) * self._rate(cell, rates, usual)
                for cell in self._cells if cell.key not in self._failed}
        todo = [took for key, took in each.items() if key not in self._ended]
        mean = fmean(each.values()) if each else 0.0
        self._longest = max(todo, default=mean if self._later else 0.0)
        work = sum(todo) + self._later * mean
        self._left = max(work / self._together(len(todo) + self._later), self._longest)

    def _rate(self, cell: Cell, rates: Mapping[str, float], usual: float) -> float:
        return next((rates[kind] for kind in _kinds(cell) if kind in rates), usual)

    def _guess(self, cell: Cell) -> float:
        return max(self._estimates.get(cell.key, 1.0), _LEAST)

    def _together(self, most: float) -> float:
        """How many cells are computed at the same time."""
        passed = self._last - self._first
        several = self._count >= 2 * self.at_once and passed > 0
        found = self._busy / passed if several else self.at_once
        return max(min(found, most), _LEAST) if most else 1.0


class Told(Monitor):
    """Says how far a study is, whatever its cells say of themselves."""

    def __init__(self, monitor: Monitor, pace: Pace) -> None:
        self._monitor, self._pace = monitor, pace

    def step(self, fraction: float = 0.0, message: str = "") -> None:
        self._monitor.step(self._pace.fraction, self._pace.words)

    def partial(self, Z: np.ndarray) -> None:
        """The map of a cell is none of the study."""


def _kinds(cell: Cell) -> tuple[str, ...]:
    """What the estimates of cells err alike by, the most telling first: other seeds of a place,
    the same method on labels of the same kind, the same method."""
    recipe, place = cell.recipe, {axis: value for axis, value in cell.values.items()
                                  if axis != SEED}
    method = f"{recipe.method} {recipe.metric} {recipe.classifier}"
    return repr(place), f"{method} {cell.change.drawn} {recipe.bags.level}", method
