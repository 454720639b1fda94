"""S-LE: supervised Laplacian eigenmaps."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array, issparse
from scipy.sparse.csgraph import connected_components

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import N_NEIGHBORS, param
from emberscope.embedding.regression import OUT_OF_SAMPLE, Regressed
from emberscope.embedding.supervised.label_graphs import (
    Weights,
    adaptive_graphs,
    coupled,
    knn_graphs,
)
from emberscope.embedding.supervised.unlabeled import LABELED_COMPONENTS, OfLabeled
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.spectral import fix_signs, localized_axes, participation, top_eigenpairs

PAIRS_LIMIT = 3000  # instances up to which every pair is compared by default
ADAPTIVE_LIMIT = 10_000  # 800 MB per matrix of all pairs
_DENSE_LIMIT = 300  # few eigenvectors are wanted: from here on steps are two to three times faster
_ROWS = 256
COUPLING = param(
    0.0, low=0, high=100, title="Coupling", group="Supervision", advanced=True,
    help="Weak ties of every instance to all others, as a share of its other ties: with .5 no "
    "axis is carried by a few instances alone. 0: the published method.",
)


class SLE(OfLabeled, Regressed):
    """Pull neighbors with the same label together, push neighbors with different labels apart.

    It uses the labels: how well the training instances separate in its embedding says nothing.
    Judge it on instances it was not fitted on.

    Attributes
    ----------
    eigenvalues_ : (d,) descending, of B v = l D_w v. participation_ : (d,) in (0, 1], the share of
    instances that carry each axis. residual_ : float, largest |B v - l D_w v| / |v|.

    Notes
    -----
    Raducanu and Dornaika 2012, corrected: W_w carries the self pairs, both graphs are symmetrized
    by OR, the constant vector (always an eigenvector, 1 - gamma) and the indicators of graph
    components are taken out exactly; among equal eigenvalues the class indicator comes first. Z'
    D_w Z = I before columns are scaled by sqrt(tr D_w). Copies of an instance with the same label
    are one instance. More than two classes are allowed.

    `weights="even"` differs from print twice: an edge between labels weighs its similarity instead
    of 1, and an instance ties itself like its average neighbor instead of by 1. In print an outlier
    among dozens of features has a small within degree next to many pushes of weight 1 and to its
    own tie, and carries a whole axis alone. Both weights agree on the quadratic surfaces, keep D_w
    positive and 1 as an eigenvector.

    An instance of unknown label lies where a new one would: in the graph it would draw classes
    together. Only where a class has fewer than 16 labels is it there, tied to its k nearest
    neighbors whatever their label, never pushed away. A soft label of weight w is known with
    probability w, and the graphs are their expectations: a pair of weights u and v is pulled or
    pushed u v times as much, and tied like unknown ones for the rest.

    With `coupling` the within graph ties everybody to everybody a little: an axis then costs as
    much as it moves, and single instances that many others push cannot have it for themselves.

    Given distances (`measured_by`) say how similar instances are, which ones are near, and where
    unlabeled ones lie; beta is half their mean square then, which the total variance of features is
    too.

    Adaptive: O(N² D), then O(N²) per Lanczos step (N³ up to 300 instances), 40 N² bytes.
    knn: O(N k) per step.
    """

    reads_labels = True
    takes_classes = True
    n_components: int = LABELED_COMPONENTS
    gamma: float = param(
        0.1, low=0, high=1, title="Push", group="Supervision", grid=(0.02, 0.1, 0.3, 0.6),
        help="Weight of pushing different labels apart against keeping equal labels together.",
    )
    coupling: float = COUPLING
    neighborhood: str | None = param(
        None, choices=("adaptive", "knn"), group="Graph",
        auto="adaptive up to 3000 instances, else knn",
        help="Adaptive: all instances more alike than average. knn: the k nearest.",
    )
    n_neighbors: int = replace(
        N_NEIGHBORS, default=30, grid=(10, 30, 60),
        help="Neighbors in knn mode, and of instances without a label where labels are few.",
    )
    weights: str = param(
        "even", choices=("even", "print"), group="Supervision", advanced=True,
        help="Even: pairs with different labels weigh their similarity, an instance weighs itself "
        "like its neighbors. Print: 1 for both, which lets single outliers carry whole axes among "
        "many features.",
    )
    beta: float | None = param(
        None, low=0, open_low=True, unit="feature distance squared", group="Graph", advanced=True,
        auto="total variance of the features",
        help="Width of the similarity exp(-d² / beta).",
    )
    out_of_sample: str = OUT_OF_SAMPLE
    state = (*Regressed.state, "eigenvalues_", "participation_", "residual_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates. Raises MissingLabels without two classes,
        TooLarge for adaptive above 10 000."""
        watch = monitored(monitor)
        X, labels, weights = self._validate_labeled(X, y, bags)
        given = self._given_for(len(X))
        made = self._made_of(X, labels, weights, given)
        among = None if given is None else given.take(made.rows)
        distinct = self._fit_to(made.select(X), made.select(labels), made.select(weights), among,
                                watch)
        self._place_rest(X, made, distinct, given)
        return self

    def _fit_to(
        self, X: NDArray, labels: NDArray, weights: NDArray, given: Distances | None, watch: Monitor
    ) -> Distinct:
        """Fit to the instances that the embedding is made of; which of them are different."""
        kinds = np.unique(np.stack([labels, weights], axis=1), axis=0,
                          return_inverse=True)[1].ravel()
        distinct = self._distinct(X, self.n_components, kinds)
        U, label, weight = distinct.select(X), labels[distinct.rows], weights[distinct.rows]
        given = None if given is None else given.take(distinct.rows)
        mode = self._mode(len(U))
        neighbors = None
        if mode == "knn" or (weight < 1).any():
            neighbors = self._neighbors(U, self.n_neighbors, Portion(watch, 0.0, 0.3), given)
        watch.step(0.3, "Within and between graphs")
        beta = self._beta(U, given)
        if beta == 0:
            raise DataError("all instances are the same", hint="Choose other features.")
        even = self.weights == "even"
        if mode == "knn":
            assert neighbors is not None
            within, between = knn_graphs(U, label, neighbors, beta, even=even, weight=weight)
        else:
            within, between = adaptive_graphs(
                U, label, beta, even=even, unknown=neighbors, weight=weight, distances=given,
                monitor=Portion(watch, 0.3, 0.4),
            )
        if self.coupling > 0:
            within = coupled(within, float(self.coupling))
        values, Z, self.residual_ = supervised_modes(
            within, between, label, gamma=float(self.gamma), m=self.n_components,
            monitor=Portion(watch, 0.4, self._fitted_at()),
        )
        self.eigenvalues_ = values
        self.participation_ = participation(Z)
        self.notes_.extend(localized_axes(Z, "try a smaller push"))
        self._finish_regressed(X, distinct, Z, labels, weights,
                               Portion(watch, self._fitted_at(), 1.0))
        return distinct

    def _mode(self, n: int) -> str:
        mode = self.neighborhood or ("adaptive" if n <= PAIRS_LIMIT else "knn")
        if mode == "adaptive" and n > ADAPTIVE_LIMIT:
            raise TooLarge(
                f"comparing all pairs of {n} instances takes {24 * n * n / 2**30:.1f} GB",
                hint="Choose the knn neighborhood, or fewer instances.",
            )
        return mode

    def _beta(self, U: NDArray, given: Distances | None) -> float:
        if self.beta is not None:
            return float(self.beta)
        return float(
            U.var(axis=0, dtype=np.float64).sum()
        ) if given is None else given.total_variance()


