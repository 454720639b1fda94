"""Linear discriminant analysis with shrinkage; further axes from the PCA of what it leaves."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.cross_validated import cross_validated_shrinkage
from emberscope.embedding.linear.generalized import (
    between_factor,
    class_scatters,
    in_span,
    ledoit_wolf,
    ratio_axes,
    shrunk,
)
from emberscope.embedding.linear.linear import Linear, project, weighted_mean
from emberscope.embedding.linear.pca import covariance, principal_axes
from emberscope.neighbors.spectral import fix_signs

_COVARIANCE_LIMIT = 2_000

SHRINKAGE = param(
    None, low=0, high=1, group="Embedding",
    auto="Ledoit-Wolf, or more where that predicts left-out labels better",
    help="How far the spread within classes is made round; more is safer with few instances.",
)


class LDA(Linear):
    """The directions that separate the labeled classes best for their spread; Z = (X - mean) W.

    C classes give at most C - 1 discriminants; further axes are principal components of the part of
    X that is orthogonal to them, so that two classes still make a 2-D embedding. All axes have unit
    within-class variance.

    Attributes
    ----------
    components_ : (D, d) float64. mean_ : (D,).
        eigenvalues_ : (c,) ratios between / within of the discriminants.
    shrinkage_ : float. The shrinkage used. n_discriminants_ : int.
        Leading axes that are discriminants.

    Notes
    -----
    Fisher 1936 (two classes: w is proportional to S_w^-1 (mu_2 - mu_1), Rao 1948 for more). Labels
    are instance labels (bag labels spread where only bags are given, a baseline); a soft label in
    [-1, 1] counts by its magnitude, 0.5 like half an instance; one of unknown label takes no part
    in the axes but is mapped. More than two classes are allowed. Within-class scatter is shrunk,
    (1 - s) S + s tr(S)/D I, by itself by Ledoit and Wolf's amount, or by that which predicts the
    labels of left-out instances best where it is more: see `cross_validated_ridge`. O(N D² + D³);
    where D exceeds the labeled instances the work is done in their span, O(N² D).
    """

    reads_labels = True
    takes_classes = True
    n_components: int = N_COMPONENTS
    shrinkage: float | None = SHRINKAGE
    state = (*Linear.state, "eigenvalues_", "shrinkage_", "n_discriminants_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes from labeled instances. Raises MissingLabels without two classes."""
        watch = monitored(monitor)
        X, labels, weights = self._validate_labeled(X, y, bags)
        self._check_rank(X.shape)
        watch.step(0.0, "Scatter")
        least = 0.0
        if self.shrinkage is None:
            least = cross_validated_shrinkage(X, labels, weights, monitor=Portion(watch, 0.0, 0.2))
        found = fisher(
            X, labels, weights, shrinkage=self.shrinkage, least=least,
            monitor=Portion(watch, 0.2, 0.5)
        )
        W = found.axes[:, : self.n_components]
        watch.step(0.5, "Further axes")
        further = residual_axes(X, W, self.n_components - W.shape[1],
                                monitor=Portion(watch, 0.5, 0.8))
        W = np.hstack([W, further])
        self.n_discriminants_ = self.n_components - further.shape[1]
        self._note_axes(further.shape[1])
        self.shrinkage_, self.mean_ = found.shrinkage, found.mean
        self.components_ = W / found.within_deviation(W)
        self.eigenvalues_ = found.values[: self.n_components]
        self.embedding_ = project(X, self.mean_, self.components_, monitor=Portion(watch, 0.8, 1.0))
        return self

    def _note_axes(self, n_further: int) -> None:
        if not self.n_discriminants_:
            self.notes_.append(
                "No direction separates the classes; all axes are principal components.")
        elif n_further:
            self.notes_.append(
                f"Axes from {self.n_discriminants_ + 1} on are principal components of the rest.")


