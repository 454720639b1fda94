"""PaCMAP: near, mid-near and far pairs, weighted in three phases."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, slices
from emberscope.base.param import RANDOM_STATE, param
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.layout.neighbor_layout import (
    INIT,
    LAYOUT_COMPONENTS,
    LAYOUT_NEIGHBORS,
    N_EPOCHS,
    SUPERVISION,
    NeighborLayout,
)
from emberscope.embedding.layout.sgd import Edges, Force, adapt, shuffled
from emberscope.embedding.measured import Measured
from emberscope.neighbors import threads
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors

_MORE = 50  # neighbors looked at beyond those kept
_AROUND = slice(3, 6)  # 4th to 6th neighbor: the local scale
_DRAWN = 6  # others looked at for a mid-near pair; the second nearest is taken
_STEPS = 450  # in print 100 + 100 + 250
_SHARES = (0.22, 0.44)  # of all steps, at which the second and the third phase begin
_STAGES = 10  # weights the first phase goes through
_NEAR, _MID = 20.0, 20_000.0  # 2 * 10 and 2 * 10 000: derivatives of the losses
_NEAR_REACH, _MID_REACH = 11.0, 10_001.0
_FORCE = Force(squared=True)
_BLOCK = 4096


class PaCMAP(Measured, NeighborLayout):
    """Draw near pairs together, at first mid-near pairs as well, and random pairs apart.

    The mid-near pairs give the embedding its large shape before neighbors settle;
    it starts from principal components.

    Notes
    -----
    Wang, Huang, Rudin and Shaposhnik 2021. Near: of the n_neighbors + 50 nearest those with least
    d² / (s_i s_j), s the mean distance to the 4th to 6th neighbor. Mid-near: the second nearest of
    6 random others. Losses d/(10 + d), d/(10 000 + d) and 1/(1 + d) of d = 1 + |z|²; weights
    (2, 1000 to 3, 1), (3, 3, 1), (1, 0, 1) in 22, 22 and 56 % of the steps, Adam at rate 1, as in
    print; but the far pairs, `far_ratio` n_neighbors per instance, are drawn anew at every step (64
    are drawn and weighted) instead of once. Cost beside the search (k = n_neighbors + 50): O(steps
    N (3 k + 64) + 30 N D).
    """

    n_components: int = LAYOUT_COMPONENTS
    n_neighbors: int = replace(LAYOUT_NEIGHBORS, default=10)
    mid_near_ratio: float = param(
        0.5, low=0, high=10, title="Mid-near pairs", group="Graph", advanced=True,
        help="Mid-near pairs per near pair; they keep the large shape.",
    )
    far_ratio: float = param(
        2.0, low=0, open_low=True, high=20, title="Far pairs", group="Computation", advanced=True,
        help="Far pairs per near pair; they repel.",
    )
    n_epochs: int | None = replace(
        N_EPOCHS,
        auto="450; 10 where an earlier embedding goes on",
        help="Steps of the three phases.",
    )
    init: str = replace(
        INIT, default="pca", choices=("pca", "random"),
        help="Where instances are before the first step: at their principal components, or "
        "anywhere.",
    )
    supervision: float = SUPERVISION
    random_state: int = RANDOM_STATE

    @property
    def _k(self) -> int:
        return self.n_neighbors

    def _affinities(
        self, U: NDArray, distinct: Distinct, watch: Monitor
    ) -> tuple[Neighbors, csr_array]:
        neighbors = self._neighbors(U, min(self.n_neighbors + _MORE, len(U) - 1), watch,
                                    self._given_among(distinct))
        watch.step(1.0, "Near pairs")
        near = near_pairs(neighbors, min(self.n_neighbors, neighbors.k))
        n, k = near.shape
        A = csr_array((np.ones(n * k, np.float32), near.flatten(), np.arange(0, n * k + 1, k)),
                      shape=(n, n))
        W = csr_array(A + A.T)
        W.sort_indices()
        return neighbors, W

    def _cold(
        self, W: csr_array, U: NDArray, given: Distances | None, watch: Monitor,
        restore: Callable[[NDArray], NDArray]
    ) -> NDArray:
        """The three phases, from principal components."""
        self._note_parts(W)
        watch.step(0.0, "Start")
        rng = np.random.default_rng(self.random_state)
        start = rng.standard_normal(
            (len(U), self.n_components)
        ) if self.init == "random" else self._pca_start(U, 1.0)
        watch.step(0.1, "Mid-near pairs")
        n_mid = round(self.n_neighbors * self.mid_near_ratio)
        mid = mid_near_pairs(U, n_mid, seed=self.random_state, distances=given)
        steps = self.n_epochs or _STEPS
        show = Previews(Portion(watch, 0.2, 1.0), restore, U.dtype, total=steps)
        plan = phases(steps)
        forces: dict[int, Edges] = {}

        def acting(step: int) -> Edges:
            first, _, near_weight, mid_weight = next(run
                                                     for run in reversed(plan) if run[0] <= step)
            if first not in forces:
                forces.clear()
                forces[first] = self._pairs(W, near_weight, mid if mid_weight else None, mid_weight)
            return forces[first]

        return adapt(start, acting, _FORCE, steps, seed=self.random_state, show=show.show)

    def _forces(self, W: csr_array) -> tuple[Edges, Force]:
        """Those of the last phase."""
        return self._pairs(W, 1.0, None, 0.0), _FORCE

    def _edges_of_new(self, neighbors: Neighbors, n: int) -> tuple[Edges, Force]:
        m, k = neighbors.idx.shape
        W = csr_array((np.ones(m * k, np.float32), neighbors.idx.flatten(),
                       np.arange(0, m * k + 1, k)), shape=(m, n))
        return self._forces(W)

    def _pairs(
        self, W: csr_array, near_weight: float, mid: csr_array | None, mid_weight: float
    ) -> Edges:
        """Draw near pairs, which weigh 1 in W where both list each other and 1/2 where one does,
        and mid-near pairs; each stands at both its ends."""
        near = csr_array((2 * near_weight * _NEAR * W.data, W.indices, W.indptr), shape=W.shape)
        reach = csr_array((np.full(W.nnz, _NEAR_REACH), W.indices, W.indptr), shape=W.shape)
        if mid is not None:
            near, reach = _both(near, mid_weight * _MID * mid), _both(reach, _MID_REACH * (mid > 0))
        # Far pairs repel both ends too, with derivative 2 / (1 + d)².
        repel = np.full(W.shape[0], 2 * 2 * self.far_ratio * self.n_neighbors, np.float32)
        return Edges(
            near.indptr.astype(np.int64), near.indices.astype(np.int32),
            near.data.astype(np.float32), repel,
            shuffled(W.shape[1], self.random_state), reach.data.astype(np.float32),
        )  # fmt: skip


def phases(steps: int) -> list[tuple[int, int, float, float]]:
    """Runs of steps with constant weights: (first, last, near weight, mid-near weight)."""
    second, third = (round(share * steps) for share in _SHARES)
    cuts = np.unique(np.linspace(0, second, _STAGES + 1).round().astype(int))
    runs = [(int(a), int(b), 2.0, 1000 + (3 - 1000) * a / max(second, 1))
            for a, b in pairwise(cuts)]
    runs += [(second, third, 3.0, 3.0), (third, steps, 1.0, 0.0)]
    return [run for run in runs if run[1] > run[0]]


def near_pairs(neighbors: Neighbors, k: int) -> NDArray[np.int32]:
    """Of each row's neighbors, the k with least d² / (s_i s_j), (N, k)."""
    scale = neighbors.dist[:, _AROUND].mean(
        axis=1, dtype=np.float64
    ) if neighbors.k > _AROUND.start else None
    if scale is None or neighbors.k <= k:
        return neighbors.idx[:, :k]
    scale = np.maximum(scale, 1e-10 * scale.max())
    out = np.empty((len(neighbors.idx), k), np.int32)
    for part in slices(len(out), _BLOCK):
        idx = neighbors.idx[part]
        relative = neighbors.dist[part].astype(np.float64) ** 2 / (scale[part, None] * scale[idx])
        order = np.argsort(relative, axis=1, kind="stable")[:, :k]
        out[part] = np.take_along_axis(idx, order, axis=1)
    return out


