"""Possibilistic k-NN of prototypes: how like the prototypes of targets an instance is, and how near
to any."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.embedding.principal.som import SOM
from emberscope.mil.classifier import AGGREGATE, best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.training_bags import renumbered, thinned, thinned_note

_LARGEST_BAG = 2000
_AT_ONCE = 1 << 22  # distances


class PossibilisticKNN(ChoosesFeatures):
    """An instance scores as its nearest prototypes do, the less the farther it is from them.

    Attributes
    ----------
    prototypes_ : (P, D) of scaled features. shares_ : (P,) of positive bags among the training
    instances of each, labels weighing the same. reach_ : float, distance at which a prototype
    counts half. threshold_ : confidence at which a bag turns positive. mean_, scale_ : (D,).

    Notes
    -----
    After EHD-KNN (Frigui and Gader 2009; Karem 2019, section 5.5, names its parts): prototypes by a
    self-organizing map of all training instances, a possibilistic k-NN of these: the confidence is
    1/2 + the mean over the k nearest of (share - 1/2) / (1 + (distance / reach)²), so that what is
    near no prototype is as likely ground as target. In print a person marks the depths of targets,
    and prototypes are of either class; here bags alone train, so a prototype of ground that both
    hold has a share of 1/2. The reach, the mean distance of training instances to
    their k nearest prototypes, is ours. Of a bag of more than 2000 instances 2000 take part, which
    is noted. O(N P D) an epoch, 40 of them.
    """

    n_prototypes: int | None = param(
        None, low=4, high=10_000, group="Prototypes", title="Prototypes",
        auto="twice the root of the number of instances, 16 to 400",
        help="Nodes of the self-organizing map that instances are summed up by.",
    )
    k: int = param(
        5, low=1, high=100, group="Prototypes", title="Neighbors", grid=(3, 5, 10),
        help="Nearest prototypes whose shares count.",
    )
    aggregate: str = AGGREGATE
    standardize: bool = STANDARDIZE
    state = ("prototypes_", "shares_", "reach_", "threshold_", "mean_", "scale_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find prototypes and their shares. Raises MissingLabels without a positive and a negative
        bag, DataError where all instances are the same."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, watch)
        used = thinned(X, training.bags, _LARGEST_BAG)
        self.notes_ += thinned_note(training.bags, _LARGEST_BAG, "take part")
        rows = renumbered(used)[0]
        self.mean_, self.scale_ = centered(X[rows], standardize=self.standardize)
        Z = (X - self.mean_) / self.scale_
        if not Z[rows].any():
            raise DataError("all instances are the same", hint="Choose other features.")
        count = self.n_prototypes or int(np.clip(2 * np.sqrt(len(rows)), 16, 400))
        lattice = SOM(n_components=min(2, X.shape[1]), n_nodes=count)
        lattice.fit(Z[rows], monitor=Portion(watch, 0.0, 0.8))
        self._keep(lattice, Z[rows], rows, used)
        confidence = self._confidence(Z, Portion(watch, 0.8, 1.0))
        self.threshold_ = best_threshold(training.bags.labels, bag_max(confidence, training.bags))
        self.score_ = confidence - self.threshold_
        return self

    def _keep(self, lattice: SOM, Z: NDArray, rows: NDArray, bags: Bags) -> None:
        """Prototypes with an instance, and the shares of labels among theirs."""
        place = np.zeros(rows.max() + 1, np.int64)
        place[rows] = lattice.node_
        member, positive = place[bags.members], bags.labels[bags.bag_of_member] > 0
        weight = 1 / bags.sizes[bags.bag_of_member]  # large bags count as much as small ones
        of = [np.bincount(member[which], weight[which], len(lattice.prototypes_))
              / (bags.labels == label).sum() for which, label in ((positive, 1), (~positive, -1))]
        used = np.flatnonzero(of[0] + of[1] > 0)
        self.prototypes_ = np.asarray(lattice.prototypes_, np.float64)[used]
        self.shares_ = of[0][used] / (of[0] + of[1])[used]
        near = np.concatenate([self._nearest(Z[part])[0] for part in self._parts(len(Z), None)])
        self.reach_ = max(float(near.mean()), 1e-12)

    def _parts(self, n: int, monitor: Monitor | None) -> list[slice]:
        return list(slices(n, max(_AT_ONCE // len(self.prototypes_), 1), monitor, "Confidences"))

    def _nearest(self, Z: NDArray) -> tuple[NDArray, NDArray]:
        """Distances (M, k) to the nearest prototypes, and which these are."""
        far = cdist(Z, self.prototypes_)
        k = min(self.k, far.shape[1])
        at = np.argsort(far, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(far, at, axis=1), at

    def _confidence(self, Z: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """(M,) in [0, 1]."""
        out = np.empty(len(Z))
        for part in self._parts(len(Z), monitor):
            far, at = self._nearest(Z[part])
            near = 1 / (1 + np.square(far / self.reach_))
            out[part] = 0.5 + (near * (self.shares_[at] - 0.5)).mean(axis=1)
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._confidence((X - self.mean_) / self.scale_, monitor) - self.threshold_
