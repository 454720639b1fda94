"""Background computation in a worker process: queue, progress, partial results, cancelling,
crashes. No Qt."""

from emberscope.jobs.client import Worker
from emberscope.jobs.events import (
    Crashed,
    Event,
    Failed,
    Finished,
    Noted,
    Partial,
    Progress,
    Started,
    Stopped,
)

__all__ = [
    "Crashed",
    "Event",
    "Failed",
    "Finished",
    "Noted",
    "Partial",
    "Progress",
    "Started",
    "Stopped",
    "Worker",
]
