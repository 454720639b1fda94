"""Responsibilities of mixture models: from log weights to probabilities, and how soft they are."""

import numpy as np
from numpy.typing import NDArray

_MOST = 1e12  # temperature


def softmax(logits: NDArray) -> tuple[NDArray, NDArray]:
    """Rows (N, M) as probabilities, and their log sums (N,):
    the log density where `logits` are log joint densities."""
    top = logits.max(axis=1, keepdims=True)
    R = logits - top
    np.exp(R, out=R)
    total = R.sum(axis=1, keepdims=True)
    R /= total
    return R, (np.log(total) + top)[:, 0]


def perplexity(R: NDArray) -> float:
    """Mean over rows of exp(entropy): how many members share an instance, 1 to M.
    `R` : (N, M), rows of sum 1."""
    safe = np.where(R > 0, R, 1.0)
    return float(np.exp(-(R * np.log(safe)).sum(axis=1)).mean())


def temperature(logits: NDArray, least: float, *, tolerance: float = 1e-2) -> float:
    """The smallest T >= 1 for which softmax(logits / T) has a mean perplexity of at least `least`.

    Among hundreds of features a density model is sure of one member (perplexity 1) even between
    two; then a posterior mean jumps from member to member and nothing ties them together. O(N M)
    per step of a bisection.
    `logits` : (N, M).
    """
    least = min(least, 0.9 * float(np.isfinite(logits).sum(axis=1).mean()))
    if perplexity(softmax(logits)[0]) >= least:
        return 1.0
    low, high = 1.0, 2.0
    while perplexity(softmax(logits / high)[0]) < least and high < _MOST:
        low, high = high, 4 * high
    while high / low > 1 + tolerance:
        middle = np.sqrt(low * high)
        soft = perplexity(softmax(logits / middle)[0]) >= least
        low, high = (low, middle) if soft else (middle, high)
    return float(high)
