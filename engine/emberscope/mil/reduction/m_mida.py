"""M-MIDA: multiple-instance discriminant analysis of several classes of targets,
a prototype per bag."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax, bag_mean
from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.reduction.discriminants import (
    ALPHA,
    ALPHA_MODE,
    CRITERION,
    DIMENSIONS,
    INNER,
    KERNEL,
    MAX_ITER,
    SHRINKAGE,
    WIDTH,
    PrototypeDiscriminant,
    View,
)
from emberscope.mil.reduction.prototypes import (
    crowd_note,
    density_start,
    leading,
    rarity,
    some_bags,
)
from emberscope.mil.scaling import STANDARDIZE
from emberscope.mil.training_bags import TrainingBags, training_bags


class MMIDA(PrototypeDiscriminant):
    """Pick the instance of every bag that stands for its class,
    and the directions that set the classes apart.

    Alternates between directions G (D, d), G'G = I, that maximize tr G'(S_b - alpha S_w)G over C
    classes of positive bags, and prototypes, one per positive bag. Linear: Z = (X - mean)/scale G.

    Attributes
    ----------
    components_, mean_, scale_, n_flips_, eigenvalues_, history_, penalty_, references_, map_,
    offset_, width_ : as in `MIDA`; history_ may decrease, the iterate of largest objective is
    returned (update "density": the last).
    prototype_ : (K,) int64, row of the instance chosen in each positive bag,
    -1 for all other and unusable bags.
    classes_ : (C,) int64, ids of the classes, ascending.
    score_ : (N,), what prototypes are the largest of in their bags, for the best of an instance's
    classes (of all classes where it is in no positive bag): minus the log density of the other
    classes; T_c of the paper (eq 16) with another update.

    Notes
    -----
    Chai, Ding, Chen and Li 2014. S_w: prototypes about the mean m_c of their class; S_b: prototypes
    about the means of all other classes, = (C - 1) S_w + sum_c l_c sum_e (m_c - m_e)(m_c - m_e)'.
    So the spread is penalized above alpha = C - 1, in units of which alpha is given. The start is
    that of MIDA with all instances of bags of other classes in the place of negatives; the width
    that moves the class means farthest apart wins.

    Moving prototypes by the paper's criterion is not monotone and prefers background that the
    classes share where this lies far out. The default, ours, takes in every round the instance of
    least density of other-class instances, until no prototype moves, a set comes back or 20 rounds
    are done (noted). The density is that along the first C - 1 directions, so more dimensions do
    not blur it. "exact" raises the objective itself, one prototype at a time. Alpha is 2: the
    repair is then right in more bags of the paper's second set than at 0.25. A larger alpha, or the
    trace ratio, is right in more of them still but in far fewer where targets stand out less.

    Negative bags are no class, the paper has none: their instances are others to every class in the
    densities. Where the positive bags are of one class, negative bags are the second one, each
    represented by its mean as in MIDA. An instance of several classes counts in each. `y` without
    bags: every instance is a bag of its own, and its label its class. O(N² D) for the start, then
    O(K D min(K, D) + N² d) per round (other updates: N C d): of more than 5000 others the density
    is that of 5000 at the start (noted), of more than 1000 of a class that of 1000 in a round.
    """

    takes_classes = True
    n_components: int = DIMENSIONS
    alpha: float = replace(ALPHA, default=2.0, grid=(0.25, 1.0, 2.0))
    alpha_mode: str = ALPHA_MODE
    criterion: str = CRITERION
    shrinkage: float | None = SHRINKAGE
    kernel: str = KERNEL
    width: float | None = WIDTH
    standardize: bool = STANDARDIZE
    update: str = param(
        "density", choices=("density", "paper", "exact", "none"), group="Computation",
        advanced=True, title="Move prototypes",
        help="Density: to where other classes are rarest. Paper, exact: to the best by the "
        "criterion.",
    )
    max_iter: int = MAX_ITER
    state = (*PrototypeDiscriminant.state, "classes_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find directions and prototypes. Raises MissingLabels for positive bags of one class
        without negative ones."""
        watch = monitored(monitor)
        X, labels, _ = self._validate_weighted(X, y, bags, labels="optional")
        training = _training(X, labels, bags)
        self.notes_ += training.notes
        data = self._prepared(X, Portion(watch, 0.0, 0.1))
        problem = Classes.of(data.F, training.bags)
        self.notes_ += crowd_note([problem.others(c) for c in problem.parts])
        unit = float(problem.n_classes - 1)
        Z = self._learn(data, problem, training, unit=unit, monotone=False,
                        monitor=Portion(watch, 0.1, 1.0))
        self.classes_ = np.unique(problem.bags.classes)
        self.embedding_ = Z.astype(X.dtype)
        return self


