"""What the actions of a track do on the map."""

from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.motions import Motions
from emberscope.findings.track_model import TrackModel
from emberscope.findings.track_steps import TrackSteps
from emberscope.tasks.request import Request


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


def describe_actions(request: DescribeActions, monitor: Monitor) -> Motions:
    """See `pipeline.motions`."""
    from emberscope.pipeline.motions import motions

    monitor.step(0.0, "Actions")
    return motions(request.Z, request.steps, request.model, row=request.row, ends=request.ends)
