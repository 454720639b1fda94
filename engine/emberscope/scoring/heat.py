"""Heat of one frame on a plain lattice, to be painted over it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.scoring.detections import Block


@dataclass(frozen=True, slots=True)
class Heat:
    """values : (rows, cols) float32 in [0, 1], one per square of `step` px, from the upper left
    corner of the frame on; the last ones may reach over its edges."""

    values: NDArray[np.float32]
    step: float


def heat_on(block: Block, frame: int, shape: tuple[int, int]) -> Heat | None:
    """Heat of a frame, numbered from 0, of a clip of frames (rows, cols): of patches of several
    sides the highest. None where the block does not have the frame."""
    at = np.flatnonzero(block.frames == frame)
    if not len(at):
        return None
    step = min(block.steps.values())
    rows, cols = (max(int(np.ceil(length / step)), 1) for length in shape)
    out = np.zeros((rows, cols), np.float32)
    y, x = (np.arange(rows) + 0.5) * step, (np.arange(cols) + 0.5) * step
    for side, heat in block.heat.items():
        grid = Grid.of(*shape, patch=side, stride=int(block.steps[side]))
        values = _between(heat[at[0]], grid.y + grid.height / 2, y)
        np.maximum(out, _between(values.T, grid.x + grid.width / 2, x).T, out=out)
    return Heat(out, step)


def _between(values: NDArray, known: NDArray, wanted: NDArray) -> NDArray[np.float32]:
    """Rows of values (n, m) that stand at `known` (n,), in between at `wanted` (k,): (k, m)."""
    if len(known) == 1:
        return np.repeat(values, len(wanted), axis=0)
    low = np.clip(np.searchsorted(known, wanted) - 1, 0, len(known) - 2)
    share = np.clip((wanted - known[low]) / (known[low + 1] - known[low]), 0, 1)[:, None]
    return (values[low] * (1 - share) + values[low + 1] * share).astype(np.float32)
