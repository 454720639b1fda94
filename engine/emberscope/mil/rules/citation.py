"""The rule of citation: which bags the neighbors of an instance come from."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import nearest

_BLOCK = 1 << 20  # distances at a time


def citation(
    X: NDArray, bags: Bags, Q: NDArray | None = None, *, monitor: Monitor | None = None,
    used: NDArray | None = None
) -> NDArray[np.float64]:
    """Share of references and citers from positive bags, of 5 each: ranks like -N-/N+ (Kim and Choi
    2010).

    used : (D,), see `Rule`.
    """
    if Q is None:
        minus, plus = citation_counts(X, bags, n_references=5, n_citers=5, monitor=monitor)
    else:
        minus, plus = new_citation_counts(X, bags, Q, n_references=5, n_citers=5, monitor=monitor)
    return np.divide(plus, plus + minus, out=np.zeros(len(plus)), where=plus + minus > 0)


def citation_counts(
    X: NDArray, bags: Bags, *, n_references: int, n_citers: int, monitor: Monitor | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """N- and N+ of every instance, each (N,). Raises DataError for a single instance."""
    if len(X) < 2:
        raise DataError("citation refinement of a single instance",
                        hint="Give at least 2 instances.")
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
    """N- and N+ of new instances Q (M, D), each (M,): a row of X cites one that is nearer than its
    n-th neighbor in X.

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
