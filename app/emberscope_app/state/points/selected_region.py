"""What marks selected instances on a frame: each of a few, and of many the outline of where they
lie with the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEW = 5  # instances that have a square each; of more only so many of the best, faint


@dataclass(frozen=True, slots=True)
class Region:
    """Frame px. boxes : (n, 4) that are drawn. faint : they stand for more. edges : (m, 4) lines
    x0, y0, x1, y1 around what all of them cover."""

    boxes: NDArray[np.float32]
    faint: bool
    edges: NDArray[np.float32]


def region(
    boxes: NDArray[np.float32], score: NDArray | None, outlined: NDArray[np.bool_]
) -> Region:
    """Of selected instances. boxes : (n, 4). score : (n,) which are the best, NaN where unknown;
    None where nothing is known. outlined : (n,) True in a bag that has an outline of its own."""
    if len(boxes) <= FEW:
        return Region(boxes, False, _NO_EDGES)
    best = np.empty(0, np.int64)
    if score is not None:
        known = np.flatnonzero(np.isfinite(score))
        best = known[np.argsort(-score[known], kind="stable")[:FEW]]
    return Region(boxes[best], True, edges_of(boxes[~outlined]))


def edges_of(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Lines (m, 4) around the union of boxes (n, 4), on whole px. O(n + area of the frame they
    span)."""
    if not len(boxes):
        return _NO_EDGES
    ends = np.rint(boxes).astype(np.int64)
    x, at_x = np.unique(ends[:, [0, 2]], return_inverse=True)
    y, at_y = np.unique(ends[:, [1, 3]], return_inverse=True)
    (x0, x1), (y0, y1) = at_x.reshape(-1, 2).T, at_y.reshape(-1, 2).T
    # One row and column of nothing before the first cell
    steps = np.zeros((len(y) + 1, len(x) + 1), np.int64)
    for rows, columns, sign in ((y0, x0, 1), (y0, x1, -1), (y1, x0, -1), (y1, x1, 1)):
        np.add.at(steps, (rows + 1, columns + 1), sign)
    # Of cell (i, j) between y[i-1], y[i] and x[j-1], x[j]
    covered = steps.cumsum(axis=0).cumsum(axis=1) > 0
    i, j = np.nonzero(covered[:, 1:] != covered[:, :-1])
    upright = np.stack([x[j], y[i - 1], x[j], y[i]], axis=1)
    i, j = np.nonzero(covered[1:] != covered[:-1])
    level = np.stack([x[j - 1], y[i], x[j], y[i]], axis=1)
    return np.concatenate([upright, level]).astype(np.float32)


_NO_EDGES = np.empty((0, 4), np.float32)
