"""Marks of single instances: a dict that also answers for many instances at once."""

import weakref
from collections import deque
from collections.abc import Iterable
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

_KEPT = 8  # answers that are remembered; views ask for the same instances again and again


def look_up(marked: NDArray[np.int64], classes: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """(M,) class ids of instances (M,), -1 where there is none: of marks given as sorted ids and their classes."""
    if not len(marked):
        return np.full(len(ids), -1, np.int64)
    at = np.minimum(np.searchsorted(marked, ids), len(marked) - 1)
    return np.where(marked[at] == ids, classes[at], -1)


class Marks(dict[int, int]):
    """Instance id to class id, 0 = ignored. Changed like a dict; `put` and `of` take many at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sorted: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._answers: dict[int, tuple[weakref.ref[NDArray[np.int64]], NDArray[np.int64]]] = {}
        self._orders: dict[int, tuple[weakref.ref[NDArray[np.int64]], NDArray[np.int64], NDArray[np.int64]]] = {}

    def put(self, ids: Iterable[int], classes: Iterable[int | None]) -> None:
        """Mark instances; None takes a mark back. 0.05 us each. Raises ValueError where there are not as many classes
        as ids."""
        self._forget()
        given = list(classes)
        known = [class_id for class_id in given if class_id is not None]
        if len(known) == len(given):
            dict.update(self, zip(ids, known, strict=True))
            return
        take = partial(dict.pop, self)
        if not known:
            deque(starmap(take, zip(ids, given, strict=True)), maxlen=0)  # None: what comes of one that has no mark
            return
        for instance, class_id in zip(ids, given, strict=True):
            if class_id is None:
                take(instance, None)
            else:
                dict.__setitem__(self, instance, class_id)

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids of what is marked (m,), ascending, and their classes (m,); not to be written to. O(m log m), at once
        where nothing changed since."""
        if self._sorted is None:
            marked = np.fromiter(self, np.int64, len(self))
            classes = np.fromiter(self.values(), np.int64, len(self))
            if (marked[1:] < marked[:-1]).any():  # else one selection after the other was marked
                order = np.argsort(marked)
                marked, classes = marked[order], classes[order]
            self._sorted = marked, classes
        return self._sorted

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """(M,) class ids of instances (M,), -1 where there is no mark; not to be written to.

        O(M log marks), at once where the same array was asked for since the last change.
        """
        known = self._answers.get(id(ids))
        if known is not None and known[0]() is ids:
            return known[1]
        found = self._look_up(ids)
        found.flags.writeable = False
        while len(self._answers) >= _KEPT:
            self._answers.pop(next(iter(self._answers)))
        self._answers[id(ids)] = (weakref.ref(ids), found)
        return found

    def _look_up(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self:
            return np.full(len(ids), -1, np.int64)
        order, ascending = self._ascending(ids)  # one by one through memory: a fifth of the time of any order
        found = np.empty(len(ids), np.int64)
        found[order] = look_up(*self.columns(), ascending)
        return found

    def _ascending(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What puts ids in order, and the ids in it; kept over changes, since a run is asked about again and again."""
        known = self._orders.get(id(ids))
        if known is None or known[0]() is not ids:
            order = np.argsort(ids)
            while len(self._orders) >= _KEPT:
                self._orders.pop(next(iter(self._orders)))
            known = self._orders[id(ids)] = weakref.ref(ids), order, ids[order]
        return known[1:]

    def _forget(self) -> None:
        self._sorted = None
        self._answers = {}

    # --- what changes a dict

    def __setitem__(self, instance: int, class_id: int) -> None:
        self._forget()
        super().__setitem__(instance, class_id)

    def __delitem__(self, instance: int) -> None:
        self._forget()
        super().__delitem__(instance)

    def pop(self, instance: int, *default: Any) -> Any:
        self._forget()
        return super().pop(instance, *default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        self._forget()
        super().update(*args, **kwargs)

    def clear(self) -> None:
        self._forget()
        super().clear()
