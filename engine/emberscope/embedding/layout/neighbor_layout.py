"""Base of UMAP, LargeVis and PaCMAP: affinity graph, start, supervision, new instances."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.estimator import Labels
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, param
from emberscope.embedding.layout.coarse import Level, levels
from emberscope.embedding.layout.fuzzy_graph import led_by_labels, without_weakest
from emberscope.embedding.layout.gather import gathered
from emberscope.embedding.layout.layout import Layout, Previews
from emberscope.embedding.layout.near_rows import along_curve, in_order
from emberscope.embedding.layout.sgd import Edges, Force, optimize
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.neighbors.components import components_of
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import Neighbors
from emberscope.neighbors.spectral import fix_signs, rough_eigenpairs

LAYOUT_COMPONENTS = replace(N_COMPONENTS, high=100)
LAYOUT_NEIGHBORS = replace(
    N_NEIGHBORS, low=2, high=500,
    help="Neighbors that attract each instance; 5 shows detail, 50 the large shape.",
)
NEGATIVES = param(
    5, low=1, high=100, title="Repelling instances", group="Computation", advanced=True,
    help="How strongly the other instances repel, in instances per attracting neighbor.",
)
N_EPOCHS = param(
    None, low=1, high=10_000, title="Steps", group="Computation",
    auto="100 for many, up to 1000 for few instances; 10 where an earlier embedding goes on",
    help="Steps of the last stage, each of which moves every instance once.",
)
INIT = param(
    "spectral", choices=("spectral", "pca", "random"), title="Start", group="Computation",
    help="Where the first stage begins: at the slowest modes of the graph, the principal "
    "components, or anywhere.",
)
SUPERVISION = param(
    0.0, low=0, high=1, group="Labels",
    help="How far labels loosen neighbors that differ in them; 0 does not look at labels, 0.5 is "
    "a usual strength.",
)
_STEPS_ON, _STEPS_NEW = 10, 50
_RATE_ON = 0.05
_INERTIA = 0.9
_SPREAD = 4.0  # standard deviation of the start along its first axis
_GROUP = 0.05  # standard deviation of the members of a group about its place
_CACHED = 50_000  # rows up to which a processor's cache holds the coordinates of all
_WEAKEST = 1 / 500  # affinity, of the largest, below which an edge is not worth its time


class NeighborLayout(Layout):
    """Base of `UMAP`, `LargeVis` and `PaCMAP`: a subclass says what attracts, what repels,
    and by which force."""

    n_epochs: int | None
    init: str
    supervision = 0.0  # of a method that does not declare it
    takes_classes = True
    # groups that hardly attract each other drive apart without an end
    drifts: ClassVar[bool] = False
    state: ClassVar[tuple[str, ...]] = Layout.state

    @property
    def reads_labels(self) -> bool:
        return self.supervision > 0

    @property
    @abstractmethod
    def _k(self) -> int:
        """How many neighbors attract each instance."""

    @abstractmethod
    def _affinities(
        self, U: NDArray, distinct: Distinct, watch: Monitor
    ) -> tuple[Neighbors, csr_array]:
        """Neighbors of the distinct instances U and their symmetric affinities."""

    @abstractmethod
    def _forces(self, W: csr_array) -> tuple[Edges, Force]:
        """What acts on every row of a graph of affinities."""

    @abstractmethod
    def _edges_of_new(self, neighbors: Neighbors, n: int) -> tuple[Edges, Force]:
        """What acts on M new instances with these neighbors among the n training instances."""

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates. Labels are looked at where `supervision` is above 0;
        0 is unknown."""
        watch = monitored(monitor)
        how: Labels = "optional" if self.reads_labels else "ignored"
        X, labels, sure = self._validate_weighted(X, y, bags, labels=how)
        watch.step(0.0, "Comparing instances")
        distinct = self._distinct(X, self.n_components, labels)
        U = distinct.select(X)
        neighbors, W = self._affinities(U, distinct, Portion(watch, 0.0, 0.35))
        if labels is not None and sure is not None:
            rows = distinct.rows
            W = led_by_labels(W, labels[rows], sure[rows], supervision=self.supervision)
        W = without_weakest(W, _WEAKEST)
        warm, fixed = self._warm_start(U, len(X), distinct)
        rest = Portion(watch, 0.4, 1.0)
        if warm is None:
            Z = self._cold(W, U, neighbors.distances, rest, distinct.restore)
            Z = Z if self.n_components < 3 else _turned(Z)
            Z = gathered(Z, W) if self.drifts else Z
        else:
            steps = self.n_epochs or _STEPS_ON
            show = Previews(rest, distinct.restore, X.dtype, total=steps)
            Z = self._optimize(W, warm, steps, show, rate=_RATE_ON, fixed=fixed)
        return self._place(X, U, distinct, Z)

    def transform(self, X: ArrayLike, *, n_epochs: int = _STEPS_NEW) -> NDArray:  # type: ignore[override]  # own rule
        """Coordinates of new instances, (M, D) -> (M, d): a convex combination of their neighbors',
        then the layout's own steps with the training instances held. One that equals a training
        instance gets its coordinates.

        Where it comes does not depend on which others are asked for with it. Instances far from all
        training instances still get plausible coordinates: look at `novelty`.
        """
        X = self._validate_new(X)
        trained = self.coordinates_
        near = self._nearest_known(X, min(self._k, len(trained)))
        by_features = self._placing == "lle"
        found = reconstruct(self.instances_, trained, X, rule="convex" if by_features else "idw",
                            n_neighbors=near.k, search=lambda _: near)
        start, known = found.coordinates, found.weights.max(axis=1) == 1
        neighbors = (
            Neighbors(near.idx, _distances(self.instances_, X, near.idx)) if by_features else near
        )
        edges, force = self._edges_of_new(neighbors, len(trained))
        Z = optimize(start, edges, force, falling(n_epochs), seed=self.random_state, others=trained,
                     fixed=known)
        return np.where(known[:, None], start, Z).astype(X.dtype)

    def _cold(
        self, W: csr_array, U: NDArray, given: Distances | None, watch: Monitor,
        restore: Callable[[NDArray], NDArray]
    ) -> NDArray:
        """Lay out the coarsest graph, then each finer one from where its groups are."""
        watch.step(0.0, "Coarser graphs")
        found = levels(W, seed=self.random_state)
        steps = [_steps(level.W.shape[0]) for level in found]
        if self.n_epochs is not None:
            steps[0] = self.n_epochs
        show = Previews(Portion(watch, 0.1, 1.0), restore, U.dtype, total=sum(steps))
        Z = self._start(found, U, Portion(watch, 0.0, 0.1))
        member = found[0].group
        for depth in range(len(found) - 1, -1, -1):
            whose = member
            for level in found[1 : depth + 1]:
                whose = level.group[whose]
            Z = self._optimize(found[depth].W, Z, steps[depth], show.of(whose),
                               inertia=fading(_INERTIA, steps[depth]))
            show.before += steps[depth]
            if depth:
                Z = Z[found[depth].group]
                Z = Z + _GROUP * np.random.default_rng(self.random_state).standard_normal(Z.shape)
        return Z

    def _optimize(
        self, W: csr_array, Z: NDArray, steps: int, show: Previews, *, rate: float = 1.0,
        fixed: NDArray | None = None, inertia: float | NDArray = 0.0
    ) -> NDArray:
        edges, force = self._forces(W)
        rates = rate * falling(steps)
        if len(Z) <= _CACHED:
            return optimize(Z, edges, force, rates, seed=self.random_state, fixed=fixed,
                            inertia=inertia, show=show.show)
        order = along_curve(Z)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        edges = in_order(edges, order, place)
        held = None if fixed is None else fixed[order]
        return optimize(Z[order], edges, force, rates, seed=self.random_state, fixed=held,
                        inertia=inertia, names=order, show=show.of(place).show)[place]

    def _start(self, found: list[Level], U: NDArray, watch: Monitor) -> NDArray:
        """Coordinates of the coarsest graph's rows."""
        W = found[-1].W
        d, rng = self.n_components, np.random.default_rng(self.random_state)
        n_parts = self._note_parts(found[0].W)
        if self.init == "random":
            return _SPREAD * rng.standard_normal((W.shape[0], d))
        if self.init == "pca" or n_parts > 1 or W.shape[0] <= d + 1:
            Z = self._pca_start(U, _SPREAD)
            for level in found[1:]:
                Z = _means(Z, level.group, level.W.shape[0])
            return Z
        Z = rough_eigenpairs(W, d, seed=self.random_state, monitor=watch)[1]
        Z = Z * (_SPREAD / Z.std())
        return Z + 0.01 * _SPREAD * rng.standard_normal(Z.shape)

    def _note_parts(self, W: csr_array) -> int:
        """How many components the graph has."""
        sizes = np.sort(np.bincount(components_of(W)))[::-1]
        n_parts = len(sizes)
        if n_parts > 1:
            listed = ", ".join(map(str, sizes[:4])) + (" ..." if n_parts > 4 else "")
            self.notes_.append(
                f"The neighborhood graph has {n_parts} components (sizes {listed}); "
                "distances between them mean nothing."
            )
        return n_parts

    def _place(self, X: NDArray, U: NDArray, distinct: Distinct, Z: NDArray) -> Self:
        """`_finish` without another look at X: the neighbors are known."""
        self.instances_ = U
        self.coordinates_ = np.ascontiguousarray(Z, X.dtype)
        self.embedding_ = distinct.restore(self.coordinates_)
        return self


