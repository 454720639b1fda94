"""Middles of many rows at once, and sums over rows in lanes.

`numpy.median` selects two places of a row, and whether there is NaN, in one call: that takes five
times as long as to select one place, below which the other is the largest.
"""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

LANES = 32  # sums, or extremes, that do not wait for each other


def middles(values: NDArray, *, in_place: bool = False) -> tuple[NDArray, NDArray]:
    """The two values in the middle of each row of values (n, k), lower and upper, (n,) each; the
    same one twice where k is odd. Values are finite; in_place moves them, which saves a copy.
    O(n k)."""
    half = values.shape[1] // 2
    parted = values if in_place else values.copy()
    parted.partition(half, axis=1)
    upper = parted[:, half].copy()
    return (upper if values.shape[1] % 2 else parted[:, :half].max(axis=1)), upper


def medians(values: NDArray, *, in_place: bool = False) -> NDArray:
    """`numpy.median` of each row of values (n, k), to the bit; in_place as of `middles`."""
    lower, upper = middles(values, in_place=in_place)
    return (lower + upper) / 2


def medians_and_mads(values: NDArray, spare: NDArray) -> tuple[NDArray, NDArray]:
    """Median of each row of values (n, k), and of how far from it they lie, (n,) each. spare : as
    values, is overwritten."""
    spare[:] = values
    median = medians(spare, in_place=True)
    _apart(values, median, spare)
    return median, medians(spare, in_place=True)


@njit(cache=True, nogil=True)
def _apart(values: NDArray, middle: NDArray, out: NDArray) -> None:
    for i in range(len(values)):
        own, line, there = middle[i], values[i], out[i]
        for j in range(len(line)):
            there[j] = abs(line[j] - own)


@njit(cache=True, nogil=True)
def spans(values: NDArray, lanes: NDArray) -> tuple[float, float, float]:
    """Sum, largest and smallest of values (k,). lanes : (3, LANES), is overwritten."""
    total, high, low = lanes[0], lanes[1], lanes[2]
    total[:] = 0.0
    high[:] = low[:] = values[0]
    for begin in range(0, len(values), LANES):
        part = values[begin : begin + LANES]  # a loop that writes one array becomes vectors
        for k in range(len(part)):
            total[k] += part[k]
        for k in range(len(part)):
            high[k] = part[k] if part[k] > high[k] else high[k]
        for k in range(len(part)):
            low[k] = part[k] if part[k] < low[k] else low[k]
    return total.sum(), high.max(), low.min()


@njit(cache=True, nogil=True)
def squares_around(values: NDArray, middle: float, lanes: NDArray) -> float:
    """Sum of the squares of how far values (k,) lie from a middle. lanes : as of `spans`."""
    total = lanes[0]
    total[:] = 0.0
    for begin in range(0, len(values), LANES):
        part = values[begin : begin + LANES]
        for k in range(len(part)):
            total[k] += (part[k] - middle) * (part[k] - middle)
    return total.sum()


@njit(cache=True, nogil=True)
def sizes(values: NDArray, lanes: NDArray) -> float:
    """Sum of the sizes of values (k,), without their signs. lanes : as of `spans`."""
    total = lanes[0]
    total[:] = 0.0
    for begin in range(0, len(values), LANES):
        part = values[begin : begin + LANES]
        for k in range(len(part)):
            total[k] += abs(part[k])
    return total.sum()


def taking_turns(side: int, cells: int) -> NDArray[np.int64]:
    """Numbers 0 to side - 1, neighbors from different ones of so many cells: what is counted in one
    then does not wait for what was counted just before."""
    cell = np.arange(side) * cells // side
    return np.argsort(np.arange(side) - np.searchsorted(cell, cell), kind="stable")