def mid_near_pairs(
    X: NDArray, n_pairs: int, *, seed: int, distances: Distances | None = None
) -> csr_array | None:
    """How often (N, N), symmetric, a pair was drawn:
    per row `n_pairs` times the second nearest of 6 random others.

    distances : between the rows, in place of those of X.
    """
    n = len(X)
    if not n_pairs or n < _DRAWN:
        return None
    found = np.empty((n, n_pairs), np.int32)
    scaled = X if X.dtype == np.float32 and np.abs(X[:_BLOCK]).max() < 1e15 else X / np.abs(X).max()

    def draw(first: int) -> None:
        rows = np.arange(first, min(first + _BLOCK, n))
        drawn = _drawn(seed, first, len(rows), n_pairs, n)
        squared = _squared(
            scaled, first, drawn
        ) if distances is None else distances.squared[rows[:, None, None], drawn]
        second = np.argsort(squared, axis=2, kind="stable")[:, :, 1:2]
        found[rows] = np.take_along_axis(drawn, second, axis=2)[:, :, 0]

    with threads.thread_pool() as pool:
        list(pool.map(draw, range(0, n, _BLOCK)))
    A = csr_array((np.ones(found.size), found.ravel(), np.arange(0, found.size + 1, n_pairs)),
                  shape=(n, n))
    return csr_array(A + A.T)


