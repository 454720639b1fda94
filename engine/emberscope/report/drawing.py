"""From a run to what an image of its map needs: chips in gray, glyph slots, legend."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import EmberscopeError
from emberscope.catalogue import METHODS
from emberscope.figures.maps import MapData, in_turn
from emberscope.figures.overlays import Overlays
from emberscope.findings.coloring import class_slots, slot_colors
from emberscope.findings.judged.levels import INSTANCE, METHOD
from emberscope.findings.maps.bag_points import (
    INSTANCES,
    OF_BAGS,
    WITH_HULLS,
    WITNESSES,
    at_means,
    bag_points,
    bag_style,
    hulls,
    with_note,
)
from emberscope.findings.maps.graph import edges_of, edges_within, neighbors_of
from emberscope.findings.point_looks import style_points
from emberscope.findings.shown_axes import FIRST, Axes, columns, shown_name
from emberscope.project.exchange.sources import OpenSources
from emberscope.project.model.project import Project, Run

CHIP = 48
_CANDIDATES = 400  # instances whose chips are cut: an image has room for two dozen of them


@dataclass(frozen=True, slots=True)
class MapLook:
    """How a map is to look: as the window shows it.

    color : "class", "bag", "source", "frame", "patch", "concept", "imputed" or the name of a score
    per instance; a run that has no such thing is colored by class. theme : "light" or "dark". round
    : of the imputed labels, None = the one that was kept. selected : ids of instances that get a
    ring. axes : which two of the run the map in the plane shows. points : what its points are, of
    `bag_points.POINTS`. histograms : along its edges. graph : "k 5" joins every instance with so
    many nearest ones in the features, "r 0.4" with those no farther, "" with none; reach : (N, K)
    distances of the neighbors that the run keeps, which "r" needs. threshold : of a ranking, None
    for the one that the Evaluate workspace begins with. level : what is ranked. by : whose held-out
    scores are ranked and make curves, of the method or of the classifier.
    """

    color: str = "class"
    theme: str = "light"
    round: int | None = None
    selected: Collection[int] = ()
    axes: Axes = FIRST
    points: str = INSTANCES
    histograms: bool = False
    graph: str = ""
    reach: NDArray | None = None
    threshold: float | None = None
    level: str = INSTANCE
    by: str = METHOD


AS_USUAL = MapLook()


def map_data(
    project: Project, run: Run, look: MapLook = AS_USUAL, *, with_chips: bool = True
) -> MapData:
    """The map of a run, with the chips of some instances of every class."""
    style = style_points(project, run, look.color, look.theme, number=look.round)
    slots = style.slot
    subtitle = f"{len(run.ids)} instances, {len(run.bag_ids)} bags"
    if (trust := run.metrics.get(shown_name(run, "trustworthiness", look.axes))) is not None:
        subtitle += f", trustworthiness {trust:.2f}"
    chips = chips_of(project, run, in_turn(slots)[:_CANDIDATES]) if with_chips else {}
    ringed = (
        np.isin(run.ids, np.array(list(look.selected), np.int64)) if len(look.selected) else None
    )
    Z, shown, over = run.Z, None, _overlays(project, run, look)
    if look.points in OF_BAGS and len(run.bags):
        found = bag_points(project, run)
        by_class = look.color == "class"
        style = bag_style(project, run, style, found, theme=look.theme, by_class=by_class)
        shown = np.zeros(len(run.ids), bool)
        shown[found.rows] = True
        chips = {row: chip for row, chip in chips.items() if shown[row]}
        Z = at_means(Z, run.bags, found) if look.points != WITNESSES else Z
    style = with_note(style, look.points)
    return MapData(
        Z, style, chips, run_name(run), subtitle, look.theme, ringed, look.axes, shown, over
    )


def _overlays(project: Project, run: Run, look: MapLook) -> Overlays:
    """What lies over the points."""
    everything = np.ones(len(run.ids), bool)
    corners, hues = np.empty((0, 0), np.int64), np.empty((0, 3), np.uint8)
    if look.points in WITH_HULLS and len(run.bags):
        corners, bags = hulls(columns(run.Z, look.axes), run.bags, everything)
        hues = slot_colors(class_slots(project, run.bags.classes[bags]), look.theme)
    return Overlays(corners, hues, graph_edges(run, look.graph, look.reach), look.histograms)


def graph_edges(run: Run, graph: str, reach: NDArray | None) -> NDArray[np.int64]:
    """(E, 2) rows that are joined. Raises EmberscopeError where a graph is not one of `MapLook`, or
    the run keeps no neighbors."""
    if not graph:
        return np.empty((0, 2), np.int64)
    neighbors = neighbors_of(run)
    if neighbors is None:
        raise EmberscopeError(
            f"run {run.id} keeps no neighbors", hint="Run it again, or leave out the graph."
        )
    kind, _, number = graph.partition(" ")
    try:
        if kind == "r" and reach is not None:
            return edges_within(neighbors, reach, float(number))
        return edges_of(neighbors, int(number))
    except ValueError as error:
        raise EmberscopeError(
            f"{graph!r} is no graph", hint='Known: "k 5", "r 0.8".'
        ) from error


def run_name(run: Run) -> str:
    """How a run is called in print: "S-LE, run 12"."""
    return f"{short_title(run.recipe.method)}, run {run.id}"


def short_title(method: str) -> str:
    """The title of a method without its explanation; the bare id for one this version does not
    know."""
    known = {row.id: row.title for row in METHODS}
    return known.get(method, method).split(",")[0]


def chips_of(project: Project, run: Run, rows: NDArray) -> Mapping[int, NDArray[np.uint8]]:
    """Row -> (CHIP, CHIP) gray chip of what the features see.

    Stretched between the 1 % and 99.5 % of the chips of its source. Empty where a source cannot be
    read or is no longer in the project, and for point sets, whose features are no image.
    """
    if project.of_points:
        return {}
    from emberscope.features.chips import cut_chips
    from emberscope.features.extract import grown

    instances = grown(run.instances.take(rows), run.recipe.features.sees)
    try:
        with OpenSources(project) as open_source:
            counts = cut_chips(instances, open_source, size=CHIP)
    except (EmberscopeError, KeyError):
        return {}
    gray = np.empty(counts.shape, np.uint8)
    for source in np.unique(instances.source):
        own = instances.source == source
        gray[own] = _stretched(counts[own])
    return dict(zip(rows.tolist(), gray, strict=True))


def _stretched(counts: NDArray) -> NDArray[np.uint8]:
    finite = counts[np.isfinite(counts)]
    low, high = np.quantile(finite, [0.01, 0.995]) if finite.size else (0.0, 1.0)
    scaled = (counts - low) * (255.0 / max(float(high - low), 1e-6))
    return np.clip(np.nan_to_num(scaled), 0, 255).astype(np.uint8)
