"""Shortest paths on neighborhood graphs, and the landmarks to start them from."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, reverse_cuthill_mckee

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, monitored

_BATCH = 16


def geodesics(lengths: csr_array, *, sources: NDArray | None = None, monitor: Monitor | None = None) -> NDArray:
    """Shortest-path lengths on a symmetric neighborhood graph.

    Parameters
    ----------
    lengths : csr_array, (N, N), symmetric. Edge lengths >= 0 in units of X; absent = no edge.
    sources : (S,) int, optional. Rows to start from; default all.

    Returns
    -------
    D : (S, N) float64, same units, not squared; inf between components.

    Notes
    -----
    Tenenbaum et al. 2000, step 2; spec 02 section 1.2. Dijkstra after reverse Cuthill-McKee reordering,
    16 sources at a time so that it can be cancelled. O(S (E + N log N)).
    """
    if lengths.nnz and lengths.data.min() < 0:
        raise DataError("an edge of the graph has negative length")
    n = lengths.shape[0]
    wanted = np.arange(n) if sources is None else np.asarray(sources)
    watch = monitored(monitor)
    order = reverse_cuthill_mckee(lengths, symmetric_mode=True)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    reordered = csr_array(lengths[order][:, order])
    D = np.empty((len(wanted), n))
    for start in range(0, len(wanted), _BATCH):
        watch.step(start / len(wanted), "Shortest paths")
        part = slice(start, start + _BATCH)
        D[part] = dijkstra(reordered, directed=True, indices=place[wanted[part]])[:, place]
    return D


def landmarks(X: NDArray, n: int, *, seed: int = 0, monitor: Monitor | None = None) -> NDArray[np.int64]:
    """Rows to keep as references: half farthest-point, half random.

    Pure farthest-point selection picks outliers (spec 02 section 1.5). Ascending, distinct. O(n N D).
    """
    rng = np.random.default_rng(seed)
    watch = monitored(monitor)
    chosen = [int(rng.integers(len(X)))]
    X = np.asarray(X, np.float64)
    distance = np.full(len(X), np.inf)
    for step in range(max(1, n // 2) - 1):
        if step % 16 == 0:
            watch.step(step / n, "Landmarks")
        distance = np.minimum(distance, np.square(X - X[chosen[-1]]).sum(axis=1))
        chosen.append(int(distance.argmax()))
    rest = np.setdiff1d(np.arange(len(X)), chosen)
    more = rng.choice(rest, min(n - len(set(chosen)), len(rest)), replace=False)
    return np.sort(np.union1d(chosen, more)).astype(np.int64)