def _training(X: NDArray, labels: NDArray | None, bags: Bags | None) -> TrainingBags:
    if bags is None and labels is not None:
        own = np.flatnonzero(labels)
        each = Bags.of_one(own, np.ones(len(own)), classes=labels[own])
        found = training_bags(None, each, len(X), negative=False, X=X)
    else:
        found = training_bags(labels, bags, len(X), negative=False, X=X)
    positive = found.bags.labels > 0
    if len(np.unique(found.bags.classes[positive])) < 2 and positive.all():
        raise MissingLabels("M-MIDA has positive bags of one class only",
                            hint="Label targets of a second class.")
    return found


@dataclass(frozen=True, slots=True)
class Classes:
    """The `Problem` of M-MIDA.

    bags : the positive ones. kind : (K,) number of their class, 0 .. C - 1. groups : rows of the
    members of each class of bags, then those of negative bags where there are. fixed : (f, D),
    means of negative bags where these are the second class (number 1), else none. n_classes : C.
    """

    bags: Bags
    kind: NDArray[np.int64]
    groups: list[NDArray[np.int64]]
    fixed: NDArray
    n_classes: int

    @classmethod
    def of(cls, A: NDArray, training: Bags) -> Self:
        """Of rows A (N, D) and bags with classes; all negative bags make one more group."""
        bags, negative = (
            some_bags(training, training.labels > 0), some_bags(training, training.labels < 0)
        )
        classes, kind = np.unique(bags.classes, return_inverse=True)
        groups = [np.unique(bags.members[kind[bags.bag_of_member] == c])
                  for c in range(len(classes))]
        if len(negative):
            groups.append(np.unique(negative.members))
        fixed = bag_mean(A, negative) if len(classes) == 1 else np.empty((0, A.shape[1]))
        return cls(bags, kind, groups, fixed, max(2, len(classes)))

    @property
    def parts(self) -> range:
        """Numbers of the classes that have bags."""
        return range(int(self.kind.max()) + 1)

    def others(self, c: int) -> NDArray[np.int64]:
        """Rows of the members of bags of other classes than c, and of negative bags."""
        return np.concatenate(self.groups[:c] + self.groups[c + 1 :])

    def means(self, Y: NDArray, chosen: NDArray, fixed: NDArray) -> NDArray:
        """(C, d) mean of the prototypes of each class."""
        own = [Y[chosen[self.kind == c]].mean(axis=0) for c in self.parts]
        return np.stack([*own, fixed.mean(axis=0)] if len(fixed) else own)

    def start(self, A: NDArray, *, monitor: Monitor) -> NDArray[np.int64]:
        """Rows of A (N, D) of the first prototypes, one per positive bag, by density."""
        def separation(chosen: list[NDArray]) -> float:
            m = self.means(A, self._joined(chosen), self.fixed)
            return float(np.linalg.norm(m[:, None] - m[None], axis=2).sum())

        parts = [(some_bags(self.bags, self.kind == c), self.others(c)) for c in self.parts]
        return self._joined(density_start(A, parts, separation, monitor=monitor))

    def _joined(self, chosen: list[NDArray]) -> NDArray[np.int64]:
        out = np.empty(len(self.bags), np.int64)
        for c, rows in enumerate(chosen):
            out[self.kind == c] = rows
        return out

    def scatters(self, P: NDArray, fixed: NDArray) -> tuple[NDArray, NDArray]:
        """S_b and S_w, (r, r), of prototypes (l, r) and fixed ones (f, r)."""
        return class_scatters(np.vstack([P, fixed]),
                              np.concatenate([self.kind, np.ones(len(fixed), np.int64)]))

    def moved(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.int64]:
        """Better prototypes for fixed directions."""
        if rule == "density":
            rare = self._rarity(view, monitor)
            return self._joined(
                [bag_argmax(rare[:, c], some_bags(self.bags, self.kind == c)) for c in self.parts]
            )
        return self._ascended(view, chosen,
                              monitor) if rule == "exact" else self._printed(view, chosen)

    def score(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.float64]:
        """The best over an instance's own classes, or over all where it has none, (N,)."""
        parts = self.parts
        if rule == "density":
            merit = self._rarity(view, monitor)
        else:
            means = self.means(view.Z, chosen, view.fixed)
            merit = np.stack([_merit(view, view.Z, view.W, means, c, self._within(view, chosen, c))
                              for c in parts], 1)
        own = np.zeros(merit.shape, bool)
        for c in parts:
            own[self.groups[c], c] = True
        own[~own.any(axis=1)] = True
        return np.where(own, merit, -np.inf).max(axis=1)

    def _rarity(self, view: View, monitor: Monitor) -> NDArray[np.float64]:
        return rarity(leading(view.Z, self.n_classes), self.groups, len(self.parts),
                      monitor=monitor)

    def _within(self, view: View, chosen: NDArray, c: int) -> NDArray:
        return view.W[chosen[self.kind == c]].mean(axis=0)

    def _printed(self, view: View, chosen: NDArray) -> NDArray[np.int64]:
        """Chai et al. 2014, eq 15 .. 17: class after class,
        the argmax of T_c and the class mean in turn."""
        chosen = chosen.copy()
        for c in self.parts:
            mine, bags = self.kind == c, some_bags(self.bags, self.kind == c)
            means, rows = self.means(view.Z, chosen, view.fixed), self.groups[c]
            T = np.full(len(view.Z), -np.inf)
            for _ in range(INNER):
                T[rows] = _merit(view, view.Z[rows], view.W[rows], means, c,
                                 self._within(view, chosen, c))
                best = bag_argmax(T, bags)
                moved = np.where(T[best] > T[chosen[mine]], best, chosen[mine])
                if np.array_equal(moved, chosen[mine]):
                    break
                chosen[mine] = moved
        return chosen

    def _ascended(self, view: View, chosen: NDArray, monitor: Monitor) -> NDArray[np.int64]:
        """Coordinate ascent in the objective itself: bag after bag the best member,
        until none moves."""
        chosen, C = chosen.copy(), self.n_classes
        sizes = np.bincount(np.concatenate([self.kind, np.ones(len(view.fixed), np.int64)]),
                            minlength=C)
        means = self.means(view.Z, chosen, view.fixed)
        inner = np.stack([self._within(view, chosen, c) for c in self.parts])
        for _ in range(INNER):
            before = chosen.copy()
            for k, c in enumerate(self.kind):
                if k % 100 == 0:
                    monitor.step(0.0, "Prototypes")
                rows = self.bags.of(k)
                gain = _gain(view, rows, chosen[k], int(c), means, inner[c], sizes)
                best = rows[gain.argmax()]
                if gain.max() > 1e-12 * np.abs(gain).max():
                    means[c] += (view.Z[best] - view.Z[chosen[k]]) / sizes[c]
                    inner[c] += (view.W[best] - view.W[chosen[k]]) / sizes[c]
                    chosen[k] = best
            if np.array_equal(before, chosen):
                break
        return chosen


