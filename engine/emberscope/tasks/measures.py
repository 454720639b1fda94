"""Numbers of a run that are measured when asked for; the answer is the run with them."""

from emberscope.base.monitor import Monitor
from emberscope.findings.shown_axes import FIRST, Axes
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.about_run import AboutRun


class MeasureRun(AboutRun[Run], frozen=True, kw_only=True):
    """What the run lacks for want of time."""


class MeasureAxes(AboutRun[Run], frozen=True, kw_only=True):
    """How faithful two of its axes are, numbered from 0."""

    axes: Axes = FIRST


class MeasureCeiling(AboutRun[Run], frozen=True, kw_only=True):
    """What its features reach where the target of every box is known."""


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
