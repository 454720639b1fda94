"""The rule of clusters: where positive bags outnumber negative ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, monitored
from emberscope.mil.scaling import z_score

_CLUSTERS = 100
_ITERATIONS = 300  # of k-means
_ITERATIONS_AT_ONCE = 10  # between two looks at the monitor


def clustering(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Log odds of positive against negative bags in the instance's cluster, one instance of each
    added; k-means.

    used : (D,), see `Rule`.
    """
    mean, scale = z_score(X)
    A = (X - mean) / scale
    n_clusters = int(np.clip(round(np.sqrt(len(np.unique(A, axis=0)))), 1, _CLUSTERS))
    found = _clusters(A, n_clusters, monitored(monitor))
    label = bags.instance_labels(len(X))
    plus, minus = (np.bincount(found.labels_[label == side], minlength=n_clusters) + 1.0
                   for side in (1, -1))
    return np.log(plus / minus)[found.labels_ if Q is None else found.predict((Q - mean) / scale)]


def _clusters(A: NDArray, n_clusters: int, watch: Monitor) -> Any:
    """Fitted k-means of A (N, D), 300 iterations at most; the monitor is asked after every ten."""
    from sklearn.cluster import KMeans, kmeans_plusplus

    centers, _ = kmeans_plusplus(A, n_clusters, random_state=0)
    for done in range(0, _ITERATIONS, _ITERATIONS_AT_ONCE):
        watch.step(done / _ITERATIONS, "Rule clustering")
        found = KMeans(n_clusters, init=centers, n_init=1, max_iter=_ITERATIONS_AT_ONCE,
                       random_state=0).fit(A)
        if found.n_iter_ < _ITERATIONS_AT_ONCE:
            break
        centers = found.cluster_centers_
    return found
