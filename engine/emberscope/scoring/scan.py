"""Patches over whole frames, as a run cuts them, scored into heat maps and detections."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.bags.model import Instances
from emberscope.base.monitor import Monitor, Portion, Shared
from emberscope.features.extract import extract, n_features
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames.source import FrameSource
from emberscope.neighbors.threads import each, thread_count, thread_pool
from emberscope.scoring.detections import Block, Detections, detections_of
from emberscope.scoring.places import around_high, coarse, filled
from emberscope.scoring.scorer import Scorer

_SMOOTH = 1 / 6  # of a patch


def features_at(
    opened: FrameSource, frame: NDArray[np.int32], boxes: NDArray, recipe: FeatureRecipe,
    monitor: Monitor,
) -> NDArray[np.float32]:
    """(N, D) features of boxes (N, 4), each on its frame (N,), of an open source; in threads."""
    n = len(frame)
    instances = Instances(np.arange(n), np.zeros(n, np.int64), frame.astype(np.int32),
                          boxes.astype(np.float32))
    X, parts = np.empty((n, n_features(recipe)), np.float32), min(thread_count(), max(n, 1))
    shared = Shared(monitor, parts)

    def work(part: int) -> None:
        rows = np.arange(part, n, parts)
        X[rows] = extract(instances.take(rows), lambda _: opened, recipe, monitor=shared.part(part))

    with thread_pool() as pool:
        each(pool, work, [(part,) for part in range(parts)], lambda: None)
    return X


def scan(
    opened: FrameSource, frames: NDArray[np.int32], grids: dict[int, Grid], recipe: FeatureRecipe,
    scorer: Scorer, monitor: Monitor,
) -> Block:
    """Score patches of frames (F,), numbered from 0, of an open source.

    First every other place of a grid in both directions, which overlap; then those around places
    whose score is high. In between a score is the mean of those beside it. The scores of a grid are
    smoothed by a Gaussian of a sixth of a patch, so that one odd patch among low ones is no peak,
    while targets side by side stay two. Raises Cancelled, FormatError.
    """
    heat, parts = dict[int, NDArray[np.float32]](), list[Detections]()
    for at, (side, grid) in enumerate(grids.items()):
        part = Portion(monitor, at / len(grids), (at + 1) / len(grids))
        shape = (len(frames), len(grid.y), len(grid.x))
        boxes, score = grid.everywhere(), np.full(shape, np.nan, np.float32)
        held = np.full(score.size, -1, np.int64)  # row of X of each place
        stages = list[NDArray[np.float32]]()
        for begin, end in ((0.0, 0.6), (0.6, 1.0)):
            wanted = around_high(score) if stages else np.broadcast_to(coarse(shape[1:]), shape)
            flat = np.flatnonzero(wanted)
            frame, place = np.divmod(flat, len(boxes))
            X = features_at(opened, frames[frame], boxes[place], recipe,
                            Portion(part, begin, end))
            score.ravel()[flat] = scorer.score(X) if len(X) else 0
            held[flat] = sum(map(len, stages)) + np.arange(len(flat))
            stages.append(X)
        heat[side] = smoothed(filled(score), grid)
        X, rows = np.concatenate(stages), held
        parts.append(detections_of(heat[side], frames, boxes, rows,
                                   lambda rows, X=X: scorer.kind(X[rows])))  # type: ignore[misc]
    found = Detections.joined(parts)
    steps = {side: grid.stride for side, grid in grids.items()}
    return Block(frames, heat, steps, found.take(found.apart()))


def smoothed(score: NDArray, grid: Grid) -> NDArray[np.float32]:
    """Scores (F, rows, cols) on a grid, each frame smoothed by a Gaussian of a sixth of a patch."""
    from scipy.ndimage import gaussian_filter

    sigma = (0.0, _SMOOTH * grid.height / grid.stride, _SMOOTH * grid.width / grid.stride)
    return gaussian_filter(score.astype(np.float32), sigma, mode="nearest")
