"""Local tangent space alignment: coordinates that are affine in the tangent plane of every
neighborhood."""

import numpy as np
from scipy.sparse import csr_array

from emberscope.base.monitor import Monitor
from emberscope.embedding.components import Part
from emberscope.embedding.spectral.alignment import AlignedTangents, affine_misfit, alignment_matrix


class LTSA(AlignedTangents):
    """Lay neighborhoods out so that Z is as nearly affine in the local tangent coordinates of each
    as it can be.

    Attributes
    ----------
    eigenvalues_ : (d,) ascending, of the alignment matrix B.
        stretch_ : (d,), see `NullSpaceMethod`.

    Notes
    -----
    Zhang and Zha 2004: B = sum of S_i (I - Q_i Q_i') S_i' with Q_i = [e / sqrt(k + 1), tangents],
    the instance itself included. Then, with `rectify`, the affine map that makes edges as long as
    in X, see `rectify`. O(N (k² D + k³)) for B; for the eigenvectors see
    `neighbors.spectral.bottom_eigenpairs`.
    """

    def _least_neighbors(self) -> int:
        return self.n_components + 1

    def _misfit(self, part: Part, watch: Monitor) -> csr_array:
        X, neighbors = part.X, part.neighbors
        members = np.hstack([np.arange(len(X), dtype=np.int32)[:, None], neighbors.idx])
        return alignment_matrix(X, members, self.n_components, affine_misfit, monitor=watch)
