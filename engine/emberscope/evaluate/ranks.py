"""Neighbor ranks in one space: exact for some rows, or estimated for all from a sample."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor
from emberscope.evaluate.pairs import squared_distances
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.threads import each

N_GROUPS = 8  # parts of the reference sample, whose spread is the error of the estimate
_BLOCK = 1 << 21  # distances held at a time, by each thread
_DIRECT = 16  # features up to which double precision costs nothing
_ROUGH = 0.01  # share of a neighbor's squared distance that rounding may reach


class Space:
    """Rows of X (N, D), centered, for squared distances by matrix products.

    Double precision where `exact`, or where single precision could hide the distances of neighbors;
    `rounding` bounds the error of a squared distance.
    """

    def __init__(self, X: NDArray, *, exact: bool, near: float = np.inf) -> None:
        self.X = X
        single = X.dtype == np.float32 and X.shape[1] > _DIRECT and not exact
        self._center(np.float32 if single else np.float64)
        if single and not self.rounding < _ROUGH * near:
            self._center(np.float64)

    def _center(self, work: type) -> None:
        center = self.X.mean(axis=0, dtype=np.float64)
        self._rows: NDArray = np.subtract(self.X, center.astype(work), dtype=work)
        self.norms: NDArray = np.einsum("ij,ij->i", self._rows, self._rows)
        largest = float(self.norms.max(initial=0.0))
        self.rounding = 4 * (self.X.shape[1] + 8) * float(np.finfo(work).eps) * largest

    def __len__(self) -> int:
        return len(self.X)

    def relative(self, rows: NDArray, to: NDArray | None = None) -> NDArray:
        """(len(rows), len(to)) squared distances less `norms` of the row, up to `rounding`; to all
        rows by default."""
        other, norms = (self._rows, self.norms) if to is None else (self._rows[to], self.norms[to])
        found = (-2 * self._rows[rows]) @ other.T
        found += norms.astype(found.dtype)
        return found


class Given:
    """Distances that were given, looked at as a `Space`; nothing is rounded away, equal ones are
    ties."""

    def __init__(self, distances: Distances) -> None:
        self._squared = distances.squared

    def __len__(self) -> int:
        return len(self._squared)

    def relative(self, rows: NDArray, to: NDArray | None = None) -> NDArray:
        """(R, S) squared distances of `rows` (R,) to rows `to` (S,); to all rows by default."""
        return self._squared[rows] if to is None else self._squared[np.ix_(rows, to)]


def blocks(count: int, width: int) -> list[slice]:
    """Slices of `count` rows whose distances to `width` others are held at a time."""
    step = max(1, _BLOCK // max(width, 1))
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def counted_ranks(space: Space | Given, rows: NDArray, *, settle: bool) -> NDArray[np.int32]:
    """(len(rows), N) rank of every instance as neighbor of some rows, 0 = itself, by (distance,
    index).

    settle : distances that rounding cannot tell apart are computed again from differences; without,
        they stand in some fixed order.
    """
    distance = space.relative(rows)
    ranks = np.empty(distance.shape, np.int32)
    for r, row in enumerate(rows):
        distance[r, row] = -np.inf
        order = np.argsort(distance[r], kind="stable" if isinstance(space, Given) else None)
        if settle and not isinstance(space, Given):
            _settle_ties(space.X, row, distance[r], order, space.rounding)
        ranks[r, order] = np.arange(len(order), dtype=np.int32)
    return ranks


def estimated_penalties(
    space: Space, seen: NDArray, other: NDArray, reference: NDArray, pool: ThreadPoolExecutor,
    monitor: Monitor
) -> tuple[NDArray, NDArray, NDArray]:
    """Sums of max(0, rank - k) over the k instances that the other space lists, for all rows.

    Parameters
    ----------
    seen : (N, m) the nearest neighbors here, m >= k: their ranks are known. other : (N, k) rows.
    reference : (S,) distinct random rows in random order. Beyond `seen`, a rank is m + 1 plus the
        share of the reference that is closer, scaled to the rows it stands for: unbiased.

    Returns
    -------
    known : (N,) the part of the neighbors within `seen`. unknown : (N,) the estimated part.
    groups : (N, G) the same estimated from each of G parts of the reference; their spread is the
        error.
    """
    n, n_groups = len(space), min(N_GROUPS, len(reference))
    ends = np.linspace(0, len(reference), n_groups + 1).astype(np.int64)
    place = np.full(n, -1, np.int64)
    place[reference] = np.arange(len(reference))
    out = known, unknown, groups = np.zeros(n), np.zeros(n), np.zeros((n, n_groups))

    def work(part: slice) -> None:
        rows = np.arange(part.start, part.stop)
        distance = space.relative(rows, reference)
        _estimate(space.X, space.norms, distance, rows, seen, other, place, ends, *out)

    parts = blocks(n, len(reference))
    steps = iter(range(len(parts)))
    each(pool, work, [(part,) for part in parts],
         lambda: monitor.step(next(steps) / len(parts), "Faithfulness"))
    return known, unknown, groups


@njit(cache=True, nogil=True)
def counted_penalties(ranks: NDArray, other: NDArray, k: int) -> NDArray:
    """(rows,) sums of max(0, rank - k) over `other` (rows, k), the neighbors that the other space
    lists."""
    out = np.zeros(len(ranks))
    for r in range(len(ranks)):
        for c in range(other.shape[1]):
            out[r] += max(0, ranks[r, other[r, c]] - k)
    return out


def _settle_ties(X: NDArray, row: int, distance: NDArray, order: NDArray, rounding: float) -> None:
    """Runs of distances within the rounding of each other are put in order by (true distance,
    index)."""
    others = order[1:]  # itself comes first
    near = np.diff(distance[others]) <= 2 * rounding
    if not near.any():
        return
    tied = np.concatenate([near, [False]]) | np.concatenate([[False], near])
    run = np.cumsum(np.concatenate([[True], ~near]))[tied]
    members = others[tied]
    true = squared_distances(X, np.full(len(members), row), members)
    others[tied] = members[np.lexsort((members, true, run))]


@njit(cache=True, nogil=True)
def _estimate(
    X: NDArray, norms: NDArray, distance: NDArray, rows: NDArray, seen: NDArray, other: NDArray,
    place: NDArray, ends: NDArray, known: NDArray, unknown: NDArray, groups: NDArray,
) -> None:
    n, n_seen, k, n_groups = len(place), seen.shape[1], other.shape[1], len(ends) - 1
    # reference rows that stand for no instance here: seen, itself, the neighbor
    taken = np.empty(n_seen + 2, np.int64)
    for r in range(len(rows)):
        i = rows[r]
        n_taken = 0
        if place[i] >= 0:
            taken[0] = place[i]
            n_taken = 1
        for c in range(n_seen):
            if place[seen[i, c]] >= 0:
                taken[n_taken] = place[seen[i, c]]
                n_taken += 1
        for c in range(k):
            j = other[i, c]
            rank = 0
            for s in range(n_seen):
                if seen[i, s] == j:
                    rank = s + 1
            if rank > 0:
                known[i] += max(0, rank - k)
                continue
            own = distance.dtype.type(_squared(X[i], X[j]) - norms[i])
            more = n_taken
            if place[j] >= 0:
                taken[more] = place[j]
                more += 1
            closer_of_all, size_of_all = np.int64(0), np.int64(0)
            for g in range(n_groups):
                closer = _count_below(distance[r, ends[g] : ends[g + 1]], own)
                size = ends[g + 1] - ends[g]
                for t in range(more):
                    if ends[g] <= taken[t] < ends[g + 1]:
                        size -= 1
                        if distance[r, taken[t]] < own:
                            closer -= 1
                groups[i, g] += n_seen + 1 - k + (n - 2 - n_seen) * closer / max(size, 1)
                closer_of_all += closer
                size_of_all += size
            unknown[i] += n_seen + 1 - k + (n - 2 - n_seen) * closer_of_all / max(size_of_all, 1)


@njit(cache=True, nogil=True)
def _count_below(values: NDArray, limit: float) -> np.int64:
    found = np.int64(0)
    for s in range(len(values)):
        found += np.int64(values[s] < limit)
    return found


@njit(cache=True, nogil=True)
def _squared(a: NDArray, b: NDArray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        difference = np.float64(a[i]) - np.float64(b[i])
        total += difference * difference
    return total
