"""Rows by their scores, the best first: what galleries and lists of 200 000 instances ask for at
every change."""

import weakref
from collections import deque

import numpy as np
from numpy.typing import NDArray

_known: deque[tuple[weakref.ref[NDArray], NDArray[np.int64]]] = deque(maxlen=4)

def best_first(values: NDArray, group: NDArray | None = None) -> NDArray[np.int64]:
    """(n,) rows by group (n,) ascending, in each by value (n,) from the highest down, NaN last,
    ties in order.

    As ``np.lexsort((-values, group))``, in half the time for float32: each value and its row are
    one 64-bit number.
    """
    values = np.asarray(values)
    if values.dtype == np.float32:
        order = _of_float32(values)
    else:
        order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    return order if group is None else _grouped(order, group)


def best_first_among(values: NDArray, rows: NDArray[np.int64], group: NDArray) -> NDArray[np.int64]:
    """`best_first` of ``values[rows]``, (M,) places in `rows` (M,), which ascend. group : (M,) as
    there, from 0.

    The order of all `values` (N,), the scores of a run, is kept as long as they are: what follows
    each selection and each mark takes O(N), a fifth of the time.
    """
    whole = _order_of(values)
    if len(rows) == len(values):
        order = whole
    else:
        place = np.full(len(values), -1, np.int64)
        place[rows] = np.arange(len(rows))
        order = place[whole]
        order = order[order >= 0]
    return _grouped(order, group)


def _order_of(values: NDArray) -> NDArray[np.int64]:
    for known, order in tuple(_known):
        if known() is values:
            return order
    order = best_first(values)
    order.flags.writeable = False
    _known.append((weakref.ref(values), order))
    return order


def _grouped(order: NDArray[np.int64], group: NDArray) -> NDArray[np.int64]:
    key = group[order]
    small = not len(key) or (key.min() >= 0 and key.max() < 2**16)
    # Numpy counts 16-bit numbers
    return order[np.argsort(key.astype(np.uint16) if small else key, kind="stable")]


def _of_float32(values: NDArray[np.float32]) -> NDArray[np.int64]:
    # No -0
    bits = (np.where(np.isnan(values), -np.inf, values).astype(np.float32) + np.float32(0)).view(
        np.uint32
    )
    falling = np.where(bits >> 31, bits, ~bits & np.uint32(0x7FFFFFFF)).astype(np.uint64)
    keys = (falling << np.uint64(32)) | np.arange(len(values), dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