def supervised_modes(
    within: Weights, between: Weights, y: NDArray, *, gamma: float, m: int,
    monitor: Monitor | None = None
) -> tuple[NDArray, NDArray, float]:
    """The top m eigenpairs of B v = l D_w v, B = gamma L_b + (1 - gamma) W_w,
    without the constant vector.

    Returns
    -------
    values (m,) descending; Z (N, m) with Z' D_w Z = tr(D_w) I; the largest residual |B v - l D_w
    v| / |v|. Raises DataError where there are fewer than m.
    """
    watch = monitored(monitor)
    watch.step(0.0, "Pushing and pulling")
    degree = np.asarray(within.sum(axis=1)).ravel()
    B = _pencil(within, between, gamma)
    root = np.sqrt(degree)
    watch.step(0.0, "Components")
    known = _indicators(_parts(within, between, watch), y, root)
    found_m = min(m, len(root) - known.shape[1])
    values, U = np.full(known.shape[1] - 1, 1 - gamma), known[:, 1:]
    if found_m > 0:
        scaled = B.copy() if not issparse(B) else csr_array(
            diags_array(1 / root) @ B @ diags_array(1 / root)
        )
        if not issparse(B):
            scaled /= root[:, None]
            scaled /= root[None, :]
        found = top_eigenpairs(scaled, found_m, deflate=known, dense_limit=_DENSE_LIMIT,
                               monitor=watch)
        values, U = np.concatenate([values, found.values]), np.hstack([U, found.vectors])
    if len(values) < m:
        raise DataError(f"{m} dimensions of {len(root)} different instances",
                        hint=f"Choose at most {len(values)}.")
    # Equal eigenvalues keep their order: class and component indicators first.
    order = np.argsort(-np.round(values, 9), kind="stable")[:m]
    V = fix_signs(U[:, order] / root[:, None])
    residual = np.linalg.norm(B @ V - degree[:, None] * V * values[order],
                              axis=0) / np.linalg.norm(V, axis=0)
    return values[order], V * np.sqrt(degree.sum()), float(residual.max())


