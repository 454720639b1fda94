"""B-MIDA: multiple-instance discriminant analysis with one prototype per positive bag."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax, bag_mean
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
from emberscope.mil.training_bags import training_bags


class MIDA(PrototypeDiscriminant):
    """Pick the most target-like instance of every positive bag and the directions that set these
    apart.

    Alternates between directions G (D, d), G'G = I, that maximize tr G'(S_b - alpha S_w)G, and
    prototypes, one per positive bag, that maximize the same; negative bags are represented by their
    means. Linear: Z = (X - mean)/scale G.

    Attributes
    ----------
    components_ : (D, d) float64, orthonormal.
    mean_, scale_ : (D,), the z-score of the training instances.
    prototype_ : (K,) int64, row of the instance chosen in each bag, -1 for negative,
    unlabeled and unusable bags.
    score_ : (N,), what prototypes are the largest of in their bags: T_p of every instance (update
    "density": minus the log density of negatives along the first direction). n_flips_ : prototypes
    moved from the start.
    eigenvalues_ : (r,) descending, spectrum of S_b - alpha S_w on the r dimensions that prototypes
    span (ratio trace: of S_w^-1 S_b). history_ : objective after every round, never decreasing
    (update "density" follows another aim).
    penalty_ : float, alpha as used; for the ratios, the ratio reached. references_ (R, D), map_
    (R, d), offset_ (d,), width_ : of the kernel, Z = exp(-|x - references|² / width) map - offset
    for scaled x; empty without, and `components_` is empty (0, d) with one.

    Notes
    -----
    Chai, Ding, Chen and Li 2014. With alpha below the smaller number of bags the spread of
    prototypes is rewarded (like PCA of prototypes plus their mean difference); above it is
    penalized (like Fisher), so the default gives alpha in units of that number. Prototypes start at
    the least kernel density of negative instances, in the log domain, over widths 1e-3 .. 1e3 times
    the median squared distance.

    Work is done in the span of prototypes and negative means, r <= l+ + l- - 1 dimensions. Where
    n_components > r, the further axes are principal components of what is orthogonal to it, and
    that is noted.

    Ours: the trace ratio equals the trace difference at the alpha that it finds, and the ratio
    trace has axes of length 1 that are not orthogonal; both take S_w with half of it shrunk to a
    ball of the r dimensions, without which they overfit; prototypes then maximize the same with
    alpha = the ratio. Update "density" takes the instance of least density of negatives along the
    first direction instead. The kernel version is the linear one on all kernel principal
    components; beyond 1000 distinct instances 1000 of them span these, which is noted, and beyond
    100 000 it is refused (TooLarge).

    `y` without bags: every instance is a bag of its own (plain discriminant analysis). `y` with
    bags: an instance with y < 0 is no candidate of its positive bag. O(N+ N- D) for the density, of
    more than 5000 background instances that of 5000 evenly spaced in order of values (noted), then
    O(K D min(K, D) + N D d) per round (update "density": + N N- d, of more than 1000 that of 1000).
    """

    n_components: int = DIMENSIONS
    alpha: float = ALPHA
    alpha_mode: str = ALPHA_MODE
    criterion: str = CRITERION
    shrinkage: float | None = SHRINKAGE
    kernel: str = KERNEL
    width: float | None = WIDTH
    standardize: bool = STANDARDIZE
    update: str = param(
        "paper", choices=("paper", "density", "none"), group="Computation", advanced=True,
        title="Move prototypes",
        help="Paper: to the best by the criterion. Density: to where negatives are rarest along "
        "the first axis.",
    )
    max_iter: int = MAX_ITER

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find directions and prototypes. Raises MissingLabels without a positive and a negative
        bag."""
        watch = monitored(monitor)
        X, labels, _ = self._validate_weighted(X, y, bags,
                                               labels="required" if bags is None else "optional")
        training = training_bags(labels, bags, len(X), X=X)
        self.notes_ += training.notes
        data = self._prepared(X, Portion(watch, 0.0, 0.1))
        problem = TwoClasses.of(data.F, training.bags)
        self.notes_ += crowd_note([problem.negatives])
        unit = float(min(len(problem.bags), len(problem.fixed)))
        Z = self._learn(data, problem, training, unit=unit, monotone=True,
                        monitor=Portion(watch, 0.1, 1.0))
        self.embedding_ = Z.astype(X.dtype)
        return self


