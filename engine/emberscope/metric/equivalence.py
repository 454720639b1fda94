"""Equivalence metric: distances in which pairs that are alike are near and pairs that differ are
far."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from emberscope.bags.model import Bags
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import Apart, agreement, held_out_agreement, metric_of
from emberscope.metric.learned import MOST_COMPONENTS, LinearMetric, kept_scores
from emberscope.metric.pairs import Pairs, moments, read_pairs
from emberscope.metric.scores import principal_scores
from emberscope.metric.soft_equivalence import pair_moment, soft_map
from emberscope.metric.strength import UNCHANGED, SoftFolds, given_softness

_RIDGE = 0.01  # of the mean spread of alike pairs, added in each direction of the ratio
_ENOUGH = 2.5  # alike pairs per direction, from which making the scores round first helps

COMPONENTS = replace(N_COMPONENTS, auto="all directions of the metric")
SOFTNESS = param(
    None, low=0.02, high=3, group="Supervision", when=("variant", "soft"),
    auto="as much as held-out pairs support: 0.3, 1, 3, or distances as they are",
    help="How gently the pairs change the distances: 0.02 keeps hardly more than the one "
    "direction that serves them best, 0.3 shows in 2-D, 3 leaves distances nearly as they were.",
)
PUSH = param(
    1.0, low=0, high=100, group="Supervision", advanced=True,
    help="Weight of pairs that differ against pairs that are alike.",
)


class EquivalenceMetric(LinearMetric):
    """Learn distances from pairs marked alike or different; Z = (X - mean) W.

    It reads pairs: how far apart the marked pairs lie in its embedding says nothing.
    Judge it by `pair_agreement_`.

    Attributes
    ----------
    eigenvalues_ : (s,) weights of the directions of the metric, descending, in units in which they
    are all 1 where nothing is known. softness_ : float, inf where distances stay as they are and
    for another variant than "soft".
    conflicts_ : (C,) int64, numbers of pairs (of those with a weight) that are marked different
    while others make them alike. They take part: which mark is wrong, a person knows.
    soft_scores_ : (N, r) float32, soft_values_ : (r,): what a slider of the softness needs, see
    `kept_scores`; empty for another variant.

    Notes
    -----
    Ghodsi 2005, section 3.2: min over A of tr((M_S - push M_O) A), A positive semidefinite with
    trace 1; M_S, M_O mean (in print: sum of) d d' over pairs that are alike and that differ. No
    solver is needed: the objective is linear, so its optimum is the projector v v' of the lowest
    eigenvector of M = M_S - push M_O, and all instances lie on a line. "soft" adds the entropy of
    A, whose optimum is A = exp(-M / tau) / trace, tau = softness times the largest |eigenvalue|:
    full rank, with the line and the plain distances at its ends. "rank": the `rank` lowest
    eigenvectors of M. "ratio": the directions of largest M_O against M_S. softness None: see
    `supported_strength`; the held-out agreement is then a little too good, since pairs held out
    there chose it, too.

    All of it in the first principal components, 40 and a quarter of the instances at most: with
    more of them any pairs can be satisfied, also random ones. O(N D² + P r² + r³), in the guard 5
    times P r² + r³.
    """

    n_components: int | None = COMPONENTS
    softness: float | None = SOFTNESS
    variant: str = param(
        "soft", choices=("soft", "rank", "ratio"), group="Supervision", advanced=True,
        help="Soft weighs all directions, rank keeps the lowest eigenvectors, ratio divides the "
        "spread of different pairs by that of alike ones, which needs both.",
    )
    rank: int = param(
        2, low=1, high=MOST_COMPONENTS, group="Supervision", advanced=True,
        help="Directions of the variants rank and ratio.",
    )
    push: float = PUSH
    whiten: bool = param(
        False, group="Features", advanced=True,
        help="Give all principal components the same spread first: for many alike pairs and none "
        "that differ.",
    )
    attribute: str | None = param(
        None,
        auto="the pairs of all attributes",
        group="Supervision", advanced=True,
        help="Learn from the pairs of one attribute only.",
    )
    state = (*LinearMetric.state, "eigenvalues_", "softness_", "conflicts_", "soft_scores_",
             "soft_values_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: SideInfo | None = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn from the pairs of `side`; labels are ignored.
        Raises MissingLabels for fewer than two pairs."""
        watch = monitored(monitor)
        X, _ = self._validate(X)
        self._check_rank(X.shape)
        pairs, _ = read_pairs(side, len(X), attribute=self.attribute)
        scores = principal_scores(
            X, self._most_components(len(X)), whiten=self.whiten, monitor=Portion(watch, 0.0, 0.6)
        )
        watch.step(0.6, "Metric")
        parted = SoftFolds.of(scores.T, pairs, push=self.push) if self.variant == "soft" else None
        self.softness_ = UNCHANGED if parted is None else given_softness(
            self.softness, parted, notes=self.notes_
        )
        M = pair_moment(scores.T, pairs, self.push)
        W = self._learned(scores.T, pairs, M)
        if W is None:
            raise MissingLabels("the ratio needs pairs that are alike and pairs that differ",
                                hint="Mark some of both.")
        self._keep_map(X, scores, W * scores.unit)
        self.eigenvalues_ = np.square(W).sum(axis=0)
        self.soft_scores_, self.soft_values_ = kept_scores(
            scores.T, M, self.n_components if self.variant == "soft" else None)
        watch.step(0.7, "Held-out pairs")
        held = (parted.agreement(self.softness_) if parted is not None
                else held_out_agreement(pairs, len(X), lambda some: self._metric(scores.T, some)))
        self._keep_agreement(held, agreement(pairs, len(X), metric_of(scores.T, W)).share)
        self._note_marks(pairs, len(X))
        r = scores.T.shape[1]
        if self.whiten and pairs.same.sum() < _ENOUGH * r:
            self.notes_.append(f"Round scores with {pairs.same.sum()} alike pairs in {r} "
                               "directions follow noise; "
                               f"{int(np.ceil(_ENOUGH * r))} would be enough.")
        return self

    def _learned(self, T: NDArray, pairs: Pairs, M: NDArray) -> NDArray | None:
        """The map (r, s) of scores T (N, r) that these pairs, with moment M (r, r), ask for."""
        if self.variant == "ratio":
            alike, apart = moments(T, pairs)
            return None if alike is None or apart is None else ratio_map(alike, apart, self.rank)
        return rank_map(M, self.rank) if self.variant == "rank" else soft_map(M, self.softness_)

    def _metric(self, T: NDArray, pairs: Pairs) -> Apart | None:
        W = self._learned(T, pairs, pair_moment(T, pairs, self.push))
        return None if W is None else metric_of(T, W)


def rank_map(M: NDArray, rank: int) -> NDArray:
    """The `rank` lowest eigenvectors of M (r, r), orthonormal columns."""
    return eigh(M, check_finite=False)[1][:, :rank]


def ratio_map(alike: NDArray, apart: NDArray, rank: int) -> NDArray:
    """W (r, rank), largest w' apart w first, with W' (alike + ridge I) W = I.
    `alike`, `apart` : (r, r)."""
    r = len(alike)
    ridge = _RIDGE * max(float(np.trace(alike)), float(np.trace(apart)) * 1e-6) / r
    if ridge == 0:  # all pairs are of copies
        return np.eye(r)[:, :rank]
    return eigh(apart, alike + ridge * np.eye(r), check_finite=False)[1][:, ::-1][:, :rank]
