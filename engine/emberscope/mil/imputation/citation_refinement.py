"""Citation refinement: which instances of positive bags are targets,
by what their neighbors come from."""


import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import nearest

_BLOCK = 1 << 20  # distances at a time


def citation_refinement(
    X: NDArray,
    bags: Bags,
    *,
    n_references: int = 5,
    n_citers: int = 5,
    tau: float = 0.1,
    y: NDArray | None = None,
    monitor: Monitor | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Instance labels from the bags of neighbors (Kim and Choi 2010, step 1).

    References of n are its nearest instances, citers are those that have n among their nearest.
    With N-, N+ of them from negative and positive bags, counted with multiplicity, n of a positive
    bag is negative where N-/N+ >= tau. A positive bag left without a positive gets back its
    instance of the lowest ratio (ties: of the larger N+).

    Parameters
    ----------
    X : (N, D) float. n_references, n_citers : at most N - 1 take part.
        tau : ratio from which on n is negative.
    y : (N,) known instance labels, optional; they stay unless a negative bag contradicts them.

    Returns
    -------
    labels : (N,) int8; 0 for instances in no labeled bag. ratio : (N,), N-/N+; inf where N+ = 0.

    Notes
    -----
    O(N² D) for the neighbors, O(N (R + C)) for the counts.
    Instances of unlabeled bags count for neither side.
    """
    minus, plus = citation_counts(X, bags, n_references=n_references, n_citers=n_citers,
                                  monitor=monitor)
    ratio = np.full(len(X), np.inf)
    np.divide(minus, plus, out=ratio, where=plus > 0)
    known = known_labels(y, bags, len(X))
    labels = np.where((known.bag_label > 0) & (ratio >= tau), -1, known.bag_label)
    return restore_witnesses(labels, -ratio, bags, known.fixed, second=plus), ratio


def citation_counts(
    X: NDArray, bags: Bags, *, n_references: int, n_citers: int, monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """N- and N+ of every instance, each (N,). Raises DataError for a single instance."""
    if len(X) < 2:
        raise DataError("citation refinement of a single instance", hint="Give at least 2 "
                                                                         "instances.")
    label = bags.instance_labels(len(X))
    found = knn(np.ascontiguousarray(X), min(max(n_references, n_citers), len(X) - 1),
                monitor=monitor).idx
    counts = []
    for side in (label < 0, label > 0):
        cited = np.bincount(
            found[:, :n_citers].ravel(), weights=np.repeat(side, min(n_citers, found.shape[1])),
            minlength=len(X)
        )
        counts.append(side[found[:, :n_references]].sum(axis=1) + cited)
    return counts[0], counts[1]


def new_citation_counts(
    X: NDArray, bags: Bags, Q: NDArray, *, n_references: int, n_citers: int,
    monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """N- and N+ of new instances Q (M, D), each (M,):
    a row of X cites one that is nearer than its n-th neighbor in X.

    O(M N D), a block of new instances at a time.
    """
    from scipy.spatial.distance import cdist

    label, watch = bags.instance_labels(len(X)), monitored(monitor)
    X, Q = np.ascontiguousarray(X), np.ascontiguousarray(Q)
    reach = knn(X, min(n_citers, len(X) - 1), monitor=Portion(watch, 0.0, 0.5)).dist[:, -1]
    references = nearest(X, Q, min(n_references, len(X)), monitor=Portion(watch, 0.5, 0.7)).idx
    minus, plus = ((label[references] == side).sum(axis=1).astype(np.float64) for side in (-1, 1))
    for part in slices(len(Q), _BLOCK // len(X), Portion(watch, 0.7, 1.0),
                       "Who cites new instances"):
        cites = (cdist(Q[part], X) <= reach).astype(np.float64)
        minus[part] += cites @ (label < 0)
        plus[part] += cites @ (label > 0)
    return minus, plus
