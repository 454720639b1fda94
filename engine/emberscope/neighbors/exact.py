"""Exact nearest neighbors by blocks of matrix products, proven against rounding."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.neighbors.crew import crew, each, size
from emberscope.neighbors.joins import join, settle, settle_again

SPARE = 8  # entries beyond k, so that rounding in the matrix products can hardly hide a neighbor
_BLOCK = 512  # rows; a block of products (1 MB) stays in the second-level cache
_VALUES = 1 << 22  # of a block, for very many features
_TILES = 4  # pairs of blocks per task, about 5 ms
_CLIP = 1e15  # what lies farther is pulled in, which only shortens distances: they remain lower bounds
_SAMPLE = 1024


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows in float32, near the origin and of ordinary size, so that products keep their digits.

    values : (N, D) float32, (X - center) * scale, or X itself where that is good enough. norms : (N,) float32, squared.
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
    spread = np.median(np.square(some - center).sum(axis=1)) or np.square(some - center).sum(axis=1).max()
    plain = X.dtype == np.float32 and center @ center <= 4 * spread and 1e-10 < spread < 1e10
    if plain and X.min() > -_CLIP and X.max() < _CLIP:
        return Prepared(X, _norms(X), np.zeros(X.shape[1]), 1.0)
    scale = 2.0 ** -round(np.log2(spread) / 2) if spread > 0 else 1.0
    return Prepared(np.empty((0, X.shape[1]), np.float32), np.empty(0, np.float32), center, scale).alike(X)


def blocks(n: int, rows: int) -> list[slice]:
    """Consecutive slices of at most that many rows."""
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def search(
    X: NDArray, Q: NDArray, k: int, exclude: NDArray, monitor: Monitor, *, prepared: Prepared | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The k rows of X nearest to each row of Q but `exclude` (M,) (-1 = none): indices, squared distances.

    Where Q is X every product serves both of its rows, which halves the work.
    """
    same = Q is X
    X = np.require(X, requirements=["C", "W"])  # kernels are compiled for arrays that can be written only
    Q = X if same else np.require(Q, np.result_type(X, Q), ["C", "W"])
    ready = prepare(X) if prepared is None else prepared
    asked = ready if same else ready.alike(Q)
    m = min(k + SPARE, len(X) - int(len(exclude) > 0 and exclude[0] >= 0))
    keys = np.full((len(Q), m), np.inf, np.float32)
    ids = np.full((len(Q), m), -1, np.int32)
    with crew() as pool:
        numbers = np.arange(max(len(X), len(Q)), dtype=np.int32)
        work = partial(_join, ready, asked, exclude.astype(np.int32), numbers, keys, ids, same)
        rounds = list(_within(len(X), _rows(X)) if same else _across(len(X), len(Q), _rows(X)))
        for done, pairs in enumerate(rounds):
            tasks = [(pairs[i : i + _TILES],) for i in range(0, len(pairs), _TILES)]
            each(pool, work, tasks, partial(monitor.step, 0.95 * done / len(rounds), "Searching neighbors"))
        return _settled(X, Q, k, exclude, (ready, asked), keys, ids, pool, monitor)


def _rows(X: NDArray) -> int:
    return int(np.clip(_VALUES // max(X.shape[1], 1) // 64 * 64, 64, _BLOCK))


def _within(n: int, rows: int) -> Iterator[list[tuple[slice, slice]]]:
    """Every pair of blocks once. In a round no block comes twice, so that no two threads touch the same lists."""
    parts = blocks(n, rows)
    yield [(part, part) for part in parts]
    ring = [*parts, *([None] if len(parts) % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        yield [(a, b) for a, b in zip(ring[:half], ring[:half - 1:-1], strict=True) if a is not None and b is not None]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _across(n: int, n_asked: int, rows: int) -> Iterator[list[tuple[slice, slice]]]:
    """Every block of queries against every block of rows."""
    share = -(-n_asked // size())
    for b in blocks(n, rows):
        yield [(a, b) for a in blocks(n_asked, max(1, min(rows, share)))]


def _join(
    ready: Prepared, asked: Prepared, exclude: NDArray, numbers: NDArray, keys: NDArray, ids: NDArray, same: bool,
    pairs: list[tuple[slice, slice]],
) -> None:  # fmt: skip
    for a, b in pairs:
        both = same and a.start != b.start
        join(
            asked.values[a], ready.values[b], asked.norms[a], ready.norms[b], numbers[a], exclude[a], numbers[b],
            keys, ids, both,
        )  # fmt: skip


def _settled(X, Q, k, exclude, prepared, keys, ids, pool, monitor):  # type: ignore[no-untyped-def]
    """True distances and order; rows whose k-th neighbor the rounding could have hidden are searched again."""
    ready, asked = prepared
    idx = np.empty((len(Q), k), np.int32)
    dist2 = np.empty((len(Q), k))
    parts = blocks(len(Q), max(1, _VALUES // (ids.shape[1] * X.shape[1])))
    tasks = [(X, Q, part.start, ids[part], idx[part], dist2[part]) for part in parts]
    each(pool, settle, tasks, lambda: monitor.step(0.95, "Searching neighbors"))
    if ids.shape[1] < len(X) - int(len(exclude) > 0 and exclude[0] >= 0):
        doubtful = np.flatnonzero(~_safe(ready, asked, keys[:, 0], dist2[:, -1]))
        for part in blocks(len(doubtful), _rows(X)):
            monitor.step(0.95, "Searching neighbors")
            _again(X, Q, doubtful[part], exclude, ready, idx, dist2, monitor)
    return idx, dist2


def _safe(ready: Prepared, asked: Prepared, beyond: NDArray, limit: NDArray) -> NDArray[np.bool_]:
    """Whether every row left out is farther away than `limit` (squared), rounding included.

    A row longer than |q| + limit is farther anyway, so the error bound need not reach that far.
    """
    limit = limit * ready.scale**2
    q2 = asked.norms.astype(np.float64)
    q = np.sqrt(q2)
    longest = np.minimum(np.sqrt(float(ready.norms.max(initial=0.0))), (q + np.sqrt(limit)) * 1.001)
    n_features = ready.values.shape[1]
    unit = np.finfo(np.float32).eps / 2
    error = unit * (2 * (n_features + 4) * q * longest + 8 * (q + longest) ** 2) + 1e-30
    return np.isfinite(limit) & (limit < q2 + beyond - error)


def _again(X, Q, rows, exclude, ready, idx, dist2, monitor):  # type: ignore[no-untyped-def]
    """Direct distances to every row that is not safely beyond the k-th known neighbor, by products in float64."""
    own = ready.precise(Q[rows])
    own_norms = np.square(own).sum(axis=1)
    limit = dist2[rows, -1] * ready.scale**2
    slack = (2 * X.shape[1] + 32) * np.finfo(np.float64).eps
    found, found2 = np.empty((len(rows), idx.shape[1]), np.int32), np.empty((len(rows), idx.shape[1]))
    held = np.zeros(len(rows), np.int64)
    for b in blocks(len(X), _rows(X)):
        monitor.step(0.95, "Searching neighbors")
        there = ready.precise(X[b])
        settle_again(
            X, Q, rows, exclude[rows], own @ there.T, own_norms, np.square(there).sum(axis=1), b.start, limit,
            slack, found, found2, held,
        )  # fmt: skip
    idx[rows], dist2[rows] = found, found2


def _norms(values: NDArray) -> NDArray[np.float32]:
    out = np.empty(len(values), np.float32)
    for part in blocks(len(values), 4 * _BLOCK):
        out[part] = np.square(values[part], dtype=np.float64).sum(axis=1)
    return out
