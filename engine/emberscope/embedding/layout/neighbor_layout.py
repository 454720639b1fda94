"""What the layouts by our own loop share: a graph of affinities, a start, labels that lead, new instances."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, Param
from emberscope.embedding.layout.fuzzy_graph import led_by_labels, without_weakest
from emberscope.embedding.layout.layout import Layout, Pictures
from emberscope.embedding.layout.sgd import Edges, Law, optimize
from emberscope.embedding.out_of_sample import N_NEIGHBORS as N_RECONSTRUCTING
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors
from emberscope.neighbors.spectral import rough_eigenpairs

LAYOUT_COMPONENTS = replace(N_COMPONENTS, high=3)
LAYOUT_NEIGHBORS = replace(
    N_NEIGHBORS, low=2, high=500,
    help="Neighbors that attract each instance; 5 shows detail, 50 the large shape.",
)
NEGATIVES = Param(
    "negatives", "int", 5, low=1, high=100, title="Repelling instances", group="Computation", advanced=True,
    help="How strongly the other instances repel, in instances per attracting neighbor.",
)
N_EPOCHS = Param(
    "n_epochs", "int", None, low=1, high=10_000, title="Steps", group="Computation",
    auto="200; 10 where an earlier picture goes on",
    help="Steps of the layout, each of which moves every instance once.",
)
INIT = Param(
    "init", "str", "pca", choices=("pca", "spectral", "random"), title="Start", group="Computation",
    help="Where instances are before the first step: principal components, slowest modes of the graph, or anywhere.",
)
SUPERVISION = Param(
    "supervision", "float", 0.0, low=0, high=1, group="Labels",
    help="How far labels loosen neighbors that differ in them; 0 does not look at labels, 0.5 is a usual strength.",
)
_STEPS, _STEPS_ON, _STEPS_NEW = 200, 10, 50
_RATE_ON, _RATE_NEW = 0.05, 1.0
_SPREAD = 2.5  # standard deviation of the start along its first axis
_WEAKEST = 1 / 500  # affinity, of the largest, below which an edge is not worth its time


class NeighborLayout(Layout):
    """Base of `UMAP`, `LargeVis` and `PaCMAP`: a subclass says what attracts, what repels, and by which law."""

    n_neighbors: int
    n_epochs: int | None
    init: str
    supervision: float
    state: ClassVar[tuple[str, ...]] = Layout.state

    @property
    def reads_labels(self) -> bool:
        return self.supervision > 0

    @abstractmethod
    def _affinities(self, U: NDArray, watch: Monitor) -> tuple[Neighbors, csr_array]:
        """Neighbors of the distinct instances and their symmetric affinities."""

    @abstractmethod
    def _arrange(
        self, W: csr_array, U: NDArray, start: NDArray, rates: NDArray, fixed: NDArray | None, show: Pictures
    ) -> NDArray:
        """The layout, (U, d)."""

    @abstractmethod
    def _edges_of_new(self, neighbors: Neighbors, n: int) -> tuple[Edges, Law]:
        """What acts on M new instances with these neighbors among the n training instances."""

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find the coordinates. Labels are looked at where `supervision` is above 0; 0 is unknown."""
        watch = monitored(monitor)
        labels: NDArray | None = None
        if self.reads_labels:
            X, labels, sure = self._validate_weighted(X, y, bags, labels="optional")
        else:
            X, _ = self._validate(X)
        watch.step(0.0, "Comparing instances")
        distinct = self._distinct(X, self.n_components, labels)
        U = np.ascontiguousarray(X[distinct.rows]) if distinct.n_merged else X
        neighbors, W = self._affinities(U, Portion(watch, 0.0, 0.35))
        if labels is not None:
            rows = distinct.rows
            W = led_by_labels(W, labels[rows], sure[rows], supervision=self.supervision)
        W = without_weakest(W, _WEAKEST)
        warm, fixed = self._warm_start(U, len(X), distinct)
        watch.step(0.4, "Start")
        start = self._start(W, U, Portion(watch, 0.4, 0.5)) if warm is None else warm
        rates = self._rates(warm is not None)
        show = Pictures(Portion(watch, 0.5, 1.0), distinct.restore, X.dtype, total=len(rates))
        Z = self._arrange(W, U, start, rates, fixed, show)
        return self._place(X, U, distinct, neighbors, Z)

    def transform(self, X: Any, *, n_epochs: int = _STEPS_NEW) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d): a convex combination of their neighbors', then the layout's
        own steps with the training instances held. One that equals a training instance gets its coordinates.

        Instances far from all training instances still get plausible coordinates: look at `novelty`.
        """
        X = self._validate_new(X)
        trained = self.coordinates_
        found = reconstruct(self.instances_, trained, X, n_neighbors=min(self.n_neighbors, len(trained)))
        weight = np.maximum(found.weights, 0)
        start = np.einsum("mk,mkd->md", weight / weight.sum(axis=1, keepdims=True), trained[found.idx])
        known = weight.max(axis=1) == 1
        neighbors = Neighbors(found.idx, _distances(self.instances_, X, found.idx))
        edges, law = self._edges_of_new(neighbors, len(trained))
        rates = _RATE_NEW * _falling(n_epochs)
        Z = optimize(start, edges, law, rates, seed=self.random_state, others=trained, fixed=known)
        return np.where(known[:, None], start, Z).astype(X.dtype)

    def _rates(self, goes_on: bool) -> NDArray:
        steps = self.n_epochs if self.n_epochs is not None else _STEPS_ON if goes_on else _STEPS
        return (_RATE_ON if goes_on else 1.0) * _falling(steps)

    def _start(self, W: csr_array, U: NDArray, watch: Monitor) -> NDArray:
        n_parts, part = connected_components(W, directed=False)
        if n_parts > 1:
            sizes = np.sort(np.bincount(part))[::-1]
            listed = ", ".join(map(str, sizes[:4])) + (" ..." if n_parts > 4 else "")
            self.notes_.append(
                f"The neighborhood graph has {n_parts} components (sizes {listed}); distances between them mean nothing."
            )
        if self.init == "random":
            return _SPREAD * np.random.default_rng(self.random_state).standard_normal((len(U), self.n_components))
        if self.init == "pca" or n_parts > 1 or len(U) <= self.n_components + 1:
            return self._pca_start(U, _SPREAD)
        Z = rough_eigenpairs(W, self.n_components, seed=self.random_state, monitor=watch)[1]
        Z = Z * (_SPREAD / Z.std(axis=0))
        return Z + 0.01 * _SPREAD * np.random.default_rng(self.random_state).standard_normal(Z.shape)

    def _place(self, X: NDArray, U: NDArray, distinct: Distinct, neighbors: Neighbors, Z: NDArray) -> Self:
        """`_finish` without another look at X: the neighbors are known."""
        self.instances_ = U
        self.reach_ = neighbors.dist[:, min(N_RECONSTRUCTING, neighbors.k) - 1].copy()
        self.coordinates_ = np.ascontiguousarray(Z, X.dtype)
        self.embedding_ = distinct.restore(self.coordinates_)
        return self


def _falling(n: int) -> NDArray:
    """Rates from 1 to nearly 0. Measured at 10 000 instances: with the square as good as a straight line twice as long."""
    return (1 - np.arange(n) / n) ** 2


def _distances(X: NDArray, Q: NDArray, idx: NDArray) -> NDArray:
    """From each row of Q to its listed rows of X."""
    out = np.empty(idx.shape)
    rows = max(1, (1 << 22) // (idx.shape[1] * X.shape[1]))
    for first in range(0, len(Q), rows):
        part = slice(first, first + rows)
        offset = X[idx[part]] - Q[part, None]
        out[part] = np.sqrt(np.einsum("mkd,mkd->mk", offset, offset, dtype=np.float64))
    return out
