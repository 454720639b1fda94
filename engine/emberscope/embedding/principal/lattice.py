"""Lattices of nodes: where they stand, who is joined to whom,
and the nearest node of every instance."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import slices
from emberscope.embedding.linear.pca import principal_axes

_CHUNK = 1 << 22  # distances at a time


@dataclass(frozen=True, slots=True)
class Lattice:
    """A rectangular grid of K nodes in d dimensions.

    shape : nodes per side. places : (K, d) float64, whole numbers.
        edges : (E, 2) neighbors along an axis.
    ribs : (R, 3) three nodes in a row. simplices : (T, d + 1) segments, or two triangles per cell.
    """

    shape: tuple[int, ...]
    places: NDArray
    edges: NDArray[np.int64]
    ribs: NDArray[np.int64]
    simplices: NDArray[np.int64]


def lattice(shape: tuple[int, ...]) -> Lattice:
    """The grid with these numbers of nodes per side."""
    number = np.arange(int(np.prod(shape))).reshape(shape)
    places = np.array(list(product(*(range(side) for side in shape))), np.float64)
    edges, ribs = [], []
    for axis in range(len(shape)):
        rows = np.moveaxis(number, axis, 0)
        edges.append(np.stack([rows[:-1].ravel(), rows[1:].ravel()], axis=1))
        if shape[axis] > 2:
            ribs.append(np.stack([rows[:-2].ravel(), rows[1:-1].ravel(), rows[2:].ravel()], axis=1))
    empty = np.empty((0, 3), np.int64)
    return Lattice(shape, places, np.concatenate(edges), np.concatenate([empty, *ribs]),
                   _simplices(number))


def _simplices(number: NDArray) -> NDArray[np.int64]:
    if number.ndim == 1:
        return np.stack([number[:-1], number[1:]], axis=1)
    if number.ndim > 2:
        return np.empty((0, number.ndim + 1), np.int64)
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[:-1, 1:].ravel(), number[1:, 1:].ravel()
    return np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])


def sides(X: NDArray, n_nodes: int, d: int) -> tuple[int, ...]:
    """Nodes per side, about `n_nodes` in all,
    in proportion to the principal standard deviations of X."""
    values, _ = principal_axes(X, X.mean(axis=0, dtype=np.float64), min(d, *X.shape))
    spread = np.ones(d)
    spread[: len(values)] = np.sqrt(np.maximum(values, 0))
    spread = np.maximum(spread, 0.1 * spread.max() if spread.max() > 0 else 1.0)
    unit = (n_nodes / np.prod(spread)) ** (1 / d)
    return tuple(int(side) for side in np.maximum(np.rint(unit * spread), 2))


def on_principal_plane(X: NDArray, grid: Lattice, *, reach: float = 2.0) -> NDArray[np.float64]:
    """(K, D) nodes spread over the principal plane of X,
    `reach` standard deviations to each side."""
    d = len(grid.shape)
    mean = X.mean(axis=0, dtype=np.float64)
    values, axes = principal_axes(X, mean, min(d, *X.shape))
    half = (np.array(grid.shape) - 1) / 2
    unit = (grid.places - half) / np.maximum(half, 0.5)
    scaled = axes * np.sqrt(np.maximum(values, 0)) * reach
    return mean + unit[:, : scaled.shape[1]] @ scaled.T


def nearest_nodes(X: NDArray, W: NDArray, k: int = 1) -> tuple[NDArray[np.int64], NDArray]:
    """The k nearest of K nodes for every row, nearest first, (N, k), and squared distances;
    ties to the lower number.

    Products in the precision of X about the mean of the nodes, in blocks; O(N K D).
    """
    center = W.mean(axis=0)
    nodes = (W - center).astype(X.dtype)
    norms = np.square(nodes).sum(axis=1)
    idx, dist = np.empty((len(X), k), np.int64), np.empty((len(X), k))
    for part in slices(len(X), _CHUNK // len(W)):
        chunk = (X[part] - center).astype(X.dtype)
        far = norms - 2 * (chunk @ nodes.T)
        if k == 1:
            found = far.argmin(axis=1)[:, None]
        else:
            near = np.sort(np.argpartition(far, k - 1, axis=1)[:, :k], axis=1)
            order = np.argsort(np.take_along_axis(far, near, axis=1), axis=1, kind="stable")
            found = np.take_along_axis(near, order, axis=1)
        idx[part] = found
        own = np.square(chunk).sum(axis=1)[:, None]
        dist[part] = np.maximum(np.take_along_axis(far, found, axis=1) + own, 0)
    return idx, dist


def sums_per_node(X: NDArray, node: NDArray, n_nodes: int) -> tuple[NDArray, NDArray]:
    """Instances per node (K,) and their feature sums (K, D), float64."""
    from scipy.sparse import csr_array

    members = csr_array((np.ones(len(X)), (node, np.arange(len(X)))), (n_nodes, len(X)))
    return np.bincount(node, minlength=n_nodes).astype(np.float64), members @ X
