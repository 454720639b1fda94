"""Diverse density: how near a point lies to every positive bag and how far from every negative
instance."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.density import median_squared_distance
from emberscope.mil.noisy_or import bag_loss
from emberscope.neighbors.threads import thread_pool

MAX_STARTS = 60  # a bag of 10^5 instances is not 10^5 searches
ITERATIONS = 100
_SHORT = 20  # iterations after which most searches are given up
_FINALISTS = 5
# Reordered sums only: a squared distance does not depend on more than its last digits
_SUMS = {"reassoc", "contract"}

ISOTROPIC = param(
    False, group="Concept", title="One width for all", grid=(False, True),
    help="On: all features count alike, so there is less to learn and less to mislearn; off: each "
    "has its own weight.",
)
START_BAGS = param(
    5, low=1, high=1000, group="Computation", title="Bags to start from",
    help="A search starts at every instance of so many positive bags, 60 starts at most; the best "
    "end wins.",
)
SEED = replace(RANDOM_STATE, help="Draws the bags to start from: same seed, same concept.")


@dataclass(frozen=True, slots=True)
class Concept:
    """target (D,), weights (D,), >= 0: exp(-sum_j (w_j (x_j - t_j))²) is the probability that x is
    a target.

    nldd : the negative logarithm of the diverse density, of the bags it was learned from.
    """

    target: NDArray[np.float64]
    weights: NDArray[np.float64]
    nldd: float

    def distance2(self, Z: NDArray) -> NDArray[np.float64]:
        """Weighted squared distances of instances to the target, (M, D) -> (M,). O(M D)."""
        return weighted_distance2(np.ascontiguousarray(Z, np.float64), self.target, self.weights)


@dataclass(frozen=True, slots=True)
class Sides:
    """Instances bag after bag, as the kernels read them: Z (M, D) float64, indptr (K+1,),
    positive (K,) bool."""

    Z: NDArray[np.float64]
    indptr: NDArray[np.int64]
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, Z: NDArray, bags: Bags) -> Self:
        """Of the members of all bags; a bag that is labeled 0 counts as negative."""
        return cls(np.ascontiguousarray(Z[bags.members], np.float64), bags.indptr, bags.labels > 0)

    def chosen(self, rows: NDArray) -> Self:
        """One instance stands for each bag."""
        return type(self)(self.Z[rows], np.arange(len(rows) + 1), self.positive)

    def flipped(self) -> Self:
        """Negative bags as the positive ones."""
        return type(self)(self.Z, self.indptr, ~self.positive)


class Objective:
    """NLDD(t, w) and its gradient at theta = [t, w] (2 D,), or [t,
    w0] (D + 1,) for one width for all features.

    Notes
    -----
    Maron and Lozano-Perez 1998, noisy-or: with p_n = exp(-sum_j w_j² (x_nj - t_j)²) it is the sum
    of -log(1 - prod_n (1 - p_n)) over positive bags and of -sum_n log(1 - p_n) over negative ones.
    All in the log domain: a positive bag far from t still pulls. Squared distances are at least
    1e-9, so a target on a negative instance is finite. Steps the monitor at each call. O(M D).
    """

    def __init__(self, sides: Sides, *, isotropic: bool, monitor: Monitor | None = None) -> None:
        self.sides, self.isotropic, self._monitor = sides, isotropic, monitored(monitor)
        self.calls = 0

    def __call__(self, theta: NDArray) -> tuple[float, NDArray[np.float64]]:
        self.calls += 1
        self._monitor.step(min(self.calls / ITERATIONS, 1.0), "Diverse density")
        Z = self.sides.Z
        t, w = self.split(theta)
        distance2 = weighted_distance2(Z, t, w)
        value, pull = nldd(distance2, self.sides.indptr, self.sides.positive)
        by_t, by_w = spread_gradient(Z, t, w, pull)
        return value, np.append(by_t, by_w.sum() if self.isotropic else by_w)

    def split(self, theta: NDArray) -> tuple[NDArray, NDArray]:
        """Target and weights of theta."""
        d = self.sides.Z.shape[1]
        return theta[:d], np.full(d, theta[d]) if self.isotropic else theta[d:]

    def joined(self, t: NDArray, w: NDArray) -> NDArray:
        """theta of target and weights."""
        return np.append(t, w[:1] if self.isotropic else w)


def ascend(objective: Objective, t: NDArray, w: NDArray, iterations: int = ITERATIONS) -> Concept:
    """The local optimum of diverse density uphill of (t, w), by L-BFGS."""
    from scipy.optimize import minimize

    found = minimize(objective, objective.joined(t, w), jac=True, method="L-BFGS-B",
                     options={"maxiter": iterations})
    target, weights = objective.split(found.x)
    return Concept(target.copy(), np.abs(weights), float(found.fun))


Search = Callable[[NDArray, NDArray, int, Monitor], Concept]  # target, weights, iterations, monitor


def best_concepts(
    search: Search, Z: NDArray, rows: NDArray, monitor: Monitor | None
) -> list[Concept]:
    """Ends of the searches that start at some rows of Z, best first.

    After 20 iterations only the 5 best go on:
    where a search will end is mostly known by then. `rows` : (k,) of Z.
    """
    w, watch, part = first_weights(Z), monitored(monitor), 0.3 / _FINALISTS
    # L-BFGS multiplies matrices of ten rows: threads of BLAS would make it a hundred times slower
    with thread_pool():
        short = [
            search(Z[row], w, _SHORT,
                   Portion(watch, 0.7 * i / len(rows), 0.7 * (i + 1) / len(rows)))
            for i, row in enumerate(rows)
        ]
        short.sort(key=lambda concept: concept.nldd)
        long = [
            search(concept.target, concept.weights, ITERATIONS,
                   Portion(watch, 0.7 + part * i, 0.7 + part * (i + 1)))
            for i, concept in enumerate(short[:_FINALISTS])
        ]
    return sorted(long + short[_FINALISTS:], key=lambda concept: concept.nldd)


def first_weights(Z: NDArray) -> NDArray[np.float64]:
    """Equal weights under which the median squared distance of two instances is 1."""
    return np.full(Z.shape[1], 1 / np.sqrt(median_squared_distance(Z)))


def start_rows(
    sides: Sides, n_bags: int, random_state: int, *, most: int = MAX_STARTS
) -> NDArray[np.int64]:
    """Rows of `sides.Z` to start from: all instances of some positive bags, or `most` of these."""
    rng = np.random.default_rng(random_state)
    picked = rng.permutation(np.flatnonzero(sides.positive))[:n_bags]
    rows = np.concatenate(
        [np.arange(sides.indptr[k], sides.indptr[k + 1]) for k in np.sort(picked)]
    )
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


@njit(cache=True, nogil=True, fastmath=_SUMS)
def weighted_distance2(Z: NDArray, t: NDArray, w: NDArray) -> NDArray:
    """sum_j (w_j (z_nj - t_j))², (M,)."""
    out = np.empty(Z.shape[0])
    for n in range(Z.shape[0]):
        total = 0.0
        for j in range(Z.shape[1]):
            off = w[j] * (Z[n, j] - t[j])
            total += off * off
        out[n] = total
    return out


@njit(cache=True, nogil=True)
def spread_gradient(Z: NDArray, t: NDArray, w: NDArray, pull: NDArray) -> tuple[NDArray, NDArray]:
    """Gradients by t and by w, (D,) each, of a function whose gradient by the squared distances is
    `pull` (M,)."""
    by_t, by_w = np.zeros(len(t)), np.zeros(len(t))
    for n in range(Z.shape[0]):
        if pull[n] == 0.0:
            continue
        for j in range(len(t)):
            off = Z[n, j] - t[j]
            by_t[j] -= 2.0 * pull[n] * w[j] * w[j] * off
            by_w[j] += 2.0 * pull[n] * w[j] * off * off
    return by_t, by_w


@njit(cache=True, nogil=True)
def nldd(distance2: NDArray, indptr: NDArray, positive: NDArray) -> tuple[float, NDArray]:
    """NLDD of squared distances (M,) and its gradient by them (M,)."""
    value, pull = 0.0, np.empty(len(distance2))
    for k in range(len(positive)):
        low, high = indptr[k], indptr[k + 1]
        value += bag_loss(distance2[low:high], positive[k], pull[low:high])
    return value, pull
