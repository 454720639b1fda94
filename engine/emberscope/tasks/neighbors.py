"""Who is near whom, before and after the metric of a run."""

from emberscope.base.monitor import Monitor
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun


class CompareNeighbors(AboutRun[Neighborhoods], frozen=True, kw_only=True):
    """Neighbors before and after the metric, and the triplets that it gets most wrong."""


def compare_neighbors(request: CompareNeighbors, monitor: Monitor) -> Neighborhoods:
    """See `pipeline.neighborhoods`."""
    from emberscope.pipeline.neighborhoods import neighborhoods

    return neighborhoods(from_snapshot(request.snapshot), request.run, monitor=monitor)
