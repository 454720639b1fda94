"""k-NN of instances that carry the labels of their bags: the baseline of all bag classifiers."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.training_bags import renumbered
from emberscope.neighbors.search import nearest


class KNN(ChoosesFeatures):
    """An instance scores as the share of positive ones among its nearest training instances,
    less one half.

    Attributes
    ----------
    X_ : (n, D), training instances that lie in a labeled bag, those of negative bags first: of
    equally near ones they vote. y_ : (n,) int8, label of their bags.

    Notes
    -----
    Every instance of a positive bag counts as a target, so the share is biased where bags are
    loose, and the largest one of a bag more so the larger the bag: evaluation takes its threshold
    from inner folds. The score of a training instance counts the instance itself. O(M n D) for M
    instances.
    """

    k: int = param(
        3, low=1, high=501, title="Neighbors k", group="Graph", grid=(1, 3, 5, 9, 15),
        help="Neighbors that vote.",
    )
    aggregate: str = AGGREGATE
    state = ("X_", "y_")
    calibrated = False

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Keep the instances. Raises MissingLabels without a positive and a negative bag."""
        X, training = self._training(X, y, bags, monitor)
        rows, used = renumbered(training.bags)
        self.X_, self.y_ = np.ascontiguousarray(X[rows]), used.instance_labels(len(rows))
        self.score_ = self._instance_scores(X, monitor)
        return self

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        found = nearest(self.X_, X, min(self.k, len(self.X_)), monitor=monitor)
        return (self.y_[found.idx] > 0).mean(axis=1) - 0.5
