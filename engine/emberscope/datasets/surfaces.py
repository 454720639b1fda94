"""Two quadratic surfaces in 3-D, one class each: separable, or crossing on a circle."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray


def quadratic_surfaces(
    n_per_class: int = 1000,
    *,
    kind: Literal["separable", "crossing"] = "separable",
    noise: float = 0.0,
    target_range: float | None = None,
    seed: int = 0,
) -> tuple[NDArray, NDArray[np.int8]]:
    """Points of upward paraboloids f2 = c + w (f0² + f1²).

    Parameters
    ----------
    kind : "separable": target c = 10, w = 2 on [-4, 4]²; "crossing": c = -4, w = 5 on [-2, 2]².
        Background: c = 0, w = 1 on [-4, 4]²; it meets the crossing target exactly on the circle f0²
        + f1² = 1.
    noise : standard deviation added to every coordinate. target_range : half side of the target's
        square.

    Returns
    -------
    X : (2 n, 3) float64, targets first. y : (2 n,) int8, +1 target, -1 background.
    """
    rng = np.random.default_rng(seed)
    c, w, side = (10.0, 2.0, 4.0) if kind == "separable" else (-4.0, 5.0, 2.0)
    background = _paraboloid(rng, n_per_class, 4.0, 0.0, 1.0)
    target = _paraboloid(rng, n_per_class, side if target_range is None else target_range, c, w)
    X = np.vstack([target, background])
    y = np.repeat(np.array([1, -1], np.int8), n_per_class)
    return X + noise * rng.standard_normal(X.shape) if noise else X, y


def _paraboloid(rng: np.random.Generator, n: int, side: float, c: float, w: float) -> NDArray:
    f = rng.uniform(-side, side, (n, 2))
    return np.column_stack([f, c + w * np.square(f).sum(axis=1)])
