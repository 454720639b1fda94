"""Large margin nearest neighbors: near instances of one's class come near,
others stay out by a margin."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, slices
from emberscope.base.param import N_COMPONENTS, RANDOM_STATE, param
from emberscope.metric.classes import OfClasses

_ROWS = 512
_SLACK = 1.1  # times the reach: farther ones are not watched for impostors until the next search
_STEPS = 20  # of the optimizer between two searches
_FEW = 1500  # instances that the map is learned from first, where there are over twice as many
_FIRST = 5  # of these before the second search: at the start nearly all instances are within reach
_PATIENCE = 1e-3  # relative improvement of the objective from search to search, below which it ends


class LMNN(OfClasses):
    """Learn a linear map in which k nearest neighbors classify well; Z = (X - mean) W.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it by `held_out_knn_`.

    Attributes
    ----------
    objective_ : float, what was minimized. n_impostors_ : (2,) int64, how many pairs of an instance
    and one of another class were nearer than its farthest target in the features, and are in the
    map.

    Notes
    -----
    Weinberger and Saul 2009: (1 - push) sum |z_i - z_j|² over the k nearest j of i in its class
    (targets, fixed, by the features) + push sum max(0, 1 + |z_i - z_j|² - |z_i - z_l|²) over all l
    of other classes (impostors); sums are means over i here. Minimized over W by L-BFGS, from the
    features scaled to targets at distance 1; only pairs that are, or are about to come, within the
    margin are watched, and sought anew every 20 steps until that changes nothing. Over W it is not
    convex (over W W' it is). A label of weight w counts as w of an instance. Inputs are 100
    principal components and a quarter of the instances at most; W has all directions, and the
    embedding shows the first d principal axes of them. From more than 3000 instances, 1500 of them
    drawn by seed are learned from first, which is a start near the end and saves a good part of the
    time. O(n² r) for each search, O(watched pairs r + n r²) per step.
    """

    n_components: int | None = replace(N_COMPONENTS, auto="all directions of the metric")
    n_neighbors: int = param(
        3, low=1, high=100, title="Neighbors k", group="Supervision",
        help="Nearest instances of its class that each one keeps near.",
    )
    push: float = param(
        0.5, low=0, high=1, open_low=True, open_high=True, group="Supervision",
        help="How much instances of other classes in between count against the distances to those "
        "of one's own.",
    )
    n_iter: int = param(
        200, low=1, high=10_000, title="Steps", group="Computation", advanced=True,
        help="Steps of the optimizer at most.",
    )
    random_state: int = RANDOM_STATE
    state = (*OfClasses.state, "n_impostors_")

    def _learned(
        self, T: NDArray, kind: NDArray, weight: NDArray, watch: Monitor
    ) -> tuple[NDArray, float]:
        start = None
        if len(T) > 2 * _FEW:
            some = np.random.default_rng(self.random_state).permutation(len(T))[:_FEW]
            start, _, _ = self._descended(T[some], kind[some], weight[some], None,
                                          Portion(watch, 0.0, 0.2))
            watch = Portion(watch, 0.2, 1.0)
        W, value, self.n_impostors_ = self._descended(T, kind, weight, start, watch)
        return W, value

    def _descended(
        self, T: NDArray, kind: NDArray, weight: NDArray, start: NDArray | None, watch: Monitor
    ) -> tuple[NDArray, float, NDArray[np.int64]]:
        """The map from a start (r, r), None for distances as they are; the objective;
        impostors before and after."""
        plain = np.eye(T.shape[1])
        targets = same_class_neighbors(T, kind, self.n_neighbors, watch)
        spread = _target_distances(T, targets)
        scale = np.sqrt(spread[targets >= 0].mean()) if (targets >= 0).any() else 0.0
        if scale == 0:
            return plain, 0.0, np.zeros(2, np.int64)
        problem = _Problem(T / scale, kind, weight / weight.sum(), targets, self.push)
        W, last, done = plain if start is None else start * scale, np.inf, 0
        first = problem.search(plain, watch, 0.0, slack=0.0)[1]
        while True:
            watch.step(done / self.n_iter, "Impostors")
            watched, count = problem.search(W, watch, done / self.n_iter)
            value = problem.cost(W, watched)[0]
            if done >= self.n_iter or abs(last - value) < _PATIENCE * abs(value):
                return W / scale, value, np.array([first, count])
            last = value  # it grows where the search finds others within reach
            steps = min(_STEPS if done or start is not None else _FIRST, self.n_iter - done)
            W = problem.improved(W, watched, steps, watch, done / self.n_iter)
            done += steps


@dataclass(frozen=True, slots=True)
class _Problem:
    """T (m, r) scaled scores; kind (m,); weight (m,) of sum 1; targets (m, k), -1 = none; push."""

    T: NDArray
    kind: NDArray
    weight: NDArray
    targets: NDArray[np.int64]
    push: float

    def search(
        self, W: NDArray, watch: Monitor, at: float, *, slack: float = _SLACK
    ) -> tuple[NDArray[np.int64], int]:
        """Pairs (E, 2) of an instance and one of another class that is, or may come, within its
        margin, and how many are nearer than its farthest target now; only these for a slack of
        0."""
        Z = self.T @ W
        reach = (
            1 + np.where(self.targets >= 0, _target_distances(Z, self.targets), -1.0).max(axis=1)
        )
        square = np.einsum("nk,nk->n", Z, Z)
        found, count = [], 0
        for part in slices(len(Z), _ROWS):
            watch.step(at, "Impostors")
            near, nearer = impostors(Z[part] @ Z.T, square, self.kind, reach, part.start, slack)
            found.append(near)
            count += nearer
        return np.concatenate(found), count

    def cost(self, W: NDArray, watched: NDArray[np.int64]) -> tuple[float, NDArray]:
        """The objective over watched pairs (E, 2), and its gradient (r, s) in W (r, s)."""
        value, Y = hinges(np.ascontiguousarray(self.T @ W), self.targets, watched, self.weight,
                          self.push)
        return value, 2 * (self.T.T @ Y)

    def improved(
        self, W: NDArray, watched: NDArray[np.int64], steps: int, watch: Monitor, at: float
    ) -> NDArray:
        def cost(flat: NDArray) -> tuple[float, NDArray]:
            watch.step(at, "Pull and push")
            value, gradient = self.cost(flat.reshape(W.shape), watched)
            return value, gradient.ravel()

        found: Any = minimize(cost, W.ravel(), jac=True, method="L-BFGS-B",
                              options={"maxiter": steps})
        return found.x.reshape(W.shape)


def same_class_neighbors(T: NDArray, kind: NDArray, k: int, watch: Monitor) -> NDArray[np.int64]:
    """(m, k) the nearest other rows of the class of each row of T (m, r),
    -1 where there are fewer. kind : (m,)."""
    out = np.full((len(T), k), -1, np.int64)
    for c in np.unique(kind):
        rows = np.flatnonzero(kind == c)
        few = min(k, len(rows) - 1)
        square = np.einsum("nk,nk->n", T[rows], T[rows])
        for part in slices(len(rows), _ROWS):
            watch.step(0.0, "Targets")
            if few < 1:
                continue
            apart = square[part, None] + square - 2 * T[rows[part]] @ T[rows].T
            apart[np.arange(len(apart)), np.arange(part.start, part.stop)] = np.inf
            out[rows[part], :few] = rows[np.argpartition(apart, few - 1, axis=1)[:, :few]]
    return out


def _target_distances(Z: NDArray, targets: NDArray[np.int64]) -> NDArray:
    d = Z[:, None] - Z[targets]
    return np.einsum("mkd,mkd->mk", d, d)


@njit(cache=True, nogil=True)
def impostors(
    inner: NDArray, square: NDArray, kind: NDArray, reach: NDArray, start: int, slack: float
) -> tuple[NDArray, int]:
    """Rows (E, 2) of pairs of two classes nearer than slack times the reach of the first, or than
    its reach less the margin 1; and how many the latter are.

    inner : (b, m) inner products of rows start, start + 1, ... with all.
        square : (m,) those of a row with itself.
    kind : (m,). reach : (m,), 0 for one without targets, which has none.
    """
    b, m = inner.shape
    rows, total, count = np.empty((0, 2), np.int64), 0, 0
    for fill in (False, True):
        if fill:
            rows = np.empty((total, 2), np.int64)
        total = 0
        for a in range(b):
            i = start + a
            within, near = slack * reach[i], reach[i] - 1
            for j in range(m if reach[i] > 0 else 0):
                apart = square[i] + square[j] - 2 * inner[a, j]
                if (apart < within or apart < near) and kind[j] != kind[i]:
                    if fill:
                        rows[total, 0], rows[total, 1] = i, j
                        count += apart < near
                    total += 1
    return rows, count


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def hinges(
    Z: NDArray, targets: NDArray, watched: NDArray, weight: NDArray, push: float
) -> tuple[float, NDArray]:
    """The objective, and Y (m, s) such that its gradient in the map is 2 T' Y.

    Z : (m, s), the mapped instances T. targets : (m, k). watched : (E, 2). weight : (m,). Pairs
    (i, j) at coefficient c add c (z_i - z_j) to row i of Y and take it from row j.
    """
    m, s = Z.shape
    k = targets.shape[1]
    Y = np.zeros((m, s))
    near = np.zeros((m, k))
    share = np.zeros((m, k))
    value = 0.0
    for i in range(m):
        for t in range(k):
            j = targets[i, t]
            if j < 0:
                continue
            for a in range(s):
                near[i, t] += (Z[i, a] - Z[j, a]) ** 2
            share[i, t] = (1 - push) * weight[i] * weight[j] * m / k
            value += share[i, t] * near[i, t]
    for e in range(watched.shape[0]):
        i, other = watched[e]
        far = 0.0
        for a in range(s):
            far += (Z[i, a] - Z[other, a]) ** 2
        total = 0.0
        for t in range(k):
            j = targets[i, t]
            hinge = 1 + near[i, t] - far
            if j < 0 or hinge <= 0:
                continue
            c = push * weight[i] * weight[j] * weight[other] * m * m / k
            value += c * hinge
            share[i, t] += c
            total += c
        if total > 0:
            for a in range(s):
                d = total * (Z[i, a] - Z[other, a])
                Y[i, a] -= d
                Y[other, a] += d
    for i in range(m):
        for t in range(k):
            j = targets[i, t]
            if j >= 0:
                for a in range(s):
                    d = share[i, t] * (Z[i, a] - Z[j, a])
                    Y[i, a] += d
                    Y[j, a] -= d
    return value, Y
