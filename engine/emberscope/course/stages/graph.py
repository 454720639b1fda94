"""The neighbors that methods and scores share."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.course.plan import Plan
from emberscope.course.stage import Cost, Given, Size, Stage
from emberscope.course.stages.distances import SEEN
from emberscope.features.cache import digest
from emberscope.neighbors.graph import knn, remember
from emberscope.neighbors.search import Neighbors, neighbors_by

SHARED_NEIGHBORS = 32  # of the graph that is kept on disk; a method that wants more searches itself


class Graph(Stage[Neighbors | None]):
    """Found once per X, and handed to `neighbors.graph`; None for one instance.

    Those by distances of chips are not handed over: what asks for neighbors in X means those.
    """

    title = "Neighbors"
    inputs = (SEEN,)
    kept = tuple

    def key(self, plan: Plan, given: Given) -> str:
        return digest([given.key(SEEN), _count(given[SEEN].X)])

    def needed(self, plan: Plan, given: Given) -> bool:
        return _count(given[SEEN].X) > 0

    def absent(self, plan: Plan, given: Given) -> None:
        return None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Neighbors:
        seen, k = given[SEEN], _count(given[SEEN].X)
        if seen.distances is None:
            return knn(seen.X, k, monitor=monitor)
        return neighbors_by(seen.distances, k, monitor=monitor)

    def pack(self, value: Neighbors | None) -> tuple[NDArray, ...]:
        assert value is not None
        return value.idx, value.dist, np.array(value.recall)

    def unpack(self, plan: Plan, given: Given, record: tuple[NDArray, ...]) -> Neighbors:
        idx, dist, recall = record
        found = Neighbors(np.array(idx), np.array(dist), float(recall))
        if given[SEEN].distances is None:
            remember(given[SEEN].X, found)
        return found

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(6e-9 * size.n**2 + 4e-11 * size.n**2 * size.narrow)


def _count(X: NDArray) -> int:
    return min(SHARED_NEIGHBORS, len(X) - 1)


GRAPH = Graph("graph")
