"""Concepts on a map: a star where the center lies, an ellipse where an instance is of the concept as likely as not."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # it brings a compiler along, which who draws an outline has no use for
    from emberscope.mil.concepts.model import Concepts

CONTOUR = 0.5  # probability on the ellipse
_FEWEST = 1e-6  # sum of probabilities below which a concept has no instance to be placed by


@dataclass(frozen=True, slots=True)
class OnMap:
    """center : (K, d) coordinates of the stars. shape : (K, d, d), the contour is where
    (z - center)' shape^-1 (z - center) = 1. exact : whether both follow from the map itself; False: estimated from
    where instances lie."""

    center: NDArray[np.float64]
    shape: NDArray[np.float64]
    exact: bool


def through_linear(concepts: "Concepts", mean: NDArray, W: NDArray, *, contour: float = CONTOUR) -> OnMap:
    """By a linear map z = (x - mean) W, mean (D,), W (D, d): the shadow of the ellipsoid. O(K D d²)."""
    variance = np.divide(0.5, concepts.scales, out=np.zeros_like(concepts.scales), where=concepts.scales > 0)
    shape = np.einsum("jd,kj,je->kde", W, variance, W) * (-2 * np.log(contour))
    return OnMap((concepts.centers - mean) @ W, shape, exact=True)


def through_instances(
    probability: NDArray, Z: NDArray, *, centers: NDArray | None = None, contour: float = CONTOUR
) -> OnMap:
    """By where instances lie: probability (N, K) weighs their coordinates Z (N, d).

    centers : (K, d), of the concepts' own centers, where the map takes new points; else the weighted means.
    Concepts without an instance are NaN. O(N K d²).
    """
    weight = probability / np.maximum(probability.sum(axis=0), 1e-300)
    place = weight.T @ Z if centers is None else centers
    shape = np.empty((len(place), Z.shape[1], Z.shape[1]))
    for k in range(len(place)):
        off = Z - place[k]
        shape[k] = (off * weight[:, [k]]).T @ off * (-2 * np.log(contour))
    none = probability.sum(axis=0) < _FEWEST
    shape[none] = np.nan
    if centers is None:
        place = np.where(none[:, None], np.nan, place)
    return OnMap(place, shape, exact=False)


def rings(center: NDArray, shape: NDArray, n: int = 64) -> NDArray[np.float64]:
    """n points (3, n, 3) on each of the three ellipses in which planes of two axes cut an ellipsoid: its wireframe."""
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
