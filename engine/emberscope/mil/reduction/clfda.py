"""CLFDA: local Fisher discriminant analysis of instance labels that citation has refined."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.embedding.linear.lda import SHRINKAGE
from emberscope.embedding.linear.lfda import LFDA, NEIGHBORHOOD, WITHIN_CLASS
from emberscope.mil.imputation.citation_refinement import citation_refinement
from emberscope.mil.reduction.discriminants import DIMENSIONS
from emberscope.mil.reduction.linear import LinearReduction
from emberscope.mil.scaling import STANDARDIZE

_N_REFERENCES = param(
    5, low=1, high=2000, group="Labels", title="References R",
    help="Nearest instances of each instance that say from which bags it comes.",
)


class CLFDA(LinearReduction):
    """Decide which instances of positive bags are targets by their neighbors,
    then separate these locally.

    Attributes
    ----------
    components_ : (D, d) float64. mean_, scale_ : (D,). eigenvalues_ : (d,) ratios of local between
    to local within scatter, descending. shrinkage_ : float. labels_ : (N,) int8, the refined
    labels; 0 for instances of no labeled bag. ratio_ : (N,), N-/N+ of every instance, inf where
    N+ = 0. score_ : (N,) = 1 / (1 + ratio_), the share of votes from positive bags: orders as
    -ratio_ does, larger = more target-like.

    Notes
    -----
    Kim and Choi 2010. Step 1: an instance of a positive bag becomes negative where of its R
    references and its citers (who have it among their C nearest) N-/N+ >= tau; a positive bag left
    without a positive gets back its instance of the lowest ratio. Step 2: LFDA (see there, also for
    what differs from print: pairs are scaled by the 7th nearest of the own class, the within
    scatter is shrunk) of the refined labels, nothing else.

    Of instance labels `y` beside bags only y < 0 counts: such an instance is negative and votes so.
    Without bags every instance is a bag of its own, and step 1 changes nothing (nor is it
    computed): LFDA. Search of the shared graph O(N² D), approximate above 30 000 instances; then as
    LFDA: all pairs of a class up to 5000 labeled instances, neighbors above. A bag of any size.
    """

    n_components: int = DIMENSIONS
    n_references: int = _N_REFERENCES
    n_citers: int = replace(
        _N_REFERENCES, title="Citers C",
        help="An instance is also judged by those that have it among this many nearest.",
    )
    tau: float = param(
        0.1, low=0, open_low=True, high=1e6, group="Labels", title="Threshold tau",
        grid=(0.1, 1.0, 10.0),
        help="An instance of a positive bag is background where neighbors from negative bags "
        "reach this share of those from positive bags; large keeps the labels of the bags.",
    )
    shrinkage: float | None = replace(SHRINKAGE, grid=(0.1, 0.5, 0.9))
    neighborhood: str | None = NEIGHBORHOOD
    n_neighbors: int = WITHIN_CLASS
    standardize: bool = STANDARDIZE
    state = (*LinearReduction.state, "eigenvalues_", "shrinkage_", "labels_", "ratio_", "score_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Refine the labels, then find the axes.
        Raises MissingLabels without a positive and a negative bag."""
        watch = monitored(monitor)
        X, known, training = self._training(X, y, bags)
        watch.step(0.0, "Neighbors")
        A, mean, scale = self._scaled(X)
        if not self.standardize:
            A, mean = X, np.zeros(X.shape[1])  # the very array whose neighbors other methods share
        labels, ratio = self._refined(A, with_known(training.bags, known), Portion(watch, 0.0, 0.5))
        local = LFDA(
            n_components=self.n_components, shrinkage=self.shrinkage,
            neighborhood=self.neighborhood, n_neighbors=self.n_neighbors,
        ).fit(A, labels, monitor=Portion(watch, 0.5, 0.95))
        self.notes_ += local.notes_
        self.mean_ = mean + np.where(np.isfinite(scale), scale, 0.0) * local.mean_
        self.scale_, self.components_ = scale, local.components_
        self.eigenvalues_, self.shrinkage_ = local.eigenvalues_, local.shrinkage_
        self.labels_, self.ratio_, self.score_ = labels, ratio, 1 / (1 + ratio)
        self.embedding_ = self._project(X, Portion(watch, 0.95, 1.0))
        return self

    def _refined(self, A: NDArray, bags: Bags, watch: Monitor) -> tuple[NDArray, NDArray]:
        """Refined labels (N,) int8 and ratios (N,)."""
        if (bags.sizes[bags.labels > 0] > 1).any():
            return citation_refinement(
                A, bags, n_references=self.n_references, n_citers=self.n_citers, tau=self.tau,
                monitor=watch
            )
        # a positive bag of one keeps its positive, whatever its neighbors
        labels = bags.instance_labels(len(A))
        return labels, np.where(labels > 0, 0.0, np.inf)


def with_known(bags: Bags, y: NDArray) -> Bags:
    """The bags, and one more negative one of all instances with y < 0 that lie in none of them."""
    more = np.flatnonzero((y < 0) & (bags.instance_labels(len(y)) == 0))
    if not len(more):
        return bags
    lists = [*(bags.of(k) for k in range(len(bags))), more]
    return Bags.from_lists(lists, np.append(bags.labels, -1))
