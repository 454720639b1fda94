"""Folds for cross-validation that keep together what belongs together (chips of one bag or source
never split)."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError

# in place of a fold: not labeled; in no fold that judges, always learned from
NO_PART, LEARNED = -1, -2


def grouped_folds(
    groups: ArrayLike, labels: ArrayLike | None = None, *, n_folds: int = 5, seed: int = 0
) -> NDArray[np.int64]:
    """Fold number of every row, so that no group is in two folds and the folds have about the same
    class shares.

    Parameters
    ----------
    groups : (N,) any integers or strings. Rows with the same value stay together.
    labels : (N,) integers, optional. Classes to balance; without them the sizes are balanced.
    n_folds : int >= 2, at most the number of groups (DataError otherwise). seed : int. Order of
        equally large groups.

    Returns
    -------
    fold : (N,) int64 in 0 .. n_folds - 1; no fold is empty.

    Notes
    -----
    Greedy: groups from large to small, each to the fold where it leaves the spread of class shares
    over folds smallest, the smaller fold on a tie. O(G n_folds classes).
    """
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    counts = _class_counts(group, np.zeros(len(group)) if labels is None else np.asarray(labels))
    n_groups = len(counts)
    if n_folds < 2:
        raise DataError(f"{n_folds} folds", hint="Use 2 folds or more.")
    if n_groups < n_folds:
        raise DataError(
            f"{n_folds} folds need {n_folds} groups, there are {n_groups}",
            hint=f"Use {n_groups} folds or shorter blocks." if n_groups > 1
            else "Label more frames.",
        )
    fold_of_group = _deal(counts, n_folds, np.random.default_rng(seed))
    return fold_of_group[group]


def _class_counts(group: NDArray, labels: NDArray) -> NDArray[np.float64]:
    """(G, C) rows of each class in each group."""
    classes, column = np.unique(labels, return_inverse=True)
    flat = np.bincount(group * len(classes) + column,
                       minlength=(group.max(initial=-1) + 1) * len(classes))
    return flat.reshape(-1, max(len(classes), 1)).astype(np.float64)


def _deal(counts: NDArray[np.float64], n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    shares = counts / counts.sum(axis=0)
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    total = np.zeros((n_folds, counts.shape[1]))
    size = np.zeros(n_folds)
    out = np.zeros(len(counts), np.int64)
    for place, g in enumerate(order):
        # sum of squares after adding to fold f, less the same constant for all f: 2 total_f . share
        cost = total @ shares[g]
        open_folds = (np.flatnonzero(size == 0) if len(order) - place <= (size == 0).sum()
                      else np.arange(n_folds))
        out[g] = open_folds[np.lexsort((size[open_folds], np.round(cost[open_folds], 12)))[0]]
        total[out[g]] += shares[g]
        size[out[g]] += counts[g].sum()
    return out


def frame_blocks(source: ArrayLike, frame: ArrayLike, *, block: int = 1) -> NDArray[np.int64]:
    """Group number of every row: `block` consecutive frames of one source are a group.

    Chips of one frame and of its neighbors look alike; a classifier tested on the neighbors of what
    it learned from looks better than it is. `source` and `frame` : (N,) numbers; returns (N,).
    Raises DataError for a block below 1.
    """
    if block < 1:
        raise DataError(f"blocks of {block} frames", hint="Use 1 frame or more.")
    keys = np.stack([np.asarray(source, np.int64), np.asarray(frame, np.int64) // block], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def joined(i: NDArray, j: NDArray, n: int) -> NDArray[np.int64]:
    """(n,) number of the group of each of n things, of which i[p] and j[p] (P,) belong together,
    directly or by way of others. O(P + n)."""
    from scipy.sparse import coo_array  # here, because the desktop process imports this room
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(i), bool), (i, j)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def connected_groups(bags: Bags, n: int, *, also: ArrayLike | None = None) -> NDArray[np.int64]:
    """Group number of each of n instances: rows that share a bag are in one group, directly or
    through others.

    also : (n,) a second grouping (e.g. `frame_blocks`); rows with the same value are joined as
    well, and so are rows of bags of one group (`Bags.groups`). Rows in no bag and without `also`
    are groups of their own. Connected parts of the graph of rows and bags, O(n + M).
    """
    alike = (np.arange(len(bags)) if bags.groups is None
             else np.unique(bags.groups, return_inverse=True)[1].reshape(-1))
    rows, hubs = [bags.members], [n + alike[bags.bag_of_member]]
    if also is not None:
        _, value = np.unique(np.asarray(also), return_inverse=True)
        rows.append(np.arange(n))
        hubs.append(n + len(bags) + value.reshape(-1))
    row, hub = np.concatenate(rows), np.concatenate(hubs)
    size = max(n + len(bags), int(hub.max(initial=0)) + 1)
    part = joined(row, hub, size)[:n]
    return np.unique(part, return_inverse=True)[1].reshape(-1).astype(np.int64)


def bag_groups(bags: Bags, n: int, *, also: ArrayLike | None = None) -> NDArray[np.int64]:
    """(K,) group number of every bag, see `connected_groups`; an empty bag is a group of its own.
    Numbered in the order of bags, so that the order of rows decides no draw of folds."""
    groups = connected_groups(bags, n, also=also)
    out = groups.max(initial=-1) + 1 + np.arange(len(bags))
    full = bags.sizes > 0
    out[full] = groups[bags.members[bags.indptr[:-1][full]]]
    _, first, group = np.unique(out, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[group.reshape(-1)].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Sides:
    """What lies on either side of each of F folds, counted in units such as clips.

    held, learned : (F,) int64, how many units have something that the fold holds out, and something
    that is learned from meanwhile. shared : per fold the units that have both. alone : (U,) those
    that lie wholly in one fold.
    """

    held: NDArray[np.int64]
    learned: NDArray[np.int64]
    shared: list[NDArray[np.int64]]
    alone: NDArray[np.int64]


def sides_of(fold: ArrayLike, unit: ArrayLike) -> Sides:
    """The sides of all folds, in ascending order of their numbers.

    fold : (N,) int, -1 for what takes no part and -2 for what is only learned from. unit : (N,)
    int64, what each lies in. O(N log N).
    """
    fold, unit = np.asarray(fold, np.int64), np.asarray(unit, np.int64)
    part = fold != NO_PART
    pairs = np.unique(np.stack([fold[part], unit[part]], axis=1), axis=0)
    units, which, folds_of = np.unique(pairs[:, 1], return_inverse=True, return_counts=True)
    alone = folds_of[which.reshape(-1)] == 1
    numbers = np.unique(pairs[pairs[:, 0] >= 0, 0])
    edges = np.searchsorted(pairs[:, 0], [*numbers, numbers[-1] + 1] if len(numbers) else [0])
    own = [slice(low, high) for low, high in pairwise(edges.tolist())]
    only = np.array([alone[rows].sum() for rows in own], np.int64)
    return Sides(
        np.diff(edges), len(units) - only, [pairs[rows, 1][~alone[rows]] for rows in own],
        pairs[alone & (pairs[:, 0] >= 0), 1],
    )
