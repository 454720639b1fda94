"""MIDR: an orthonormal, nearly sparse map in which a logistic regression predicts bag labels."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.embedding.linear.pca import principal_axes
from emberscope.mil.reduction.discriminants import DIMENSIONS
from emberscope.mil.reduction.linear import LinearReduction
from emberscope.mil.scaling import STANDARDIZE
from emberscope.neighbors.threads import thread_pool

_RIDGE = 1e-3
_SMOOTH = 1e-6  # |w| is sqrt(w² + this)
_ZERO = 1e-3  # entries smaller than this count as none
_TOLERANCE = 1e-5  # of the objective at the start
_STAGES = 4
_STEPS = 5  # of W between two regressions
_ROUNDS_OF_PARTS = 20  # of V, W and the regression between two updates of the multipliers
_FEASIBLE = 1e-4


class MIDR(LinearReduction):
    """Learn directions together with a logistic regression in them,
    whose largest answer in a bag is the bag's.

    Attributes
    ----------
    components_ : (D, d) float64, orthonormal. mean_, scale_ : (D,). coef_ : (d,),
    intercept_ : float, the regression.
    score_ : (N,) in 0 .. 1, P_kn, the probability that an instance is a target.
    history_ : objective after every step of the last stage, never increasing ("mi-alm": after every
    update of the multipliers, not monotone).
    sparsity_ : float, share of the entries of components_ below 1e-3.

    Notes
    -----
    Sun, Ng and Zhou 2010. With P_kn = 1 / (1 + exp(-(beta'W'x_kn + b))) and P_k = sum_n P_kn
    exp(a P_kn) / sum_n exp(a P_kn), which nears the maximum, min over W'W = I, beta, b of sum_k
    (P_k - L_k)² + gamma sum |w| + 1e-3 |beta|², L in {0, 1}, |w| = sqrt(w² + 1e-6). The intercept
    is missing in print; the ridge keeps beta finite where bags separate. From the principal
    components.

    solver "riemannian": regression by L-BFGS, then steps of W along the tangent gradient G - W
    (W'G + G'W)/2 with backtracking and a QR retraction. Orthonormal entries get small, not 0.
    solver "mi-alm" (Zhu, Liao and Ng 2018; the formulas are ours): W = V, soft threshold on V, a
    proximal step and the orthogonal Procrustes projection on W, each of which lowers the augmented
    Lagrangian; multipliers and, where W and V do not near each other, the penalty move between.
    Entries of W reach nearly 0.

    The loss sees W only through W beta, one direction: further axes serve the sparsity and keep
    what is left of the principal components. One local optimum; `anneal` starts at a = 1 and
    sharpens to `alpha` in 4 stages. The mean of n probabilities that P_k is nears the maximum only
    while exp(a) > n, else a note says so. O(M D) a step for M members of bags; bags of any size,
    stored one after the other.
    """

    n_components: int = DIMENSIONS
    gamma: float = param(
        0.01, low=0, high=100, group="Embedding", title="Sparsity gamma", grid=(0.0, 0.01, 0.1),
        help="Price of the entries of the axes; larger makes more of them vanish.",
    )
    alpha: float = param(
        5.0, low=0, open_low=True, high=100, group="Bags", title="Sharpness",
        help="How far the best instance alone decides for its bag; small: all of them do.",
    )
    anneal: bool = param(
        False, group="Bags", title="Sharpen in stages", advanced=True,
        help="Start with all instances speaking for their bag and sharpen in 4 stages.",
    )
    solver: str = param(
        "riemannian", choices=("riemannian", "mi-alm"), group="Computation", title="Solver",
        advanced=True,
        help="Riemannian: steps on orthonormal axes. MI-ALM: splits sparse from orthonormal; "
        "sparser, slower.",
    )
    max_iter: int = param(
        200, low=1, high=100_000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of regression and directions in each stage.",
    )
    standardize: bool = STANDARDIZE
    state = (*LinearReduction.state, "coef_", "intercept_", "score_", "history_", "sparsity_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find directions and regression. Raises MissingLabels without a positive and a negative
        bag."""
        watch = monitored(monitor)
        X, _, training = self._training(X, y, bags)
        self._note_sizes(training.bags)
        watch.step(0.0, "Principal axes")
        A, mean, scale = self._scaled(X)
        fit = start(A, self.n_components, monitor=Portion(watch, 0.0, 0.1))
        with thread_pool():  # many small products: threads of BLAS would wait for each other
            fit, history = self._solved(A, training.bags, fit, Portion(watch, 0.1, 0.95))
        self.mean_, self.scale_, self.components_ = mean, scale, fit.W
        self.coef_, self.intercept_ = fit.beta, fit.b
        self.score_ = expit(A @ (fit.W @ fit.beta) + fit.b)
        self.history_, self.sparsity_ = np.array(history), float((np.abs(fit.W) < _ZERO).mean())
        self.embedding_ = self._project(X, Portion(watch, 0.95, 1.0))
        return self


    def _solved(
        self, A: NDArray, bags: Bags, fit: "Iterate", watch: Monitor
    ) -> tuple["Iterate", list[float]]:
        """The solution and the history of the last stage."""
        sharpness = (
            np.geomspace(min(1.0, self.alpha), self.alpha, _STAGES) if self.anneal else [self.alpha]
        )
        solve = descend if self.solver == "riemannian" else split
        history: list[float] = []
        for stage, alpha in enumerate(sharpness):
            problem = Problem.of(A, bags, float(alpha), self.gamma)
            part = Portion(watch, stage / len(sharpness), (stage + 1) / len(sharpness))
            fit, history = solve(problem, fit, self.max_iter, monitor=part)
        return fit, history

    def _note_sizes(self, bags: Bags) -> None:
        """One target among n instances makes P_k = e^a / (e^a + n - 1):
        a note where that is below one half."""
        size = int(np.median(bags.sizes[bags.labels > 0]))
        if np.log(max(size - 1, 1)) > self.alpha:
            self.notes_.append(
                f"In positive bags of {size} instances a single target hardly counts with alpha "
                f"{self.alpha:g}; "
                f"choose {np.ceil(np.log(size)) + 2:g} or more."
            )


