"""Handles of labels: where they are, and what a label becomes when one is dragged. Plain numbers,
frame px."""

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.labels import Box, Ignore, Label, Scribble, Spot
from emberscope.labels.geometry import bounds
from emberscope.labels.lines import SHORT, line_of
from emberscope_app.frame_view.layers.looseness import core_of, loosened, rail, shifted

MIN_SIDE = 3.0  # px, the smallest box
SCRIBBLE_EVERY = 12.0  # px between the handles of a scribble
_MOST_HANDLES = 200
_MOST_MOVED = 20_000   # points of a line that follow the mouse
FIXED = (
    "A line of more than 20 000 points is not moved, bent or rubbed by hand. Delete it, or "
    "draw it again."
)
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
    corners = bounds(label) if isinstance(label, Box | Ignore) else None
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
    if isinstance(label, Scribble):
        return (
            [(f"p{i}", *label.points[i]) for i in sparse(label.points)]
            if not is_fixed(label)
            else []
        )
    return []


def is_fixed(label: Label) -> bool:
    """Whether it is a line of too many points to be bent or moved by hand."""
    return isinstance(label, Scribble) and len(label.points) > _MOST_MOVED


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
    if isinstance(label, Box | Ignore):
        return _resized(label, handle, x, y, frame_shape)
    if isinstance(label, Spot):
        if handle == "ring":
            return msgspec.structs.replace(
                label, rho=round(max(math.dist((label.x, label.y), (x, y)), 0.0), 1)
            )
        return moved(label, dx, dy, frame_shape=frame_shape)
    if isinstance(label, Scribble) and handle.startswith("p"):
        return _bent(label, int(handle[1:]), dx, dy)
    return label


def moved(label: Label, dx: float, dy: float, *, frame_shape: tuple[int, int]) -> Label:
    """The label moved as a whole; boxes stay inside the frame."""
    rows, cols = frame_shape
    if isinstance(label, Box | Ignore):
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
    if isinstance(label, Scribble):
        return (
            label
            if is_fixed(label)
            else _with_points(label, line_of(label.points).points + np.array((dx, dy)))
        )
    return label


def grown(label: Label, dx: float, dy: float, *, frame_shape: tuple[int, int]) -> Label:
    """Keyboard resize: the right and lower edge, or the radius."""
    corners = bounds(label)
    if isinstance(label, Box | Ignore) and corners is not None:
        return _resized(label, "se", corners[2] + dx, corners[3] + dy, frame_shape)
    if isinstance(label, Spot):
        return msgspec.structs.replace(label, rho=max(label.rho + dx - dy, 0.0))
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
    label: Box | Ignore, handle: str, x: float, y: float, frame_shape: tuple[int, int]
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


def _bent(label: Scribble, index: int, dx: float, dy: float) -> Scribble:
    """One point dragged; its neighbors follow less, up to the next handle."""
    points = line_of(label.points).points
    far = np.hypot(*(points - points[index]).T)
    return _with_points(
        label, points + np.maximum(1 - far / SCRIBBLE_EVERY, 0)[:, None] * np.array((dx, dy))
    )


def _with_points(label: Scribble, points: NDArray[np.float64]) -> Scribble:
    return msgspec.structs.replace(label, points=tuple(map(tuple, points.tolist())))
