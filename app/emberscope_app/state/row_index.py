"""From instance ids, which are stable, to rows of a run, which live inside one call."""

import weakref

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.project import Run

Rows = NDArray[np.int64]


class _Order:
    """The sorted ids of one array, shared by all that look rows up in it."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self.order = np.argsort(ids, kind="stable")
        self.sorted = ids[self.order]
        self._last: tuple[weakref.ref[NDArray], Rows] | None = None  # every view asks for the rows of the selection

    def rows(self, ids: NDArray) -> Rows:
        if self._last is not None and self._last[0]() is ids:
            return self._last[1]
        at = np.minimum(np.searchsorted(self.sorted, ids), len(self.sorted) - 1)
        found = self.order[at[self.sorted[at] == ids]]
        if 16 * len(found) > len(self.order) and bool((ids[1:] > ids[:-1]).all()):  # flags are faster than a sort
            flags = np.zeros(len(self.order), bool)
            flags[found] = True
            found = np.flatnonzero(flags)
        else:
            found = np.sort(found)
        if len(ids) > 1:
            found.flags.writeable = False
            self._last = (weakref.ref(ids), found)
        return found


_orders: dict[int, tuple[weakref.ref[NDArray], _Order]] = {}  # by identity of the ids, as long as those live


def _order_of(ids: NDArray[np.int64]) -> _Order:
    key = id(ids)
    known = _orders.get(key)
    if known is None or known[0]() is not ids:
        known = _orders[key] = (weakref.ref(ids, lambda ref: _drop(key, ref)), _Order(ids))
    return known[1]


def _drop(key: int, ref: "weakref.ref[NDArray]") -> None:
    if key in _orders and _orders[key][0] is ref:
        del _orders[key]


class RowIndex:
    """Rows of a run, or of any instances, by instance id. Made at once where the same ids are indexed already."""

    def __init__(self, run: Run | Instances | None) -> None:
        self.of = run
        self.ids = run.ids if run is not None else np.empty(0, np.int64)
        self._order = _order_of(self.ids)

    def rows(self, ids: NDArray) -> Rows:
        """Rows of those ids that are here, ascending; not to be written to. O(len(ids) log N)."""
        if not len(self.ids) or not len(ids):
            return np.empty(0, np.int64)
        return self._order.rows(ids)

    def row(self, instance: int | None) -> int:
        """The row of one id, -1 where it is not here."""
        if instance is None:
            return -1
        found = self.rows(np.array([instance]))
        return int(found[0]) if len(found) else -1
