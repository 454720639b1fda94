"""Background computation in a worker process: queue, progress, partial results, cancelling,
crashes. No Qt.

`client.Worker` is the worker. It knows every question that there is, so that it is loaded where one
starts.
"""

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
]
