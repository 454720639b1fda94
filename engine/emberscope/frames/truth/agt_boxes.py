"""Boxes and spots from AGT ground truth: pure geometry, no labels."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from emberscope.frames.truth.agt import Agt, Target, associate, ply_key
from emberscope.frames.truth.bbox_met import BboxMet, MetRow, read_bbox_met
from emberscope.frames.truth.companions import companions

__all__ = ["AgtTarget", "boxes_from_agt", "companions", "projected_size", "target_size"]

DEFAULT_FOV = (3.4, 2.6)   # degrees; the MWIR camera of the range data
# Length, width, height in meters, from the target sheet of the range data.
TARGET_SIZES: dict[str, tuple[float, float, float]] = {
    "PICKUP": (5.41, 1.80, 1.68),
    "SUV": (4.57, 1.73, 1.73),
    "BTR70": (7.62, 2.79, 2.16),
    "BRDM2": (5.72, 2.29, 2.03),
    "BMP2": (6.73, 3.15, 2.45),
    "T72": (6.59, 3.59, 2.21),
    "ZSU23": (5.94, 2.88, 2.34),
    "2S3": (6.71, 3.23, 2.72),
    "MTLB": (6.25, 3.10, 2.30),
    "D20": (8.35, 2.40, 1.80),
}
UNKNOWN_SIZE = (6.4, 2.3, 2.3)

Corners = tuple[float, float, float, float]


class AgtTarget(NamedTuple):
    """One target on one frame.

    `frame` is 0-based. `x0` .. `y1`: half-open box in pixel-edge coordinates, not cut at the
    frame's edge; None where only the place is known. `x`, `y`: the center as given. `how`:
    "pixbox", "bbox_met", "geometry" or "spot". `said`: its keywords, as its speed, without their
    units, and how far it is hidden.
    """

    frame: int
    x0: float | None
    y0: float | None
    x1: float | None
    y1: float | None
    x: float
    y: float
    name: str
    ply_id: str
    range_m: float | None
    aspect: float | None
    how: str
    said: Mapping[str, float | str] = {}

    @property
    def box(self) -> Corners | None:
        """Corners in pixels; None where the file says none."""
        if self.x0 is None or self.y0 is None or self.x1 is None or self.y1 is None:
            return None
        return self.x0, self.y0, self.x1, self.y1


def target_size(name: str) -> tuple[float, float, float]:
    """Length, width, height in meters of a target type, whatever its punctuation ("ZSU23-4",
    "T-72")."""
    plain = "".join(letter for letter in name.upper() if letter.isalnum())
    return next((size for key, size in TARGET_SIZES.items() if plain.startswith(key)), UNKNOWN_SIZE)


def projected_size(
    name: str,
    *,
    range_m: float,
    aspect: float,
    shape: tuple[int, int],
    fov: tuple[float, float] = DEFAULT_FOV,
) -> tuple[float, float]:
    """Width and height in pixels of a target seen at `range_m` meters from `aspect` degrees (0 = it
    faces the sensor).

    width = cols * 2 atan(d / 2R) / FovH with d = |W cos a| + |L sin a|, height = rows * 2 atan(H /
    2R) / FovV.
    """
    length, width, height = target_size(name)
    angle = math.radians(aspect)
    across = abs(width * math.cos(angle)) + abs(length * math.sin(angle))
    rows, cols = shape
    return (
        cols * 2 * math.atan(across / (2 * range_m)) / math.radians(fov[0]),
        rows * 2 * math.atan(height / (2 * range_m)) / math.radians(fov[1]),
    )


def boxes_from_agt(
    agt: Agt,
    *,
    shape: tuple[int, int],
    n_frames: int,
    bbox_met: BboxMet | Iterable[MetRow] | str | Path | None = None,
    left: Counter[str] | None = None,
) -> list[AgtTarget]:
    """Every target of every frame, ordered by frame.

    The box comes from PixBox; else from the upper left corner in `bbox_met`, joined on frame and
    PlyId; else from range, aspect and field of view; else there is none and the target is a spot.
    `bbox_met` may be the path of the file, which is read then. Targets wholly outside the
    frame and targets without a place are left out. `associate(agt, ...)` tells how frames were
    found. `left` counts the targets that are left out, by the reason.
    """
    if isinstance(bbox_met, str | Path):
        bbox_met = read_bbox_met(bbox_met)
    rows = bbox_met.rows if isinstance(bbox_met, BboxMet) else bbox_met or ()
    metrics = {(row.frame, ply_key(row.ply_id)): row for row in rows}
    found = associate(agt, n_frames=n_frames)
    missing = found.left.copy()
    fov, out = agt.fov or DEFAULT_FOV, []
    for frame in range(n_frames):
        fov = found.fov.get(frame, fov)
        for target in found.targets.get(frame, ()):
            placed = _place(target, metrics.get((frame, ply_key(target.ply_id))), shape, fov)
            if placed is None:
                missing["without a place"] += 1
                continue
            x, y, box, how = placed
            if not _seen(box or (x, y, x, y), shape):
                missing["outside the frame"] += 1
            else:
                x0, y0, x1, y1 = box or (None, None, None, None)
                out.append(
                    AgtTarget(
                        frame,
                        x0,
                        y0,
                        x1,
                        y1,
                        x,
                        y,
                        target.type,
                        target.ply_id,
                        target.range_m,
                        target.aspect,
                        how,
                        _said(target),
                    )
                )
    if left is not None:
        left.update(missing)
    return out


def _said(target: Target) -> dict[str, float | str]:
    """Keywords of a target, and its obscuration in percent, by their names."""
    found = {name: value for name, (value, _) in target.keywords.items()}
    hidden = target.relative.get("Obscuration")
    return found if not isinstance(hidden, int | float) else {**found, "obscuration": float(hidden)}


def _place(
    target: Target, metric: MetRow | None, shape: tuple[int, int], fov: tuple[float, float]
) -> tuple[float, float, Corners | None, str] | None:
    """Center, box and how the box was found; None for a target without a place."""
    box = _from_pix_box(target)
    if box is not None:
        x = target.x if target.x is not None else (box[0] + box[2]) / 2
        y = target.y if target.y is not None else (box[1] + box[3]) / 2
        return x, y, box, "pixbox"
    if target.x is None or target.y is None:
        return None
    box = _from_metric(target.x, target.y, metric)
    if box is not None:
        return target.x, target.y, box, "bbox_met"
    box = _from_geometry(target, target.x, target.y, shape, fov)
    return target.x, target.y, box, "geometry" if box is not None else "spot"


def _from_pix_box(target: Target) -> Corners | None:
    """PixBox has inclusive corners, in whatever order."""
    if target.pix_box is None:
        return None
    x1, y1, x2, y2 = target.pix_box
    return min(x1, x2), min(y1, y2), max(x1, x2) + 1, max(y1, y2) + 1


def _from_metric(x: float, y: float, metric: MetRow | None) -> Corners | None:
    """The box whose upper left corner is known and whose center is (x, y)."""
    if metric is None:
        return None
    width, height = 2 * (x - metric.upper_left_x), 2 * (y - metric.upper_left_y)
    if not (width > 0 and height > 0):  # also refuses NaN
        return None
    return (
        metric.upper_left_x,
        metric.upper_left_y,
        metric.upper_left_x + width,
        metric.upper_left_y + height,
    )


def _from_geometry(
    target: Target, x: float, y: float, shape: tuple[int, int], fov: tuple[float, float]
) -> Corners | None:
    if (
        not target.range_m
        or target.range_m <= 0
        or target.aspect is None
        or not all(0 < side < 180 for side in fov)
    ):
        return None
    width, height = projected_size(
        target.type, range_m=target.range_m, aspect=target.aspect, shape=shape, fov=fov
    )
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _seen(box: Corners, shape: tuple[int, int]) -> bool:
    """Whether any of it lies in the frame."""
    return box[0] < shape[1] and box[2] >= 0 and box[1] < shape[0] and box[3] >= 0
