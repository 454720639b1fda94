"""From a run to what a picture of it needs: chips in gray, glyph slots, legend."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import EmberscopeError
from emberscope.catalogue import METHODS
from emberscope.project.coloring import IGNORED_SLOT, class_slots, instance_classes
from emberscope.project.model import Project, Run
from emberscope.project.sources import OpenSources
from emberscope.report.pictures import MapData

CHIP = 48


def map_data(project: Project, run: Run, *, with_chips: bool = True) -> MapData:
    """The map of a run; without chips where its sources cannot be read."""
    classes = instance_classes(project, run)
    slots = class_slots(project, classes)
    legend = [(info.slot, info.name, int((classes == info.id).sum())) for info in project.classes.values()]
    legend += [(0, "Unknown", int((classes == 0).sum())), (IGNORED_SLOT, "Ignored", int((classes == -1).sum()))]
    subtitle = f"{len(run.ids)} instances, {len(run.bag_ids)} bags"
    if "trustworthiness" in run.metrics:
        subtitle += f", trustworthiness {run.metrics['trustworthiness']:.2f}"
    chips = _chips_or_none(project, run) if with_chips else None
    shown = [entry for entry in legend if entry[2]]
    return MapData(run.Z, slots, chips, shown, run_name(run), subtitle)


def run_name(run: Run) -> str:
    """How a run is called in print: "S-LE, run 12"."""
    return f"{short_title(run.recipe.method)}, run {run.id}"


def short_title(method: str) -> str:
    """The title of a method without its explanation; the bare id for one this version does not know."""
    known = {row.id: row.title for row in METHODS}
    return known.get(method, method).split(",")[0]


def chips_of(project: Project, run: Run, rows: NDArray) -> NDArray[np.uint8]:
    """(n, CHIP, CHIP) gray chips of some rows, stretched between the 1 % and 99.5 % of their source's chips."""
    from emberscope.features.chips import cut_chips

    instances = run.instances.take(np.asarray(rows))
    with OpenSources(project) as open_source:
        counts = cut_chips(instances, open_source, size=CHIP)
    gray = np.empty(counts.shape, np.uint8)
    for source in np.unique(instances.source):
        own = instances.source == source
        low, high = np.nanquantile(counts[own], [0.01, 0.995])
        scaled = (counts[own] - low) * (255.0 / max(float(high - low), 1e-6))
        gray[own] = np.nan_to_num(np.clip(scaled, 0, 255)).astype(np.uint8)
    return gray


def target_scores(run: Run) -> NDArray | None:
    """(N,) how target-like each instance is by its neighbors of other bags, or None where the run has no such score."""
    return run.point_scores.get("score")


def _chips_or_none(project: Project, run: Run) -> NDArray[np.uint8] | None:
    try:
        return chips_of(project, run, np.arange(len(run.ids)))
    except (EmberscopeError, KeyError):
        return None
