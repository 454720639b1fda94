"""Methods that can be given distances between instances, in place of those between rows of X."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.fields import not_a_param
from emberscope.embedding.out_of_sample import Rule
from emberscope.metric.chip_distances import squared_to
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.search import Neighbors, nearest, neighbors_listed


class Measured(Embedder):
    """Base of these methods.

    Attributes
    ----------
    measure_ : str. Where the distances of the fit came from, "" for those between rows of X: new
        instances are measured in the same way.
    """

    measure_: str = not_a_param("")
    instances_: NDArray = not_a_param()  # of methods that place new instances by them
    _given: Distances | None = not_a_param(None)

    def measured_by(self, distances: Distances | None) -> Self:
        """Let fits take these distances, of as many instances as X has; None:
        those between rows of X again.

        X still says which instances are copies of each other, which ones are landmarks, where an
        iteration starts, and what a new instance is. Raises DataError for what are no distances.
        """
        if distances is not None:
            distances.check()
        self._given = distances
        return self

    def to_state(self) -> dict[str, Any]:
        """As that of every method."""
        return {**super().to_state(), "measure_": self.measure_}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """As that of every method; states of versions that took no distances are read too."""
        est = super().from_state(state)
        est.measure_ = str(state.get("measure_", ""))
        return est

    def _given_for(self, n: int) -> Distances | None:
        """Given distances between all n instances; None where those between rows of X count."""
        given = self._given
        self.measure_ = "" if given is None else given.origin
        if given is not None and len(given) != n:
            raise DataError(f"{len(given)} instances have distances, and X has {n}",
                            hint="Give the distances of the instances in X.")
        return given

    def _given_among(self, distinct: Distinct) -> Distances | None:
        """The same between the distinct instances, above 0."""
        given = self._given_for(len(distinct.inverse))
        if given is None:
            return None
        found = given.take(distinct.rows)
        if np.count_nonzero(found.squared) < len(found) * (len(found) - 1):
            i, j = np.argwhere((found.squared == 0) & ~np.eye(len(found), dtype=bool))[0]
            raise DataError(f"rows {distinct.rows[i]} and {distinct.rows[j]} of X differ, and "
                            "their distance is 0",
                            hint="Give a small distance, or the same row twice.")
        return found

    def _squared_to(self, X: NDArray, known: NDArray) -> NDArray[np.float32]:
        """Squared distances (M, N) of new rows of X (M, D) to known ones (N, D),
        as the fit was given them."""
        return squared_to(self.measure_, X, known)

    def _nearest_known(self, X: NDArray, k: int) -> Neighbors:
        """The k training instances nearest to each new one (M, D), as the fit measured them."""
        if not self.measure_:
            return nearest(self.instances_, X, k)
        return neighbors_listed(self._squared_to(X, self.instances_), k, dtype=X.dtype)

    @property
    def _placing(self) -> Rule:
        """How new instances are combined of known ones;
        weights that rebuild X mean nothing to other distances."""
        return "idw" if self.measure_ else "lle"
