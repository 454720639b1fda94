"""Who is near whom, before and after the metric of a run."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.findings.neighborhoods import Neighborhoods
from emberscope.project.model.snapshot import from_snapshot
from emberscope.tasks.request import AboutRun


class CompareNeighbors(AboutRun[Neighborhoods], frozen=True, kw_only=True):
    """Neighbors before and after the metric, and the triplets that it gets most wrong."""


class Reach(msgspec.Struct, frozen=True):
    """distances : (N, K) float32 of the neighbors that a run keeps, in the features."""

    distances: NDArray[np.float32]


class MeasureReach(AboutRun[Reach], frozen=True, kw_only=True):
    """How far the neighbors that a run keeps are."""


def measure_reach(request: MeasureReach, monitor: Monitor) -> Reach:
    """See `pipeline.measures`."""
    from emberscope.pipeline.measures import neighbor_distances

    project = from_snapshot(request.snapshot)
    return Reach(neighbor_distances(project, request.run, monitor=monitor))


def compare_neighbors(request: CompareNeighbors, monitor: Monitor) -> Neighborhoods:
    """See `pipeline.neighborhoods`."""
    from emberscope.pipeline.neighborhoods import neighborhoods

    return neighborhoods(from_snapshot(request.snapshot), request.run, monitor=monitor)
