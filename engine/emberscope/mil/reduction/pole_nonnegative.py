"""Nonnegative pOLE: coordinates that are shares in clusters, by the p-th power of distances."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, minimize
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, RANDOM_STATE, param
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, ChoosesGraph
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.out_of_sample import Rule, placed_within
from emberscope.mil.reduction.pole import POWER
from emberscope.mil.reduction.reweighted import STAGES
from emberscope.neighbors.graph import affinity
from emberscope.neighbors.spectral import normalized, top_eigenpairs

_FLAT = 0.2  # added to the indicators of clusters at the start: what is 0 stays 0
_TINY = 1e-300
_LEAST = 0.1  # of an edge and of their sum, where the graph falls apart and the start costs nothing
_TOLERANCE = 1e-7  # of what is lowered
FIRM = (3.0, 10.0, 30.0)  # weight of the constraint in each stage, in units of the sum of powers


class NonnegativePOLE(Measured, Nonlinear, ChoosesGraph):
    """How much every instance belongs to each of d clusters of the neighborhood graph.

    Minimizes sum_ij s_ij |z_i - z_j|^p with Z >= 0 and Z'DZ = I, s affinities of the graph, D their
    row sums scaled to sum 1. Columns that are nonnegative and orthogonal overlap nowhere: each is
    a cluster, softened where clusters touch.

    Attributes
    ----------
    cluster_ : (N,) int64, the axis on which each instance lies farthest out. history_ : (T,) the
        smoothed objective; stage_ : (T,) int64, its smoothing stage. n_iter_ : int.

    Notes
    -----
    What Elbeleidy 2018 names as the way on from pOLE; with p = 2 the nonnegative Laplacian
    embedding of Luo, Ding, Huang and Li 2009, solved otherwise: by L-BFGS with bounds, the
    constraint as a penalty that grows as the smoothing of coincident instances falls, in three
    stages. (The multiplicative steps of print let columns grow alike as soon as they are scaled.)
    Not convex: the start are the clusters of spectral clustering. Not linear, unlike pOLE: affine
    axes cannot be nonnegative and orthogonal. New instances are means of their neighbors, by
    inverse distance. O(N k d) a step.
    """

    n_components: int = replace(
        N_COMPONENTS, title="Clusters", help="Coordinates of the embedding, a cluster each.")
    p: float = replace(POWER, help="Power of the distances that are summed: near 1 wrong edges "
                       "between clusters count for less than with 2.")
    n_neighbors: int = replace(N_NEIGHBORS, default=10)
    graph: str = GRAPH
    radius: float | None = RADIUS
    max_iter: int = param(
        200, low=1, high=10_000, title="Steps at most", group="Computation", advanced=True,
        help="Steps of each of the three smoothing stages.",
    )
    random_state: int = RANDOM_STATE
    state = (*Nonlinear.state, "cluster_", "history_", "stage_", "n_iter_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored. Raises DataError for more clusters than
        connected instances."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        given = self._given_among(distinct)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.3), given)
        graph = self._chosen_graph(U, neighbors, Portion(watch, 0.3, 0.4))
        self.notes_.extend(graph.notes)
        S = affinity(graph, neighbors)
        inside = np.diff(S.indptr) > 0
        if (n := int(inside.sum())) < self.n_components + 1:
            raise DataError(f"{n} instances have neighbors, for {self.n_components} clusters",
                            hint="Choose more neighbors, a larger radius, or fewer clusters.")
        found = shares(csr_array(S[inside][:, inside]), self.n_components, p=float(self.p),
                       max_iter=self.max_iter, seed=self.random_state,
                       monitor=Portion(watch, 0.4, 1.0))
        self.history_, self.stage_ = found.history, found.stage
        self.n_iter_ = max(1, len(found.history) - len(STAGES))
        Z = np.empty((len(U), self.n_components))
        Z[inside] = found.Z
        if n < len(U):
            Z[~inside] = placed_within(U, inside, found.Z, given, rule="idw").coordinates
            self.notes_.append(f"{len(U) - n} instances without a neighbor are placed by the "
                               "nearest others.")
        self._finish(X, distinct, Z)
        self.cluster_ = self.embedding_.argmax(axis=1).astype(np.int64)
        sizes = np.bincount(self.cluster_, minlength=self.n_components)
        self.notes_.append(f"Instances by cluster: {', '.join(map(str, sizes.tolist()))}.")
        return self

    @property
    def _placing(self) -> Rule:
        return "idw"  # a mean of what is nonnegative is nonnegative


@dataclass(frozen=True, slots=True)
class Shares:
    """Z (n, r) >= 0. history, stage : (T,), what was lowered and the stage of each value."""

    Z: NDArray[np.float64]
    history: NDArray[np.float64]
    stage: NDArray[np.int64]


def shares(
    S: csr_array, r: int, *, p: float = 1.0, max_iter: int = 200, seed: int = 0,
    monitor: Monitor | None = None,
) -> Shares:
    """Nonnegative Z (n, r) of low sum_ij s_ij |z_i - z_j|^p with Z'DZ near I, D the degrees of S
    scaled to sum 1; columns have weighted length 1.

    S : (n, n) symmetric affinities, every row with a sum above 0; n above r.
    """
    watch = monitored(monitor)
    S = csr_array((S.data / S.sum(), S.indices, S.indptr), S.shape)
    degree = np.asarray(S.sum(axis=1)).ravel()[:, None]
    Z = _scaled(_start(S, r, seed, Portion(watch, 0.0, 0.2)), degree)
    squared = _apart(Z, S)
    unit = max(float(squared.mean()), _LEAST)
    first = max(_sum_of_powers(S, squared, p, 0.0), _LEAST)
    history: list[float] = []
    stages: list[int] = []
    for stage, (smooth, firm) in enumerate(zip(STAGES, FIRM, strict=True)):
        cost = Cost(S, degree, p, smooth * unit, firm * first)
        part = Portion(watch, 0.2 + 0.8 * stage / len(STAGES), 0.2 + 0.8 * (stage + 1)
                       / len(STAGES))
        Z, values = _lowered(cost, Z, max_iter, part)
        history += values
        stages += [stage] * len(values)
    return Shares(_scaled(Z, degree), np.array(history), np.array(stages, np.int64))


@dataclass(frozen=True, slots=True)
class Cost:
    """What is lowered: the smoothed sum of powers, and how far Z'DZ is from I.

    S : (n, n) affinities. degree : (n, 1). eps : smoothing. firm : weight of the constraint.
    """

    S: csr_array
    degree: NDArray
    p: float
    eps: float
    firm: float

    def __call__(self, Z: NDArray) -> tuple[float, NDArray[np.float64]]:
        """The value at Z (n, r) and its gradient."""
        squared, S = _apart(Z, self.S), self.S
        weights = self.p / 2 * S.data * (squared + self.eps) ** (self.p / 2 - 1)
        T = csr_array((weights, S.indices, S.indptr), S.shape)
        off = Z.T @ (self.degree * Z) - np.eye(Z.shape[1])
        slope = np.asarray(T.sum(axis=1)).ravel()[:, None] * Z - T @ Z
        slope += self.firm * self.degree * (Z @ off)
        value = _sum_of_powers(S, squared, self.p, self.eps) + self.firm * float(
            np.square(off).sum())
        return value, 4 * slope


def _lowered(
    cost: Cost, Z: NDArray, max_iter: int, watch: Monitor
) -> tuple[NDArray[np.float64], list[float]]:
    """Z (n, r) >= 0 of less cost, and the cost after every step."""
    values = [cost(Z)[0]]

    def flat(z: NDArray) -> tuple[float, NDArray]:
        value, slope = cost(z.reshape(Z.shape))
        return value, slope.ravel()

    def keep(intermediate_result: object) -> None:
        values.append(float(intermediate_result.fun))  # type: ignore[attr-defined]
        watch.step(1 - 0.98 ** len(values), "Shares in clusters")

    found = minimize(
        flat, Z.ravel(), jac=True, method="L-BFGS-B", bounds=Bounds(0.0, np.inf), callback=keep,
        options={"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": _TOLERANCE},
    )
    return found.x.reshape(Z.shape), values


def _sum_of_powers(S: csr_array, squared: NDArray, p: float, eps: float) -> float:
    return float(S.data @ (squared + eps) ** (p / 2))


def _scaled(Z: NDArray, degree: NDArray) -> NDArray[np.float64]:
    return Z / np.sqrt(np.maximum((degree * np.square(Z)).sum(axis=0), _TINY))


def _apart(Z: NDArray, S: csr_array) -> NDArray[np.float64]:
    """Squared distance over every entry of the graph."""
    rows = np.repeat(np.arange(len(Z)), np.diff(S.indptr))
    out = np.zeros(len(rows))
    for z in Z.T:
        out += np.square(z[rows] - z[S.indices])
    return out


def _start(S: csr_array, r: int, seed: int, watch: Monitor) -> NDArray[np.float64]:
    """Indicators (n, r) of the clusters of spectral clustering, none of them 0 anywhere."""
    from sklearn.cluster import KMeans

    if r == 1:
        return np.ones((S.shape[0], 1))
    scaled, root = normalized(S)
    modes = top_eigenpairs(scaled, r, monitor=watch).vectors / root[:, None]
    modes /= np.maximum(np.linalg.norm(modes, axis=1, keepdims=True), _TINY)
    watch.step(1.0, "Clusters of the start")
    cluster = KMeans(r, n_init=10, random_state=seed).fit_predict(modes)
    return np.eye(r)[cluster] + _FLAT
