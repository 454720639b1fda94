"""Shares of endmembers in instances: each at least 0, together 1."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, slices

_ROWS = 1 << 14  # at a time
_RIDGE = 1e-9  # of the mean squared length of an endmember: equal ones have equal shares
_MOST_CHANGES = 200  # of the set of endmembers that take part, for one instance
_SETTLED = 1e-10  # of the largest squared length


def unmixed(X: NDArray, E: NDArray, *, monitor: Monitor | None = None) -> NDArray[np.float64]:
    """The shares P (N, M), at least 0 and of sum 1, with which the endmembers E (M, D) come nearest
    to the rows of X (N, D): argmin |x - pE|².

    Exact, by active sets (Lawson and Hanson 1974). O(N M D + N M³).
    """
    G = E @ E.T
    G[np.diag_indices(len(G))] += max(_RIDGE * float(np.trace(G)) / len(G), 1e-300)
    out = np.empty((len(X), len(E)))
    for rows in slices(len(X), _ROWS, monitor, "Shares of endmembers"):
        _shares(G, np.ascontiguousarray(X[rows] @ E.T, np.float64), out[rows])
    return out


def left_over(X: NDArray, E: NDArray, P: NDArray) -> NDArray[np.float64]:
    """|x - pE|² of every row, (N,): what shares P (N, M) of endmembers E (M, D) do not explain."""
    return np.square(X - P @ E).sum(axis=1)


@njit(cache=True, nogil=True)
def _shares(G: NDArray, C: NDArray, out: NDArray) -> None:
    """argmin of p'Gp - 2 c'p over the simplex for every row c of C (n, M)."""
    q = np.empty(C.shape[1], np.bool_)
    for i in range(len(C)):
        _on_simplex(G, C[i], out[i], q)


@njit(cache=True, nogil=True)
def _on_simplex(G: NDArray, c: NDArray, p: NDArray, inside: NDArray) -> None:
    """One row: starts at the best corner, adds the endmember that lowers the cost most, and drops
    those whose share would fall below 0, until none lowers it."""
    m, best, scale = len(c), 0, 0.0
    for j in range(m):
        p[j], inside[j] = 0.0, False
        scale = max(scale, G[j, j])
        if G[j, j] - 2 * c[j] < G[best, best] - 2 * c[best]:
            best = j
    p[best], inside[best] = 1.0, True
    for _ in range(_MOST_CHANGES):
        level, count = 0.0, 0
        for j in range(m):
            if inside[j]:
                level, count = level + _slope(G, c, p, j), count + 1
        enter, lowest = -1, level / count - _SETTLED * scale
        for j in range(m):
            if not inside[j] and _slope(G, c, p, j) < lowest:
                enter, lowest = j, _slope(G, c, p, j)
        if enter < 0:
            return
        inside[enter] = True
        while not _moved(G, c, p, inside):
            pass


@njit(cache=True, nogil=True)
def _slope(G: NDArray, c: NDArray, p: NDArray, j: int) -> float:
    """Half the slope of the cost by the share of endmember j."""
    total = -c[j]
    for k in range(len(p)):
        total += G[j, k] * p[k]
    return total


@njit(cache=True, nogil=True)
def _moved(G: NDArray, c: NDArray, p: NDArray, inside: NDArray) -> bool:
    """Moves p towards the best shares of the endmembers inside, of sum 1; whether it got there.
    Else the first share that reaches 0 is out."""
    at = np.flatnonzero(inside)
    k = len(at)
    A, b = np.zeros((k + 1, k + 1)), np.ones(k + 1)
    for r in range(k):
        b[r] = c[at[r]]
        A[r, k] = A[k, r] = 1.0
        for s in range(k):
            A[r, s] = G[at[r], at[s]]
    found = np.linalg.solve(A, b)
    step, out = 1.0, -1
    for r in range(k):
        if found[r] <= 0.0:
            fraction = p[at[r]] / (p[at[r]] - found[r]) if p[at[r]] > found[r] else 0.0
            if out < 0 or fraction < step:
                step, out = fraction, r
    for r in range(k):
        p[at[r]] += step * (found[r] - p[at[r]])
    if out < 0:
        return True
    p[at[out]] = 0.0
    inside[at[out]] = False
    return False
