"""What is generated: the sample project that the window opens, and what places on a map would look
like."""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.project.model.project import Run
from emberscope.tasks.request import Request

_FRAMES = 8  # of each sequence, fewer than `demo` has: the first map is there sooner


class Sample(msgspec.Struct, frozen=True):
    """Where the project lies."""

    path: str


class MakeSample(Request[Sample], frozen=True, kw_only=True):
    """Write the generated range scene and its project into a folder, where it is not there yet."""

    folder: str
    seed: int = 0


class SyntheticChips(msgspec.Struct, frozen=True):
    """Chips (M, side, side) float32, in MADs."""

    chips: NDArray[np.float32]


class DrawChips(Request[SyntheticChips], frozen=True, kw_only=True):
    """The chips at places Z (M, d) of the map of a run of pixels."""

    run: Run
    Z: NDArray[np.float64]


def make_sample(request: MakeSample, monitor: Monitor) -> Sample:
    """See `demo`. A sample that is there already stays as somebody left it."""
    from emberscope.demo import PROJECT, Scene, make_demo

    there = Path(request.folder) / PROJECT
    if there.exists():
        return Sample(str(there))
    scene = Scene(n_frames=_FRAMES)
    return Sample(str(make_demo(request.folder, seed=request.seed, scene=scene, monitor=monitor)))


def draw_chips(request: DrawChips, monitor: Monitor) -> SyntheticChips:
    """See `pipeline.inverse`."""
    from emberscope.pipeline.inverse import chips_at

    monitor.step(0.0, "Synthetic chips")
    return SyntheticChips(chips_at(request.run, request.Z))
