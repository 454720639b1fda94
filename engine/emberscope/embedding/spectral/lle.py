"""Locally linear embedding: every instance is the same weighted mean of its neighbors in the
embedding."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion
from emberscope.embedding.chosen_graph import GRAPH, RADIUS, ChoosesGraph
from emberscope.embedding.components import Part
from emberscope.embedding.out_of_sample import Rule
from emberscope.embedding.spectral.null_space import NullSpaceMethod
from emberscope.embedding.spectral.reconstruction_weights import (
    edge_weights,
    full_weights,
    reconstruction_error,
    reconstruction_weights,
    weight_matrix,
)
from emberscope.neighbors.graph import Graph, Neighbors

FULL_LIMIT = 2000  # instances; a product of full matrices of this size takes a second


class Rebuilt(NullSpaceMethod):
    """Base of those that rebuild every instance from its neighbors, new ones as well."""

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = "lle", n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d),
        from as many neighbors as were fitted with."""
        X = self._validate_new(X)
        k = n_neighbors or self.n_neighbors or 12
        return self._reconstructed(X, rule=rule, n_neighbors=k).coordinates.astype(X.dtype)


class LLE(Rebuilt, ChoosesGraph):
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

    By radius or mutual neighbors, all that an instance has an edge to rebuild it. On the full graph
    all others do: they can rebuild anything, so that the embedding is a linear one, and nothing is
    unrolled. O(N³) there, for up to 2000 instances.
    """

    graph: str = replace(
        GRAPH,
        help="knn: its k nearest rebuild an instance. Mutual: those of them that list it, too. "
        "Radius: all nearer than the radius. Full: all others, which makes the embedding linear; "
        "up to 2000 instances.",
    )
    radius: float | None = RADIUS

    def _least_neighbors(self) -> int:
        return self.n_components

    def _graph(
        self, X: NDArray, neighbors: Neighbors, *, joined: bool, watch: Monitor
    ) -> Graph | None:
        if self.graph == "knn":
            return None
        if self.graph == "full" and len(X) > FULL_LIMIT:
            raise TooLarge(
                f"all others of {len(X)} instances rebuild each of them, which takes minutes",
                hint=f"Choose k nearest neighbors or a radius, or at most {FULL_LIMIT} instances.",
            )
        return self._chosen_graph(X, neighbors, watch, components="bridge" if joined else "keep")

    def _misfit(self, part: Part, watch: Monitor) -> csr_array:
        if self.graph == "full":
            watch.step(0.0, "Reconstruction weights")
            lost = -full_weights(part.X)
            lost[np.diag_indices_from(lost)] += 1
            return csr_array(lost.T @ lost)
        first = Portion(watch, 0.0, 0.9)
        if self.graph != "knn":
            return reconstruction_error(edge_weights(part.X, part.graph.lengths, monitor=first))
        weights = reconstruction_weights(part.X, part.neighbors, monitor=first)
        return reconstruction_error(weight_matrix(part.neighbors, weights))
