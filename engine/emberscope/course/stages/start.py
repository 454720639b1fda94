"""The embedding that a layout goes on from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.stage import Given, Stage
from emberscope.course.stages.given import MADE, PREVIOUS

_ENOUGH = 0.5  # share of the instances that must be in the previous embedding to go on from it


class Start(NamedTuple):
    """(N, d) coordinates in the embedding of an earlier run, NaN for instances that are new; and
    its number."""

    Z: NDArray[np.float32]
    run: int


class Earlier(Stage[Start | None]):
    """None where the previous embedding is no start: for a method that cannot go on, after another
    seed or other parameters (a person who changes these wants to see what they do), and where less
    than half of the instances were there.
    """

    inputs = (PREVIOUS, MADE)

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Start | None:
        previous = given[PREVIOUS]
        if previous is None or not hasattr(plan.method.kind, "start_from"):
            return None
        known, wanted = previous.recipe, plan.recipe
        if (known.method, known.params, known.seed) != (wanted.method, wanted.params, wanted.seed):
            return None
        ids = given[MADE].instances.ids
        order = np.argsort(previous.ids)
        at = order[np.minimum(np.searchsorted(previous.ids, ids, sorter=order), len(order) - 1)]
        there = previous.ids[at] == ids
        if there.mean() < _ENOUGH:
            return None
        return Start(np.where(there[:, None], previous.Z[at], np.float32(np.nan)), previous.id)


START = Earlier("start")
