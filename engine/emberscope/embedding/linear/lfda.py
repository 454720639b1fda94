"""Local Fisher discriminant analysis: classes may consist of several clusters."""

from dataclasses import replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, param
from emberscope.embedding.linear.cross_validated import cross_validated_shrinkage
from emberscope.embedding.linear.generalized import (
    ClassScatter,
    between_factor,
    class_scatters,
    in_span,
    laplacian_form,
    ledoit_wolf,
    ratio_axes,
    shrunk,
)
from emberscope.embedding.linear.lda import SHRINKAGE
from emberscope.embedding.linear.linear import Linear, project, weighted_mean
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import affinity, knn, nearest, neighborhood_graph
from emberscope.neighbors.spectral import fix_signs

ALL_PAIRS = 5_000  # labeled instances up to which every pair of a class is compared by default
SCALE_NEIGHBOR = 7
_PAIRS = 1 << 22
NEIGHBORHOOD = param(
    None, choices=("all", "knn"), group="Graph",
    auto="all pairs up to 5000 labeled instances, else knn",
    help="Pairs of a class that are kept together: all of them, or neighbors only.",
)
WITHIN_CLASS = replace(
    N_NEIGHBORS, when=("neighborhood", "knn"), help="Neighbors of each instance within its class.",
)

Kernel = Literal["heat", "binary"]


