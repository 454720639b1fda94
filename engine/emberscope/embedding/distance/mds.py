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


def negative_mass(D: NDArray) -> float:
    """Sum of magnitudes of the negative eigenvalues of the Gram matrix of distances D (n, n), share of all; O(n³).

    0 for Euclidean distances. Magnitudes below 1e-9 of the largest count as rounding.
    """
    gram = np.square(D, dtype=np.float64)
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    values = np.linalg.eigvalsh(-0.25 * (gram + gram.T))
    values = values[np.abs(values) > 1e-9 * np.abs(values).max(initial=0.0)]
    total = np.abs(values).sum()
    return float(-values[values < 0].sum() / total) if total > 0 else 0.0
