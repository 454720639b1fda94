"""Where labels lie: areas, distances, intersections and hit tests in plain numpy. Boxes are (N, 4)
x0, y0, x1, y1."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.labels.lines import Line, bounds_of_line, line_of
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)
from emberscope.labels.outlines import inside_polygon, polygon_area

Corners = tuple[float, float, float, float]
_OPEN = 1e-6  # px; a box does not own its right and lower edge


def area(boxes: ArrayLike) -> NDArray[np.float64]:
    """Areas of boxes, (N,) px^2; 0 where a box is inside out."""
    boxes = as_boxes(boxes)
    return np.clip(boxes[:, 2] - boxes[:, 0], 0, None) * np.clip(boxes[:, 3] - boxes[:, 1], 0, None)


def intersection(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Overlap area of every box of `a` (N) with every box of `b` (M): (N, M) px^2."""
    a, b = as_boxes(a)[:, None], as_boxes(b)[None]
    width = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    height = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    return np.clip(width, 0, None) * np.clip(height, 0, None)


def centers(boxes: ArrayLike) -> NDArray[np.float64]:
    """Centers of boxes, (N, 2) x, y."""
    boxes = as_boxes(boxes)
    return (boxes[:, :2] + boxes[:, 2:]) / 2


def points_in_box(points: ArrayLike, box: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a point (N, 2) lies in the half-open box."""
    points, box = as_points(points), np.asarray(box, np.float64)
    return np.all((points >= box[:2]) & (points < box[2:]), axis=1)


def inside(box: Corners | ArrayLike, frame_shape: tuple[int, int]) -> Corners | None:
    """The part of a box within a frame of (rows, cols); None where nothing is left."""
    rows, cols = frame_shape
    x0, y0, x1, y1 = (float(v) for v in box)  # type: ignore[union-attr, arg-type]
    x0, y0, x1, y1 = max(x0, 0.0), max(y0, 0.0), min(x1, float(cols)), min(y1, float(rows))
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def distance_to_boxes(points: ArrayLike, boxes: ArrayLike) -> NDArray[np.float64]:
    """Distance of every point (P, 2) to every box (N, 4): (P, N) px, 0 inside."""
    points, boxes = as_points(points)[:, None], as_boxes(boxes)[None]
    outside = np.maximum(np.maximum(boxes[..., :2] - points, points - boxes[..., 2:]), 0)
    return np.hypot(outside[..., 0], outside[..., 1])


def disc_meets_boxes(x: float, y: float, rho: float, boxes: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a box shares area with the open disc of radius rho > 0 about (x, y)."""
    return distance_to_boxes([[x, y]], boxes)[0] < rho


def distance_to_line(points: ArrayLike, line: ArrayLike | Line) -> NDArray[np.float64]:
    """Distance of every point (P, 2) to a polyline (V, 2), V >= 1: (P,) px. O(P V), 256 P values at
    a time."""
    points, line = as_points(points), line_of(line)
    out = np.full(len(points), np.inf)
    for k in range(len(line.runs)):
        np.minimum(out, _distances(points, *line.run(k)), out=out)
    return out


def comes_near(points: ArrayLike | Line, line: ArrayLike | Line, reach: float) -> bool:
    """Whether a point of (P, 2) is no farther than `reach` from a polyline (V, 2). O(P + V) where
    few runs are near."""
    points, line = line_of(points), line_of(line)
    for j, box in enumerate(points.runs):
        near = np.flatnonzero(_gap_below(box, line.runs, reach))
        some = (
            np.concatenate([points.run(j)[0], points.points[-1:]]) if len(near) else points.points
        )
        if any(_distances(some, *line.run(k)).min() <= reach for k in near.tolist()):
            return True
    return False


def _distances(points: NDArray, start: NDArray, step: NDArray) -> NDArray[np.float64]:
    """(P,) px from points to the nearest of some segments."""
    length2 = np.maximum((step**2).sum(axis=1), 1e-30)
    offset = points[:, None] - start[None]
    along = np.clip((offset * step).sum(axis=2) / length2, 0, 1)
    gap = offset - along[..., None] * step
    return np.hypot(gap[..., 0], gap[..., 1]).min(axis=1)


def line_meets_boxes(line: ArrayLike | Line, boxes: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a polyline (V, 2) runs through a half-open box. Liang and Barsky 1984
    clipping.

    O(N V) at worst, O(N + V) for a line of short segments: a box is asked for where a run of the
    line comes to it, and not again once it was met.
    """
    boxes = as_boxes(boxes)
    line = line_of(line)

    def meets(k: int, rows: NDArray) -> NDArray[np.bool_]:
        return _meets(*line.run(k), boxes[rows])

    return _by_runs(line, boxes, 0.0, meets)


def _by_runs(
    line: Line, boxes: NDArray, reach: float, asked: Callable[[int, NDArray], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """(N,) what `asked` says of the k-th run and rows of boxes that it comes within `reach` of,
    until it says True."""
    found = np.zeros(len(boxes), bool)
    for k, run in enumerate(line.runs):
        rows = np.flatnonzero(~found & _gap_below(run, boxes, reach))
        if len(rows):
            found[rows] = asked(k, rows)
        elif found.all():
            break
    return found


def _gap_below(run: NDArray, boxes: NDArray, reach: float) -> NDArray[np.bool_]:
    """(N,) True where a box (N, 4) may be within `reach` of what a box encloses."""
    return np.maximum(boxes[:, :2] - run[2:], run[:2] - boxes[:, 2:]).max(axis=1) <= reach


def part_in_box(
    start: NDArray, step: NDArray, box: Corners
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where segments, start (n, 2) and step (n, 2), enter and leave a box: shares (n,) of each,
    equal where it misses.
    """
    enter, leave = (shares[:, 0] for shares in _crossings(start, step, as_boxes(box)))
    enter, leave = np.clip(enter, 0, 1), np.clip(leave, 0, 1)
    return enter, np.maximum(enter, leave)


def _meets(start: NDArray, step: NDArray, boxes: NDArray) -> NDArray[np.bool_]:
    enter, leave = _crossings(start, step, boxes)
    return np.any(np.maximum(enter, 0) <= np.minimum(leave, 1), axis=0)


def _crossings(
    start: NDArray, step: NDArray, boxes: NDArray
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares (n, N) of n segments at which the lines they lie on enter and leave N half-open
    boxes."""
    start, step = start[:, None], step[:, None]
    low, high = boxes[None, :, :2], boxes[None, :, 2:] - _OPEN
    still = step == 0
    safe = np.where(still, 1.0, step)
    first, last = (low - start) / safe, (high - start) / safe
    enter, leave = np.minimum(first, last), np.maximum(first, last)
    between = (start >= low) & (start <= high)
    enter = np.where(still, np.where(between, -np.inf, np.inf), enter)
    leave = np.where(still, np.where(between, np.inf, -np.inf), leave)
    return enter.max(axis=2), leave.min(axis=2)


def line_near_boxes(line: ArrayLike | Line, rho: float, boxes: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a box comes closer than rho to a polyline, or the polyline runs through it.
    Cost as above."""
    boxes, line = as_boxes(boxes), line_of(line)

    def near(k: int, rows: NDArray) -> NDArray[np.bool_]:
        start, step = line.run(k)
        some, ends = boxes[rows], np.concatenate([start, start[-1:] + step[-1:]])
        corners = some[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
        gap = np.minimum(distance_to_boxes(ends, some).min(axis=0),
                         _distances(corners, start, step).reshape(-1, 4).min(axis=1))
        return np.asarray(_meets(start, step, some) | (gap < rho))

    return _by_runs(line, boxes, rho, near)


def outline_meets_boxes(label: Polygon | Ellipse, boxes: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a box shares area with what an outline encloses. O(N V)."""
    boxes = as_boxes(boxes)
    if isinstance(label, Ellipse):
        low, high = _on_unit_circle(label, boxes)
        return np.hypot(*np.clip(0.0, low, high).T) < 1
    return _crossed(label, boxes) | outline_holds(label, centers(boxes))


def outline_holds_boxes(label: Polygon | Ellipse, boxes: ArrayLike) -> NDArray[np.bool_]:
    """(N,) True where a box lies wholly inside of an outline. O(N V)."""
    boxes = as_boxes(boxes)
    if isinstance(label, Ellipse):
        low, high = _on_unit_circle(label, boxes)
        return np.hypot(*np.maximum(np.abs(low), np.abs(high)).T) <= 1
    return ~_crossed(label, boxes) & outline_holds(label, centers(boxes))


def outline_holds(
    label: Polygon | Ellipse, points: ArrayLike, *, grown: float = 0.0
) -> NDArray[np.bool_]:
    """(P,) True where a point (P, 2) lies inside of an outline; an ellipse grows by `grown` px."""
    points = as_points(points)
    if isinstance(label, Ellipse):
        low, _ = _on_unit_circle(label, np.concatenate([points, points], axis=1), grown=grown)
        return np.hypot(*low.T) <= 1
    return inside_polygon(points, line_of(label.points).points)


def _crossed(label: Polygon, boxes: NDArray) -> NDArray[np.bool_]:
    """(N,) True where the outline of a polygon runs through the inside of a box."""
    closed = np.asarray([*label.points, label.points[0]], np.float64)
    return line_meets_boxes(closed, boxes + np.array([_OPEN, _OPEN, -_OPEN, -_OPEN]))


def _on_unit_circle(
    label: Ellipse, boxes: NDArray, *, grown: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The corners (N, 2) and (N, 2) of boxes where an ellipse is the circle of radius 1 about 0."""
    middle = np.array([label.x0 + label.x1, label.y0 + label.y1]) / 2
    sides = np.abs([label.x1 - label.x0, label.y1 - label.y0])
    radii = np.maximum(sides / 2 + grown, _OPEN)
    return (boxes[:, :2] - middle) / radii, (boxes[:, 2:] - middle) / radii


def bounds(label: Label) -> Corners | None:
    """The enclosing box of a label with its uncertainty; None for a word about the whole frame."""
    if isinstance(label, Spot):
        return label.x - label.rho, label.y - label.rho, label.x + label.rho, label.y + label.rho
    if isinstance(label, Scribble):
        rho = 0.0 if label.certain else label.rho
        x0, y0, x1, y1 = bounds_of_line(label.points)
        return x0 - rho, y0 - rho, x1 + rho, y1 + rho
    if isinstance(label, Polygon | Polyline):
        reach = label.width / 2 if isinstance(label, Polyline) else 0.0
        x0, y0, x1, y1 = bounds_of_line(label.points)
        return x0 - reach, y0 - reach, x1 + reach, y1 + reach
    if isinstance(label, FrameLabel) or label.x0 is None:
        return None
    return label.x0, label.y0, label.x1, label.y1  # type: ignore[return-value]


def hit(labels: Iterable[Label], x: float, y: float, *, tolerance: float = 0.0) -> list[Label]:
    """Labels under a point, the smallest first, the newest first among equals.

    A spot is its disc, a scribble its line, a box or an outline its area; all grow by `tolerance`
    px. Words about a whole frame are never hit. O(labels).
    """
    found = [label for label in labels if _is_hit(label, x, y, tolerance)]
    return sorted(found, key=lambda label: (_size(label), -label.id))


def _is_hit(label: Label, x: float, y: float, tolerance: float) -> bool:
    if isinstance(label, Spot):
        return bool(np.hypot(label.x - x, label.y - y) <= max(label.rho, tolerance))
    if isinstance(label, Scribble):
        reach = tolerance if label.certain else max(label.rho, tolerance)
        return comes_near([[x, y]], label.points, reach)
    if isinstance(label, Polyline):
        return comes_near([[x, y]], label.points, max(label.width / 2, tolerance))
    if isinstance(label, Polygon | Ellipse):
        near = isinstance(label, Polygon) and comes_near(
            [[x, y]], (*label.points, label.points[0]), tolerance)
        return near or bool(outline_holds(label, [[x, y]], grown=tolerance)[0])
    box = bounds(label)
    if box is None:
        return False
    return (
        box[0] - tolerance <= x < box[2] + tolerance
        and box[1] - tolerance <= y < box[3] + tolerance
    )


def _size(label: Label) -> float:
    if isinstance(label, Spot):
        return float(np.pi * label.rho**2)
    if isinstance(label, Scribble):
        return line_of(label.points).length
    if isinstance(label, Polyline):
        return line_of(label.points).length * max(label.width, 1.0)
    if isinstance(label, Polygon):
        return polygon_area(label.points)
    box_area = float(area(bounds(label) or (0, 0, 0, 0))[0])
    return box_area * np.pi / 4 if isinstance(label, Ellipse) else box_area


def as_boxes(boxes: ArrayLike | Box) -> NDArray[np.float64]:
    """Anything box-like as (N, 4) float64."""
    if isinstance(boxes, Box):
        boxes = (boxes.x0, boxes.y0, boxes.x1, boxes.y1)
    return np.asarray(boxes, np.float64).reshape(-1, 4)


def as_points(points: ArrayLike) -> NDArray[np.float64]:
    """Anything point-like as (P, 2) float64."""
    return np.asarray(points, np.float64).reshape(-1, 2)
