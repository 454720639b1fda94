"""Diverse density: one target concept near every positive bag and far from all negative
instances."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.monitor import Monitor, Onward
from emberscope.mil.classifier import best_threshold
from emberscope.mil.diverse_density import (
    ISOTROPIC,
    SEED,
    START_BAGS,
    Concept,
    Objective,
    Sides,
    ascend,
    best_concepts,
    start_rows,
    weighted_distance2,
)
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import z_score


class DiverseDensity(ChoosesFeatures):
    """The point t and feature weights s of largest diverse density; instances near t are targets.

    Attributes
    ----------
    concept_ : (D,) float64, t in units of the features; the mean where a feature is constant.
    scale_ : (D,) float64, s, the weight of each feature, at least 0:
        Pr(x = t) = exp(-sum_j s_j² (x_j - t_j)²).
    threshold_ : squared distance at which a bag turns positive. nldd_ : what was reached.

    Notes
    -----
    Maron and Lozano-Perez 1998, noisy-or: maximizes over (t, s) the product over positive bags of
    1 - prod_n (1 - Pr(x_n = t)) and over negative bags of prod_n (1 - Pr(x_n = t)), on features of
    unit variance, by L-BFGS of its negative logarithm (`Objective`) from every instance of
    `start_bags` positive bags, 60 starts at most. The 5 searches that are best after 20 iterations
    go on to 100; there they stop, converged or not. The score is threshold - sum_j s_j²
    (x_j - t_j)², which ranks as Pr does but does not underflow; the threshold is the one that tells
    most training bags right. One concept only: targets of two kinds need `dd-svm`. O(starts
    iterations M D) for M instances in bags; a bag of 10^5 instances works, in time as much longer.
    """

    isotropic: bool = ISOTROPIC
    start_bags: int = START_BAGS
    random_state: int = SEED
    state = ("concept_", "scale_", "threshold_", "nldd_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the concept. Raises MissingLabels without a positive and a negative bag."""
        watch = Onward(monitor)  # searches take as many rounds as they take
        X, training = self._training(X, y, bags, watch)
        mean, scale = z_score(X[training.bags.members])
        sides = Sides.of((X - mean) / scale, training.bags)
        rows = start_rows(sides, self.start_bags, self.random_state)

        def search(t: NDArray, w: NDArray, iterations: int, watch: Monitor) -> Concept:
            return self._search(sides, t, w, iterations, watch)

        best = best_concepts(search, sides.Z, rows, watch)[0]
        self.concept_ = mean + np.where(np.isfinite(scale), scale, 0.0) * best.target
        self.scale_, self.nldd_, self.threshold_ = best.weights / scale, best.nldd, 0.0
        nearest = bag_max(self._instance_scores(X, watch), training.bags)
        self.threshold_ = -best_threshold(training.bags.labels, nearest)
        self.score_ = self._instance_scores(X, watch)
        return self

    def _search(
        self, sides: Sides, t: NDArray, w: NDArray, iterations: int, watch: Monitor
    ) -> Concept:
        """The concept that a search from (t, w) ends at."""
        return ascend(Objective(sides, isotropic=self.isotropic, monitor=watch), t, w, iterations)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self.threshold_ - weighted_distance2(np.asarray(X, np.float64), self.concept_,
                                                    self.scale_)
