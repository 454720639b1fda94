"""About what the cells of a study take."""

import math
import time
from collections.abc import Sequence

from msgspec.structs import replace

from emberscope.base.errors import EmberscopeError
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.cost import estimate
from emberscope.features.cache import digest
from emberscope.project.model.snapshot import Snapshot
from emberscope.studies.cells import Cell
from emberscope.studies.results import STAGES, prepared

_MOST = 200  # places of the grid that are estimated; of more, these are taken evenly
_STAGES = frozenset(stage.name for stage in STAGES)


def estimate_cells(
    snapshot: Snapshot, cells: Sequence[Cell], monitor: Monitor | None = None
) -> tuple[float, list[str]]:
    """Seconds that cells take in one process, and sentences on those whose recipe these labels do
    not allow. Makes bags, reads no frame."""
    seconds, refused = cell_seconds(snapshot, cells, monitor)
    return sum(seconds.values()), [
        f"{cells[0].words if len(cells) == 1 else how_many(len(cells), 'cell')}: {why}"
        for why, cells in refused.items()
    ]  # fmt: skip


def cell_seconds(
    snapshot: Snapshot, cells: Sequence[Cell], monitor: Monitor | None = None,
    patience: float = math.inf,
) -> tuple[dict[str, float], dict[str, list[Cell]]]:
    """Seconds that each cell takes in one process, by its key, those of features where the first of
    those that share them makes them; cells whose recipe these labels do not allow, by the reason.

    patience : s after which places of the grid that were not looked at count like another one of
    the same method.
    """
    watch, until = monitored(monitor), time.monotonic() + patience
    places = dict[str, list[Cell]]()
    for cell in cells:
        places.setdefault(_place(cell), []).append(cell)
    known, refused = dict[str, dict[str, float]](), dict[str, list[Cell]]()
    for at, name in enumerate(looked := _evenly(list(places))):
        watch.step(at / len(looked), "Planning")
        if time.monotonic() > until:
            break
        try:
            known[name] = _parts(snapshot, places[name][0])
        except EmberscopeError as error:
            known[name] = {}
            refused.setdefault(str(error), []).extend(places[name])
    seconds, made, like = dict[str, float](), set[str](), dict[str, dict[str, float]]()
    for name, own in places.items():
        if name in known:
            like[own[0].recipe.method] = known[name]
    usual = next(iter(known.values()), {})
    for cell in cells:
        place, shared = _place(cell), _features(cell)
        parts = known[place] if place in known else like.get(cell.recipe.method, usual)
        seconds[cell.key] = sum(cost for name, cost in parts.items()
                                if name != "features" or shared not in made)
        made.add(shared)
    return seconds, refused


def _parts(snapshot: Snapshot, cell: Cell) -> dict[str, float]:
    """Seconds of the stages of a cell. Raises EmberscopeError for a recipe that cannot be a run."""
    if cell.error:
        raise EmberscopeError(cell.error)
    found = estimate(prepared(snapshot, cell), cell.recipe, at_any_cost=True)
    return {name: cost for name, cost in found.stages.items() if name in _STAGES}


def _place(cell: Cell) -> str:
    """What cells share that differ in their seed, and take as long as each other."""
    return digest([replace(cell.change, seed=0), replace(cell.recipe, seed=0), cell.error])


def _features(cell: Cell) -> str:
    """What cells share that have the same patches and features: labels that stay as they are are
    those of every seed."""
    change = None if cell.change.is_none else cell.change
    return digest([change, cell.recipe.bags, cell.recipe.features])


def _evenly(names: Sequence[str]) -> Sequence[str]:
    """So many of them as are looked at, the first of them spread over all."""
    step = max(len(names) / _MOST, 1.0)
    taken = [names[int(at * step)] for at in range(min(len(names), _MOST))]
    apart = max(math.isqrt(len(taken)), 1)
    return [name for first in range(apart) for name in taken[first::apart]]
