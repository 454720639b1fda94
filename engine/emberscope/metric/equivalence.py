"""Equivalence metric: distances in which pairs that are alike are near and pairs that differ are
far."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_COMPONENTS, param
from emberscope.labels.side_info import SideInfo
from emberscope.metric.agreement import agreement, metric_of
from emberscope.metric.choice import (
    AS_THEY_ARE,
    HeldOutPairs,
    chosen,
    in_order_of_values,
    shapes_of,
)
from emberscope.metric.learned import MOST_COMPONENTS, LinearMetric, kept_scores
from emberscope.metric.pairs import read_pairs
from emberscope.metric.scores import Scores, mapped, principal_scores
from emberscope.metric.shapes import Axes, Features, Shape

_ENOUGH = 2.5  # alike pairs per direction, from which making the scores round first helps

COMPONENTS = replace(N_COMPONENTS, auto="all directions of the metric")
SOFTNESS = param(
    None, low=0.02, high=3, group="Supervision",
    auto="what held-out pairs support most, also distances as they are",
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
    for variant "rank". ridge_ : float, that of the ratio, NaN where it is not taken.
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
    eigenvectors of M. "ratio": the same with the entropy where directions are measured by M_S, so
    that M is -M_O there, after Alipanahi, Biggs and Ghodsi 2008; a feature that says nothing is not
    seen, however much it varies. "alone": the ratio with a diagonal A, as Xing, Ng, Jordan and
    Russell 2003 have one too, over the features instead of principal components: 40 pairs tell how
    far each of many features parts them, not how all should be mixed. "auto": what held-out pairs
    support most, see `choice.chosen`; the held-out agreement is then a little too good, since pairs
    held out there chose it, too.

    All of it in the first principal components, 40 and a quarter of the instances at most: with
    more of them any pairs can be satisfied, also random ones; distances that stay as they are are
    those of all of them. O(N D² + P r² + r³), in the guard 20
    times P r² + r³.
    """

    n_components: int | None = COMPONENTS
    softness: float | None = SOFTNESS
    variant: str = param(
        "auto", choices=("auto", "soft", "ratio", "alone", "rank"), group="Supervision",
        advanced=True,
        help="Auto takes what held-out pairs support most, soft where a softness is given. Soft "
        "weighs directions in units of the features, ratio in units of how far alike pairs lie "
        "apart, alone the same of each feature by itself, rank keeps the lowest eigenvectors.",
    )
    rank: int = param(
        2, low=1, high=MOST_COMPONENTS, group="Supervision", advanced=True,
        when=("variant", "rank"), help="Directions that are kept.",
    )
    push: float = PUSH
    whiten: bool = param(
        False, group="Features", advanced=True,
        help="Give all principal components the same spread first; alone has none of these.",
    )
    attribute: str | None = param(
        None,
        auto="the pairs of all attributes",
        group="Supervision", advanced=True,
        help="Learn from the pairs of one attribute only.",
    )
    state = (*LinearMetric.state, "eigenvalues_", "softness_", "ridge_", "conflicts_",
             "soft_scores_", "soft_values_")

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
        watch.step(0.6, "Held-out pairs")
        round_first = self.whiten and self.variant == "auto"
        shapes = shapes_of("mixed" if round_first else self.variant, self.softness, self.rank)
        order, ordered = in_order_of_values(scores.T, pairs)
        held = HeldOutPairs.of(
            scores.T[order], ordered, push=self.push, shapes=shapes, dimensions=self.n_components,
            features=Features.of(X, order) if shapes[-1].alone else None)
        shape = self._chosen(held, shapes)
        watch.step(0.8, "Metric")
        axes = held.axes[shape.measured]
        if shape.alone:  # the scores are those along its features from here on
            scores = Scores(mapped(X, scores.mean, axes.V), scores.mean, axes.V, 1.0)
            axes = Axes(axes.values, np.eye(len(axes.values)))
        W = axes.map(shape)
        self._keep_metric(X, scores, W, shape)
        self.soft_scores_, self.soft_values_ = kept_scores(
            scores.T, axes, self.n_components if shape.rank is None else None)
        self._keep_agreement(held.agreement(shape),
                             agreement(pairs, len(X), metric_of(scores.T, W)).share)
        self._note_marks(pairs, len(X))
        r = scores.T.shape[1]
        if self.whiten and pairs.same.sum() < _ENOUGH * r:
            self.notes_.append(f"Round scores with {pairs.same.sum()} alike pairs in {r} "
                               "directions follow noise; "
                               f"{int(np.ceil(_ENOUGH * r))} would be enough.")
        return self

    def _keep_metric(self, X: NDArray, scores: Scores, W: NDArray, shape: Shape) -> None:
        """The map by W (r, s), and weights. Distances as they are are those of all components."""
        if shape == AS_THEY_ARE and self.n_components is None and not self.whiten:
            scores = principal_scores(X, min(X.shape))
            W = np.eye(scores.T.shape[1])
        self.eigenvalues_ = np.square(W).sum(axis=0)
        self._keep_map(X, scores, W * scores.unit)

    def _chosen(self, held: HeldOutPairs, shapes: tuple[Shape, ...]) -> Shape:
        found = chosen(held, shapes)
        if len(shapes) > 1:
            self.notes_.append(found.words())
        self.softness_ = found.shape.softness
        self.ridge_ = np.nan if found.shape.ridge is None else found.shape.ridge
        return found.shape
