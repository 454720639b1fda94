"""Pixels that a file marks as "no data" become NaN, which is left out of everything."""

import math

import numpy as np
from numpy.typing import NDArray


def number_of(value: float, dtype: np.dtype) -> np.generic | None:
    """The marked value as a number of a type, None where it cannot occur in it, or is no number at
    all."""
    if math.isnan(value) or dtype.kind not in "uif":
        return None
    whole = dtype.kind in "ui"
    if whole and not (value.is_integer() and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max):
        return None
    # The lowest float32 with fewer digits is written as a number below it
    with np.errstate(over="ignore"):
        return dtype.type(value)


def blank_dtype(dtype: np.dtype) -> np.dtype:
    """The type of float that holds NaN and all counts of a type: float32 up to 16 bits, else
    float64."""
    return (
        dtype if dtype.kind == "f" else np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)
    )


def blank(image: NDArray, without: NDArray[np.bool_]) -> NDArray:
    """(rows, cols) with NaN where `without` is True."""
    image = image.astype(blank_dtype(image.dtype))
    image[without] = np.nan
    return image


def no_data_note(value: np.generic) -> str:
    """The sentence for a person about a file that marks a value."""
    return f'It marks {value} as "no data": such pixels are read as NaN.'
