"""Base of metric scaling: all pairs of few instances, pivots for many, new instances one by one."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.embedding.distance.stress import (
    AllPairs,
    all_distances,
    best_scale,
    distances_between,
    majorize,
    place,
)
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.linear.pca import principal_axes
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS, Nonlinear
from emberscope.embedding.out_of_sample import N_NEIGHBORS
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.graph import knn
from emberscope.neighbors.spectral import fix_signs

EXACT_LIMIT = 4000
_PIVOTS = 2000
_CHUNK = 1024
_FLOOR_QUANTILE = 0.01
_FLOOR_SHARE = 0.01

SCALED_COMPONENTS = replace(SPECTRAL_COMPONENTS, group="Embedding")
MAX_ITER = param(
    300, low=1, high=100_000, title="Iterations", group="Computation",
    help="Steps at most; it stops earlier when the embedding no longer moves.",
)
TOLERANCE = param(
    1e-4, low=0, high=0.1, group="Computation", advanced=True,
    help="It stops when a step moves the embedding by less than this part of its size.",
)
N_PIVOTS = param(
    None, low=10, high=5000, title="Pivots", group="Computation", advanced=True,
    auto="all instances up to 4000, else 2000",
    help="Instances that keep their distances to each other; all others keep theirs to these.",
)


class Scaling(Measured, Nonlinear):
    """Base of methods that lessen stress; a subclass says how much a pair at distance d counts
    (`_power`).

    The start is PCA at its best scale. Up to 4000 different instances every pair counts. Above,
    random pivots are scaled with all their pairs, and every other instance is placed by its
    distances to them.
    """

    state: ClassVar[tuple[str, ...]] = (*Nonlinear.state, "pivots_", "mean_", "floor_", "stress_",
                                        "n_iter_")
    n_components: int
    max_iter: int
    tolerance: float
    n_pivots: int | None
    random_state: int

    @property
    def _power(self) -> int:
        return 0

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        given = self._given_among(distinct)
        if given is None:
            # remembered; `_finish` wants it
            knn(U, min(N_NEIGHBORS, len(U) - 1), monitor=Portion(watch, 0.0, 0.1))
        self.mean_ = U.mean(axis=0, dtype=np.float64)
        start = pca_coordinates(U, self.mean_, self.n_components, monitor=Portion(watch, 0.1, 0.2))
        self.pivots_ = self._pivot_rows(len(U))
        rest = Portion(watch, 0.2, 1.0)
        if len(self.pivots_) == len(U):
            show = Previews(Portion(rest, 0.1, 1.0), distinct.restore, X.dtype)
            Z, self.stress_ = self._scale(U, given, start, show, rest)
        else:
            Z = self._place_all(U, given, start, distinct, X.dtype, rest)
        return self._finish(X, distinct, upright(Z))

    def transform(self, X: ArrayLike) -> NDArray:  # type: ignore[override]
        """Coordinates of new instances, (M, D) -> (M, d): each at its own least stress,
        the known ones held fixed.

        A copy of a training instance lies on it.
        O(M P (D + d)) for P pivots after the search for neighbors.
        """
        X = self._validate_new(X)
        near = self._reconstructed(X)
        out = near.coordinates.astype(np.float64)
        at = self.coordinates_[self.pivots_]
        new = np.flatnonzero(near.distance > 0)
        for part in slices(len(new), _CHUNK):
            rows = new[part]
            distance = self._to_pivots(X[rows])
            out[rows] = place(distance, at, out[rows], power=self._power,
                              floor=self.floor_).coordinates
        return out.astype(X.dtype)

    def _to_pivots(self, X: NDArray) -> NDArray[np.float64]:
        """Distances (M, P) of new instances, as the fit measured them."""
        pivots = self.instances_[self.pivots_]
        if self.measure_:
            return np.sqrt(self._squared_to(X, pivots), dtype=np.float64)
        return distances_between(X - self.mean_, pivots - self.mean_)

    def _pivot_rows(self, n: int) -> NDArray[np.int64]:
        wanted = self.n_pivots or (n if n <= EXACT_LIMIT else _PIVOTS)
        if wanted >= n:
            return np.arange(n)
        return np.sort(
            np.random.default_rng(self.random_state).choice(n, wanted, replace=False)
        ).astype(np.int64)

    def _scale(
        self, U: NDArray, given: Distances | None, start: NDArray, show: Previews, watch: Monitor
    ) -> tuple[NDArray, float]:
        """Coordinates of all rows of U, every pair counted,
        and their stress as a share of sum w d²."""
        watched = Portion(watch, 0.0, 0.07)
        D = all_distances(U, monitor=watched) if given is None else given.block(slice(None))
        self.floor_ = least_distance(D) if self._power else 0.0
        problem = AllPairs(D, power=self._power, floor=self.floor_,
                           monitor=Portion(watch, 0.07, 0.1))
        show.total = self.max_iter
        Z = start * best_scale(problem, start)
        Z, history = majorize(problem, Z, max_iter=self.max_iter, tolerance=float(self.tolerance),
                              show=show.show)
        self.n_iter_ = max(len(history) - 1, 1)
        return Z, history[-1] / problem.total

    def _place_all(
        self, U: NDArray, given: Distances | None, start: NDArray, distinct: Distinct,
        dtype: DTypeLike, watch: Monitor
    ) -> NDArray:
        rows = self.pivots_
        self.notes_.append(f"Distances are kept to {len(rows)} pivots; all pairs of {len(U)} "
                           "instances are too many.")
        seen = Previews(Portion(watch, 0.05, 0.3), distinct.restore, dtype)
        Z = _AllFrom(seen, start, rows)
        among = None if given is None else given.take(rows)
        at, _ = self._scale(U[rows], among, start[rows], Z, Portion(watch, 0.0, 0.3))  # type: ignore[arg-type]
        out = Z.spread(at)
        out[rows] = at
        show = Previews(Portion(watch, 0.3, 1.0), distinct.restore, dtype, total=len(U))
        reference = U[rows] - self.mean_
        stress = total = 0.0
        for begin in range(0, len(U), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            distance = distances_between(U[part] - self.mean_,
                                         reference) if given is None else given.block(part, rows)
            found = place(distance, at, out[part], power=self._power, floor=self.floor_, n_iter=30,
                          tolerance=float(self.tolerance))
            out[part] = found.coordinates
            stress, total = stress + found.stress.sum(), total + found.total.sum()
            show.show(min(begin + _CHUNK, len(U)), out)
        out[rows] = at
        self.stress_ = float(stress / total)
        return out


class _AllFrom:
    """Embeddings of all instances while only pivots are scaled:
    the rest follows by a linear map of the start."""

    def __init__(self, seen: Previews, start: NDArray, rows: NDArray) -> None:
        self._seen = seen
        self._start = np.hstack([start, np.ones((len(start), 1))])
        self._rows = rows
        self.total = 1

    def show(self, done: int, Z: NDArray) -> None:
        self._seen.total = self.total
        self._seen.show(done, self.spread(Z))

    def spread(self, Z: NDArray) -> NDArray:
        return self._start @ np.linalg.lstsq(self._start[self._rows], Z, rcond=None)[0]


def pca_coordinates(
    X: NDArray, mean: NDArray, m: int, *, monitor: Monitor | None = None
) -> NDArray[np.float64]:
    """The m first principal coordinates (N, m) of rows about `mean`; 0 where X has fewer axes."""
    rank = min(m, *X.shape)
    axes = principal_axes(X, mean, rank, monitor=monitor)[1]
    Z = np.zeros((len(X), m))
    for part in slices(len(X), _CHUNK):
        monitored(monitor).step(1.0, "Principal components")
        Z[part, :rank] = (X[part] - mean) @ axes
    return Z


def least_distance(D: NDArray) -> float:
    """Nearer pairs weigh no more than pairs at this distance: the 1 % quantile of distances to the
    nearest other row, at least 1 % of their median, so that a few nearly equal pairs neither rule
    nor freeze the embedding.

    `D` : (N, N) distances.
    """
    nearest = np.array([min(row[:i].min(initial=np.inf), row[i + 1 :].min(initial=np.inf))
                        for i, row in enumerate(D)])
    return float(max(np.quantile(nearest, _FLOOR_QUANTILE), _FLOOR_SHARE * np.median(nearest)))


def upright(Z: NDArray) -> NDArray:
    """Z centered and turned onto its principal axes, signs fixed; distances stay as they are."""
    Z = Z - Z.mean(axis=0)
    axes = np.linalg.eigh(np.einsum("ic,id->cd", Z, Z))[1][:, ::-1]
    return fix_signs(Z @ axes)
