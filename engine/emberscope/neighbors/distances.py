"""Distances between instances that were not measured between their features."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import slices

_ROWS = 512
_BOTH_WAYS = 1e-5  # of a squared distance: what both ways may differ by
UNKNOWN = "unknown"  # what made the distances: then there are none to new instances


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """How far every instance is from every other, in place of distances between rows of X.

    squared : (N, N) float32 or float64, squared, symmetric, the diagonal 0. At most 5000 instances
        come so from chips: 100 MB. It may be an array on disk.
    origin : text from which a method measures new instances (`metric.chip_distances`); "unknown"
    where nothing can.
    """

    squared: NDArray
    origin: str = UNKNOWN

    def __post_init__(self) -> None:
        if self.squared.ndim != 2 or self.squared.shape[0] != self.squared.shape[1]:
            raise DataError(f"distances of shape {self.squared.shape} do not pair instances",
                            hint="Give a square matrix of squared distances.")

    def __len__(self) -> int:
        return len(self.squared)

    def check(self) -> None:
        """Raise DataError unless these are distances: finite, not negative, 0 from itself, both
        ways alike. O(N²)."""
        if not (self.squared.min() >= 0 and self.squared.max() < np.inf):  # NaN is neither
            raise DataError("distances are negative or not finite",
                            hint="Give squared distances of 0 or more.")
        if self.squared.diagonal().any():
            raise DataError("an instance has a distance from itself",
                            hint="Give distances, not likenesses.")
        for part in slices(len(self), _ROWS):
            there, back = self.squared[part, part.start :], self.squared[part.start :, part].T
            if (np.abs(there - back) > _BOTH_WAYS * back).any():
                raise DataError("distances differ by the way they are measured",
                                hint="Give the mean of the matrix and its transpose.")

    def total_variance(self) -> float:
        """Half the mean squared distance of all N² pairs: what the variances of features with these
        distances sum to.
        """
        return float(self.squared.mean(dtype=np.float64)) / 2

    def beside(self, F: NDArray) -> "Distances":
        """Those between the same instances with more features F (N, C): squared distances add
        up."""
        return Distances(self.squared + squared_between(F, F).astype(self.squared.dtype),
                         self.origin)

    def take(self, rows: NDArray) -> "Distances":
        """Those between some rows, in that order; itself for all rows in their own."""
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(self))):
            return self
        return Distances(self.squared[np.ix_(rows, rows)], self.origin)

    def block(self, rows: NDArray | slice, columns: NDArray | None = None) -> NDArray[np.float64]:
        """Plain distances, (len(rows), len(columns)), to all instances by default."""
        part = self.squared[rows] if columns is None else self.squared[rows][:, columns]
        return np.sqrt(part, dtype=np.float64)

    def of(self, first: NDArray, second: NDArray) -> NDArray[np.float64]:
        """Plain distances of pairs of rows; any shape, both alike."""
        return np.sqrt(self.squared[first, second], dtype=np.float64)


def squared_between(F: NDArray, G: NDArray) -> NDArray[np.float64]:
    """Squared distances (M, N) of rows of few features, F (M, C) and G (N, C); 0 between copies.
    O(M N C)."""
    out = np.zeros((len(F), len(G)))
    for f, g in zip(F.T.astype(np.float64), G.T.astype(np.float64), strict=True):
        out += np.square(f[:, None] - g)
    return out
