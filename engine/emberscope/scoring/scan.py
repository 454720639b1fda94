"""Patches over whole frames, as a run cuts them, scored into heat maps and detections."""

from collections.abc import Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.base.monitor import Monitor
from emberscope.features.on_frame import OnBands, OnFrame, frames_in_turn
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.source import FrameSource
from emberscope.neighbors.threads import in_turn, thread_pool
from emberscope.scoring.detections import Block, Detections, detections_of
from emberscope.scoring.places import around_high, coarse, filled
from emberscope.scoring.scorer import Scorer

_SMOOTH = 1 / 6  # of a patch


def scan(
    opened: FrameSource, blocks: Iterable[NDArray[np.int32]], grids: dict[int, Grid],
    recipe: FeatureRecipe, scorer: Scorer, monitor: Monitor,
) -> Generator[Block]:
    """Score patches of the frames of each block (F,), ascending, numbered from 0, of an open
    source; a block after the other, frames in threads.

    First every other place of a grid in both directions, which overlap; then those around places
    whose score is high. In between a score is the mean of those beside it. The scores of a grid are
    smoothed by a Gaussian of a sixth of a patch, so that one odd patch among low ones is no peak,
    while targets side by side stay two. Raises Cancelled, FormatError.
    """
    blocks = list(blocks)
    name = Path(opened.uri).name
    numbers = [int(frame) for frames in blocks for frame in frames]
    steps, done = {side: grid.stride for side, grid in grids.items()}, 0
    with thread_pool() as pool:
        tasks = ((frame, grids, scorer) for frame in frames_in_turn(opened, numbers, recipe))
        scored = in_turn(pool, _scored, tasks)
        with closing(scored):
            for frames in blocks:
                found = list[_Scored]()
                for number in frames.tolist():
                    found.append(next(scored))
                    done += 1
                    monitor.step(done / len(numbers), f"Frame {number + 1} of {name}")
                heat = {side: np.stack([one.heat[side] for one in found]) for side in grids}
                yield Block(frames, heat, steps,
                            Detections.joined([one.found for one in found]))


class _Scored(NamedTuple):
    """A frame. heat : side to (rows, cols) float32."""

    heat: dict[int, NDArray[np.float32]]
    found: Detections


def _scored(frame: OnFrame | OnBands, grids: dict[int, Grid], scorer: Scorer) -> _Scored:
    heat, parts = dict[int, NDArray[np.float32]](), list[Detections]()
    number = np.array([frame.number], np.int32)
    for side, grid in grids.items():
        shape = (1, len(grid.y), len(grid.x))
        boxes, score = grid.everywhere(), np.full(shape, np.nan, np.float32)
        held = np.full(score.size, -1, np.int64)  # row of X of each place
        stages = list[NDArray[np.float32]]()
        for again in (False, True):
            wanted = around_high(score) if again else coarse(shape[1:])[None]
            places = np.flatnonzero(wanted)
            X = frame.of(boxes[places])
            score.ravel()[places] = scorer.score(X) if len(X) else 0
            held[places] = sum(map(len, stages)) + np.arange(len(places))
            stages.append(X)
        smooth, X = smoothed(filled(score), grid), np.concatenate(stages)
        parts.append(detections_of(smooth, number, boxes, held,
                                   lambda rows, X=X: scorer.kind(X[rows])))  # type: ignore[misc]
        heat[side] = smooth[0]
    found = Detections.joined(parts)
    return _Scored(heat, found.take(found.apart()))


def smoothed(score: NDArray, grid: Grid) -> NDArray[np.float32]:
    """Scores (F, rows, cols) on a grid, each frame smoothed by a Gaussian of a sixth of a patch."""
    from scipy.ndimage import gaussian_filter

    sigma = (0.0, _SMOOTH * grid.height / grid.stride, _SMOOTH * grid.width / grid.stride)
    return gaussian_filter(score.astype(np.float32), sigma, mode="nearest")
