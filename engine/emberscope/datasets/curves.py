"""Labeled curves in the plane: two circles in one another, two half moons that interlock."""

import numpy as np
from numpy.typing import NDArray

_INNER = 0.5  # radius of the circle of targets, in that of the other


def circles(n_per_class: int = 500, *, seed: int = 0) -> tuple[NDArray, NDArray[np.int8]]:
    """Points of two circles about 0, at angles that are drawn evenly.

    Returns
    -------
    X : (2 n, 2) float64, targets first, of radius 0.5; background of radius 1. y : (2 n,) int8, +1
        target, -1 background.
    """
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, 2 * n_per_class)
    y = np.repeat(np.array([1, -1], np.int8), n_per_class)
    radius = np.where(y > 0, _INNER, 1.0)
    return radius[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]), y


def moons(n_per_class: int = 500, *, seed: int = 0) -> tuple[NDArray, NDArray[np.int8]]:
    """Points of two half circles of radius 1, at angles that are drawn evenly.

    Returns
    -------
    X : (2 n, 2) float64, targets first: the upper half about (0, 0); background: the lower half
        about (1, 0.5). y : (2 n,) int8, +1 target, -1 background.
    """
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, np.pi, 2 * n_per_class)
    y = np.repeat(np.array([1, -1], np.int8), n_per_class)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.where(y[:, None] > 0, upper, (1.0, 0.5) - upper), y