def _pencil(within: Weights, between: Weights, gamma: float) -> Weights:
    pushed = np.asarray(between.sum(axis=1)).ravel()
    if issparse(within):
        return csr_array(gamma * (diags_array(pushed) - between) + (1 - gamma) * within)
    B = (1 - gamma) * within - gamma * between
    B[np.diag_indices_from(B)] += gamma * pushed
    return B


def _parts(within: Weights, between: Weights, watch: Monitor) -> NDArray[np.int32]:
    """The connected component of each row in both graphs together, numbered by their first rows."""
    if issparse(within):
        return connected_components(within + between, directed=False)[1]
    part = np.full(len(within), -1, np.int32)
    for first in range(len(part)):
        if part[first] < 0:
            part[first] = part.max() + 1
            reached = np.array([first])
            while len(reached):
                watch.step(0.0, "Components")
                near = np.zeros(len(part), bool)
                for some in slices(len(reached), _ROWS):
                    rows = reached[some]
                    near |= within[rows].any(axis=0) | between[rows].any(axis=0)
                reached = np.flatnonzero(near & (part < 0))
                part[reached] = part[first]
    return part


def _indicators(part: NDArray, y: NDArray, root: NDArray) -> NDArray:
    """Orthonormal eigenvectors known beforehand, in the scaled variables: the constant one, then,
    where the graphs fall apart, class indicators and component indicators (all have eigenvalue
    1 - gamma)."""
    n_parts = int(part.max()) + 1
    members = np.eye(n_parts)[part] * root[:, None]
    members /= np.linalg.norm(members, axis=0)
    basis = [root / np.linalg.norm(root)]
    if n_parts > 1:
        classes = [(y == c).astype(np.float64) * root for c in np.unique(y[y != 0])[::-1]]
        by_size = np.argsort(-np.bincount(part), kind="stable")
        candidates = [members @ (members.T @ v) for v in classes] + [members[:, p] for p in by_size]
        for v in candidates:
            w = v / np.linalg.norm(v)
            for _ in range(2):
                w = w - sum(u * (u @ w) for u in basis)
            if len(basis) < n_parts and np.linalg.norm(w) > 1e-8:
                basis.append(w / np.linalg.norm(w))
    return np.stack(basis, axis=1)
