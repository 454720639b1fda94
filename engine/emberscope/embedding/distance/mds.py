"""Classical multidimensional scaling (MDS): coordinates whose Euclidean distances fit given
ones."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.distance.pairs import METRICS, check_square, squared_distances, symmetrize
from emberscope.embedding.measured import Measured
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.spectral import top_eigenpairs

EXACT_LIMIT = 10_000  # 0.8 GB
_SAMPLE = 500
_ROWS = 512
_EUCLIDEAN = 1e-9
_BENT = 0.01  # share of negative eigenvalues that is worth a note


class MDS(Measured):
    """Draw the instances so that straight distances come as near as possible to all distances
    between them.

    Attributes
    ----------
    eigenvalues_ : (d,) of the doubly centered Gram matrix, descending; N - 1 times the variances of
        PCA for Euclidean distances. negative_mass_ : share of negative eigenvalues in the sum of
        magnitudes, of up to 500 instances; 0 where the distances can be drawn in some number of
        dimensions. constant_ : float, added to every distance.

    Notes
    -----
    Torgerson 1952, Gower 1966. K = -1/2 H D² H, Z = V sqrt(lambda): least strain |K - Z Z'|. With
    Euclidean distances the embedding is that of PCA (their eigenvalues differ by the factor N - 1).
    Axes with an eigenvalue <= 0 are 0. `additive_constant`: the least number which, added to all
    distances, makes them Euclidean (Cailliez 1983), from the largest eigenvalue of a 2 N x 2 N
    matrix that is only multiplied with. Distances that are given (`measured_by`) take the place of
    `metric`. New instances: z = -1/2 Lambda^-1/2 V' (delta - mean delta), exact for the training
    instances. O(N² D) for the distances, O(N²) per Lanczos step, 8 N² bytes; at most 10 000
    instances.
    """

    n_components: int = N_COMPONENTS
    metric: str = param(
        "euclidean", choices=(*METRICS, "precomputed"), title="Distance", group="Embedding",
        help="Euclidean gives the embedding of PCA. Cosine compares directions, cityblock sums "
        "differences of the features. Precomputed: X is the matrix of distances.",
    )
    additive_constant: bool = param(
        False, title="Make distances Euclidean", group="Embedding", advanced=True,
        help="Add the least constant to all distances that lets them be drawn without "
        "contradiction.",
    )
    state: ClassVar[tuple[str, ...]] = (
        "references_", "mean_delta_", "map_", "eigenvalues_", "negative_mass_", "constant_",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates; labels are ignored. Raises TooLarge above 10 000 instances."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        delta = self._all_squared(X, Portion(watch, 0.0, 0.4))
        few = np.arange(0, len(X), -(-len(X) // _SAMPLE))
        self.negative_mass_ = negative_mass(np.sqrt(delta[np.ix_(few, few)]))
        if self.negative_mass_ > _BENT:
            self.notes_.append(
                f"The distances contradict each other: {self.negative_mass_:.1%} of the spectrum "
                "is negative."
            )
        self.constant_ = 0.0
        if self.additive_constant:
            self.constant_ = additive_constant(np.sqrt(delta), monitor=Portion(watch, 0.4, 0.6))
            delta = _shifted(delta, self.constant_)
        mean = delta.mean(axis=1)
        d = min(self.n_components, len(X))
        values, Z = scale_squared(delta, d, monitor=Portion(watch, 0.6, 1.0))
        Z = np.pad(Z, ((0, 0), (0, self.n_components - d)))
        self.eigenvalues_ = np.pad(values, (0, self.n_components - d))
        if (flat := int((self.eigenvalues_ <= 0).sum())):
            self.notes_.append(f"{flat} of {self.n_components} axes are empty: the distances span "
                               "fewer dimensions.")
        self.references_ = np.empty((0, 0)) if self.metric == "precomputed" else X
        self.mean_delta_ = mean
        self.map_ = np.divide(Z, self.eigenvalues_, out=np.zeros_like(Z),
                              where=self.eigenvalues_ > 0)
        copies = distinct_rows(X)
        self.embedding_ = Z[copies.rows][copies.inverse].astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d); of their distances to the training
        instances (M, N) where these were precomputed."""
        X = self._validate_new(X)
        Z = np.empty((len(X), self.map_.shape[1]))
        for part in slices(len(X), _ROWS):
            delta = self._squared(X[part])
            if self.constant_:
                delta = _shifted(delta, self.constant_)
            Z[part] = -0.5 * ((delta - self.mean_delta_) @ self.map_)
        return Z.astype(X.dtype)

    def _squared(self, X: NDArray) -> NDArray[np.float64]:
        if self.metric == "precomputed":
            return np.square(X, dtype=np.float64)
        if self.measure_:
            return self._squared_to(X, self.references_).astype(np.float64)
        return squared_distances(X, self.references_, metric=self.metric)

    def _all_squared(self, X: NDArray, watch: Monitor) -> NDArray[np.float64]:
        if len(X) > EXACT_LIMIT:
            raise TooLarge(
                f"the distances between {len(X)} instances take {8 * len(X) ** 2 / 2**30:.1f} GB",
                hint="Choose landmark-mds.",
            )
        given = self._given_for(len(X))
        if self.metric != "precomputed":
            if given is not None:
                return given.squared.astype(np.float64)
            return squared_distances(X, X, metric=self.metric, same=True, monitor=watch)
        if given is not None:
            raise DataError("X holds distances, and others are given beside it",
                            hint="Choose another distance.")
        watch.step(0.0, "Distances")
        check_square(X, "distances")
        if X.min() < 0 or np.diagonal(X).any():
            raise DataError("distances are negative, or not 0 on the diagonal",
                            hint="Give distances, not likenesses.")
        delta = np.square(X, dtype=np.float64)
        symmetrize(delta)
        return delta


