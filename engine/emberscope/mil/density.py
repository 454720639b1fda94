"""Log density of the background around instances: what is rare there may be a target."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, slices
from emberscope.neighbors.search import neighbors_within

SIGMAS = tuple(10.0**power for power in range(-3, 4))  # each ten times the one before
_DROWNED = 1e-6  # of a kernel of 1: rounding is 1e-9
_CHUNK = 1 << 18  # pairs at a time: what fits into the cache of a core


def negative_log_density(
    Q: NDArray, negatives: NDArray, scale: float, *, monitor: Monitor | None = None
) -> NDArray:
    """log sum exp(-|q - x|² / (sigma scale)) over negatives x, (7, M),
    one row per sigma of `SIGMAS`.

    One exponential per pair, for the widest sigma; the next width is a tenth of it, so its kernel
    is the tenth power. Right to 1e-9. O(M N-) for N- negatives.
    """
    out, widths = np.empty((len(SIGMAS), len(Q))), np.array(SIGMAS)[:, None]
    norms = np.square(negatives).sum(axis=1)
    for part in slices(len(Q), _CHUNK // len(negatives), monitor, "Density of the background"):
        q = Q[part]
        distance2 = q @ (-2 * negatives.T)
        distance2 += norms
        distance2 += np.square(q).sum(axis=1)[:, None]
        np.maximum(distance2, 0.0, out=distance2)
        nearest = distance2.min(axis=1)
        out[:, part] = _log_sums(distance2 - nearest[:, None], scale) - nearest / (widths * scale)
    return out


def without_own(values: NDArray, negatives: NDArray, scale: float) -> NDArray:
    """`negative_log_density` of the negatives, (7, N-), as if each were not one of them;
    of a single one as it is.

    Its own kernel is 1. Where the others drown in it, the nearest of them alone counts.
    """
    if len(negatives) < 2:
        return values
    distance = neighbors_within(np.ascontiguousarray(negatives), 1).dist[:, 0]
    least = -np.square(distance, dtype=np.float64) / (np.array(SIGMAS)[:, None] * scale)
    heard = np.maximum(values, _DROWNED)
    return np.where(values > _DROWNED, np.maximum(heard + np.log1p(-np.exp(-heard)), least), least)


def _log_sums(distance2: NDArray, scale: float) -> NDArray:
    """log sum exp(-distance2 / (sigma scale)) over columns, a row per sigma; each row of
    `distance2` holds a zero.

    Works in place: fresh memory for every step would take longer than the arithmetic.
    """
    kernel = np.multiply(distance2, -1 / (SIGMAS[-1] * scale), out=distance2)
    np.exp(kernel, out=kernel)
    eighth = np.empty_like(kernel)
    sums = [kernel.sum(axis=1)]
    for _ in SIGMAS[1:]:
        kernel *= kernel
        np.square(kernel, out=eighth)
        eighth *= eighth
        kernel *= eighth
        sums.append(kernel.sum(axis=1))
    return np.log(sums[::-1])


def median_squared_distance(A: NDArray) -> float:
    """Over all pairs of up to 2000 evenly spaced rows; 1 where it is 0. `A` : (n, D)."""
    part = A[:: max(1, len(A) // 2000)]
    norms = np.square(part).sum(axis=1)
    distance2 = norms[:, None] + norms - 2 * (part @ part.T)
    median = float(np.median(distance2[np.triu_indices(len(part), 1)]))
    return median if median > 0 else 1.0
