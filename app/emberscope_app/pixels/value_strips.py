"""Rows of point sets as small pictures: a bar of color for each feature."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from emberscope.findings.coloring import ramp

SIDE = 128  # px of a picture; more features than this share its columns
_WIDEST = 2.5  # standard deviations from the mean at both ends of the colors


def value_strip(values: NDArray, mean: NDArray, deviation: NDArray) -> QImage:
    """The features of an instance (D,) from left to right, standardized by mean and deviation (D,)
    of all instances, in one scale of colors. Where there are more than `SIDE`, neighbors are
    averaged."""
    standard = (values - mean) / deviation
    wide = len(standard)
    if wide > SIDE:
        edges = np.linspace(0, wide, SIDE + 1).astype(np.int64)
        standard = np.array([part.mean() for part in np.split(standard, edges[1:-1])])
    colors = ramp(standard, -_WIDEST, _WIDEST).astype(np.uint8)
    bars = np.repeat(colors, max(SIDE // len(colors), 1), axis=0)
    image = np.ascontiguousarray(np.broadcast_to(bars, (len(bars), *bars.shape)))
    side = len(bars)
    return QImage(image.data, side, side, 3 * side, QImage.Format.Format_RGB888).copy()
