"""Bags with one planted target each: the two synthetic sets of the MIDA paper."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags


def planted_bags(
    n_bags: int = 40, *, bag_size: int = 8, seed: int = 0
) -> tuple[NDArray, Bags, NDArray[np.bool_]]:
    """32-D instances, 2 dimensions that matter and 30 of noise with variance 9 (Chai et al. 2014,
    set 1).

    Half of the bags are positive: exactly one instance, at a random place, is drawn about (-4, 4);
    all others are drawn about (4, -4); covariance 2 I.

    Returns
    -------
    X : (n_bags bag_size, 32) float64. bags : positives first. truth : (N,) bool, the planted
        instances.
    """
    rng = np.random.default_rng(seed)
    n, n_positive = n_bags * bag_size, n_bags // 2
    truth = np.zeros(n, bool)
    truth[np.arange(n_positive) * bag_size + rng.integers(bag_size, size=n_positive)] = True
    centers = np.where(truth[:, None], (-4.0, 4.0), (4.0, -4.0))
    X = np.hstack([centers + np.sqrt(2) * rng.standard_normal((n, 2)),
                   3 * rng.standard_normal((n, 30))])
    labels = np.where(np.arange(n_bags) < n_positive, 1, -1)
    return X, Bags.from_column(np.repeat(np.arange(n_bags), bag_size), labels), truth


def planted_classes(
    n_bags: int = 60, *, bag_size: int = 8, seed: int = 0
) -> tuple[NDArray, Bags, NDArray[np.bool_]]:
    """Three classes of positive bags with a background in common, in 32-D (Chai et al. 2014, set
    2).

    A third of the bags each: exactly one instance, at a random place, is drawn about (-4, 4), (4,
    -4) or (8, 8) with covariance 2 I; all others about (-2, 15) with covariance 4 I, farther out
    than any target.

    Returns
    -------
    X : (n_bags bag_size, 32) float64. bags : all positive, of classes 1, 2, 3. truth : (N,) bool,
        planted instances.
    """
    rng = np.random.default_rng(seed)
    n = n_bags * bag_size
    kind = np.arange(n_bags) * 3 // n_bags
    truth = np.zeros(n, bool)
    truth[np.arange(n_bags) * bag_size + rng.integers(bag_size, size=n_bags)] = True
    centers = np.array([(-4.0, 4.0), (4.0, -4.0), (8.0, 8.0)])[np.repeat(kind, bag_size)]
    centers = np.where(truth[:, None], centers, (-2.0, 15.0))
    deviation = np.where(truth, np.sqrt(2), 2.0)[:, None]
    X = np.hstack([centers + deviation * rng.standard_normal((n, 2)),
                   3 * rng.standard_normal((n, 30))])
    members = np.arange(n).reshape(n_bags, bag_size)
    return X, Bags.from_lists(list(members), np.ones(n_bags), classes=kind + 1), truth
