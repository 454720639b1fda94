"""Polylines as arrays: cut into runs with a box each, so that what lies far from most of a long
line costs little."""

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.segments import segment_reduce

MAX_POINTS = 1_000_000  # of a line; a hand draws some thousand
_RUN = 256     # segments
SHORT = 512    # points; of fewer the arrays are made anew each time
_KEPT = 64     # long lines whose arrays are kept


@dataclass(frozen=True, eq=False)
class Line:
    """points : (V, 2) x, y, V >= 1, read-only. runs : (R, 4) enclosing boxes of 256 segments each,
    in their order."""

    points: NDArray[np.float64]
    runs: NDArray[np.float64]

    @classmethod
    def of(cls, points: NDArray[np.float64]) -> "Line":
        """O(V)."""
        starts = np.arange(0, max(len(points) - 1, 1), _RUN)
        ends = points[np.minimum(starts + _RUN, len(points) - 1)]
        low, high = (
            ufunc(segment_reduce(ufunc, points, starts), ends) for ufunc in (np.minimum, np.maximum)
        )
        points.flags.writeable = False
        return cls(points, np.concatenate([low, high], axis=1))

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """The enclosing box."""
        (x0, y0), (x1, y1) = self.runs[:, :2].min(axis=0), self.runs[:, 2:].max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)

    @cached_property
    def along(self) -> NDArray[np.float64]:
        """(V,) px from the first point to each, along the line."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])

    @property
    def length(self) -> float:
        """In px."""
        return float(self.along[-1])

    def run(self, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The starts (n, 2) of the segments of a run, and their steps (n, 2). A point is a segment
        of length 0."""
        piece = self.points[k * _RUN : (k + 1) * _RUN + 1]
        return (
            (piece, np.zeros((1, 2))) if len(piece) == 1 else (piece[:-1], np.diff(piece, axis=0))
        )


def line_of(points: "ArrayLike | Line") -> Line:
    """A line of points (V, 2); that of a long tuple is made once."""
    if isinstance(points, Line):
        return points
    if not isinstance(points, tuple) or len(points) < SHORT:
        return Line.of(np.array(points, np.float64).reshape(-1, 2))
    with _lock:
        kept = _lines.pop(id(points), None)
        if kept is None:
            flat = np.fromiter(chain.from_iterable(points), np.float64, 2 * len(points))
            kept = points, Line.of(flat.reshape(-1, 2))
        _lines[id(points)] = kept  # it holds the tuple: no other one can have its id meanwhile
        if len(_lines) > _KEPT:
            _lines.popitem(last=False)
    return kept[1]


def bounds_of_line(points: tuple[tuple[float, float], ...]) -> tuple[float, float, float, float]:
    """The enclosing box of points, NaN where one is NaN; 1 us per point of a short line."""
    if len(points) >= SHORT:
        return line_of(points).bounds
    x, y = zip(*points, strict=True)
    low, high = (min(x), min(y)), (max(x), max(y))
    whole = math.isfinite(math.fsum(x) + math.fsum(y))  # min passes NaN over
    return (*low, *high) if whole else (math.nan,) * 4


_lines: OrderedDict[int, tuple[tuple[Any, ...], Line]] = OrderedDict()
_lock = Lock()
