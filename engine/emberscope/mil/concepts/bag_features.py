"""A bag as one vector: its distances to target concepts and to clusters of background."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max, bag_mean
from emberscope.mil.concepts.model import Concepts

KINDS = ("nearest", "full")


def bag_features(
    X: ArrayLike, bags: Bags, concepts: Concepts, background: Concepts, kind: str = "full"
) -> NDArray[np.float64]:
    """Logarithms log(1 + a) of squared distances a of the instances of each bag, (B, F);
    NaN for an empty bag.

    kind : "nearest", the K smallest to each concept. "full", these, the K means, the smallest and
    the largest to each of K- clusters of background, and the smallest of all to a concept: 2 K + 2
    K- + 1 numbers.

    Notes
    -----
    Karem 2019, section 4.4.4: each group answers one idea of what makes a bag positive - one
    instance (smallest), most of them (means), or what is unlike all background (largest).
    Logarithms are ours: a few far instances decide otherwise. O(M (K + K-) D).
    """
    X = np.ascontiguousarray(X, np.float64)
    a = np.log1p(concepts.distance2(X))
    nearest = -bag_max(-a, bags)
    if kind == "nearest":
        return nearest
    b = np.log1p(background.distance2(X))
    return np.hstack([nearest, bag_mean(a, bags), -bag_max(-b, bags), bag_max(b, bags),
                      nearest.min(axis=1)[:, None]])
