"""Supervised multidimensional scaling: distances as they are,
and the target class to the upper right."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import check_params, param
from emberscope.embedding.distance.scaling import (
    MAX_ITER,
    SCALED_COMPONENTS,
    TOLERANCE,
    pca_coordinates,
)
from emberscope.embedding.distance.stress import (
    AllPairs,
    all_distances,
    best_scale,
    distances_between,
    majorize,
    place,
)
from emberscope.embedding.layout.layout import Previews
from emberscope.embedding.nonlinear import Nonlinear
from emberscope.embedding.out_of_sample import Reconstruction, Rule, reconstruct
from emberscope.embedding.supervised.unlabeled import Made, OfLabeled
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import Distinct
from emberscope.neighbors.threads import thread_pool

LIMIT = 3000
# of the mean diagonal: shifts, and instances without any term, stay where they are
_PROXIMAL = 1e-9
_ROWS = 256


class SMDS(OfLabeled):
    """Metric scaling in which instances of a higher class lie to the upper right of those of a
    lower one.

    Minimizes (1 - a)/2 sum_ij (d_ij - |z_i - z_j|)² + a sum_{i below j} sum_k
    (d_ij / sqrt(d) - (z_jk - z_ik))², a = `alpha`, the second sum over pairs in which i has the
    lower class. It uses the labels: how well the training instances separate in its embedding says
    nothing. Judge it on instances it was not fitted on.

    Attributes
    ----------
    objective_ : float, at the end. stress_ : float.
        The share sum (d - |z_i - z_j|)² / sum d² of the first part.
    n_iter_ : int. members_ : (U, C), weights of the labels of the distinct instances,
        classes in their order.

    Notes
    -----
    Witten and Tibshirani 2011, with its squares (McCurley 2020 prints it without). Classes are
    ordered as numbers, or words by the alphabet; more than two are allowed. A pair of labels of
    weights u and v counts u v times in the second part; an instance of unknown label lies where a
    new one would; where a class has fewer than 16 labels it takes part in the first. alpha = 0 is
    `Smacof` and reads no label.

    Solved by majorization: the first part as in SMACOF, the second is quadratic, and the linear
    system of every step is a diagonal plus one column per class, so that a step costs one pass over
    all pairs, O(N² d). Extrapolated as in `stress.majorize`; the objective never rises. Start: PCA,
    turned so that the classes lie along the diagonal. The same to the last bit on any number of
    threads.

    A new instance lies halfway between linear reconstruction and the place where its own terms of
    the objective are least, the training instances held fixed. It has no label; there it counts as
    one of each class by the squares of the weights of its five nearest in the reconstruction,
    negative ones left out. Halfway is nearer to a fit to all labels than either end, and keeps
    classes apart where surfaces cross, which the place alone does not. Given distances
    (`measured_by`) are the d of everything above.
    """

    takes_classes = True
    n_components: int = SCALED_COMPONENTS
    alpha: float = param(
        0.2, low=0, high=1, title="Supervision", group="Supervision",
        help="Weight of the labels against the distances; 0 ignores labels, 1 ignores distances "
        "within a class.",
    )
    max_iter: int = MAX_ITER
    tolerance: float = TOLERANCE
    state = (*Nonlinear.state, "objective_", "stress_", "n_iter_", "members_")

    @property
    def reads_labels(self) -> bool:
        return self.alpha > 0

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the coordinates. Raises MissingLabels without two classes (unless alpha is 0),
        TooLarge above 3000."""
        watch = monitored(monitor)
        # alpha decides whether labels are looked at
        check_params(self.params, self.get_params(deep=False))
        X, labels, weights = self._validate_weighted(
            X, y, bags, labels="required" if self.alpha > 0 else "ignored"
        )
        if labels is None or weights is None:
            labels, weights = np.zeros(len(X), np.int64), np.zeros(len(X))
        given = self._given_for(len(X))
        made = self._made_of(X, labels, weights, given)
        # steps are compared to the last bit: what BLAS adds up must not depend on its threads
        with thread_pool():
            distinct = self._fit_to(made.select(X), made.select(labels), made.select(weights), made,
                                    given, watch)
        self._place_rest(X, made, distinct, given)
        return self

    def _fit_to(
        self, X: NDArray, labels: NDArray, weights: NDArray, made: Made, given: Distances | None,
        watch: Monitor
    ) -> Distinct:
        """Fit to rows that the embedding is made of; which of them are different.
        Intermediate embeddings show all."""
        kinds = np.unique(np.stack([labels, weights], axis=1), axis=0,
                          return_inverse=True)[1].ravel()
        distinct = self._distinct(X, self.n_components, kinds)
        if len(distinct) > LIMIT:
            raise TooLarge(
                f"supervised scaling of {len(distinct)} instances takes minutes",
                hint=f"Choose at most {LIMIT} instances, or s-le or lda.",
            )
        U = distinct.select(X)
        rows, part = made.rows[distinct.rows], Portion(watch, 0.0, 0.05)
        D = all_distances(U, monitor=part) if given is None else given.block(rows, rows)
        if not D.any():
            raise DataError("all instances are the same", hint="Choose other features.")
        problem = Supervised(
            D, labels[distinct.rows], weights[distinct.rows], float(self.alpha), self.n_components,
            monitor=Portion(watch, 0.05, 0.1),
        )
        start = pca_coordinates(
            U, U.mean(axis=0, dtype=np.float64), self.n_components,
            monitor=Portion(watch, 0.1, 0.15)
        )
        start = problem.toward_diagonal(start * best_scale(problem.pairs, start))
        show = Previews(
            Portion(watch, 0.15, 1.0), lambda Z: distinct.restore(Z)[made.member], X.dtype,
            total=self.max_iter
        )
        Z, history = majorize(
            problem, start, max_iter=self.max_iter, tolerance=float(self.tolerance), show=show.show
        )
        self.n_iter_, self.objective_ = max(len(history) - 1, 1), history[-1]
        self.stress_ = problem.pairs.force(Z)[0] / problem.pairs.total
        self.members_ = problem.members
        self._finish(X, distinct, Z - Z.mean(axis=0))
        return distinct

    def transform(
        self, X: ArrayLike, *, rule: Rule | None = None, n_neighbors: int | None = None
    ) -> NDArray:
        """Coordinates of new instances, (M, D) -> (M, d), see Notes.

        By reconstruction alone where `rule` or `n_neighbors` is given, as in `Nonlinear`,
        or alpha is 0. O(M N) per step.
        """
        if rule is not None or n_neighbors is not None or not self.alpha:
            return super().transform(X, rule=rule, n_neighbors=n_neighbors)
        X = self._validate_new(X)
        middle = self.instances_.mean(axis=0, dtype=np.float64)
        known = self.instances_ - middle
        out = np.empty((len(X), self.coordinates_.shape[1]), X.dtype)
        for part in slices(len(X), _ROWS):
            if self.measure_:
                out[part] = self._placed_by(X[part], self._squared_to(X[part], self.instances_))
            else:
                first = reconstruct(self.instances_, self.coordinates_, X[part])
                out[part] = self._halfway(first, distances_between(X[part] - middle, known))
        return out

    def _placed_by(self, X: NDArray, squared: NDArray) -> NDArray:
        first = self._by_distances(X, squared)
        found = self._halfway(
            first, np.sqrt(squared, dtype=np.float64)
        ) if self.alpha else first.coordinates
        return found.astype(X.dtype)

    def _halfway(self, first: Reconstruction, D: NDArray) -> NDArray[np.float64]:
        """Coordinates (M, d) halfway from a reconstruction to the least objective,
        D (M, U) from `instances_`."""
        likely = np.square(np.maximum(first.weights, 0.0))
        likely /= likely.sum(axis=1, keepdims=True)
        goal, weight = self._goal(D, np.einsum("mk,mkc->mc", likely, self.members_[first.idx]))
        placed = goal
        if self.alpha < 1:
            extra, at = self.alpha / (1 - self.alpha) * weight, self.coordinates_.astype(np.float64)
            placed = place(D, at, first.coordinates, goal=goal, goal_weight=extra).coordinates
        stay = (weight <= 0) | (first.distance <= 0)  # of no class, or a training instance again
        return np.where(stay[:, None], first.coordinates, (first.coordinates + placed) / 2)

    def _goal(
        self, D: NDArray, belongs: NDArray
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where pairs with other classes want instances that belong (M, C) to classes, D (M, U)
        from the training ones, and the weight (M,) of these pairs."""
        classes = np.arange(belongs.shape[1])
        pairs = belongs @ (classes[:, None] != classes) @ self.members_.T  # (M, U)
        order = belongs @ np.sign(classes[:, None] - classes) @ self.members_.T
        weight = pairs.sum(axis=1)
        root = np.sqrt(self.coordinates_.shape[1])
        wanted = pairs @ self.coordinates_ + (order * D).sum(axis=1, keepdims=True) / root
        return wanted / np.where(weight > 0, weight, 1.0)[:, None], weight


class Supervised:
    """The objective of SMDS for `majorize`.

    D : (N, N) distances. y : (N,) classes, 0 = unknown. weights : (N,) of the labels.
        pairs : the unsupervised part.
    """

    def __init__(
        self, D: NDArray, y: NDArray, weights: NDArray, alpha: float, d: int, *,
        monitor: Monitor | None = None
    ) -> None:
        watch = monitored(monitor)
        self.pairs, self.alpha = AllPairs(D, monitor=Portion(watch, 0.0, 0.5)), alpha
        classes = np.unique(y[y != 0])
        self.rank = np.searchsorted(classes, y).astype(np.float64)
        self.members = (y[:, None] == classes) * weights[:, None]  # (N, C)
        others = self.members.sum() - self.members.sum(axis=0)
        self.crossing = self.members @ others  # diagonal of the Laplacian of pairs between classes
        self.target, self.constant = self._targets(D, np.sqrt(d), Portion(watch, 0.5, 1.0))
        self.weight = (1 - alpha) * len(D) + alpha * self.crossing
        self.weight = self.weight + _PROXIMAL * self.weight.mean()
        self._columns = np.hstack([np.ones((len(D), 1)), self.members])
        self._inner = np.zeros((self._columns.shape[1],) * 2)
        self._inner[0, 0] = alpha - 1
        self._inner[1:, 1:] = alpha * (np.eye(len(classes)) - 1)
        scaled = self._columns / self.weight[:, None]
        self._outer = np.eye(len(self._inner)) + self._inner @ (self._columns.T @ scaled)

    def _targets(self, D: NDArray, root: float, watch: Monitor) -> tuple[NDArray, float]:
        """b_j = sum_i w_ij d_ij sign(class j - class i) / sqrt(d),
        and sum over pairs of w_ij d_ij²."""
        b, constant = np.empty(len(D)), 0.0
        label = self.members.sum(axis=1)
        for part in slices(len(D), _ROWS, watch, "Pairs of classes"):
            w = label[part, None] * label * np.sign(self.rank[part, None] - self.rank)
            b[part] = (w * D[part]).sum(axis=1) / root
            constant += 0.5 * float((np.abs(w) * np.square(D[part])).sum())
        return b, constant

    def evaluate(self, Z: NDArray) -> tuple[float, NDArray]:
        """The objective, and the step to the minimum of its majorization."""
        stress, force = self.pairs.force(Z)
        crossed = self._between(Z)
        labeled = (
            self.constant - 2 * float(self.target @ Z.sum(axis=1)) + float((Z * crossed).sum())
        )
        pull = (1 - self.alpha) * force + self.alpha * (self.target[:, None] - crossed)
        return (1 - self.alpha) * stress + self.alpha * labeled, self._solve(pull)

    def _between(self, Z: NDArray) -> NDArray:
        """The Laplacian of pairs between classes, times Z."""
        sums = self.members.T @ Z
        return self.crossing[:, None] * Z - self.members @ (sums.sum(axis=0) - sums)

    def _solve(self, right: NDArray) -> NDArray:
        """((1 - alpha) V + alpha L + ridge)^-1 right: a diagonal plus few columns (Woodbury)."""
        first = right / self.weight[:, None]
        share = np.linalg.solve(self._outer, self._inner @ (self._columns.T @ first))
        return first - (self._columns @ share) / self.weight[:, None]

    def toward_diagonal(self, Z: NDArray) -> NDArray:
        """Z mirrored so that higher classes lie toward (1, ..., 1); unchanged without labels."""
        label = self.members.sum(axis=1)
        if not self.alpha or not label.any():
            return Z
        trend = (label * (self.rank - np.average(self.rank, weights=label))) @ Z
        size = np.linalg.norm(trend)
        mirror = trend / (size or 1.0) - np.full(Z.shape[1], Z.shape[1] ** -0.5)
        length = float(mirror @ mirror)
        return Z if size == 0 or length < 1e-20 else Z - np.outer(Z @ mirror, 2 / length * mirror)
