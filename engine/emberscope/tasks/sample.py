"""The sample project that the window opens."""

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.tasks.request import Request


class Sample(msgspec.Struct, frozen=True):
    """Where the project lies."""

    path: str


class MakeSample(Request[Sample], frozen=True, kw_only=True):
    """Write the generated range scene and its project into a folder."""

    folder: str
    seed: int = 0


def make_sample(request: MakeSample, monitor: Monitor) -> Sample:
    """See `demo`."""
    from emberscope.demo import make_demo

    return Sample(str(make_demo(request.folder, seed=request.seed, monitor=monitor)))
