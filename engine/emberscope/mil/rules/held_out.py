"""Scores by rules that have not seen the bag they judge: folds of bags, and a fit for each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import connected_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Shared
from emberscope.mil.rules.rule import Rule
from emberscope.neighbors.threads import each, thread_pool

_FOLDS = 5


def connected_fold(bags: Bags, n: int, *, seed: int = 0) -> NDArray[np.int64]:
    """(n,) fold of every instance: up to five, bags that share an instance or a group together,
    both labels in the rest of each. All 0 where there are not two groups of either label: nothing
    can be held back."""
    label = bags.instance_labels(n)
    group = connected_groups(bags, n)
    folds = min(_FOLDS, *(len(np.unique(group[label == side])) for side in (-1, 1)))
    if folds <= 1:
        return np.zeros(n, np.int64)
    return grouped_folds(group, label, n_folds=folds, seed=seed)


def held_out(
    asked: Sequence[tuple[str, Rule, Bags]], X: NDArray, fold: NDArray, watch: Monitor, *,
    most: int | None = None, seed: int = 0, used: NDArray | None = None,
) -> NDArray[np.float64]:
    """Scores (A, N) by A rules, each with its name and its bags, that learned from the other folds.

    Where there is one fold, they learned from all. All fits at once, a thread each. most :
    instances that a rule learns from at a time, in whole bags drawn at random; None: all. used :
    (A, D) zeros, to which the share that each feature had in a rule is added, the mean of its fits
    (`Rule`).
    """
    numbers = np.unique(fold)
    fits = [(i, number) for i in range(len(asked)) for number in numbers]
    shared, score = Shared(watch, len(fits)), np.empty((len(asked), len(X)))
    # an array per fit: threads add to none at the same time
    shares = np.zeros((len(fits), X.shape[1]))

    def fit(at: int) -> None:
        i, number = fits[at]
        (name, rule, bags), part = asked[i], shared.part(at)
        part.step(0.0, f"Rule {name}")
        rows = np.flatnonzero(fold == number)
        others = np.flatnonzero(fold != number) if len(numbers) > 1 else rows
        own = shares[at] if used is not None else None
        score[i, rows] = rule(*_learned_from(X, bags, others, most, seed), X[rows], monitor=part,
                              used=own)
        part.step(1.0, f"Rule {name}")

    _import_packages()
    with thread_pool() as pool:
        each(pool, fit, ((at,) for at in range(len(fits))), lambda: None)
    if used is not None:
        used += np.reshape(shares, (len(asked), len(numbers), -1)).mean(axis=1)
    return score


def _import_packages() -> None:
    """Import what rules use before threads do: two that import one package at a time see halves of
    it."""
    import sklearn.cluster
    import sklearn.kernel_approximation
    import sklearn.linear_model
    import sklearn.tree  # noqa: F401


def _learned_from(
    X: NDArray, bags: Bags, rows: NDArray, most: int | None, seed: int
) -> tuple[NDArray, Bags]:
    """These rows of X and the bags over them; above `most` rows those of some bags."""
    own = bags.among(rows, len(X))
    if most is None or len(rows) <= most:
        return X[rows], own
    some = some_bags(own, most, seed=seed)
    kept = np.unique(some.members)
    return X[rows[kept]], some.among(kept, len(rows))


def some_bags(bags: Bags, most: int, *, seed: int = 0) -> Bags:
    """Bags drawn at random until they hold `most` instances, shared between both labels as those of
    all bags are; one bag of each label at least, none without a label."""
    rng, held, picked = np.random.default_rng(seed), bags.sizes[bags.labels != 0].sum(), []
    for side in (-1, 1):
        own = rng.permutation(np.flatnonzero(bags.labels == side))
        size = np.cumsum(bags.sizes[own])
        if len(own):
            picked.append(own[: int(np.searchsorted(size, most * size[-1] / max(held, 1))) + 1])
    return bags.take(np.sort(np.concatenate([np.empty(0, np.int64), *picked])))
