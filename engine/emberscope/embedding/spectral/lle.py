"""Locally linear embedding: every instance is the same weighted mean of its neighbors in the
embedding."""

from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor, Portion
from emberscope.embedding.out_of_sample import Rule
from emberscope.embedding.spectral.null_space import NullSpaceMethod
from emberscope.embedding.spectral.reconstruction_weights import (
    reconstruction_error,
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.graph import Neighbors


class LLE(NullSpaceMethod):
    """Minimize |Z - W Z|² with Z'Z / N = I and mean 0;
    W rebuilds every instance of X from its neighbors.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending, of (I - W)'(I - W). stretch_ : (d,), see `NullSpaceMethod`.

    Notes
    -----
    Roweis and Saul 2000. Weights with ridge 1e-3 tr(C). Then, with `rectify`, the affine map that
    makes edges as long as in X: LLE alone leaves scale and aspect without meaning.
    O(N k² D) for the weights; for the eigenvectors see `neighbors.spectral.bottom_eigenpairs`.
    `transform` is LLE's own map: the weighted mean of the k nearest training instances.
    """

    def _least_neighbors(self) -> int:
        return self.n_components

    def _misfit(self, X: NDArray, neighbors: Neighbors, watch: Monitor) -> csr_array:
        weights = reconstruction_weights(X, neighbors, monitor=Portion(watch, 0.0, 0.9))
        return reconstruction_error(weight_matrix(neighbors, weights))

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = "lle", n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d),
        from as many neighbors as were fitted with."""
        X = self._validate_new(X)
        k = n_neighbors or self.n_neighbors or 12
        return self._reconstructed(X, rule=rule, n_neighbors=k).coordinates.astype(X.dtype)
