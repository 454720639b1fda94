"""Fill the grid of a study: every cell that is not done, by this process or by several."""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from emberscope.base.cache import keep_bounded
from emberscope.base.errors import EmberscopeError
from emberscope.base.folders import cache_folder
from emberscope.base.monitor import Monitor, monitored
from emberscope.project.model.snapshot import Snapshot
from emberscope.project.store.cell_folder import Result, StudyFolder
from emberscope.studies.cells import Cell
from emberscope.studies.pace import Pace, Told
from emberscope.studies.results import compute

Show = Callable[[dict[str, Result]], object]
# What one cell may die of while the others go on
_FAULTS = (EmberscopeError, OSError, ValueError, ArithmeticError, MemoryError)
_WAIT = 0.3        # s between two looks at cells that others compute
_LOOK_EVERY = 2.0  # s between two looks at what others computed meanwhile


@dataclass(frozen=True, slots=True)
class Work:
    """What there is to do: cells of a project, the folder they are kept in, the cache of stages;
    pace says how long it takes."""

    snapshot: Snapshot
    cells: Sequence[Cell]
    folder: StudyFolder
    cache: Path = field(default_factory=cache_folder)
    pace: Pace = field(default_factory=Pace)


class Filled(NamedTuple):
    """Results by key; sentences on cells that could not be computed, by key: their frames cannot be
    read, say. They are tried again when the study is asked for again."""

    results: dict[str, Result]
    failed: dict[str, str]


def fill(
    work: Work, *, first: int = 0, monitor: Monitor | None = None,
    show: Show | None = None,
    begins: Callable[[Cell], object] | None = None,
) -> Filled:
    """Compute the cells that are not done.

    first : the cell that this process begins with, so that several do not begin with the same.
    show : gets the results every other second. begins : gets each cell before it is computed.
    Cells that other processes compute are waited for. Raises Cancelled; what is done until then is
    kept.
    """
    cells, folder, pace = work.cells, work.folder, work.pace
    watch = Told(monitored(monitor), pace)
    results, failed, looked = folder.results(cells), dict[str, str](), 0.0
    pace.begin(cells, results)
    order = [*cells[first:], *cells[:first]]
    while todo := [cell for cell in order if cell.key not in results and cell.key not in failed]:
        taken = False
        for cell in todo:
            found = results.get(cell.key) or folder.result(cell.key)
            with folder.lease(cell.key) if found is None else nullcontext(False) as mine:
                found = found or folder.result(cell.key)  # done between the two looks
                if found is None and mine:
                    watch.step()
                    if begins is not None:
                        begins(cell)
                    try:
                        found = compute(work.snapshot, cell, work.cache, watch)
                    except _FAULTS as error:
                        failed[cell.key] = f"{cell.words}: {error}"
                    else:
                        folder.put(found)
            if found is not None:
                results[cell.key], taken = found, True
            if time.monotonic() - looked > _LOOK_EVERY:
                results |= folder.results(cell for cell in cells if cell.key not in results)
                if show is not None:
                    show(results)
                looked = time.monotonic()
            pace.see(results, failed)
        if not taken:
            watch.step()
            time.sleep(_WAIT)
    keep_bounded(work.cache)
    return Filled(results, failed)
