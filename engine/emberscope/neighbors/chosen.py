"""Which pairs of instances are the edges of a graph: k nearest, mutual neighbors, a radius, all."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from emberscope.base.errors import DataError, TooLarge
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, slices
from emberscope.neighbors.graph import (
    Graph,
    GraphKind,
    Neighbors,
    neighborhood_graph,
    within_radius,
)

GraphChoice = Literal["knn", "mutual", "radius", "full"]
FULL_LIMIT = 6000  # instances; 3.4 GB
_BYTES = 100  # that a fit takes for every pair, measured
_VALUES = 1 << 22  # distances measured at a time


@dataclass(frozen=True, slots=True)
class Edges:
    """lists : the neighbor lists that edges are read from. radius : the longest edge, None where
    length does not matter."""

    choice: GraphChoice
    lists: Neighbors
    radius: float | None = None

    @property
    def kind(self) -> GraphKind:
        """Which entries of the lists are edges, as `neighborhood_graph` has it."""
        return "and" if self.choice == "mutual" else "or"

    def graph(
        self, X: NDArray, *, without: NDArray | None = None,
        components: Literal["bridge", "keep"] = "keep", monitor: Monitor | None = None,
    ) -> Graph:
        """The symmetric graph of the rows X (N, D). without, components : as in
        `neighborhood_graph`.

        Raises DataError where no two instances are neighbors.
        """
        if self.choice == "full":
            return full_graph(X, self.lists, monitor=monitor)
        found = neighborhood_graph(
            X, self.lists, kind=self.kind, radius=self.radius, without=without,
            components=components, monitor=monitor,
        )
        if found.lengths.nnz == 2 * len(found.bridges):
            raise DataError("no two instances are neighbors", hint="Choose a larger radius."
                            if self.choice == "radius" else "Choose more neighbors.")
        return found


def chosen_edges(
    X: NDArray, neighbors: Neighbors, choice: GraphChoice, radius: float | None = None, *,
    monitor: Monitor | None = None,
) -> Edges:
    """The edges of a choice.

    Parameters
    ----------
    X : (N, D). neighbors : their k lists, with the distances they were made by, where these were
        given.
    choice : "knn": either row lists the other; "mutual": both do; "radius": all pairs within the
        radius, of a row its 256 nearest; "full": all pairs.
    radius : units of X; None: the median distance to neighbor k.

    Raises TooLarge for all pairs of more than 6000 rows.
    """
    if choice == "full":
        check_full(len(X))
    if choice != "radius":
        return Edges(choice, neighbors)
    reach = radius or float(np.median(neighbors.dist[:, -1]))
    lists = within_radius(X, reach, distances=neighbors.distances, monitor=monitor)
    return Edges(choice, replace(lists, distances=neighbors.distances), reach)


def check_full(n: int) -> None:
    """Raise TooLarge where all pairs of n instances do not fit."""
    if n > FULL_LIMIT:
        raise TooLarge(
            f"a graph of all pairs of {n} instances takes {_BYTES * n * n / 2**30:.1f} GB",
            hint=f"Choose k nearest neighbors or a radius, or at most {FULL_LIMIT} instances.",
        )


def full_note(n: int) -> str:
    """What all pairs of n instances cost, in a sentence."""
    size = _BYTES * n * n / 2**20
    return (f"All {how_many(n * (n - 1) // 2, 'pair')} are edges, which takes about "
            f"{max(size, 1):.0f} MB.")


def full_graph(X: NDArray, neighbors: Neighbors, *, monitor: Monitor | None = None) -> Graph:
    """All pairs of rows. X : (N, D). neighbors : whose given distances count, where they have any.
    O(N² D), 12 N² bytes."""
    n = len(X)
    data, indices = np.empty((n, n - 1)), np.empty((n, n - 1), np.int32)
    others = np.arange(n - 1, dtype=np.int32)
    given = neighbors.distances
    for part in slices(n, max(1, _VALUES // n), monitor, "All pairs"):
        rows = np.arange(part.start, min(part.stop, n))
        columns = others + (others >= rows[:, None])
        lengths = cdist(X[rows], X) if given is None else given.block(rows)
        data[rows], indices[rows] = np.take_along_axis(lengths, columns, axis=1), columns
    starts = np.arange(0, n * (n - 1) + 1, n - 1, dtype=np.int32 if n < 46_000 else np.int64)
    return Graph(csr_array((data.ravel(), indices.ravel(), starts), shape=(n, n)),
                 np.zeros(n, np.int32), np.empty((0, 2), np.int64))
