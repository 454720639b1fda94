"""Growing neural gas: a graph that grows into the data, then is drawn."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from emberscope.bags.model import Bags
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.distance.mds import classical_scaling
from emberscope.embedding.distance.pairs import squared_distances
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.embedding.principal.lattice import nearest_nodes
from emberscope.neighbors.geodesics import geodesics

_BATCH = 2000  # inputs between two reports
_NEAR = 3  # nodes that place an instance


class GrowingNeuralGas(Nonlinear):
    """Grow a graph of prototypes into the data; draw the graph by distances along it,
    and instances among its nodes.

    Attributes
    ----------
    prototypes_ : (K, D). edges_ : (E, 2) of the graph.
        node_places_ : (K, d) where the nodes are drawn.
    part_ : (K,) connected part of each node, before parts are joined for the embedding.
    distance_ : (N,) quantization error of each training instance.
        history_ : mean squared error per report, falling.

    Notes
    -----
    Fritzke 1994: the winner moves by 0.05, its neighbors by 0.0006, edges older than `max_age` go,
    every `insert_every` inputs a node is added where the error is largest. The graph has no
    coordinates: nodes are drawn by classical scaling of distances along it (parts joined by their
    shortest links), instances by non-negative weights of their 3 nearest nodes. No proof of
    convergence. O(inputs K D), independent of N.
    """

    n_components: int = replace(N_COMPONENTS, high=16)
    n_nodes: int | None = param(
        None, low=4, high=2000, title="Nodes", group="Graph",
        auto="a tenth of the instances, 10 to 300",
        help="Prototypes the graph may grow to.",
    )
    max_age: int = param(
        60, low=5, high=10_000, title="Age of an edge", unit="inputs", group="Graph", advanced=True,
        help="Edges that are not confirmed for so many inputs of their node are removed.",
    )
    insert_every: int = param(
        100, low=10, high=100_000, title="New node every", unit="inputs", group="Graph",
        advanced=True,
        help="Inputs between two new nodes.",
    )
    random_state: int = RANDOM_STATE
    state = (*Nonlinear.state, "prototypes_", "edges_", "node_places_", "part_", "distance_",
             "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Grow the graph, draw it, place the instances; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        most = self.n_nodes or int(np.clip(len(U) // 10, 10, 300))
        most = max(most, self.n_components + 2)
        watch.step(0.0, "Growing")
        self._grow(U, most, Portion(watch, 0.0, 0.8))
        self._draw(Portion(watch, 0.8, 0.95))
        winner = nearest_nodes(X.astype(np.float64), self.prototypes_)[0][:, 0]
        self.distance_ = np.linalg.norm(X - self.prototypes_[winner], axis=1)
        Z = reconstruct(self.prototypes_, self.node_places_, U.astype(np.float64), rule="idw",
                        n_neighbors=_NEAR)
        return self._finish(X, distinct, Z.coordinates)

    def _grow(self, X: NDArray, most: int, watch: Monitor) -> None:
        rng = np.random.default_rng(self.random_state)
        center, scale = X.mean(axis=0, dtype=np.float64), float(X.std(dtype=np.float64)) or 1.0
        data = np.ascontiguousarray((X - center) / scale, np.float32)
        W = np.zeros((most, X.shape[1]), np.float32)
        W[:2] = data[rng.choice(len(data), 2, replace=False)]
        age = np.full((most, most), -1, np.int32)
        error, alive = np.zeros(most), np.zeros(most, bool)
        alive[:2] = True
        total = int(1.5 * most * self.insert_every) + 10 * most
        done, history = 0, []
        while done < total:
            order = rng.integers(0, len(data), min(_BATCH, total - done))
            history.append(
                grow(data, order, W, age, error, alive, done, self.insert_every, self.max_age)
            )
            done += len(order)
            watch.step(done / total, f"Growing, {int(alive.sum())} nodes")
        kept = self._living(data, W, alive)
        self.prototypes_ = W[kept].astype(np.float64) * scale + center
        joined = age[np.ix_(kept, kept)] >= 0
        self.edges_ = np.argwhere(np.triu(joined, 1))
        self.part_ = connected_components(csr_array(joined), directed=False)[1].astype(np.int64)
        self.history_ = np.array(history) * scale**2
        if (parts := int(self.part_.max()) + 1) > 1:
            self.notes_.append(f"The graph has {parts} parts; the embedding joins them by their "
                               "shortest links.")

    @staticmethod
    def _living(X: NDArray, W: NDArray, alive: NDArray) -> NDArray[np.int64]:
        """Nodes nearest to some instance: between far parts pairs of nodes that never win keep
        their edge for ever."""
        rows = np.flatnonzero(alive)
        return rows[np.bincount(nearest_nodes(X, W[rows].astype(np.float64))[0][:, 0],
                                minlength=len(rows)) > 0]

    def _draw(self, watch: Monitor) -> None:
        K, d = len(self.prototypes_), self.n_components
        self.node_places_ = np.zeros((K, d))
        drawn = min(d, K - 1)
        if drawn < d:
            self.notes_.append(f"The graph has {K} nodes: {d - drawn} of {d} axes are empty. Allow "
                               "more nodes.")
        if not drawn:
            return
        far = np.sqrt(squared_distances(self.prototypes_, self.prototypes_, same=True))
        joined = np.zeros((K, K), bool)
        joined[self.edges_[:, 0], self.edges_[:, 1]] = True
        tree = minimum_spanning_tree(csr_array(far + 1e-12 * (far.max() + 1e-300))).tocoo()
        between = self.part_[tree.row] != self.part_[tree.col]
        joined[tree.row[between], tree.col[between]] = True
        joined |= joined.T
        lengths = csr_array(np.where(joined, np.maximum(far, 1e-12 * (far.max() + 1e-300)), 0.0))
        self.node_places_[:, :drawn] = classical_scaling(
            geodesics(lengths, monitor=watch), drawn
        )[1]


@njit(cache=True, nogil=True)
def grow(
    X: NDArray, order: NDArray, W: NDArray, age: NDArray, error: NDArray, alive: NDArray, done: int,
    insert_every: int, max_age: int,
) -> float:
    """Feed inputs `order` to the gas; `age` (K, K) is -1 where there is no edge.
    Returns their mean squared error."""
    K = len(W)
    total = 0.0
    for step in range(len(order)):
        x = X[order[step]]
        first, second, nearest, next_best = -1, -1, np.inf, np.inf
        for k in range(K):
            if not alive[k]:
                continue
            far = 0.0
            for i in range(len(x)):
                far += (x[i] - W[k, i]) ** 2
            if far < nearest:
                second, next_best = first, nearest
                first, nearest = k, far
            elif far < next_best:
                second, next_best = k, far
        total += nearest
        error[first] += nearest
        for i in range(len(x)):
            W[first, i] += np.float32(0.05) * (x[i] - W[first, i])
        for k in range(K):
            if age[first, k] < 0:
                continue
            for i in range(len(x)):
                W[k, i] += np.float32(0.0006) * (x[i] - W[k, i])
            age[first, k] += 1
            age[k, first] = age[first, k]
            if age[first, k] > max_age and k != second:
                age[first, k] = age[k, first] = -1
                alive[k] = age[k].max() >= 0
        age[first, second] = age[second, first] = 0
        if (done + step + 1) % insert_every == 0:
            _insert(W, age, error, alive)
        for k in range(K):
            error[k] *= 0.995
    return total / max(len(order), 1)


@njit(cache=True, nogil=True)
def _insert(W: NDArray, age: NDArray, error: NDArray, alive: NDArray) -> None:
    """A new node between the worst node and its worst neighbor, where there is room."""
    free, worst, beside = -1, -1, -1
    for k in range(len(alive)):
        if not alive[k]:
            if free < 0:
                free = k
        elif worst < 0 or error[k] > error[worst]:
            worst = k
    if free < 0 or worst < 0:
        return
    for k in range(len(alive)):
        if age[worst, k] >= 0 and (beside < 0 or error[k] > error[beside]):
            beside = k
    if beside < 0:
        return
    for i in range(W.shape[1]):
        W[free, i] = np.float32(0.5) * (W[worst, i] + W[beside, i])
    age[worst, beside] = age[beside, worst] = -1
    age[free, worst] = age[worst, free] = 0
    age[free, beside] = age[beside, free] = 0
    error[worst] *= 0.5
    error[beside] *= 0.5
    error[free] = error[worst]
    alive[free] = True
