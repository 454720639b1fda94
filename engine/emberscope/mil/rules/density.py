"""The rule of density: what is rare in the background may be a target."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, monitored
from emberscope.mil.density import median_squared_distance, negative_log_density, without_own
from emberscope.mil.scaling import z_score


def density(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Score an instance by how rare it is among those of negative bags: minus the log of their
    kernel density.

    An instance of a negative bag is not counted for itself: all of them would look common beside
    new ones. The width is the one, of seven, whose rarest instances of positive bags have a mean
    farthest from the background.
    used : (D,), see `Rule`. Raises MissingLabels without bags of both kinds.
    """
    mean, scale = z_score(X)
    A = (X - mean) / scale
    label = bags.instance_labels(len(X))
    background, candidates = A[label < 0], np.flatnonzero(label > 0)
    if not len(background) or not len(candidates):
        raise MissingLabels("density needs positive and negative bags",
                            hint="Label at least one bag of each kind.")
    unit = median_squared_distance(A)
    values = negative_log_density(A, background, unit, monitor=monitored(monitor))
    values[:, label < 0] = without_own(values[:, label < 0], background, unit)
    reach = [_reach(A, -row, bags, label, background.mean(axis=0)) for row in values]
    best = int(np.argmax(np.round(reach, 9)))
    return -(values if Q is None
             else negative_log_density((Q - mean) / scale, background, unit))[best]


def _reach(A: NDArray, score: NDArray, bags: Bags, label: NDArray, center: NDArray) -> float:
    """Distance from the background to the mean of the best-scored instance of every positive
    bag."""
    targets = bags.take(np.flatnonzero(bags.labels > 0))
    best = bag_argmax(np.where(label > 0, score, -np.inf), targets)
    # an empty bag, or one of nothing but background, has none
    best = best[(best >= 0) & (label[best] > 0)]
    return float(np.linalg.norm(A[best].mean(axis=0) - center))
