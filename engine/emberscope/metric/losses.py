"""Losses of pairs and triplets of coordinates, with their gradients,
and which triplets of a batch are worth learning.
"""

import numpy as np
from numpy.typing import NDArray

_SMALLEST = 1e-12  # squared distance, below which a direction would be noise


def contrastive_loss(
    Z: NDArray, rows: NDArray[np.int64], same: NDArray[np.bool_], *, margin: float, power: int
) -> tuple[float, NDArray]:
    """Average a loss over pairs: |z_i - z_j|^power where they are alike,
    max(0, margin - |z_i - z_j|)^power where they differ.

    Z : (N, d). rows : (P, 2). same : (P,). Returns the loss and its gradient (N, d), of the
    precision of Z. Hadsell, Chopra and LeCun 2006 have power 2.
    """
    d, length = _apart(Z, rows[:, 0], rows[:, 1])
    short = np.maximum(margin - length, 0)
    slope = np.where(same, power * length ** (power - 1),
                     -power * short ** (power - 1) * (short > 0)) / len(rows)
    value = np.where(same, length**power, short**power).mean()
    push = (slope / length)[:, None] * d
    gradient = np.zeros_like(Z)
    np.add.at(gradient, rows[:, 0], push)
    np.add.at(gradient, rows[:, 1], -push)
    return float(value), gradient


def triplet_loss(
    Z: NDArray, triplets: NDArray[np.int64], *, margin: float
) -> tuple[float, NDArray]:
    """Mean over triplets (anchor, positive, negative) of max(0,
    |z_a - z_p| - |z_a - z_n| + margin).

    Z : (N, d). triplets : (T, 3). Returns the loss and its gradient (N, d), of the precision of Z.
    Schroff, Kalenichenko and Philbin 2015 (in print without the max, and with squared distances of
    unit vectors).
    """
    a, p, n = triplets.T
    to_p, near = _apart(Z, a, p)
    to_n, far = _apart(Z, a, n)
    loss = near - far + margin
    active = (loss > 0) / max(len(triplets), 1)
    pull, push = (active / near)[:, None] * to_p, (active / far)[:, None] * to_n
    gradient = np.zeros_like(Z)
    np.add.at(gradient, a, pull - push)
    np.add.at(gradient, p, -pull)
    np.add.at(gradient, n, push)
    return float(np.maximum(loss, 0).sum() / max(len(triplets), 1)), gradient


def mined(
    Z: NDArray, kind: NDArray, row: NDArray, *, margin: float, mining: str, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Triplets (T, 3) of places in a batch, one per anchor that has a positive and a negative.

    Z : (B, d). kind : (B,) class of each. row : (B,) which instance each is;
        an instance is not its own positive.

    "easy": any positive and any negative. "semi-hard": any positive, and the nearest negative that
    is farther than it, within the margin; the farthest one where there is none (Schroff et al.
    2015). "hard": the farthest positive and the nearest negative (Hermans, Beyer and Leibe 2017).
    O(B² d).
    """
    other = kind[:, None] != kind
    alike = ~other & (row[:, None] != row)
    anchors = np.flatnonzero(alike.any(axis=1) & other.any(axis=1))
    if not len(anchors):
        return np.empty((0, 3), np.int64)
    alike, other = alike[anchors], other[anchors]
    square = np.einsum("bk,bk->b", Z, Z)
    D = np.sqrt(np.maximum(square[anchors, None] + square - 2 * Z[anchors] @ Z.T, 0))
    if mining == "hard":
        p, n = np.where(alike, D, -np.inf).argmax(axis=1), np.where(other, D, np.inf).argmin(axis=1)
        return np.stack([anchors, p, n], axis=1)
    p = _any(alike, rng)
    if mining == "easy":
        return np.stack([anchors, p, _any(other, rng)], axis=1)
    near = np.take_along_axis(D, p[:, None], axis=1)
    between = other & (near < D) & (near + margin > D)
    n = np.where(between.any(axis=1), np.where(between, D, np.inf).argmin(axis=1),
                 np.where(other, D, -np.inf).argmax(axis=1))
    return np.stack([anchors, p, n], axis=1)


def _any(allowed: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """One allowed column of every row, each as likely."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


def _apart(Z: NDArray, i: NDArray, j: NDArray) -> tuple[NDArray, NDArray]:
    """z_i - z_j and their lengths, never 0."""
    d = Z[i] - Z[j]
    return d, np.sqrt(np.maximum(np.einsum("pk,pk->p", d, d), Z.dtype.type(_SMALLEST)))
