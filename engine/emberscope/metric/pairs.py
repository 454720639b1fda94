"""Pairs of instances that are alike or differ: read from side information, and summed up."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import joined
from emberscope.base.errors import DataError, MissingLabels, ParamError
from emberscope.labels.side_info import SideInfo

_MARK = "Mark pairs of chips as alike or different."


@dataclass(frozen=True, slots=True)
class Pairs:
    """rows (P, 2) int64 rows of X; same (P,) bool; weight (P,) float64, above 0."""

    rows: NDArray[np.int64]
    same: NDArray[np.bool_]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray) -> "Pairs":
        """Some of the pairs: `which` (P,) bool or numbers."""
        return Pairs(self.rows[which], self.same[which], self.weight[which])

    def joined(self, more: "Pairs") -> "Pairs":
        """These, and more."""
        return Pairs(np.concatenate([self.rows, more.rows]), np.concatenate([self.same, more.same]),
                     np.concatenate([self.weight, more.weight]))


def read_side(side: SideInfo | None, n: int) -> SideInfo:
    """The side information about n rows. Raises MissingLabels for None,
    DataError where it does not fit the rows."""
    if side is None:
        raise MissingLabels("there is no side information", hint=_MARK)
    if not isinstance(side, SideInfo):
        raise DataError(f"side is a {type(side).__name__}", hint="Make it by SideInfo.of_pairs.")
    for rows, what in ((side.pairs, "pair"), (side.distances, "distance")):
        alone = np.flatnonzero(rows[:, 0] == rows[:, 1])
        if len(alone):
            raise DataError(f"{what} {alone[0]} is of instance {rows[alone[0], 0]} with itself",
                            hint="Give two different instances.")
    return side.checked(n)


def read_pairs(
    side: SideInfo | None, n: int, *, attribute: str | None = None
) -> tuple[Pairs, NDArray[np.int64]]:
    """Pairs with a weight, of one attribute or of all, and which attribute each has, (P,) int64.

    Raises MissingLabels for fewer than two, DataError for an instance paired with itself,
    ParamError for an attribute that no pair has.
    """
    known = read_side(side, n)
    kept = known.pair_weight > 0
    if attribute is not None:
        if attribute not in known.attributes:
            names = ", ".join(name or "(none)" for name in known.attributes)
            raise ParamError(f"no pair has the attribute {attribute!r}",
                             hint=f"Known attributes: {names}.")
        kept &= known.pair_attribute == known.attributes.index(attribute)
    if kept.sum() < 2:
        raise MissingLabels(f"the number of pairs is {kept.sum()}, at least 2 are needed",
                            hint=_MARK)
    return Pairs(known.pairs[kept], known.same[kept],
                 known.pair_weight[kept]), known.pair_attribute[kept]


def contradictions(pairs: Pairs, n: int) -> NDArray[np.int64]:
    """Numbers of the different pairs whose instances are alike,
    directly or by way of others. O(P + n)."""
    alike = pairs.rows[pairs.same]
    group = joined(alike[:, 0], alike[:, 1], n)
    return np.flatnonzero(~pairs.same & (group[pairs.rows[:, 0]] == group[pairs.rows[:, 1]]))


def moments(T: NDArray, pairs: Pairs) -> tuple[NDArray | None, NDArray | None]:
    """Weighted mean of d d' over the pairs that are alike,
    and over those that differ; d = T_i - T_j.

    T : (N, r). Each (r, r), or None where there is no such pair. A mean, not a sum as in print:
    many pairs of one kind must not drown the other. O(P r²).
    """
    return _moment(T, pairs.take(pairs.same)), _moment(T, pairs.take(~pairs.same))


def _moment(T: NDArray, pairs: Pairs) -> NDArray | None:
    if not len(pairs):
        return None
    d = T[pairs.rows[:, 0]] - T[pairs.rows[:, 1]]
    return (d * (pairs.weight / pairs.weight.sum())[:, None]).T @ d


@dataclass(frozen=True, slots=True)
class Deck:
    """What questions are drawn from, made once of a run.

    ids : (N,) int64 of the instances. T : (N, r) float32, their principal scores of mean variance
    1. weak : pairs that follow from bag labels, as rows. likely : (N,) in [0, 1], how likely each
    is a target. softness, push : of the equivalence metric. known : (N,) int8, labels that are
    certain, 0 elsewhere; empty where there are none.
    """

    ids: NDArray[np.int64]
    T: NDArray[np.float32]
    weak: Pairs
    likely: NDArray[np.float64]
    softness: float = 0.3
    push: float = 1.0
    known: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
