"""Approximate nearest neighbors of large N: neighbors of neighbors are likely neighbors (Dong,
Moses and Li 2011).

The start are the leaves of random projection trees. Then, round by round, the rows of a leaf are
compared with the neighbors of their neighbors. Ours differs from the published descent in that a
whole leaf is compared with the union of its members' candidates by one matrix product, every row
reading the lists of the round before: that is faster than pair by pair, and the result depends
neither on the number of threads nor on their timing.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.neighbors import exact
from emberscope.neighbors.joins import join_leaves, join_neighbors, nearest_known, plant, settle
from emberscope.neighbors.threads import each, thread_pool

_TREES = 8
_LEAF = 128
_LINES = 16  # directions of most spread that the trees look at
_ROUNDS = 2
_MORE_ROUNDS = 3  # each looking half as far again, up to k, while the recall is too low
_PROBES = 500
_WANTED = 0.95
_HOPELESS = 0.8  # after two rounds; then neighbors of neighbors tell little, as in pure noise
# rows up to which the exact search takes over where all rounds did not reach what is wanted
_SEARCH_ALL = 100_000
_SEED = 1


@dataclass(frozen=True, slots=True)
class Found:
    """idx (N, k), squared distances (N, k), sorted by (distance, index); share of true neighbors in
    a sample."""

    idx: NDArray[np.int32]
    dist2: NDArray[np.float64]
    recall: float


@dataclass(frozen=True, slots=True)
class _Lists:
    """The heaps of `joins`, the rows they are about, and the threads that work on them."""

    X: exact.Prepared
    keys: NDArray[np.float32]
    ids: NDArray[np.int32]
    size: int
    pool: ThreadPoolExecutor
    check: Callable[[], None]

    def over_leaves(
        self, work: Callable[..., None], order: NDArray, ends: NDArray, *more: NDArray
    ) -> None:
        step = int(np.clip(20_000 // self.X.values.shape[1], 1, max(1, len(ends) // 16)))
        todo = partial(work, self.X.values, order, ends)
        tasks = [
            (part.start, part.stop, self.size, *more, self.keys, self.ids)
            for part in exact.blocks(len(ends), step)
        ]
        each(self.pool, todo, tasks, self.check)


def descend(X: NDArray, k: int, monitor: Monitor) -> Found:
    """The k rows of X nearest to each row, found with high probability; the recall is that of 500
    random rows.

    Two rounds usually find 97 of 100; where they do not find 95, up to three more look farther, and
    where these do not either the search is exact up to 100 000 rows. The number of products grows
    as N k; memory 8 N k bytes beside the result.
    """
    probe = np.sort(np.random.default_rng(_SEED).choice(len(X), min(_PROBES, len(X)),
                                                        replace=False))
    ready = exact.prepare(X)
    asked = np.ascontiguousarray(X[probe])
    truth = exact.search(X, asked, k, probe, Portion(monitor, 0.0, 0.05), prepared=ready)[1]
    with thread_pool() as pool:
        # A list wants k entries from one tree already: leaves of twice that. Several trees, because
        # a cut separates some near rows in each, and seldom the same ones in all. They start the
        # lists; the rounds that follow go from neighbor to neighbor, which needs a start that is
        # right here and there, not everywhere.
        size = max(_LEAF, 2 * k)
        lists = _Lists(ready, *_empty(len(X), k), size, pool,
                       lambda: monitor.step(0.2, "Searching neighbors"))
        lines = _lines(ready)
        trees = each(pool, plant, [(lines, size, seed) for seed in range(1, _TREES + 1)],
                     lists.check)
        for tree in trees:
            lists.over_leaves(join_leaves, *tree)
        known = np.empty((len(X), 0), np.int32)
        # How many neighbors of each row a round goes through: the work grows as its square, what is
        # found with k and N. A rule of thumb to start with, no guarantee; the recall of the sample
        # is, and where that is too low the next round reaches half as far again.
        reach = min(k, max(1, round(np.sqrt(k) + np.log2(len(X)) - 9.5)))
        for done in range(_ROUNDS + _MORE_ROUNDS):
            monitor.step(0.4 + 0.1 * done, "Searching neighbors")
            known = _round(lists, trees[done], known, reach)
            if done + 1 >= _ROUNDS:
                recall = _recall(X, asked, lists.ids[probe], truth)
                if reach == k or not _HOPELESS <= recall < _WANTED:
                    break
                reach = min(k, 3 * reach // 2)
        if recall >= _WANTED or len(X) > _SEARCH_ALL:
            return _result(X, lists, recall, monitor)
    return Found(*exact.search(X, X, k, np.arange(len(X)), Portion(monitor, 0.8, 1.0),
                               prepared=ready), 1.0)


def _empty(n: int, k: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    return np.full((n, k), np.inf, np.float32), np.full((n, k), -1, np.int32)


def _lines(ready: exact.Prepared) -> NDArray[np.float32]:
    """Rows along their directions of most spread, by subspace iteration on some of them."""
    X = ready.values
    if X.shape[1] <= _LINES:
        return X
    rng = np.random.default_rng(_SEED)
    some = X[np.sort(rng.choice(len(X), min(len(X), 4096), replace=False))]
    some = some - some.mean(axis=0)
    axes = rng.normal(size=(X.shape[1], _LINES)).astype(np.float32)
    # Cuts of a tree need directions in which rows differ, not all features: 16 products per row
    # instead of D, and no noise from features that hardly vary. Two steps of subspace iteration on
    # 4096 rows find the span; cuts are random lines within it anyway.
    for _ in range(2):
        axes = np.linalg.qr(some.T @ (some @ axes))[0]
    return np.concatenate([X[part] @ axes for part in exact.blocks(len(X), 2048)])


def _round(
    lists: _Lists, tree: tuple[NDArray, NDArray], before: NDArray, reach: int
) -> NDArray[np.int32]:
    """Neighbors of neighbors, `reach` of each; returns what was known."""
    # The lists change while the leaves are worked on, in parallel. What a round goes through is
    # therefore copied first: the result then does not depend on which thread is ahead. `before`
    # tells which of the neighbors are new, so that pairs of two old ones are not offered again.
    n = len(before)
    known, fresh = np.empty((n, reach), np.int32), np.empty((n, reach), np.bool_)
    tasks = [(lists.keys[p], lists.ids[p], before[p], known[p], fresh[p])
             for p in exact.blocks(n, 4096)]
    each(lists.pool, nearest_known, tasks, lists.check)
    lists.over_leaves(join_neighbors, *tree, known, fresh)
    return known


def _recall(X: NDArray, asked: NDArray, ids: NDArray, truth: NDArray) -> float:
    """Share of entries no farther than the true k-th neighbor: of several at the same distance any
    will do."""
    _, dist2 = _settled(X, asked, 0, ids)
    return float((dist2 <= truth[:, -1:]).mean())


def _settled(
    X: NDArray, Q: NDArray, first: int, ids: NDArray
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    idx, dist2 = np.empty(ids.shape, np.int32), np.empty(ids.shape)
    settle(X, Q, first, ids, idx, dist2)
    return idx, dist2


def _result(X: NDArray, lists: _Lists, recall: float, monitor: Monitor) -> Found:
    idx, dist2 = lists.ids, np.empty(lists.ids.shape)
    parts = exact.blocks(len(X), max(1, (1 << 22) // lists.ids.shape[1] // X.shape[1]))
    tasks = [(X, X, p.start, lists.ids[p].copy(), idx[p], dist2[p]) for p in parts]
    each(lists.pool, settle, tasks, lambda: monitor.step(0.95, "Searching neighbors"))
    # Rows far from all others may have met fewer than k: no leaf and no neighbor of a neighbor led
    # to them. They are few, and the exact search of those alone costs little, so that every list is
    # full whatever the data.
    short = np.flatnonzero(idx[:, -1] < 0)
    if len(short):
        idx[short], dist2[short] = exact.search(X, X[short], idx.shape[1], short, monitor,
                                                prepared=lists.X)
    return Found(idx, dist2, recall)
