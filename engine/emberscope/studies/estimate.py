"""About what the cells of a study take."""

from collections.abc import Sequence

from emberscope.base.errors import EmberscopeError
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, monitored
from emberscope.course.cost import estimate
from emberscope.features.cache import digest
from emberscope.project.model.snapshot import Snapshot
from emberscope.studies.cells import Cell
from emberscope.studies.results import STAGES, prepared

_MOST = 200  # cells that are estimated; of more, these are taken evenly


def estimate_cells(
    snapshot: Snapshot, cells: Sequence[Cell], monitor: Monitor | None = None
) -> tuple[float, list[str]]:
    """Seconds that cells take in one process, and sentences on those whose recipe these labels do
    not allow. The features of a patch count once. Makes bags, reads no frame."""
    watch, seconds, refused = monitored(monitor), 0.0, dict[str, list[Cell]]()
    stages = {stage.name for stage in STAGES}
    seen = set[str]()
    step = max(len(cells) / _MOST, 1.0)
    taken = [cells[int(at * step)] for at in range(min(len(cells), _MOST))]
    for at, cell in enumerate(taken):
        watch.step(at / len(taken))
        try:
            found = None if cell.error else estimate(
                prepared(snapshot, cell), cell.recipe, at_any_cost=True
            )
        except EmberscopeError as error:
            refused.setdefault(str(error), []).append(cell)
            continue
        if found is None:
            refused.setdefault(cell.error, []).append(cell)
            continue
        own = digest([cell.change, cell.recipe.bags, cell.recipe.features])
        parts = {name: cost for name, cost in found.stages.items() if name in stages}
        if own in seen:
            parts.pop("features", None)
        seen.add(own)
        seconds += step * sum(parts.values())
    return seconds, [
        f"{cells[0].words if len(cells) == 1 else how_many(len(cells), 'cell')}: {why}"
        for why, cells in refused.items()
    ]  # fmt: skip
