"""Graphs of neighbors with the same label and with different labels,
for labels that may be weak or unknown."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, issparse

from emberscope.base.monitor import Monitor, monitored
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.graph import Neighbors, neighborhood_graph

_PARTNERS = 8  # random ties of an instance in a sparse graph

Weights: TypeAlias = NDArray | csr_array  # (N, N), dense or sparse


def adaptive_graphs(
    X: NDArray,
    y: NDArray,
    beta: float,
    *,
    even: bool = False,
    unknown: Neighbors | None = None,
    weight: NDArray | None = None,
    distances: Distances | None = None,
    monitor: Monitor | None = None,
) -> tuple[NDArray, NDArray]:
    """Within and between graphs of all pairs more similar than the average of either one;
    dense (N, N).

    Neighbors of n are all m with s_nm > AS(n), AS(n) the mean similarity of n to the others.

    Parameters
    ----------
    even : between edges weigh their similarity and the self pair the mean of its row,
        instead of 1 and 1.
    unknown : neighbor lists; an unknown instance (label 0) is tied to those it lists,
        whatever their label.
    weight : (N,) in [0, 1], the probability that a label is known; default 1, and 0 for label 0.
        The graphs are the expected ones.
    distances : between the rows, in place of those of X.
    """
    watch = monitored(monitor)
    S = _similarities(X, beta, distances, watch)
    watch.step(0.5, "Neighbors more alike than average")
    mean = (S.sum(axis=1) - 1) / max(len(X) - 1, 1)
    near = mean[:, None] < S
    near |= near.T
    watch.step(0.6, "Within and between graphs")
    sure = _sureness(y, weight)
    same = y[:, None] == y[None, :]
    pair: NDArray = sure[:, None] * sure[None, :]
    watch.step(0.7, "Within and between graphs")
    between = np.where(near & ~same, pair, 0.0)
    watch.step(0.8, "Within and between graphs")
    if even:
        between *= S
    pair *= near & same
    watch.step(0.9, "Within and between graphs")
    if unknown is not None:
        pair += _unknown_ties(unknown, 1 - sure).toarray()
    np.fill_diagonal(pair, 1.0)
    S *= pair
    if even:
        np.fill_diagonal(S, _self_weights(S.sum(axis=1) - 1, pair.sum(axis=1) - 1))
    return S, between


def knn_graphs(
    X: NDArray,
    y: NDArray,
    neighbors: Neighbors,
    beta: float,
    *,
    even: bool = False,
    weight: NDArray | None = None,
) -> tuple[csr_array, csr_array]:
    """Within and between graphs of k-nearest-neighbor pairs (symmetrized by OR); sparse.
    See `adaptive_graphs`.

    A pair of which one is unknown is tied. `weight` : (N,) or None for 1 everywhere;
    both graphs are (N, N).
    """
    edges = neighborhood_graph(X, neighbors, components="keep").lengths.tocoo()
    i, j = edges.coords
    sure = _sureness(y, weight)
    push = np.where(y[i] != y[j], sure[i] * sure[j], 0.0)
    pull = 1 - push
    s = np.maximum(np.exp(-(edges.data**2) / beta), 1e-300)
    within, count = _sparse(s * pull, pull > 0, i, j, len(X)), np.bincount(i, pull, len(X))
    between = _sparse(s * push if even else push, push > 0, i, j, len(X))
    own = _self_weights(within.sum(axis=1), count) if even else np.ones(len(X))
    return csr_array(within + diags_array(own)), between


def coupled(within: Weights, coupling: float) -> Weights:
    """A within graph (N, N) in which everybody is tied to everybody,
    altogether by `coupling` times the mean degree.

    Without it an instance with few partners and many pushes carries an axis alone. Dense: coupling
    x mean degree / N added to every pair. Sparse: the same total to eight random others, an
    expander, whose spectrum is nearly that of all pairs; always the same ones.
    """
    n = within.shape[0]
    tie = coupling * float(within.sum()) / n
    if not issparse(within):
        within += tie / n
        return within
    rng = np.random.default_rng(0)
    i, j = np.tile(np.arange(n),
                   _PARTNERS), np.concatenate([rng.permutation(n) for _ in range(_PARTNERS)])
    half = csr_array((np.full(len(i), tie / (2 * _PARTNERS)), (i, j)), (n, n))
    return csr_array(within + half + half.T)


def _sureness(y: NDArray, weight: NDArray | None) -> NDArray[np.float64]:
    known = (y != 0).astype(np.float64)
    return known if weight is None else known * weight


def _sparse(values: NDArray, keep: NDArray, i: NDArray, j: NDArray, n: int) -> csr_array:
    return csr_array((values[keep], (i[keep], j[keep])), (n, n))


def _self_weights(total: NDArray, count: NDArray) -> NDArray[np.float64]:
    """Mean weight of each row's edges; 1 for a row without any."""
    return np.divide(total, count, out=np.ones(len(total)), where=(total > 0) & (count > 0))


def _similarities(X: NDArray, beta: float, distances: Distances | None, watch: Monitor) -> NDArray:
    """exp(-d² / beta), (N, N), exactly symmetric."""
    S = _all_squared(X, watch) if distances is None else distances.squared.astype(np.float64)
    S += S.T.copy()  # whatever the matrix product did
    watch.step(0.3, "Similarities")
    S *= -0.5 / beta
    np.exp(S, out=S)
    np.fill_diagonal(S, 1.0)
    return S


def _all_squared(X: NDArray, watch: Monitor) -> NDArray:
    X = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    norms = np.square(X).sum(axis=1)
    watch.step(0.0, "Similarities")
    S = X @ X.T
    watch.step(0.1, "Similarities")
    S *= -2
    S += norms[:, None]
    S += norms[None, :]
    np.maximum(S, 0, out=S)
    watch.step(0.2, "Similarities")
    return S


def _unknown_ties(neighbors: Neighbors, doubt: NDArray) -> csr_array:
    """Probability that of each pair one is unknown (with probability `doubt`) and lists the other;
    symmetric."""
    n, k = neighbors.idx.shape
    rows = np.flatnonzero(doubt > 0)
    entries = np.repeat(doubt[rows], k), (np.repeat(rows, k), neighbors.idx[rows].ravel())
    listed = csr_array(entries, (n, n))
    return csr_array(listed + listed.T - listed * listed.T)
