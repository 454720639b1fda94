"""Feature scaling, learned from the training instances."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.param import param

STANDARDIZE = param(
    True, group="Features", title="Standardize features", advanced=True,
    help="Give every feature unit variance first; off: use them as they are.",
)


def centered(X: NDArray, *, standardize: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean (D,) and scale (D,) of the training instances: (X - mean) / scale.
    Scale 1 without `standardize`."""
    return z_score(X) if standardize else (X.mean(axis=0, dtype=np.float64), np.ones(X.shape[1]))


def z_score(X: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and standard deviation; a feature constant up to rounding gets scale inf,
    so it counts for nothing."""
    mean = X.mean(axis=0, dtype=np.float64)
    scale = X.std(axis=0, dtype=np.float64)
    constant = scale <= 1e-10 * np.maximum(np.abs(mean), np.finfo(np.float64).tiny)
    return mean, np.where(constant, np.inf, scale)
