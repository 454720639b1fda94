"""Exact nearest neighbors by blocks of matrix products, proven against rounding."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.neighbors.joins import join, settle, settle_again
from emberscope.neighbors.threads import each, thread_count, thread_pool

SPARE = 8  # entries beyond k, so that rounding in the matrix products can hardly hide a neighbor
_BLOCK = 512  # rows; a block of products (1 MB) stays in the second-level cache
_VALUES = 1 << 22  # of a block, for very many features
_DISTANCES = 1 << 24  # per task, where they are in float64
_TILES = 4  # pairs of blocks per task, about 5 ms
# what lies farther is pulled in, which only shortens distances: they remain lower bounds
_CLIP = 1e15
_SAMPLE = 1024
_MESSAGE = "Searching neighbors"


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows in float32, near the origin and of ordinary size, so that products keep their digits.

    values : (N, D) float32, (X - center) * scale, or X itself where that is good enough. norms :
    (N,) float32, squared.
    center : (D,) float64. scale : float, a power of two.
    """

    values: NDArray[np.float32]
    norms: NDArray[np.float32]
    center: NDArray[np.float64]
    scale: float

    def alike(self, Q: NDArray) -> "Prepared":
        """Other rows, prepared in the same way."""
        as_it_is = Q.dtype == np.float32 and self.scale == 1 and not self.center.any()
        values = Q if as_it_is else self._moved(Q)
        return Prepared(values, _norms(values), self.center, self.scale)

    def precise(self, Q: NDArray) -> NDArray[np.float64]:
        """The same in float64, for a few rows."""
        return (Q - self.center) * self.scale

    def _moved(self, Q: NDArray) -> NDArray[np.float32]:
        out = np.empty(Q.shape, np.float32)
        for part in blocks(len(Q), 4 * _BLOCK):
            out[part] = np.clip(self.precise(Q[part]), -_CLIP, _CLIP)
        return out


