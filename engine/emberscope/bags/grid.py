"""The grid of patches of a frame, and which of them a label reaches.

The grid is anchored at the frame's origin, so that overlapping labels reach the same patches: equal
supports, equal instance ids.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.labels.geometry import (
    Corners,
    centers,
    disc_meets_boxes,
    line_meets_boxes,
    line_near_boxes,
    part_in_box,
)
from emberscope.labels.lines import line_of

Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Patches of one frame size: starts `x` and `y` along the axes, `width` and `height` of a
    patch, all px.

    The last start of an axis is moved in, so that the patches reach the frame's edge. A frame
    smaller than a patch has one patch, itself.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    width: float
    height: float
    stride: float
    rows: int
    cols: int

    @classmethod
    def of(cls, rows: int, cols: int, *, patch: int, stride: int) -> "Grid":
        """The grid of a frame of (rows, cols). Raises DataError for a patch or stride below one
        pixel."""
        if patch < 1 or stride < 1:
            raise DataError(f"patch {patch} px and stride {stride} px",
                            hint="Both are 1 px or more.")
        return cls(
            _starts(cols, patch, stride), _starts(rows, patch, stride),
            float(min(patch, cols)), float(min(patch, rows)), float(stride), rows, cols,
        )  # fmt: skip

    @classmethod
    def of_rows(cls, rows: int, cols: int) -> "Grid":
        """The rows of a frame, each a patch."""
        return cls(np.zeros(1), np.arange(rows, dtype=np.float64), float(cols), 1.0, 1.0, rows,
                   cols)

    def everywhere(self) -> Boxes:
        """All patches, row by row, (len(y) * len(x), 4)."""
        return self._patches(self.x, self.y)

    def in_box(self, box: Corners) -> Boxes:
        """Patches whose center is in a box (cut to the frame); along an axis without any, the one
        centered on it.

        The union of these patches covers the box where the stride is at most half a patch.
        """
        x0, y0, x1, y1 = box
        return self._patches(
            _center_in(self.x, self.width, x0, x1, self.cols),
            _center_in(self.y, self.height, y0, y1, self.rows)
        )

    def within_box(self, box: Corners) -> Boxes:
        """Patches wholly inside a box; along an axis where none of the grid is, the one in its
        middle.

        Along an axis on which the box is shorter than a patch, that one reaches out of it on both
        sides: a patch cut to the box would be of another size, and be known for background by that.
        """
        x0, y0, x1, y1 = box
        return self._patches(
            _inside(self.x, self.width, x0, x1, self.cols),
            _inside(self.y, self.height, y0, y1, self.rows)
        )

    def around_spot(self, x: float, y: float, rho: float) -> Boxes:
        """Patches that share area with the disc of radius rho; without any (rho = 0), the nearest
        patch."""
        near = self._between(x - rho, y - rho, x + rho, y + rho)
        touched = near[disc_meets_boxes(x, y, rho, near)]
        return touched if len(touched) else self.nearest([[x, y]])

    def on_line(self, line: ArrayLike) -> Boxes:
        """Patches a polyline (M, 2) of x, y runs through."""
        near = self._around_line(line, 0.0)
        return near[line_meets_boxes(line, near)]

    def near_line(self, line: ArrayLike, rho: float) -> Boxes:
        """Patches within rho px of a polyline (M, 2)."""
        near = self._around_line(line, rho)
        return near[line_near_boxes(line, rho, near)]

    def meeting(self, corners: Corners, meets: Callable[[Boxes], NDArray[np.bool_]]) -> Boxes:
        """Patches of those about a rectangle of which `meets` says True, (N,) of (N, 4); without
        any, the nearest patch to its middle."""
        x0, y0, x1, y1 = corners
        near = self._between(x0, y0, x1, y1)
        found = near[meets(near)]
        return found if len(found) else self.nearest([[(x0 + x1) / 2, (y0 + y1) / 2]])

    def nearest(self, points: ArrayLike) -> Boxes:
        """The patches whose centers are nearest to points (P, 2), each once, in grid order."""
        points = np.asarray(points, np.float64).reshape(-1, 2)
        column, row = (np.searchsorted((starts[1:] + starts[:-1] + side) / 2, at)
                       for starts, side, at in (
            (self.x, self.width, points[:, 0]), (self.y, self.height, points[:, 1])))
        row, column = np.divmod(np.unique(row * len(self.x) + column), len(self.x))
        return self._at(self.x[column], self.y[row])

    def along_line(self, line: ArrayLike) -> Boxes:
        """The nearest patches of the points of a polyline (M, 2), each once."""
        points = line_of(line).points
        start, step = points[:-1].copy(), np.diff(points, axis=0)
        across = (self.cols, self.rows)
        # longer than any in the frame
        far = np.flatnonzero(np.hypot(step[:, 0], step[:, 1]) > sum(across))
        begin, end = part_in_box(start[far], step[far], (0.0, 0.0, *across))
        start[far], step[far] = (start[far] + begin[:, None] * step[far],
                                 (end - begin)[:, None] * step[far])
        count = np.ceil(4 * np.hypot(step[:, 0], step[:, 1]) / self.stride).astype(np.int64) + 1
        owner = np.repeat(np.arange(len(count)), count)
        share = (np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)) / count[owner]
        return self.nearest(np.concatenate([start[owner] + share[:, None] * step[owner], points]))

    def centered(self, x: float, y: float) -> Boxes:
        """One patch about a point, whole pixels, moved into the frame: off the grid."""
        left = np.clip(np.rint(x - self.width / 2), 0, self.cols - self.width)
        top = np.clip(np.rint(y - self.height / 2), 0, self.rows - self.height)
        return self._at(np.array([left]), np.array([top]))

    def _around_line(self, line: ArrayLike, rho: float) -> Boxes:
        x0, y0, x1, y1 = line_of(line).bounds
        return self._between(x0 - rho, y0 - rho, x1 + rho, y1 + rho)

    def _between(self, x0: float, y0: float, x1: float, y1: float) -> Boxes:
        """Patches that touch the closed rectangle: candidates for a finer test."""
        x = self.x[(self.x <= x1) & (self.x + self.width >= x0)]
        y = self.y[(self.y <= y1) & (self.y + self.height >= y0)]
        return self._patches(x, y)

    def _patches(self, x: NDArray, y: NDArray) -> Boxes:
        return self._at(np.tile(x, len(y)), np.repeat(y, len(x)))

    def _at(self, x: NDArray, y: NDArray) -> Boxes:
        return np.stack([x, y, x + self.width, y + self.height], axis=1)


def _starts(length: int, patch: int, stride: int) -> NDArray[np.float64]:
    starts = np.arange(0, max(length - patch, 0) + 1, stride, dtype=np.float64)
    last = float(max(length - patch, 0))
    return starts if starts[-1] == last else np.append(starts, last)


def _center_in(
    starts: NDArray, side: float, low: float, high: float, length: int
) -> NDArray[np.float64]:
    middle = starts + side / 2
    found = starts[(middle >= low) & (middle < high)]
    if len(found):
        return found
    return np.array([np.clip(np.rint((low + high - side) / 2), 0, length - side)])


def _inside(
    starts: NDArray, side: float, low: float, high: float, length: int
) -> NDArray[np.float64]:
    found = starts[(starts >= low) & (starts + side <= high)]
    if len(found):
        return found
    middle = (low + high - side) / 2
    if high - low >= side:
        return np.array([max(np.floor(middle), low)])
    return np.array([np.clip(np.rint(middle), 0, length - side)])


def center_inside(boxes: Boxes, region: Corners) -> NDArray[np.bool_]:
    """(N,) True where the center of a box lies in a half-open region."""
    middle = centers(boxes)
    return (
        (middle[:, 0] >= region[0]) & (middle[:, 0] < region[2])
        & (middle[:, 1] >= region[1]) & (middle[:, 1] < region[3])
    )  # fmt: skip
