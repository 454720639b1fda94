"""Which features weigh in a concept, and how narrow it is in each."""

import numpy as np
from numpy.typing import NDArray

from emberscope.mil.concepts.model import Concepts

_ENOUGH = 2000  # background instances, evenly spaced
_ROUNDING = 1e-20  # of squared coordinates of axes, which are of length 1


def feature_weights(
    concepts: Concepts, background: NDArray, *, axes: NDArray | None = None,
    mean: NDArray | None = None
) -> NDArray[np.float64]:
    """How much of the distance between background and each concept every feature is, (K, D),
    rows add up to 1.

    Parameters
    ----------
    background : (n, D) instances; of more than 2000 as many, evenly spaced. axes : (D, d) and
        mean : (D,) where the concepts are of coordinates z = (x - mean) axes instead of features x.

    Notes
    -----
    A mean squared distance sum_j s_j (z_j - c_j)² over features: s_j (x_j - c_j)² where concepts
    are of features themselves; else (x - m)_f sum_j axes_fj s_j (z_j - c_j) with m the center taken
    back, which adds up to the same for axes of length 1 that are orthogonal. What brings background
    nearer counts 0. Zeros where nothing tells it apart. O(K n D d).
    """
    some = background[
        np.linspace(0, len(background) - 1, min(len(background), _ENOUGH)).astype(np.int64)
    ]
    centers = in_features(concepts.centers, axes, mean)
    out = np.empty(centers.shape)
    for k, (center, s) in enumerate(zip(centers, concepts.scales, strict=True)):
        off = some - center
        pull = off * s if axes is None else (off @ axes * s) @ axes.T
        out[k] = np.maximum((off * pull).mean(axis=0), 0.0)
    total = out.sum(axis=1, keepdims=True)
    return np.divide(out, total, out=np.zeros_like(out), where=total > 0)


def feature_widths(concepts: Concepts, *, axes: NDArray | None = None) -> NDArray[np.float64]:
    """Standard deviation of every feature within each concept, (K, D), in units of the feature; inf
    where it does not count.

    axes : (D, d) as of `feature_weights`: then the shadow of the concept on each feature, the root
    of the diagonal of axes diag(1 / (2 s)) axes'. O(K D d).
    """
    counts = concepts.scales > 0
    if axes is None:
        return np.sqrt(
            np.divide(0.5, concepts.scales, out=np.full(counts.shape, np.inf), where=counts)
        )
    variance = np.divide(0.5, concepts.scales, out=np.zeros(counts.shape),
                         where=counts) @ np.square(axes).T
    # by an axis that does not count, beyond rounding
    reached = (~counts).astype(np.float64) @ np.square(axes).T
    variance[reached > _ROUNDING] = np.inf
    return np.sqrt(variance)


def in_features(
    centers: NDArray, axes: NDArray | None, mean: NDArray | None
) -> NDArray[np.float64]:
    """Centers (K, D) in features, of centers (K, d) of z = (x - mean) axes;
    themselves without axes (D, d)."""
    return (
        np.asarray(centers, np.float64) if axes is None or mean is None else mean + centers @ axes.T
    )
