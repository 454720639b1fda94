"""Medians of many rows at once, exact.

`numpy.median` selects two places of a row, and whether there is NaN, in one call: that takes five
times as long as to select one place, below which the other is the largest.
"""

import numpy as np
from numpy.typing import NDArray


def middles(values: NDArray) -> tuple[NDArray, NDArray]:
    """The two values in the middle of each row of values (n, k), lower and upper, (n,) each; the
    same one twice where k is odd. Values are finite. O(n k)."""
    half = values.shape[1] // 2
    parted = np.partition(values, half, axis=1)
    upper = parted[:, half]
    return (upper if values.shape[1] % 2 else parted[:, :half].max(axis=1)), upper


def medians(values: NDArray) -> NDArray:
    """`numpy.median` of each row of values (n, k), to the bit."""
    lower, upper = middles(values)
    return (lower + upper) / 2
