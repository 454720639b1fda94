"""Triplets to look at: who is taken for whom in a space, the worst first; and impostors among neighbors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.metric.losses import mined

_KNOWN = 2000  # instances of one kind that triplets are sought among
_ROWS = 512
EASY, SEMI_HARD, HARD = 0, 1, 2


@dataclass(frozen=True, slots=True)
class TripletRows:
    """rows : (T, 3) int64 anchor, positive, negative. near, far : (T,) distances from the anchor to both. hardness :
    (T,) int8: HARD where the negative is nearer than the positive, SEMI_HARD where it is farther by less than the
    margin, else EASY. Sorted by near - far, descending."""

    rows: NDArray[np.int64]
    near: NDArray[np.float64]
    far: NDArray[np.float64]
    hardness: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rows)


def hardest_triplets(
    Z: NDArray, rows: NDArray[np.int64], kind: NDArray[np.int64], *, margin: float, most: int = 60, seed: int = 0
) -> TripletRows:
    """Of each anchor its farthest positive and nearest negative (Hermans, Beyer and Leibe 2017), the worst of all.

    Z : (N, d). rows : (m,) instances of known kind (m,). At most `most` triplets of each kind of anchor, so that a kind
    with many instances does not fill the list. Of more than 2000 instances of a kind, 2000 are drawn. No triplets where
    there is one kind only, or no two of any. O(4000² d) at most.
    """
    rng = np.random.default_rng(seed)
    some = np.concatenate([rng.permutation(np.flatnonzero(kind == c))[:_KNOWN] for c in np.unique(kind)] or [rows[:0]])
    some = some.astype(np.int64)
    some = some[np.argsort(rows[some])]
    rows, kind = rows[some], kind[some]
    found = mined(np.asarray(Z[rows], np.float64), kind, rows, margin=margin, mining="hard", rng=rng)
    triplets = rows[found]
    worst = rated(Z, triplets, margin=margin)
    of_kind = kind[np.searchsorted(rows, worst.rows[:, 0])]
    kept = np.sort(np.concatenate([np.flatnonzero(of_kind == c)[:most] for c in np.unique(of_kind)] or [some[:0]]))
    return _take(worst, kept)


def rated(Z: NDArray, triplets: NDArray[np.int64], *, margin: float) -> TripletRows:
    """Triplets (T, 3) of rows of Z (N, d) with their distances, the hardest first."""
    a, p, n = (np.asarray(Z[column], np.float64) for column in triplets.T)
    near, far = np.linalg.norm(a - p, axis=1), np.linalg.norm(a - n, axis=1)
    hardness = np.where(far <= near, HARD, np.where(far < near + margin, SEMI_HARD, EASY)).astype(np.int8)
    return _take(TripletRows(triplets, near, far, hardness), np.argsort(far - near, kind="stable"))


def impostors(
    Z: NDArray, kind: NDArray[np.int64], k: int = 3, *, monitor: Monitor | None = None
) -> NDArray[np.int64]:
    """(m,) how many instances of another kind lie nearer than the k-th nearest of one's own (Weinberger and Saul 2009).

    Z : (m, d). kind : (m,). -1 where there is no other of the kind. O(m² d).
    """
    watch, out = monitored(monitor), np.full(len(Z), -1, np.int64)
    Z = np.asarray(Z, np.float64)
    square = np.einsum("nk,nk->n", Z, Z)
    for part in slices(len(Z), _ROWS, watch, "Impostors"):
        apart = square[part, None] + square - 2 * Z[part] @ Z.T
        apart[np.arange(len(apart)), np.arange(part.start, part.start + len(apart))] = np.inf
        own = kind[part, None] == kind
        ordered = np.sort(np.where(own, apart, np.inf), axis=1)[:, :k]
        reach = np.where(np.isfinite(ordered), ordered, -np.inf).max(axis=1, initial=-np.inf)
        count = (~own & (apart < reach[:, None])).sum(axis=1)
        out[part] = np.where(np.isfinite(reach), count, -1)
    return out


def _take(found: TripletRows, which: NDArray) -> TripletRows:
    return TripletRows(found.rows[which], found.near[which], found.far[which], found.hardness[which])
