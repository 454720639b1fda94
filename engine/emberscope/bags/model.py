"""Instances tied to their pixels, and bags of them."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.errors import DataError
from emberscope.base.ids import instance_ids


@dataclass(frozen=True, slots=True)
class Instances:
    """The instance table: row n of every feature matrix is row n here.

    source : (N,) int64, source ids. frame : (N,) int32, 0-based.
    box : (N, 4) float32, pixel support x0, y0, x1, y1. ids : (N,) int64, see
    `base.ids.instance_ids`. apart : of a point set, whose frames are no neighbors in time.
    """

    ids: NDArray[np.int64]
    source: NDArray[np.int64]
    frame: NDArray[np.int32]
    box: NDArray[np.float32]
    apart: bool = field(default=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def at(cls, source: NDArray, frame: NDArray, box: NDArray) -> "Instances":
        """Instances at pixel supports; the ids follow from them."""
        source = np.asarray(source, np.int64)
        frame = np.asarray(frame, np.int32)
        box = np.ascontiguousarray(box, np.float32).reshape(-1, 4)
        return cls(instance_ids(source, frame, box), source, frame, box)

    def take(self, rows: NDArray) -> "Instances":
        """The instances of these rows, (M,) whole numbers or (N,) bool."""
        return replace(self, ids=self.ids[rows], source=self.source[rows],
                       frame=self.frame[rows], box=self.box[rows])

    def rows_of(self, ids: NDArray) -> NDArray[np.int64]:
        """Rows of the given ids that are here, ascending. O(N log N)."""
        return np.flatnonzero(np.isin(self.ids, ids))


@dataclass(frozen=True, slots=True)
class Bags:
    """CSR of rows: bag k owns ``members[indptr[k]:indptr[k + 1]]``; bags may overlap.

    indptr : (K+1,) int64. members : (M,) int64, rows of the instance table.
    labels : (K,) int8, -1, 0 (unlabeled), +1. ids : (K,) int64, stable. classes : (K,) int64, class
    ids.
    groups : (K,) int64, bags that are held back together because they look alike (those of one
    block of frames); None: every bag is its own. blocks : (K,) int64, where groups are whole clips,
    the blocks of frames they consist of; None: as groups. values : (K,) float64, a number of each
    bag, less the median of all, NaN where unknown: labels are +1 above 0, else -1; None: there are
    none. Raises DataError where these do not fit together.
    """

    indptr: NDArray[np.int64]
    members: NDArray[np.int64]
    labels: NDArray[np.int8]
    ids: NDArray[np.int64]
    classes: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None
    blocks: NDArray[np.int64] | None = None
    values: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        k = len(self.labels)
        beside = {"groups": self.groups, "blocks": self.blocks, "values": self.values}
        for name, own in beside.items():
            if own is not None and len(own) != k:
                raise DataError(f"{len(own)} {name} for {k} bags")
        if len(self.indptr) != k + 1 or len(self.ids) != k or len(self.classes) != k:
            raise DataError(f"bags disagree in number: {len(self.indptr) - 1}, {k}, "
                            f"{len(self.ids)}")
        if (self.indptr[0] != 0 or self.indptr[-1] != len(self.members)
            or np.any(np.diff(self.indptr) < 0)):
            raise DataError("indptr does not rise from 0 to the number of members")
        if len(self.members) and self.members.min() < 0:
            raise DataError("a bag has a negative row")
        _signs(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def from_lists(
        cls, members: list, labels: NDArray, *, ids: NDArray | None = None,
        classes: NDArray | None = None
    ) -> "Bags":
        """Bags from one row list per bag."""
        sizes = np.array([len(rows) for rows in members], np.int64)
        flat = (np.concatenate([np.asarray(rows, np.int64) for rows in members]) if members
                else np.empty(0, np.int64))
        labels = _signs(labels)
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            flat.astype(np.int64),
            labels,
            np.arange(len(labels), dtype=np.int64) if ids is None else np.asarray(ids, np.int64),
            np.where(labels > 0, 1, 2).astype(np.int64) if classes is None
            else np.asarray(classes, np.int64),
        )

    @classmethod
    def from_column(cls, bag: NDArray, labels: NDArray) -> "Bags":
        """Bags from a column of bag numbers 0..K-1, one per instance (-1 = in no bag)."""
        bag = np.asarray(bag, np.int64)
        rows = np.argsort(bag, kind="stable")
        rows = rows[bag[rows] >= 0]
        counts = np.bincount(bag[bag >= 0], minlength=len(labels))
        if len(counts) != len(labels):
            raise DataError(f"bag numbers go up to {len(counts) - 1} for {len(labels)} bag labels")
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        labels = _signs(labels)
        ids = np.arange(len(labels), dtype=np.int64)
        return cls(indptr, rows, labels, ids, np.where(labels > 0, 1, 2).astype(np.int64))

    @classmethod
    def of_one(cls, rows: NDArray, labels: NDArray, *, classes: NDArray | None = None) -> "Bags":
        """A bag of its own for every row."""
        rows = np.asarray(rows, np.int64)
        labels = np.sign(np.asarray(labels)).astype(np.int8)
        kinds = np.where(labels > 0, 1, 2) if classes is None else np.asarray(classes)
        k = np.arange(len(rows), dtype=np.int64)
        return cls(np.arange(len(rows) + 1, dtype=np.int64), rows, labels, k,
                   kinds.astype(np.int64))

    def take(self, numbers: NDArray) -> "Bags":
        """The bags with these numbers, in that order; rows keep theirs. O(K + members taken)."""
        numbers = np.asarray(numbers, np.int64)
        sizes = self.sizes[numbers]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(self.indptr[:-1][numbers] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return self.sharing(indptr, self.members[at], numbers)

    def sharing(
        self, indptr: NDArray[np.int64], members: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> "Bags":
        """Other members under the labels, ids, classes, groups, blocks and values of the bags with
        these numbers."""
        groups, blocks = (None if own is None else own[numbers]
                          for own in (self.groups, self.blocks))
        values = None if self.values is None else self.values[numbers]
        return Bags(indptr, members, self.labels[numbers], self.ids[numbers], self.classes[numbers],
                    groups, blocks, values)

    def among(self, rows: NDArray, n: int) -> "Bags":
        """The bags over the instances `rows` of n only, in their order; empty bags are left out.
        O(n + M)."""
        place = np.full(n, -1, np.int64)
        place[rows] = np.arange(len(rows))
        inside = place[self.members]
        kept = inside >= 0
        sizes = np.bincount(self.bag_of_member[kept], minlength=len(self))
        alive = np.flatnonzero(sizes)
        indptr = np.concatenate([[0], np.cumsum(sizes[alive])]).astype(np.int64)
        return self.sharing(indptr, inside[kept], alive)

    def of(self, k: int) -> NDArray[np.int64]:
        """Rows of bag k."""
        return self.members[self.indptr[k] : self.indptr[k + 1]]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(K,) how many members each bag has."""
        return np.diff(self.indptr)

    @property
    def bag_of_member(self) -> NDArray[np.int64]:
        """(M,) bag number of each entry of `members`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def instance_labels(self, n: int) -> NDArray[np.int8]:
        """Bag labels spread over n instances: -1 wins over +1 (a negative bag has no target), 0 in
        no bag."""
        y = np.zeros(n, np.int8)
        spread = self.labels[self.bag_of_member]
        y[self.members[spread > 0]] = 1
        y[self.members[spread < 0]] = -1
        return y

    def first_bag(self, n: int) -> NDArray[np.int64]:
        """(n,) the first bag number of each instance, -1 in no bag."""
        out = np.full(n, -1, np.int64)
        out[self.members[::-1]] = self.bag_of_member[::-1]
        return out

    def first_of(self, row: int) -> int:
        """The first bag number of one instance, -1 in no bag. O(M)."""
        at = np.flatnonzero(self.members == row)
        return int(np.searchsorted(self.indptr, at[0], side="right")) - 1 if len(at) else -1

    def conflicts(self, n: int) -> NDArray[np.int64]:
        """Rows that lie in a positive and in a negative bag."""
        spread = self.labels[self.bag_of_member]
        sign = np.zeros((2, n), bool)
        sign[0, self.members[spread > 0]] = True
        sign[1, self.members[spread < 0]] = True
        return np.flatnonzero(sign.all(axis=0))


def _signs(labels: ArrayLike) -> NDArray[np.int8]:
    """Labels as int8. Raises DataError where one is not -1, 0 or +1, before the cast could make it
    such."""
    given = np.asarray(labels)
    odd = given[~np.isin(given, (-1, 0, 1))]
    if len(odd):
        raise DataError(f"a bag has the label {odd[0]}", hint="Give -1, 0 (unknown) or +1.")
    return given.astype(np.int8)
