"""Patches over whole frames, as a run cuts them, scored into heat maps and detections."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.bags.model import Instances
from emberscope.base.monitor import Monitor, Portion
from emberscope.features.extract import extract
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.source import FrameSource
from emberscope.scoring.detections import Block, Detections, detections_of
from emberscope.scoring.scorer import Scorer

_SMOOTH = 1 / 6  # of a patch


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

    The score of a grid is smoothed by a Gaussian of a sixth of a patch, so that one odd patch among
    low ones is no peak, while targets side by side stay two. Raises Cancelled, FormatError.
    """
    heat, parts = dict[int, NDArray[np.float32]](), list[Detections]()
    for at, (side, grid) in enumerate(grids.items()):
        part = Portion(monitor, at / len(grids), (at + 1) / len(grids))
        boxes = grid.everywhere()
        X = features_on(opened, frames, boxes, recipe, Portion(part, 0.0, 0.9))
        part.step(0.9, "Scores")
        heat[side] = smoothed(scorer.score(X).reshape(len(frames), len(grid.y), len(grid.x)), grid)
        parts.append(detections_of(heat[side], frames, boxes, X, scorer.kind))
    found = Detections.joined(parts)
    steps = {side: grid.stride for side, grid in grids.items()}
    return Block(frames, heat, steps, found.take(found.apart()))


def smoothed(score: NDArray, grid: Grid) -> NDArray[np.float32]:
    """Scores (F, rows, cols) on a grid, each frame smoothed by a Gaussian of a sixth of a patch."""
    from scipy.ndimage import gaussian_filter

    sigma = (0.0, _SMOOTH * grid.height / grid.stride, _SMOOTH * grid.width / grid.stride)
    return gaussian_filter(score.astype(np.float32), sigma, mode="nearest")
