"""Landmark scaling: a few instances are scaled, the others triangulated."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.embedding.distance.mds import classical_scaling
from emberscope.neighbors.spectral import fix_signs


def landmark_scaling(
    D: NDArray, rows: NDArray, m: int, *, monitor: Monitor | None = None
) -> tuple[NDArray, NDArray]:
    """Scale the landmarks `rows`, then triangulate everything from distances D (L, N) to them.

    z(x) = -1/2 L# (delta(x) - mean delta), delta squared distances (de Silva and Tenenbaum 2004); centered on all rows.
    """
    between = D[:, rows]
    mean = np.square(between).mean(axis=1)
    values, Z = classical_scaling(between, m, monitor=monitor)
    pseudo = np.divide(Z, values, out=np.zeros_like(Z), where=values > 0)
    Z = -0.5 * (np.square(D) - mean[:, None]).T @ pseudo
    return values, fix_signs(Z - Z.mean(axis=0))