def _shifted(delta: NDArray, constant: float) -> NDArray:
    """Squares of the distances plus a constant; 0 stays 0."""
    return np.where(delta > 0, np.square(np.sqrt(delta) + constant), 0.0)


def classical_scaling(
    D: NDArray, m: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """Eigenvalues (m,) and coordinates (N, m) whose straight distances fit D (N, N) best;
    overwrites D.

    Torgerson 1952. Columns of eigenvalues that are not positive are 0. The mean of Z is 0.
    """
    np.square(D, out=D)
    return scale_squared(D, m, monitor=monitor)


def scale_squared(
    delta: NDArray, m: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """`classical_scaling` of squared distances; overwrites them.
    `delta` : (N, N) float64; returns (m,) and (N, m)."""
    watch = monitored(monitor)
    double_center(delta, monitor=Portion(watch, 0.0, 0.2))
    return principal_vectors(delta, m, monitor=Portion(watch, 0.2, 1.0))


def double_center(delta: NDArray, *, monitor: Monitor | None = None) -> None:
    """delta becomes -1/2 H delta H in place, exactly symmetric. `delta` : (N, N) float64. O(N²)."""
    delta -= delta.mean(axis=0)
    delta -= delta.mean(axis=1, keepdims=True)
    delta *= -0.5
    symmetrize(delta, monitor=monitor)


def principal_vectors(
    K: NDArray, m: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """The m largest eigenvalues of a Gram matrix, those not above 1e-12 of the first as 0,
    and V sqrt(lambda).

    `K` : (N, N); returns (m,) and (N, m).
    """
    if not K.any():
        return np.zeros(m), np.zeros((len(K), m))
    found = top_eigenpairs(K, m, monitor=monitor)
    values = np.where(found.values > 1e-12 * max(found.values[0], 0.0), found.values, 0.0)
    return values, found.vectors * np.sqrt(values)


def negative_mass(D: NDArray) -> float:
    """Sum of magnitudes of the negative eigenvalues of the Gram matrix of distances D (n, n),
    share of all; O(n³).

    0 for Euclidean distances. Magnitudes below 1e-9 of the largest count as rounding.
    """
    gram = np.square(D, dtype=np.float64)
    double_center(gram)
    values = np.linalg.eigvalsh(gram)
    values = values[np.abs(values) > 1e-9 * np.abs(values).max(initial=0.0)]
    total = np.abs(values).sum()
    return float(-values[values < 0].sum() / total) if total > 0 else 0.0


def additive_constant(D: NDArray, *, monitor: Monitor | None = None) -> float:
    """The least c >= 0 with which D + c (off the diagonal) is Euclidean: Cailliez 1983.

    The largest real eigenvalue of [[0, 2 B2], [-I, -4 B1]],
    B2 and B1 the doubly centered D² and D, by Arnoldi.
    `D` : (N, N) distances. Raises DataError where it cannot be computed.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    n = len(D)
    watch = monitored(monitor)
    watch.step(0.0, "Additive constant")
    few = np.arange(0, n, -(-n // _SAMPLE))
    if n < 3 or negative_mass(D[np.ix_(few, few)]) < _EUCLIDEAN:
        return 0.0
    squared, plain = np.square(D), D.copy()
    double_center(squared)
    double_center(plain)
    if n < 20:
        return _dense_constant(squared, plain)
    scale = float(np.sqrt(np.square(D).mean())) or 1.0
    steps = 0

    def product(v: NDArray) -> NDArray:
        nonlocal steps
        steps += 1
        if steps % 5 == 1:
            watch.step(1 - 1 / (1 + steps / 50), "Additive constant")
        x, y = v[:n].ravel() * scale, v[n:].ravel()
        return np.concatenate([2 * (squared @ y) / scale, -x - 4 * (plain @ y)])

    operator = LinearOperator((2 * n, 2 * n), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(2 * n)
    try:
        found = eigs(operator, k=1, which="LR", v0=start, tol=1e-9, maxiter=1000,
                     return_eigenvectors=False)
    except ArpackNoConvergence as error:
        if n > _SAMPLE:
            raise DataError(
                "the constant that would make the distances Euclidean was not found",
                hint="Leave them as they are."
            ) from error
        return _dense_constant(squared, plain)
    return max(0.0, float(found[0].real))


def _dense_constant(squared: NDArray, plain: NDArray) -> float:
    n = len(plain)
    block = np.block([[np.zeros((n, n)), 2 * squared], [-np.eye(n), -4 * plain]])
    return max(0.0, float(np.linalg.eigvals(block).real.max()))
