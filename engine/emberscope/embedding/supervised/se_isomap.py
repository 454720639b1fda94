"""SE-Isomap: Isomap on distances that labels have shrunk or stretched."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.fields import not_a_param
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import N_NEIGHBORS, RANDOM_STATE, param
from emberscope.embedding.distance.landmark_mds import landmark_scaling
from emberscope.embedding.distance.mds import classical_scaling, negative_mass
from emberscope.embedding.kernel.isomap import EXACT_LIMIT, LANDMARKS, N_LANDMARKS
from emberscope.embedding.regression import OUT_OF_SAMPLE, Regressed
from emberscope.embedding.supervised.dissimilarity import (
    Dissimilarity,
    Labeled,
    dissimilarity_graph,
    least_dissimilar,
    mean_distance,
    mean_squared_distance,
)
from emberscope.embedding.supervised.unlabeled import LABELED_COMPONENTS, OfLabeled
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.geodesics import geodesics, landmarks
from emberscope.neighbors.graph import Neighbors

_SAMPLE = 500
_BYTES = 4 << 30
_FAINT = 1e-3
_BENT = 0.25  # share of negative eigenvalues that is worth a note
# d² / beta of the median edge: exp(-10) is 0 and exp(5) far beyond every distance within a class
_SATURATED = 10.0
_LARGEST = 1e30


class SEIsomap(OfLabeled, Regressed):
    """Unroll the data along a graph in which equal labels are near each other and different labels
    far apart.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it on instances it was not fitted on.

    Attributes
    ----------
    eigenvalues_ : (d,) of the doubly centered Gram matrix (estimated from landmarks where they are
    used), descending.
    negative_mass_ : share of negative eigenvalues in the sum of magnitudes, of up to 500 instances:
    0 where the paths can be drawn without contradiction. beta_ : float, as used. component_ : (N,)
    int32. Component of the graph before parts were joined; 0 is the largest. An instance placed
    afterwards has that of the nearest one in the graph.

    Notes
    -----
    Geng, Zhan and Zhou 2005, Ribeiro et al. 2008. Lengths of edges: sqrt(1 - exp(-d² / beta)) of
    the same label, exp(d² / (2 beta)) - alpha of different ones, d / sqrt(beta) where a label is
    unknown, and between by the weights of soft labels; see `Dissimilarity`. Instances of unknown
    label are in the graph only where a class has fewer than 16 labels, else they lie where new ones
    would. Path lengths are squared once, before double centering (in print an edge of Isomap is
    squared, and a non-edge is 0). Different labels are nearer than 1, hence perhaps nearer than
    equal ones, as soon as alpha is above 0: that keeps the graph in one piece and forgives wrong
    labels. More than two classes are allowed. Parts of the graph are joined by their least
    dissimilar pairs. d² counts as 600 beta at most.

    `scale` "mean": beta is the mean distance, as in print, a length, so that the embedding changes
    with the units of the features. "mean square": beta is the mean squared distance, in any units
    the same. By itself it is the mean, unless the neighbors of half of the instances are farther
    than sqrt(10 beta): there every edge within a class is 1 and one between classes e^5 or more,
    and the embedding would show labels only. That is noted.

    Exact up to 5000 different instances: O(N² D) for the neighbors, O(N² k) for the paths, 8 N²
    bytes. Landmarks above, 8 L N bytes. New instances by linear reconstruction, which looks at
    features only. Given distances (`measured_by`) are the d of everything above; new instances then
    lie between those that are nearest by them, the nearest most.
    """

    reads_labels = True
    takes_classes = True
    component_: NDArray[np.int32] = not_a_param()
    n_components: int = LABELED_COMPONENTS
    n_neighbors: int = replace(N_NEIGHBORS, default=30, grid=(10, 30, 60))
    alpha: float = param(
        0.3, low=0, high=1, title="Tolerance", group="Supervision", grid=(0.0, 0.15, 0.3, 0.6),
        help="How much nearer different labels may be than 1: 0 trusts all labels, 1 lets near "
        "instances of different labels count as the same.",
    )
    neighbors: str = param(
        "dissimilarity", choices=("dissimilarity", "input"), title="Nearest by", group="Graph",
        advanced=True,
        help="Dissimilarity: neighbors are the least dissimilar, labels included. Input: the "
        "nearest by their features.",
    )
    scale: str | None = param(
        None, choices=("mean", "mean square"), title="Scale of distances", group="Graph",
        advanced=True,
        auto="mean, or mean square where neighbors are far against it",
        help="What beta is where it is not given: the mean distance, which depends on the units "
        "of the features, or the mean squared distance, which gives the same embedding in all "
        "units.",
    )
    beta: float | None = param(
        None, low=0, open_low=True, unit="feature distance squared", group="Graph", advanced=True,
        auto="as the scale says",
        help="Squared distance at which labels take over from distances.",
    )
    n_landmarks: int | None = replace(
        N_LANDMARKS, auto=f"all instances up to {EXACT_LIMIT}, else {LANDMARKS}", advanced=True,
    )
    out_of_sample: str = OUT_OF_SAMPLE
    random_state: int = RANDOM_STATE
    state = (*Regressed.state, "eigenvalues_", "negative_mass_", "beta_", "component_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates. Raises MissingLabels without two classes,
        TooLarge above 4 GB of paths."""
        watch = monitored(monitor)
        X, labels, weights = self._validate_labeled(X, y, bags)
        given = self._given_for(len(X))
        made = self._made_of(X, labels, weights, given)
        among = None if given is None else given.take(made.rows)
        distinct = self._fit_to(made.select(X), made.select(labels), made.select(weights), among,
                                watch)
        self.component_ = self.component_[made.member]
        self._place_rest(X, made, distinct, given)
        return self

    def _fit_to(
        self, X: NDArray, labels: NDArray, weights: NDArray, given: Distances | None, watch: Monitor
    ) -> Distinct:
        """Fit to the instances that the embedding is made of; which of them are different."""
        kinds = np.unique(np.stack([labels, weights], axis=1), axis=0,
                          return_inverse=True)[1].ravel()
        distinct = self._distinct(X, self.n_components, kinds)
        rows = distinct.rows
        data = Labeled(distinct.select(X), labels[rows], weights[rows],
                       None if given is None else given.take(rows))
        wanted = self._check_size(len(distinct))
        self.beta_ = self._beta(data, self.scale or "mean", Portion(watch, 0.0, 0.05))
        if self.beta_ == 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        graph, component = self._graph(data, Portion(watch, 0.05, 0.4))
        Z = self._fitting(self._embed(data, graph, wanted, Portion(watch, 0.4, self._fitted_at())))
        self._finish_regressed(X, distinct, Z, labels, weights,
                               Portion(watch, self._fitted_at(), 1.0))
        self.component_ = distinct.restore(component)
        return distinct

    def _check_size(self, n: int) -> int:
        """How many instances paths start from."""
        wanted = self.n_landmarks or (n if n <= EXACT_LIMIT else LANDMARKS)
        wanted = min(max(wanted, self.n_components + 1), n)
        if (size := 8 * wanted * n) > _BYTES:
            raise TooLarge(
                f"the paths from {wanted} landmarks to {n} instances take {size / 2**30:.1f} GB",
                hint="Choose fewer landmarks, or fewer instances.",
            )
        return wanted

    def _beta(self, data: Labeled, scale: str, watch: Monitor) -> float:
        if self.beta is not None:
            return float(self.beta)
        if scale == "mean":
            return mean_distance(data.U, distances=data.distances, seed=self.random_state,
                                 monitor=watch)
        return mean_squared_distance(data.U, distances=data.distances)

    def _graph(self, data: Labeled, watch: Monitor) -> tuple[csr_array, NDArray]:
        k = self._fewer(self.n_neighbors, len(data.U))
        neighbors = self._nearest(data, k, Portion(watch, 0.0, 0.5))
        if float(np.median(np.square(neighbors.dist, dtype=np.float64))) > _SATURATED * self.beta_:
            if self.scale is None and self.beta is None:
                self.beta_ = self._beta(data, "mean square", watch)
                neighbors = self._nearest(data, k, Portion(watch, 0.5, 0.9))
                self.notes_.append("Neighbors are far against the mean distance: beta is the mean "
                                   "squared distance.")
            else:
                self.notes_.append(
                    "Distances between neighbors are large against beta, so that labels count and "
                    "distances hardly; "
                    "try the scale mean square."
                )
        rule = Dissimilarity(self.beta_, float(self.alpha))
        graph, component = dissimilarity_graph(data, rule, neighbors,
                                               monitor=Portion(watch, 0.9, 1.0))
        if (n_parts := int(component.max()) + 1) > 1:
            self.notes_.append(
                f"The graph has {n_parts} components; the least dissimilar pairs of instances join "
                "them."
            )
        return graph, component

    def _nearest(self, data: Labeled, k: int, watch: Monitor) -> Neighbors:
        if self.neighbors == "input":
            return self._neighbors(data.U, k, watch, data.distances)
        return least_dissimilar(data, Dissimilarity(self.beta_, float(self.alpha)), k,
                                monitor=watch)

    def _embed(self, data: Labeled, graph: csr_array, wanted: int, watch: Monitor) -> NDArray:
        n, d = len(data.U), self.n_components
        paths, last = Portion(watch, 0.1, 0.7), Portion(watch, 0.7, 1.0)
        rows = np.arange(n)
        if wanted < n:
            rows = landmarks(
                data.U, wanted, y=data.label, seed=self.random_state,
                monitor=Portion(watch, 0.0, 0.1)
            )
            self.notes_.append(f"Shortest paths start from {wanted} landmarks.")
        D = geodesics(graph, sources=rows, monitor=paths)
        unit = float(D.max())
        D /= unit  # squares of paths of exp(300) cannot be summed
        last.step(0.0, "Contradictions")
        few = np.arange(0, len(rows), -(-len(rows) // _SAMPLE))
        self.negative_mass_ = negative_mass(D[np.ix_(few, rows[few])])
        last.step(0.0, "Scaling")
        if self.negative_mass_ > _BENT:
            self.notes_.append(
                f"The paths contradict each other as straight distances: {self.negative_mass_:.1%} "
                "of the spectrum is "
                "negative."
            )
        if wanted < n:
            values, Z, _ = landmark_scaling(D, rows, d, faint=_FAINT, monitor=last)
        else:
            values, Z = classical_scaling(D, d, monitor=last)
        self.eigenvalues_ = values * unit**2
        if (flat := int((values <= 0).sum())):
            self.notes_.append(f"{flat} of {d} axes are empty: the paths span fewer dimensions.")
        return Z * unit

    def _fitting(self, Z: NDArray) -> NDArray:
        """Scale Z down where its numbers are too large to go on with."""
        largest = float(np.abs(Z).max())
        if largest <= _LARGEST:
            return Z
        self.notes_.append("Coordinates are scaled to at most 1: distances are astronomical "
                           "against beta.")
        return Z / largest
