"""Instances without a label in a supervised embedding: placed like new ones, or,
where labels are few, taking part."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emberscope.base.fields import not_a_param
from emberscope.embedding.measured import Measured
from emberscope.embedding.nonlinear import SPECTRAL_COMPONENTS, Nonlinear
from emberscope.embedding.out_of_sample import Reconstruction, reconstruct
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.search import nearest_of, neighbors_listed

LABELED_COMPONENTS = replace(SPECTRAL_COMPONENTS, grid=(1, 2, 5, 10, 20))
ENOUGH = 16.0  # labels of each class from which on labeled instances make the embedding alone


@dataclass(frozen=True, slots=True)
class Made:
    """Which instances an embedding is made of.

    rows : (n,) int64, ascending, rows of X. member : (N,) int64, the place in `rows` of every
    instance: its own, or that of the nearest one that has a place.
    """

    rows: NDArray[np.int64]
    member: NDArray[np.int64]

    def select(self, values: NDArray) -> NDArray:
        """The rows of `values` (N, ...) that take part; `values` itself where all do."""
        return values if len(self.rows) == len(values) else values[self.rows]


class OfLabeled(Measured, Nonlinear):
    """Base of supervised methods whose embedding is made of the labeled instances.

    An instance of unknown label lies where `transform` would put it. In the graph, or among the
    distances, it would tie the classes that it lies between to each other, and land between them:
    with half of the labels, classes of the unlabeled half were separated worse than by leaving it
    out of the fit, by every method here and on all data tried. Only where a class has labels worth
    fewer than 16 whole ones, too few to show the shape of the data, do unlabeled instances take
    part.
    """

    # of the last fit: which of its instances `instances_` are
    _rows: NDArray[np.int64] = not_a_param()

    def placed_by(self, X: NDArray, squared: NDArray) -> NDArray:
        """Coordinates (M, d) of further instances X (M, D) whose squared distances from the N of
        the fit are known.

        squared : (M, N). For an estimator that was just fitted with distances;
            a stored one no longer knows its N.
        """
        return self._placed_by(X, squared[:, self._rows])

    def _placed_by(self, X: NDArray, squared: NDArray) -> NDArray:
        """The same by squared distances (M, U) from `instances_`."""
        return self._by_distances(X, squared).coordinates.astype(X.dtype)

    def _by_distances(self, X: NDArray, squared: NDArray) -> Reconstruction:
        """Combinations of the instances that are nearest by squared distances (M, U) from
        `instances_`."""
        return reconstruct(self.instances_, self.coordinates_, X, rule=self._placing,
                           search=lambda k: neighbors_listed(squared, k, dtype=X.dtype))

    def _made_of(
        self, X: NDArray, labels: NDArray, weights: NDArray, given: Distances | None
    ) -> Made:
        """The labeled rows where every class has enough of them, else all; notes which."""
        n, known = len(X), (labels != 0) & (weights > 0)
        if known.all() or not known.any():
            return Made(np.arange(n), np.arange(n))
        total = np.bincount(np.unique(labels[known], return_inverse=True)[1], weights[known])
        if total.min() < ENOUGH:
            self.notes_.append(
                f"A class has fewer than {ENOUGH:.0f} labels: instances without a label take part, "
                "and draw classes "
                "together."
            )
            return Made(np.arange(n), np.arange(n))
        rows, rest = np.flatnonzero(known), np.flatnonzero(~known)
        self.notes_.append(f"{len(rest)} instances without a label are placed like new ones.")
        member = np.empty(n, np.int64)
        member[rows] = np.arange(len(rows))
        member[rest] = nearest_of(X, rest, rows, 1, distances=given).idx[:, 0]
        return Made(rows, member)

    def _place_rest(
        self, X: NDArray, made: Made, distinct: Distinct, given: Distances | None
    ) -> None:
        """After `_finish` with the rows of `made`, of which some are `distinct`:
        coordinates of all of X."""
        self._rows = made.rows[distinct.rows]
        if len(made.rows) < len(X):
            Z = self.embedding_[made.member]
            rest = np.setdiff1d(np.arange(len(X)), made.rows, assume_unique=True)
            if given is None or self._goes_by_features:
                Z[rest] = self.transform(X[rest])
            else:
                Z[rest] = self.placed_by(X[rest], given.squared[rest])
            self.embedding_ = Z
