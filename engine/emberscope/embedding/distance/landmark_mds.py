"""Landmark MDS: a few instances are scaled, the others triangulated from their distances to
them."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.embedding.distance.mds import classical_scaling, negative_mass
from emberscope.embedding.distance.pairs import METRICS, squared_distances
from emberscope.embedding.measured import Measured
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.geodesics import landmarks
from emberscope.neighbors.spectral import fix_signs

LANDMARKS = 300
_BYTES = 4 << 30
_ROWS = 4096
_SAMPLE = 500
_AXES = 20
_FAINT = 1e-9  # of the largest eigenvalue: fainter spare axes are rounding
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Triangulation:
    """Coordinates from distances to landmarks: z = -1/2 W' (delta - mean) - offset,
    delta the squared distances.

    mean : (L,) mean squared distance of each landmark to the landmarks. W : (L, d). offset : (d,).
    """

    mean: NDArray
    W: NDArray
    offset: NDArray

    def place(self, D: NDArray) -> NDArray:
        """Distances (L, M) to the landmarks -> coordinates (M, d) float64."""
        Z = np.empty((D.shape[1], self.W.shape[1]))
        for part in slices(len(Z), _CHUNK // len(self.mean)):
            delta = np.square(D[:, part], dtype=np.float64) - self.mean[:, None]
            Z[part] = -0.5 * (delta.T @ self.W) - self.offset
        return Z


def landmark_scaling(
    D: NDArray, rows: NDArray, m: int, *, faint: float = _FAINT, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray, Triangulation]:
    """Scale the landmarks `rows`, triangulate everything from distances D (L, N) to them,
    turn to principal axes.

    Parameters
    ----------
    faint : share of the largest eigenvalue from which spare axes count. Where distances are no
        Euclidean ones, faint axes carry more error than shape.

    Returns
    -------
    values : (m,) descending, squared lengths of the columns of Z:
        estimates of the eigenvalues of all rows.
    Z : (N, m) float64, centered. found : the rule for further instances.

    Notes
    -----
    z(x) = -1/2 L# (delta(x) - mean delta), delta squared distances (de Silva and Tenenbaum 2004).
    Landmarks are not distributed like the instances, so their first m axes are not those of all: up
    to 20 are triangulated and the principal m of these kept. Twenty axes come far nearer to the
    scaling of all rows than m axes do. O(L² + L N).
    """
    watch = monitored(monitor)
    between = D[:, rows].astype(np.float64)
    mean = np.square(between).mean(axis=1)
    values, Y = classical_scaling(between, min(max(m, _AXES), len(rows)), monitor=watch)
    keep = (values > faint * values[0]) | (np.arange(len(values)) < m)
    values, Y = values[keep], Y[:, keep]
    axes = np.divide(Y, values, out=np.zeros_like(Y), where=values > 0)
    watch.step(0.5, "Triangulation")
    Z = Triangulation(mean, axes, np.zeros(axes.shape[1])).place(D)
    center = Z.mean(axis=0)
    Z -= center
    spread, turn = np.linalg.eigh(Z.T @ Z)
    spread, turn = np.maximum(spread[::-1][:m], 0.0), turn[:, ::-1][:, :m]
    turn = np.where(spread > 1e-12 * max(spread[0], 0.0), turn, 0.0)
    found = fix_signs(Z @ turn)
    turn *= np.where((found * (Z @ turn)).sum(axis=0) < 0, -1.0, 1.0)
    return np.where(turn.any(axis=0), spread,
                    0.0), found, Triangulation(mean, axes @ turn, center @ turn)


class LandmarkMDS(Measured):
    """Classical scaling for many instances: some are scaled,
    the others placed by their distances to these.

    Attributes
    ----------
    eigenvalues_ : (d,) squared lengths of the columns of the embedding,
        estimates of those of `mds`, descending.
    landmarks_ : (L,) int64, rows of X. negative_mass_ : as in `MDS`, of up to 500 landmarks.

    Notes
    -----
    de Silva and Tenenbaum 2004; see `landmark_scaling` for where we differ from print. With more
    landmarks than dimensions of the data, and Euclidean distances in up to 20, it is `mds`, hence
    PCA. Distances that are given (`measured_by`) take the place of `metric`. O(L N D) time, 8 L N
    bytes.
    """

    n_components: int = N_COMPONENTS
    metric: str = param(
        "euclidean", choices=METRICS, title="Distance", group="Embedding",
        help="Euclidean gives nearly the embedding of PCA. Cosine compares directions, cityblock "
        "sums differences of the features.",
    )
    n_landmarks: int = param(
        LANDMARKS, low=3, high=5000, title="Landmarks", group="Computation",
        help="Instances that are scaled with all their distances; fewer is faster and rougher.",
    )
    random_state: int = RANDOM_STATE
    state: ClassVar[tuple[str, ...]] = (
        "references_", "mean_delta_", "map_", "offset_", "eigenvalues_", "landmarks_",
        "negative_mass_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored.
        Raises TooLarge where distances to landmarks exceed 4 GB."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        copies = distinct_rows(X)
        L = min(max(self.n_landmarks, self.n_components + 1), len(copies))
        if (size := 8 * L * len(X)) > _BYTES:
            raise TooLarge(
                f"the distances of {len(X)} instances to {L} landmarks take {size / 2**30:.1f} GB",
                hint="Choose fewer landmarks, or fewer instances.",
            )
        U = X[copies.rows]
        self.landmarks_ = copies.rows[
            landmarks(U, L, seed=self.random_state, monitor=Portion(watch, 0.0, 0.2))
        ]
        self.references_ = np.ascontiguousarray(X[self.landmarks_])
        given = self._given_for(len(X))
        D = self._from_landmarks(
            X, Portion(watch, 0.2, 0.7)
        ) if given is None else given.block(self.landmarks_)
        self.negative_mass_ = negative_mass(D[:, self.landmarks_][:_SAMPLE, :_SAMPLE])
        d = min(self.n_components, L)
        values, Z, rule = landmark_scaling(D, self.landmarks_, d, monitor=Portion(watch, 0.7, 1.0))
        spare = self.n_components - d
        self.eigenvalues_ = np.pad(values, (0, spare))
        self.mean_delta_, self.map_ = rule.mean, np.pad(rule.W, ((0, 0), (0, spare)))
        self.offset_ = np.pad(rule.offset, (0, spare))
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {self.n_components} axes are empty: the distances span "
                               "fewer dimensions.")
        Z = np.pad(Z, ((0, 0), (0, spare)))
        self.embedding_ = Z[copies.rows][copies.inverse].astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d), by triangulation."""
        X = self._validate_new(X)
        rule = Triangulation(self.mean_delta_, self.map_, self.offset_)
        Z = np.empty((len(X), self.map_.shape[1]))
        for part in slices(len(X), _ROWS):
            Z[part] = rule.place(self._from_landmarks(X[part], monitored(None)))
        return Z.astype(X.dtype)

    def _from_landmarks(self, X: NDArray, watch: Monitor) -> NDArray[np.float64]:
        """Distances (L, N) of rows of X to the landmarks, as the fit measured them."""
        if self.measure_:
            return np.sqrt(self._squared_to(X, self.references_), dtype=np.float64).T
        delta = squared_distances(X, self.references_, metric=self.metric, monitor=watch)
        return np.sqrt(delta, out=delta).T
