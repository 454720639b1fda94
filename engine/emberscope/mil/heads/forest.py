"""A random forest of instances, or of bags, that carry the labels of bags."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, slices
from emberscope.base.param import RANDOM_STATE, param
from emberscope.mil.heads.head import Head
from emberscope.mil.trees import Trees, grown_forest, mean_value

_BLOCK = 200_000  # points times trees between two looks at the monitor


class RandomForest(Head):
    """The share of targets in the leaves that a point falls into, less one half.

    Attributes
    ----------
    roots_ : (n_trees,), left_, right_, feature_, threshold_, value_ : (nodes,), the trees.
    mean_, scale_ : (D,). score_ : (N,), for what was learned from by the trees that did not see it.

    Notes
    -----
    Breiman 2001. Ours: a tree draws bags, not instances, for what it knows of the other instances
    of a bag gives the label away; both labels weigh the same in every tree, which sees 10^4 points
    at most. O(n_trees n sqrt(D) log^2 n) with n = min(N, 10^4).
    """

    n_trees: int = param(
        50, low=1, high=5000, group="Forest", title="Trees",
        help="Trees that vote; more of them cost time and never harm.",
    )
    min_leaf: int = param(
        3, low=1, high=1000, group="Forest", title="Smallest leaf", grid=(1, 5),
        help="Points in a leaf at least; larger ones make smoother scores.",
    )
    random_state: int = RANDOM_STATE
    state: ClassVar[tuple[str, ...]] = (*Head.state, *(f"{name}_" for name in Trees._fields))

    def _learn(self, A: NDArray, bags: Bags, watch: Monitor) -> NDArray[np.float64]:
        X, target = A.astype(np.float32), bags.instance_labels(len(A)) > 0
        seeds = [[self.random_state, t] for t in range(self.n_trees)]
        share, forest = grown_forest(X, bags, self.min_leaf, seeds, lambda _: target, watch,
                                     "Trees")
        for name, values in forest._asdict().items():
            setattr(self, f"{name}_", values)
        return share - 0.5

    def _decide(self, A: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        forest = Trees(*(getattr(self, f"{name}_") for name in Trees._fields))
        out = np.empty(len(A))
        for rows in slices(len(A), max(1, _BLOCK // len(forest.roots)), monitor, "Scores"):
            out[rows] = mean_value(np.ascontiguousarray(A[rows], np.float32), forest)
        return out - 0.5
