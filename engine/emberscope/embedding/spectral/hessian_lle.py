"""Hessian LLE: coordinates without curvature along the manifold."""

from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.embedding.components import Part
from emberscope.embedding.spectral.alignment import AlignedTangents, alignment_matrix, hessian


class HessianLLE(AlignedTangents):
    """Minimize the sum over neighborhoods of the squared second derivatives of Z in the local
    tangent coordinates.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending, of the Hessian form. stretch_ : (d,), see `NullSpaceMethod`.

    Notes
    -----
    Donoho and Grimes 2003. A neighborhood is the k neighbors, without the instance itself. The
    quadratic part is the last d (d + 1) / 2 columns of an economy QR factorization of [e, tangents,
    their products]; scikit-learn 1.9 keeps all trailing columns of a complete one, which gives
    LTSA's matrix. k at least 1 + d + d (d + 1) / 2. Exact for any region that can be laid flat,
    holes included. An instance that is no neighbor of any other one has no say in the sum and would
    get an axis of its own: it is placed by its neighbors afterwards. Then, with `rectify`, the
    affine map that makes edges as long as in X, see `rectify`. O(N (k² D + k³ + k d⁴)) for the
    form; for the eigenvectors see `neighbors.spectral.bottom_eigenpairs`.
    """

    def _least_neighbors(self) -> int:
        d = self.n_components
        return 1 + d + d * (d + 1) // 2

    def _least_instances(self) -> int:
        return self._least_neighbors()

    def _wanted_neighbors(self) -> int:
        if self.n_neighbors is None:
            return max(12, 2 * self._least_neighbors())
        return super()._wanted_neighbors()

    def _misfit(self, part: Part, watch: Monitor) -> csr_array:
        X, neighbors = part.X, part.neighbors
        return alignment_matrix(X, neighbors.idx, self.n_components, hessian, monitor=watch)
