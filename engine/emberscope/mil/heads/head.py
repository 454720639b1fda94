"""What the usual classifiers share: what they learn from, instances or whole bags, and how it is
scaled."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.training_bags import renumbered

INSTANCE, BAG = "instance", "bag"
LEVEL = param(
    INSTANCE, choices=(INSTANCE, BAG), group="Bags", title="Learns from", grid=(INSTANCE, BAG),
    help="Instance: every one carries the label of its bag, and scores of instances make that of "
    "their bag. Bag: a bag is the mean of its instances, and is scored as a whole.",
)


class Head(ChoosesFeatures):
    """A classifier of points with labels, that gets them from bags: a subclass writes `_learn` and
    `_decide`.

    Attributes
    ----------
    mean_, scale_ : (D,), of what was learned from: (x - mean) / scale.
    """

    level: str = LEVEL
    aggregate: str = AGGREGATE
    standardize: bool = STANDARDIZE
    state: ClassVar[tuple[str, ...]] = ("mean_", "scale_")
    calibrated: ClassVar[bool] = False

    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Learn. Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, watch)
        rows, own = renumbered(training.bags)
        A = np.asarray(X[rows], np.float64)
        if self.level == BAG:
            A, own = bag_mean(A, own), Bags.of_one(np.arange(len(own)), own.labels)
        self.mean_, self.scale_ = centered(A, standardize=self.standardize)
        watch.step(0.0, "Learning")
        unseen = self._learn((A - self.mean_) / self.scale_, own, Portion(watch, 0.0, 0.9))
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        if unseen is not None and self.level == INSTANCE:
            self.score_[rows] = unseen
        return self

    def _learn(
        self, A: NDArray, bags: Bags, watch: Monitor
    ) -> NDArray[np.float64] | None:
        """Learn from scaled points (n, D), each in a bag or more, of both labels; (n,) what of the
        points can be said without having seen them, or None."""
        raise NotImplementedError

    def _decide(self, A: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """Scores of scaled points, (M, D) -> (M,)."""
        raise NotImplementedError

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._decide((np.asarray(X, np.float64) - self.mean_) / self.scale_, monitor)

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        if self.level == INSTANCE:
            return super()._bag_scores(X, bags, monitor)
        out, full = np.full(len(bags), np.nan), bags.sizes > 0
        if full.any():
            out[full] = self._instance_scores(bag_mean(X, bags)[full], monitor)
        return out
