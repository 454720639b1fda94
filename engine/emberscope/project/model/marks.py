"""Marks of single instances: a mapping that answers, and takes, very many instances at once."""

import weakref
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, ValuesView
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.base.id_order import order_of

_KEPT = 8  # answers that are remembered; views ask for the same instances again and again
NONE = -1  # in place of a class: no mark

Column = NDArray[np.int64]


def look_up(marked: Column, classes: Column, ids: Column) -> Column:
    """(M,) class ids of instances (M,), -1 where there is none: of marks given as sorted ids and
    their classes."""
    if not len(marked):
        return np.full(len(ids), NONE, np.int64)
    at = np.minimum(np.searchsorted(marked, ids), len(marked) - 1)
    return np.where(marked[at] == ids, classes[at], NONE)


def class_column(classes: Iterable[int | None] | Column) -> Column:
    """Class ids (M,), with -1 for None. Raises TypeError and ValueError for what are none."""
    if isinstance(classes, np.ndarray):
        return id_column(classes)
    return id_column([NONE if class_id is None else class_id for class_id in classes])


def id_column(ids: Iterable[int] | Column) -> Column:
    """Whole numbers (M,) as int64. Raises TypeError for others, ValueError where they are no
    row."""
    found = np.asarray(ids if isinstance(ids, np.ndarray) else list(ids))
    if found.ndim != 1:
        raise ValueError(f"ids of shape {found.shape}, expected one row")
    if found.size and found.dtype.kind not in "iu":
        raise TypeError(f"ids of type {found.dtype}, expected whole numbers")
    return found.astype(np.int64, copy=False)


class Marks(MutableMapping[int, int]):
    """Instance id to class id, 0 = ignored. Changed like a dict; `put` and `of` take many at once.

    Two columns in the order of the ids, which are replaced and never written to: a copy costs
    nothing, and a thread may read what is changed meanwhile.
    """

    def __init__(self, marks: Mapping[int, int] | None = None) -> None:
        self._ids, self._classes = np.empty(0, np.int64), np.empty(0, np.int64)
        self._answers = _Answers()  # of these columns, whoever has them
        if isinstance(marks, Marks):
            self._ids, self._classes, self._answers = marks._ids, marks._classes, marks._answers
        elif marks:
            self.put(marks, marks.values())

    def copy(self) -> "Marks":
        """One that later changes do not touch."""
        return Marks(self)

    def put(self, ids: Iterable[int] | Column, classes: Iterable[int | None] | Column) -> None:
        """Mark instances, ids (n,), with classes (n,); None, or -1, takes a mark back. O(n log n +
        marks).

        Raises ValueError where there are not as many classes as ids.
        """
        given, wanted = id_column(ids), class_column(classes)
        if len(given) != len(wanted):
            raise ValueError(
                f"{len(given)} ids and {len(wanted)} classes: one is shorter than the other"
            )
        given, wanted = _last_of_each(given, wanted)
        # The same ones again, or the first ones
        if np.array_equal(given, self._ids) or not len(self._ids):
            found, kept = given.copy(), wanted.copy()
        else:
            found, kept = self._merged(given, wanted)
        if (wanted < 0).any():
            found, kept = found[kept >= 0], kept[kept >= 0]
        self._ids, self._classes, self._answers = found, kept, _Answers()

    def _merged(self, ids: Column, classes: Column) -> tuple[Column, Column]:
        """These columns with what is new in others, whose ids ascend."""
        at = np.searchsorted(self._ids, ids)
        known = self._ids[np.minimum(at, len(self._ids) - 1)] == ids
        kept = self._classes.copy()
        kept[at[known]] = classes[known]
        if known.all():
            return self._ids, kept
        new = ~known
        return np.insert(self._ids, at[new], ids[new]), np.insert(kept, at[new], classes[new])

    def columns(self) -> tuple[Column, Column]:
        """Ids of what is marked (m,), ascending, and their classes (m,); not to be written to."""
        return self._ids, self._classes

    def of(self, ids: Column) -> Column:
        """(M,) class ids of instances (M,), -1 where there is no mark; not to be written to.

        O(M log marks), at once where the same array was asked for since the last change.
        """
        known = self._answers.of(ids)
        if known is None:
            known = self._look_up(ids)
            known.flags.writeable = False
            self._answers.keep(ids, known)
        return known

    def _look_up(self, ids: Column) -> Column:
        if not len(self._ids):
            return np.full(len(ids), NONE, np.int64)
        if np.array_equal(ids, self._ids):
            return self._classes.copy()
        order = order_of(ids)  # one by one through memory is faster than in any order
        found, all_of_them = np.empty(len(ids), np.int64), np.array_equal(self._ids, order.ids)
        found[order.order] = (
            self._classes if all_of_them else look_up(self._ids, self._classes, order.ids)
        )
        return found

    # --- as a dict

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids.tolist())

    def __getitem__(self, instance: int) -> int:
        at = int(np.searchsorted(self._ids, instance))
        if at == len(self._ids) or self._ids[at] != instance:
            raise KeyError(instance)
        return int(self._classes[at])

    def __setitem__(self, instance: int, class_id: int) -> None:
        self.put([instance], [class_id])

    def __delitem__(self, instance: int) -> None:
        self[instance]  # raises KeyError where there is none
        self.put([instance], [None])

    def items(self) -> ItemsView[int, int]:
        return dict(zip(self._ids.tolist(), self._classes.tolist(), strict=True)).items()

    def values(self) -> ValuesView[int]:
        return dict(enumerate(self._classes.tolist())).values()

    def update(self, other: Mapping[int, int]) -> None:  # type: ignore[override]
        self.put(other, other.values())

    def clear(self) -> None:
        self._ids, self._classes, self._answers = (
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            _Answers(),
        )

    def __repr__(self) -> str:
        return f"Marks({dict(self.items())!r})"


def _last_of_each(ids: Column, classes: Column) -> tuple[Column, Column]:
    """Ids ascending, each once, with the class that it has last."""
    if not (ids[1:] > ids[:-1]).all():
        order = np.argsort(ids, kind="stable")
        ids, classes = ids[order], classes[order]
        last = np.ones(len(ids), bool)
        last[:-1] = ids[1:] != ids[:-1]
        ids, classes = ids[last], classes[last]
    return ids, classes


class _Answers:
    """What was found out about arrays, as long as they live; the newest few. Threads may ask and
    keep at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[NDArray], Any]] = {}

    def of(self, array: NDArray) -> Any:
        known = self._known.get(id(array))
        return known[1] if known is not None and known[0]() is array else None

    def keep(self, array: NDArray, answer: Any) -> None:
        newest = dict(list(self._known.items())[1 - _KEPT :])
        self._known = {**newest, id(array): (weakref.ref(array), answer)}
