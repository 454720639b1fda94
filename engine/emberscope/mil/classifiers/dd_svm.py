"""DD-SVM: a bag as its distances to several concepts of diverse density,
and support vectors between bags."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.monitor import Monitor, Onward, Portion
from emberscope.base.param import param
from emberscope.mil.classifiers.svm_loop import PENALTY, Machine, Trainer, width_of
from emberscope.mil.diverse_density import (
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


class DDSVM(ChoosesFeatures):
    """A bag is the vector of its smallest distances to target and background concepts;
    an rbf machine reads it.

    Attributes
    ----------
    concepts_ : (P, D) float64, in units of the features. scales_ : (P, D), weights of the features,
    see `DiverseDensity`. mean_, scale_ : (P,), of the distances; background_ : (P,), their mean
    over negative bags.
    vectors_, coefs_, intercept_, gamma_ : the machine.

    Notes
    -----
    Chen and Wang 2004: searches of diverse density from 60 starts at most, then again with the
    labels flipped; of the ends better than halfway between the best and the worst, best first,
    those at a squared distance of `diversity` or more from all better ones, under the weights of
    either. Bag features are min_n sqrt(sum_j s_pj² (x_nj - t_pj)²), scaled to unit variance (not in
    print). SVC with balanced classes. Printed for many classes one against one: `bag_features`
    gives what a machine of more classes would read. An instance scores as the mean negative bag
    would with it inside: a bag of it alone would be unlike all bags, far from every background
    concept, and targets would score below background. O(starts iterations M D + K² P); a bag of
    10^5 instances works.
    """

    diversity: float = param(
        0.5, low=0.0, high=1e6, group="Concept", title="Distance between concepts",
        grid=(0.1, 0.5, 2.0),
        help="Concepts nearer than this are one: small values give more features per bag.",
    )
    C: float = PENALTY
    start_bags: int = START_BAGS
    random_state: int = SEED
    state = ("concepts_", "scales_", "mean_", "scale_", "background_", "vectors_", "coefs_",
             "intercept_", "gamma_")
    space = "embedded"

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find concepts, then the machine. Raises MissingLabels without a positive and a negative
        bag."""
        watch = Onward(monitor)
        X, training = self._training(X, y, bags, watch)
        mean, scale = z_score(X[training.bags.members])
        sides = Sides.of((X - mean) / scale, training.bags)
        found = [
            *self._concepts(sides, Portion(watch, 0.0, 0.45)),
            *self._concepts(sides.flipped(), Portion(watch, 0.45, 0.9)),
        ]
        width = np.where(np.isfinite(scale), scale, 0.0)
        self.concepts_ = mean + width * np.array([concept.target for concept in found])
        self.scales_ = np.array([concept.weights for concept in found]) / scale
        features = self.bag_features(X, training.bags)
        self.mean_, self.scale_ = z_score(features)
        self.background_ = features[training.bags.labels < 0].mean(axis=0)
        self._learn((features - self.mean_) / self.scale_, training.bags.labels, watch)
        self.score_ = self._instance_scores(X, Portion(watch, 0.95, 1.0))
        return self

    def bag_features(self, X: ArrayLike, bags: Bags) -> NDArray[np.float64]:
        """Smallest weighted distance of each bag to each concept, (K, P); NaN for an empty bag.
        O(M P D)."""
        X = np.ascontiguousarray(X, np.float64)
        nearest = [
            -bag_max(-weighted_distance2(X, t, s), bags)
            for t, s in zip(self.concepts_, self.scales_, strict=True)
        ]
        return np.sqrt(np.column_stack(nearest))

    def _concepts(self, sides: Sides, watch: Monitor) -> list[Concept]:
        """Distinct local optima, the best first."""
        def search(t: NDArray, w: NDArray, iterations: int, watch: Monitor) -> Concept:
            return ascend(Objective(sides, isotropic=False, monitor=watch), t, w, iterations)

        rows = start_rows(sides, self.start_bags, self.random_state)
        return distinct(best_concepts(search, sides.Z, rows, watch), self.diversity)

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        trainer = Trainer(F, gamma=width_of(F, "rbf", None), C=self.C,
                          monitor=Portion(watch, 0.9, 0.95), notes=self.notes_)
        machine, _ = trainer.fit(np.arange(len(F)), labels)
        self.vectors_, self.coefs_ = machine.vectors, machine.coefs
        self.intercept_, self.gamma_ = machine.intercept, machine.gamma

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        full = bags.sizes > 0
        out = np.full(len(bags), np.nan)
        out[full] = self._decision(self.bag_features(X, bags)[full], monitor)
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """The score of a mean negative bag that this instance is put into."""
        X = np.ascontiguousarray(X, np.float64)
        own = [np.sqrt(weighted_distance2(X, t, s))
               for t, s in zip(self.concepts_, self.scales_, strict=True)]
        return self._decision(np.minimum(np.column_stack(own), self.background_), monitor)

    def _decision(self, features: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        machine = Machine(self.vectors_, self.coefs_, self.intercept_, self.gamma_)
        return machine.decide((features - self.mean_) / self.scale_, monitor)


def distinct(concepts: list[Concept], diversity: float) -> list[Concept]:
    """Concepts better than halfway from best to worst and not within `diversity` of a better one;
    best first."""
    limit = (concepts[0].nldd + concepts[-1].nldd) / 2
    kept: list[Concept] = []
    for concept in concepts:
        near = [min(one.distance2(concept.target[None])[0], concept.distance2(one.target[None])[0])
                for one in kept]
        if concept.nldd <= limit and all(distance2 > diversity for distance2 in near):
            kept.append(concept)
    return kept
