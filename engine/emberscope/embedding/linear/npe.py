"""Neighborhood preserving embedding: the linear form of locally linear embedding."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, N_NEIGHBORS, param
from emberscope.embedding.linear.generalized import (
    in_span,
    least_axes,
    quadratic_form,
    ratio_axes,
    weighted_scatter,
)
from emberscope.embedding.linear.linear import Linear, project
from emberscope.embedding.linear.lpp import ORTHOGONAL, RIDGE
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import GraphBased
from emberscope.embedding.spectral.reconstruction_weights import (
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.spectral import fix_signs


class NPE(Measured, Linear, GraphBased):
    """Straight axes along which every instance is still the same mean of its neighbors:
    a' X'MX a with a' X'X a = 1.

    M = (I - R)'(I - R), where the rows of R reconstruct each instance from its neighbors as well as
    possible.

    Attributes
    ----------
    components_ : (D, d) float64. Coordinates have variance 1; orthonormal columns where
        `orthogonal`. mean_ : (D,).
    eigenvalues_ : (d,) ascending: share of the variance that is lost in reconstruction,
        or a' X'MX a where orthogonal.

    Notes
    -----
    He, Cai, Yan and Zhang 2005 (also called NPP); `orthogonal` gives ONPP (Kokiopoulou and Saad
    2007). X is centered; the ridge is added to both sides, see `LPP`. Copies of an instance count
    once. O(N k² D + N D² + D³) after the search.
    """

    n_components: int = N_COMPONENTS
    n_neighbors: int = replace(
        N_NEIGHBORS, default=12, help="Neighbors that reconstruct each instance.",
    )
    regularization: float = param(
        1e-3, low=0, open_low=True, high=1, group="Graph", advanced=True,
        help="Ridge of the reconstruction weights, as a share of the local variance; more makes "
        "them alike.",
    )
    orthogonal: bool = ORTHOGONAL
    ridge: float = RIDGE
    state = (*Linear.state, "eigenvalues_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the axes; labels are ignored."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        distinct = self._distinct(X, self.n_components)
        U = distinct.select(X)
        neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.5),
                                    self._given_among(distinct))
        weights = reconstruction_weights(
            U, neighbors, ridge=self.regularization, monitor=Portion(watch, 0.5, 0.6)
        )
        self.mean_ = U.mean(axis=0, dtype=np.float64)
        inner, inner_mean, basis = in_span(U, self.mean_)
        spread = weighted_scatter(inner, inner_mean, np.ones(len(U)))
        lost = lost_form(inner, inner_mean, weight_matrix(neighbors, weights),
                         monitor=Portion(watch, 0.6, 0.9))
        if self.orthogonal:
            self.eigenvalues_, axes = least_axes(lost, spread, self.n_components)
        else:
            self.eigenvalues_, axes = ratio_axes(lost, spread, self.n_components, smallest=True,
                                                 ridge=self.ridge)
            axes *= np.sqrt(len(U))
        self.components_ = self._padded(axes if basis is None else fix_signs(basis @ axes))
        self.embedding_ = project(X, self.mean_, self.components_, monitor=Portion(watch, 0.9, 1.0))
        return self


def lost_form(
    X: NDArray, mean: NDArray, R: csr_array, *, monitor: Monitor | None = None
) -> NDArray:
    """X' (I - R)'(I - R) X, (D, D): what reconstruction loses along pairs of axes.
    Rows of R sum to 1."""
    back = csr_array(R.T)

    def apply(B: NDArray) -> NDArray:
        rest = B - R @ B
        return rest - back @ rest

    return quadratic_form(X, mean, apply, monitor=monitor)
