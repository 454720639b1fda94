"""The few features that tell bags apart, where a classifier of bags does better with them alone."""

from typing import ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from emberscope.bags.folds import bag_groups
from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, EmberscopeError
from emberscope.base.fields import not_a_param
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import BagClassifier
from emberscope.mil.halves import area, chance_error, halves
from emberscope.mil.scaling import z_score
from emberscope.mil.shared_boxes import WIDTHS, bag_rows, best_shared
from emberscope.mil.training_bags import TrainingBags

_VALUES = 1 << 23  # of the members of bags: beyond, the search takes minutes

FEATURES = param(
    None, choices=("all", "few"), auto="few, where bags held out ask for it", group="Features",
    title="Features that count", advanced=True,
    help="Few: only those in which boxes hold instances of many positive bags and of few negative "
    "ones. Where most features say nothing, distances over all of them say nothing either.",
)


class ChoosesFeatures(BagClassifier):
    """A classifier of bags that goes by few of the features where these alone tell bags apart
    better: the others are 0 for it.

    Attributes
    ----------
    counting_ : (F,) int64, the features that count, ascending.
    """

    told: ClassVar[tuple[str, ...]] = ("counting_",)
    features: str | None = FEATURES
    counting_: NDArray[np.int64] = not_a_param()

    def _training(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags | None, watch: Monitor | None = None
    ) -> tuple[NDArray, TrainingBags]:
        """As that of all classifiers of bags, with 0 in features that do not count."""
        X, training = super()._training(X, y, bags)
        self.counting_ = np.arange(X.shape[1])
        if self.features != "all":
            few = self._few(X, training.bags, monitored(watch))
            if few is not None:
                self.counting_ = few
                self.notes_.append(
                    f"{how_many(len(few), 'feature')} of {X.shape[1]} "
                    f"count{'s' * (len(few) == 1)}: see what the parameter says of them.")
        return self._counted(X), training

    def _few(self, X: NDArray, bags: Bags, watch: Monitor) -> NDArray[np.int64] | None:
        """The few features, where they are asked for or bags held out ask for them."""
        if X.shape[1] < 2 or len(bags.members) * X.shape[1] > _VALUES:
            return None
        if self.features == "few":
            return telling(X, bags, watch)
        positive = bags.labels > 0
        half = halves(bag_groups(bags, len(X)), positive, 0)
        if half is None:
            return None
        ranked = np.zeros((2, 2))
        for h in (0, 1):
            own, rest = (bags.take(np.flatnonzero((half == h) == side)) for side in (True, False))
            part = Portion(watch, h / 3, (h + 1) / 3)
            few = telling(X, own, Portion(part, 0.0, 0.6))
            for i, counting in enumerate((np.arange(X.shape[1]), few)):
                ranked[i, h] = self._judged(X, counting, own, rest, part)
        every, some = ranked.mean(axis=1)
        if some <= every + chance_error(positive):
            return None
        return telling(X, bags, Portion(watch, 2 / 3, 1.0))

    def _judged(
        self, X: NDArray, counting: NDArray, own: Bags, rest: Bags, watch: Monitor
    ) -> float:
        """How well bags `rest` are ranked by this classifier, fitted to bags `own` with these
        features; as chance does where it cannot be fitted."""
        other = cast(Self, clone(self)).set_params(features="all")
        some = _only(X, counting)
        try:
            score = other.fit(some, bags=own, monitor=Portion(watch, 0.6, 1.0)).score_bags(
                some, rest)
        except Cancelled:
            raise
        except EmberscopeError:
            return 0.5
        return area(score, rest.labels > 0)

    def _validate_new(self, X: ArrayLike) -> NDArray:
        return self._counted(super()._validate_new(X))

    def _counted(self, X: NDArray) -> NDArray:
        counting = getattr(self, "counting_", None)  # models of older versions have none
        return X if counting is None or len(counting) == X.shape[1] else _only(X, counting)


class KeepsBags(ChoosesFeatures):
    """A classifier that compares with its training bags, and so keeps them: `X_` (n, D),
    `indptr_`, `labels_`."""

    state: ClassVar[tuple[str, ...]] = ("X_", "indptr_", "labels_")
    space: ClassVar[Literal["instance", "bag", "embedded"]] = "bag"

    def _keep(self, X: NDArray, bags: Bags) -> None:
        """Rows of X in the order of the bags; an instance of two bags is kept twice."""
        self.X_ = np.ascontiguousarray(X[bags.members])
        self.indptr_, self.labels_ = bags.indptr, bags.labels

    @property
    def _kept(self) -> Bags:
        k = np.arange(len(self.labels_), dtype=np.int64)
        return Bags(self.indptr_, np.arange(len(self.X_), dtype=np.int64), self.labels_, k, k)


def telling(X: NDArray, bags: Bags, watch: Monitor) -> NDArray[np.int64]:
    """The features, ascending, in which boxes together hold instances of most positive bags and of
    few negative ones; see `best_shared`."""
    rows = X[bags.members].astype(np.float64)
    mean, scale = z_score(rows)
    data, _ = bag_rows((rows - mean) / scale, bags.indptr.astype(np.int64), bags.labels > 0,
                       WIDTHS, np.random.default_rng(0))
    return best_shared(data, watch).features


def _only(X: NDArray, counting: NDArray) -> NDArray:
    """X (N, D) with 0 in all other features."""
    out = np.zeros_like(X)
    out[:, counting] = X[:, counting]
    return out
