"""Hybrid embedding: large distances from one matrix, small ones from another,
by one eigenproblem."""

import threading
from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import orth
from scipy.sparse import csr_array, diags_array

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.distance.mds import double_center
from emberscope.embedding.distance.pairs import squared_distances
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS, Nonlinear
from emberscope.embedding.out_of_sample import Rule
from emberscope.embedding.spectral.null_space import with_bridges
from emberscope.embedding.spectral.reconstruction_weights import (
    reconstruction_error,
    reconstruction_weights,
    weight_matrix,
)
from emberscope.labels.side_info import Invariance, SideInfo
from emberscope.metric.dissimilarities import (
    KINDS,
    USUAL,
    Kind,
    chips_of,
    dissimilarity,
    dissimilarity_to,
)
from emberscope.neighbors.duplicates import Distinct, content_key
from emberscope.neighbors.geodesics import geodesics
from emberscope.neighbors.graph import Graph, Neighbors, affinity, neighborhood_graph
from emberscope.neighbors.spectral import bottom_eigenpairs, top_eigenpairs

EXACT_LIMIT = 5000
_ROWS = 512
_BASIS = 8  # axes of each end
_FEATURES = 30  # dimensions for a method that comes after it
_LOOKED_AT = 3  # dimensions of a map that a slider moves
_NO_MAP = "reconstruction", "geodesic"  # ways over the instances: a new one has none yet


@dataclass(frozen=True, slots=True)
class Parts:
    """What an embedding is mixed from, whatever the strength.

    M : (N, N) float64, -1/2 H D² H. L : csr (N, N), L e = 0. ratio : |L| / |M|, Frobenius.
    mean : (N,) mean squared distances. notes : for a person.
    """

    M: NDArray[np.float64]
    L: csr_array
    ratio: float
    mean: NDArray[np.float64]
    notes: tuple[str, ...]


