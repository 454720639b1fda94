"""Where heat maps peak: boxes with a class and a score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.geometry import centers

MOST = 50     # detections of a frame
_APART = 0.6  # of the side of a patch: how near two detections come


@dataclass(frozen=True, slots=True)
class Detections:
    """N detections. frame : (N,) int32, from 0. box : (N, 4) float32, x0, y0, x1, y1 in px.

    kind : (N,) int64, class ids. score : (N,) float32 in [0, 1], the heat there.
    """

    frame: NDArray[np.int32]
    box: NDArray[np.float32]
    kind: NDArray[np.int64]
    score: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: NDArray) -> "Detections":
        """Some of them."""
        return Detections(self.frame[rows], self.box[rows], self.kind[rows], self.score[rows])

    @classmethod
    def joined(cls, parts: Sequence["Detections"]) -> "Detections":
        """All of them in one, one part or more."""
        return cls(*(np.concatenate([getattr(part, each.name) for part in parts])
                     for each in fields(cls)))

    def apart(self) -> NDArray[np.int64]:
        """Rows of those that no higher one of their frame is nearer to than 0.6 of the side of the
        larger of both patches, so that none lies in another; the 50 highest of each frame; by
        frame, the highest first."""
        kept = [rows[_apart(self.box[rows])] for rows in self._by_frame()]
        return np.concatenate(kept) if kept else np.empty(0, np.int64)

    def _by_frame(self) -> list[NDArray[np.int64]]:
        order = np.lexsort((-self.score, self.frame))
        return np.split(order, np.flatnonzero(np.diff(self.frame[order])) + 1) if len(self) else []


@dataclass(frozen=True, slots=True)
class Block:
    """Some frames, scored.

    frames : (F,) int32, from 0. heat : side of a patch in px to (F, rows, cols) float32, the
    smoothed score at each place of its grid. steps : side to the px from one place to the next.
    found : detections of these frames.
    """

    frames: NDArray[np.int32]
    heat: dict[int, NDArray[np.float32]]
    steps: dict[int, float]
    found: Detections


def detections_of(
    heat: NDArray[np.float32], frames: NDArray[np.int32], boxes: NDArray, held: NDArray[np.int64],
    kind: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> Detections:
    """Local maxima of heat (F, rows, cols) above 0 at places that were scored: the patch there,
    `boxes` (rows * cols, 4). held : (F * rows * cols,) a number for each place that was, -1 of
    others. kind : such numbers (n,) to ids of classes (n,)."""
    from scipy.ndimage import maximum_filter

    peak = (heat == maximum_filter(heat, size=(1, 3, 3), mode="nearest")) & (heat > 0)
    flat = np.flatnonzero(peak.ravel() & (held >= 0))
    frame, place = np.divmod(flat, len(boxes))
    found = Detections(frames[frame], boxes[place].astype(np.float32),
                       np.zeros(len(flat), np.int64), heat.ravel()[flat])
    rows = found.apart()
    kept = found.take(rows)
    return Detections(kept.frame, kept.box, kind(held[flat[rows]]), kept.score)


def _apart(boxes: NDArray) -> NDArray[np.int64]:
    """Rows of boxes, the highest first, that lie apart from all that were kept before."""
    middle, side = centers(boxes), _APART * (boxes[:, 2:] - boxes[:, :2]).max(axis=1)
    alive, kept = np.ones(len(boxes), bool), list[int]()
    while len(kept) < MOST and alive.any():
        first = int(alive.argmax())
        kept.append(first)
        alive &= (np.abs(middle - middle[first]).max(axis=1)
                  >= np.maximum(side, side[first]))
    return np.array(kept, np.int64)