def _both(near: csr_array, mid: csr_array) -> csr_array:
    """Edges of both side by side, row by row; a pair that is in both is there twice."""
    n = near.shape[0]
    rows = np.concatenate([np.repeat(np.arange(n), np.diff(A.indptr)) for A in (near, mid)])
    order = np.argsort(rows, kind="stable")
    indptr = near.indptr.astype(np.int64) + mid.indptr
    data, indices = (
        np.concatenate([near.data, mid.data]), np.concatenate([near.indices, mid.indices])
    )
    return csr_array((data[order], indices[order], indptr), shape=near.shape)


@njit(cache=True, nogil=True)
def _drawn(seed: int, first: int, rows: int, n_pairs: int, n: int) -> NDArray:
    """(rows, n_pairs, 6) others of rows first, first + 1, ...
    of n, drawn by a hash of seed, row and draw."""
    out = np.empty((rows, n_pairs, 6), np.int32)
    for row in range(rows):
        i = first + row
        for pair in range(n_pairs):
            for c in range(6):
                h = np.uint32(seed) ^ np.uint32(np.uint32(i) * np.uint32(0x9E3779B9))
                h = np.uint32(h + np.uint32(np.uint32(6 * pair + c) * np.uint32(0x85EBCA6B)))
                h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D))
                h = np.uint32((h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B))
                h = np.uint32(h ^ (h >> np.uint32(16)))
                j = np.int64((np.uint64(h) * np.uint64(n - 1)) >> np.uint64(32))
                out[row, pair, c] = j + 1 if j >= i else j
    return out


@njit(cache=True, nogil=True)
def _squared(X: NDArray, first: int, drawn: NDArray) -> NDArray:
    """Squared distances of rows first, first + 1, ...
    of X to what was drawn for each, of its shape."""
    out = np.empty(drawn.shape, np.float64)
    for row in range(drawn.shape[0]):
        for pair in range(drawn.shape[1]):
            for c in range(drawn.shape[2]):
                total = 0.0
                for f in range(X.shape[1]):
                    offset = X[first + row, f] - X[drawn[row, pair, c], f]
                    total += offset * offset
                out[row, pair, c] = total
    return out
