"""Fuzzy and possibilistic c-means of instances, labels unseen, as the plain parents of FCMI and
PCMI: which clusters positive bags hold and negative ones do not."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max, bag_mean, bag_noisy_or
from emberscope.base.embedder import Embedder
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import BagClassifier, best_threshold
from emberscope.mil.concepts.clustering import DIMENSIONS, SEED
from emberscope.mil.concepts.concept_map import ConceptMap
from emberscope.mil.concepts.model import Concepts
from emberscope.mil.concepts.plain.c_means import (
    Clusters,
    fuzzy,
    possibilistic,
    squares,
    usual_fuzzifier,
)
from emberscope.mil.concepts.pruning import CONTRAST, strength
from emberscope.mil.scaling import z_score
from emberscope.mil.training_bags import renumbered
from emberscope.neighbors.threads import thread_pool

_MOST = 8000  # instances that are clustered, evenly spaced in the order of their bags
_STARTED = 1000  # of these, from which the start is taken
_FLOOR = 0.05  # least standard deviation of a cluster, of that of its feature


class FuzzyCMeans(BagClassifier, Embedder):
    """Clusters the instances of all labeled bags, labels unseen; then a cluster counts as a concept
    where positive bags hold most of it.

    Attributes
    ----------
    cluster_centers_ : (Q, D) of scaled features. reach_ : (Q,), see `Clusters`; 0 for a fuzzy
    clustering. shares_ : (Q,) share of positive bags in each cluster, labels weighing the same.
    centers_, scales_ (K, D), coverage_, contrast_, purity_ (K,), memberships_ (K, bags given) : the
    concepts among them, of the largest shares first, as of `ConceptClustering`; negative_centers_,
    negative_scales_ : the others. objectives_ : (R,). threshold_ : share at which a bag turns
    positive. mean_, scale_ : (D,).

    Notes
    -----
    Bezdek 1981; Karem 2019, section 2.2, has it as the parent of FCMI, for data without bags. Ours:
    what reads labels afterwards. An instance scores as the shares of its clusters, weighted by its
    memberships, less the threshold that tells most training bags right. A cluster is a concept from
    a share of 2/3 on, the one of largest share where none is; its width is such that its mean
    member is of it as likely as not. Features have unit variance. The start is k-means of 1000
    instances at most. Of more than 8000 instances as many are clustered, which is noted.
    O(N Q D) a round, 200 at most.
    """

    n_clusters: int = param(
        10, low=1, high=200, group="Clusters", title="Clusters", grid=(5, 10, 20),
        help="Of instances of all labeled bags, background included: take more than there are "
        "kinds of targets.",
    )
    fuzzifier: float | None = param(
        None, low=1.0, high=5.0, open_low=True, auto="1 + 2 over the number of features, at most 2",
        group="Clusters", title="Fuzzifier m", advanced=True,
        help="Near 1 an instance belongs to one cluster almost alone; larger values share it among "
        "clusters, and in many features make all of them one.",
    )
    n_components: int = DIMENSIONS
    random_state: int = SEED
    state = (
        "score_", "cluster_centers_", "reach_", "shares_", "m_", "centers_", "scales_",
        "negative_centers_", "negative_scales_", "coverage_", "contrast_", "purity_",
        "memberships_", "objectives_", "threshold_", "mean_", "scale_", "map_mean_", "map_scale_",
        "map_axes_",
    )  # fmt: skip
    result: ClassVar[str] = "embedding_"
    space = "embedded"
    blind_to_relevance = True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Cluster, then read the labels. Raises MissingLabels without a positive and a negative
        bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags)
        watch.step(0.0, "Clusters")
        rows = renumbered(training.bags)[0]
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST)).astype(np.int64)]
        if len(some) < len(rows):
            self.notes_.append(f"Of {len(rows)} instances {len(some)} were clustered.")
        self.mean_, self.scale_ = z_score(X[rows])
        Z = (X - self.mean_) / self.scale_
        with thread_pool():  # small products are slower on several threads
            found = self._clustered(Z[some], Portion(watch, 0.0, 0.9))
        self._keep(found, Z[some])
        u = found.of(Z)
        self._judge(u, training.bags)
        watch.step(0.9, "Concepts")
        self._keep_concepts(u, Z, found, training.bags, training.rows, training.n_bags)
        self._keep_map(Z, X.dtype)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances on the map of distances to clusters, (M, D) -> (M, d).
        O(M Q D)."""
        X = self._validate_new(X)
        on_map = ConceptMap(self.map_mean_, self.map_scale_, self.map_axes_)
        Z = (X - self.mean_) / self.scale_
        return on_map.place(squares(Z, self.cluster_centers_).T).astype(X.dtype)

    @property
    def concepts(self) -> Concepts:
        """The clusters that positive bags hold most of, in units of the features."""
        return Concepts(self.centers_, self.scales_)

    @property
    def negative_concepts(self) -> Concepts:
        """The other clusters."""
        return Concepts(self.negative_centers_, self.negative_scales_)

    @property
    def clusters(self) -> Clusters:
        """What was found, of scaled features; memberships of the instances that were clustered are
        not kept."""
        reach = self.reach_ if self.reach_.any() else None
        none = np.empty((len(self.cluster_centers_), 0))
        return Clusters(self.cluster_centers_, none, self.m_, self.objectives_, reach)

    def _clustered(self, Z: NDArray, watch: Monitor) -> Clusters:
        from sklearn.cluster import KMeans

        m = usual_fuzzifier(Z.shape[1]) if self.fuzzifier is None else self.fuzzifier
        few = Z[np.linspace(0, len(Z) - 1, min(len(Z), _STARTED)).astype(np.int64)]
        k = min(self.n_clusters, len(np.unique(few, axis=0)))
        start = KMeans(k, n_init=3, random_state=self.random_state).fit(few).cluster_centers_
        return fuzzy(Z, start, m, watch)

    def _keep(self, found: Clusters, Z: NDArray) -> None:
        self.cluster_centers_, self.m_ = found.centers, found.fuzzifier
        self.reach_ = np.zeros(len(found.centers)) if found.reach is None else found.reach
        self.objectives_ = found.objectives
        weight = found.memberships**found.fuzzifier
        weight /= weight.sum(axis=1, keepdims=True)
        variance = weight @ np.square(Z) - np.square(found.centers)
        spread = np.maximum(variance, (_FLOOR * np.maximum(Z.std(axis=0), 1e-3)) ** 2)
        # the mean member, D variances away, has a probability of 1/2
        self._scales = np.log(2) / (Z.shape[1] * spread)

    def _judge(self, u: NDArray, bags: Bags) -> None:
        """Shares of positive bags, from memberships u (Q, N), and the threshold of bags."""
        positive = bags.labels > 0
        held = bag_mean(u.T, bags).T
        mine, rest = held[:, positive].mean(axis=1), held[:, ~positive].mean(axis=1)
        self.shares_ = mine / np.maximum(mine + rest, 1e-300)
        raw = _weighted(u, self.shares_)
        self.threshold_ = best_threshold(bags.labels, bag_max(raw, bags))
        self.score_ = raw - self.threshold_

    def _keep_concepts(
        self, u: NDArray, Z: NDArray, found: Clusters, bags: Bags, rows: NDArray, n_bags: int
    ) -> None:
        order = np.argsort(-self.shares_, kind="stable")
        count = max(int((self.shares_ >= CONTRAST / (1 + CONTRAST)).sum()), 1)
        own, others = order[:count], order[count:]
        whole = Concepts(found.centers, self._scales)
        chosen = whole.take(own)
        probability = bag_noisy_or(np.exp(-chosen.distance2(Z)), bags).T
        member = bag_max(u[own].T, bags).T
        measured = strength(probability, member, bags.labels > 0)
        self.coverage_, self.contrast_, self.purity_ = (
            measured.coverage, measured.contrast, measured.purity
        )
        self.memberships_ = np.full((count, n_bags), np.nan)
        self.memberships_[:, rows] = member
        here, ground = (each.in_units(self.mean_, self.scale_)
                        for each in (chosen, whole.take(others)))
        self.centers_, self.scales_ = here.centers, here.scales
        self.negative_centers_, self.negative_scales_ = ground.centers, ground.scales

    def _keep_map(self, Z: NDArray, dtype: np.dtype) -> None:
        distance2 = squares(Z, self.cluster_centers_).T
        on_map = ConceptMap.of(distance2, self.n_components)
        self.map_mean_, self.map_scale_, self.map_axes_ = (
            on_map.mean, on_map.scale, on_map.components
        )
        self.embedding_ = on_map.place(distance2).astype(dtype)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        u = self.clusters.of((X - self.mean_) / self.scale_)
        return _weighted(u, self.shares_) - self.threshold_


class PossibilisticCMeans(FuzzyCMeans):
    """As `FuzzyCMeans`, but an instance may be of no cluster: each takes what is near, whatever the
    others take.

    Attributes
    ----------
    Those of `FuzzyCMeans`.

    Notes
    -----
    Krishnapuram and Keller 1993; Karem 2019, section 2.2, has it as the parent of PCMI. It starts
    from the fuzzy clusters, whose mean squared distances are the reach of each. Clusters that fall
    together are merged. An instance near no cluster scores 1/2 less the threshold, the more so the
    less it is of any. O of `FuzzyCMeans`, twice.
    """

    state = FuzzyCMeans.state

    def _clustered(self, Z: NDArray, watch: Monitor) -> Clusters:
        begun = super()._clustered(Z, Portion(watch, 0.0, 0.5))
        return possibilistic(Z, begun, Portion(watch, 0.5, 1.0))


def _weighted(u: NDArray, shares: NDArray) -> NDArray[np.float64]:
    """Shares (Q,) weighted by memberships u (Q, N), (N,); what is missing in their sum counts as a
    share of 1/2."""
    total = u.sum(axis=0)
    rest = np.maximum(1 - total, 0.0)
    return (shares @ u + 0.5 * rest) / (total + rest)

