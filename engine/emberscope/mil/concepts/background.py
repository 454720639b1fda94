"""Negative concepts: the kinds of background there are,
and how far instances are from all of them."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.embedder import Embedder
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.classifier import BagClassifier, best_threshold
from emberscope.mil.concepts.concept_map import ConceptMap
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.mil.concepts.starts import gaussian_clusters

# negative instances that are clustered, evenly spaced: what shows of the ground, in half a second
GROUND = 4000


class NegativeConcepts(BagClassifier, Embedder):
    """Clusters the instances of negative bags;
    an instance far from every cluster is like no background.

    Attributes
    ----------
    clusters : `Concepts`, in units of the features.
        threshold_ : squared distance at which a bag turns positive.

    Notes
    -----
    Karem 2019, algorithm 10: k-means of all negative instances pooled; the scale of a cluster's
    feature is 1 / (2 variance) in it, so that squared distances are half those of Mahalanobis. The
    number of clusters is never printed. The score of an instance is its squared distance to the
    nearest cluster, that of a bag the largest of its members, less the threshold that parts most
    training bags. The map shows the principal axes of log(1 + squared distance). Positive bags take
    part in the threshold only. O(N k D), of 4000 negative instances at most.
    """

    n_clusters: int = param(
        10, low=1, high=200, group="Clusters", title="Kinds of background", grid=(5, 10, 20),
        help="Clusters of negative instances. Too few lie wide, and hold targets too.",
    )
    n_components: int = param(
        2, low=1, high=10, group="Embedding", title="Dimensions",
        help="Axes of the map of distances to clusters.",
    )
    random_state: int = RANDOM_STATE
    state = ("score_", "cluster_centers_", "cluster_scales_", "threshold_", "map_mean_",
             "map_scale_", "map_axes_")
    result: ClassVar[str] = "embedding_"
    space = "embedded"
    blind_to_relevance = True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Cluster the background. Raises MissingLabels without a positive and a negative bag."""
        X, training = self._training(X, y, bags)
        watch = monitored(monitor)
        watch.step(0.0, "Kinds of background")
        data = StandardBags.of(X, training.bags)
        rng = np.random.default_rng(self.random_state)
        found = negative_clusters(data, max(self.n_clusters, self.n_components), rng)
        self.cluster_centers_, self.cluster_scales_ = found.centers, found.scales
        watch.step(0.5, "Distances")
        distance2 = self.clusters.distance2(X)
        nearest = distance2.min(axis=1)
        self.threshold_ = best_threshold(training.bags.labels, bag_max(nearest, training.bags))
        self.score_ = nearest - self.threshold_
        on_map = ConceptMap.of(distance2, self.n_components)
        self.map_mean_, self.map_scale_, self.map_axes_ = (
            on_map.mean, on_map.scale, on_map.components
        )
        self.embedding_ = on_map.place(distance2).astype(X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances on the map of distances to clusters, (M, D) -> (M, d).
        O(M k D)."""
        X = self._validate_new(X)
        on_map = ConceptMap(self.map_mean_, self.map_scale_, self.map_axes_)
        return on_map.place(self.clusters.distance2(X)).astype(X.dtype)

    @property
    def clusters(self) -> Concepts:
        """Clusters of negative instances, in units of the features."""
        return Concepts(self.cluster_centers_, self.cluster_scales_)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self.clusters.distance2(X).min(axis=1) - self.threshold_


def negative_clusters(data: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    """k clusters of the negative instances, fewer where fewer of these differ,
    in units of the features."""
    rows = np.flatnonzero(np.repeat(~data.positive, np.diff(data.indptr)))
    some = data.Z[rows[np.linspace(0, len(rows) - 1, min(len(rows), GROUND)).astype(np.int64)]]
    return gaussian_clusters(some, k, rng).in_units(data.mean, data.scale)
