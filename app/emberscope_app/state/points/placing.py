"""Where the points of a run lie on a map, all that follows from their coordinates: middle, width,
limits, sizes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.findings.shown_axes import FIRST, Axes, alone

SIZE_LEVELS = 6
# Share of the points at each end that may be outliers; width added on both sides
_OUTSIDE, _MARGIN = 0.005, 0.2
_ENOUGH = 100_000     # points that tell the limits as well as more would
_LARGEST = 3e38       # of a coordinate with a place: what single precision holds
# Map units; what lies farther out is placed there, and single precision holds its square
FARTHEST = 1e5


@dataclass(frozen=True, slots=True)
class Placed:
    """Where points are: all that follows from their coordinates Z (N, d) alone (see
    `cloud.Cloud`). places : (N, 3), each axis along memory, where numpy is ten times as fast."""

    Z: NDArray
    places: NDArray[np.float32]
    radius: float  # of the ball around all
    limits: tuple[NDArray, NDArray] | None
    finite: NDArray[np.bool_]


def place_points(Z: NDArray, *, like: NDArray | None = None) -> Placed:
    """Points at Z (N, d), in the frame of `like` (M, d) where it is given. Those with a coordinate
    that is no number, or infinite, have no place."""
    places = normalized(Z, like=like)
    square = np.einsum("dn,dn->n", places.T, places.T)
    radius = float(np.sqrt(np.nanmax(square, initial=0.01)))
    return Placed(Z, places, radius, limits(places), np.isfinite(square))


def on_axes(placed: Placed, axes: Axes, *, like: NDArray | None = None) -> Placed:
    """The same points where a flat map shows two of their columns: in the frame that they have, so
    that all that is placed in it is found; two of which the frame knows nothing are placed in their
    own, or in that of `like` (M, d).
    """
    d, columns = placed.Z.shape[1], list(axes)
    if axes == FIRST or max(axes) >= d:
        return placed
    if alone(axes):
        return _on_one(placed, axes[0], like=like)
    if max(axes) >= 3:
        return place_points(placed.Z[:, columns], like=None if like is None else like[:, columns])
    places = np.zeros_like(placed.places)
    places[:, :2] = placed.places[:, columns]
    return Placed(placed.Z, places, placed.radius, limits(places), placed.finite)


def _on_one(placed: Placed, axis: int, *, like: NDArray | None) -> Placed:
    """The points along one axis, at height 0: a strip."""
    places = np.zeros_like(placed.places)
    if axis >= 3:
        own = None if like is None else like[:, [axis]]
        places[:, 0] = place_points(placed.Z[:, [axis]], like=own).places[:, 0]
    else:
        places[:, 0] = placed.places[:, axis]
    return Placed(placed.Z, places, placed.radius, limits(places), placed.finite)


def unit_of_axis(Z: NDArray, axis: int) -> float:
    """How much of an axis of Z (N, d) a map unit is."""
    found = frame_of(Z[:, :3] if axis < 3 else Z[:, [axis]])
    return found[1] if found is not None else 1.0


def levels_of(values: NDArray | None, n: int) -> tuple[NDArray[np.uint8], bool]:
    """(n,) sizes of points by a score of theirs (n,), 0 .. SIZE_LEVELS - 1; and whether there is
    such a score."""
    if values is None or len(values) != n or not np.isfinite(values).any():
        return np.zeros(n, np.uint8), False
    low, high = np.nanmin(values), np.nanmax(values)
    part = np.nan_to_num((values - low) / max(float(high - low), 1e-12))
    return np.minimum(part * SIZE_LEVELS, SIZE_LEVELS - 1).astype(np.uint8), True


def limits(places: NDArray) -> tuple[NDArray, NDArray] | None:
    """Lowest and highest coordinates of nearly all places: outliers do not count, a cloud without
    any is whole. What is infinite is no place.

    Per axis the middle 99 % and a fifth of its width on both sides, but no more than there is. None
    of no places.
    """
    axes = np.ascontiguousarray(places.T)  # numpy is many times faster along memory
    finite = (np.abs(axes) <= _LARGEST).all(axis=0)  # NaN is not
    if not finite.all():
        axes = axes[:, finite]
    count = axes.shape[1]
    if not count:
        return None
    low, high = np.quantile(
        axes[:, :: 1 + count // _ENOUGH].astype(float), (_OUTSIDE, 1 - _OUTSIDE), axis=1
    )
    margin = _MARGIN * (high - low)
    return np.maximum(low - margin, axes.min(axis=1)), np.minimum(high + margin, axes.max(axis=1))


def frame_of(Z: NDArray) -> tuple[NDArray, float] | None:
    """What `normalized` takes for the middle (d,), and for half the widest axis; None of no
    places."""
    found = limits(Z)
    if found is None:
        return None
    low, high = found
    return (low + high) / 2, float((high - low).max()) / 2 or 1.0


def in_frame_of(Z: NDArray, points: NDArray) -> NDArray[np.float64]:
    """Points (..., m) in the coordinates of Z (N, d) as places (..., 3) of its map; NaN where that
    has no place."""
    out, found = np.zeros((*points.shape[:-1], 3)), frame_of(Z[:, :3])
    if found is None:
        return np.full_like(out, np.nan)
    middle, half = found
    d = min(len(middle), points.shape[-1])
    out[..., :d] = (points[..., :d] - middle[:d]) / half
    return out


def normalized(Z: NDArray, *, like: NDArray | None = None) -> NDArray[np.float32]:
    """(N, 3) float32: Z centered on its middle and scaled as a whole so that the widest axis spans
    [-1, 1], outliers left aside (see `limits`), and at `FARTHEST` at most. like : (M, d) whose
    middle and width are taken instead."""
    places = np.zeros((3, len(Z)), np.float32).T
    d = min(Z.shape[1], 3)
    found = frame_of((Z if like is None else like)[:, :d])
    if found is None:
        places[:, :d] = np.nan
    else:
        middle, half = found
        with np.errstate(over="ignore", invalid="ignore"):
            moved = (Z[:, :d] - middle) / half
        lost = ~(np.abs(Z[:, :d]) <= _LARGEST).all(axis=1)
        places[:, :d] = np.clip(moved, -FARTHEST, FARTHEST, out=moved)
        places[lost, :d] = np.nan
    return places
