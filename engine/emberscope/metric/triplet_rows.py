"""Triplets to look at: who is taken for whom in a space, the worst first;
and impostors among neighbors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored, slices

_ROWS = 512
EASY, SEMI_HARD, HARD = 0, 1, 2


@dataclass(frozen=True, slots=True)
class TripletRows:
    """rows : (T, 3) int64 anchor, positive, negative. near, far : (T,) distances from the anchor to
    both. hardness : (T,) int8: HARD where the negative is nearer than the positive, SEMI_HARD where
    it is farther by less than the margin, else EASY. Sorted by near - far, descending."""

    rows: NDArray[np.int64]
    near: NDArray[np.float64]
    far: NDArray[np.float64]
    hardness: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Rivals:
    """Of m instances of known kind. target : (m,) the k-th nearest of its own kind, impostor : (m,)
    the nearest of another, as places among the m, -1 where there is none. between : (m,) int64, how
    many of another kind lie nearer than the target; -1 without one."""

    target: NDArray[np.int64]
    impostor: NDArray[np.int64]
    between: NDArray[np.int64]


def rivals(
    Z: NDArray, kind: NDArray[np.int64], k: int = 3, *, monitor: Monitor | None = None
) -> Rivals:
    """Who is near whom, as LMNN sees it (Weinberger and Saul 2009). Z : (m, d).
    kind : (m,). O(m² d).

    Of a kind with k others or fewer the farthest is the target.
    """
    watch, m = monitored(monitor), len(Z)
    target, impostor, between = (np.full(m, -1, np.int64) for _ in range(3))
    Z = np.asarray(Z, np.float64)
    square = np.einsum("nk,nk->n", Z, Z)
    for part in slices(m, _ROWS, watch, "Impostors"):
        apart = square[part, None] + square - 2 * Z[part] @ Z.T
        at = np.arange(len(apart))
        apart[at, np.arange(part.start, part.start + len(apart))] = np.inf
        own = kind[part, None] == kind
        order = np.argsort(np.where(own, apart, np.inf), axis=1, kind="stable")[:, :k]
        there = np.isfinite(
            np.take_along_axis(np.where(own, apart, np.inf), order, axis=1)
        ).sum(axis=1)
        last = order[at, np.maximum(there - 1, 0)]
        target[part] = np.where(there > 0, last, -1)
        impostor[part] = np.where((~own).any(axis=1), np.where(own, np.inf, apart).argmin(axis=1),
                                  -1)
        between[part] = np.where(there > 0, (~own & (apart < apart[at, last][:, None])).sum(axis=1),
                                 -1)
    return Rivals(target, impostor, between)


def hardest_triplets(
    Z: NDArray, rows: NDArray[np.int64], kind: NDArray[np.int64], found: Rivals, *, margin: float,
    most: int = 60
) -> TripletRows:
    """Anchor, its target and its nearest impostor, the worst first. Z : (N, d).
    rows, kind : (m,) whom `found` is of.

    At most `most` triplets of each kind of anchor,
    so that a kind with many instances does not fill the list.
    """
    whole = np.flatnonzero((found.target >= 0) & (found.impostor >= 0))
    places = np.stack([whole, found.target[whole], found.impostor[whole]], axis=1)
    worst = rated(Z, rows[places], margin=margin)
    of_row = dict(zip(rows.tolist(), kind.tolist(), strict=True))
    of_kind = np.array([of_row[row] for row in worst.rows[:, 0].tolist()], np.int64)
    kept = [np.flatnonzero(of_kind == c)[:most] for c in np.unique(of_kind)]
    return _take(worst, np.sort(np.concatenate([whole[:0], *kept])))


def rated(Z: NDArray, triplets: NDArray[np.int64], *, margin: float) -> TripletRows:
    """Triplets (T, 3) of rows of Z (N, d) with their distances, the hardest first."""
    a, p, n = (np.asarray(Z[column], np.float64) for column in triplets.T)
    near, far = np.linalg.norm(a - p, axis=1), np.linalg.norm(a - n, axis=1)
    hardness = np.where(far <= near, HARD,
                        np.where(far < near + margin, SEMI_HARD, EASY)).astype(np.int8)
    return _take(TripletRows(triplets, near, far, hardness), np.argsort(far - near, kind="stable"))


def _take(found: TripletRows, which: NDArray) -> TripletRows:
    return TripletRows(found.rows[which], found.near[which], found.far[which],
                       found.hardness[which])
