"""Distances between bags: minimal, maximal and average Hausdorff, Chamfer, earth mover's."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError, TooLarge
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.segments import segment_reduce

# pairs of instances at a time: 8 MB, and a tenth of a second for a thousand features
_PAIRS = 1 << 20
_LARGEST = 1 << 32  # bytes of all distances that are kept
_TRANSPORT = 1 << 22  # pairs of instances of two bags whose transport is solved
_OPERATIONS = 1 << 27  # between two looks at the monitor
_MESSAGE = "Distances between bags"


@dataclass(frozen=True, slots=True)
class _Kind:
    """How distances to the nearest instance, one per instance, become one distance between bags.

    over : collects those of one bag. both : the collected ones of A to B and of B to A,
        and the sizes of A and B.
    """

    over: np.ufunc
    both: Callable[[NDArray, NDArray, NDArray, NDArray], NDArray]


_KINDS = {
    "min": _Kind(np.minimum, lambda there, back, n, m: np.minimum(there, back)),
    "max": _Kind(np.maximum, lambda there, back, n, m: np.maximum(there, back)),
    "average": _Kind(np.add, lambda there, back, n, m: (there + back) / (n + m)),
    "chamfer": _Kind(np.add, lambda there, back, n, m: (there / n + back / m) / 2),
}
KINDS = (*_KINDS, "emd")


def bag_distances(
    X: NDArray, A: Bags, Y: NDArray, B: Bags, *, kind: str = "average",
    monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """Distance of every bag of rows of X to every bag of rows of Y, (K, K'),
    NaN to and from an empty bag.

    Parameters
    ----------
    X : (N, D), Y : (N', D). A : K bags of X. B : K' bags of Y.
        kind : one of `KINDS`, with Euclidean |a - b|:

        min      min_a min_b |a - b|: the minimal Hausdorff distance of Citation-kNN (Wang and
        Zucker 2000) max      max(max_a min_b |a - b|, max_b min_a |a - b|): the Hausdorff distance,
        a metric average  (sum_a min_b |a - b| + sum_b min_a |a - b|) / (|A| + |B|)
        (Elbeleidy 2018, eq 3.1) chamfer  half the sum of mean_a min_b |a - b| and mean_b min_a
        |a - b| emd      least mean way of moving the one bag to the other, all instances of a bag
        weighing the same: a metric

    Notes
    -----
    From differences, not products, so that equal instances are at distance 0 and ties do not depend
    on the order of rows. O(M M' D) for M, M' members, in blocks: memory beside the result is
    O(M + M'), also for a bag of 10^5. emd adds O((n + m) n m) in the worst case for each pair of
    bags of n and m instances. Raises TooLarge where the result does not fit, for emd also for bags
    with n m > 4 194 304; ParamError for an unknown kind.
    """
    _check(kind, len(A) * len(B))
    out = np.full((len(A), len(B)), np.nan)
    a, b = _Members.of(X, A), _Members.of(Y, B)
    if len(a.starts) and len(b.starts):
        fill = _transport(
            a, b, None, monitor
        ) if kind == "emd" else _hausdorff(a, b, _KINDS[kind], None, monitor)
        out[np.ix_(a.bags, b.bags)] = fill
    return out


def own_distances(
    X: NDArray, A: Bags, *, kind: str = "average", monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances between the K bags of A, none of them empty,
    and of every member to its nearest in every bag.

    Returns
    -------
    distance : (K, K), symmetric. nearest : (M, K), min_b |a - b| of every entry of ``A.members``.

    Notes
    -----
    See `bag_distances`, at half its cost.
    """
    _check(kind, (len(A) + len(A.members)) * len(A))
    a = _Members.of(X, A)
    nearest = np.empty((len(A.members), len(A)))
    out = _hausdorff(a, a, _KINDS["min" if kind == "emd" else kind], nearest, monitor)
    return _transport(a, a, nearest, monitor) if kind == "emd" else out, nearest


def squared_distances(X: NDArray, Y: NDArray) -> NDArray[np.float64]:
    """|x - y|² of all rows of X (n, D) and Y (m, D), (n, m), from differences. O(n m D)."""
    out = np.empty((len(X), len(Y)))
    _squared(np.require(X, np.float64, ["C", "W"]), np.require(Y, np.float64, ["C", "W"]), out)
    return out


@dataclass(frozen=True, slots=True)
class _Members:
    """Rows of the bags that have some, one bag after the other.
    starts : of each of these bags. bags : its number."""

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    bags: NDArray[np.int64]

    @classmethod
    def of(cls, X: NDArray, bags: Bags) -> "_Members":
        full = np.flatnonzero(bags.sizes)
        values = np.require(X[bags.members], np.float64, ["C", "W"])
        return cls(values, bags.indptr[full], bags.sizes[full], full)

    def rows(self, k: int) -> NDArray[np.float64]:
        return self.values[self.starts[k] : self.starts[k] + self.sizes[k]]


def groups(starts: NDArray[np.int64], n: int, rows: int) -> Iterator[tuple[int, int]]:
    """Consecutive bags first:last of together at most that many rows, or one larger bag.

    starts : (K,), first row of each bag; n : rows of all of them together,
        one bag after the other, none empty.
    """
    ends = np.append(starts[1:], n)
    first = 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + rows, side="right")))
        yield first, last
        first = last


def _check(kind: str, n_values: int) -> None:
    if kind not in KINDS:
        raise ParamError(f"distance is {kind!r}", hint=f"Give {' or '.join(KINDS)}.")
    if 8 * n_values > _LARGEST:
        raise TooLarge(
            f"distances between the bags take {8 * n_values / 2**30:.0f} GiB",
            hint="Use fewer, larger bags, or a classifier of instances.",
        )


def _hausdorff(
    a: _Members, b: _Members, kind: _Kind, nearest: NDArray | None, monitor: Monitor | None
) -> NDArray[np.float64]:
    """(K, K') distances, by groups of bags of a. With `nearest` a is b: a bag meets only later
    ones, and itself where it is in a group with others."""
    watch = monitored(monitor)
    out = np.empty((len(a.starts), len(b.starts)))
    for first, last in groups(a.starts, len(a.values), max(1, _PAIRS // len(b.values))):
        skip = first if nearest is not None else 0
        # pairs within a bag of 10^5 are 10^10, and all they tell is 0
        if nearest is not None and last - first == 1:
            nearest[a.starts[first] : a.starts[first] + a.sizes[first],
                    first] = out[first, first] = 0.0
            skip += 1
        if skip == len(b.starts):
            break
        begin = int(b.starts[skip])
        there, back = _group(a, b, slice(first, last), skip, kind, nearest, watch)
        own, other = a.sizes[first:last, None], b.sizes[None, skip:]
        collected = segment_reduce(kind.over, back, b.starts[skip:] - begin, axis=1)
        out[first:last, skip:] = kind.both(there, collected, own, other)
        if nearest is not None:
            nearest[begin:, first:last] = back.T
            out[skip:, first:last] = out[first:last, skip:].T
    return out


def _group(
    a: _Members, b: _Members, own: slice, skip: int, kind: _Kind, nearest: NDArray | None,
    watch: Monitor
) -> tuple[NDArray, NDArray]:
    """Bags `own` of a against bags from `skip` of b: nearest distances collected per pair,
    (last - first, K'), and those of every member of b to each bag of a.
    """
    first, last = own.start, own.stop
    begin, end = int(a.starts[first]), int(a.starts[last - 1] + a.sizes[last - 1])
    others, columns = b.values[b.starts[skip] :], b.starts[skip:] - b.starts[skip]
    step = end - begin if last - first > 1 else max(1, _PAIRS // len(others))
    there = back = np.empty(0)
    for start in range(begin, end, step):
        watch.step(start / len(a.values), _MESSAGE)
        stop = min(start + step, end)
        pairs = squared_distances(a.values[start:stop], others)
        near = np.sqrt(segment_reduce(np.minimum, pairs, columns, axis=1))
        if nearest is not None:
            nearest[start:stop, skip:] = near
        parts = a.starts[first:last] - begin if last - first > 1 else np.zeros(1, np.int64)
        near, far = segment_reduce(kind.over, near, parts), segment_reduce(np.minimum, pairs, parts)
        there = near if start == begin else kind.over(there, near)
        back = far if start == begin else np.minimum(back, far)
    return there, np.sqrt(back)


def _transport(
    a: _Members, b: _Members, same: NDArray | None, monitor: Monitor | None
) -> NDArray[np.float64]:
    """Earth mover's distances (K, K'); where a is b (`same` given) every pair once."""
    watch = monitored(monitor)
    if int(a.sizes.max()) * int(b.sizes.max()) > _TRANSPORT:
        raise TooLarge(
            f"bags of {a.sizes.max()} and {b.sizes.max()} instances for the earth mover's distance",
            hint="Choose the average distance.",
        )
    out = np.zeros((len(a.starts), len(b.starts)))
    for i in range(len(out)):
        for j in range(0 if same is None else i + 1, len(b.starts)):
            watch.step(i / len(out), _MESSAGE)
            out[i, j] = transport(np.sqrt(squared_distances(a.rows(i), b.rows(j))), monitor=monitor)
            if same is not None:
                out[j, i] = out[i, j]
    return out


def transport(cost: NDArray[np.float64], *, monitor: Monitor | None = None) -> float:
    """Least mean cost of moving n equal weights to m equal ones, cost (n, m) >= 0:
    the earth mover's distance.

    Exact: every row holds m / g units and every column takes n / g, g their greatest common
    divisor; units go along shortest augmenting paths with potentials (the Hungarian method, for
    n = m its assignment). O((n + m) n m).
    """
    watch = monitored(monitor)
    n, m = cost.shape
    g = int(np.gcd(n, m))
    held, wanted = np.full(n, m // g, np.int64), np.full(m, n // g, np.int64)
    flow, u, v = np.zeros((m, n), np.int64), np.zeros(n), np.zeros(m)
    while not _move(cost, held, wanted, flow, u, v, max(1, _OPERATIONS // cost.size)):
        watch.step(0.0, _MESSAGE)
    return float((flow.T * cost).sum() / (n * (m // g)))


# Sums over features in any order, so that they are vectorized:
# the same for |a - b| and |b - a|, and 0 for a = b.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _squared(X: NDArray, Y: NDArray, out: NDArray) -> None:
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            total = 0.0
            for d in range(X.shape[1]):
                difference = X[i, d] - Y[j, d]
                total += difference * difference
            out[i, j] = total


@njit(cache=True, nogil=True)
def _move(
    cost: NDArray, held: NDArray, wanted: NDArray, flow: NDArray, u: NDArray, v: NDArray,
    budget: int
) -> bool:
    """Up to `budget` augmentations; whether all units are moved. flow : (m, n).
    u : (n,), v : (m,), potentials."""
    n, m = cost.shape
    distance, via = np.empty(m), np.empty(m, np.int64)
    reached, came, closed = np.empty(n), np.empty(n, np.int64), np.empty(m, np.bool_)
    for i in range(n):
        while held[i] > 0:
            if budget == 0:
                return False
            budget -= 1
            target = _shortest(cost, i, wanted, flow, u, v, distance, via, reached, came, closed)
            for r in range(n):
                if reached[r] < np.inf:
                    u[r] += distance[target] - reached[r]
            for k in range(m):
                if closed[k]:
                    v[k] -= distance[target] - distance[k]
            units, k = min(held[i], wanted[target]), target
            while via[k] != i:
                r = via[k]
                k = came[r]
                units = min(units, flow[k, r])
            held[i] -= units
            wanted[target] -= units
            k = target
            while via[k] != i:
                r = via[k]
                flow[k, r] += units
                k = came[r]
                flow[k, r] -= units
            flow[k, i] += units
    return True


@njit(cache=True, nogil=True)
def _shortest(
    cost: NDArray, i: int, wanted: NDArray, flow: NDArray, u: NDArray, v: NDArray,
    distance: NDArray, via: NDArray, reached: NDArray, came: NDArray, closed: NDArray,
) -> int:
    """The column nearest to row i that wants units (Dijkstra): via, the row before a column;
    came, the one before."""
    n, m = cost.shape
    distance[:], via[:], closed[:], reached[:] = np.inf, i, False, np.inf
    reached[i] = 0.0
    for k in range(m):
        distance[k] = cost[i, k] - u[i] - v[k]
    while True:
        near = -1
        for k in range(m):
            if not closed[k] and (near < 0 or distance[k] < distance[near]):
                near = k
        closed[near] = True
        if wanted[near] > 0:
            return near
        for r in range(n):
            if flow[near, r] > 0 and reached[r] == np.inf:
                reached[r], came[r] = distance[near], near
                for k in range(m):
                    way = distance[near] + cost[r, k] - u[r] - v[k]
                    if not closed[k] and way < distance[k]:
                        distance[k], via[k] = way, r