def prepare(X: NDArray) -> Prepared:
    """The center is the median of some rows: one row far away does not move it."""
    some = X[:: max(1, len(X) // _SAMPLE)].astype(np.float64)
    center = np.median(some, axis=0)
    spread = (np.median(np.square(some - center).sum(axis=1))
              or np.square(some - center).sum(axis=1).max())
    plain = X.dtype == np.float32 and center @ center <= 4 * spread and 1e-10 < spread < 1e10
    if plain and X.min() > -_CLIP and X.max() < _CLIP:
        return Prepared(X, _norms(X), np.zeros(X.shape[1]), 1.0)
    scale = 2.0 ** -round(np.log2(spread) / 2) if spread > 0 else 1.0
    return Prepared(np.empty((0, X.shape[1]), np.float32), np.empty(0, np.float32), center,
                    scale).alike(X)


def blocks(n: int, rows: int) -> list[slice]:
    """Consecutive slices of at most that many rows."""
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def search(
    X: NDArray, Q: NDArray, k: int, exclude: NDArray, monitor: Monitor, *,
    prepared: Prepared | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The k rows of X nearest to each row of Q but `exclude` (M,) (-1 = none): indices, squared
    distances.

    Where Q is X every product serves both of its rows, which halves the work.
    """
    same = Q is X
    # kernels are compiled for arrays that can be written only
    X = np.require(X, requirements=["C", "W"])
    Q = X if same else np.require(Q, np.result_type(X, Q), ["C", "W"])
    ready = prepare(X) if prepared is None else prepared
    available = len(X) - int(len(exclude) > 0 and exclude[0] >= 0)
    m = min(k + SPARE, available)
    keys, ids = np.full((len(Q), m), np.inf, np.float32), np.full((len(Q), m), -1, np.int32)
    idx, dist2 = np.empty((len(Q), k), np.int32), np.empty((len(Q), k))
    with thread_pool() as pool:
        asked = ready if same else ready.alike(Q)
        job = _Job(X, Q, exclude.astype(np.int32), ready, asked, keys, ids, idx, dist2, pool)
        job.find(monitor)
        job.settle(monitor)
        if m < available:
            job.look_again(monitor)
    return idx, dist2


@dataclass(frozen=True, slots=True)
class _Job:
    X: NDArray
    Q: NDArray
    exclude: NDArray[np.int32]
    ready: Prepared
    asked: Prepared
    keys: NDArray[np.float32]
    ids: NDArray[np.int32]
    idx: NDArray[np.int32]
    dist2: NDArray[np.float64]
    pool: ThreadPoolExecutor

    def find(self, monitor: Monitor) -> None:
        """Fill the lists."""
        n, rows = len(self.X), _rows(self.X)
        rounds = list(_within(n, rows) if self.asked is self.ready
                      else _across(n, len(self.Q), rows))
        numbers = np.arange(max(n, len(self.Q)), dtype=np.int32)
        for done, pairs in enumerate(rounds):
            each_one = max(1, min(_TILES, len(pairs) // (2 * thread_count())))
            tasks = [(numbers, pairs[i : i + each_one]) for i in range(0, len(pairs), each_one)]
            each(self.pool, self._join, tasks,
                 partial(monitor.step, 0.95 * done / len(rounds), _MESSAGE))

    def _join(self, numbers: NDArray[np.int32], pairs: list[tuple[slice, slice]]) -> None:
        for a, b in pairs:
            both = self.asked is self.ready and a.start != b.start
            join(
                self.asked.values[a], self.ready.values[b], self.asked.norms[a],
                self.ready.norms[b], numbers[a], self.exclude[a], numbers[b], self.keys, self.ids,
                both,
            )  # fmt: skip

    def settle(self, monitor: Monitor) -> None:
        """True distances, and the order they give."""
        parts = blocks(len(self.Q), max(1, _VALUES // (self.ids.shape[1] * self.X.shape[1])))
        tasks = [(self.X, self.Q, p.start, self.ids[p], self.idx[p], self.dist2[p]) for p in parts]
        each(self.pool, settle, tasks, partial(monitor.step, 0.95, _MESSAGE))

    def look_again(self, monitor: Monitor) -> None:
        """Search the rows again whose k-th neighbor the rounding could have hidden."""
        doubtful = np.flatnonzero(~self._safe())
        parts = blocks(len(doubtful), int(np.clip(_DISTANCES // len(self.X), 16, _BLOCK)))
        each(self.pool, self._again, [(doubtful[p],) for p in parts],
             partial(monitor.step, 0.97, _MESSAGE))

    def _safe(self) -> NDArray[np.bool_]:
        """Whether every row left out is farther away than the k-th found, rounding included.

        A row longer than |q| + that distance is farther anyway, so the error bound need not reach
        beyond.
        """
        limit = self.dist2[:, -1] * self.ready.scale**2
        q = np.sqrt(self.asked.norms.astype(np.float64))
        longest = np.minimum(np.sqrt(float(self.ready.norms.max())), (q + np.sqrt(limit)) * 1.001)
        unit = np.finfo(np.float32).eps / 2
        error = unit * (2 * (self.X.shape[1] + 4) * q * longest + 8 * (q + longest) ** 2) + 1e-30
        return np.isfinite(limit) & (limit < self.keys[:, 0] - error)

    def _again(self, rows: NDArray[np.int64]) -> None:
        """Direct distances to every row that is not safely beyond the k-th found, by products in
        float64."""
        own, exclude = self.ready.precise(self.Q[rows]), self.exclude[rows]
        limit = self.dist2[rows, -1] * self.ready.scale**2
        slack = (2 * self.X.shape[1] + 32) * np.finfo(np.float64).eps
        idx, dist2 = self.idx[rows], self.dist2[rows]
        held = np.zeros(len(rows), np.int64)
        for b in blocks(len(self.X), _rows(self.X)):
            there = self.ready.precise(self.X[b])
            norms = np.square(own).sum(axis=1), np.square(there).sum(axis=1)
            settle_again(
                self.X, self.Q, rows, exclude, own @ there.T, *norms, b.start, limit, slack, idx,
                dist2, held
            )  # fmt: skip
        self.idx[rows], self.dist2[rows] = idx, dist2


def _rows(X: NDArray) -> int:
    return int(np.clip(_VALUES // max(X.shape[1], 1) // 64 * 64, 64, _BLOCK))


def _within(n: int, rows: int) -> Iterator[list[tuple[slice, slice]]]:
    """Every pair of blocks once. In a round no block comes twice, so that no two threads touch the
    same lists."""
    parts = blocks(n, rows)
    yield [(part, part) for part in parts]
    ring = [*parts, *([None] if len(parts) % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        yield [(a, b) for a, b in zip(ring[:half], ring[:half - 1:-1], strict=True)
               if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _across(n: int, n_asked: int, rows: int) -> Iterator[list[tuple[slice, slice]]]:
    """Every block of queries against every block of rows."""
    share = -(-n_asked // thread_count())
    for b in blocks(n, rows):
        yield [(a, b) for a in blocks(n_asked, max(1, min(rows, share)))]


def _norms(values: NDArray) -> NDArray[np.float32]:
    out = np.empty(len(values), np.float32)
    for part in blocks(len(values), 4 * _BLOCK):
        out[part] = np.square(values[part], dtype=np.float64).sum(axis=1)
    return out
