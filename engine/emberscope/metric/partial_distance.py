"""Partial-distance metric: distances that match the known distances of some pairs."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import metric_of, pair_folds
from emberscope.metric.equivalence import COMPONENTS
from emberscope.metric.learned import LinearMetric
from emberscope.metric.pairs import Pairs, read_side
from emberscope.metric.scores import principal_scores

_MOST_COMPONENTS = 10
_PER_COMPONENT = 3  # known distances
# Huber's constant times that which makes the median deviation a standard deviation
_TUNING = 1.345 * 1.4826
_TOLERANCE = 1e-9  # relative change of the metric, at which the steps end


@dataclass(frozen=True, slots=True)
class Measured(Pairs):
    """Pairs with squared distances d2 (P,); `same` is whether one is below their median."""

    d2: NDArray[np.float64]

    def take(self, which: NDArray) -> "Measured":
        return Measured(self.rows[which], self.same[which], self.weight[which], self.d2[which])


class PartialDistanceMetric(LinearMetric):
    """Learn distances that agree with those known of some pairs, in their unit; Z = (X - mean) W.

    It reads distances: how well those it was given are met says nothing of others. Judge it by
    `distance_correlation_`, that of distances which were held out.

    Attributes
    ----------
    residual_ : (Q,) distance in the metric minus known distance, in the unit of the distances,
        of those with a weight.

    Notes
    -----
    Ghodsi 2005, section 3.5: min over positive semidefinite A of sum (d_ij' A d_ij - known²)², here
    by accelerated projected gradient (Beck and Teboulle 2009) plus prior L |A - c I|² / 2, c making
    the mean squared distance right and L the largest curvature: without it the answer depends on
    the solver, as distances are fewer than entries of A. "huber": residuals beyond 1.345 deviations
    of a first fit count linearly, for typing errors. Principal components: a third of the
    distances, 10 at most. O(N D² + steps (Q r² + r³)).
    """

    n_components: int | None = COMPONENTS
    loss: str = param(
        "squared", choices=("squared", "huber"), group="Supervision",
        help="Huber trusts distances less that fit badly with the others, such as typing errors.",
    )
    prior: float = param(
        1e-3, low=0, high=1e3, group="Supervision", advanced=True,
        help="How strongly distances are held at those of the features, scaled, where nothing is "
        "known.",
    )
    n_iter: int = param(
        2000, low=1, high=100_000, title="Steps", group="Computation", advanced=True,
        help="Steps of the solver at most.",
    )
    state = (*LinearMetric.state, "residual_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn from the distances of `side`; labels are ignored.

        Raises MissingLabels for fewer than two, DataError where all are 0.
        """
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        known, unit = read_distances(side, len(X))
        most = max(min(_MOST_COMPONENTS, len(known) // _PER_COMPONENT, len(X) // 2),
                   self.n_components or 1)
        scores = principal_scores(X, most, monitor=Portion(watch, 0.0, 0.4))
        W = self._learned(scores.T, known, Portion(watch, 0.4, 0.6))
        if W is None:
            raise DataError("all distances are 0, or of copies",
                            hint="Give distances of different chips.")
        self._keep_map(X, scores, W)
        self.residual_ = np.sqrt(metric_of(scores.T, W)(known.rows)) - np.sqrt(known.d2)
        self._keep_correlation(*self._held_out(scores.T, known, Portion(watch, 0.6, 1.0)))
        self._note_fit(scores.T.shape[1], len(known), unit)
        return self

    def _held_out(self, T: NDArray, known: Measured, watch: Monitor) -> tuple[NDArray, NDArray]:
        """Known distances (Q,) of five folds of instances, and what is learned without them."""
        given, found = [np.zeros(0)], [np.zeros(0)]
        for learned, judged in pair_folds(known, len(T)):
            assert isinstance(learned, Measured)
            assert isinstance(judged, Measured)
            W = self._learned(T, learned, Portion(watch, 0.0, 0.0))
            if W is not None:
                given.append(np.sqrt(judged.d2))
                found.append(np.sqrt(metric_of(T, W)(judged.rows)))
        return np.concatenate(given), np.concatenate(found)

    def _learned(self, T: NDArray, known: Measured, watch: Monitor) -> NDArray | None:
        """W (r, r) of scores T (N, r), W W' = A; None where the known distances have no scale."""
        d = T[known.rows[:, 0]] - T[known.rows[:, 1]]
        length, given = float(np.square(d).sum(axis=1).mean()), float(known.d2.mean())
        if length == 0 or given == 0:
            return None
        d, d2, weight = d / np.sqrt(length), known.d2 / given, known.weight / known.weight.mean()
        A = matched(d, d2, weight, prior=self.prior, n_iter=self.n_iter, watch=watch)
        if self.loss == "huber":
            off = np.abs(np.einsum("pa,ab,pb->p", d, A, d, optimize=True) - d2)
            A = matched(d, d2, weight, prior=self.prior, n_iter=self.n_iter, watch=watch, start=A,
                        bend=max(_TUNING * float(np.median(off)), 1e-6))
        values, V = eigh(A, check_finite=False)
        return (V * np.sqrt(np.maximum(values, 0) * given / length))[:, ::-1]

    def _note_fit(self, r: int, count: int, unit: str) -> None:
        worst = float(np.abs(self.residual_).max())
        self.notes_.append(f"The known distances are missed by {np.abs(self.residual_).mean():.3g} "
                           f"{unit}".rstrip()
                           + f" on average, by {worst:.3g} at most.")
        if count < _PER_COMPONENT * r:
            self.notes_.append(
                f"{count} distances say little of {r} directions; {_PER_COMPONENT * r} or more "
                "would.")


def read_distances(side: SideInfo | None, n: int) -> tuple[Measured, str]:
    """Known distances with a weight, about n rows, and their unit.
    Raises MissingLabels for fewer than two."""
    known = read_side(side, n)
    kept = known.distance_weight > 0
    if kept.sum() < 2:
        raise MissingLabels(f"the number of known distances is {kept.sum()}, at least 2 are needed",
                            hint="Give the distance of some pairs of chips.")
    d2 = np.square(known.distance[kept])
    return Measured(known.distances[kept], d2 < np.median(d2), known.distance_weight[kept],
                    d2), known.unit


def matched(
    d: NDArray, d2: NDArray, weight: NDArray, *, prior: float, n_iter: int, bend: float = np.inf,
    start: NDArray | None = None, watch: Monitor | None = None,
) -> NDArray[np.float64]:
    """A (r, r), positive semidefinite, min sum weight h(d' A d - d2) / 2 + prior L |A - c I|² / 2,
    by FISTA.

    d : (Q, r). d2 : (Q,). weight : (Q,). start : (r, r). h is the square, linear beyond `bend`. L
    the largest curvature of the sum, c = sum d2 / sum |d|².
    """
    r = d.shape[1]
    curvature = _curvature(d, weight)
    plain = float((weight * d2).sum()
                  / max((weight * np.square(d).sum(axis=1)).sum(), 1e-300)) * np.eye(r)
    lam = prior * curvature
    A = plain if start is None else start
    B, t, silent = A, 1.0, monitored(watch)
    for step in range(n_iter):
        if step % 50 == 0:
            silent.step(step / n_iter, "Matching distances")
        off = np.clip(np.einsum("pa,pa->p", d @ B, d) - d2, -bend, bend) * weight
        values, V = eigh(B - ((d * off[:, None]).T @ d + lam * (B - plain)) / (curvature + lam),
                         check_finite=False)
        new = (V * np.maximum(values, 0)) @ V.T
        t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
        B, change = new + (t - 1) / t_new * (new - A), np.linalg.norm(new - A)
        A, t = new, t_new
        if change <= _TOLERANCE * np.linalg.norm(A):
            break
    return A


def _curvature(d: NDArray, weight: NDArray) -> float:
    """The largest curvature of the sum of squares in A: the top eigenvalue of (d_i' d_j)²,
    by the power method."""
    A = np.eye(d.shape[1])
    value = 0.0
    for _ in range(50):
        A = (d * (weight * np.einsum("pa,pa->p", d @ A, d))[:, None]).T @ d
        value = float(np.linalg.norm(A))
        A /= max(value, 1e-300)
    return 1.05 * max(value, 1e-300)  # the power method comes from below
