"""Trees that vote: how each is grown on bags that it draws, and how a forest scores."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor

DRAWN = 10_000  # instances a tree sees at most


class Trees(NamedTuple):
    """Nodes of all trees one after another; left = -1 at a leaf,
    where value is the share of targets."""

    roots: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]


def grown_forest(
    X: NDArray[np.float32], bags: Bags, min_leaf: int, seeds: list[list[int]],
    targets: Callable[[np.random.Generator], NDArray[np.bool_]], watch: Monitor, message: str,
) -> tuple[NDArray[np.float64], Trees]:
    """The share of targets (N,) that trees say of each instance which drew none of its bags, all of
    them where none is such; and the forest.

    X : (N, D). seeds : of the generator of each tree. targets : draws the labels (N,) of a tree.
    """
    grown, votes, voters = [], np.zeros(len(X)), np.zeros(len(X))
    for t, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        target = targets(rng)
        count = drawn_bags(bags, len(X), rng)
        tree = grown_tree(X, target, thinned_draws(count, target, rng), min_leaf,
                          int(rng.integers(2**31)))
        unseen = np.flatnonzero(count == 0)
        votes[unseen] += mean_value(X[unseen], tree)
        voters[unseen] += 1
        grown.append(tree)
        watch.step((t + 1) / len(seeds), message)
    forest, always = joined(grown), voters == 0
    votes[always] = mean_value(X[always], forest)
    return np.asarray(votes / np.maximum(voters, 1), np.float64), forest


def drawn_bags(bags: Bags, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Count how often each instance is drawn, (n,): as many bags of either label as there are,
    with replacement."""
    times = np.zeros(len(bags), np.int64)
    for label in (-1, 1):
        same = np.flatnonzero(bags.labels == label)
        times += np.bincount(rng.choice(same, len(same)), minlength=len(bags))
    count = np.zeros(n, np.int64)
    np.add.at(count, bags.members, np.repeat(times, bags.sizes))
    return count


def thinned_draws(
    count: NDArray[np.int64], target: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The draws of 10^4 instances at most, half of either label; count, target : (N,)."""
    out = np.zeros_like(count)
    for side in (target, ~target):
        rows = np.flatnonzero(side & (count > 0))
        if len(rows) > DRAWN // 2:
            rows = rng.choice(rows, DRAWN // 2, replace=False)
        out[rows] = count[rows]
    return out


def grown_tree(
    X: NDArray, target: NDArray[np.bool_], count: NDArray, min_leaf: int, seed: int
) -> Trees:
    """One tree on the rows counted, both classes of equal weight, sqrt(D) features tried per node.
    count, target : (N,)."""
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    rows = np.flatnonzero(count)
    y = target[rows]
    weight = count[rows] / np.where(y, max(count[target].sum(), 1), max(count[~target].sum(), 1))
    model = DecisionTreeClassifier(max_features="sqrt", min_samples_leaf=min_leaf,
                                   random_state=seed)
    # most of the time of small trees
    with config_context(assume_finite=True, skip_parameter_validation=True):
        tree = model.fit(X[rows], y, sample_weight=weight * len(rows)).tree_
    shares = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
    value = shares[:, list(model.classes_).index(True)] if model.classes_.any() else np.zeros(
        len(shares)
    )
    return Trees(
        np.zeros(1, np.int64), tree.children_left.astype(np.int64),
        tree.children_right.astype(np.int64),
        tree.feature.astype(np.int64), tree.threshold.astype(np.float64), value,
    )


def joined(trees: list[Trees]) -> Trees:
    """One forest of many."""
    start = np.concatenate(
        [[0], np.cumsum([len(tree.left) for tree in trees])[:-1]]
    ).astype(np.int64)
    moved = [
        tree._replace(
            roots=tree.roots + at,
            left=np.where(tree.left < 0, -1, tree.left + at),
            right=np.where(tree.right < 0, -1, tree.right + at),
        )
        for tree, at in zip(trees, start, strict=True)
    ]
    return Trees(*(np.concatenate(part) for part in zip(*moved, strict=True)))


def mean_value(X: NDArray[np.float32], forest: Trees) -> NDArray[np.float64]:
    """(N,) mean over the trees of the share of targets in the leaf of an instance."""
    out = np.zeros(len(X))
    _add_values(X, *forest, out)
    return out / len(forest.roots)


@njit(cache=True, nogil=True)
def _add_values(
    X: NDArray, roots: NDArray, left: NDArray, right: NDArray, feature: NDArray, threshold: NDArray,
    value: NDArray, out: NDArray,
) -> None:
    for i in range(X.shape[0]):
        for node in roots:
            while left[node] >= 0:
                node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
            out[i] += value[node]
