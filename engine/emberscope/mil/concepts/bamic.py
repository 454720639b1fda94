"""BAMIC: whole bags in clusters around medoid bags, and a bag as its distances to these."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.embedder import Embedder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import BagClassifier
from emberscope.mil.classifiers.svm_loop import PENALTY, Machine, Trainer, width_of
from emberscope.mil.concepts.clustering import DIMENSIONS
from emberscope.mil.concepts.concept_map import ConceptMap
from emberscope.mil.distances import KINDS, bag_distances, own_distances
from emberscope.mil.scaling import STANDARDIZE, centered, z_score
from emberscope.mil.training_bags import renumbered, thinned, thinned_note

# instances of a bag that are compared: pairs of two bags grow with their product
LARGEST_BAG = 1000
_ROUNDS = 100


class BAMIC(BagClassifier, Embedder):
    """Clusters bags, labels unseen, around k of them;
    distances to these describe a bag to a Gaussian machine.

    Attributes
    ----------
    medoids_ : (k,) int64, numbers among the bags given.
    X_ (n, D), indptr_ (k + 1,) : their instances, scaled.
    cluster_ : (bags given,) int64, -1 for bags without a part. mean_, scale_ (D,) : of the
    features. vector_mean_, vector_scale_ (k,), vectors_, coefs_, intercept_, gamma_ : the machine.

    Notes
    -----
    Zhang and Zhou 2009: k-medoids of bags under a Hausdorff distance (the average is our default;
    print also has the largest and the smallest), then every bag as its distances to the medoids
    (BARTMIP, with a machine between bags). Medoids start greedily, each where it shortens the
    distances most, so that nothing is drawn. An instance counts as a bag of its own; the map shows
    the principal axes of its distances to the medoids. O(M² D) for M instances in bags, of a bag at
    most 1000.
    """

    n_clusters: int = param(
        8, low=1, high=200, group="Clusters", title="Clusters of bags", grid=(4, 8, 16),
        help="Bags that others are compared with.",
    )
    distance: str = param(
        "average", choices=KINDS[:4], group="Clusters", title="Bag distance",
        grid=("min", "max", "average"),
        help="How far bags are apart. Min looks at the nearest pair only, max at the instance "
        "that is worst off, average at all.",
    )
    standardize: bool = STANDARDIZE
    C: float = PENALTY
    n_components: int = DIMENSIONS
    state = (
        "score_", "medoids_", "cluster_", "X_", "indptr_", "mean_", "scale_", "vector_mean_",
        "vector_scale_",
        "vectors_", "coefs_", "intercept_", "gamma_", "map_mean_", "map_scale_", "map_axes_",
    )  # fmt: skip
    result: ClassVar[str] = "embedding_"
    space = "embedded"
    blind_to_relevance = True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find medoids, then the machine. Raises MissingLabels without a positive and a negative
        bag, TooLarge."""
        X, training = self._training(X, y, bags)
        watch = monitored(monitor)
        used = thinned(X, training.bags, LARGEST_BAG)
        self.notes_ += thinned_note(training.bags, LARGEST_BAG, "are compared")
        self.mean_, self.scale_ = centered(X[renumbered(used)[0]], standardize=self.standardize)
        Z = (X - self.mean_) / self.scale_
        between = own_distances(Z, used, kind=self.distance, monitor=Portion(watch, 0.0, 0.7))[0]
        k = min(self.n_clusters, len(used))
        chosen = medoids(between, k)
        self.medoids_ = training.rows[chosen]
        self.cluster_ = np.full(training.n_bags, -1, np.int64)
        self.cluster_[training.rows] = between[:, chosen].argmin(axis=1)
        kept = used.take(chosen)
        self.X_, self.indptr_ = np.ascontiguousarray(Z[kept.members]), kept.indptr
        self._learn(between[:, chosen], used.labels, Portion(watch, 0.7, 0.8))
        distance2 = np.square(self._distances(Z, _alone(len(X)), Portion(watch, 0.8, 1.0)))
        found = ConceptMap.of(distance2, self.n_components)
        self.map_mean_, self.map_scale_, self.map_axes_ = found.mean, found.scale, found.components
        self.embedding_ = found.place(distance2).astype(X.dtype)
        self.score_ = self._decide(np.sqrt(distance2), Portion(watch, 1.0, 1.0))
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances on the map of distances to medoids, (M, D) -> (M, d).
        O(M n D)."""
        X = self._validate_new(X)
        found = ConceptMap(self.map_mean_, self.map_scale_, self.map_axes_)
        Z = (X - self.mean_) / self.scale_
        return found.place(np.square(self._distances(Z, _alone(len(X)), None))).astype(X.dtype)

    def bag_features(self, X: ArrayLike, bags: Bags) -> NDArray[np.float64]:
        """Distances of each bag to the medoids, (B, k); NaN for an empty bag."""
        return self._distances((np.asarray(X, np.float64) - self.mean_) / self.scale_, bags, None)

    def _distances(self, Z: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        k = np.arange(len(self.indptr_) - 1)
        own = Bags(self.indptr_, np.arange(len(self.X_)), np.zeros(len(k), np.int8), k, k)
        return bag_distances(Z, bags, self.X_, own, kind=self.distance, monitor=monitor)

    def _learn(self, F: NDArray, labels: NDArray, watch: Monitor) -> None:
        self.vector_mean_, self.vector_scale_ = z_score(F)
        scaled = (F - self.vector_mean_) / self.vector_scale_
        trainer = Trainer(scaled, gamma=width_of(scaled, "rbf", None), C=self.C, monitor=watch,
                          notes=self.notes_)
        machine, _ = trainer.fit(np.arange(len(F)), labels)
        self.vectors_, self.coefs_ = machine.vectors, machine.coefs
        self.intercept_, self.gamma_ = machine.intercept, machine.gamma

    def _decide(self, F: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        machine = Machine(self.vectors_, self.coefs_, self.intercept_, self.gamma_)
        return machine.decide((F - self.vector_mean_) / self.vector_scale_, monitor)

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        out, full = np.full(len(bags), np.nan), bags.sizes > 0
        if full.any():
            out[full] = self._decide(self.bag_features(X, bags)[full], monitor)
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        Z = (X - self.mean_) / self.scale_
        return self._decide(self._distances(Z, _alone(len(X)), monitor), monitor)


def medoids(between: NDArray, k: int) -> NDArray[np.int64]:
    """The k of B objects with distances (B, B) that are near all others: greedy start,
    then medoid and cluster in turn.

    Kaufman and Rousseeuw 1990 (build), Park and Jun 2009 (update). O(k B²) a round.
    """
    nearest = np.full(len(between), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        total = np.minimum(nearest, between).sum(axis=1)
        total[chosen] = np.inf
        chosen.append(int(total.argmin()))
        nearest = np.minimum(nearest, between[chosen[-1]])
    for _ in range(_ROUNDS):
        cluster = between[:, chosen].argmin(axis=1)
        moved = [_center(between, np.flatnonzero(cluster == c), chosen[c]) for c in range(k)]
        if moved == chosen:
            break
        chosen = moved
    return np.array(chosen, np.int64)


def _center(between: NDArray, own: NDArray, now: int) -> int:
    """The one of a cluster with the least sum of distances to it;
    the present one where there is no better."""
    if not len(own):
        return now
    total = between[np.ix_(own, own)].sum(axis=0)
    best = int(own[total.argmin()])
    return best if total.min() < between[own, now].sum() else now


def _alone(n: int) -> Bags:
    """Every instance as a bag of its own."""
    return Bags.of_one(np.arange(n), np.zeros(n))
