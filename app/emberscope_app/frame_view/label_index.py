"""The labels of one frame as arrays: which lie in view, which near a point. Made once per list of labels."""

from collections.abc import Sequence
from operator import is_

import numpy as np
from numpy.typing import NDArray

from emberscope.labels import Box, Ignore, Label
from emberscope.labels.geometry import bounds
from emberscope.labels.geometry import hit as hit_of


class LabelIndex:
    """corners : (n, 4) float32 x0, y0, x1, y1 in frame px, infinite for words about the whole frame. classes : (n,).
    ignored : the whole frame is."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self.labels = labels
        self.ids = np.array([label.id for label in labels], np.int64)
        self.classes = np.array([label.class_id for label in labels], np.int64)
        self.ignored = any(isinstance(label, Ignore) and label.x0 is None for label in labels)
        self.corners = np.array([_corners(label) for label in labels], np.float32).reshape(-1, 4)

    def holds(self, labels: Sequence[Label]) -> bool:
        """Whether these are the labels it was made of. Labels never change; an edit puts another one in the place."""
        return len(labels) == len(self.labels) and all(map(is_, labels, self.labels))

    def within(self, x0: float, y0: float, x1: float, y1: float) -> NDArray[np.int64]:
        """Rows of labels that touch a box, in the order of drawing."""
        at = self.corners
        return np.flatnonzero((at[:, 0] <= x1) & (at[:, 2] >= x0) & (at[:, 1] <= y1) & (at[:, 3] >= y0))

    def hit(self, x: float, y: float, *, tolerance: float) -> list[Label]:
        """Labels under a point as `labels.geometry.hit` has them. O(n) in numpy, exact for those near."""
        reach = tolerance + 1e-3  # float32 rounds
        near = self.within(x - reach, y - reach, x + reach, y + reach)
        return hit_of([self.labels[row] for row in near], x, y, tolerance=tolerance)


def _corners(label: Label) -> tuple[float, float, float, float]:
    if type(label) is Box:  # nearly all labels
        return label.x0, label.y0, label.x1, label.y1
    return bounds(label) or (-np.inf, -np.inf, np.inf, np.inf)
