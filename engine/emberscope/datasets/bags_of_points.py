"""Bags of labeled points: random ones, and cells of the feature space."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError


def random_bags(
    y: ArrayLike, *, max_size: int = 40, witness_rate: float = 0.75, seed: int = 0
) -> Bags:
    """A random partition into bags of 1 to `max_size` instances, sizes uniform; positive where one
    instance is.

    Parameters
    ----------
    y : (N,) labels, targets > 0. witness_rate : share of targets among the instances that targets
        are mixed with; all other background instances make bags of their own. A small bag of the
        mixture can be without a target by chance: it is negative. 0.75 gives 1/6 wrong bag labels
        on classes of equal size.

    Notes
    -----
    Raises DataError where there is too little background for that witness rate.
    """
    y = np.asarray(y) > 0
    rng = np.random.default_rng(seed)
    target, background = rng.permutation(np.flatnonzero(y)), rng.permutation(np.flatnonzero(~y))
    mixed = round(len(target) * (1 / witness_rate - 1)) if witness_rate > 0 else len(y)
    if mixed > len(background):
        raise DataError(
            f"a witness rate of {witness_rate:g} wants {mixed} background instances, there are "
            f"{len(background)}",
            hint="Give more background, or a higher witness rate.",
        )
    bags = []
    for rows in (rng.permutation(np.concatenate([target, background[:mixed]])), background[mixed:]):
        while len(rows):
            size = rng.integers(1, max_size + 1)
            bags.append(rows[:size])
            rows = rows[size:]
    return Bags.from_lists(bags, np.array([1 if y[rows].any() else -1 for rows in bags]))


def cubic_bags(X: NDArray, y: ArrayLike, *, cell: tuple[float, ...] = (1.0, 1.0, 15.0)) -> Bags:
    """One bag per cell of a grid over the features, positive where one instance in it is.

    X : (N, D). y : (N,) labels, targets > 0. cell : D lengths of a cell, one corner at 0.
    Raises DataError unless there is a length per feature.
    """
    if len(cell) != X.shape[1]:
        raise DataError(f"cells of {len(cell)} lengths for {X.shape[1]} features",
                        hint="Give a length per feature.")
    at = np.floor(X / np.asarray(cell)).astype(np.int64)
    number = np.unique(at, axis=0, return_inverse=True)[1].reshape(-1)
    positive = np.bincount(number, weights=np.asarray(y) > 0) > 0
    return Bags.from_column(number, np.where(positive, 1, -1))
