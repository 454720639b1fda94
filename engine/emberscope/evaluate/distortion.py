"""Local distortion: how distances to neighbors are stretched around every instance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.evaluate.shepard import pair_distances

_FLOOR = 1e-6  # of the median: a neighbor that falls on its instance counts as this far


@dataclass(frozen=True, slots=True)
class Distortion:
    """stretch : (N,) mean over the neighbors in X of log(distance in Z / distance in X), less the
    median over all neighbors: 0 = as elsewhere, log 2 = twice as far. anisotropy : (N,) their
    standard deviation: neighbors stretched differently. scale : the median ratio of distances. NaN
    throughout where more than half of them are 0 in Z."""

    stretch: NDArray
    anisotropy: NDArray
    scale: float


def distortion(Z: NDArray, idx: NDArray, dist: NDArray) -> Distortion:
    """Stretch and anisotropy of neighbors in X (idx, dist: (N, k), distances above 0) in Z (N, d).
    O(N k d)."""
    n, k = idx.shape
    there = pair_distances(Z, np.repeat(np.arange(n), k), idx.ravel()).reshape(n, k)
    tiny = np.finfo(np.float64).tiny
    ratio = there / np.maximum(dist.astype(np.float64), tiny)
    scale = float(np.median(ratio))
    if not scale > 0:
        return Distortion(np.full(n, np.nan), np.full(n, np.nan), 0.0)
    logs = np.log(np.maximum(ratio / scale, _FLOOR))
    return Distortion(logs.mean(axis=1), logs.std(axis=1), scale)
