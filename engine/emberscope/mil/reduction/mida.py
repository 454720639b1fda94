"""B-MIDA: multiple-instance discriminant analysis with one prototype per positive bag."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, Param
from emberscope.embedding.linear.lda import residual_axes
from emberscope.mil.density import median_squared_distance, negative_log_density
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.neighbors.spectral import fix_signs

_TOLERANCE = 1e-6
_INNER = 50


class MIDA(Embedder):
    """Pick the most target-like instance of every positive bag and the directions that set these apart.

    Alternates between directions G (D, d), G'G = I, that maximise tr G'(S_b - alpha S_w)G, and prototypes, one per
    positive bag, that maximise the same; negative bags are represented by their means. Linear: Z = (X - mean)/scale G.

    Attributes
    ----------
    components_ : (D, d) float64, orthonormal. mean_, scale_ : (D,), the z-score of the training instances.
    prototype_ : (K,) int64, row of the instance chosen in each bag, -1 for negative, unlabelled and unusable bags.
    score_ : (N,), T_p of every instance, larger = more target-like. n_flips_ : prototypes moved from the start.
    eigenvalues_ : (r,) descending, spectrum of S_b - alpha S_w on the r dimensions that prototypes span.
    history_ : objective after every round, never decreasing.

    Notes
    -----
    Chai, Ding, Chen and Li 2014; spec 04 section 2. With alpha below the smaller number of bags the spread of
    prototypes is rewarded (like PCA of prototypes plus their mean difference); above it is penalised (like Fisher), so
    the default gives alpha in units of that number. Prototypes start at the least kernel density of negative
    instances, in the log domain, over widths 1e-3 .. 1e3 times the median squared distance.

    Work is done in the span of prototypes and negative means, r <= l+ + l- - 1 dimensions. Where n_components > r, the
    further axes are principal components of what is orthogonal to it, and that is noted.

    `y` without bags: every instance is a bag of its own (plain discriminant analysis). `y` with bags: an instance with
    y < 0 is no candidate of its positive bag. O(N+ N- D) for the density, then O(K D min(K, D)) per round.
    """

    params = (
        N_COMPONENTS,
        Param("alpha", "float", 0.25, low=0, high=1000, group="Embedding", title="Spread penalty",
              help="Below 1 like PCA of the prototypes, above 1 like Fisher's discriminant (relative mode)."),
        Param("alpha_mode", "str", "relative", choices=("relative", "raw"), group="Embedding", advanced=True,
              help="Relative: in units of the smaller number of bags. Raw: as printed in the paper."),
        STANDARDIZE,
        Param("update", "bool", True, group="Computation", title="Move prototypes", advanced=True,
              help="Off: keep the prototypes of the density start."),
        Param("max_iter", "int", 100, low=1, high=10_000, group="Computation", title="Rounds at most", advanced=True,
              help="Rounds of directions and prototypes; it usually settles within ten."),
    )
    state = (
        "mean_", "scale_", "components_", "prototype_", "score_", "n_flips_", "eigenvalues_", "history_",
    )

    def __init__(
        self,
        *,
        n_components: int = 2,
        alpha: float = 0.25,
        alpha_mode: str = "relative",
        standardize: bool = True,
        update: bool = True,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.alpha_mode = alpha_mode
        self.standardize = standardize
        self.update = update
        self.max_iter = max_iter

    @property
    def reads_labels(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, *, bags: Any = None, side: Any = None, monitor: Monitor | None = None) -> Self:
        """Find directions and prototypes. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, labels, _ = self._validate_labelled(X, y, bags)
        if self.n_components > X.shape[1]:
            raise DataError(
                f"n_components is {self.n_components} with n_features = {X.shape[1]}",
                hint=f"Choose at most {X.shape[1]} dimensions.",
            )
        mean, scale = centered(X, standardize=self.standardize)
        A = (X - mean) / scale
        cast, lost = _cast(A, labels, bags)
        if lost:
            self.notes_.append(f"{lost} positive bags have no usable instance and take no part.")
        alpha = self.alpha * (min(len(cast.candidates), len(cast.means)) if self.alpha_mode == "relative" else 1.0)
        chosen = first = density_prototypes(A, cast, monitor=Portion(watch, 0.0, 0.5))
        chosen, step, history = self._alternate(A, cast, alpha, chosen, Portion(watch, 0.5, 0.9))
        watch.step(0.9, "Projecting")
        G = step.G
        if not G.shape[1]:
            raise DataError("target and background instances are all the same", hint="Choose other features.")
        if G.shape[1] < self.n_components:
            self.notes_.append(f"Prototypes span {G.shape[1]} dimensions; further axes are principal components.")
            G = np.hstack([G, residual_axes(A, G, self.n_components - G.shape[1])])
        self.mean_, self.scale_, self.components_ = mean, scale, G
        self.prototype_ = np.full(cast.n_bags, -1, np.int64)
        self.prototype_[cast.positive] = chosen
        self.n_flips_ = int((chosen != first).sum())
        self.eigenvalues_, self.history_ = step.values, np.array(history)
        self.score_ = prototype_score(A, step.G, cast, A[chosen].mean(axis=0), alpha)
        self.embedding_ = (A @ G).astype(X.dtype)
        return self

    def transform(self, X: Any) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        X = self._validate_new(X)
        return ((X - self.mean_) / self.scale_ @ self.components_).astype(X.dtype)

    def _alternate(
        self, A: NDArray, cast: "Cast", alpha: float, chosen: NDArray, watch: Monitor
    ) -> tuple[NDArray, "Step", list[float]]:
        step = best_directions(A[chosen], cast, alpha, self.n_components)
        history = [step.objective]
        for round_ in range(self.max_iter if self.update else 0):
            watch.step(1 - 0.8**round_, f"Round {round_ + 1}")
            moved = _best_prototypes(A, step.G, cast, alpha, chosen)
            if np.array_equal(moved, chosen):
                break
            new = best_directions(A[moved], cast, alpha, self.n_components)
            gain = new.objective - step.objective
            if gain < 0:  # possible only where G holds axes with negative eigenvalues; keep the better iterate
                break
            chosen, step = moved, new
            history.append(step.objective)
            if gain < _TOLERANCE * max(abs(history[-2]), np.finfo(np.float64).tiny):
                break
        return chosen, step, history


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays: candidates of each positive bag, and the negatives.

    candidates : one row array per usable positive bag. positive : their bag numbers. n_bags : all bags.
    negatives : rows of all negative instances. means : (l-, D), mean of each negative bag. center : (D,), mean of
    all negative instances (which weighs bags by size).
    """

    candidates: list[NDArray[np.int64]]
    positive: NDArray[np.int64]
    n_bags: int
    negatives: NDArray[np.int64]
    means: NDArray
    center: NDArray


@dataclass(frozen=True, slots=True)
class Step:
    """Directions G (D, min(d, r)), the spectrum (r,) they head, and the objective tr G'(S_b - alpha S_w)G."""

    G: NDArray
    values: NDArray
    objective: float


