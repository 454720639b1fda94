"""Handles of labels: where they are, and what a label becomes when one is dragged. Plain numbers,
frame px."""

import math
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.labels import Box, Ellipse, Ignore, Label, Polygon, Polyline, Scribble, Spot
from emberscope.labels.geometry import bounds
from emberscope.labels.lines import SHORT, bounds_of_line, line_of
from emberscope_app.frame_view.layers.looseness import core_of, loosened, rail, shifted

MIN_SIDE = 3.0  # px, the smallest box
SCRIBBLE_EVERY = 12.0  # px between the handles of a scribble
_MOST_HANDLES = 200
_MOST_MOVED = 20_000   # points of a line that follow the mouse
FIXED = (
    "A line of more than 20 000 points is not moved, bent or rubbed by hand. Delete it, or "
    "draw it again."
)
Lined = TypeVar("Lined", bound=Scribble | Polygon | Polyline)
_BOXED = Box | Ellipse | Ignore  # what four edges say
_LEAST = {Polygon: 3, Polyline: 2}  # corners
_MOST_MIDDLES = 60  # of more edges none has a handle in its middle
_SAME = 1.0  # px: a corner that comes so near to the next one is one with it
_CORNERS = {
    "nw": (0, 0),
    "n": (0.5, 0),
    "ne": (1, 0),
    "e": (1, 0.5),
    "se": (1, 1),
    "s": (0.5, 1),
    "sw": (0, 1),
    "w": (0, 0.5),
}


def handles_of(
    label: Label, *, cols: float, tight_rail: bool = False
) -> list[tuple[str, float, float]]:
    """(name, x, y) of the handles of a selected label; the first ones win where they lie on each
    other.

    `tight_rail` : tight boxes have an r rail as well (the relaxed box tool is in hand).
    """
    corners = bounds(label) if isinstance(label, _BOXED) else None
    if corners is not None:
        x0, y0, x1, y1 = corners
        found = [
            (name, x0 + fx * (x1 - x0), y0 + fy * (y1 - y0)) for name, (fx, fy) in _CORNERS.items()
        ]
        if isinstance(label, Box) and (label.looseness > 0 or tight_rail):
            y, start, step = rail(label, cols=cols)
            found.insert(0, ("rail", start + label.looseness * step, y))
            if label.looseness > 0:
                found.append(("cross", (x0 + x1) / 2, (y0 + y1) / 2))
        return found
    if isinstance(label, Spot):
        return [("dot", label.x, label.y), ("ring", label.x + label.rho, label.y)]
    if isinstance(label, Polygon | Polyline):
        return _corner_handles(label)
    if isinstance(label, Scribble):
        return (
            [(f"p{i}", *label.points[i]) for i in sparse(label.points)]
            if not is_fixed(label)
            else []
        )
    return []


