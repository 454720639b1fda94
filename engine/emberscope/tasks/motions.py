"""What the actions of a track do on the map."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.motions import Motions, Places
from emberscope.findings.track_model import TrackModel
from emberscope.findings.track_steps import TrackSteps
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun, Request


class DescribeActions(Request[Motions], frozen=True, kw_only=True):
    """The motions that actions are on a map Z (N, d).

    model : of a run that was made of them, what they are found in, see `findings.track_model`.
    row : the instance that what comes next is asked of, None for none. ends : instances between
    which a way is asked for.
    """

    Z: NDArray
    steps: TrackSteps
    model: TrackModel | None = None
    row: int | None = None
    ends: tuple[int, int] | None = None


class LocateViews(AboutRun[Places], frozen=True, kw_only=True):
    """Where on the tracks of a run some of its instances are. steps : of the tracks. rows : (T,) of
    the instances, in the order in which they were seen."""

    steps: TrackSteps
    rows: NDArray[np.int64]


def locate_views(request: LocateViews, monitor: Monitor) -> Places:
    """See `pipeline.locating`."""
    from emberscope.pipeline import locating

    project = from_snapshot(request.snapshot)
    return Places(locating.locate_views(project, request.run, request.steps, request.rows,
                                        monitor=monitor))


def describe_actions(request: DescribeActions, monitor: Monitor) -> Motions:
    """See `pipeline.motions`."""
    from emberscope.pipeline.motions import motions

    monitor.step(0.0, "Actions")
    return motions(request.Z, request.steps, request.model, row=request.row, ends=request.ends)
