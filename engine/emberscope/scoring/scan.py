"""Patches over whole frames, as a run cuts them, scored into heat maps and detections."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.bags.model import Instances
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion
from emberscope.features.extract import extract
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.source import FrameSource
from emberscope.project.model.project import Run, SourceRef
from emberscope.scoring.detections import Detections, detections_of
from emberscope.scoring.scorer import Scorer

_STEPS = 3             # to a patch: with two, peaks lie far from small targets
_BLOCK_BYTES = 48e6    # of features: what is held besides frames
_MOST_FRAMES = 64      # of a block: what a killed command does again


@dataclass(frozen=True, slots=True)
class Block:
    """Some frames, scored.

    frames : (F,) int32, from 0. heat : side of a patch in px to (F, rows, cols) float32, the
    smoothed score at each place of its grid. found : detections of these frames.
    """

    frames: NDArray[np.int32]
    heat: dict[int, NDArray[np.float32]]
    found: Detections


def sides_of(run: Run) -> tuple[int, ...]:
    """Sides of the patches of a run in px; where instances are the boxes of labels, the median
    side of those."""
    if run.recipe.bags.level == "instance":
        return run.recipe.bags.sides
    width, height = (run.box[:, 2:] - run.box[:, :2]).T
    return (max(1, round(float(np.median(np.sqrt(width * height))))),)


def grids_of(run: Run, ref: SourceRef) -> dict[int, Grid]:
    """Side to the grid of it over frames of a clip, of those patches of the run that fit in.

    Steps are a third of a patch, or those of the run where they are shorter. Raises DataError where
    no patch fits.
    """
    sides = [side for side in sides_of(run) if side <= min(ref.rows, ref.cols)]
    if not sides:
        raise DataError(
            f"frames of {ref.cols} x {ref.rows} px are smaller than the patches of run {run.id}, "
            f"{min(sides_of(run))} px", where=ref.name, hint="Leave this clip out.",
        )
    chips = run.recipe.bags.level == "chip"
    longest = max(sides) if chips else run.recipe.bags.stride
    return {side: Grid.of(ref.rows, ref.cols, patch=side,
                          stride=max(1, min(side // _STEPS, longest))) for side in sides}


def blocks_of(n_frames: int, grids: dict[int, Grid], width: int) -> Iterator[NDArray[np.int32]]:
    """Frames 0 to n_frames - 1 in blocks whose features, `width` to a patch, take 48 MB at most."""
    patches = sum(len(grid.x) * len(grid.y) for grid in grids.values())
    step = int(np.clip(_BLOCK_BYTES // (4 * width * patches), 1, _MOST_FRAMES))
    for start in range(0, n_frames, step):
        yield np.arange(start, min(start + step, n_frames), dtype=np.int32)


def features_on(
    opened: FrameSource, frames: NDArray[np.int32], boxes: NDArray, recipe: FeatureRecipe,
    monitor: Monitor,
) -> NDArray[np.float32]:
    """(F * B, D) features of the same B boxes (B, 4) on F frames, frame by frame."""
    n = len(frames) * len(boxes)
    everywhere = Instances(
        np.arange(n), np.zeros(n, np.int64), np.repeat(frames, len(boxes)).astype(np.int32),
        np.tile(boxes.astype(np.float32), (len(frames), 1)),
    )
    return extract(everywhere, lambda _: opened, recipe, monitor=monitor)


def scan(
    opened: FrameSource, frames: NDArray[np.int32], grids: dict[int, Grid], recipe: FeatureRecipe,
    scorer: Scorer, monitor: Monitor,
) -> Block:
    """Score every patch of frames (F,), numbered from 0, of an open source.

    The score of a grid is smoothed by a Gaussian of half a patch, so that one odd patch among low
    ones is no peak, and targets that several patches show are. Raises Cancelled, FormatError.
    """
    heat, parts = dict[int, NDArray[np.float32]](), list[Detections]()
    for at, (side, grid) in enumerate(grids.items()):
        part = Portion(monitor, at / len(grids), (at + 1) / len(grids))
        boxes = grid.everywhere()
        X = features_on(opened, frames, boxes, recipe, Portion(part, 0.0, 0.9))
        part.step(0.9, "Scores")
        heat[side] = smoothed(scorer.score(X).reshape(len(frames), len(grid.y), len(grid.x)), grid)
        parts.append(detections_of(heat[side], frames, boxes, X, scorer))
    found = Detections.joined(parts)
    return Block(frames, heat, found.take(found.apart()))


def smoothed(score: NDArray, grid: Grid) -> NDArray[np.float32]:
    """Scores (F, rows, cols) on a grid, each frame smoothed by a Gaussian of half a patch."""
    from scipy.ndimage import gaussian_filter

    sigma = (0.0, grid.height / 2 / grid.stride, grid.width / 2 / grid.stride)
    return gaussian_filter(score.astype(np.float32), sigma, mode="nearest")
