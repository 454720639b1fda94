"""Methods with a map of their own need no training instance to place new ones; they keep some,
to know strangers."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import NoOutOfSample
from emberscope.embedding.out_of_sample import Novelty, errors_left_out, novelty, reconstruct
from emberscope.neighbors.duplicates import distinct_rows

KEPT = 500  # as many as are left out to see how well known ones are rebuilt


class KeepsKnown(Embedder):
    """Base of these methods: `novelty` is that of methods that place new instances by
    reconstruction.

    Their own error (the distance to a plane, a sheet, a decoded code) is a worse measure: by it
    some methods do not know digits of a class that they have never seen, and by this confidence all
    do.

    Attributes
    ----------
    known_ : (K, D), the different ones of at most 500 training instances, evenly chosen.
    """

    def novelty(self, X: ArrayLike) -> Novelty:
        """Error of rebuilding new instances from the known ones,
        nearest distance and confidence. O(K M D).

        Raises NoOutOfSample where fewer than two different instances are kept.
        """
        X = self._validate_new(X)
        if len(self.known_) < 2:
            raise NoOutOfSample("fewer than 2 different instances are kept to compare with",
                                hint="Run again.")
        found = reconstruct(self.known_, np.zeros((len(self.known_), 1)), X)
        return novelty(found, errors_left_out(self.known_))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """As that of every method; states of versions that kept no instances are read too."""
        return super().from_state({"known_": np.empty((0, int(state["n_features_in_"]))), **state})

    def _keep(self, X: NDArray) -> None:
        part = X[np.unique(np.linspace(0, len(X) - 1, min(KEPT, len(X))).astype(np.int64))]
        self.known_ = np.ascontiguousarray(part[np.sort(distinct_rows(part).rows)])
