"""A cluster of Dask: how busy its workers are."""

from emberscope.base.monitor import Monitor
from emberscope.findings.studied.load import ClusterLoad
from emberscope.tasks.request import Request


class LookAtCluster(Request[ClusterLoad], frozen=True, kw_only=True):
    """What the workers of a scheduler do. address : of it, as "tls://host:8786"."""

    address: str


def look_at_cluster(request: LookAtCluster, monitor: Monitor) -> ClusterLoad:
    """See `studies.cluster`. Raises WorkerError where nobody answers."""
    from emberscope.studies.cluster import load_of

    monitor.step(0.0, "Looking for the workers")
    return load_of(request.address)
