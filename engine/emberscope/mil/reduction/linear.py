"""Base of linear reductions of bags: features on one scale, the bags to learn from, the map."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor
from emberscope.embedding.linear.linear import Linear, project
from emberscope.mil.scaling import centered
from emberscope.mil.training_bags import TrainingBags, training_bags


class Scaled(Linear):
    """Base of methods whose map is Z = (X - mean_) / scale_ @ components_: exact for new instances.

    Attributes
    ----------
    components_ : (D, d) float64. mean_, scale_ : (D,), of the training instances;
        scale_ is inf for a constant feature.
    """

    standardize: bool
    mean_: NDArray[np.float64] = not_a_param()
    scale_: NDArray[np.float64] = not_a_param()
    components_: NDArray[np.float64] = not_a_param()
    state: ClassVar[tuple[str, ...]] = (*Linear.state, "scale_")

    def transform(self, X: ArrayLike) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d). Exact."""
        return self._project(self._validate_new(X))

    def _project(self, X: NDArray, monitor: Monitor | None = None) -> NDArray:
        return project(X, self.mean_, self.components_ / self.scale_[:, None], monitor=monitor)


class LinearReduction(Scaled):
    """Base of `Scaled` methods that learn from labeled bags."""

    reads_labels = True

    def _training(
        self, X: ArrayLike, y: ArrayLike | None, bags: Bags | None
    ) -> tuple[NDArray, NDArray, TrainingBags]:
        """First line of every `fit`: X, instance labels (N,) in {-1, 0, 1},
        and the bags to learn from.

        Where bags are given, a positive label of an instance may be no more than that of its bag;
        only a negative one says something: that instance is no candidate. Raises ParamError,
        DataError, MissingLabels.
        """
        X, labels, _ = self._validate_weighted(X, y, bags,
                                               labels="required" if bags is None else "optional")
        if self.n_components > X.shape[1]:
            raise DataError(
                f"n_components is {self.n_components} with n_features = {X.shape[1]}",
                hint=f"Choose at most {X.shape[1]} dimensions.",
            )
        found = training_bags(labels, bags, len(X), X=X)
        self.notes_ += found.notes
        return X, np.zeros(len(X), np.int64) if labels is None else labels, found

    def _scaled(self, X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """(X - mean) / scale, mean and scale. Raises DataError where all instances are the same."""
        mean, scale = centered(X, standardize=self.standardize)
        A = (X - mean) / scale
        if not A.any():
            raise DataError("all instances are the same",
                            hint="Choose other features or more instances.")
        return A, mean, scale
