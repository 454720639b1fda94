"""Canonical correlation analysis: what two groups of features say alike."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, svd

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.generalized import in_span
from emberscope.embedding.linear.linear import VANISHING, Linear, project
from emberscope.neighbors.spectral import fix_signs

RIDGES = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)  # of the variance of a feature, which is 1
FOLDS = 5


class CanonicalCorrelation(Linear):
    """Axes in each of two groups of features that are as correlated as possible; coordinates are
    the mean of both.

    Attributes
    ----------
    components_ : (D, d) float64. mean_ : (D,). correlations_ : (d,) of the fit.
    held_out_ : (d,), of instances that took no part in the axes. ridge_ : float, as used.

    Notes
    -----
    Hotelling 1936, with a ridge (Vinod 1976): features are scaled to variance 1, each view is
    whitened with S + ridge I, and the singular vectors of what is left of their covariance are the
    axes, scaled to variance 1 each. With more features than instances any two views correlate
    perfectly: the ridge is chosen by the correlation of five folds left out, which is noted beside
    that of the fit. Bags stay whole in the folds. The first columns of X are one view, the others
    the second. O(N D² + D³) for the fit and as much again for each fold.
    """

    n_components: int = N_COMPONENTS
    first: int | None = param(
        None, low=1, high=1_000_000, title="Features of the first view", group="Embedding",
        auto="half of the features",
        help="How many of the first columns are one view; the others are the second.",
    )
    ridge: float | None = param(
        None, low=0, high=1e6, group="Embedding",
        auto="what gives the largest correlation of instances left out",
        help="Added to the variance of every feature, which is 1; more keeps axes from following "
        "the noise of many features.",
    )
    state = (*Linear.state, "correlations_", "held_out_", "ridge_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes; labels are ignored. Raises DataError for one feature, or a first view
        that leaves none for the second."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        first = self._first(X.shape[1])
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        scale = X.std(axis=0, dtype=np.float64)
        scale[scale <= VANISHING * scale.max()] = np.inf
        if not np.isfinite(scale[:first]).any() or not np.isfinite(scale[first:]).any():
            raise DataError("all instances are the same in a view",
                            hint="Choose other features, or another first view.")
        A, own = _inner((X[:, :first] - self.mean_[:first]) / scale[:first])
        B, other = _inner((X[:, first:] - self.mean_[first:]) / scale[first:])
        whole = Moments.of(A, B)
        d = min(self.n_components, A.shape[1], B.shape[1])
        self.ridge_ = self._judged(A, B, whole, folds_of(X, bags), d, Portion(watch, 0.1, 0.9))
        watch.step(0.9, "Axes")
        _, U, V = whole.axes(self.ridge_, d)
        U, V = _of_unit_variance(U, A), _of_unit_variance(V, B)
        W = fix_signs(np.vstack([own @ U, other @ V]) / 2)
        self.components_ = np.pad(W / scale[:, None], ((0, 0), (0, self.n_components - d)))
        self.embedding_ = project(X, self.mean_, self.components_, monitor=Portion(watch, 0.9, 1.0))
        if d < self.n_components:
            self.notes_.append(f"The smaller view has {d} directions only; further coordinates "
                               "are 0.")
        return self

    def _first(self, n_features: int) -> int:
        first = max(1, n_features // 2) if self.first is None else self.first
        if first >= n_features:
            raise DataError(
                f"the first view takes {first} features with n_features = {n_features}",
                hint="Give more features." if n_features < 2
                else f"Choose at most {n_features - 1}, so that some are left for the second view.",
            )
        return first

    def _judged(
        self, A: NDArray, B: NDArray, whole: "Moments", fold: NDArray, d: int, watch: Monitor
    ) -> float:
        """The ridge; sets and says correlations of the fit and of rows left out."""
        tried = RIDGES if self.ridge is None else (float(self.ridge),)
        numbers = np.unique(fold)
        found = np.zeros((len(tried), d))
        for at, number in enumerate(numbers):
            out = fold == number
            rest = whole.without(A[out], B[out])
            for r, ridge in enumerate(tried):
                watch.step((at + r / len(tried)) / len(numbers), "Correlations left out")
                _, U, V = rest.axes(ridge, d)
                found[r] += _correlations(A[out] @ U, B[out] @ V) * out.mean()
        best = int(found.sum(axis=1).argmax())
        _, U, V = whole.axes(tried[best], d)
        fitted = _correlations(A @ U, B @ V)
        room = (0, self.n_components - d)
        self.correlations_, self.held_out_ = np.pad(fitted, room), np.pad(found[best], room)
        shown = slice(min(d, 3))
        self.notes_.append(
            f"The views correlate by {_listed(fitted[shown])}; instances left out by "
            f"{_listed(found[best][shown])}."
        )
        return tried[best]


@dataclass(frozen=True, slots=True)
class Moments:
    """Second moments of two views: counts, sums (p,) and (q,), products (p, p), (q, q), (p, q)."""

    n: int
    sums: tuple[NDArray, NDArray]
    products: tuple[NDArray, NDArray, NDArray]

    @classmethod
    def of(cls, A: NDArray, B: NDArray) -> "Moments":
        """Those of rows A (n, p) and B (n, q)."""
        return cls(len(A), (A.sum(axis=0), B.sum(axis=0)), (A.T @ A, B.T @ B, A.T @ B))

    def without(self, A: NDArray, B: NDArray) -> "Moments":
        """Those of the other rows."""
        less = Moments.of(A, B)
        return Moments(
            self.n - less.n, (self.sums[0] - less.sums[0], self.sums[1] - less.sums[1]),
            (self.products[0] - less.products[0], self.products[1] - less.products[1],
             self.products[2] - less.products[2]),
        )

    def axes(self, ridge: float, d: int) -> tuple[NDArray, NDArray, NDArray]:
        """The d largest singular values (correlations, without a ridge), and axes U (p, d),
        V (q, d) of either view, of unit variance with the ridge."""
        a, b = (s / self.n for s in self.sums)
        aa, bb, ab = (product / self.n for product in self.products)
        left = _whitening(aa - np.outer(a, a), ridge)
        right = _whitening(bb - np.outer(b, b), ridge)
        P, values, Q = svd(left.T @ (ab - np.outer(a, b)) @ right, full_matrices=False,
                           check_finite=False)
        room = d - min(d, len(values))
        return (np.pad(np.clip(values[:d], 0.0, 1.0), (0, room)),
                np.pad(left @ P[:, :d], ((0, 0), (0, room))),
                np.pad(right @ Q[:d].T, ((0, 0), (0, room))))


def _whitening(S: NDArray, ridge: float) -> NDArray[np.float64]:
    """T (p, r) with T'(S + ridge I) T = I, without directions in which nothing varies."""
    values, vectors = eigh(S, check_finite=False)
    kept = values > 1e-10 * max(values[-1], np.finfo(np.float64).tiny)
    return vectors[:, kept] / np.sqrt(values[kept] + ridge)


