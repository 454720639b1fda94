"""A box made smaller, wall by wall, until no background is inside, while every positive bag keeps
an instance."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor


def shrunk(
    P: NDArray, owner: NDArray[np.int64], N: NDArray, watch: Monitor
) -> NDArray[np.bool_]:
    """Which instances of positive bags are still inside the box, (M,).

    P : (M, F) instances of positive bags; owner : (M,), the bag of each, 0 to K - 1.
    N : (n, F) background.

    Again and again the wall moves past the outermost background instance inside for which the
    fewest instances of positive bags are lost, of equal ones the wall that gets rid of most
    background, then the first; never one that would take the last instance of a bag. Then every
    wall moves up to the instances that are left. O(F (M log M + n log n)), and at most n rounds of
    O(F c) for a loss of c.
    """
    P, N = np.ascontiguousarray(P, np.float64), np.ascontiguousarray(N, np.float64)
    left, inside = np.ones(len(P), bool), np.ones(len(N), bool)
    # both sides as low walls: the high wall of a feature is the low wall of its negative
    sides = np.hstack([P, -P]).T.copy(), np.hstack([N, -N]).T.copy()
    order = [np.argsort(values, axis=1, kind="stable") for values in sides]
    first = [np.zeros(len(values), np.int64) for values in sides]
    counts = np.bincount(owner).astype(np.int64)
    lost_of = np.zeros_like(counts)
    while True:
        watch.step(1 - inside.mean() if len(inside) else 1.0, "Shrinking the box")
        _close(*sides, *order, *first, left, inside)
        wall = _wall(*sides, *order, *first, left, inside, owner, counts, lost_of)
        if wall < 0:
            return left
        edge = sides[1][wall, order[1][wall, first[1][wall]]]
        gone = left & (sides[0][wall] <= edge)
        left &= ~gone
        counts -= np.bincount(owner[gone], minlength=len(counts))


@njit(cache=True, nogil=True)
def _close(
    P: NDArray, N: NDArray, by_p: NDArray, by_n: NDArray, first_p: NDArray, first_n: NDArray,
    left: NDArray, inside: NDArray,
) -> None:
    """Move every wall up to the instances that are left; what lies beyond is no longer inside."""
    for w in range(len(P)):
        while not left[by_p[w, first_p[w]]]:
            first_p[w] += 1
        low = P[w, by_p[w, first_p[w]]]
        i = first_n[w]
        while i < N.shape[1] and N[w, by_n[w, i]] < low:
            inside[by_n[w, i]] = False
            i += 1
    for w in range(len(P)):
        while first_n[w] < N.shape[1] and not inside[by_n[w, first_n[w]]]:
            first_n[w] += 1


@njit(cache=True, nogil=True)
def _wall(
    P: NDArray, N: NDArray, by_p: NDArray, by_n: NDArray, first_p: NDArray, first_n: NDArray,
    left: NDArray, inside: NDArray, owner: NDArray, counts: NDArray, lost_of: NDArray,
) -> int:
    """The wall to move, -1 where none may. `lost_of` (K,) is room for counting, 0 before and
    after."""
    best, least, most = -1, P.shape[1] + 1, 0
    for w in range(len(P)):
        if first_n[w] >= N.shape[1]:
            continue  # nothing is inside
        edge = N[w, by_n[w, first_n[w]]]
        lost, may, i = 0, True, first_p[w]
        while i < P.shape[1] and P[w, by_p[w, i]] <= edge:
            if left[by_p[w, i]]:
                lost += 1
                own = owner[by_p[w, i]]
                lost_of[own] += 1
                may = may and lost_of[own] < counts[own]
                if lost > least:
                    may = False
            i += 1
            if not may:
                break
        for j in range(first_p[w], i):
            lost_of[owner[by_p[w, j]]] = 0
        if not may:
            continue
        while not left[by_p[w, i]]:
            i += 1
        rid = 0
        for j in range(first_n[w], N.shape[1]):
            if N[w, by_n[w, j]] >= P[w, by_p[w, i]]:
                break
            rid += inside[by_n[w, j]]
        if lost < least or rid > most:
            best, least, most = w, lost, rid
    return best
