"""Co-ranking curves: how many of the K nearest stay among the K nearest, for every K at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

# of a stored curve: every K up to the first, then so many spread evenly over log K
_ALL, _POINTS = 32, 160


@dataclass(frozen=True, slots=True)
class Curves:
    """Agreement of K-neighborhoods for K = 1 .. N - 2 (a selection of them for large N), averaged
    over instances.

    k : (M,) int64. q_nx : (M,) share of the K nearest that stay, chance is K / (N - 1). lcmc : q_nx
    minus chance.
    r_nx : (M,) the same scaled so that chance is 0 and perfect 1. b_nx : (M,) share of the K that
    came nearer minus share that went farther, of those that stay: positive = intrusive, negative =
    extrusive.
    auc : mean of r_nx over log K. auc_error : its standard error, 0 where all rows were counted.
    """

    k: NDArray[np.int64]
    q_nx: NDArray
    r_nx: NDArray
    lcmc: NDArray
    b_nx: NDArray
    auc: float
    auc_error: float

    def at(self, k: int) -> int:
        """The place of K = k, or of the nearest kept one."""
        return int(np.abs(self.k - k).argmin())


class Tally:
    """Collects the larger of both ranks of pairs of instances.

    Pairs that are near in both spaces are taken from the neighbor lists of all rows, the others
    from `add`, which is given the ranks of some rows (all of them, or a random sample); so the
    curve has no error at small K.
    """

    def __init__(self, in_X: NDArray, in_Z: NDArray, k: int) -> None:
        n, self._seen = in_X.shape
        self._n, self._rows = n, 0
        self._near, self._near_tilt = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._far, self._far_tilt = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._worth = _worth_of_rank(n)
        self._sums: list[NDArray] = []
        self.preserved = np.zeros(n)  # (N,) how many of the k nearest stay
        _near_pairs(in_X, in_Z, k, self._near, self._near_tilt, self.preserved)

    def add(self, ranks_X: NDArray, ranks_Z: NDArray) -> None:
        """Ranks (rows, N) in both spaces, 0 = itself."""
        worth = np.zeros(len(ranks_X))
        _far_pairs(ranks_X, ranks_Z, self._seen, self._worth, self._far, self._far_tilt, worth)
        self._sums.append(worth)
        self._rows += len(ranks_X)

    def curves(self) -> Curves:
        """Lee and Verleysen 2009 (Q, B), Chen and Buja 2009 (LCMC), Lee et al. 2013 (R and its
        area)."""
        n, k = self._n, np.arange(1, self._n - 1)
        share = max(self._rows, 1)
        q = np.cumsum(self._near[1:-1] / n + self._far[1:-1] / share) / k
        b = np.cumsum(self._near_tilt[1:-1] / n + self._far_tilt[1:-1] / share) / k
        r = ((n - 1) * q - k) / (n - 1 - k)
        sums = np.concatenate(self._sums) if self._sums else np.zeros(1)
        error = sums.std(ddof=1) / np.sqrt(len(sums)) * np.sqrt(1 - len(sums)
                                                                / n) if 1 < len(sums) < n else 0.0
        spaced = k if len(k) <= _POINTS else np.geomspace(1, n - 2,
                                                          _POINTS).round().astype(np.int64)
        kept = np.unique(np.concatenate([k[:_ALL], spaced])) - 1
        return Curves(
            k[kept], q[kept], r[kept], (q - k / (n - 1))[kept], b[kept],
            float((r / k).sum() / (1 / k).sum()), float(error),
        )


def _worth_of_rank(n: int) -> NDArray:
    """(n,) what a pair with the larger rank m adds to an instance's area under R; 0 for m = 0 and m
    = n - 1."""
    k = np.arange(1, n - 1)
    worth = np.zeros(n)
    worth[1:-1] = np.cumsum(((n - 1) / (k**2 * (n - 1.0 - k)))[::-1])[::-1] / (1 / k).sum()
    return worth


@njit(cache=True, nogil=True)
def _near_pairs(
    in_X: NDArray, in_Z: NDArray, k: int, total: NDArray, tilt: NDArray, preserved: NDArray
) -> None:
    n, seen = in_X.shape
    for i in range(n):
        for a in range(seen):
            for b in range(seen):
                if in_X[i, a] == in_Z[i, b]:
                    rank = max(a, b) + 1
                    total[rank] += 1
                    tilt[rank] += int(a > b) - int(a < b)
                    if rank <= k:
                        preserved[i] += 1


@njit(cache=True, nogil=True)
def _far_pairs(
    ranks_X: NDArray, ranks_Z: NDArray, seen: int, worth: NDArray, total: NDArray, tilt: NDArray,
    sums: NDArray
) -> None:
    for r in range(ranks_X.shape[0]):
        for j in range(ranks_X.shape[1]):
            a, b = ranks_X[r, j], ranks_Z[r, j]
            rank = max(a, b)
            if rank > seen:
                total[rank] += 1
                tilt[rank] += int(a > b) - int(a < b)
                sums[r] += worth[rank]