def density_prototypes(A: NDArray, cast: Cast, *, monitor: Monitor | None = None) -> NDArray[np.int64]:
    """Per positive bag the row of least negative density; the width that moves the prototype mean farthest wins.

    Spec 04 section 2.4, with log-sum-exp and widths relative to the median squared distance (section 6.3).
    """
    rows = np.concatenate(cast.candidates)
    density = negative_log_density(A[rows], A[cast.negatives], median_squared_distance(A), monitor=monitor)
    starts = np.cumsum([0, *map(len, cast.candidates)])
    best, farthest = rows[:0], -np.inf
    for values in density:
        chosen = np.array([rows[a + values[a:b].argmin()] for a, b in pairwise(starts)])
        distance = float(np.linalg.norm(A[chosen].mean(axis=0) - cast.center))
        if distance > farthest:
            best, farthest = chosen, distance
    return best


def best_directions(P: NDArray, cast: Cast, alpha: float, d: int) -> Step:
    """Top eigenvectors of S_b - alpha S_w in the span of prototypes P and negative means."""
    everyone = np.vstack([P, cast.means])
    B = _range(everyone - everyone.mean(axis=0))
    M = criterion(P @ B, cast.means @ B, cast.center @ B, alpha)
    values, vectors = np.linalg.eigh(M)
    values, vectors = values[::-1], vectors[:, ::-1]
    d = min(d, len(values))
    return Step(fix_signs(B @ vectors[:, :d]), values, float(values[:d].sum()))


