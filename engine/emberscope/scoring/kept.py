"""What scoring keeps in the cache: blocks of frames, and the rule for probabilities, by what they
were made of."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.base.cache import keep_bounded
from emberscope.base.cache_file import SUFFIX, read_arrays, write_arrays
from emberscope.scoring.detections import Block, Detections

FOLDER = "scores"
_BEFORE_HEAT = 6  # arrays of a block: frames, sides and steps, and of detections frame, box, ...


def path_of(cache: Path, key: str) -> Path:
    """The file of a key."""
    return cache / FOLDER / f"{key}{SUFFIX}"


def keep(cache: Path, key: str, arrays: Sequence[NDArray]) -> None:
    """Keep arrays under a key, where the cache can be written."""
    write_arrays(path_of(cache, key), key, arrays)
    keep_bounded(cache)


def kept(cache: Path, key: str) -> tuple[NDArray, ...] | None:
    """What is kept under a key; None where there is nothing, or it is damaged."""
    return read_arrays(path_of(cache, key), key)


def keep_block(cache: Path, key: str, block: Block) -> None:
    """Keep some frames that were scored."""
    found = block.found
    sides = np.array([[side, block.steps[side]] for side in block.heat], np.float64).reshape(-1, 2)
    keep(cache, key, [block.frames, sides, found.frame, found.box, found.kind, found.score,
                      *block.heat.values()])


def kept_block(cache: Path, key: str) -> Block | None:
    """Some frames that were scored before; None where they are to be scored (again)."""
    return block_in(path_of(cache, key), key)


def block_in(path: Path, key: str) -> Block | None:
    """The block in a file that was kept under a key."""
    arrays = read_arrays(path, key)
    if arrays is None:
        return None
    frames, sides, *found = arrays[:_BEFORE_HEAT]
    names = [int(side) for side in sides[:, 0]]
    heat = dict(zip(names, arrays[_BEFORE_HEAT:], strict=True))
    return Block(frames, heat, dict(zip(names, sides[:, 1].tolist(), strict=True)),
                 Detections(*found))