@dataclass(frozen=True, slots=True)
class TwoClasses:
    """The `Problem` of B-MIDA.

    bags : the positive ones. negatives : rows of the members of negative bags.
        fixed : (l-, D), means of negative bags.
    shares : (l-,), of these bags in all negative instances; so weighted, the means are m-,
        the mean of instances.
    """

    bags: Bags
    negatives: NDArray[np.int64]
    fixed: NDArray
    shares: NDArray

    @classmethod
    def of(cls, A: NDArray, training: Bags) -> Self:
        """Of rows A (N, D) and bags; the means of negative bags weigh by their size."""
        negative = some_bags(training, training.labels < 0)
        shares = negative.sizes / negative.sizes.sum()
        return cls(some_bags(training, training.labels > 0), negative.members,
                   bag_mean(A, negative), shares)

    def start(self, A: NDArray, *, monitor: Monitor) -> NDArray[np.int64]:
        """Rows of A (N, D) of the first prototypes, one per positive bag, by density."""
        def separation(chosen: list[NDArray]) -> float:
            return float(np.linalg.norm(A[chosen[0]].mean(axis=0) - self.shares @ self.fixed))

        return density_start(A, [(self.bags, self.negatives)], separation, monitor=monitor)[0]

    def scatters(self, P: NDArray, fixed: NDArray) -> tuple[NDArray, NDArray]:
        """S_b and S_w, (r, r), of prototypes (l, r) and fixed ones (f, r)."""
        return scatters(P, fixed, self.shares @ fixed)

    def moved(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.int64]:
        """Alternate argmax of T_p and the prototype mean; a tie keeps the current prototype."""
        if rule == "density":
            return bag_argmax(self.score(rule, view, chosen, monitor=monitor), self.bags)
        for _ in range(INNER):
            T = self.score(rule, view, chosen, monitor=monitor)
            best = bag_argmax(T, self.bags)
            moved = np.where(T[best] > T[chosen], best, chosen)
            if np.array_equal(moved, chosen):
                break
            chosen = moved
        return chosen

    def score(
        self, rule: str, view: View, chosen: NDArray, *, monitor: Monitor
    ) -> NDArray[np.float64]:
        """T_p(x) = sum_q |G'(x - n_q)|² - alpha |G'(x - m+)|² of every row; O(N d)."""
        if rule == "density":
            groups = [self.bags.members, self.negatives]
            return rarity(leading(view.Z, 2), groups, 1, monitor=monitor)[:, 0]
        mean = view.fixed.mean(axis=0)
        far = len(
            view.fixed
        ) * np.square(view.Z - mean).sum(axis=1) + np.square(view.fixed - mean).sum()
        return far - view.penalty * np.square(view.W - view.W[chosen].mean(axis=0)).sum(axis=1)


def scatters(P: NDArray, N: NDArray, center: NDArray) -> tuple[NDArray, NDArray]:
    """S_b and S_w in closed form, O((l+ + l-) D²) instead of O(l+ l- D²) (eq 1 .. 7).

    `P` : (l+, D). `N` : (l-, D). `center` : (D,). Both are (D, D).
    """
    n_pos, n_neg = len(P), len(N)
    p, n = P - P.mean(axis=0), N - N.mean(axis=0)
    delta, shift = P.mean(axis=0) - N.mean(axis=0), N.mean(axis=0) - center
    pp, nn = p.T @ p, n.T @ n
    between = n_neg * pp + n_pos * nn + n_pos * n_neg * np.outer(delta, delta)
    return between, pp + nn + n_neg * np.outer(shift, shift)
