"""Classical scaling: coordinates whose straight distances fit given ones."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.neighbors.spectral import top_eigenpairs


def classical_scaling(D: NDArray, m: int, *, monitor: Monitor | None = None) -> tuple[NDArray, NDArray]:
    """Eigenvalues (m,) and coordinates (N, m) whose straight distances fit D (N, N) best; overwrites D.

    Spec 02 section 2.3. Columns of eigenvalues that are not positive are 0. The mean of Z is 0.
    """
    np.square(D, out=D)
    D -= D.mean(axis=0)
    D -= D.mean(axis=1, keepdims=True)
    D *= -0.5
    D += D.T.copy()
    D *= 0.5
    found = top_eigenpairs(D, m, monitor=monitor)
    values = np.where(found.values > 1e-12 * max(found.values[0], 0.0), found.values, 0.0)
    return values, found.vectors * np.sqrt(values)
