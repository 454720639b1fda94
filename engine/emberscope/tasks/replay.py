"""The question whether a run of a project comes out the same once more."""

from emberscope.base.monitor import Monitor
from emberscope.findings.replayed import Replayed
from emberscope.project.model.project import Run
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.about_run import AboutRun


class ReplayRun(AboutRun[Replayed], frozen=True, kw_only=True):
    """Make a run again and compare. previous : the run whose embedding it went on from."""

    previous: Run | None = None


def replay_run(request: ReplayRun, monitor: Monitor) -> Replayed:
    """What the replay found, see `pipeline.replay`."""
    from emberscope.pipeline.replay import replay

    project = from_snapshot(request.snapshot)
    return replay(project, request.run, previous=request.previous, monitor=monitor)
