"""The pixels themselves as features; principal components follow in the pipeline's reduce stage."""

import numpy as np
from numpy.typing import NDArray


def pixels(chips: NDArray) -> NDArray[np.float32]:
    """Chips (N, rows, cols) as rows (N, rows * cols), row-major, values as given (normalized
    frames: in MADs)."""
    chips = np.asarray(chips, np.float32)
    return chips.reshape(len(chips), chips.shape[1] * chips.shape[2])
