"""From instance ids, which are stable, to rows of a run, which live inside one call."""

import weakref

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Instances
from emberscope.base.id_order import order_of
from emberscope.project import Run

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


class _Found:
    """Rows that were looked up in one array of ids, and flags of them: every view asks for those of
    the selection."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self._order = order_of(ids)
        self._last: tuple[weakref.ref[NDArray], Rows, Flags] | None = None

    def rows(self, ids: NDArray) -> Rows:
        if len(ids) < 2:
            return np.sort(self._look_up(ids))
        return self._many(ids)[0]

    def flags(self, ids: NDArray) -> Flags:
        return self._many(ids)[1]

    def _many(self, ids: NDArray) -> tuple[Rows, Flags]:
        last = self._last
        if last is None or last[0]() is not ids:
            flags = np.zeros(len(self._order.ids), bool)
            flags[self._look_up(ids)] = True
            ascending = bool((ids[1:] > ids[:-1]).all())
            rows = np.flatnonzero(flags) if ascending else np.sort(self._look_up(ids))
            rows.flags.writeable = flags.flags.writeable = False
            last = self._last = weakref.ref(ids), rows, flags
        return last[1:]

    def _look_up(self, ids: NDArray) -> Rows:
        order = self._order
        if np.array_equal(ids, order.ids):
            return order.order
        at = np.minimum(np.searchsorted(order.ids, ids), len(order.ids) - 1)
        return order.order[at[order.ids[at] == ids]]


# By identity of the ids, as long as those live
_known: dict[int, tuple[weakref.ref[NDArray], _Found]] = {}


def _found_in(ids: NDArray[np.int64]) -> _Found:
    key = id(ids)
    known = _known.get(key)
    if known is None or known[0]() is not ids:
        known = _known[key] = (weakref.ref(ids, lambda ref: _drop(key, ref)), _Found(ids))
    return known[1]


def _drop(key: int, ref: "weakref.ref[NDArray]") -> None:
    if key in _known and _known[key][0] is ref:
        del _known[key]


class RowIndex:
    """Rows of a run, or of any instances, by instance id. Made at once where the same ids are
    indexed already."""

    def __init__(self, run: Run | Instances | None) -> None:
        self.of = run
        self.ids = run.ids if run is not None else np.empty(0, np.int64)
        self._found = _found_in(self.ids)

    def rows(self, ids: NDArray) -> Rows:
        """Rows of those ids that are here, ascending; not to be written to. O(len(ids) log N)."""
        if not len(self.ids) or not len(ids):
            return np.empty(0, np.int64)
        return self._found.rows(ids)

    def flags(self, ids: NDArray) -> Flags:
        """(N,) which rows those ids have; not to be written to."""
        if not len(self.ids) or not len(ids):
            return np.zeros(len(self.ids), bool)
        return self._found.flags(ids)

    def row(self, instance: int | None) -> int:
        """The row of one id, -1 where it is not here."""
        if instance is None:
            return -1
        found = self.rows(np.array([instance]))
        return int(found[0]) if len(found) else -1
