"""What every rule is: a function that learns from bags how target-like an instance is."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor


class Rule(Protocol):
    """Learn from X (N, D) and bags over its rows; score the rows of X, or those of Q (M, D) where
    it is given.

    Higher is more target-like; units are those of the rule. A rule that can be stopped meanwhile
    looks at the monitor.
    """

    def __call__(
        self, X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
        used: NDArray | None = None,
    ) -> NDArray[np.float64]:
        """Scores (N,), or (M,) of Q. used : (D,) zeros, to which a rule that asks features one by
        one adds the share that each of them had; rules that compare whole instances leave it."""
