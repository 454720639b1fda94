"""One concept moved downhill: descent along the joint gradient of center and log scale,
with a line search."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit
from emberscope.mil.concepts.model import LARGEST, SMALLEST, squared
from emberscope.mil.noisy_or import bag_loss, nearest_loss

_LOWEST, _HIGHEST = float(np.log(SMALLEST)), float(np.log(LARGEST))
_ARMIJO = 1e-4  # share of the promised decrease that a step must bring
_HALVINGS = 40
_NOTHING = 1e-14  # pull of an instance that does not show in a gradient


@njit(cache=True, nogil=True)
def weighted_loss(
    Z: NDArray, indptr: NDArray, positive: NDArray, weight: NDArray, c: NDArray, theta: NDArray,
    nearest: bool, slope: NDArray,
) -> float:
    """sum_n W_n D_n at center c (D,) and scales exp(theta);
    `slope` (2 D,) receives its gradient by c and theta.

    Each bag with a weight is read once. O(M D).
    """
    d = len(c)
    s = np.exp(theta)
    slope[:] = 0.0
    longest = np.max(np.diff(indptr))
    a, pull = np.empty(longest), np.empty(longest)
    value = 0.0
    for b in range(len(positive)):
        if weight[b] == 0.0:
            continue
        low, high = indptr[b], indptr[b + 1]
        for n in range(low, high):
            a[n - low] = squared(Z[n], c, s)
        if nearest:
            loss = nearest_loss(a[: high - low], positive[b], pull)
        else:
            loss = bag_loss(a[: high - low], positive[b], pull)
        value += weight[b] * loss
        for n in range(low, high):
            r = weight[b] * pull[n - low]
            if abs(r) < _NOTHING:
                continue
            for j in range(d):
                off = Z[n, j] - c[j]
                slope[j] -= 2.0 * r * s[j] * off
                slope[d + j] += r * s[j] * off * off  # dD/dtheta = s dD/ds: scales stay positive
    return value


@njit(cache=True, nogil=True)
def descend(
    Z: NDArray, indptr: NDArray, positive: NDArray, weight: NDArray, c: NDArray, theta: NDArray,
    step: float, n_steps: int, nearest: bool,
) -> tuple[NDArray, NDArray, float]:
    """(c, theta) after at most `n_steps` steps that never raise the loss,
    and the length of the last one.

    A step begins at four times the one before and is halved until the loss falls by 1e-4 of what
    the gradient promises (Armijo); log scales are clipped before they are raised to powers.
    """
    d = len(c)
    slope, trial = np.empty(2 * d), np.empty(2 * d)
    value = weighted_loss(Z, indptr, positive, weight, c, theta, nearest, slope)
    for _ in range(n_steps):
        promised = np.dot(slope, slope)
        if promised <= 0.0 or not np.isfinite(promised):
            break
        length, found = 4.0 * step, False
        for _ in range(_HALVINGS):
            new_c = c - length * slope[:d]
            new_theta = np.minimum(np.maximum(theta - length * slope[d:], _LOWEST), _HIGHEST)
            new = weighted_loss(Z, indptr, positive, weight, new_c, new_theta, nearest, trial)
            if new <= value - _ARMIJO * length * promised:
                found = True
                break
            length *= 0.5
        if not found:
            break
        c, theta, value, step = new_c, new_theta, new, length
        slope[:] = trial
    return c, theta, step