def _corner_handles(label: Polygon | Polyline) -> list[tuple[str, float, float]]:
    """A handle on each corner, and on the middle of each edge, which makes one there."""
    points = label.points
    if is_fixed(label):
        return []
    if len(points) > _MOST_MIDDLES:
        return [(f"p{i}", *points[i]) for i in sparse(points)]
    ends = (*points[1:], points[0]) if isinstance(label, Polygon) else points[1:]
    middles = [
        (f"m{i}", (a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        for i, (a, b) in enumerate(zip(points, ends, strict=False))
        if label.id >= 0
    ]
    return [*((f"p{i}", *point) for i, point in enumerate(points)), *middles]


def is_fixed(label: Label) -> bool:
    """Whether it is a line of too many points to be bent or moved by hand."""
    if isinstance(label, Scribble | Polygon | Polyline):
        return len(label.points) > _MOST_MOVED
    return False


def sparse(points: tuple[tuple[float, float], ...], *, every: float = SCRIBBLE_EVERY) -> list[int]:
    """Indices of points about `every` px apart along a line, both ends included; of a long line 200
    at most."""
    if len(points) >= SHORT:
        along = line_of(points).along
        kept = np.searchsorted(
            along, np.arange(0.0, along[-1], max(every, along[-1] / _MOST_HANDLES))
        ).tolist()
        return [*dict.fromkeys([*kept, len(points) - 1])]
    kept, gone = [0], 0.0
    for i in range(1, len(points)):
        gone += math.dist(points[i - 1], points[i])
        if gone >= every:
            kept.append(i)
            gone = 0.0
    if kept[-1] != len(points) - 1:
        kept.append(len(points) - 1)
    return kept


def dragged(
    label: Label,
    handle: str,
    x: float,
    y: float,
    dx: float,
    dy: float,
    *,
    frame_shape: tuple[int, int],
) -> Label:
    """The label after its handle went to (x, y), which is (dx, dy) from where the drag began."""
    if handle == "move":
        return moved(label, dx, dy, frame_shape=frame_shape)
    if isinstance(label, Box) and handle == "rail":
        _, start, step = rail(label, cols=frame_shape[1])
        return loosened(label, (x - start) / step, frame_shape=frame_shape) if step else label
    if isinstance(label, Box) and handle == "cross":
        return shifted(label, dx, dy)
    if isinstance(label, _BOXED):
        return _resized(label, handle, x, y, frame_shape)
    if isinstance(label, Spot):
        if handle == "ring":
            return msgspec.structs.replace(
                label, rho=round(max(math.dist((label.x, label.y), (x, y)), 0.0), 1)
            )
        return moved(label, dx, dy, frame_shape=frame_shape)
    if isinstance(label, Polygon | Polyline):
        return _reshaped(label, handle, x, y, frame_shape)
    if isinstance(label, Scribble) and handle.startswith("p"):
        return _bent(label, int(handle[1:]), dx, dy)
    return label


def moved(label: Label, dx: float, dy: float, *, frame_shape: tuple[int, int]) -> Label:
    """The label moved as a whole; boxes and outlines stay inside the frame."""
    rows, cols = frame_shape
    if isinstance(label, _BOXED):
        corners = bounds(label)
        if corners is None:
            return label
        x0, y0, x1, y1 = corners
        dx = min(max(dx, -x0), cols - x1)
        dy = min(max(dy, -y0), rows - y1)
        new = msgspec.structs.replace(label, x0=x0 + dx, y0=y0 + dy, x1=x1 + dx, y1=y1 + dy)
        if isinstance(new, Box) and new.core is not None:
            x0, y0, x1, y1 = new.core
            new = msgspec.structs.replace(new, core=(x0 + dx, y0 + dy, x1 + dx, y1 + dy))
        return new
    if isinstance(label, Spot):
        return msgspec.structs.replace(
            label, x=min(max(label.x + dx, 0), cols), y=min(max(label.y + dy, 0), rows)
        )
    if isinstance(label, Polygon | Polyline) and not is_fixed(label):
        x0, y0, x1, y1 = bounds_of_line(label.points)
        dx, dy = min(max(dx, -x0), cols - x1), min(max(dy, -y0), rows - y1)
    if isinstance(label, Scribble | Polygon | Polyline) and not is_fixed(label):
        return _with_points(label, line_of(label.points).points + np.array((dx, dy)))
    return label


def grown(label: Label, dx: float, dy: float, *, frame_shape: tuple[int, int]) -> Label:
    """Keyboard resize: the right and lower edge, or the radius."""
    corners = bounds(label)
    if isinstance(label, _BOXED) and corners is not None:
        return _resized(label, "se", corners[2] + dx, corners[3] + dy, frame_shape)
    if isinstance(label, Spot):
        return msgspec.structs.replace(label, rho=max(label.rho + dx - dy, 0.0))
    if isinstance(label, Polyline):
        return msgspec.structs.replace(label, width=max(label.width + dx - dy, 0.0))
    return label


def box_from(
    x0: float, y0: float, x1: float, y1: float, *, square: bool = False, centered: bool = False
) -> tuple[float, float, float, float]:
    """The box of a drag from (x0, y0) to (x1, y1), corners in order."""
    if square:
        side = max(abs(x1 - x0), abs(y1 - y0))
        x1, y1 = x0 + math.copysign(side, x1 - x0), y0 + math.copysign(side, y1 - y0)
    if centered:
        x0, y0 = 2 * x0 - x1, 2 * y0 - y1
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _resized(
    label: Box | Ellipse | Ignore, handle: str, x: float, y: float, frame_shape: tuple[int, int]
) -> Label:
    rows, cols = frame_shape
    corners = bounds(label)
    if corners is None:
        return label
    x0, y0, x1, y1 = corners
    x, y = min(max(x, 0.0), float(cols)), min(max(y, 0.0), float(rows))
    if "w" in handle:
        x0 = min(x, x1 - MIN_SIDE)
    if "e" in handle:
        x1 = max(x, x0 + MIN_SIDE)
    if "n" in handle:
        y0 = min(y, y1 - MIN_SIDE)
    if "s" in handle:
        y1 = max(y, y0 + MIN_SIDE)
    new = msgspec.structs.replace(label, x0=x0, y0=y0, x1=x1, y1=y1)
    if isinstance(new, Box) and new.core is not None:
        core = core_of(new)
        ratio = (x1 - x0) * (y1 - y0) / max((core[2] - core[0]) * (core[3] - core[1]), 1e-9)
        new = msgspec.structs.replace(
            new, looseness=round(min(max(1.5 * (math.sqrt(ratio) - 1), 0.05), 3.0), 2)
        )
    return new


def _reshaped(
    label: Polygon | Polyline, handle: str, x: float, y: float, frame_shape: tuple[int, int]
) -> Polygon | Polyline:
    """One corner dragged, or a new one out of the middle of an edge; one that is dropped on its
    neighbor goes."""
    rows, cols = frame_shape
    at = min(max(x, 0.0), float(cols)), min(max(y, 0.0), float(rows))
    points, index = list(label.points), int(handle[1:])
    if handle.startswith("m"):
        points.insert(index + 1, at)
        return msgspec.structs.replace(label, points=tuple(points))
    points[index] = at
    closed = isinstance(label, Polygon)
    beside = [points[k] for k in (index - 1, (index + 1) % len(points) if closed else index + 1)
              if closed or 0 <= k < len(points)]  # fmt: skip
    if len(points) > _LEAST[type(label)] and min(math.dist(at, other) for other in beside) < _SAME:
        del points[index]
    return msgspec.structs.replace(label, points=tuple(points))


def _bent(label: Scribble, index: int, dx: float, dy: float) -> Scribble:
    """One point dragged; its neighbors follow less, up to the next handle."""
    points = line_of(label.points).points
    far = np.hypot(*(points - points[index]).T)
    return _with_points(
        label, points + np.maximum(1 - far / SCRIBBLE_EVERY, 0)[:, None] * np.array((dx, dy))
    )


def _with_points(label: Lined, points: NDArray[np.float64]) -> Lined:
    return msgspec.structs.replace(label, points=tuple(map(tuple, points.tolist())))