def _of_unit_variance(U: NDArray, A: NDArray) -> NDArray[np.float64]:
    """Axes (p, d) of centered rows A, those along which anything varies scaled to variance 1."""
    spread = (A @ U).std(axis=0)
    return U / np.where(spread > 1e-12, spread, 1.0)


def _inner(A: NDArray) -> tuple[NDArray, NDArray]:
    """Rows of a centered view in no more coordinates than there are rows, and their basis."""
    inner, _, basis = in_span(A, np.zeros(A.shape[1]))
    return inner, np.eye(A.shape[1]) if basis is None else basis


def _correlations(u: NDArray, v: NDArray) -> NDArray[np.float64]:
    """Correlation of each column of u (n, d) with that of v; 0 where either does not vary."""
    u, v = u - u.mean(axis=0), v - v.mean(axis=0)
    norm = np.linalg.norm(u, axis=0) * np.linalg.norm(v, axis=0)
    return np.divide((u * v).sum(axis=0), norm, out=np.zeros(u.shape[1]), where=norm > 1e-12)


def folds_of(X: NDArray, bags: Bags | None) -> NDArray[np.int64]:
    """(N,) which of five folds every row is in, whatever their order; bags stay whole as far as
    each row's first bag goes."""
    place = np.empty(len(X), np.int64)
    place[np.lexsort(X.T[::-1])] = np.arange(len(X))
    group = place.copy()
    if bags is not None and len(bags.members):
        first = np.full(len(X), np.iinfo(np.int64).max)
        np.minimum.at(first, bags.members, bags.bag_of_member)
        inside = first < np.iinfo(np.int64).max
        least = np.full(len(bags), np.iinfo(np.int64).max)
        np.minimum.at(least, first[inside], place[inside])
        group[inside] = least[first[inside]]
    return np.unique(group, return_inverse=True)[1].ravel() % min(FOLDS, len(np.unique(group)))


def _listed(values: NDArray) -> str:
    return ", ".join(f"{value:.2f}" for value in values)
