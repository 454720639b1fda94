"""Two halves of a concept, for a person who sees that it holds two kinds of targets."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def split_in_two(X: NDArray, scales: NDArray, witnesses: Sequence[NDArray]) -> NDArray[np.int8]:
    """In which half of each concept every instance would be, (N, K): 1 or 2, the first that of more
    witnesses; 0 in a concept without two different witnesses.

    2-means of the witnesses of a concept, in features (N, D) that count as they do in it, `scales`
    (K, D); an instance is in the half whose mean is nearer. witnesses : K arrays of rows. O(K
    (N D + W D)) for W witnesses.
    """
    found = np.zeros((len(X), len(scales)), np.int8)
    for k, rows in enumerate(witnesses):
        means = _two_means(X[rows].astype(np.float64), scales[k])
        if means is not None:
            first, second = means
            toward = scales[k] * (second - first)
            found[:, k] = 1 + (X @ toward > (first + second) / 2 @ toward)
    return found


def _two_means(points: NDArray, scale: NDArray) -> tuple[NDArray, NDArray] | None:
    """Means (D,) of two clusters, the larger first; None where all points are the same."""
    weighted = points * np.sqrt(scale)
    if len(points) < 2 or not np.ptp(weighted, axis=0).any():
        return None
    from sklearn.cluster import KMeans

    label = KMeans(2, n_init=4, random_state=0).fit_predict(weighted)
    means = [points[label == side].mean(axis=0)
             for side in np.argsort(-np.bincount(label), kind="stable")]
    return means[0], means[1]
