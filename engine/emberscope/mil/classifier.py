"""The contract of bag classifiers and rankers: scores of instances and of bags, 0 separates."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.estimator import Estimator, check_members
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.training_bags import TrainingBags, in_order_of_values, training_bags

AGGREGATE = param(
    "max", choices=("max", "mean", "softmax", "log-sum-exp"), group="Bags", title="Bag score",
    help="How the scores of instances make that of their bag. Max: one target is enough.",
)


_MANY = 10  # features: beyond, those that say nothing hide what few of them say


class BagClassifier(Estimator):
    """Base of all classifiers of bags: a subclass writes `fit` and one of `_instance_scores` and
    `_bag_scores`.

    Bags score above 0 where they are taken for positive. Not every method knows what an instance
    is: the score of an instance is then that of a bag of it alone.

    Attributes
    ----------
    score_ : (N,) float64, scores of the training instances,
        larger = more target-like (the witness score).
    """

    result: ClassVar[str] = "score_"
    # Amores 2013: what is classified
    space: ClassVar[Literal["instance", "bag", "embedded"]] = "instance"
    reads_labels: ClassVar[bool] = True  # always: scores of the training instances prove nothing
    # False: 0 does not separate; evaluation takes a threshold from inner folds
    calibrated: ClassVar[bool] = True
    # whether scores of bags are their numbers (`Bags.values`)
    predicts_values: ClassVar[bool] = False
    # clusters or boxes over all features alike, whatever labels say of them
    blind_to_relevance: ClassVar[bool] = False

    score_: NDArray[np.float64] = not_a_param()

    def score_instances(
        self, X: ArrayLike, *, monitor: Monitor | None = None
    ) -> NDArray[np.float64]:
        """Scores of instances, (M, D) -> (M,), larger = more target-like."""
        return self._instance_scores(self._validate_new(X), monitor)

    def score_bags(
        self, X: ArrayLike, bags: Bags, *, monitor: Monitor | None = None
    ) -> NDArray[np.float64]:
        """Scores of K bags of rows of X, (K,), above 0 = positive; NaN for an empty bag."""
        X = self._validate_new(X)
        check_members(bags, len(X))
        return self._bag_scores(X, bags, monitor)

    def predict(self, X: ArrayLike, bags: Bags) -> NDArray[np.int8]:
        """-1 or +1 per bag, (K,); an empty bag is -1: nothing in it is a target."""
        return np.where(self.score_bags(X, bags) > 0, 1, -1).astype(np.int8)

    def witnesses(
        self, X: ArrayLike, bags: Bags, k: int, *, top: int = 5
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Why bag k scores as it does: its `top` instances of highest score,
        rows of X and scores, best first."""
        rows = bags.of(k)
        score = self.score_instances(np.asarray(X)[rows]) if len(rows) else np.empty(0)
        best = np.argsort(-score, kind="stable")[:top]
        return rows[best], score[best]

    def _training(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags | None
    ) -> tuple[NDArray, TrainingBags]:
        """First line of every `fit`: X (N, D) and the bags to learn from. Raises ParamError,
        DataError, MissingLabels.

        Instance labels come from `y` where given, else from the bags alone. The bags come in an
        order that does not depend on that of the data, see `in_order_of_values`.
        """
        X, labels = self._validate(X, y, None, labels="ignored" if y is None else "optional",
                                   min_samples=2)
        if bags is not None:
            check_members(bags, len(X))
        found = training_bags(labels, bags, len(X), X=X)
        self.notes_ += found.notes
        if self.blind_to_relevance and X.shape[1] > _MANY:
            self.notes_.append(f"All {X.shape[1]} features count alike: what few of them say of "
                               "targets, others that say nothing hide.")
        return X, in_order_of_values(X, found)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        """Every instance as a bag of its own."""
        return self._bag_scores(X, Bags.of_one(np.arange(len(X)), np.zeros(len(X))), monitor)

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        """Scores of instances, aggregated: by the parameter `aggregate` where there is one,
        else the largest."""
        return REDUCTIONS[getattr(self, "aggregate", "max")](
            self._instance_scores(X, monitor), bags
        )


def best_threshold(labels: NDArray, score: NDArray) -> float:
    """The threshold that tells most of the bags right: positive where score > threshold.
    O(K log K).

    labels : (K,) in {-1, +1}. score : (K,), finite.
        The middle of the widest gap among equally good ones.
    """
    order = np.argsort(score, kind="stable")
    s, positive = score[order], labels[order] > 0
    # cut i: the first i bags are negative
    right = np.concatenate(
        [[0], np.cumsum(~positive)]
    ) + positive.sum() - np.concatenate([[0], np.cumsum(positive)])
    inner = np.diff(s)
    edge = max(float(np.ptp(s)), 1.0) if len(s) else 1.0
    gap = np.concatenate([[0.0], inner, [0.0]])  # everything or nothing positive is the last resort
    right = np.where(np.concatenate([[True], inner > 0, [True]]), right, -1)
    best = np.lexsort((gap, right))[-1]
    if best == 0:
        return float(s[0]) - edge / 2
    return float(s[-1]) if best == len(s) else float((s[best - 1] + s[best]) / 2)
