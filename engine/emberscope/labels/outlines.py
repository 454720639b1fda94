"""Closed outlines as arrays: which points they hold, and how large they are."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_AT_ONCE = 256        # edges that points are compared with at once
ELLIPSE_CORNERS = 64  # of the polygon that stands for an ellipse where there are none


def inside_polygon(points: ArrayLike, polygon: ArrayLike) -> NDArray[np.bool_]:
    """(P,) True where a point (P, 2) lies inside of a polygon (V, 2), by the even-odd rule. O(P V).
    """
    at = np.asarray(points, np.float64).reshape(-1, 2)
    start = np.asarray(polygon, np.float64).reshape(-1, 2)
    end = np.roll(start, -1, axis=0)
    crossed = np.zeros(len(at), np.int64)
    for k in range(0, len(start), _AT_ONCE):
        (x0, y0), (x1, y1) = start[k : k + _AT_ONCE].T, end[k : k + _AT_ONCE].T
        spans = (y0 > at[:, 1:]) != (y1 > at[:, 1:])
        drop = np.where(y1 == y0, 1.0, y1 - y0)
        crossed += (spans & (at[:, :1] < x0 + (at[:, 1:] - y0) / drop * (x1 - x0))).sum(axis=1)
    return crossed % 2 == 1


def polygon_area(polygon: ArrayLike) -> float:
    """px^2 of a polygon (V, 2) that does not cross itself."""
    x, y = np.asarray(polygon, np.float64).reshape(-1, 2).T
    x, y = x - x.mean(), y - y.mean()
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def ellipse_outline(
    corners: tuple[float, float, float, float], *, degrees: float = 0.0,
    count: int = ELLIPSE_CORNERS,
) -> tuple[tuple[float, float], ...]:
    """A polygon of `count` corners on the ellipse that fills a box x0, y0, x1, y1, turned clockwise
    about its middle."""
    x0, y0, x1, y1 = corners
    at = np.linspace(0, 2 * np.pi, count, endpoint=False)
    across, down = (x1 - x0) / 2 * np.cos(at), (y1 - y0) / 2 * np.sin(at)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    x, y = (x0 + x1) / 2 + across * c - down * s, (y0 + y1) / 2 + across * s + down * c
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def clipped(
    polygon: tuple[tuple[float, float], ...], shape: tuple[int, int]
) -> tuple[tuple[float, float], ...]:
    """The part of a polygon on a frame of (rows, cols), empty where nothing is left (Sutherland and
    Hodgman 1974). The very same corners where all of it is."""
    rows, cols = shape
    for axis, edge, sign in ((0, 0.0, 1), (0, float(cols), -1), (1, 0.0, 1), (1, float(rows), -1)):
        polygon = _one_side(polygon, axis, edge, sign)
    return polygon


def _one_side(
    polygon: tuple[tuple[float, float], ...], axis: int, edge: float, sign: int
) -> tuple[tuple[float, float], ...]:
    kept: list[tuple[float, float]] = []
    for a, b in zip((*polygon[-1:], *polygon[:-1]), polygon, strict=True):
        before, here = sign * (a[axis] - edge), sign * (b[axis] - edge)
        if (before < 0) != (here < 0):
            share = before / (before - here)
            other = a[1 - axis] + share * (b[1 - axis] - a[1 - axis])
            kept.append((edge, other) if axis == 0 else (other, edge))
        if here >= 0:
            kept.append(b)
    return tuple(kept)
