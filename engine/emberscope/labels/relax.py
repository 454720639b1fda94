"""Weakening canonical boxes on purpose: relaxed boxes and background boxes."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.labels.geometry import Corners, area, as_boxes, inside, intersection

BASE = (51, 121)  # rows, cols of the largest canonical box of the DSIAC subset
LOOSEST = 3.0     # looseness r at which a box has three times the sides of its target
# Candidate shifts drawn at once; more than half of them pass unless box and chip are a few pixels
_TRIES = 64


def base_size(boxes: ArrayLike) -> tuple[int, int]:
    """The chip size of u = 1 for a set of canonical boxes (N, 4): rows, cols of the largest, in
    whole pixels.

    Raises DataError for no boxes.
    """
    boxes = as_boxes(boxes)
    if not len(boxes):
        raise DataError(
            "no boxes to take a base size from", hint="Import truth with at least one box."
        )
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return max(int(np.ceil(height.max())), 1), max(int(np.ceil(width.max())), 1)


def chip_size(box: ArrayLike, u: int, *, base: tuple[int, int] = BASE) -> tuple[int, int]:
    """Rows, cols of the chip that weakens `box` by u: its own size (rounded up) at u = 0, else u
    times `base`.

    `box` : (4,) x0, y0, x1, y1 in px.
    """
    return base_size(box) if u == 0 else (u * base[0], u * base[1])


def relax(
    box: ArrayLike,
    u: int,
    *,
    frame_shape: tuple[int, int],
    rng: np.random.Generator,
    base: tuple[int, int] = BASE,
) -> Corners:
    """A box weakened by u: at least half of the target inside, at a random place, within the frame.

    Parameters
    ----------
    box : x0, y0, x1, y1 of the canonical box, px. What lies outside the frame does not count as
    target.
    u : int >= 0. 0 returns the canonical box itself; u >= 1 a chip of u * base whole pixels at a
    random shift.
    frame_shape : rows, cols. A chip larger than the frame is cut to it.
    base : rows, cols of the chip at u = 1 (see `base_size`).

    Returns
    -------
    corners : x0, y0, x1, y1 with area(chip and target) >= half of the target's area.

    Notes
    -----
    The sides scale with u (McCurley 2020, whose text leaves open whether sides or areas do). Shifts
    are uniform among whole-pixel ones that pass; where none passes (boxes of a pixel or two) the
    chip is centered on the target. Raises DataError for a target outside the frame and for a base
    too small to hold half of it.
    """
    target = inside(box, frame_shape)
    if target is None:
        raise DataError(
            f"box {_box_text(box)} lies outside the frame of {_frame_text(frame_shape)}"
        )
    if u == 0:
        return target
    if u < 0:
        raise DataError(
            f"u is {u}", hint="Use 0 for the canonical box, 1, 2, 3 ... for looser ones."
        )
    rows, cols = frame_shape
    height, width = min(u * base[0], rows), min(u * base[1], cols)
    x0, y0, x1, y1 = target
    if min(width, x1 - x0) * min(height, y1 - y0) < 0.5 * (x1 - x0) * (y1 - y0):
        raise DataError(
            f"a chip of {height} x {width} px cannot hold half of the target {_box_text(target)}",
            hint="Take base_size() of all boxes of the set.",
        )
    x = _shifts(x0, x1, width, cols, rng)
    y = _shifts(y0, y1, height, rows, rng)
    chips = np.stack([x, y, x + width, y + height], axis=1)
    good = intersection(chips, target)[:, 0] >= 0.5 * area(target)[0]
    if good.any():
        left, top = chips[np.argmax(good), :2]
    else:
        left, top = np.clip(
            [(x0 + x1 - width) / 2, (y0 + y1 - height) / 2], 0, [cols - width, rows - height]
        )
    return float(left), float(top), float(left + width), float(top + height)


def looseness_of(box: ArrayLike, core: ArrayLike) -> float:
    """The looseness r, 0.05 to 3, of a box about its target: its sides are 1 + 2 r / 3 times as
    long (on average, as areas go)."""
    ratio = float(np.sqrt(area(box)[0] / max(area(core)[0], 1e-9)))
    return round(min(max(1.5 * (ratio - 1.0), 0.05), LOOSEST), 2)


def _shifts(
    low: float, high: float, side: int, length: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Whole-pixel starts of a chip of `side` px in the frame that keep half of [low, high) along
    this axis."""
    keep = min(side, high - low) / 2
    first = int(np.clip(np.floor(low + keep - side), 0, length - side))
    last = int(np.clip(np.ceil(high - keep), first, length - side))
    return rng.integers(first, last + 1, _TRIES).astype(np.float64)


