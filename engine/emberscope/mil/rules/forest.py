"""Randomized trees, as rules and what is learned from rules grow them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor
from emberscope.mil.rules.grown import Grown

_TREES = 100


def forest_shares(
    X: NDArray, y: NDArray, weight: NDArray, Q: NDArray, watch: Monitor, *,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """(M, C) share of extremely randomized trees for each value of y (n,), ascending, for rows of Q
    (M, D).

    used : (D,), to which the mean share of each feature in the impurity that the trees take away is
    added.

    The trees that scikit-learn's forest grows, one after the other. That forest resets the filters
    of warnings, which belong to the whole process, while several of them grow in threads here. O(T
    n log n sqrt(D)).
    """
    from sklearn.tree import ExtraTreeClassifier

    X, Q = (np.ascontiguousarray(rows, np.float32) for rows in (X, Q))
    share = np.zeros((len(Q), len(np.unique(y))))
    for grown, seed in enumerate(np.random.RandomState(0).randint(np.iinfo(np.int32).max,
                                                                  size=_TREES)):
        watch.step(grown / _TREES, "Randomized trees")
        tree = ExtraTreeClassifier(min_samples_leaf=2, random_state=int(seed))
        tree.fit(X, y, sample_weight=weight, check_input=False)
        share += tree.predict_proba(Q, check_input=False)
        if used is not None:
            used += tree.feature_importances_ / _TREES
    return share / _TREES


def learned_score(X: NDArray, score: NDArray, Q: NDArray) -> NDArray[np.float64]:
    """Scores of new instances Q (M, D) from those of X (N, D), one or several each, by randomized
    trees; always the same. O(N log N)."""
    return learn_score(X, score)(Q)


def learn_score(
    X: NDArray, score: NDArray, weight: NDArray | None = None
) -> Callable[[NDArray], NDArray[np.float64]]:
    """The rule of `learned_score`, grown once for any number of new instances: Q (M, D) to scores
    (M,), or (M, C) where `score` is (N, C) of several. weight : (N,), how much each row counts."""
    from sklearn.ensemble import ExtraTreesRegressor

    trees = ExtraTreesRegressor(_TREES, min_samples_leaf=2, max_features="sqrt", random_state=0)
    one = score[:, 0] if score.ndim == 2 and score.shape[1] == 1 else score
    return Grown(trees.fit(X, one, sample_weight=weight))
