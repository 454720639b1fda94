"""The labels of one frame as arrays: which lie in view, which near a point. Made once per list of
labels."""

from operator import is_

import numpy as np
from numpy.typing import NDArray

from emberscope.labels import Label
from emberscope.labels.geometry import hit as hit_of
from emberscope.labels.table import IGNORE, LabelTable


class LabelIndex:
    """table : of the labels. corners : (n, 4) float32 x0, y0, x1, y1 in frame px, infinite for
    words about the whole frame. ignored : the whole frame is."""

    def __init__(self, table: LabelTable) -> None:
        self.table, self.ids = table, table.ids
        self.corners = table.corners.astype(np.float32)
        self.ignored = bool(np.any((table.kinds == IGNORE) & ~np.isfinite(self.corners[:, 0])))

    def holds(self, table: LabelTable) -> bool:
        """Whether these are the labels it was made of. Labels never change; an edit puts another
        one in the place."""
        mine, theirs = self.table.labels, table.labels
        return len(mine) == len(theirs) and all(map(is_, mine, theirs))

    def at(self, rows: NDArray) -> list[Label]:
        """The labels of rows."""
        return self.table.labels[rows].tolist()

    def within(self, x0: float, y0: float, x1: float, y1: float) -> NDArray[np.int64]:
        """Rows of labels that touch a box, in the order of drawing."""
        at = self.corners
        return np.flatnonzero(
            (at[:, 0] <= x1) & (at[:, 2] >= x0) & (at[:, 1] <= y1) & (at[:, 3] >= y0)
        )

    def hit(self, x: float, y: float, *, tolerance: float) -> list[Label]:
        """Labels under a point as `labels.geometry.hit` has them. O(n) in numpy, exact for those
        near."""
        reach = tolerance + 1e-3  # float32 rounds
        near = self.within(x - reach, y - reach, x + reach, y + reach)
        return hit_of(self.at(near), x, y, tolerance=tolerance)

