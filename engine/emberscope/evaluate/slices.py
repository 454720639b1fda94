"""How well targets are separated from ground in parts of the data, and which parts are weaker than
the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.proportion import student_quantile
from emberscope.evaluate.scores import area_ends, variance_of_areas
from emberscope.evaluate.worth import likeness

LEAST = 20  # targets, and entries of ground, below which a slice says nothing
_WRONG = 0.05  # chance that any of all slices is called weak where none is


@dataclass(frozen=True, slots=True)
class Slices:
    """Areas under the ROC curve of C slices. area : NaN where a slice has not both kinds. low, high
    : ends of their intervals. targets, ground : how many entries. groups : of entries that depend
    on each other, on the side that has fewer. weak : whether it is lower than that of all other
    targets, beyond what chance does among all slices looked at."""

    area: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    targets: NDArray[np.int64]
    ground: NDArray[np.int64]
    groups: NDArray[np.int64]
    weak: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.bool_]:
        """(C,) True where there are enough entries to say anything."""
        return (self.targets >= LEAST) & (self.ground >= LEAST)


class Sliced:
    """Scores against truth, to be cut into slices again and again."""

    def __init__(self, positive: NDArray[np.bool_], score: NDArray, group: NDArray) -> None:
        """positive, score, group : (N,), as of `curves`."""
        self.positive = np.asarray(positive, bool)
        self.group = np.unique(group, return_inverse=True)[1].reshape(-1)
        self.rank = np.unique(score, return_inverse=True)[1].reshape(-1)
        self._alike = [likeness(self.rank[own], self.group[own]) if own.any() else 1.0
                       for own in (self.positive, ~self.positive)]

    def areas(self, cell: NDArray[np.int64], n_cells: int, *, looked: int = 1) -> Slices:
        """Areas of slices, with intervals that all of `looked` ones keep at once with 95 %.

        cell : (N,) the slice of each entry, -1 for none; ground without one is compared with the
        targets of every slice. O(N log N).
        """
        cell = np.asarray(cell, np.int64)
        mine, own = self.positive & (cell >= 0), ~self.positive & (cell >= 0)
        shared = ~self.positive & (cell < 0)
        targets = np.bincount(cell[mine], minlength=n_cells)
        ground = np.bincount(cell[own], minlength=n_cells) + int(shared.sum())
        above = self._above(cell, mine, own, n_cells) + _before(self.rank[shared], self.rank[mine])
        wins = np.bincount(cell[mine], above, minlength=n_cells)
        with np.errstate(invalid="ignore", divide="ignore"):
            area = wins / (targets * ground)
        n_pos = self._worth(cell, mine, n_cells, 0)
        n_neg = self._worth(cell, own, n_cells, 1, shared)
        groups = np.minimum(self._groups(cell, mine, n_cells),
                            self._groups(cell, own, n_cells, shared))
        level = 1 - 0.025 / max(looked, 1)
        z = np.array([student_quantile(max(n - 1, 1), level) for n in n_pos])
        known = np.isfinite(area)
        low, high = np.zeros(n_cells), np.ones(n_cells)
        low[known], high[known] = area_ends(area[known], n_pos[known], n_neg[known], z[known])
        found = Slices(area, low, high, targets, ground, groups, np.zeros(n_cells, bool))
        return Slices(area, low, high, targets, ground, groups,
                      self._weak(found, wins, n_pos, n_neg, looked))

    def _above(
        self, cell: NDArray, mine: NDArray, own: NDArray, n_cells: int
    ) -> NDArray[np.float64]:
        """Of every target how much ground of its slice scores lower, ties counted half."""
        wide = int(self.rank.max(initial=0)) + 1
        keys = np.sort(cell[own] * wide + self.rank[own])
        start = np.searchsorted(keys, np.arange(n_cells) * wide)
        return _before(keys, cell[mine] * wide + self.rank[mine]) - start[cell[mine]]

    def _groups(
        self, cell: NDArray, own: NDArray, n_cells: int, shared: NDArray | None = None
    ) -> NDArray[np.int64]:
        """(C,) how many groups the entries of each slice are of."""
        of_all = np.unique(self.group[shared]) if shared is not None else np.empty(0, np.int64)
        own = own & ~np.isin(self.group, of_all)
        pairs = np.unique(np.stack([cell[own], self.group[own]]), axis=1)
        return np.bincount(pairs[0], minlength=n_cells) + len(of_all)

    def _worth(
        self, cell: NDArray, own: NDArray, n_cells: int, side: int, shared: NDArray | None = None
    ) -> NDArray[np.float64]:
        """(C,) independent entries that those of each slice are worth (Kish 1965)."""
        n_groups = int(self.group.max(initial=0)) + 1
        number, size = np.unique(cell[own] * n_groups + self.group[own], return_counts=True)
        of = number // n_groups
        count, square = np.zeros(n_cells), np.zeros(n_cells)
        np.add.at(count, of, size)
        np.add.at(square, of, size.astype(np.float64) ** 2)
        if shared is not None:
            more = np.bincount(self.group[shared], minlength=n_groups)
            count += more.sum()
            square += float((more.astype(float) ** 2).sum())
        mean = square / np.maximum(count, 1.0)
        return np.maximum(count / (1 + np.maximum(mean - 1, 0) * self._alike[side]), 1.0)

    def _weak(
        self, found: Slices, wins: NDArray, n_pos: NDArray, n_neg: NDArray, looked: int
    ) -> NDArray[np.bool_]:
        """Whether each slice is lower than all others together, were all areas equal."""
        left = found.targets.sum() - found.targets
        pairs = found.targets * found.ground
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = (wins.sum() - wins) / (pairs.sum() - pairs)
            equal = np.clip(wins.sum() / pairs.sum(), 0.5, 1 - 0.5 / max(pairs.max(initial=1), 1))
            others = np.maximum(n_pos.sum() - n_pos, 1.0)
            spread = variance_of_areas(np.full(len(rest), equal), n_pos, n_neg)
            spread = spread + variance_of_areas(np.full(len(rest), equal), others, n_neg)
            far = (rest - found.area) / np.sqrt(spread)
        level = 1 - _WRONG / max(looked, 1)
        z = np.array([student_quantile(max(n - 1, 1), level) for n in n_pos])
        return found.known & (left >= LEAST) & np.isfinite(far) & (far > z)


def _before(sorted_or_not: NDArray, values: NDArray) -> NDArray[np.float64]:
    """(V,) how many are lower than each value, those that are equal counted half."""
    keys = np.sort(sorted_or_not)
    return (np.searchsorted(keys, values, "left") + np.searchsorted(keys, values, "right")) / 2