def class_scatters(P: NDArray, kind: NDArray) -> tuple[NDArray, NDArray]:
    """S_b and S_w of prototypes (l, D) of classes 0 .. C - 1, in closed form (Chai et al.
    2014, eq 12 .. 14)."""
    n_classes = int(kind.max()) + 1
    means = np.stack([P[kind == c].mean(axis=0) for c in range(n_classes)])
    about = P - means[kind]
    within = about.T @ about
    between = (n_classes - 1) * within
    for c, size in enumerate(np.bincount(kind, minlength=n_classes)):
        apart = means[c] - means
        between += size * (apart.T @ apart)
    return between, within


def _merit(
    view: View, Z: NDArray, W: NDArray, means: NDArray, c: int, within: NDArray
) -> NDArray[np.float64]:
    """T_c(x) = sum_{e != c} |G'(x - m_e)|² - alpha |G'(x - m_c)|² of rows with coordinates Z and W,
    (M,)."""
    others = np.delete(means, c, axis=0)
    center = others.mean(axis=0)
    far = len(others) * np.square(Z - center).sum(axis=1) + np.square(others - center).sum()
    return far - view.penalty * np.square(W - within).sum(axis=1)


def _gain(
    view: View, rows: NDArray, now: int, c: int, means: NDArray, within: NDArray, sizes: NDArray
) -> NDArray[np.float64]:
    """How much tr G'(S_b - alpha S_w)G rises where each of `rows` takes the place of prototype
    `now` of class c.

    Spread: |x - m|² - |p - m|² - |x - p|² / l.
    Between, with weights l_c + l_e and their centroid: as one distance.
    """
    def spread(Y: NDArray, mean: NDArray) -> NDArray:
        step = np.square(Y[rows] - Y[now]).sum(axis=1) / sizes[c]
        return np.square(Y[rows] - mean).sum(axis=1) - np.square(Y[now] - mean).sum() - step

    weights = np.delete(sizes, c) + sizes[c]
    centroid = weights @ np.delete(means, c, axis=0) / weights.sum()
    moved = means[c] + (view.Z[rows] - view.Z[now]) / sizes[c]
    between = np.square(moved - centroid).sum(axis=1) - np.square(means[c] - centroid).sum()
    return (
        (len(means) - 1) * spread(view.Z, means[c]) + weights.sum() * between - view.penalty
        * spread(view.W, within)
    )
