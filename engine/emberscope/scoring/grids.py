"""The grids of patches over whole frames that a run is scored on, and blocks of frames."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.grid import Grid
from emberscope.base.errors import DataError
from emberscope.project.model.project import Run, SourceRef

_STEPS = 3             # to a patch: with two, peaks lie far from small targets
AS_TAUGHT = (1.0,)  # scales of patches
OTHER_SIZES = (0.7, 1.0, 1.4)
_BLOCK_BYTES = 48e6    # of features: what is held besides frames
_MOST_FRAMES = 64      # of a block: what a killed command does again


def sides_of(run: Run) -> tuple[int, ...]:
    """Sides of the patches of a run in px; where instances are the boxes of labels, the median
    side of those."""
    if run.recipe.bags.level == "instance":
        return run.recipe.bags.sides
    width, height = (run.box[:, 2:] - run.box[:, :2]).T
    return (max(1, round(float(np.median(np.sqrt(width * height))))),)


def grids_of(
    run: Run, ref: SourceRef, scales: Sequence[float] = AS_TAUGHT
) -> dict[int, Grid]:
    """Side to the grid of it over frames of a clip, of those patches of the run that fit in, each
    at all scales: where targets are larger or smaller, so are the patches that show them.

    Steps are a third of a patch, or those of the run where they are shorter. Raises DataError where
    no patch fits.
    """
    wanted = {max(1, round(side * scale)) for side in sides_of(run) for scale in scales}
    sides = [side for side in sorted(wanted) if side <= min(ref.rows, ref.cols)]
    if not sides:
        raise DataError(
            f"frames of {ref.cols} x {ref.rows} px are smaller than the patches of run {run.id}, "
            f"{min(sides_of(run))} px", where=ref.name, hint="Leave this clip out.",
        )
    chips = run.recipe.bags.level == "chip"
    longest = max(wanted) if chips else run.recipe.bags.stride
    return {side: Grid.of(ref.rows, ref.cols, patch=side,
                          stride=max(1, min(side // _STEPS, longest))) for side in sides}


def patches_of(grids: dict[int, Grid]) -> int:
    """Places on a frame, of all grids."""
    return sum(len(grid.x) * len(grid.y) for grid in grids.values())


def frames_of_block(grids: dict[int, Grid], width: int) -> int:
    """Frames of a block, whose features, `width` to a patch, take 48 MB at most."""
    return int(np.clip(_BLOCK_BYTES // (4 * width * patches_of(grids)), 1, _MOST_FRAMES))


def blocks_of(n_frames: int, grids: dict[int, Grid], width: int) -> Iterator[NDArray[np.int32]]:
    """Frames 0 to n_frames - 1 in blocks."""
    step = frames_of_block(grids, width)
    for start in range(0, n_frames, step):
        yield np.arange(start, min(start + step, n_frames), dtype=np.int32)
