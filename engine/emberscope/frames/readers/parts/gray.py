"""Conversion of images of every mode to one gray channel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import FormatError
from emberscope.base.monitor import slices

LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601
ROWS = 128
COLOR_WARNING = "It is a color image; its luminance is used, which is not radiometric."


class Gray(NamedTuple):
    """One channel of an image. `alpha` is its opacity where it has one; `colored`: the channels
    differed; `bands`: how many there are, 1 where nobody asked for one and they are the same."""

    image: NDArray
    alpha: NDArray | None = None
    colored: bool = False
    bands: int = 1


def to_gray(image: NDArray) -> Gray:
    """An image (rows, cols) or (rows, cols, 1..4 samples) as one channel of the same type.

    Gray and gray + alpha lose nothing. Equal color channels give that channel exactly, others their
    BT.601 luminance, rounded for integers. Raises ValueError for other shapes. O(pixels).
    """
    if image.dtype == np.bool_:
        image = image.astype(np.uint8) * np.uint8(255)
    if image.ndim == 2:
        return Gray(image)
    if image.ndim != 3 or not 1 <= image.shape[2] <= 4:
        raise ValueError(f"an image of shape {image.shape} has no gray form")
    samples = image.shape[2]
    alpha = image[..., -1] if bands_of(samples) < samples else None
    if samples <= 2:
        return Gray(np.ascontiguousarray(image[..., 0]), alpha)
    red, green, blue = (image[..., i] for i in range(3))
    if np.array_equal(red, green) and np.array_equal(green, blue):
        return Gray(np.ascontiguousarray(red), alpha)
    return Gray(luminance(image[..., :3]), alpha, colored=True, bands=3)


def one_channel(uri: str, image: NDArray, band: int | None) -> Gray:
    """`to_gray` of an image (rows, cols) or (rows, cols, samples); of an asked for band, from 1,
    that channel as it is: of color 1 to 3 are red, green and blue. Raises
    FormatError for a band that the image does not have."""
    if band is None:
        return to_gray(image)
    samples = 1 if image.ndim == 2 else image.shape[2]
    count = bands_of(samples)
    check_band(uri, band, count)
    alpha = image[..., -1] if count < samples else None
    channel = image if image.ndim == 2 else np.ascontiguousarray(image[..., band - 1])
    return to_gray(channel)._replace(alpha=alpha, bands=count)


def bands_of(samples: int) -> int:
    """How many samples of a pixel are bands: of two or four the last is opacity."""
    return samples - (samples in (2, 4))


def check_band(uri: str, band: int, count: int) -> None:
    """Raise FormatError for a band, from 1, of a file that has `count`."""
    if not 1 <= band <= count:
        bands = "1 band" if count == 1 else f"bands 1 to {count}"
        raise FormatError(uri, None, f"it has {bands}, and no band {band}", "Choose another band.")


def luminance(rgb: NDArray) -> NDArray:
    """BT.601 luminance of (rows, ..., 3), in the dtype of the input; some rows at a time, so that
    it stays small."""
    out = np.empty(rgb.shape[:-1], rgb.dtype)
    for part in slices(len(rgb), ROWS):
        luma = rgb[part] @ LUMA
        out[part] = np.rint(luma) if rgb.dtype.kind in "ui" else luma
    return out
