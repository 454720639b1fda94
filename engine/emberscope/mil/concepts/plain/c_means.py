"""Fuzzy and possibilistic c-means: clusters to which instances belong more or less."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, log_softmax

from emberscope.base.monitor import Monitor
from emberscope.mil.concepts.pruning import distinct

ROUNDS = 200
_LEAST = 1e-12  # squared distance below which its logarithm says nothing more
_RESTING = 1e-4  # of the spread of all features: centers that move by less rest
_ENOUGH = 1e-6  # of the objective: a round that lowers it by less is the last
_NONE = -100.0  # logarithm of a membership that is none
_DEAD = 1e-9  # sum of memberships of a cluster that nothing is near to


@dataclass(frozen=True, slots=True)
class Clusters:
    """centers : (K, D). memberships : (K, N), of a fuzzy clustering with sums 1. reach : (K,)
    squared distance at which a possibilistic membership is 1/2; None of a fuzzy one. fuzzifier : m.
    objectives : (R,) after every round, never rising."""

    centers: NDArray[np.float64]
    memberships: NDArray[np.float64]
    fuzzifier: float
    objectives: NDArray[np.float64]
    reach: NDArray[np.float64] | None = None

    def of(self, Z: NDArray) -> NDArray[np.float64]:
        """Memberships of instances Z (M, D), (K, M). O(M K D)."""
        return _memberships(squares(Z, self.centers), self.fuzzifier, self.reach)


def usual_fuzzifier(n_features: int) -> float:
    """1 + 2 / D, at most 2: in many features distances are much alike, and with m = 2 all centers
    would fall together."""
    return 1.0 + min(2.0 / n_features, 1.0)


def fuzzy(
    Z: NDArray, start: NDArray, fuzzifier: float, monitor: Monitor
) -> Clusters:
    """Minimize sum_kn u_kn^m |z_n - c_k|² with sum_k u_kn = 1 from centers start (K, D).

    Karem 2019, equations 2.2.17 to 2.2.20 (Bezdek 1981). O(N K D) a round, 200 at most.
    """
    return _alternate(Z, start, fuzzifier, None, monitor)


def possibilistic(Z: NDArray, found: Clusters, monitor: Monitor) -> Clusters:
    """Minimize sum_kn u_kn^m |z_n - c_k|² + sum_k eta_k sum_n (1 - u_kn)^m from fuzzy clusters, of
    which eta_k is the mean squared distance, weighted by u^m. Clusters that come to lie on each
    other, or that nothing is near to, are one or none.

    Karem 2019, equations 2.2.21 to 2.2.24; eta by Krishnapuram and Keller 1993, kept as it is. O of
    `fuzzy`.
    """
    weight = found.memberships**found.fuzzifier
    reach = (weight * squares(Z, found.centers)).sum(axis=1) / weight.sum(axis=1)
    alone = _alternate(Z, found.centers, found.fuzzifier, np.maximum(reach, _LEAST), monitor)
    alive = np.flatnonzero(alone.memberships.sum(axis=1) > _DEAD)
    kept = alive[distinct(alone.memberships[alive])]
    assert alone.reach is not None
    return Clusters(alone.centers[kept], alone.memberships[kept], alone.fuzzifier,
                    alone.objectives, alone.reach[kept])


def squares(Z: NDArray, centers: NDArray) -> NDArray[np.float64]:
    """Squared distances (K, N) of Z (N, D) to centers (K, D). O(N K D)."""
    far = np.square(centers).sum(axis=1)[:, None] - 2 * centers @ Z.T + np.square(Z).sum(axis=1)
    return np.maximum(far, 0.0)


def _alternate(
    Z: NDArray, centers: NDArray, m: float, reach: NDArray | None, monitor: Monitor
) -> Clusters:
    resting = _RESTING * max(float(np.sqrt(Z.var(axis=0).sum())), 1e-30)
    objectives: list[float] = []
    log_u = _log_memberships(squares(Z, centers), m, reach)
    for done in range(ROUNDS):
        monitor.step(done / ROUNDS, "Clusters")
        weight = _power(log_u, m)
        total = weight.sum(axis=1, keepdims=True)
        moved = np.where(total > _DEAD, weight @ Z / np.maximum(total, _DEAD), centers)
        rests = float(np.abs(moved - centers).max()) < resting
        centers = moved
        far = squares(Z, centers)
        log_u = _log_memberships(far, m, reach)
        objectives.append(_objective(log_u, far, m, reach))
        if rests or (done and objectives[-2] - objectives[-1] <= _ENOUGH * objectives[-1]):
            break
    return Clusters(centers, _power(log_u, 1.0), m, np.array(objectives), reach)


def _objective(log_u: NDArray, far: NDArray, m: float, reach: NDArray | None) -> float:
    value = float((_power(log_u, m) * far).sum())
    if reach is None:
        return value
    rest = np.log(np.maximum(-np.expm1(log_u), np.finfo(float).tiny))
    return value + float((reach[:, None] * _power(rest, m)).sum())


def _power(log_u: NDArray, m: float) -> NDArray[np.float64]:
    """u^m of log u; 0 below e^-100: powers of such numbers take a hundred times as long."""
    return np.where(m * log_u > _NONE, np.exp(np.maximum(m * log_u, _NONE)), 0.0)


def _memberships(far: NDArray, m: float, reach: NDArray | None) -> NDArray[np.float64]:
    """u (K, N) of squared distances (K, N)."""
    return _power(_log_memberships(far, m, reach), 1.0)


def _log_memberships(far: NDArray, m: float, reach: NDArray | None) -> NDArray[np.float64]:
    """log u (K, N) of squared distances (K, N): at m = 1.02 they are 50th powers."""
    log = np.log(np.maximum(far, _LEAST))
    if reach is None:
        return np.asarray(log_softmax(-log / (m - 1), axis=0))
    return np.asarray(log_expit((np.log(reach)[:, None] - log) / (m - 1)))
