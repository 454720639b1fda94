"""Base of B-MIDA and M-MIDA: three criteria, the alternation of directions and prototypes,
the kernel version."""

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.embedding.linear.generalized import ratio_axes
from emberscope.embedding.linear.lda import residual_axes
from emberscope.mil.reduction.kernel_features import KernelFeatures, kernel_features, kernel_map
from emberscope.mil.scaling import centered
from emberscope.mil.training_bags import TrainingBags
from emberscope.neighbors.spectral import fix_signs

DIFFERENCE, RATIO, RATIO_TRACE = "trace difference", "trace ratio", "ratio trace"
INNER = 50  # rounds of prototypes for the same directions; they settle within five
_TOLERANCE = 1e-6
_LEAST = 1e-9  # of the mean between-class scatter is added to the spread that a ratio divides by
_RATIO_ROUNDS = 100
_DENSITY_ROUNDS = 20  # where targets stand out it settles within ten; elsewhere it may wander

DIMENSIONS = replace(N_COMPONENTS, grid=(1, 2, 5, 10, 20, 40))
ALPHA = param(
    0.25, low=0, high=1000, group="Embedding", title="Spread penalty",
    when=("criterion", DIFFERENCE), grid=(0.02, 0.25, 1.0, 2.0),
    help="Below 1 like PCA of the prototypes, above 1 like Fisher's discriminant (relative mode).",
)
ALPHA_MODE = param(
    "relative", choices=("relative", "raw"), group="Embedding", advanced=True,
    when=("criterion", DIFFERENCE),
    help="Relative: in units in which 1 is the border. Raw: as printed in the paper.",
)
CRITERION = param(
    DIFFERENCE, choices=(DIFFERENCE, RATIO, RATIO_TRACE), group="Embedding", advanced=True,
    help="What is largest: distances between classes less the spread, or over it, in sum or along "
    "each axis.",
)
SHRINKAGE = param(
    None, low=0, high=1, group="Embedding", advanced=True,
    auto="0 for the trace difference, 0.5 for the ratios",
    help="How far the spread of prototypes is made round; more is safer with few bags.",
)
KERNEL = param(
    "linear", choices=("linear", "rbf"), group="Embedding", advanced=True,
    help="Linear: straight directions. Rbf: curved ones, by likeness to the training instances.",
)
WIDTH = param(
    None, low=0, open_low=True, unit="squared feature distance", group="Embedding", advanced=True,
    title="Kernel width", when=("kernel", "rbf"),
    auto="median squared distance between instances",
    help="Squared distance over which likeness falls to a third.",
)
MAX_ITER = param(
    100, low=1, high=10_000, group="Computation", title="Rounds at most", advanced=True,
    help="Rounds of directions and prototypes; it usually settles within ten.",
)


@dataclass(frozen=True, slots=True)
class Step:
    """Directions for some prototypes.

    G : (D, min(d, r)). values : (r,) descending, the spectrum they head. objective : float.
    penalty : float, factor of the spread in tr G'(S_b - penalty S_w)G. kept, blend : S_w counts as
    kept G'S_w G + blend tr S_w (shrinkage).
    """

    G: NDArray
    values: NDArray
    objective: float
    penalty: float
    kept: float = 1.0
    blend: float = 0.0


@dataclass(frozen=True, slots=True)
class View:
    """Instances as a step sees them.

    Z : (N, d), for distances between classes. W : (N, d'), for those within, with shrinkage in
    them. fixed : (f, d), prototypes that are no instances. penalty : of the step.
    """

    Z: NDArray
    W: NDArray
    fixed: NDArray
    penalty: float


