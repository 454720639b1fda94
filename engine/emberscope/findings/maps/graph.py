"""The graph of nearest neighbors that a run keeps: by how many, or by how far."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emberscope.project.model.project import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def neighbors_of(run: Run | None) -> NDArray | None:
    """(N, k) rows of the nearest instances in the features, as the run keeps them; None where it
    has none."""
    found = run.diagnostics.get("neighbors") if run is not None else None
    return found if found is not None and run is not None and len(found) == len(run.ids) else None


def edges_of(neighbors: NDArray, k: int) -> NDArray[np.int64]:
    """(E, 2) pairs of rows of which one is among the k nearest of the other, each once, the lower
    first. neighbors : (N, K) rows of the nearest."""
    near = np.asarray(neighbors[:, :k], np.int64)
    own = np.repeat(np.arange(len(near)), near.shape[1])
    return _once(np.column_stack([own, near.ravel()]))


def edges_within(
    neighbors: NDArray, distances: NDArray, radius: float
) -> NDArray[np.int64]:
    """(E, 2) pairs of rows no farther apart than a radius, among the nearest that are known, as of
    `edges_of`. distances : (N, K), of the neighbors."""
    near = np.asarray(neighbors, np.int64)
    own, column = np.nonzero(np.asarray(distances) <= radius)
    return _once(np.column_stack([own, near[own, column]]))


def parts_of(edges: NDArray, n: int) -> tuple[int, int]:
    """How many parts that are not joined a graph of n points has, and how many points the largest.
    """
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(_matrix(edges, n), directed=False)
    return int(count), int(np.bincount(part).max(initial=0))


def way_between(edges: NDArray, n: int, start: int, end: int) -> NDArray[np.int64]:
    """Rows on the way of fewest steps, both ends among them; empty where there is none."""
    from scipy.sparse.csgraph import breadth_first_order

    _, before = breadth_first_order(_matrix(edges, n), start, directed=False)
    way = [end]
    while way[-1] != start:
        if before[way[-1]] < 0:
            return np.empty(0, np.int64)
        way.append(int(before[way[-1]]))
    return np.array(way[::-1], np.int64)


def _once(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    pairs = np.sort(pairs, axis=1)
    pairs = pairs[(pairs[:, 0] >= 0) & (pairs[:, 0] != pairs[:, 1])]
    return np.unique(pairs, axis=0).reshape(-1, 2)


def _matrix(edges: NDArray, n: int) -> "csr_array":
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(n, n))
