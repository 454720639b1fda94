"""Background that is sampled on frames whose every target is labeled."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.bags.recipe import BagRecipe
from emberscope.bags.support import Draft
from emberscope.bags.verdict import says, verdict
from emberscope.labels.geometry import as_boxes, bounds, centers, distance_to_boxes
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
    TargetClass,
)
from emberscope.labels.relax import background_like, free_places

_MANY_PLACES = 200  # of other frames that background is sampled by
_DRAWN = 64         # chips drawn at random for each that is taken for its place


class Places:
    """Where labels of targets lie that background is to be sampled by, as the recipe's rule says;
    none for random."""

    def __init__(
        self, labels: Sequence[Label], classes: Mapping[int, TargetClass], recipe: BagRecipe
    ) -> None:
        self._rule = recipe.background_rule if recipe.background else "random"
        found: dict[int, list[tuple[float, ...]]] = {}
        for label in labels if self._rule != "random" else ():
            box = bounds(label)
            if box is None or isinstance(label, Ignore):
                continue
            if verdict(label, classes)[0] > 0:
                found.setdefault(label.source, []).append((label.frame, *box))
        self._of_source = {source: np.array(rows) for source, rows in found.items()}

    def of(self, source: int, frame: int) -> NDArray[np.float64]:
        """(M, 4) boxes: of other frames, at most 200 of the nearest in time, or of the frame
        itself."""
        rows = self._of_source.get(source, np.empty((0, 5)))
        if self._rule == "near":
            return rows[rows[:, 0] == frame, 1:]
        others = rows[rows[:, 0] != frame]
        return others[np.argsort(np.abs(others[:, 0] - frame), kind="stable")[:_MANY_PLACES], 1:]


def background_drafts(
    labels: Sequence[Label],
    drafts: Sequence[Draft],
    classes: Mapping[int, TargetClass],
    grids: Sequence[Grid],
    recipe: BagRecipe,
    places: Places,
    report: Callable[[str, int], None],
) -> list[Draft]:
    """Sampled negative bags of one instance each on a frame whose every target is labeled, of all
    sizes in turn."""
    asked = next(label for label in labels if says(label, "complete"))
    sign, class_id = verdict(asked, classes)
    avoid = _occupied(labels, drafts, reach=max(recipe.sides) / 2)
    if avoid is None:
        return []
    if any(d.sign > 0 and isinstance(d.label, FrameLabel) for d in drafts):
        report("Complete, but a target on the frame has no place, so no background", asked.id)
        return []
    rng = np.random.default_rng([recipe.seed, asked.source, asked.frame])
    liked = places.of(asked.source, asked.frame)
    if recipe.level == "chip":
        boxes = _background_chips(drafts, avoid, liked, grids[0], recipe, rng)
    else:
        shares = [len(range(k, recipe.background, len(grids))) for k in range(len(grids))]
        boxes = np.concatenate([
            _background_patches(avoid, liked, grid, recipe, rng, wanted=wanted)
            for grid, wanted in zip(grids, shares, strict=True)
        ])  # fmt: skip
    if len(boxes) < recipe.background:
        report("Less free background than asked for", asked.id)
    return [Draft(asked, k, sign, class_id, boxes[k : k + 1]) for k in range(len(boxes))]


def _occupied(
    labels: Sequence[Label], drafts: Sequence[Draft], *, reach: float
) -> NDArray[np.float64] | None:
    """Boxes no background may touch; None = all of the frame.

    Every label's bounds, the cores of relaxed boxes, and the supports of spots and lines
    inflated by `reach` px: their target goes on beyond what they touch, how far is unknown.
    """
    around = np.array([-reach, -reach, reach, reach])
    taken = [np.empty((0, 4)),
             *(d.boxes + around for d in drafts if isinstance(d.label, Spot | Scribble | Polyline))]
    for label in labels:
        if isinstance(label, Ignore) and label.x0 is None:
            return None
        box = bounds(label)
        if box is not None:
            taken.append(as_boxes(box))
        if isinstance(label, Box) and label.core is not None:
            taken.append(as_boxes(label.core))
    return np.concatenate(taken)


def _preferred(
    boxes: NDArray[np.float64], liked: NDArray[np.float64], recipe: BagRecipe,
    rng: np.random.Generator, *, wanted: int
) -> NDArray[np.float64]:
    """As many boxes as wanted: at random among those nearest to the places liked, in steps of a
    patch."""
    gap = np.ceil(distance_to_boxes(centers(boxes), liked).min(axis=1) / recipe.patch)
    return boxes[np.lexsort((rng.random(len(boxes)), gap))[:wanted]]


def _background_patches(
    avoid: NDArray, liked: NDArray, grid: Grid, recipe: BagRecipe, rng: np.random.Generator, *,
    wanted: int
) -> NDArray[np.float64]:
    size = (int(grid.height), int(grid.width))
    free = free_places(size, avoid, frame_shape=(grid.rows, grid.cols), guard=recipe.guard)
    patches = grid.everywhere()
    patches = patches[free[patches[:, 1].astype(int), patches[:, 0].astype(int)]]
    if len(liked):
        return _preferred(patches, liked, recipe, rng, wanted=wanted)
    chosen = rng.choice(len(patches), min(wanted, len(patches)), replace=False)
    return patches[np.sort(chosen)]


def _background_chips(
    drafts: Sequence[Draft], avoid: NDArray, liked: NDArray, grid: Grid, recipe: BagRecipe,
    rng: np.random.Generator
) -> NDArray[np.float64]:
    """Chips of the sizes of the frame's positive boxes, in turn; patches where it has none."""
    sizes = [
        (int(np.ceil(box[3] - box[1])), int(np.ceil(box[2] - box[0])))
        for box in (
            d.boxes[0]
            for d in drafts
            if d.sign > 0 and isinstance(d.label, Box | Polygon | Ellipse)
        )
    ] or [(int(grid.height), int(grid.width))]
    shape = (grid.rows, grid.cols)
    drawn = recipe.background * (_DRAWN if len(liked) else 1)
    boxes = background_like(sizes, drawn, avoid, frame_shape=shape, rng=rng, guard=recipe.guard)
    return _preferred(boxes, liked, recipe, rng, wanted=recipe.background) if len(liked) else boxes
