"""The flat Swiss roll: a rectangle rolled up without stretching, so that the right answer is known
exactly."""

import numpy as np
from numpy.typing import NDArray

_FIRST, _LAST = 1.5 * np.pi, 4.5 * np.pi
_HEIGHT = 30.0


def flat_roll(
    n: int, *, noise: float = 0.0, hole: bool = False, seed: int = 0
) -> tuple[NDArray, NDArray]:
    """Points uniform on a rolled-up rectangle (t cos t, h, t sin t), t in 1.5 pi .. 4.5 pi, h in 0
    .. 30.

    Parameters
    ----------
    noise : standard deviation added to every coordinate of X.
    hole : leave out the middle ninth of the rectangle.

    Returns
    -------
    X : (n, 3) float64. U : (n, 2) float64, arc length and height: the coordinates of the rectangle,
        in units of X.
    """
    rng = np.random.default_rng(seed)
    length = _arc_length(_LAST) - _arc_length(_FIRST)
    side = np.array([length, _HEIGHT])
    U = rng.uniform(size=(2 * n if hole else n, 2)) * side
    if hole:
        while len(U := U[(np.abs(U / side - 0.5) > 1 / 6).any(axis=1)]) < n:
            U = np.vstack([U, rng.uniform(size=(n, 2)) * side])
        U = U[:n]
    t = _angle(U[:, 0] + _arc_length(_FIRST))
    X = np.column_stack([t * np.cos(t), U[:, 1], t * np.sin(t)])
    return X + noise * rng.standard_normal(X.shape) if noise else X, U


def _arc_length(t: NDArray | float) -> NDArray:
    """Length of the spiral r = t from its center."""
    return 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))


def _angle(length: NDArray) -> NDArray:
    """The angle at which the spiral has a given length: Newton's method, whose error after 6 steps
    is rounding."""
    t = np.sqrt(2 * length)
    for _ in range(6):
        t = t - (_arc_length(t) - length) / np.sqrt(1 + t**2)
    return t