def background_boxes(
    count: int,
    size: tuple[int, int],
    avoid: ArrayLike,
    *,
    frame_shape: tuple[int, int],
    rng: np.random.Generator,
    guard: float = 0.0,
) -> NDArray[np.float64]:
    """Boxes of (rows, cols) = `size` that share no pixel with the boxes `avoid` (M, 4) inflated by
    `guard` px.

    Returns
    -------
    boxes : (n, 4) with n <= count: fewer where the frame has fewer free places; distinct,
    whole-pixel corners.

    Notes
    -----
    Exact: all free places are marked first, then drawn from without replacement. O(rows * cols).
    """
    free = np.flatnonzero(free_places(size, avoid, frame_shape=frame_shape, guard=guard))
    return boxes_among(free, count, size, frame_shape=frame_shape, rng=rng)


def boxes_among(
    free: NDArray[np.int64], count: int, size: tuple[int, int], *, frame_shape: tuple[int, int],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Boxes as `background_boxes` draws them. free : (n,) flat numbers of the places that are free
    for their size."""
    chosen = rng.choice(free, min(count, len(free)), replace=False) if len(free) else free[:0]
    y, x = np.divmod(chosen.astype(np.float64), max(frame_shape[1] - size[1] + 1, 1))
    return np.stack([x, y, x + size[1], y + size[0]], axis=1)


def background_like(
    sizes: Sequence[tuple[int, int]],
    count: int,
    avoid: ArrayLike,
    *,
    frame_shape: tuple[int, int],
    rng: np.random.Generator,
    guard: float = 0.0,
) -> NDArray[np.float64]:
    """Background boxes of the given sizes (rows, cols) in turn, `count` in all or as many as fit,
    (n, 4)."""
    wanted = Counter(sizes[k % len(sizes)] for k in range(count)) if sizes else {}
    found = [
        background_boxes(number, size, avoid, frame_shape=frame_shape, rng=rng, guard=guard)
        for size, number in wanted.items()
    ]
    return np.concatenate([np.empty((0, 4)), *found])


def free_places(
    size: tuple[int, int], avoid: ArrayLike, *, frame_shape: tuple[int, int], guard: float = 0.0
) -> NDArray[np.bool_]:
    """(rows - size[0] + 1, cols - size[1] + 1) True where a box with that top left pixel avoids
    everything.

    `size` and `frame_shape` : rows, cols of the box and of the frame. `avoid` : (n, 4), x0, y0, x1,
    y1 in px.
    """
    height, width = size
    free = np.ones((max(frame_shape[0] - height + 1, 0), max(frame_shape[1] - width + 1, 0)), bool)
    inflated = as_boxes(avoid) + np.array([-guard, -guard, guard, guard])
    for x0, y0, x1, y1 in inflated:
        # The first start that overlaps
        left, top = np.floor(x0 - width) + 1, np.floor(y0 - height) + 1
        free[
            max(int(top), 0) : max(int(np.ceil(y1)), 0),
            max(int(left), 0) : max(int(np.ceil(x1)), 0),
        ] = False
    return free


def _box_text(box: ArrayLike | Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in np.asarray(box, np.float64)) + ")"


def _frame_text(shape: tuple[int, int]) -> str:
    return f"{shape[0]} x {shape[1]} px"
