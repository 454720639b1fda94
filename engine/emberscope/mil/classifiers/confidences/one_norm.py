"""A sparse linear machine between the witnesses of positive bags and all background."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE, BagClassifier
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.support_vectors import balanced, sparse_weights
from emberscope.mil.training_bags import renumbered, thinned, thinned_note

_LARGEST_BAG = 2000
_ROUNDS = 20


class OneNormSVM(BagClassifier):
    """A weighted sum of few features that is above 0 for the best instance of a positive bag, and
    below it for all background.

    Attributes
    ----------
    weights_ : (D,) float64 of scaled features, most of them 0. intercept_ : float. prototype_ :
    (K,) int64, the row of the witness of each positive bag, -1 elsewhere. mean_, scale_ : (D,).

    Notes
    -----
    After EHD-ONS (Karem 2019, section 5.5: a linear machine with the one-norm of its weights, per
    instance): min |w|_1 + C sum_n v_n max(0, 1 - y_n f(x_n))², v balances the classes; in print the
    hinge is not squared, and a person marks the instances of targets. Ours: all instances of
    positive bags are targets first, then the best one of each bag alone, chosen anew until none
    changes, 20 times at most (as `MISVMBag`). O(rounds N D) for N instances, of a bag at most 2000.
    """

    C: float = param(
        0.03, low=0.0, high=1e6, open_low=True, group="Support vectors", title="Penalty C",
        grid=(0.01, 0.03, 0.1, 1.0),
        help="How much an instance on the wrong side costs: large values keep more features.",
    )
    aggregate: str = AGGREGATE
    standardize: bool = STANDARDIZE
    state = ("weights_", "intercept_", "prototype_", "mean_", "scale_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Choose witnesses and weights in turn. Raises MissingLabels without a positive and a
        negative bag."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags)
        used = thinned(X, training.bags, _LARGEST_BAG)
        self.notes_ += thinned_note(training.bags, _LARGEST_BAG, "take part")
        self.mean_, self.scale_ = centered(X[renumbered(used)[0]], standardize=self.standardize)
        Z = (X - self.mean_) / self.scale_
        ground = np.unique(used.members[used.labels[used.bag_of_member] < 0])
        targets = used.take(np.flatnonzero(used.labels > 0))
        chosen = np.unique(targets.members)
        seen = [chosen]
        for done in range(_ROUNDS):
            watch.step(done / _ROUNDS, "Sparse machine")
            self._learn(Z[ground], Z[chosen])
            chosen = bag_argmax(self._decide(Z), targets)
            if any(np.array_equal(chosen, before) for before in seen):
                break
            seen.append(chosen)
        else:
            self.notes_.append("Witnesses still changed in the last round; the last ones stand.")
        kept = int(np.count_nonzero(self.weights_))
        self.notes_.append(f"Of {how_many(X.shape[1], 'feature')} {kept} have a weight.")
        self.prototype_ = np.full(training.n_bags, -1, np.int64)
        self.prototype_[training.rows[used.labels > 0]] = chosen
        self.score_ = self._decide(Z)
        return self

    def _learn(self, ground: NDArray, targets: NDArray) -> None:
        labels = np.repeat([-1, 1], [len(ground), len(targets)])
        F = np.vstack([ground, targets])
        self.weights_, self.intercept_, _ = sparse_weights(F, labels, balanced(self.C, labels))

    def _decide(self, Z: NDArray) -> NDArray[np.float64]:
        return np.asarray(Z @ self.weights_ + self.intercept_)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return self._decide((X - self.mean_) / self.scale_)
