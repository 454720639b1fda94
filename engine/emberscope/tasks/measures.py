"""What is measured when asked for: numbers that a run lacks, and published ones again."""

from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.findings.shown_axes import FIRST, Axes
from emberscope.project.model.project import Run
from emberscope.project.model.recipe import Recipe
from emberscope.project.model.snapshot import Snapshot, from_snapshot
from emberscope.reproduction.tables import Line
from emberscope.tasks.request import AboutRun, Request


class MeasureRun(AboutRun[Run], frozen=True, kw_only=True):
    """What the run lacks for want of time."""


class MeasureAxes(AboutRun[Run], frozen=True, kw_only=True):
    """How faithful two of its axes are, numbered from 0."""

    axes: Axes = FIRST


class MeasureCeiling(AboutRun[Run], frozen=True, kw_only=True):
    """What its features reach where the target of every box is known."""


class Ceilings(msgspec.Struct, frozen=True):
    """Rows and sentences as `pipeline.ceiling.ceilings` has them; the recipe of the features."""

    rows: list[dict[str, Any]]
    notes: list[str]
    recipe: Recipe


class MeasureCeilings(Request[Ceilings], frozen=True, kw_only=True):
    """What the features of the next run of a project reach where every target is known."""

    snapshot: Snapshot


class MeasureRow(Request[Line], frozen=True, kw_only=True):
    """A row of a published table.

    table, row : their names. data : the folder of public sets, "" for none. seeds : draws, 0 = as
    the table says. seed : of the first one.
    """

    table: str
    row: str
    data: str = ""
    seeds: int = 0
    seed: int = 0


def measure_run(request: MeasureRun, monitor: Monitor) -> Run:
    """See `pipeline.measures`."""
    from emberscope.pipeline.measures import measure

    return measure(from_snapshot(request.snapshot), request.run, monitor=monitor)


def measure_axes(request: MeasureAxes, monitor: Monitor) -> Run:
    """See `pipeline.measures`."""
    from emberscope.pipeline import measures

    project = from_snapshot(request.snapshot)
    return measures.measure_axes(project, request.run, request.axes, monitor=monitor)


def measure_ceiling(request: MeasureCeiling, monitor: Monitor) -> Run:
    """See `pipeline.ceiling`."""
    from emberscope.pipeline import ceiling

    return ceiling.measure_ceiling(from_snapshot(request.snapshot), request.run, monitor=monitor)


def measure_ceilings(request: MeasureCeilings, monitor: Monitor) -> Ceilings:
    """See `pipeline.ceiling`."""
    from emberscope.catalogue.usual import usual_recipe
    from emberscope.pipeline.ceiling import ceilings
    from emberscope.pipeline.sizes import judged_sizes

    project = from_snapshot(request.snapshot)
    recipe = project.kept_recipe
    if recipe is None:
        recipe = usual_recipe(project, judged_sizes(project, monitor=monitor))[0]
    rows, notes = ceilings(project, recipe, monitor=monitor)
    return Ceilings(rows, notes, recipe)


def measure_row(request: MeasureRow, monitor: Monitor) -> Line:
    """See `reproduction.one_row`."""
    from emberscope.reproduction import one_row

    folder = Path(request.data) if request.data else None
    return one_row.measure_row(
        request.table, request.row, data=folder, seeds=request.seeds, seed=request.seed,
        monitor=monitor,
    )  # fmt: skip