@dataclass(frozen=True, slots=True)
class Iterate:
    """W (D, d), W'W = I, and the regression beta (d,), b in it."""

    W: NDArray
    beta: NDArray
    b: float


@dataclass(frozen=True, slots=True)
class Problem:
    """A : (M, D), members of bags one bag after the other. starts : (K,) where each begins.
    owner : (M,), bag of each member. target : (K,) in {0, 1}. alpha, gamma : as in the objective.
    """

    A: NDArray
    starts: NDArray
    owner: NDArray
    target: NDArray
    alpha: float
    gamma: float

    @classmethod
    def of(cls, A: NDArray, bags: Bags, alpha: float, gamma: float) -> "Problem":
        """Of rows A (N, D) and labeled bags."""
        target = (bags.labels > 0).astype(np.float64)
        return cls(A[bags.members], bags.indptr[:-1], bags.bag_of_member, target, alpha, gamma)

    def objective(self, x: Iterate) -> float:
        """Loss, price of entries and ridge."""
        return self.loss(self.A @ (x.W @ x.beta)
                         + x.b)[0] + self.price(x.W) + _RIDGE * float(x.beta @ x.beta)

    def price(self, W: NDArray) -> float:
        """Of entries of W (D, d) that are not zero: gamma times their absolute values,
        rounded off at zero."""
        return self.gamma * float(np.sqrt(np.square(W) + _SMOOTH).sum())

    def loss(self, s: NDArray) -> tuple[float, NDArray]:
        """sum (P_k - L_k)² for scores s (M,) of members, and its gradient (M,). No bag is empty."""
        p = expit(s)
        weight = np.exp(self.alpha * (p - 1))  # p <= 1: nothing overflows, nothing vanishes
        total = segment_reduce(np.add, weight, self.starts)
        P = segment_reduce(np.add, p * weight, self.starts) / total
        off = P - self.target
        slope = (
            2 * off / total
        )[self.owner] * weight * (1 + self.alpha * (p - P[self.owner])) * p * (1 - p)
        return float(off @ off), slope

    def gradient(self, x: Iterate) -> NDArray:
        """Of loss and price by W, (D, d)."""
        _, slope = self.loss(self.A @ (x.W @ x.beta) + x.b)
        return (
            np.outer(slope @ self.A, x.beta) + self.gamma * x.W / np.sqrt(np.square(x.W) + _SMOOTH)
        )

    def regressed(self, x: Iterate) -> Iterate:
        """`x` with the regression fitted to its directions; never worse."""
        Z = self.A @ x.W

        def value(theta: NDArray) -> tuple[float, NDArray]:
            loss, slope = self.loss(Z @ theta[:-1] + theta[-1])
            gradient = np.append(slope @ Z + 2 * _RIDGE * theta[:-1], slope.sum())
            return loss + _RIDGE * float(theta[:-1] @ theta[:-1]), gradient

        before = np.append(x.beta, x.b)
        found = minimize(value, before, jac=True, method="L-BFGS-B", options={"maxiter": 20})
        theta = found.x if found.fun <= value(before)[0] else before
        return Iterate(x.W, theta[:-1], float(theta[-1]))


def start(A: NDArray, d: int, *, monitor: Monitor | None = None) -> Iterate:
    """The principal axes, and a regression that knows nothing. `A` : (N, D)."""
    _, W = principal_axes(A, np.zeros(A.shape[1]), d, monitor=monitor)
    return Iterate(W, np.zeros(d), 0.0)


