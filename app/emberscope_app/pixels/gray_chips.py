"""Chips that no frame holds, as gray images."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage


def gray_chips(chips: NDArray) -> list[QImage]:
    """Images of chips (P, rows, cols), in one gray scale from the 1st to the 99th percentile of
    what is finite; a chip with a value that is not is a null image."""
    finite = np.isfinite(chips).all(axis=(1, 2))
    low, high = np.percentile(chips[finite], (1, 99)) if finite.any() else (0.0, 1.0)
    gray = np.clip(
        (np.where(finite[:, None, None], chips, low) - low) / max(high - low, 1e-9) * 255, 0, 255
    )
    out = []
    for chip, known in zip(gray.astype(np.uint8), finite.tolist(), strict=True):
        own = np.ascontiguousarray(chip)
        image = QImage(
            own.data, own.shape[1], own.shape[0], own.strides[0], QImage.Format.Format_Grayscale8
        )
        out.append(image.copy() if known else QImage())
    return out
