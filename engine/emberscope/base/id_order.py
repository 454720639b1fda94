"""What puts ids in order, kept as long as they live: whoever looks up in the same array finds it
made."""

import weakref
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class IdOrder(NamedTuple):
    """order (N,): rows by id, ties in order. ids (N,): the ids in that order. Not to be written
    to."""

    order: NDArray[np.int64]
    ids: NDArray[np.int64]


_known: dict[int, tuple[weakref.ref[NDArray], IdOrder]] = {}  # by identity of the ids


def order_of(ids: NDArray[np.int64]) -> IdOrder:
    """Of ids (N,), which are never written to. O(N log N), at once where the same array was asked
    for before."""
    key = id(ids)
    known = _known.get(key)
    if known is None or known[0]() is not ids:
        order = np.argsort(ids, kind="stable")
        known = _known[key] = (weakref.ref(ids, lambda ref: _drop(key, ref)),
                               IdOrder(order, ids[order]))
    return known[1]


def _drop(key: int, ref: "weakref.ref[NDArray]") -> None:
    if key in _known and _known[key][0] is ref:
        del _known[key]
