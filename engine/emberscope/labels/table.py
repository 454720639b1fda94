"""Labels as columns: what is asked of all of them, or of thousands on one frame, is asked in numpy."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.geometry import bounds
from emberscope.labels.model import Box, FrameLabel, Ignore, Label, Scribble, Spot

SPOT, SCRIBBLE, BOX, FRAME, IGNORE = range(5)  # in `LabelTable.kinds`
_CODES: dict[type, int] = {Spot: SPOT, Scribble: SCRIBBLE, Box: BOX, FrameLabel: FRAME, Ignore: IGNORE}
_WHOLE = (-np.inf, -np.inf, np.inf, np.inf)
_CORNERS = attrgetter("x0", "y0", "x1", "y1", "looseness")


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """One row per label, ids ascending. Arrays are replaced, never changed in place.

    labels : (n,) object. ids, sources, frames, classes : (n,) int64. kinds : (n,) int8, one of the numbers above.
    copied : (n,) bool, made by copying or by a model. corners : (n, 4) float64, as `labels.geometry.bounds`, infinite
    for words about a whole frame. looseness : (n,) float64, 0 of what is no box. tight : (n, 4) float64, the box of the
    target where a label knows it (`tight_box`), else NaN.
    """

    labels: NDArray[np.object_]
    ids: NDArray[np.int64]
    sources: NDArray[np.int64]
    frames: NDArray[np.int64]
    classes: NDArray[np.int64]
    kinds: NDArray[np.int8]
    copied: NDArray[np.bool_]
    corners: NDArray[np.float64]
    looseness: NDArray[np.float64]
    tight: NDArray[np.float64]

    @classmethod
    def of(cls, labels: Iterable[Label]) -> "LabelTable":
        """The columns of labels in ascending order of their ids. 1 us per label, more for scribbles."""
        rows = list(labels)
        n = len(rows)
        every = np.empty(n, object)
        every[:] = rows
        ids, sources, frames, classes = (np.fromiter(map(attrgetter(name), rows), np.int64, n)
                                         for name in ("id", "source", "frame", "class_id"))
        kinds = np.fromiter(map(_CODES.__getitem__, map(type, rows)), np.int8, n)
        copied = np.fromiter((row.origin in ("propagated", "model") for row in rows), np.bool_, n)
        corners, tight, looseness = np.empty((n, 4)), np.full((n, 4), np.nan), np.zeros(n)
        at = np.flatnonzero(kinds == BOX)
        boxes = every[at].tolist()
        sides = np.fromiter(chain.from_iterable(map(_CORNERS, boxes)), float, 5 * len(boxes)).reshape(-1, 5)
        corners[at], looseness[at] = sides[:, :4], sides[:, 4]
        tight[at] = np.where(sides[:, 4:] > 0, np.nan, sides[:, :4])
        for row, box in zip(at.tolist(), boxes, strict=True):
            if box.core is not None:
                tight[row] = box.core
        for row in np.flatnonzero(kinds != BOX).tolist():
            corners[row] = bounds(rows[row]) or _WHOLE
        return cls(every, ids, sources, frames, classes, kinds, copied, corners, looseness, tight)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray) -> "LabelTable":
        """Only these rows, (k,) int or (n,) bool."""
        return LabelTable(*(getattr(self, column.name)[rows] for column in fields(self)))

    def on_frame(self, source: int, frame: int) -> NDArray[np.int64]:
        """Rows of the labels of one frame. O(n) in numpy."""
        return np.flatnonzero((self.frames == frame) & (self.sources == source))

    def edited(self, ids: Iterable[int], labels: Iterable[Label]) -> "LabelTable":
        """Without the rows of `ids`, with those of `labels` (ascending ids). O(n) in numpy, 1 us per new label."""
        gone = np.fromiter(ids, np.int64)
        rows = np.minimum(np.searchsorted(self.ids, gone), max(len(self) - 1, 0))
        stays = np.ones(len(self), np.bool_)
        stays[rows[self.ids[rows] == gone] if len(self) else rows[:0]] = False
        kept, new = self.take(stays), LabelTable.of(labels)
        at = np.searchsorted(kept.ids, new.ids)
        return LabelTable(*(np.insert(getattr(kept, column.name), at, getattr(new, column.name), axis=0)
                            for column in fields(self)))
