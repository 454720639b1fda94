"""The map of distances to concepts: their principal axes."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from emberscope.neighbors.spectral import fix_signs


@dataclass(frozen=True, slots=True)
class ConceptMap:
    """mean, scale (Q,) of log(1 + squared distance) to Q concepts; components (Q, d),
    their principal axes."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    components: NDArray[np.float64]

    @classmethod
    def of(cls, distance2: NDArray, d: int) -> Self:
        """Of the squared distances of training instances (N, Q);
        axes that Q columns do not have are 0. O(N Q²)."""
        F = np.log1p(distance2)
        mean, deviation = F.mean(axis=0), F.std(axis=0)
        scale = np.where(deviation > 1e-12, deviation, 1.0)
        spread = (F - mean) / scale
        axes = np.linalg.eigh(spread.T @ spread / len(spread))[1][:, ::-1][:, :d]
        components = np.zeros((F.shape[1], d))
        components[:, : axes.shape[1]] = fix_signs(axes)
        return cls(mean, scale, components)

    def place(self, distance2: NDArray) -> NDArray[np.float64]:
        """Coordinates (M, d) of instances at these squared distances (M, Q)."""
        return ((np.log1p(distance2) - self.mean) / self.scale) @ self.components