class Problem(Protocol):
    """The bags, the instances that stand for classes without prototypes,
    and the way prototypes are found."""

    @property
    def fixed(self) -> NDArray:
        """(f, D), prototypes that are no instances."""

    def start(self, A: NDArray, *, monitor: Monitor) -> NDArray[np.int64]:
        """Rows of the first prototypes, one per positive bag."""

    def scatters(self, P: NDArray, fixed: NDArray) -> tuple[NDArray, NDArray]:
        """S_b and S_w, (r, r), of prototypes (l, r) and fixed ones (f, r)."""

    def moved(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.int64]:
        """Better prototypes for fixed directions."""

    def score(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.float64]:
        """(N,), larger = more target-like."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """The problem that directions solve. alpha : penalty of the trace difference,
    absolute. d : directions wanted."""

    kind: str
    alpha: float
    shrinkage: float
    d: int

    def best(self, A: NDArray, problem: Problem, chosen: NDArray) -> Step:
        """Directions for these prototypes, in the span of all prototypes:
        outside it everything is arbitrary.

        A : (N, D). chosen : (l,) rows of the prototypes. Raises DataError where all instances are
        the same.
        """
        everyone = np.vstack([A[chosen], problem.fixed])
        B = _range(everyone - everyone.mean(axis=0))
        if not B.shape[1]:
            raise DataError("target and background instances are all the same",
                            hint="Choose other features.")
        return self.solve(*problem.scatters(A[chosen] @ B, problem.fixed @ B), B)

    def solve(self, Sb: NDArray, Sw: NDArray, B: NDArray) -> Step:
        """Directions B T (D, d) for scatters (r, r) on a basis B (D, r)."""
        r = len(Sb)
        d = min(self.d, r)
        spread = (1 - self.shrinkage) * Sw + self.shrinkage * np.trace(Sw) / r * np.eye(r)
        if self.kind == DIFFERENCE:
            values, T = _top(Sb - self.alpha * spread, d)
            objective, penalty = float(values[:d].sum()), self.alpha
        else:
            spread += _LEAST * np.trace(Sb) / r * np.eye(r)
            values, T, objective, penalty = (_trace_ratio if self.kind == RATIO
                                             else _ratio_trace)(Sb, spread, d)
        return Step(fix_signs(B @ T), values, objective, penalty, 1 - self.shrinkage,
                    self.shrinkage * d / r)


def look(A: NDArray, fixed: NDArray, step: Step) -> View:
    """The instances (N, D) and fixed prototypes in coordinates of a step."""
    Z = A @ step.G
    W = Z if not step.blend else np.hstack([np.sqrt(step.kept) * Z, np.sqrt(step.blend) * A])
    return View(Z, W, fixed @ step.G, step.penalty)


@dataclass(frozen=True, slots=True)
class Alternated:
    """chosen : (l,) rows of the prototypes. step : directions for them.
    view, history : of the rounds.

    settled : False where prototypes would have moved on after the last round.
    """

    chosen: NDArray[np.int64]
    step: Step
    view: View
    history: list[float]
    settled: bool = True


def alternate(
    A: NDArray, problem: Problem, criterion: Criterion, chosen: NDArray, *, rule: str,
    max_iter: int, monotone: bool, monitor: Monitor | None = None,
) -> Alternated:
    """Directions for prototypes, prototypes for directions,
    until no prototype moves or a set comes back.

    rule : how prototypes move; "none": they stay, "density": 20 rounds at most. monotone : stop
    before a round that would lower the objective (it can where directions with negative eigenvalues
    are held). Else, the iterate of largest objective is returned; for rule "density", which follows
    another aim, the last.
    `A` : (N, D). `chosen` : (K,) rows of A, the first prototypes.
    """
    watch = monitored(monitor)
    step = criterion.best(A, problem, chosen)
    view = look(A, problem.fixed, step)
    best, history, seen = Alternated(chosen, step, view, []), [step.objective], {chosen.tobytes()}
    rounds = {"none": 0, "density": min(max_iter, _DENSITY_ROUNDS)}.get(rule, max_iter)
    for round_ in range(rounds):
        share = Portion(watch, 1 - 0.8**round_, 1 - 0.8 ** (round_ + 1))
        share.step(0.0, f"Round {round_ + 1}")
        chosen = problem.moved(rule, view, chosen, monitor=share)
        if chosen.tobytes() in seen:
            break
        seen.add(chosen.tobytes())
        step = criterion.best(A, problem, chosen)
        gain = step.objective - history[-1]
        if monotone and rule != "density" and gain < 0:
            break
        view = look(A, problem.fixed, step)
        history.append(step.objective)
        if rule == "density" or step.objective > best.step.objective:
            best = Alternated(chosen, step, view, [])
        if rule != "density" and abs(gain) < _TOLERANCE * max(
            abs(history[-2]), np.finfo(np.float64).tiny
        ):
            break
    settled = rule == "none" or len(history) <= rounds
    return Alternated(best.chosen, best.step, best.view, history, settled)


class PrototypeDiscriminant(Embedder):
    """Base of discriminant analyses with a prototype per bag:
    a subclass brings the bags and a `Problem`."""

    reads_labels = True
    state: ClassVar[tuple[str, ...]] = (
        "mean_", "scale_", "components_", "prototype_", "score_", "n_flips_", "eigenvalues_",
        "history_", "penalty_", "references_", "map_", "offset_", "width_",
    )
    n_components: int
    alpha: float
    alpha_mode: str
    criterion: str
    shrinkage: float | None
    update: str
    kernel: str
    width: float | None
    standardize: bool
    max_iter: int

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return self._mapped((X - self.mean_) / self.scale_).astype(X.dtype)

    def _mapped(self, A: NDArray) -> NDArray[np.float64]:
        if not len(self.references_):
            return A @ self.components_
        return kernel_map(A, self.references_, self.width_, self.map_, self.offset_)

    def _prepared(self, X: NDArray, monitor: Monitor) -> "Prepared":
        mean, scale = centered(X, standardize=self.standardize)
        A = (X - mean) / scale
        if self.kernel == "linear":
            return Prepared(mean, scale, A, A, None)
        F, made = kernel_features(A, self.width, monitor=monitor)
        if made.spanned:
            self.notes_.append(f"The kernel is spanned by {len(made.references)} of the instances.")
        return Prepared(mean, scale, A, F, made)

    def _learn(
        self, data: "Prepared", problem: Problem, training: TrainingBags, *, unit: float,
        monotone: bool, monitor: Monitor,
    ) -> NDArray[np.float64]:
        """Everything learned, and the coordinates (N, d). unit : of alpha."""
        F, shrinkage = data.F, self.shrinkage
        if shrinkage is None:
            shrinkage = 0.0 if self.criterion == DIFFERENCE else 0.5
        alpha = self.alpha * (unit if self.alpha_mode == "relative" else 1.0)
        criterion = Criterion(self.criterion, alpha, shrinkage, min(self.n_components, F.shape[1]))
        first = problem.start(F, monitor=Portion(monitor, 0.0, 0.5))
        found = alternate(
            F, problem, criterion, first, rule=self.update, max_iter=self.max_iter,
            monotone=monotone, monitor=Portion(monitor, 0.5, 0.85),
        )
        score = problem.score(self.update, found.view, found.chosen,
                              monitor=Portion(monitor, 0.85, 0.95))
        monitor.step(0.95, "Projecting")
        step = found.step
        positive, d = int((step.values[: step.G.shape[1]] > 0).sum()), step.G.shape[1]
        G = self._completed(F, step.G)
        if self.criterion == DIFFERENCE and positive < d:
            self.notes_.append(f"At this spread penalty {positive} of {d} directions separate; "
                               "lower it for more.")
        if not found.settled:
            rounds = len(found.history) - 1
            self.notes_.append(f"Prototypes still moved after {rounds} rounds: targets do not "
                               "stand out clearly.")
        self.prototype_ = np.full(training.n_bags, -1, np.int64)
        self.prototype_[training.rows[training.bags.labels > 0]] = found.chosen
        self.n_flips_ = int((found.chosen != first).sum())
        self.eigenvalues_, self.history_, self.penalty_ = (
            step.values, np.array(found.history), step.penalty
        )
        self.score_ = score
        self._keep(data, G)
        return self._mapped(data.A)

    def _completed(self, F: NDArray, G: NDArray) -> NDArray:
        """G (D, r) with further axes up to the dimensions wanted."""
        wanted = min(self.n_components, F.shape[1])
        if G.shape[1] < wanted:
            span = f"{G.shape[1]} dimension{'s' * (G.shape[1] != 1)}"
            self.notes_.append(f"Prototypes span {span}; further axes are principal components.")
            G = np.hstack([G, residual_axes(F, G, wanted - G.shape[1])])
        if wanted < self.n_components:
            self.notes_.append(
                f"The instances have {wanted} dimensions; further coordinates are 0."
            )
        return np.pad(G, ((0, 0), (0, self.n_components - wanted)))

    def _keep(self, data: "Prepared", G: NDArray) -> None:
        d, made = G.shape[1], data.made
        self.mean_, self.scale_ = data.mean, data.scale
        if made is None:
            self.components_, self.references_, self.width_ = G, np.empty((0, len(G))), 0.0
            self.map_, self.offset_ = np.empty((0, d)), np.zeros(d)
        else:
            self.components_, self.references_, self.width_ = (
                np.empty((0, d)), made.references, made.width
            )
            self.map_, self.offset_ = made.root @ G, made.center @ G


@dataclass(frozen=True, slots=True)
class Prepared:
    """A : (N, D), (X - mean) / scale. F : (N, r), what the method works on: A,
    or `made` of it by a kernel."""

    mean: NDArray
    scale: NDArray
    A: NDArray
    F: NDArray
    made: KernelFeatures | None


def _top(M: NDArray, d: int) -> tuple[NDArray, NDArray]:
    """All eigenvalues, descending, and the first d eigenvectors of a symmetric matrix."""
    values, vectors = np.linalg.eigh(M)
    return values[::-1], vectors[:, ::-1][:, :d]


def _trace_ratio(Sb: NDArray, Sw: NDArray, d: int) -> tuple[NDArray, NDArray, float, float]:
    """max tr T'S_b T / tr T'S_w T, T'T = I: top eigenvectors of S_b - ratio S_w until the ratio is
    their own."""
    ratio = 0.0
    for _ in range(_RATIO_ROUNDS):
        values, T = _top(Sb - ratio * Sw, d)
        new = _ratio(Sb, Sw, T)
        if new - ratio <= 1e-12 * new:
            break
        ratio = new
    return values, T, ratio, ratio


def _ratio_trace(Sb: NDArray, Sw: NDArray, d: int) -> tuple[NDArray, NDArray, float, float]:
    """max tr (T'S_w T)^-1 T'S_b T: generalized eigenvectors, here of length 1 each."""
    values, T = ratio_axes(Sb, Sw, len(Sb), vanishing=0.0)
    T = T[:, :d] / np.linalg.norm(T[:, :d], axis=0)
    return values, T, float(values[:d].sum()), _ratio(Sb, Sw, T)


def _ratio(Sb: NDArray, Sw: NDArray, T: NDArray) -> float:
    below = float(np.sum(T * (Sw @ T)))
    return float(np.sum(T * (Sb @ T))) / below if below > 0 else 0.0


def _range(A: NDArray) -> NDArray:
    """Orthonormal basis (D, r) of the rows of A."""
    if len(A) < A.shape[1]:
        _, singular, right = np.linalg.svd(A, full_matrices=False)
        return right[singular > 1e-9 * max(singular[0], np.finfo(np.float64).tiny)].T
    values, vectors = np.linalg.eigh(A.T @ A)
    return vectors[:, values > 1e-14 * max(values[-1], np.finfo(np.float64).tiny)]