@dataclass(frozen=True, slots=True)
class Fisher:
    """Fisher's problem, solved.

    values : (c,), c <= C - 1, ratio of between to within scatter, descending. axes : (D, c), W' S_w
    W = I for the shrunk within-class covariance S_w. mean : (D,). shrinkage : float.
    within : (r, r), S_w before shrinkage, in coordinates of `basis` (D, r) where there is one.
    """

    values: NDArray
    axes: NDArray
    mean: NDArray
    shrinkage: float
    within: NDArray
    basis: NDArray | None

    def within_deviation(self, W: NDArray) -> NDArray:
        """Weighted standard deviation within classes along each column of W (D, d);
        1 where there is none."""
        inside = W if self.basis is None else self.basis.T @ W
        variance = np.einsum("dk,de,ek->k", inside, self.within, inside, optimize=True)
        return np.where(variance > 0, np.sqrt(np.maximum(variance, 0.0)), 1.0)


def fisher(
    X: NDArray,
    y: NDArray,
    weights: NDArray,
    *,
    shrinkage: float | None = None,
    least: float = 0.0,
    monitor: Monitor | None = None,
) -> Fisher:
    """Fisher's axes of weighted instances; `shrinkage` None is Ledoit and Wolf's, or `least`.
    Label 0 takes no part.

    X : (N, D). y : (N,) class of each, any integers. weights : (N,) >= 0; 2 equals a doubled row.
    Raises MissingLabels for a single class.
    """
    watch = monitored(monitor)
    n_features = X.shape[1]
    known = (y != 0) & (weights > 0)
    if known.sum() <= n_features:
        X, y, weights = X[known].astype(np.float64), y[known], weights[known]
        center = weighted_mean(X, weights)
        A, _, basis = in_span(X, center)
    else:
        A, center, basis = X, np.zeros(n_features), None
    classes = class_scatters(A, y, np.where(y != 0, weights, 0.0), monitor=watch)
    if len(classes) < 2:
        raise MissingLabels("the labels name one class",
                            hint="Label some target and some background.")
    watch.step(0.9, "Discriminants")
    amount = max(ledoit_wolf(classes, n_features), least) if shrinkage is None else float(shrinkage)
    within = np.sum([c.scatter for c in classes], axis=0) / sum(c.total for c in classes)
    inner_mean, factor = between_factor(classes)
    values, W = ratio_axes(
        factor, shrunk(within, amount, n_features), len(classes) - 1, factor=True, vanishing=0.0
    )
    # Of K centers about their mean one is not independent; rounding must not make an axis of it.
    useful = (
        np.sqrt(values) > 1e-10 * max(np.sqrt(values.max(initial=0.0)), np.finfo(np.float64).tiny)
    )
    W = W[:, useful] if basis is None else basis @ W[:, useful]
    mean = center + (inner_mean if basis is None else basis @ inner_mean)
    return Fisher(values[useful], fix_signs(W), mean, amount, within, basis)


def discriminants(
    X: NDArray, y: NDArray, *, weights: NDArray | None = None, shrinkage: float = 0.0
) -> tuple[NDArray, NDArray]:
    """Fisher's ratios (c,), descending, and axes (D, c) of weighted instances of any integer
    classes."""
    w = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
    found = fisher(X, np.unique(y, return_inverse=True)[1] + 1, w, shrinkage=shrinkage)
    return found.values, found.axes


def residual_axes(X: NDArray, W: NDArray, m: int, *, monitor: Monitor | None = None) -> NDArray:
    """m orthonormal principal axes (D, m) of the part of X that is orthogonal to the columns of
    W."""
    n, dim = X.shape
    if m <= 0:
        return np.empty((dim, 0))
    Q = np.linalg.qr(W)[0]
    mean = X.mean(axis=0, dtype=np.float64)
    if n > dim and dim <= _COVARIANCE_LIMIT:
        S = covariance(X, mean, monitor=monitor)
        S -= Q @ (Q.T @ S)
        S -= (S @ Q) @ Q.T
        axes = eigh(S, subset_by_index=(dim - m, dim - 1), check_finite=False)[1][:, ::-1]
    else:
        rest = X - mean
        rest -= (rest @ Q) @ Q.T
        axes = principal_axes(rest, np.zeros(dim), m, monitor=monitor)[1]
    # An axis without variance is arbitrary and may lean on W; take that part out.
    axes = np.linalg.qr(np.hstack([Q, axes]))[0][:, Q.shape[1] :]
    return fix_signs(axes)
