"""What the centers of concepts look like. Imports light: the window reads it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ConceptChips:
    """chips : (K, rows, cols) float32, in MADs of the frame, as the features see them; NaN where
    there is nothing to show. exact : (K,) bool, True for the center itself taken back to pixels,
    else a mean of the chips nearest to it."""

    chips: NDArray[np.float32]
    exact: NDArray[np.bool_]

    @property
    def titles(self) -> list[str]:
        """"Center" or "Mean of nearest chips" of each."""
        return ["Center" if exact else "Mean of nearest chips" for exact in self.exact]
