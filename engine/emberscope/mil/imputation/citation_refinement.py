"""Citation refinement: which instances of positive bags are targets,
by what their neighbors come from."""

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor
from emberscope.mil.imputation.constraint import known_labels, restore_witnesses
from emberscope.mil.rules.citation import citation_counts
from emberscope.mil.training_bags import ranks_of_values


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
    instance of the lowest ratio (ties: of the larger N+, then of the lower values).

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
    second = np.unique(plus, return_inverse=True)[1] * len(X) - ranks_of_values(X)
    return restore_witnesses(labels, -ratio, bags, known.fixed, second=second), ratio
