"""Rows by their scores, the best first: what galleries and lists of 200 000 instances ask for at every change."""

import numpy as np
from numpy.typing import NDArray


def best_first(values: NDArray, group: NDArray | None = None) -> NDArray[np.int64]:
    """(n,) rows by group (n,) ascending, in each by value (n,) from the highest down, NaN last, ties in order.

    As ``np.lexsort((-values, group))``, in half the time for float32: each value and its row are one 64-bit number.
    """
    values = np.asarray(values)
    if values.dtype == np.float32:
        order = _of_float32(values)
    else:
        order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    if group is None:
        return order
    key = group[order]
    small = not len(key) or (key.min() >= 0 and key.max() < 2**16)
    return order[np.argsort(key.astype(np.uint16) if small else key, kind="stable")]  # numpy counts 16-bit numbers


def _of_float32(values: NDArray[np.float32]) -> NDArray[np.int64]:
    bits = (np.where(np.isnan(values), -np.inf, values).astype(np.float32) + np.float32(0)).view(np.uint32)  # no -0
    falling = np.where(bits >> 31, bits, ~bits & np.uint32(0x7FFFFFFF)).astype(np.uint64)
    keys = (falling << np.uint64(32)) | np.arange(len(values), dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