def descend(
    problem: Problem, x: Iterate, max_iter: int, *, monitor: Monitor | None = None
) -> tuple[Iterate, list[float]]:
    """Regression and tangent steps in turn until neither lowers the objective;
    it after every step."""
    watch = monitored(monitor)
    history = [problem.objective(x)]
    length = 1.0
    for round_ in range(max_iter):
        here = Portion(watch, 1 - 0.98**round_, 1 - 0.98**round_)
        here.step(0.0, f"Round {round_ + 1}")
        before = history[-1]
        x = problem.regressed(x)
        history.append(problem.objective(x))
        for _ in range(_STEPS):
            x, value, length = tangent_step(problem, x, history[-1], length, monitor=here)
            history.append(value)
        if before - history[-1] <= _TOLERANCE * history[0]:
            break
    return x, history


def tangent_step(
    problem: Problem, x: Iterate, value: float, length: float, *, monitor: Monitor | None = None
) -> tuple[Iterate, float, float]:
    """One step of W downhill, or none; the objective there, and a length to try next."""
    watch = monitored(monitor)
    G = problem.gradient(x)
    inner = x.W.T @ G
    Z = G - x.W @ ((inner + inner.T) / 2)
    norm = float(np.square(Z).sum())
    while length > 1e-12:
        watch.step(0.0, "Directions")
        moved = Iterate(retracted(x.W - length * Z), x.beta, x.b)
        new = problem.objective(moved)
        if new <= value - 1e-4 * length * norm:
            return moved, new, 2 * length
        length /= 2
    return x, value, 1e-6


def retracted(W: NDArray) -> NDArray:
    """The orthonormal factor of W = QR with a positive diagonal of R:
    the identity on orthonormal W.

    `W` : (D, d); returns (D, d).
    """
    Q, R = np.linalg.qr(W)
    return Q * np.where(np.diagonal(R) < 0, -1.0, 1.0)


def split(
    problem: Problem, x: Iterate, max_iter: int, *, monitor: Monitor | None = None
) -> tuple[Iterate, list[float]]:
    """MI-ALM: the objective with |w| itself, entries priced on a copy V of W;
    it after every update of multipliers."""
    watch = monitored(monitor)
    x = problem.regressed(x)
    V, multiplier, penalty, apart = x.W, np.zeros_like(x.W), 1.0, np.inf
    history = [problem.objective(x)]
    for round_ in range(max_iter):
        for _ in range(_ROUNDS_OF_PARTS):
            here = Portion(watch, 1 - 0.95**round_, 1 - 0.95**round_)
            here.step(0.0, f"Round {round_ + 1}")
            V = shrunk_entries(x.W + multiplier / penalty, problem.gamma / penalty)
            moved = proximal_step(problem, x, V, multiplier, penalty, monitor=here)
            change = float(np.abs(moved.W - x.W).max())
            x = problem.regressed(moved)
            if change < 1e-5:
                break
        history.append(problem.objective(x))
        gap = float(np.abs(x.W - V).max())
        if gap < _FEASIBLE:
            break
        multiplier = multiplier + penalty * (x.W - V)
        penalty *= 2.0 if gap > 0.5 * apart else 1.0
        apart = gap
    return x, history


def shrunk_entries(W: NDArray, threshold: float) -> NDArray:
    """argmin over V of threshold |V| + |V - W|²/2. `W` : (D, d); returns (D, d)."""
    return np.sign(W) * np.maximum(np.abs(W) - threshold, 0.0)


def proximal_step(
    problem: Problem, x: Iterate, V: NDArray, multiplier: NDArray, penalty: float, *,
    monitor: Monitor | None = None
) -> Iterate:
    """W moved to the orthonormal matrix nearest to a gradient step of the smooth part of the
    augmented Lagrangian.

    The step is halved until the quadratic model that it minimizes bounds the function: then the
    function has not risen. `V` and `multiplier` : (D, d).
    """

    def smooth(W: NDArray) -> tuple[float, NDArray]:
        loss, slope = problem.loss(problem.A @ (W @ x.beta) + x.b)
        off = W - V
        value = loss + float((multiplier * off).sum()) + penalty / 2 * float(np.square(off).sum())
        return value, np.outer(slope @ problem.A, x.beta) + multiplier + penalty * off

    value, G = smooth(x.W)
    length = 1 / penalty
    while length > 1e-12:
        monitored(monitor).step(0.0, "Directions")
        left, _, right = np.linalg.svd(x.W - length * G, full_matrices=False)
        moved = left @ right
        off = moved - x.W
        if smooth(moved)[0] <= value + float(
            (G * off).sum()
        ) + float(np.square(off).sum()) / (2 * length) + 1e-12:
            return Iterate(moved, x.beta, x.b)
        length /= 2
    return x
