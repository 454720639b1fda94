"""The rule of randomized trees."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, monitored
from emberscope.mil.rules.forest import forest_shares
from emberscope.mil.rules.held_out import connected_fold, held_out


def trees(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Share of randomized trees (Geurts, Ernst and Wehenkel 2006) that take the instance for one of
    a positive bag.

    Instances of X are scored by trees that have not seen their bags, nor bags of the same group.
    used : (D,), see `Rule`. O(T N log N sqrt(D)).
    """
    if Q is None:
        return held_out([("trees", trees, bags)], X, connected_fold(bags, len(X)),
                        monitored(monitor))[0]
    label = bags.instance_labels(len(X))
    known = np.flatnonzero(label)
    weight = len(known) / (2 * np.where(label > 0, (label > 0).sum(), (label < 0).sum()))
    return forest_shares(X[known], label[known] > 0, weight[known], Q, monitored(monitor),
                         used=used)[:, -1]
