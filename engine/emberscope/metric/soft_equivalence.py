"""The soft equivalence metric in one formula, and what a pair is to it.
Imports nothing heavy: the window uses it."""

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.pairs import Pairs, moments


def pair_moment(T: NDArray, pairs: Pairs, push: float) -> NDArray:
    """M = M_S - push M_O (r, r) of scores T (N, r): where it is low,
    alike pairs are near and different ones far."""
    alike, apart = moments(T, pairs)
    M = np.zeros((T.shape[1], T.shape[1]))
    M += 0 if alike is None else alike
    M -= 0 if apart is None else push * apart
    return M


def soft_weights(values: NDArray, softness: float) -> NDArray[np.float64]:
    """Weights (r,) of mean 1 of the eigenvectors of M with eigenvalues (r,): exp(-value / tau).

    tau = softness times the largest magnitude. 1 where M is 0, or softness infinite.
    """
    largest = np.abs(values).max()
    weight = np.exp(-(values - values.min())
                    / (softness * largest)) if largest > 0 else np.ones(len(values))
    return len(values) * weight / weight.sum()


def soft_map(M: NDArray, softness: float) -> NDArray:
    """W (r, r), W W' = r exp(-M / tau) / tr exp(-M / tau), columns by descending weight;
    M (r, r) symmetric.

    tau = softness times the largest magnitude of an eigenvalue.
    I where M is 0 or softness infinite.
    """
    from scipy.linalg import eigh  # here: who asks has the records of questions alone

    values, V = eigh(M, check_finite=False)
    return V * np.sqrt(soft_weights(values, softness))
