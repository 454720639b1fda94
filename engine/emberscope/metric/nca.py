"""Neighborhood components analysis: the linear map in which a random near neighbor is of one's own
class."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize

from emberscope.base.monitor import Monitor, monitored, slices
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.metric.classes import OfClasses

_ROWS = 256
_SAMPLE = 1000  # instances by which the start is scaled
_NEAR = 10
_RIDGE = 0.1  # of the usual variance inside classes
_FEW = 10  # instances of a half, below which it cannot choose the start


class NCA(OfClasses):
    """Learn a linear map in which each instance's neighbors, drawn by distance,
    are of its class; Z = (X - mean) W.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `held_out_knn_`.

    Attributes
    ----------
    objective_ : float, expected share of instances whose drawn neighbor is of their class.

    Notes
    -----
    Goldberger, Roweis, Hinton and Salakhutdinov 2005: the neighbor j of i is drawn with p_ij
    proportional to exp(-|z_i - z_j|²), and the mean over i of the p_ij of its own class is
    maximized, by L-BFGS from the principal components, or from the directions that part the
    classes, where those of one half part the other better (scaled to unit distance of the 10th
    neighbor). A label of weight w counts as w of an instance, both as i and as j. Instances of
    unknown class take no part. Not convex: another start may end elsewhere. Inputs are 100
    principal components and a quarter of the instances at most. O(n² (d + 1)) per step for n
    labeled instances, in blocks; up to 1.3 times as much again for the held-out folds, which learn
    from 1500 instances at most.
    """

    n_components: int | None = replace(
        N_COMPONENTS, high=100, auto="as many as the features vary in",
    )
    n_iter: int = param(
        50, low=1, high=10_000, title="Steps", group="Computation",
        help="Steps of the optimizer at most; each looks at all pairs.",
    )
    random_state: int = RANDOM_STATE

    def _learned(
        self, T: NDArray, kind: NDArray, weight: NDArray, watch: Monitor
    ) -> tuple[NDArray, float]:
        r = T.shape[1]
        d = r if self.n_components is None else min(self.n_components, r)
        start = _start(T, kind, weight, d)
        done = iter(range(10 * self.n_iter + 100))

        def cost(flat: NDArray) -> tuple[float, NDArray]:
            share = min(next(done, 0) / (1.5 * self.n_iter), 1.0)
            value, gradient = neighbor_probability(T, flat.reshape(r, d), kind, weight,
                                                   monitor=_At(watch, share))
            return -value, -gradient.ravel()

        found: Any = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B",
                              options={"maxiter": self.n_iter, "maxfun": 2 * self.n_iter})
        watch.step(1.0, "Neighbors")
        return found.x.reshape(r, d), -float(found.fun)


def neighbor_probability(
    T: NDArray, W: NDArray, kind: NDArray, weight: NDArray, *, monitor: Monitor | None = None
) -> tuple[float, NDArray]:
    """Weighted mean chance that a neighbor is of one's class, and its gradient (r, d) in W (r, d).

    T : (m, r). kind : (m,) classes. weight : (m,) above 0.
    """
    Z = T @ W
    square = np.einsum("nk,nk->n", Z, Z)
    log_weight = np.log(weight)
    pulled, pulls, given = np.zeros_like(Z), np.zeros_like(Z), np.zeros(len(Z))
    value, watch = 0.0, monitored(monitor)
    for part in slices(len(Z), _ROWS):
        watch.step(part.start / len(Z), "Neighbors")
        P = log_weight - np.maximum(square[part, None] + square - 2 * Z[part] @ Z.T, 0)
        P[np.arange(len(P)), np.arange(part.start, part.stop)] = -np.inf
        P -= P.max(axis=1, keepdims=True)
        np.exp(P, out=P)
        P /= P.sum(axis=1, keepdims=True)
        own = np.where(kind[part, None] == kind, P, 0.0)
        right = own.sum(axis=1)
        value += float(weight[part] @ right)
        own -= P * right[:, None]
        own *= weight[part, None]
        pulled += own.T @ Z[part]
        pulls[part] = own @ Z
        given += own.sum(axis=0)
    total = weight.sum()
    # What the neighbors of i count sums to 0, so only three of the four terms of
    # (t_i - t_j)(z_i - z_j)' are left.
    return value / total, -2 * T.T @ (given[:, None] * Z - pulled - pulls) / total


class _At:
    """A monitor that stays at one fraction: steps of an optimizer whose number nobody knows."""

    def __init__(self, monitor: Monitor, fraction: float) -> None:
        self._monitor, self._fraction = monitor, fraction

    def step(self, fraction: float, message: str = "") -> None:
        self._monitor.step(self._fraction, message)

    def partial(self, Z: NDArray) -> None:
        self._monitor.partial(Z)


def _start(T: NDArray, kind: NDArray, weight: NDArray, d: int) -> NDArray[np.float64]:
    """W (r, d): the first principal components, or the directions that part the classes, where
    those of one half of the instances serve the other half more: classes may part where hardly
    anything varies."""
    plain = np.eye(T.shape[1], d)
    by_kind = np.argsort(kind, kind="stable")
    one, other = by_kind[::2], by_kind[1::2]
    if len(other) < _FEW:
        return _scaled(T, plain)
    serves = [neighbor_probability(T[other], _scaled(T, W), kind[other], weight[other])[0]
              for W in (plain, _parting(T[one], kind[one], d))]
    return _scaled(T, plain if serves[0] >= serves[1] else _parting(T, kind, d))


def _parting(T: NDArray, kind: NDArray, d: int) -> NDArray[np.float64]:
    """(r, d) directions in which instances T (m, r) vary most in terms of how their classes do."""
    kinds, at = np.unique(kind, return_inverse=True)
    inner = T - np.stack([T[kind == one].mean(axis=0) for one in kinds])[at]
    centered = T - T.mean(axis=0)
    within = inner.T @ inner / len(T)
    every = centered.T @ centered / len(T)
    least = max(np.finfo(np.float32).eps * np.trace(every), np.finfo(float).tiny)
    ridge = max(_RIDGE * np.median(np.diag(within)), least)
    varied = eigh(every, within + ridge * np.eye(len(within)))
    return np.asarray(varied[1][:, : -d - 1 : -1])


def _scaled(T: NDArray, W: NDArray) -> NDArray[np.float64]:
    """W at which the 10th neighbor is at distance 1."""
    return np.asarray(W / max(_near_distance(T @ W), 1e-6))


def _near_distance(Z: NDArray) -> float:
    """Median distance to the 10th neighbor, among up to 1000 evenly chosen rows."""
    some = Z[np.unique(np.linspace(0, len(Z) - 1, min(len(Z), _SAMPLE)).astype(np.int64))]
    square = np.einsum("nk,nk->n", some, some)
    D = np.maximum(square[:, None] + square - 2 * some @ some.T, 0)
    k = min(_NEAR, len(some) - 1)
    return float(np.sqrt(np.median(np.partition(D, k, axis=1)[:, k])))
