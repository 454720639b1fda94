"""Labels as columns: what is asked of all of them, or of thousands on one frame, is asked in
numpy."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from emberscope.labels.geometry import bounds
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    tight_box,
)
from emberscope.labels.origins import MODEL, PROPAGATED, code_of

# in `LabelTable.kinds`
SPOT, SCRIBBLE, BOX, FRAME, IGNORE, POLYGON, ELLIPSE, LINE = range(8)
_CODES: dict[type, int] = {
    Spot: SPOT, Scribble: SCRIBBLE, Box: BOX, FrameLabel: FRAME, Ignore: IGNORE, Polygon: POLYGON,
    Ellipse: ELLIPSE, Polyline: LINE,
}
TIGHT = (BOX, POLYGON, ELLIPSE)  # those that may know their targets
_WHOLE = (-np.inf, -np.inf, np.inf, np.inf)
_CORNERS = attrgetter("x0", "y0", "x1", "y1", "looseness")


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """One row per label, ids ascending. Arrays are replaced, never changed in place.

    labels : (n,) object. ids, sources, frames, classes : (n,) int64. kinds : (n,) int8, one of the
    numbers above.
    origins : (n,) int8, places in `origins.ORIGINS`. copied : (n,) bool, made by copying or by a
    model.
    corners : (n, 4) float64, as `labels.geometry.bounds`, infinite for words about a whole frame.
    looseness : (n,) float64, 0 of what is no box. tight : (n, 4) float64, the box of the target
    where a label knows it (`tight_box`), else NaN.
    """

    labels: NDArray[np.object_]
    ids: NDArray[np.int64]
    sources: NDArray[np.int64]
    frames: NDArray[np.int64]
    classes: NDArray[np.int64]
    kinds: NDArray[np.int8]
    origins: NDArray[np.int8]
    copied: NDArray[np.bool_]
    corners: NDArray[np.float64]
    looseness: NDArray[np.float64]
    tight: NDArray[np.float64]

    @classmethod
    def of(cls, labels: Iterable[Label]) -> "LabelTable":
        """The columns of labels in ascending order of their ids. 1 us per label, more for
        scribbles."""
        rows = list(labels)
        n = len(rows)
        every = np.empty(n, object)
        every[:] = rows
        ids, sources, frames, classes = (np.fromiter(map(attrgetter(name), rows), np.int64, n)
                                         for name in ("id", "source", "frame", "class_id"))
        kinds = np.fromiter(map(_CODES.__getitem__, map(type, rows)), np.int8, n)
        origins = np.fromiter((code_of(row.origin) for row in rows), np.int8, n)
        copied = (origins == PROPAGATED) | (origins == MODEL)
        corners, tight, looseness = np.empty((n, 4)), np.full((n, 4), np.nan), np.zeros(n)
        at = np.flatnonzero(kinds == BOX)
        boxes = every[at].tolist()
        sides = np.fromiter(
            chain.from_iterable(map(_CORNERS, boxes)), float, 5 * len(boxes)
        ).reshape(-1, 5)
        corners[at], looseness[at] = sides[:, :4], sides[:, 4]
        tight[at] = np.where(sides[:, 4:] > 0, np.nan, sides[:, :4])
        for row, box in zip(at.tolist(), boxes, strict=True):
            if box.core is not None:
                tight[row] = box.core
        for row in np.flatnonzero(kinds != BOX).tolist():
            corners[row] = bounds(rows[row]) or _WHOLE
            tight[row] = tight_box(rows[row]) or tight[row]
        return cls(
            every, ids, sources, frames, classes, kinds, origins, copied, corners, looseness, tight
        )

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray | slice) -> "LabelTable":
        """Only these rows, (k,) int, (n,) bool or a slice, which copies nothing."""
        return LabelTable(*(column[rows] for column in self._columns()))

    def on_frame(self, source: int, frame: int) -> NDArray[np.int64]:
        """Rows of the labels of one frame. O(n) in numpy."""
        return np.flatnonzero((self.frames == frame) & (self.sources == source))

    def edited(self, ids: Iterable[int], labels: Iterable[Label]) -> "LabelTable":
        """Without the rows of `ids`, with those of `labels` (ascending ids). O(n) in numpy, 1 us
        per new label; what was added last goes in O(1)."""
        new, rows = LabelTable.of(labels), self._rows_of(ids)
        if len(rows) == len(new) and np.array_equal(self.ids[rows], new.ids):
            return self._replaced(rows, new)
        kept = self._without(rows)
        if not len(new):
            return kept
        at = np.searchsorted(kept.ids, new.ids)
        pairs = zip(kept._columns(), new._columns(), strict=True)
        if at[0] == len(kept):  # a fifth of the time of an insert
            return LabelTable(*(np.concatenate(pair) for pair in pairs))
        return LabelTable(*(np.insert(column, at, more, axis=0) for column, more in pairs))

    def _columns(self) -> list[NDArray]:
        return [getattr(self, column.name) for column in fields(self)]

    def _rows_of(self, ids: Iterable[int]) -> NDArray[np.int64]:
        """Rows of the ids that are there, ascending."""
        wanted = np.unique(np.fromiter(ids, np.int64))
        if not len(self) or not len(wanted):
            return np.empty(0, np.int64)
        rows = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        return rows[self.ids[rows] == wanted]

    def _without(self, rows: NDArray[np.int64]) -> "LabelTable":
        """All but these rows, ascending."""
        rest = len(self) - len(rows)
        if not len(rows) or rows[0] == rest:
            return self.take(slice(rest))
        stays = np.ones(len(self), np.bool_)
        stays[rows] = False
        return self.take(stays)

    def _replaced(self, rows: NDArray[np.int64], new: "LabelTable") -> "LabelTable":
        """With others in the place of these rows."""
        copies = [column.copy() for column in self._columns()]
        for column, more in zip(copies, new._columns(), strict=True):
            column[rows] = more
        return LabelTable(*copies)