class Hybrid(Nonlinear):
    """Keep distances and keep neighbors at once: minimize (1 - a) |M - Z Z'|² + a tr(Z' L Z),
    a the strength.

    Attributes
    ----------
    eigenvalues_ : (d,) of (1 - a) r M - a/2 L, descending; r = |L| / |M|, Frobenius. clipped_ : how
        many axes are empty, because their eigenvalue is negative and the scale is exact.
    basis_ : (N, m) float32, an orthonormal basis of the largest axes of M and the smallest of L.
        far_, near_ : (m, m), r M and L in this basis: at strength b the embedding is nearly the
        largest eigenvectors of (1 - b) far_ - b/2 near_, in a millisecond, for a slider. Empty
        above 3 dimensions.

    Notes
    -----
    Ghodsi 2005, chapter 2. The minimizer is Q [S / (1 - a)]^(1/2) of the largest eigenvalues S of
    that matrix (the prefactor of equation 2.5 is misprinted); we leave e out, which both M and L
    annihilate: with much strength all other eigenvalues are negative, the exact minimizer is Z = 0,
    and e would be the first axis. `scale`: "exact" is the minimizer; "shift" takes
    sqrt(s - least eigenvalue) for lengths (footnote 3); "unit" variance 1. Lengths are divided by
    sqrt(r), so that they have units of the distances without strength. M = -1/2 H D² H of
    `distances`, L = D - W of the neighborhood graph with heat affinities, or (I - W)'(I - W) of
    LLE; the graph is bridged. Without strength it is MDS, or Isomap; near 1 and with unit scale,
    Laplacian eigenmaps with Z'Z = I, or LLE without rectification. The dissimilarities read X as
    chips, see `metric.dissimilarities`, and forgive the changes of `side.invariances`; without any,
    shifts of up to 2 px. A method after this one gets straight distances in the embedding, which
    are only like them: without strength, in 30 dimensions, a quarter to four fifths of the ten
    nearest stayed in three trials. Methods that take distances (`embedding.measured`) are given
    these themselves. New instances: the weighted mean of the nearest training instances in X;
    without strength Gower's rule, exact, except for lengths of ways. M and L of the last data are
    kept, so that another strength costs one eigenproblem. O(N³) up to 1000 instances, then O(N²)
    per Lanczos step, 5000 at most; 24 N² bytes.
    """

    clipped_: int = not_a_param()
    n_components: int | None = replace(
        SPECTRAL_COMPONENTS, auto=f"{_FEATURES}, for another method after it",
    )
    strength: float = param(
        0.9, low=0, high=1, open_high=True, title="Cluster to sequence", group="Embedding",
        grid=(0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99),
        help="0 keeps distances only and shows clusters; towards 1 neighbors count alone and "
        "instances line up. Most happens between 0.9 and 0.99.",
    )
    distances: str = param(
        "geodesic", choices=("euclidean", "geodesic", *KINDS), title="Distances", group="Embedding",
        help="What is kept of far instances. The last three compare chips, by their pixels, and "
        "forgive the changes that are marked as not mattering: by their tangents, step by step "
        "over other chips, or after the best change.",
    )
    locality: str = param(
        "laplacian-eigenmaps", choices=("laplacian-eigenmaps", "lle"), title="Neighbors kept",
        group="Embedding",
        help="What is kept of neighbors: that they are near, or how they rebuild each other.",
    )
    n_neighbors: int = replace(N_NEIGHBORS, default=10)
    scale: str = param(
        "shift", choices=("shift", "exact", "unit"), title="Lengths of the axes", group="Embedding",
        advanced=True,
        help="Exact: of the optimum, whose axes shrink to nothing with much strength. Shift: "
        "raised so that none does. Unit: all alike.",
    )
    chip_columns: int | None = param(
        None, low=1, title="Width of a chip", unit="px", group="Embedding", advanced=True,
        auto="chips are square",
        help="Pixels in a row of a chip, for distances that compare chips.",
    )
    state: ClassVar[tuple[str, ...]] = (
        *Nonlinear.state, "eigenvalues_", "clipped_", "mean_delta_", "map_", "invariances_",
        "basis_", "far_", "near_",
    )

    @property
    def reads_chips(self) -> bool:
        """Whether rows of X have to be the pixels of chips, with these parameters."""
        return self.distances in KINDS

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored. Raises TooLarge above 5000 different instances,
        DataError where the distances compare chips and X holds none."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        if self.reads_chips:
            chips_of(X, self.chip_columns)
        distinct = self._distinct(X, self.n_components or 1)
        if len(distinct) > EXACT_LIMIT:
            raise TooLarge(f"the distances of {len(distinct)} instances are too many for hybrid",
                           hint=f"Take {EXACT_LIMIT} instances at most, or isomap, or "
                                "laplacian-eigenmaps.")
        U = distinct.select(X)
        given = () if side is None else side.invariances
        self._note_invariances(given)
        invariances = given or USUAL
        self.invariances_ = msgspec.json.encode(invariances).decode()
        parts = self._parts(U, invariances, Portion(watch, 0.0, 0.6))
        self.notes_.extend(parts.notes)
        Z = self._solve(parts, Portion(watch, 0.6, 0.9))
        self._keep_basis(parts, distinct, Portion(watch, 0.9, 1.0))
        return self._finish(X, distinct, Z)

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d): by their distances where nothing but
        these was kept, else, or with a `rule` or `n_neighbors` given,
        `out_of_sample.reconstruct`."""
        if rule is not None or n_neighbors is not None or not len(getattr(self, "map_", ())):
            return super().transform(X, rule=rule or "lle", n_neighbors=n_neighbors)
        X = self._validate_new(X)
        Z = np.empty((len(X), self.map_.shape[1]))
        for part in slices(len(X), _ROWS):
            Z[part] = -0.5 * ((self._squared_to(X[part]) - self.mean_delta_) @ self.map_)
        return Z.astype(X.dtype)

    def _note_invariances(self, given: tuple[Invariance, ...]) -> None:
        if self.reads_chips and not given:
            self.notes_.append("Nothing is marked as not mattering: shifts of up to "
                               f"{USUAL[0].reach:g} px are taken.")
        if given and not self.reads_chips:
            self.notes_.append("Changes that do not matter are not looked at with "
                               f"{self.distances} distances.")

    def _parts(self, U: NDArray, invariances: tuple[Invariance, ...], watch: Monitor) -> Parts:
        key = (content_key(U), self.distances, self.locality, self.n_neighbors, self.chip_columns,
               self.invariances_ if self.reads_chips else "")
        if (known := _last.take(key)) is not None:
            watch.step(1.0, "Distances are known")
            return known
        before = len(self.notes_)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.1))
        graph = neighborhood_graph(U, neighbors, monitor=Portion(watch, 0.1, 0.2))
        M = self._squared(U, graph, invariances, Portion(watch, 0.2, 0.8))
        mean = M.mean(axis=1)
        double_center(M, monitor=Portion(watch, 0.8, 0.9))
        L = self._laplacian(U, neighbors, graph, Portion(watch, 0.9, 1.0))
        size = float(np.linalg.norm(M))
        ratio = float(np.linalg.norm(L.data)) / size if size > 0 else 1.0
        notes, self.notes_ = (*self.notes_[before:], *graph.notes), self.notes_[:before]
        parts = Parts(M, L, ratio, mean, notes)
        _last.keep(key, parts)
        return parts

    def _squared(
        self, U: NDArray, graph: Graph, invariances: tuple[Invariance, ...], watch: Monitor
    ) -> NDArray[np.float64]:
        """Squared distances (N, N) of all kinds."""
        if self.distances == "euclidean":
            return squared_distances(U, U, same=True, monitor=watch)
        if self.distances == "geodesic":
            return np.square(geodesics(graph.lengths, monitor=watch))
        chips = chips_of(U, self.chip_columns)
        found = dissimilarity(chips, cast(Kind, self.distances), invariances, monitor=watch)
        if (flat := int(found.flat.sum())):
            self.notes_.append(f"{flat} chip{'s' * (flat > 1)} that no change alters: as far as "
                               "can be from all.")
        return found.squared.astype(np.float64)

    def _laplacian(
        self, U: NDArray, neighbors: Neighbors, graph: Graph, watch: Monitor
    ) -> csr_array:
        watch.step(0.0, "Neighborhood graph")
        if self.locality == "lle":
            lists = with_bridges(U, neighbors, graph.bridges)
            return reconstruction_error(
                weight_matrix(lists, reconstruction_weights(U, lists, monitor=watch))
            )
        W = affinity(graph, neighbors)
        return csr_array(diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)

    def _solve(self, parts: Parts, watch: Monitor) -> NDArray[np.float64]:
        """Coordinates (N, d) of largest eigenvalues, with e left out."""
        a, n = float(self.strength), len(parts.M)
        d = self.n_components or min(_FEATURES, n - 1)
        C = ((1 - a) * parts.ratio) * parts.M
        rows = np.repeat(np.arange(n), np.diff(parts.L.indptr))
        C[rows, parts.L.indices] -= a / 2 * parts.L.data
        constant = np.full((n, 1), n**-0.5)
        if not C.any():  # no strength, and all distances are 0
            self.eigenvalues_ = np.zeros(d)
            return self._flat(n, d)
        found = top_eigenpairs(C, d, deflate=constant, monitor=Portion(watch, 0.0, 0.8))
        self.eigenvalues_ = found.values
        shift = 0.0
        if self.scale == "shift":
            np.negative(C, out=C)
            shift = max(0.0, float(
                top_eigenpairs(C, 1, deflate=constant, monitor=Portion(watch, 0.8, 1.0)).values[0]
            ))
        Z = found.vectors * self._lengths(shift, parts.ratio, n)
        self._keep_map(Z, parts)
        return Z

    def _lengths(self, shift: float, ratio: float, n: int) -> NDArray[np.float64]:
        """What unit eigenvectors are multiplied by, (d,); sets `clipped_`."""
        self.clipped_ = 0
        if self.scale == "unit":
            return np.full(len(self.eigenvalues_), n**0.5)
        values = self.eigenvalues_ + shift
        faint = values <= 1e-12 * max(float(values[0]), 0.0)
        if self.scale == "exact":
            values = values / (1 - float(self.strength))
            self.clipped_ = int(faint.sum())
            if self.clipped_:
                self.notes_.append(f"{self.clipped_} of {len(values)} axes are empty: with this "
                                   "strength the "
                                   "optimum shrinks to a point. Take less strength, or another "
                                   "scale.")
        return np.sqrt(np.where(faint, 0.0, values) / ratio)

    def _keep_map(self, Z: NDArray, parts: Parts) -> None:
        """Gower's rule, where the embedding is that of distances alone; else nothing."""
        exact = float(self.strength) == 0 and self.distances not in _NO_MAP
        values = self.eigenvalues_ / parts.ratio
        faint = values <= 1e-12 * max(float(values[0]), 0.0)
        whole = exact and not (Z[:, faint] != 0).any()
        self.map_ = (
            np.divide(Z, values, out=np.zeros_like(Z), where=~faint) if whole else np.empty((0, 0))
        )
        self.mean_delta_ = parts.mean if whole else np.empty(0)

    def _flat(self, n: int, d: int) -> NDArray[np.float64]:
        self.clipped_ = d
        self.map_, self.mean_delta_ = np.empty((0, 0)), np.empty(0)
        self.notes_.append("All instances are alike in what the distances compare.")
        return np.zeros((n, d))

    def _keep_basis(self, parts: Parts, distinct: Distinct, watch: Monitor) -> None:
        """The rough axes of both ends: where the eigenvectors of all strengths between them nearly
        lie.

        The embedding of this basis is nearly that of the fit at any strength from 0.5 on; the axes
        take a tenth of the time of the fit.
        """
        n, m = len(parts.M), min(_BASIS, len(parts.M) - 1)
        self.basis_, self.far_, self.near_ = (
            np.empty((0, 0), np.float32), np.empty((0, 0)), np.empty((0, 0))
        )
        if len(self.eigenvalues_) > _LOOKED_AT or not parts.M.any():
            return
        constant = np.full((n, 1), n**-0.5)
        far = top_eigenpairs(parts.M, m, deflate=constant, tol=1e-3,
                             monitor=Portion(watch, 0.0, 0.8)).vectors
        near = bottom_eigenpairs(parts.L, m, deflate=constant, tol=0.1,
                                 monitor=Portion(watch, 0.8, 1.0)).vectors
        Q = orth(np.hstack([far, near]), rcond=1e-6)
        self.basis_ = np.ascontiguousarray(distinct.restore(Q), np.float32)
        self.far_, self.near_ = parts.ratio * (Q.T @ (parts.M @ Q)), Q.T @ (parts.L @ Q)

    def _squared_to(self, X: NDArray) -> NDArray:
        """Squared distances of new rows to the distinct instances."""
        if self.distances == "euclidean":
            return squared_distances(X, self.instances_)
        invariances = msgspec.json.decode(self.invariances_, type=tuple[Invariance, ...])
        new, known = chips_of(X, self.chip_columns), chips_of(self.instances_, self.chip_columns)
        return dissimilarity_to(new, known, cast(Kind, self.distances), invariances)


class _Last:
    """The parts of the last data: a slider of the strength asks for them again and again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._parts: Parts | None = None

    def take(self, key: object) -> Parts | None:
        with self._lock:
            return self._parts if self._key == key else None

    def keep(self, key: object, parts: Parts) -> None:
        with self._lock:
            self._key, self._parts = key, parts


_last = _Last()
