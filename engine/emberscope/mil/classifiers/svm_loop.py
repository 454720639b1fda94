"""Base of mi-SVM and MI-SVM: a support vector machine refitted on other labels or rows until they
settle."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, slices
from emberscope.base.param import param
from emberscope.mil.support_vectors import balanced, support_vectors
from emberscope.mil.training_bags import renumbered
from emberscope.neighbors.threads import thread_pool

EXACT = 7000  # instances up to which all kernel values are kept, 400 MB
LANDMARKS = 300
MAX_ROUNDS = 50
_MAX_BYTES = 4 << 30
_NEWTON = 50
CHUNK = 1 << 20  # kernel values at a time
_UNSETTLED = (
    "With so large a penalty C the machine does not settle: errors are squared instead, as with "
    "many instances."
)

KERNEL = param(
    "rbf", choices=("rbf", "linear"), group="Support vectors", title="Kernel",
    grid=("rbf", "linear"),
    help="Rbf: the border between target and background may curve; linear: it is straight.",
)
PENALTY = param(
    1.0, low=0.0, high=1e6, open_low=True, group="Support vectors", title="Penalty C",
    grid=(0.1, 1.0, 10.0, 100.0),
    help="How much an instance on the wrong side costs: large values follow the training "
    "instances closely.",
)
GAMMA = param(
    None, low=0.0, high=1e6, open_low=True, group="Support vectors", title="Kernel gamma",
    auto="1 / total variance",
    when=("kernel", "rbf"), advanced=True,
    help="Instances at squared distance 1 / gamma still influence each other.",
)
BALANCE = param(
    True, group="Support vectors", title="Balance classes", advanced=True,
    help="Errors on targets and on background cost the same in sum; off: every instance costs C.",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """f(z) = sum_i coefs_i k(z, vectors_i) + intercept; k = exp(-gamma |.|²),
    or the inner product where gamma is 0."""

    vectors: NDArray[np.float64]
    coefs: NDArray[np.float64]
    intercept: float
    gamma: float

    def decide(self, Z: NDArray, monitor: Monitor | None = None) -> NDArray[np.float64]:
        """f of instances, (M, D) -> (M,). O(M S D) for S vectors."""
        out = np.empty(len(Z))
        for rows in slices(len(Z), CHUNK // len(self.vectors), monitor, "Scores"):
            out[rows] = kernel(Z[rows], self.vectors, self.gamma) @ self.coefs + self.intercept
        return out


class Trainer:
    """Fits support vector machines on rows of one matrix Z (n, D),
    whose kernel values are computed once.

    gamma : of the rbf kernel, 0 is the linear one. C : penalty.
        balance : errors of both classes cost the same in sum. notes : gets what a person should
        know of the fits.

    Notes
    -----
    Up to 7000 rows it is `support_vectors` (hinge loss). Above it is a machine with the squared
    hinge, by Newton steps in the primal: on the features themselves for a linear kernel, else on
    300 Nystroem features, with the first landmarks that a generator of seed 0 draws. Raises
    TooLarge where these do not fit in 4 GiB. Starts from the machine before. So it does from the
    first exact fit on that does not settle, as happens with a huge C. Cost per fit: O(n²) to O(n³),
    above 7000 rows O(n features²). One exact fit cannot be stopped in the middle: some seconds.
    """

    def __init__(
        self, Z: NDArray, *, gamma: float, C: float, monitor: Monitor, notes: list[str],
        balance: bool = True,
    ) -> None:
        self._Z, self._gamma, self._C, self._balance, self._monitor = Z, gamma, C, balance, monitor
        self._notes = notes
        self._exact = len(Z) <= EXACT
        if self._exact:
            self._gram = self._kernel_with(Z)
        else:
            self._features = self._spread()
            self._w = np.zeros(self._features.shape[1] + 1)

    def fit(
        self, rows: NDArray, y: NDArray, cost: NDArray | None = None
    ) -> tuple[Machine, NDArray[np.float64]]:
        """The machine for rows of Z with labels y in {-1, +1}, both present,
        and its decision on all of Z (n,).

        cost : (len(rows),) of an error in each row, in place of C and `balance`.
        """
        self._monitor.step(0.0, "Support vectors")
        cost = self._cost(y) if cost is None else cost
        return (self._fit_exactly(rows, y, cost) if self._exact
                else self._fit_features(rows, y, cost))

    def _fit_exactly(
        self, rows: NDArray, y: NDArray, cost: NDArray
    ) -> tuple[Machine, NDArray[np.float64]]:
        in_order = np.array_equal(rows, np.arange(len(self._Z)))
        gram = self._gram if in_order else self._gram[np.ix_(rows, rows)]
        dual, intercept, settled = support_vectors(gram, y, cost, tolerance=1e-5)
        if not settled:  # not all of the way is worth nothing: the machine itself is left far away
            self._notes.append(_UNSETTLED)
            self._exact = False
            self._features = self._spread()
            self._w = np.zeros(self._features.shape[1] + 1)
            return self._fit_features(rows, y, cost)
        support = np.flatnonzero(dual)
        vectors, coefs = self._Z[rows[support]], dual[support]
        weight = np.bincount(rows, dual, minlength=len(self._Z))
        if self._gamma == 0:
            vectors, coefs = coefs[None] @ vectors, np.ones(1)
        return Machine(vectors, coefs, intercept, self._gamma), self._gram @ weight + intercept

    def objective(
        self, machine: Machine, decision: NDArray, y: NDArray, cost: NDArray | None = None
    ) -> float:
        """What a machine that was fitted on labels y, and decides so on its rows,
        has made small: |f|² / 2 + losses. cost : as of `fit`."""
        cost = self._cost(y) if cost is None else cost
        short = np.maximum(1 - y * decision, 0)
        within = kernel(machine.vectors, machine.vectors, self._gamma) @ machine.coefs
        return float(machine.coefs @ within / 2 + cost @ (short if self._exact else short**2))

    def _cost(self, y: NDArray) -> NDArray[np.float64]:
        """(n,) cost of an error in each row."""
        return balanced(self._C, y) if self._balance else np.full(len(y), self._C)

    def _fit_features(
        self, rows: NDArray, y: NDArray, cost: NDArray
    ) -> tuple[Machine, NDArray[np.float64]]:
        with thread_pool():  # threads of BLAS cost more than they save on these matrices
            self._w = squared_hinge(self._features[rows], y, cost, self._w, self._monitor)
        w, intercept = self._w[:-1], float(self._w[-1])
        decision = self._features @ w + intercept
        if self._gamma == 0:
            return Machine(w[None], np.ones(1), intercept, 0.0), decision
        return Machine(self._landmarks, self._whiten @ w, intercept, self._gamma), decision

    def _spread(self) -> NDArray[np.float64]:
        """What the primal machine works on: Z, or Nystroem features of it (n, up to 300)."""
        if self._gamma == 0:
            return self._Z
        if 8 * len(self._Z) * LANDMARKS > _MAX_BYTES:
            raise TooLarge(
                f"{len(self._Z)} instances need {8 * len(self._Z) * LANDMARKS / 2**30:.0f} GiB",
                hint="Take kernel=linear, or fewer instances.",
            )
        count = min(LANDMARKS, len(self._Z))
        drawn = np.sort(np.random.default_rng(0).choice(len(self._Z), count, replace=False))
        self._landmarks = np.unique(self._Z[drawn], axis=0)
        values, vectors = np.linalg.eigh(kernel(self._landmarks, self._landmarks, self._gamma))
        kept = values > 1e-10 * values[-1]
        self._whiten = vectors[:, kept] / np.sqrt(values[kept])
        return self._kernel_with(self._landmarks) @ self._whiten

    def _kernel_with(self, vectors: NDArray) -> NDArray[np.float64]:
        out = np.empty((len(self._Z), len(vectors)))
        for rows in slices(len(self._Z), CHUNK // len(vectors)):
            self._monitor.step(0.0, "Kernel")
            out[rows] = kernel(self._Z[rows], vectors, self._gamma)
        return out


def width_of(Z: NDArray, kind: str, gamma: float | None) -> float:
    """gamma of the rbf kernel: as given, or 1 / total variance of Z; 0 for the linear kernel."""
    total = float(Z.var(axis=0).sum())
    return 0.0 if kind == "linear" else (gamma or 1 / (total if total > 0 else 1.0))


def squared_hinge(
    F: NDArray, y: NDArray, cost: NDArray, start: NDArray, monitor: Monitor
) -> NDArray[np.float64]:
    """argmin over [w, b] of |w|² / 2 + sum_i cost_i max(0, 1 - y_i (f_i w + b))², (m + 1,).
    O(n m²) per step.

    Newton steps with halving; they end at the minimum itself, because the function is quadratic
    between kinks (Keerthi and DeCoste 2005).
    """
    def loss(theta: NDArray) -> tuple[float, NDArray]:
        short = np.maximum(1 - y * (F @ theta[:-1] + theta[-1]), 0)
        return float(theta[:-1] @ theta[:-1] / 2 + (cost * short**2).sum()), short

    theta, (value, short) = start, loss(start)
    for _ in range(_NEWTON):
        monitor.step(0.0, "Support vectors")
        active = short > 0
        A = np.hstack([F[active], np.ones((active.sum(), 1))])
        slope = -2 * (cost * y * short)[active] @ A
        slope[:-1] += theta[:-1]
        if np.abs(slope).max() <= 1e-9 * cost.sum():
            break
        hessian = 2 * (A.T * cost[active]) @ A
        hessian[np.diag_indices(len(theta) - 1)] += 1
        hessian[-1, -1] += 1e-12 * cost.sum()  # no active row leaves the intercept free
        step, size = np.linalg.solve(hessian, slope), 1.0
        while size > 1e-6 and loss(theta - size * step)[0] > value - 1e-4 * size * (slope @ step):
            size /= 2
        theta = theta - size * step
        value, short = loss(theta)
    return theta


def kernel(A: NDArray, B: NDArray, gamma: float) -> NDArray[np.float64]:
    """k of all pairs (a, b): exp(-gamma |a - b|²), or the inner product where gamma is 0."""
    out = A @ B.T
    if gamma == 0:
        return out
    out *= 2 * gamma
    out -= gamma * np.square(A).sum(axis=1)[:, None]
    out -= gamma * np.square(B).sum(axis=1)
    return np.exp(np.minimum(out, 0, out=out), out=out)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Training instances, each once, in the order of their bags, whatever the order of the data.

    rows : (n,) rows of X. y : (n,) int8, label of their bags.
        bags : positive bags, members numbered within `rows`.
    """

    rows: NDArray[np.int64]
    y: NDArray[np.int8]
    bags: Bags

    def best(self, score: NDArray) -> NDArray[np.int64]:
        """The instance of largest score of each positive bag, (K+,)."""
        return bag_argmax(score, self.bags)


def candidates(bags: Bags) -> Candidates:
    """The instances of the bags that `BagClassifier._training` gives. O(M log M)."""
    rows, own = renumbered(bags)
    return Candidates(rows, own.instance_labels(len(rows)),
                      own.take(np.flatnonzero(own.labels > 0)))
