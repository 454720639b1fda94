"""Fusion of two confidences: two classifiers, each perhaps of features of its own, made one."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from emberscope import catalogue
from emberscope.bags.folds import bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.course.members import OF_SEVERAL, OfMembers, made, scale_of
from emberscope.mil.classifier import BagClassifier, best_threshold
from emberscope.mil.classifiers.confidences.fusion import fused

_KINDS = tuple(row.id for row in catalogue.CLASSIFIERS
               if row.id not in (*OF_SEVERAL, "mi-regression"))  # the last one knows no yes and no
_FOLDS = 3


class TwoConfidences(OfMembers):
    """Two classifiers give every instance a confidence each; the fused one is large where both are
    sure.

        confidence = 1 / (1 + exp(-(score - t) / s))
        geometric: sqrt(first second); weighted: first + share second

    t and s are the threshold and the standard deviation of the scores of bags that a classifier was
    not fitted to.

    Attributes
    ----------
    members_ : the two, fitted to all bags. thresholds_, spreads_ : (2,), t and s. threshold_ :
    fused confidence at which a bag turns positive. score_ : (N,), fused confidence of each instance
    less that threshold, by fits to bags that it is in none of, where there are enough bags.

    Notes
    -----
    Karem 2019, section 5.5, fuses edge histograms down-track and cross-track, or EHD-KNN and
    EHD-ONS, by the geometric mean in each window; classifiers behind concepts by weights. There
    confidences are as they come; ours are brought to one scale by three folds of bags. Cost: four
    fits of both.
    """

    first: str = param(
        "possibilistic-knn", title="First classifier", group="Members", choices=_KINDS,
        help="Whose confidence is one of the two.",
    )
    second: str = param(
        "one-norm-svm", title="Second classifier", group="Members", choices=_KINDS,
        help="Whose confidence is the other one. The same kind twice makes sense where each has "
        "features of its own.",
    )
    split_at: int | None = param(
        None, low=1, high=1_000_000, title="Features of the first", group="Members",
        auto="both see all features",
        help="The first classifier sees so many features from the first on, the second the rest: "
        "of histograms in two directions each sees one.",
    )
    rule: str = param(
        "geometric", title="Rule", group="Members", choices=("geometric", "weighted"),
        help="Geometric: both must be sure. Weighted: either may do, the second counts by its "
        "share.",
    )
    share: float = param(
        0.5, low=0.0, high=10.0, title="Share of the second", group="Members",
        help="What the second confidence counts beside the first, by the weighted rule.",
    )
    random_state: int = RANDOM_STATE
    state = ("thresholds_", "spreads_", "threshold_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Fit both to all bags, and both again to those outside of each of three folds at most.
        Raises MissingLabels without a bag of each label, ParamError where no feature is left for
        the second, and what the classifiers raise."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags)
        if self.split_at is not None and self.split_at >= X.shape[1]:
            raise ParamError(f"split_at is {self.split_at} and there are {X.shape[1]} features",
                             hint="Leave features for the second classifier.")
        used = training.bags
        self.members_ = self._fitted(X, used, Portion(watch, 0.0, 0.25))
        self.notes_ += dict.fromkeys(note for member in self.members_ for note in member.notes_)
        bag_score, score = self._held_out(X, used, Portion(watch, 0.25, 1.0))
        scales = [scale_of(used.labels, found, calibrated=member.calibrated)
                  for found, member in zip(bag_score, self.members_, strict=True)]
        self.thresholds_, self.spreads_ = np.array(scales).T
        confidence = self._fused(score)
        self.threshold_ = best_threshold(used.labels, bag_max(confidence, used))
        self.score_ = confidence - self.threshold_
        return self

    def member_kinds(self) -> list[str]:
        """The first and the second."""
        return [self.first, self.second]

    def _fitted(self, X: NDArray, bags: Bags, watch: Monitor) -> list[BagClassifier]:
        found = []
        for m, (kind, own) in enumerate(zip(self.member_kinds(), self._own(X), strict=True)):
            watch.step(m / 2, f"Classifier {m + 1} of 2")
            part = Portion(watch, m / 2, (m + 1) / 2)
            found.append(made(kind, {}, seed=self.random_state).fit(own, bags=bags, monitor=part))
        return found

    def _own(self, X: NDArray) -> list[NDArray]:
        """The features of each."""
        if self.split_at is None:
            return [X, X]
        return [np.ascontiguousarray(part) for part in np.split(X, [self.split_at], axis=1)]

    def _held_out(self, X: NDArray, bags: Bags, watch: Monitor) -> tuple[NDArray, NDArray]:
        """Scores of bags (2, K) and of instances (2, N) by fits to bags of other groups, see
        `bag_groups`; of instances in no bag, and where too few groups have a label, those of the
        fit to all."""
        bag_score = np.array([member.score_bags(own, bags)
                              for member, own in zip(self.members_, self._own(X), strict=True)])
        score = np.array([member.score_ for member in self.members_])
        fold = self._folds(X, bags)
        folds = np.unique(fold)
        for at, f in enumerate(folds):
            part = Portion(watch, at / len(folds), (at + 1) / len(folds))
            pair = self._fitted(X, bags.take(np.flatnonzero(fold != f)), part)
            held = bags.take(np.flatnonzero(fold == f))
            rows = np.unique(held.members)
            for m, (member, own) in enumerate(zip(pair, self._own(X), strict=True)):
                bag_score[m, fold == f] = member.score_bags(own, held)
                score[m, rows] = member.score_instances(own[rows])
        return bag_score, score

    def _folds(self, X: NDArray, bags: Bags) -> NDArray[np.int64]:
        """The fold of each bag (K,), of which all leave bags of both labels; empty, which is noted,
        where there are none such."""
        group = bag_groups(bags, len(X))
        folds = min(_FOLDS, *(len(np.unique(group[bags.labels == sign])) for sign in (-1, 1)))
        if folds > 1:
            fold = grouped_folds(group, bags.labels, n_folds=folds, seed=self.random_state)
            if all(len(np.unique(bags.labels[fold != f])) == 2 for f in range(folds)):
                return fold
        self.notes_.append("Too few bags to hold some out: confidences are of bags that taught.")
        return np.empty(0, np.int64)

    def _fused(self, scores: NDArray) -> NDArray[np.float64]:
        """Of scores (2, M) of both."""
        first, second = expit((scores - self.thresholds_[:, None]) / self.spreads_[:, None])
        if self.rule == "weighted":
            return fused(first, second, rule="weighted", share=self.share)
        return fused(first, second)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        scores = np.array([member.score_instances(own, monitor=monitor)
                           for member, own in zip(self.members_, self._own(X), strict=True)])
        return self._fused(scores) - self.threshold_
