"""How far a clip is from what a run has seen."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.features.on_frame import frames_in_turn
from emberscope.frames.source import FrameSource
from emberscope.project.model.project import Run, SourceRef
from emberscope.scoring.grids import grids_of

FAR = 0.5  # share of new patches from which on a clip is called far
_FRAMES = 6
_PATCHES = 100  # on each


def novelty_words(name: str, share: float) -> str:
    """A sentence where a clip is far from the training clips, "" where it is not."""
    if share < FAR:
        return ""
    return (f"{name} is far from the training clips: {share:.0%} of its patches are unlike all "
            "that the run has seen. Expect more false alarms, and more targets that are missed.")


def sample_of(
    opened: FrameSource, ref: SourceRef, run: Run, monitor: Monitor
) -> NDArray[np.float32]:
    """(M, D) features of patches spread evenly over a clip: 100 on each of 6 frames."""
    frames = np.unique(np.linspace(0, ref.n_frames - 1, _FRAMES).astype(np.int32))
    boxes = next(iter(grids_of(run, ref).values())).everywhere()
    some = np.unique(np.linspace(0, len(boxes) - 1, _PATCHES).astype(np.int64))
    found = list[NDArray[np.float32]]()
    for at, frame in enumerate(frames_in_turn(opened, frames.tolist(), run.recipe.features)):
        monitor.step(at / len(frames), f"Looking at {ref.name}")
        found.append(frame.of(boxes[some]))
    return np.concatenate(found)

