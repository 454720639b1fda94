"""Base of methods that learn what a target looks like, in a space in which the background is
white."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, slices
from emberscope.base.param import param
from emberscope.mil.classifier import best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import centered
from emberscope.mil.training_bags import renumbered

_VALUES = 1 << 20  # at a time
_MOST_FEATURES = 6000

REGULARIZATION = param(
    1e-3, low=0, open_low=True, high=10, group="Background", grid=(1e-3, 1e-2, 1e-1, 1.0),
    help="Variance added to the background in every direction, as a share of that of a "
    "feature. More where negative instances are few for so many features.",
)


@dataclass(frozen=True, slots=True)
class Whitened:
    """Training instances in whitened space, W (N, D). bags : to learn from. back : (D, D), undoes
    the whitening.

    positive, negative : the bags of each label.
    """

    W: NDArray[np.float64]
    bags: Bags
    back: NDArray[np.float64]

    @property
    def positive(self) -> Bags:
        """The positive bags."""
        return self.bags.take(np.flatnonzero(self.bags.labels > 0))

    @property
    def negative(self) -> Bags:
        """The negative bags."""
        return self.bags.take(np.flatnonzero(self.bags.labels < 0))

    @property
    def background(self) -> NDArray[np.int64]:
        """Rows of the negative instances, each once, in the order of their bags."""
        return renumbered(self.negative)[0]


class InWhitenedSpace(ChoosesFeatures):
    """Whitens by the negative instances, w(x) = Lambda^-1/2 U'(x - mu) / scale with their mean mu
    and covariance U Lambda U' (plus `regularization` times the identity), and scores by `_answers`
    less a threshold.

    Features are put on one scale first, so that the regularization is a share of their variance; a
    constant feature counts for nothing. Scores are answers less `threshold_`, the one that tells
    most training bags right; as these were seen in training, evaluation takes a threshold from
    inner folds on top.
    """

    regularization: float
    aggregate: str
    calibrated = False
    state: ClassVar[tuple[str, ...]] = ("background_", "scale_", "whitening_", "threshold_")

    def _begin(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags | None, watch: Monitor | None = None
    ) -> Whitened:
        """First line of `fit`. Raises MissingLabels, TooLarge for too many features, DataError
        where all instances are the same."""
        X, training = self._training(X, y, bags, watch)
        if X.shape[1] > _MOST_FEATURES:
            raise TooLarge(f"the covariance of {X.shape[1]} features",
                           hint="Reduce them by PCA first.")
        back = self._learn_background(X, training.bags)
        found = Whitened(self._whitened(X), training.bags, back)
        if not np.abs(found.W[found.positive.members]).max() > 1e-9:
            raise DataError("target and background instances are all the same",
                            hint="Choose other features.")
        return found

    def _finish(self, found: Whitened) -> None:
        """Last line of `fit`: threshold and scores of the training instances."""
        answer = self._answers(found.W)
        scores = REDUCTIONS[self.aggregate](answer, found.bags)
        self.threshold_ = best_threshold(found.bags.labels, scores)
        self.score_ = answer - self.threshold_

    def _answers(self, W: NDArray) -> NDArray[np.float64]:
        """How target-like whitened instances (M, D) are, (M,)."""
        raise NotImplementedError

    def _learn_background(self, X: NDArray, bags: Bags) -> NDArray[np.float64]:
        """Mean and whitening of the negative instances;
        returns the inverse of the whitening, (D, D)."""
        negatives = np.unique(bags.members[bags.labels[bags.bag_of_member] < 0])
        _, self.scale_ = centered(X[np.unique(bags.members)], standardize=True)
        self.background_ = X[negatives].mean(axis=0, dtype=np.float64)
        B = (X[negatives] - self.background_) / self.scale_
        values, U = np.linalg.eigh(B.T @ B / len(B))
        root = np.sqrt(np.maximum(values, 0.0) + self.regularization)
        # symmetric: a sign or turn of the eigenvectors changes nothing
        self.whitening_ = U / root @ U.T
        return U * root @ U.T

    def _whitened(self, X: NDArray) -> NDArray[np.float64]:
        return ((X - self.background_) / self.scale_) @ self.whitening_

    def _in_features(self, V: NDArray, back: NDArray) -> NDArray[np.float64]:
        """Vectors of whitened space (T, D) in units of the features; a constant feature is 0."""
        return np.where(np.isinf(self.scale_), 0.0, self.scale_) * (V @ back)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        out = np.empty(len(X))
        for part in slices(len(X), _VALUES // X.shape[1], monitor,
                           "Answers to the signature"):
            out[part] = self._answers(self._whitened(X[part]))
        return out - self.threshold_


def of_length_one(V: NDArray) -> NDArray[np.float64]:
    """Rows of V (n, D) divided by their lengths; one of length 0 stays."""
    length = np.linalg.norm(V, axis=1, keepdims=True)
    return np.divide(V, length, out=np.zeros(V.shape), where=length > 0)
