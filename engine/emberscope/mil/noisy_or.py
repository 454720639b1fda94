"""The noisy-or over a bag: how improbable it is that its label came about,
and by which instance it would change."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.kernels import njit

# Squared distance below which an instance counts as lying on the concept:
# a negative bag with one costs 20.7, not inf
NEAREST = 1e-9
_STEEPEST = 1e6  # pull of an instance of a negative bag that a concept lies on
_FAR = 36.0  # exp(-36) is below the rounding of 1
_SMALL = 12.0  # from here on cubes of exp(-a) do not count


@njit(cache=True, nogil=True)
def log_miss(a: float) -> float:
    """log(1 - exp(-a)) for a > 0, to full precision near both ends."""
    if a > _FAR:
        return -np.exp(-a)
    return np.log(-np.expm1(-a)) if a < 0.6931471805599453 else np.log1p(-np.exp(-a))


@njit(cache=True, nogil=True)
def bag_loss(a: NDArray, positive: bool, pull: NDArray) -> float:
    """-log of the probability of a bag's label,
    from the squared distances a (n,) of its instances to the concept.

    An instance is of the concept with probability p = exp(-a), a bag positive unless none of its
    instances is. `pull` (n,) receives the gradient by a. A positive bag far away costs about its
    smallest a: the loss never saturates, its gradient never vanishes. O(n), one exponential per
    instance.
    """
    nearest = np.inf
    for i in range(len(a)):
        nearest = min(nearest, a[i])
    if nearest > _SMALL:
        return _far_loss(a, nearest, positive, pull)
    # log of the probability that no instance is of the concept, and factors still to add
    missed, product = 0.0, 1.0
    for i in range(len(a)):
        miss = -np.expm1(-max(a[i], NEAREST))
        pull[i] = (1.0 - miss) / miss
        product *= miss
        if product < 1e-200:
            missed, product = missed + np.log(product), 1.0
    missed += np.log(product)
    if not positive:
        for i in range(len(a)):
            pull[i] = -min(pull[i], _STEEPEST)
        return -missed
    hit = -np.expm1(missed)
    odds = np.exp(missed) / hit
    for i in range(len(a)):
        pull[i] *= odds  # the probability that this instance alone made the bag positive
    return -np.log(hit)


@njit(cache=True, nogil=True)
def _far_loss(a: NDArray, nearest: float, positive: bool, pull: NDArray) -> float:
    """`bag_loss` where every p is small: -log prod (1 - p) = sum p + p²/2 to all digits,
    in units of the largest p."""
    largest = np.exp(-nearest)
    total, squares = 0.0, 0.0
    for i in range(len(a)):
        share = np.exp(nearest - a[i])
        pull[i] = share
        total += share
        squares += share * share
    missed = -(total + 0.5 * largest * squares)  # times the largest p
    if not positive:
        for i in range(len(a)):
            pull[i] *= -largest * (1.0 + largest * pull[i])
        return -missed * largest
    # hit = 1 - exp(missed) = -missed (1 + missed / 2 + missed² / 6), its largest p taken out
    q = missed * largest
    hit = -missed * (1.0 + q * (0.5 + q / 6.0)) if q > -1e-3 else -np.expm1(q) / largest
    for i in range(len(a)):
        pull[i] *= np.exp(q) / hit * (1.0 + largest * pull[i])
    return nearest - np.log(hit)


@njit(cache=True, nogil=True)
def nearest_loss(a: NDArray, positive: bool, pull: NDArray) -> float:
    """As `bag_loss`, with the instance nearest to the concept standing for the bag (most likely
    cause).

    `a` : (n,), distances of the members of a bag. `pull` : (n,), the slope, written.
    """
    best = 0
    for i in range(len(a)):
        pull[i] = 0.0
        if a[i] < a[best]:
            best = i
    d = max(a[best], NEAREST)
    if positive:
        pull[best] = 1.0
        return d
    pull[best] = -min(1.0 / np.expm1(d), _STEEPEST) if d < 700.0 else 0.0
    return -log_miss(d)
