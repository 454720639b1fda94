"""The rule that knows no instances: the label of the bag."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor


def bag_label(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Score all instances of a bag by its label, so those of positive bags alike.

    used : (D,), see `Rule`. Raises ParamError for Q: labels of bags say nothing of new instances.
    """
    if Q is not None:
        raise ParamError("labels of bags score no new instances", hint="Take another rule.")
    return bags.instance_labels(len(X)).astype(np.float64)
