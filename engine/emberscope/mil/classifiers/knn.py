"""k-NN of instances that carry the labels of their bags: the baseline of all bag classifiers."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.base.param import param
from emberscope.mil.heads.head import Head
from emberscope.mil.scaling import STANDARDIZE
from emberscope.neighbors.search import nearest


class KNN(Head):
    """A point scores as the share of positive ones among its nearest training points, less one
    half.

    Attributes
    ----------
    X_ : (n, D), training points, scaled, those of negative bags first: of equally near ones they
    vote. y_ : (n,) int8, label of their bags. mean_, scale_ : (D,).

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
    standardize: bool = replace(STANDARDIZE, default=False)
    state: ClassVar[tuple[str, ...]] = (*Head.state, "X_", "y_")

    def _learn(self, A: NDArray, bags: Bags, watch: Monitor) -> None:
        self.X_, self.y_ = np.ascontiguousarray(A), bags.instance_labels(len(A))

    def _decide(self, A: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        found = nearest(self.X_, np.ascontiguousarray(A), min(self.k, len(self.X_)),
                        monitor=monitor)
        return (self.y_[found.idx] > 0).mean(axis=1) - 0.5