def criterion(P: NDArray, N: NDArray, center: NDArray, alpha: float) -> NDArray:
    """S_b - alpha S_w in closed form, O((l+ + l-) D²) instead of O(l+ l- D²); spec 04 section 2.1."""
    n_pos, n_neg = len(P), len(N)
    p, n = P - P.mean(axis=0), N - N.mean(axis=0)
    delta = P.mean(axis=0) - N.mean(axis=0)
    shift = N.mean(axis=0) - center
    return (
        (n_neg - alpha) * (p.T @ p)
        + (n_pos - alpha) * (n.T @ n)
        - alpha * n_neg * np.outer(shift, shift)
        + n_pos * n_neg * np.outer(delta, delta)
    )


def prototype_score(A: NDArray, G: NDArray, cast: Cast, m_pos: NDArray, alpha: float) -> NDArray:
    """T_p(x) = sum_q |G'(x - n_q)|² - alpha |G'(x - m+)|² of every row, (N,). O(N D d)."""
    Z, N = A @ G, cast.means @ G
    mean = N.mean(axis=0)
    far = len(N) * np.square(Z - mean).sum(axis=1) + np.square(N - mean).sum()
    return far - alpha * np.square(Z - m_pos @ G).sum(axis=1)


def _best_prototypes(A: NDArray, G: NDArray, cast: Cast, alpha: float, chosen: NDArray) -> NDArray[np.int64]:
    """Alternate argmax of T_p and the prototype mean, directions fixed; a tie keeps the current prototype."""
    for _ in range(_INNER):
        T = prototype_score(A, G, cast, A[chosen].mean(axis=0), alpha)
        best = np.array([rows[T[rows].argmax()] for rows in cast.candidates])
        moved = np.where(T[best] > T[chosen], best, chosen)
        if np.array_equal(moved, chosen):
            break
        chosen = moved
    return chosen


def _cast(A: NDArray, y: NDArray, bags: Bags | None) -> tuple[Cast, int]:
    if bags is None:
        rows = np.flatnonzero(y)
        bags = Bags.from_lists([rows[i : i + 1] for i in range(len(rows))], np.sign(y[rows]))
    every = [(k, bags.of(k)[y[bags.of(k)] >= 0]) for k in np.flatnonzero(bags.labels > 0).tolist()]
    usable = [(k, rows) for k, rows in every if len(rows)]
    negative = [bags.of(k) for k in np.flatnonzero(bags.labels < 0).tolist() if len(bags.of(k))]
    if not usable or not negative:
        kind = "positive" if not usable else "negative"
        raise MissingLabels(f"MIDA has no {kind} bag with an instance", hint=f"Label at least one {kind} bag.")
    means = np.stack([A[rows].mean(axis=0) for rows in negative])
    negatives = np.concatenate(negative)
    cast = Cast(
        [np.sort(rows) for _, rows in usable], np.array([k for k, _ in usable]), len(bags), negatives, means,
        A[negatives].mean(axis=0),
    )
    return cast, len(every) - len(usable)


def _range(A: NDArray) -> NDArray:
    """Orthonormal basis (D, r) of the rows of A."""
    if len(A) < A.shape[1]:
        _, singular, right = np.linalg.svd(A, full_matrices=False)
        return right[singular > 1e-9 * max(singular[0], np.finfo(np.float64).tiny)].T
    values, vectors = np.linalg.eigh(A.T @ A)
    return vectors[:, values > 1e-14 * max(values[-1], np.finfo(np.float64).tiny)]
