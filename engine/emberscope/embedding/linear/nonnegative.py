"""Nonnegative coordinates for given parts: exact least squares and Kullback-Leibler."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored, slices

_BLOCK = 1 << 21
_GRACE = 3
_LEAST = 1e-12
_KL_STEPS = 2000
_KL_STILL = 1e-10


def least_squares(V: NDArray, parts: NDArray, *, monitor: Monitor | None = None) -> NDArray:
    """The Z >= 0 (N, d) that minimize |V - Z parts|², float64, exact.

    V : (N, D). parts : (d, D), >= 0. Block principal pivoting (Kim and Park 2011): every row
    exchanges all its wrong signs at once, and only the last one where that does not help.
    O(N D d + N d³) per exchange, a handful of them.
    """
    H = parts.astype(np.float64)
    d = len(H)
    G = H @ H.T
    G[np.diag_indices(d)] += _LEAST * max(np.trace(G) / d, np.finfo(np.float64).tiny)
    Z = np.empty((len(V), d))
    for part in slices(len(V), _BLOCK // max(V.shape[1], d * d), monitor, "Coordinates"):
        Z[part] = _pivoted(G, V[part].astype(np.float64) @ H.T)
    return Z


def kullback_leibler(V: NDArray, parts: NDArray, *, monitor: Monitor | None = None) -> NDArray:
    """The Z >= 0 (N, d) that minimize sum V log(V / Z parts) - V + Z parts, float64.

    V : (N, D), >= 0. parts : (d, D), >= 0. Multiplicative updates (Lee and Seung 2001), every row
    until it changes by less than 1e-10 of itself or for 2000 steps, whatever the other rows do.
    """
    watch = monitored(monitor)
    H = parts.astype(np.float64)
    total = np.maximum(H.sum(axis=1), np.finfo(np.float64).tiny)
    Z = np.empty((len(V), len(H)))
    rows = max(1, _BLOCK // max(1, V.shape[1]))
    for start in range(0, len(V), rows):
        part = slice(start, start + rows)
        block = V[part].astype(np.float64)
        found = np.tile(block.sum(axis=1, keepdims=True) / (len(H) * total.mean()), (1, len(H)))
        moving = np.arange(len(block))
        for turn in range(_KL_STEPS):
            if turn % 20 == 0:
                watch.step(start / len(V), "Coordinates")
            old = found[moving]
            fit = np.maximum(old @ H, np.finfo(np.float64).tiny)
            new = old * ((block[moving] / fit) @ H.T) / total
            found[moving] = new
            moving = moving[np.abs(new - old).sum(axis=1) > _KL_STILL * new.sum(axis=1)]
            if not len(moving):
                break
        Z[part] = found
    return Z


def _pivoted(G: NDArray, B: NDArray) -> NDArray:
    """Z >= 0 (n, d) that minimize z'Gz / 2 - b'z for every row b of B;
    G (d, d) positive definite."""
    n, d = B.shape
    free = np.zeros((n, d), bool)
    Z, slope = np.zeros((n, d)), -B
    fewest, grace = np.full(n, d + 1), np.full(n, _GRACE)
    tolerance = _LEAST * np.abs(B).max(axis=1, keepdims=True)
    reach = _LEAST * np.abs(B).max(axis=1, keepdims=True) / G.diagonal()
    active = np.arange(n)
    for _ in range(100 + 10 * d):
        wrong = np.where(free[active], Z[active] < -reach[active],
                         slope[active] < -tolerance[active])
        count = wrong.sum(axis=1)
        active, wrong, count = active[count > 0], wrong[count > 0], count[count > 0]
        if not len(active):
            break
        better = count < fewest[active]
        fewest[active[better]], grace[active[better]] = count[better], _GRACE
        grace[active[~better]] -= 1
        stuck = grace[active] < 0
        last = d - 1 - wrong[stuck, ::-1].argmax(axis=1)
        wrong[stuck] = np.arange(d) == last[:, None]
        free[active] ^= wrong
        mask = free[active]
        masked = np.where(mask[:, :, None] & mask[:, None, :], G, np.eye(d))
        Z[active] = np.linalg.solve(masked, np.where(mask, B[active], 0.0)[:, :, None])[:, :, 0]
        slope[active] = np.where(mask, 0.0, Z[active] @ G - B[active])
    return np.maximum(Z, 0.0)
