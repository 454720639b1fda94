"""Distances of chips for any method that takes distances: between all of them,
and from new ones."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import NoOutOfSample
from emberscope.base.monitor import Monitor, monitored
from emberscope.labels.side_info import Invariance
from emberscope.metric.dissimilarities import (
    USUAL,
    Dissimilarity,
    Kind,
    chips_of,
    dissimilarity,
    dissimilarity_to,
)
from emberscope.neighbors.distances import UNKNOWN, Distances

_LEAST = 1e-3  # of the distances, root mean square; the matrix product hides whether less is none
# of the squared size of a chip: rounding hides whether chips nearer than that are the same
_SAME = 1e-5


class ChipDistances(msgspec.Struct, frozen=True):
    """How chips are compared, as data: a run keeps it,
    so that new chips are compared in the same way.

    kind, invariances : as in `dissimilarities.dissimilarity`; no invariances: plain Euclidean
        distances of the pixels, but for tangents, which are nothing then. columns : pixels in a row
        of a chip; None where chips are square.
    """

    kind: Kind
    invariances: tuple[Invariance, ...] = USUAL
    columns: int | None = None

    def between(self, X: NDArray, *, monitor: Monitor | None = None) -> Distances:
        """Between all rows of pixels X (N, p).
        Raises TooLarge above 5000, DataError where p pixels are no chip."""
        return self.of(self.compare(X, monitor=monitor).squared)

    def compare(self, X: NDArray, *, monitor: Monitor | None = None) -> Dissimilarity:
        """What `between` measures, with the chips that have no tangent.

        Chips one of which is the other but for a change are a thousandth of the distances apart
        (root mean square), not 0: methods divide by distances of neighbors.
        """
        found = dissimilarity(chips_of(X, self.columns), self.kind, self.invariances,
                              monitor=monitor)
        monitored(monitor).step(1.0, "Dissimilarities")
        squared = np.maximum(found.squared,
                             np.float32(_LEAST**2 * found.squared.mean(dtype=np.float64)))
        np.fill_diagonal(squared, 0.0)
        return Dissimilarity(squared, found.flat)

    def of(self, squared: NDArray) -> Distances:
        """What `between` found earlier, (N, N) squared."""
        return Distances(squared, msgspec.json.encode(self).decode())


def squared_to(origin: str, new: NDArray, known: NDArray) -> NDArray[np.float32]:
    """Squared distances (M, N) of new rows of pixels (M, p) to known ones (N, p),
    as `Distances` of that origin are.

    A copy is exactly 0 from its original. Raises NoOutOfSample where new ones cannot be measured.
    """
    if origin == UNKNOWN:
        raise NoOutOfSample("only distances between the training instances were given",
                            hint="Run again with the new instances included.")
    rule = msgspec.json.decode(origin, type=ChipDistances)
    if rule.kind == "reconstruction":
        raise NoOutOfSample("step by step over other chips, new ones have no distances yet",
                            hint="Run again with the new instances included, or compare chips "
                                 "after the best change.")
    out = dissimilarity_to(chips_of(new, rule.columns), chips_of(known, rule.columns), rule.kind,
                           rule.invariances)
    i, j = np.nonzero(out <= _SAME * np.square(known, dtype=np.float64).sum(axis=1))
    out[i, j] = np.where((new[i] == known[j]).all(axis=1), 0.0, out[i, j])
    return out
