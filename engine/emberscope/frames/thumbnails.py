"""Small 8-bit images of frames, for lists and timelines."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.segments import segment_reduce

LOW, HIGH = 0.5, 99.5     # percentiles shown as black and white


def thumbnail(frame: NDArray, *, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A frame as a small gray image.

    Parameters
    ----------
    size : (width, height) it must fit into; the aspect ratio is kept, small frames are not
    enlarged.

    Returns
    -------
    image : uint8, shape (h, w). Means of equal areas, stretched from the 0.5 to the 99.5
        percentile. Values that are not finite are left out; where nothing is finite the image is
        black.

    Notes
    -----
    O(rows cols); 1 ms for 640 x 512.
    """
    rows, cols = frame.shape
    scale = min(size[0] / cols, size[1] / rows, 1.0)
    return _stretch(_area_means(frame, max(round(rows * scale), 1), max(round(cols * scale), 1)))


def _area_means(frame: NDArray, rows: int, cols: int) -> NDArray[np.float64]:
    """(rows, cols) means of the parts of a frame cut at whole pixels; NaN where a part has nothing
    finite."""
    at_row = np.arange(rows) * frame.shape[0] // rows
    at_col = np.arange(cols) * frame.shape[1] // cols
    finite = np.ones(1, bool) if frame.dtype.kind in "ui" else np.isfinite(frame)
    total = _sums(np.where(finite, frame, 0), at_row, at_col)
    count = _sums(np.broadcast_to(finite, frame.shape), at_row, at_col)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / count


def _sums(values: NDArray, at_row: NDArray, at_col: NDArray) -> NDArray[np.float64]:
    along = segment_reduce(np.add, values, at_row, axis=0, dtype=np.float64)
    return segment_reduce(np.add, along, at_col, axis=1)


def _stretch(means: NDArray[np.float64]) -> NDArray[np.uint8]:
    finite = np.isfinite(means)
    if not finite.any():
        return np.zeros(means.shape, np.uint8)
    low, high = np.percentile(means[finite], (LOW, HIGH))
    span = high - low
    if span <= 0:
        return np.where(finite, 128, 0).astype(np.uint8)
    scaled = (np.where(finite, means, low) - low) * (255 / span)
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
