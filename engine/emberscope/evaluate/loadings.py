"""Loadings: the features that the axes of a linear embedding weigh."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import slices

_CHUNK = 1 << 22  # values at a time


def loadings(X: NDArray, Z: NDArray) -> NDArray[np.float32]:
    """Correlation of every feature with every axis, (D, d) in [-1, 1]; 0 for a feature or axis that
    is constant.

    Parameters
    ----------
    X : (N, D) features. Z : (N, d) coordinates of the same instances.

    Notes
    -----
    The structure coefficients of discriminant analysis, and the loadings of principal components of
    standardized features. Unlike the weights of a projection they stay readable where features go
    together, and mean the same whatever was done to the features before. O(N D d).
    """
    Z = Z.astype(np.float64) - Z.mean(axis=0, dtype=np.float64)
    out = np.zeros((X.shape[1], Z.shape[1]))
    spread = np.sqrt(np.square(Z).sum(axis=0))
    for some in slices(X.shape[1], _CHUNK // max(len(X), 1)):
        part = X[:, some].astype(np.float64)
        middle = part.mean(axis=0)
        part -= middle
        norm = np.sqrt(np.square(part).sum(axis=0))
        norm[norm <= 1e-9 * np.sqrt(len(X)) * np.abs(middle)] = 0  # constant up to rounding
        scale = norm[:, None] * spread[None, :]
        out[some] = np.divide(part.T @ Z, scale, out=np.zeros(scale.shape), where=scale > 0)
    return np.clip(out, -1, 1).astype(np.float32)
