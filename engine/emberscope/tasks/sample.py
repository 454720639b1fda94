"""The sample project that the window opens."""

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.tasks.request import Request

FRAMES = 10  # of each sequence, half of what `emberscope demo` makes: its map is there sooner


class Sample(msgspec.Struct, frozen=True):
    """Where the project lies."""

    path: str


class MakeSample(Request[Sample], frozen=True, kw_only=True):
    """Write the generated range scene and its project into a folder."""

    folder: str
    seed: int = 0


def make_sample(request: MakeSample, monitor: Monitor) -> Sample:
    """See `demo`."""
    from emberscope.demo import Scene, make_demo

    scene = Scene(n_frames=FRAMES)
    return Sample(str(make_demo(request.folder, seed=request.seed, scene=scene, monitor=monitor)))
