"""Concepts on a map: a star where the center lies,
an ellipse where an instance is of the concept as likely as not."""

import numpy as np
from numpy.typing import NDArray

CONTOUR = 0.5  # probability on the ellipse
_FEWEST = 1e-6  # sum of probabilities below which a concept has no instance to be placed by


def ellipses(probability: NDArray, Z: NDArray, stars: NDArray) -> NDArray[np.float64]:
    """Where likely instances of each concept lie around its star, (K, d, d):
    shape S of the contour z' S^-1 z = 1.

    probability : (N, K) of instances at Z (N, d). stars : (K, d).
        NaN for a concept without an instance. O(N K d²).

    Notes
    -----
    S = (d + 2) sum_n w_n (z_n - star)(z_n - star)', the outline of an ellipsoid evenly filled with
    that spread; w adds up to 1 and is p of instances of probability 1/2 or more, of all where d or
    fewer are. All instances, by p and at the contour of a Gaussian, are drawn to the many that are
    hardly of the concept.
    """
    d, total = Z.shape[1], probability.sum(axis=0)
    weight = _likely(probability, d + 1)
    shape = np.empty((len(stars), d, d))
    for k, star in enumerate(stars):
        off = Z - star
        shape[k] = (d + 2) * (off * weight[:, [k]]).T @ off
    shape[total < _FEWEST] = np.nan
    return shape


def _likely(probability: NDArray, fewest: int) -> NDArray[np.float64]:
    """Weights (N, K) of instances in each concept, columns add up to 1: p where it is 1/2 or more,
    everywhere in a concept of fewer such instances."""
    likely = probability >= CONTOUR
    weight = np.where(likely | (likely.sum(axis=0) < fewest), probability, 0.0)
    return weight / np.maximum(weight.sum(axis=0), 1e-300)


def shadows(scales: NDArray, W: NDArray) -> NDArray[np.float64]:
    """Shapes (K, d, d) as of `ellipses`, of concepts under a linear map z = x W + b:
    where their ellipsoids fall.

    scales : (K, D), s of each concept; a feature that does not count (s = 0) casts none.
    W : (D, d). The covariance is W' diag(1 / (2 s)) W. O(K D d²).
    """
    variance = np.divide(0.5, scales, out=np.zeros(scales.shape), where=scales > 0)
    return -2 * np.log(CONTOUR) * np.einsum("fi,kf,fj->kij", W, variance, W)


def estimated_stars(probability: NDArray, Z: NDArray) -> NDArray[np.float64]:
    """Where a map that takes no new points has each concept: the mean (K, d) of coordinates Z
    (N, d) of instances of probability 1/2 or more, weighted by probabilities (N, K); of all where
    there is none. NaN for a concept without an instance."""
    out = _likely(probability, 1).T @ Z
    out[probability.sum(axis=0) < _FEWEST] = np.nan
    return out


def rings(center: NDArray, shape: NDArray, n: int = 64) -> NDArray[np.float64]:
    """n points (3, n, 3) on each of the three ellipses in which planes of two axes cut an
    ellipsoid: its wireframe."""
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    values, axes = np.linalg.eigh(shape)
    half = axes * np.sqrt(np.maximum(values, 0.0))
    around = [np.outer(np.cos(turn), half[:, i]) + np.outer(np.sin(turn), half[:, j])
              for i, j in ((0, 1), (0, 2), (1, 2))]
    return center + np.stack(around)


def outline(center: NDArray, shape: NDArray, n: int = 64) -> NDArray[np.float64]:
    """n points (n, 2) around the ellipse of a center (2,) and shape (2, 2)."""
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    values, axes = np.linalg.eigh(shape)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return center + circle * np.sqrt(np.maximum(values, 0.0)) @ axes.T
