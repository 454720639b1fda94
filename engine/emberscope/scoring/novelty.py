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
_KNOWN = 4000  # instances that are compared with
_TRIED = 600  # of them, whose distances to others say what is usual
_USUAL = 0.99


def novelty_words(name: str, share: float) -> str:
    """A sentence where a clip is far from the training clips, "" where it is not."""
    if share < FAR:
        return ""
    return (f"{name} is far from the training clips: {share:.0%} of its patches are unlike all "
            "that the run has seen. Expect more false alarms, and more targets that are missed.")


class Known:
    """Instances of a run, evenly chosen, in standard deviations of their features.

    X : (N, D), of instances on `place` (N,), equal for those of one frame. Attributes: limit, the
    distance to the nearest instance of another frame that 99 % of instances keep.
    """

    def __init__(self, X: NDArray[np.float32], place: NDArray[np.int64]) -> None:
        rows = np.unique(np.linspace(0, len(X) - 1, min(_KNOWN, len(X))).astype(np.int64))
        self._mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        self._scale = np.where(spread > 0, spread, 1.0)
        self._rows = self._standard(X[rows])
        own, at = self._rows, place[rows]
        some = np.unique(np.linspace(0, len(rows) - 1, min(_TRIED, len(rows))).astype(np.int64))
        others = at[some, None] != at[None, :]
        if not others.any(axis=1).all():  # one frame: all but itself
            others = some[:, None] != np.arange(len(rows))[None, :]
        apart = np.where(others, _distances(own[some], own), np.inf).min(axis=1)
        apart = apart[np.isfinite(apart)]
        self.limit = float(np.quantile(apart, _USUAL)) if len(apart) else 0.0

    def share_new(self, X: NDArray[np.float32]) -> float:
        """Share of patches (M, D) that are farther from all known ones than these keep."""
        return float((_distances(self._standard(X), self._rows).min(axis=1) > self.limit).mean())

    def _standard(self, X: NDArray) -> NDArray[np.float64]:
        return (X - self._mean) / self._scale


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


def _distances(A: NDArray, B: NDArray) -> NDArray[np.float64]:
    from scipy.spatial.distance import cdist

    return cdist(A, B)