def _turned(Z: NDArray) -> NDArray:
    """Z (n, d) in its principal axes: a layout has none of its own,
    and the flat map shows the first two."""
    centered = Z - Z.mean(axis=0)
    axes = fix_signs(np.linalg.svd(centered, full_matrices=False)[2].T)
    return np.ascontiguousarray(centered @ axes + Z.mean(axis=0), Z.dtype)


def _steps(n: int) -> int:
    """Steps of a stage with n rows."""
    return int(np.clip(17_000 / np.sqrt(n), 100, 1000))


def _means(Z: NDArray, group: NDArray, n: int) -> NDArray:
    sums = np.stack([np.bincount(group, column, minlength=n) for column in Z.T], axis=1)
    return sums / np.bincount(group, minlength=n)[:, None]


def fading(inertia: float, n: int) -> NDArray:
    """Inertia of n steps: constant over the first half, falling to 0 over the second,
    so that noise settles."""
    return inertia * np.minimum(1, 2 - 2 * np.arange(n) / n)


def falling(n: int) -> NDArray:
    """Rates from 1 to nearly 0. The square ends as well as a straight line twice as long."""
    return (1 - np.arange(n) / n) ** 2


def _distances(X: NDArray, Q: NDArray, idx: NDArray) -> NDArray:
    """From each row of Q to its listed rows of X."""
    out = np.empty(idx.shape)
    rows = max(1, (1 << 22) // (idx.shape[1] * X.shape[1]))
    for part in slices(len(Q), rows):
        offset = X[idx[part]] - Q[part, None]
        out[part] = np.sqrt(np.einsum("mkd,mkd->mk", offset, offset, dtype=np.float64))
    return out
