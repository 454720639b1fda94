"""Base of nonlinear methods: duplicates merged, the shared kNN graph,
new instances by reconstruction."""

from dataclasses import replace
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.base.param import N_COMPONENTS
from emberscope.embedding.out_of_sample import (
    Novelty,
    Reconstruction,
    Rule,
    errors_left_out,
    novelty,
    reconstruct,
)
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct, distinct_rows
from emberscope.neighbors.graph import Neighbors, knn
from emberscope.neighbors.search import nearest, neighbors_by

SPECTRAL_COMPONENTS = replace(N_COMPONENTS, high=100)


class GraphBased(Embedder):
    """Base of methods that look at neighbors, linear or not: copies merged, the shared kNN list."""

    def _distinct(self, X: NDArray, n_components: int, y: NDArray | None = None) -> Distinct:
        """Merge exact duplicates; DataError where fewer than n_components + 1 different instances
        are left."""
        distinct = distinct_rows(X, y)
        if distinct.n_merged:
            self.notes_.append(f"{distinct.n_merged} of {len(X)} instances are exact copies of "
                               "others.")
        if len(distinct) < n_components + 1:
            raise DataError(
                f"n_components is {n_components} with n_samples = {len(X)}, of which "
                f"{len(distinct)} are different",
                hint=f"Give at least {n_components + 1} different instances.",
            )
        return distinct

    def _fewer(self, k: int, n: int) -> int:
        """Lower a k that is too large for n different instances to n - 1, and leave a note."""
        if k > n - 1:
            self.notes_.append(f"k was lowered from {k} to {n - 1}: there are {n} different "
                               "instances.")
        return min(k, n - 1)

    def _neighbors(
        self, X: NDArray, k: int, watch: Monitor, distances: Distances | None = None
    ) -> Neighbors:
        """The shared kNN list, or one by distances that are given;
        a k too large for X is lowered, and noted."""
        k = self._fewer(k, len(X))
        if distances is not None:
            return neighbors_by(distances, k, dtype=X.dtype, monitor=watch)
        found = knn(X, k, monitor=watch)
        if found.recall < 1:
            self.notes_.append(f"Neighbors are approximate; {found.recall:.1%} of a sample are the "
                               "true ones.")
        return found


class Nonlinear(GraphBased):
    """Base of methods without a map of their own:
    `transform` is linear reconstruction (Saul and Roweis 2003).

    Attributes
    ----------
    instances_ : (U, D). The distinct training instances; X itself, no copy,
        where all are. coordinates_ : (U, d).
    """

    state: ClassVar[tuple[str, ...]] = ("instances_", "coordinates_")

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d); see `out_of_sample.reconstruct`. Default
        rule "lle"; "idw" where the fit was given distances.

        Instances far from all training instances still get plausible coordinates:
        look at `novelty`.
        """
        X = self._validate_new(X)
        found = self._reconstructed(X, rule=rule, n_neighbors=n_neighbors)
        return found.coordinates.astype(X.dtype)

    def _reconstructed(
        self, X: NDArray, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> Reconstruction:
        """`out_of_sample.reconstruct` from the training instances that are nearest as the fit
        measured them."""
        search = partial(self._nearest_known, X)
        return reconstruct(
            self.instances_, self.coordinates_, X, rule=rule or self._placing,
            n_neighbors=n_neighbors, search=search
        )

    def _nearest_known(self, X: NDArray, k: int) -> Neighbors:
        """The k training instances nearest to each new one (M, D)."""
        return nearest(self.instances_, X, k)

    @property
    def _placing(self) -> Rule:
        return "lle"

    @property
    def _goes_by_features(self) -> bool:
        """Whether new instances are placed by a function of their features,
        whatever distances the fit was given."""
        return False

    def novelty(self, X: ArrayLike) -> Novelty:
        """Reconstruction error, nearest distance and confidence of new instances."""
        found = reconstruct(self.instances_, self.coordinates_, self._validate_new(X))
        return novelty(found, errors_left_out(self.instances_))

    def _finish(self, X: NDArray, distinct: Distinct, Z: NDArray) -> Self:
        """Store coordinates of the distinct instances and restore the copies."""
        U = distinct.select(X)
        self.instances_ = U  # X itself where nothing was merged: no copy of large data is held
        self.coordinates_ = np.ascontiguousarray(Z, X.dtype)
        self.embedding_ = distinct.restore(self.coordinates_)
        return self
