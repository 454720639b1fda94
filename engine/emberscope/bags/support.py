"""From one label to its bags: which pixel supports a label stands for (help page: labels)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.bags.recipe import ROWS, BagRecipe
from emberscope.labels.geometry import (
    Corners,
    bounds,
    inside,
    outline_holds_boxes,
    outline_meets_boxes,
)
from emberscope.labels.model import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A bag before its instances have rows. `sign` is the role of its class (0 = unlabeled)."""

    label: Label
    ordinal: int
    sign: int
    class_id: int
    boxes: NDArray[np.float64]  # (n, 4)

    def with_boxes(self, boxes: NDArray[np.float64]) -> "Draft":
        """The same labels with other boxes (N, 4)."""
        return replace(self, boxes=boxes)


def grids_of(rows: int, cols: int, recipe: BagRecipe) -> list[Grid]:
    """The grids of a frame, that of `patch` first; sizes that the frame cuts to the same patch make
    one."""
    if recipe.level == ROWS:
        return [Grid.of_rows(rows, cols)]
    grids: dict[tuple[float, float], Grid] = {}
    for side in recipe.sides:
        stride = recipe.stride if side == recipe.patch else max(side // 2, 1)
        grid = Grid.of(rows, cols, patch=side, stride=stride)
        grids.setdefault((grid.width, grid.height), grid)
    return list(grids.values())


def drafts_of(
    label: Label, *, sign: int, class_id: int, grids: Sequence[Grid], chip: bool
) -> list[Draft]:
    """The bags of one label, none where it lies outside the frame; each has the patches of all
    grids.

    `chip`: one instance per label, its box. Frame labels take the grid of the whole frame at either
    level. `Ignore` and "complete" make no bag of their own.
    """
    supports = [boxes for boxes in _supports(label, sign, grids, chip) if len(boxes)]
    return [Draft(label, k, sign, class_id, boxes) for k, boxes in enumerate(supports)]


def _supports(
    label: Label, sign: int, grids: Sequence[Grid], chip: bool
) -> list[NDArray[np.float64]]:
    """The supports of a label's bags: certain ones stay apart, the others hold the patches of all
    grids, each once."""
    found = [_on_grid(label, sign, grid, chip) for grid in (grids[:1] if chip else grids)]
    if len(found) == 1 or (isinstance(label, Scribble) and label.certain and sign >= 0):
        return [boxes for supports in found for boxes in supports]
    parts = [boxes for supports in found for boxes in supports]
    return ([np.array(list(dict.fromkeys(map(tuple, np.concatenate(parts).tolist()))), np.float64)]
            if parts else [])


def _on_grid(label: Label, sign: int, grid: Grid, chip: bool) -> list[NDArray[np.float64]]:
    if isinstance(label, FrameLabel):
        return [] if label.says == "complete" else [grid.everywhere()]
    if isinstance(label, Ignore):
        return []
    corners = bounds(label)
    visible = inside(_grown(corners), (grid.rows, grid.cols)) if corners else None  # type: ignore[arg-type]
    if visible is None:
        return []
    if chip:
        return [_chip(label, grid)]
    if isinstance(label, Box):
        return [grid.in_box(visible) if sign >= 0 else grid.within_box(visible)]
    if isinstance(label, Spot):
        rho = label.rho if sign >= 0 else 0.0
        return [grid.around_spot(label.x, label.y, rho)]
    if isinstance(label, Polygon | Ellipse):
        vouched = outline_meets_boxes if sign >= 0 else outline_holds_boxes
        return [grid.meeting(visible, partial(vouched, label))]
    if isinstance(label, Polyline):
        along = label.width / 2
        return [grid.near_line(label.points, along) if sign >= 0 else grid.along_line(label.points)]
    return _scribbled(label, sign, grid)


def _scribbled(label: Scribble, sign: int, grid: Grid) -> list[NDArray[np.float64]]:
    """A scribble over background vouches only for the patches it runs along, not for all it
    grazes."""
    if sign < 0:
        return [grid.along_line(label.points)]
    if label.certain:
        return list(grid.on_line(label.points)[:, None, :])
    return [grid.near_line(label.points, label.rho)]


def _chip(
    label: Box | Spot | Scribble | Polygon | Ellipse | Polyline, grid: Grid
) -> NDArray[np.float64]:
    """The one box of a label: its own corners, or those around an outline; a patch around a spot;
    the bounds of a scribble or a line, at least a patch."""
    shape = (grid.rows, grid.cols)
    if isinstance(label, Spot):
        return grid.centered(label.x, label.y)
    corners = bounds(label)
    assert corners is not None
    visible = inside(_grown(corners), shape)
    if isinstance(label, Box | Polygon | Ellipse):
        return np.array([visible], np.float64)
    patch = grid.centered((corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2)[0]
    return np.array([[*np.minimum(patch[:2], visible[:2]), *np.maximum(patch[2:], visible[2:])]])  # type: ignore[index]


def _grown(box: Corners) -> Corners:
    """A dot or a straight line has no area; a hair's breadth makes it a box."""
    x0, y0, x1, y1 = box
    return x0, y0, max(x1, x0 + 1e-3), max(y1, y0 + 1e-3)
