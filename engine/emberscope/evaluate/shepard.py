"""The Shepard diagram: distances in the embedding beside those in the data, their correlations and
stress."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.evaluate.pairs import squared_distances
from emberscope.neighbors.distances import Distances as Given

N_PAIRS = 100_000
_BINS = 48
# shorter distances than the longest over this, or than this quantile, share a bin
_RANGE, _SHORTEST = 1e6, 1e-3


@dataclass(frozen=True, slots=True)
class Distances:
    """Of pairs of instances: in_X and in_Z (P,) float64; how well one follows from the other, up to
    scale."""

    in_X: NDArray
    in_Z: NDArray

    @property
    def spearman(self) -> float:
        """Correlation of ranks; NaN where one side is constant."""
        return _correlation(mean_ranks(self.in_X), mean_ranks(self.in_Z))

    @property
    def pearson(self) -> float:
        """The correlation of distances in X with those in Z; NaN where one of them is constant."""
        return _correlation(self.in_X, self.in_Z)

    @property
    def stress(self) -> float:
        """Kruskal's stress 1 with the best common scale, in [0, 1]: 0 where the embedding is the
        data, scaled."""
        square = float(self.in_Z @ self.in_Z)
        scale = float(self.in_X @ self.in_Z) / square if square > 0 else 0.0
        rest = self.in_X - scale * self.in_Z
        whole = float(self.in_X @ self.in_X)
        return float(np.sqrt((rest @ rest) / whole)) if whole > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Shepard:
    """Two log-binned histograms over the same bins, rows are distances in X, columns distances in
    the embedding.

    edges_X, edges_Z : (B + 1,). local : (B, B) counts of pairs of neighbors. spread : (B, B) of
    random pairs.
    """

    edges_X: NDArray
    edges_Z: NDArray
    local: NDArray[np.uint32]
    spread: NDArray[np.uint32]


def random_pairs(
    X: NDArray, Z: NDArray, *, seed: int, count: int = N_PAIRS, given: Given | None = None
) -> Distances:
    """Distances of random pairs of different rows; of all pairs where there are no more than
    `count`.

    given : distances in place of those between rows of X.
    """
    n = len(X)
    if n * (n - 1) // 2 <= count:
        first, second = np.triu_indices(n, 1)
    else:
        rng = np.random.default_rng(seed)
        first = rng.integers(0, n, count)
        second = (first + rng.integers(1, n, count)) % n
    in_X = pair_distances(X, first, second) if given is None else given.of(first, second)
    return Distances(in_X, pair_distances(Z, first, second))


def neighbor_pairs(
    Z: NDArray, idx: NDArray, dist: NDArray, *, seed: int, count: int = 2 * N_PAIRS
) -> Distances:
    """Distances of neighbors in X (idx, dist: (N, k)), all or `count` random ones of them."""
    chosen = np.arange(idx.size)
    if idx.size > count:
        chosen = np.sort(np.random.default_rng(seed).choice(idx.size, count, replace=False))
    rows = chosen // idx.shape[1]
    in_Z = pair_distances(Z, rows, idx.ravel()[chosen])
    return Distances(dist.ravel()[chosen].astype(np.float64), in_Z)


def shepard(local: Distances, spread: Distances) -> Shepard:
    """The diagram of both kinds of pairs."""
    edges_X, edges_Z = (
        _edges(np.concatenate([getattr(local, side), getattr(spread, side)]))
        for side in ("in_X", "in_Z")
    )
    found = [
        np.histogram2d(
            np.clip(pairs.in_X, edges_X[0], edges_X[-1]),
            np.clip(pairs.in_Z, edges_Z[0], edges_Z[-1]), bins=(edges_X, edges_Z),
        )[0].astype(np.uint32)
        for pairs in (local, spread)
    ]
    return Shepard(edges_X, edges_Z, found[0], found[1])


def mean_ranks(values: NDArray) -> NDArray:
    """(N,) float64 ranks from 0; equal values share the mean of theirs."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    counts = np.diff(np.concatenate([starts, [len(values)]]))
    out = np.empty(len(values))
    out[order] = np.repeat(starts + (counts - 1) / 2, counts)
    return out


def _correlation(a: NDArray, b: NDArray) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(np.clip((a @ b) / size, -1, 1)) if size > 0 else float("nan")


def _edges(values: NDArray) -> NDArray:
    """Even in the logarithm, from the shortest distances (but for one in a thousand) to the
    longest."""
    top = float(values.max(initial=0.0)) or 1.0
    some = values[values > 0]
    low = float(np.quantile(some, _SHORTEST)) if len(some) else top
    return np.geomspace(np.clip(low, top / _RANGE, top / 2), top, _BINS + 1)


def pair_distances(X: NDArray, first: NDArray, second: NDArray) -> NDArray:
    """(P,) float64 Euclidean distances of pairs of rows."""
    return np.sqrt(squared_distances(X, first, second))