class LFDA(Linear):
    """Separate the classes, but keep near only those instances of a class that are near:
    Fisher's ratio, locally.

    A class in several clusters is not forced onto one point,
    and there may be more axes than classes.

    Attributes
    ----------
    components_ : (D, d) float64, unit within-class deviation of the nearest kind. mean_ : (D,).
    eigenvalues_ : (d,) ratios of local between to local within scatter,
        descending. shrinkage_ : float.

    Notes
    -----
    Sugiyama 2007: S_w = 1/2 sum_c 1/N_c sum_{m,n in c} A_mn (x_m - x_n)(.)', S_b the same with A_mn
    (1/N - 1/N_c) within and 1/N between classes, A_mn = exp(-|x_m - x_n|² / (s_m s_n)),
    s = distance to the 7th nearest of the own class. With A = 1 (kernel "binary", all pairs) this
    is LDA. Weak labels: N_c is the sum of the label weights of a class, a pair weighs the product
    of both; copies of an instance are one with the sum of their weights, so 2 equals a doubled row.
    S_w is shrunk like that of LDA, by the amount right for the covariance within classes. All
    pairs: O(sum N_c² D) by blocks; knn: O(N k D) after the search. Then O(D³).
    """

    reads_labels = True
    takes_classes = True
    n_components: int = N_COMPONENTS
    shrinkage: float | None = SHRINKAGE
    kernel: str = param(
        "heat", choices=("heat", "binary"), group="Graph",
        help="Heat: near instances of a class count more. Binary: all the same; with all pairs "
        "this is LDA.",
    )
    neighborhood: str | None = NEIGHBORHOOD
    n_neighbors: int = WITHIN_CLASS
    state = (*Linear.state, "eigenvalues_", "shrinkage_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes from labeled instances. Raises MissingLabels without two classes."""
        watch = monitored(monitor)
        X, labels, weights = self._validate_labeled(X, y, bags)
        self._check_rank(X.shape)
        watch.step(0.0, "Labeled instances")
        U, label, weight = merged(X, labels, weights)
        center = weighted_mean(U, weight)
        A, _, basis = in_span(U, center)
        classes = class_scatters(A, label, weight, monitor=Portion(watch, 0.0, 0.1))
        if len(classes) < 2:
            raise MissingLabels("the labels name one class",
                                hint="Label some target and some background.")
        if self.shrinkage is None:
            least = cross_validated_shrinkage(U, label, weight, monitor=Portion(watch, 0.1, 0.2))
            self.shrinkage_ = max(ledoit_wolf(classes, X.shape[1]), least)
        else:
            self.shrinkage_ = float(self.shrinkage)
        local = [
            local_scatter(
                A, c, kernel=self.kernel, n_neighbors=self._reach(len(U)),  # type: ignore[arg-type]
                monitor=Portion(watch, 0.2 + 0.7 * i / len(classes),
                                0.2 + 0.7 * (i + 1) / len(classes)),
            )
            for i, c in enumerate(classes)
        ]
        watch.step(0.9, "Axes")
        between, within = local_fisher(classes, local)
        self.eigenvalues_, W = ratio_axes(
            between, shrunk(within, self.shrinkage_, X.shape[1]), self.n_components, vanishing=0.0
        )
        W = W / np.sqrt(np.maximum(np.einsum("dk,de,ek->k", W, within, W, optimize=True),
                                   np.finfo(np.float64).tiny))
        self.mean_ = center
        self.components_ = self._padded(W if basis is None else fix_signs(basis @ W))
        self.embedding_ = project(X, self.mean_, self.components_,
                                  monitor=Portion(watch, 0.95, 1.0))
        return self

    def _reach(self, n: int) -> int | None:
        """Neighbors per instance, or None for all pairs."""
        mode = self.neighborhood or ("all" if n <= ALL_PAIRS else "knn")
        return None if mode == "all" else self.n_neighbors


def merged(X: NDArray, labels: NDArray, weights: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """The labeled instances; copies with the same label are one that carries the sum of their
    weights.

    `labels` and `weights` : (N,); returns (n, D), (n,), (n,).
    """
    known = (labels != 0) & (weights > 0)
    U, label, weight = X[known], labels[known], weights[known]
    distinct = distinct_rows(U, label)
    if not distinct.n_merged:
        return U, label, weight
    return U[distinct.rows], label[distinct.rows], np.bincount(distinct.inverse, weight)


def local_scatter(
    X: NDArray,
    c: ClassScatter,
    *,
    kernel: Kernel = "heat",
    n_neighbors: int | None = None,
    monitor: Monitor | None = None,
) -> NDArray:
    """1/2 sum over pairs of one class of w_m w_n A_mn (x_m - x_n)(x_m - x_n)', (D, D).

    X : (N, D), distinct rows within the class.
        n_neighbors : None for all pairs, else A is 0 beyond that many.
    """
    watch = monitored(monitor)
    if len(c.rows) == 1:
        return np.zeros((X.shape[1], X.shape[1]))
    if n_neighbors is None and kernel == "binary":
        return c.total * c.scatter
    own = X[c.rows].astype(np.float64) - c.mean
    if n_neighbors is None:
        return _all_pairs(own, c.weights, watch)
    found = knn(own, min(n_neighbors, len(own) - 1), monitor=Portion(watch, 0.0, 0.5))
    graph = neighborhood_graph(own, found, components="keep")
    A = affinity(graph, found, kernel=kernel, scale_neighbor=SCALE_NEIGHBOR)
    A.data *= np.repeat(c.weights, np.diff(A.indptr)) * c.weights[A.indices]
    return laplacian_form(own, np.zeros(own.shape[1]), A, monitor=Portion(watch, 0.5, 1.0))


def local_fisher(classes: list[ClassScatter], local: list[NDArray]) -> tuple[NDArray, NDArray]:
    """Local between- and within-class covariance (D, D) from the moments and the local scatter of
    every class."""
    n = sum(c.total for c in classes)
    factor = between_factor(classes)[1]
    within, mixed = np.zeros_like(local[0]), factor @ factor.T
    for c, L in zip(classes, local):
        within += L / (c.total * n)
        mixed += (L / n + (1 - c.total / n) * c.scatter) / n
    return mixed - within, within


def _all_pairs(X: NDArray, w: NDArray, watch: Monitor) -> NDArray:
    scale = nearest(X, X, min(SCALE_NEIGHBOR + 1, len(X))).dist[:, -1].astype(np.float64)
    norms = np.einsum("nd,nd->n", X, X)
    out = np.zeros((X.shape[1], X.shape[1]))
    for part in slices(len(X), _PAIRS // len(X), watch, "Pairs of a class"):
        A = X[part] @ X.T
        A *= -2
        A += norms[part, None] + norms
        np.maximum(A, 0.0, out=A)
        A /= -scale[part, None] * scale
        np.exp(A, out=A)
        A *= w[part, None] * w
        out += X[part].T @ (A.sum(axis=1)[:, None] * X[part] - A @ X)
    return (out + out.T) / 2
