"""What the actions of a track do on the map."""

from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.motions import Motions
from emberscope.findings.track_steps import TrackSteps
from emberscope.tasks.request import Request


class DescribeActions(Request[Motions], frozen=True, kw_only=True):
    """The motions that actions are on a map Z (N, d).

    row : the instance that what comes next is asked of, None for none. ends : instances between
    which a way is asked for.
    """

    Z: NDArray
    steps: TrackSteps
    row: int | None = None
    ends: tuple[int, int] | None = None


def describe_actions(request: DescribeActions, monitor: Monitor) -> Motions:
    """See `pipeline.motions`."""
    from emberscope.pipeline.motions import motions

    monitor.step(0.0, "Actions")
    return motions(request.Z, request.steps, row=request.row, ends=request.ends)
