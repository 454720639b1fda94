"""MILES: a bag as its similarities to all training instances,
and a machine that keeps few of them."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.mil.classifiers.svm_loop import CHUNK, kernel
from emberscope.mil.density import median_squared_distance
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import z_score
from emberscope.mil.support_vectors import balanced, sparse_weights
from emberscope.mil.training_bags import renumbered, thinned, thinned_note

_MAX_BYTES = 4 << 30
_BYTES = 40  # per bag and prototype at once: the similarities, and two sparse copies in the machine
_LARGEST_BAG = 2000  # instances of a bag that are prototypes


class MILES(ChoosesFeatures):
    """A bag is the vector of its largest similarities to every training instance;
    a sparse linear machine reads it.

    Attributes
    ----------
    prototypes_ : (P, D) float64, training instances with a weight, in units of the scaled features.
    weights_ : (P,), intercept_, sigma2_, and mean_, scale_ (D,) float64.

    Notes
    -----
    Chen, Bi and Wang 2006: s(x^k, B) = max_n exp(-|x_n - x^k|² / sigma²) for all training instances
    x^k; f(B) = sum_k w_k s(x^k, B) + b with min |w|_1 + C sum_B v_B max(0, 1 - L_B f(B))², v
    balances the classes. In print the hinge is not squared. An instance scores as a bag of it
    alone. Why a bag is positive (`contributions`) is another question: each prototype counts for
    the instance that is nearest to it, equation 15 there. Of a bag of more than 2000 instances 2000
    are prototypes (`thinned`; not in print), which is noted. O(M P D) and 40 K P bytes for K bags
    of M instances in all, P of them prototypes: beyond 4 GiB it raises TooLarge.
    """

    width: float = param(
        0.5, low=0.0, high=1e6, open_low=True, group="Similarity", title="Kernel width",
        grid=(0.2, 0.5, 1.0, 2.0), unit="median squared distance",
        help="Squared distance at which a similarity falls to 37 %.",
    )
    C: float = param(
        10.0, low=0.0, high=1e6, open_low=True, group="Support vectors", title="Penalty C",
        grid=(1.0, 10.0, 100.0),
        help="How much a bag on the wrong side costs: large values keep more instances.",
    )
    state = ("prototypes_", "weights_", "intercept_", "sigma2_", "mean_", "scale_")
    space = "embedded"

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Weigh the training instances. Raises MissingLabels without a positive and a negative bag,
        TooLarge."""
        X, training = self._training(X, y, bags, monitor)
        rows = renumbered(training.bags)[0]
        sampled = thinned(X, training.bags, _LARGEST_BAG)
        dictionary = renumbered(sampled)[0]
        _refuse_large(len(sampled), len(dictionary))
        self.notes_ += thinned_note(training.bags, _LARGEST_BAG, "are prototypes")
        self.mean_, self.scale_ = z_score(X[rows])
        Z = (X - self.mean_) / self.scale_
        self.sigma2_ = float(self.width * median_squared_distance(Z[rows]))
        watch, labels = monitored(monitor), training.bags.labels
        S = self._similarities(Z, Z[dictionary], training.bags, Portion(watch, 0.0, 0.5))
        watch.step(0.5, "Sparse machine")
        w, self.intercept_, settled = sparse_weights(S, labels, balanced(self.C, labels))
        if not settled:
            self.notes_.append("The weights had not settled; the last ones stand.")
        kept = w != 0
        self.prototypes_, self.weights_ = Z[dictionary[kept]], w[kept]
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        return self

    def contributions(self, X: ArrayLike, bags: Bags) -> NDArray[np.float64]:
        """What each member adds to the score of its bag, (M,) as `bags.members`;
        with the intercept they sum to it.

        Prototype k adds w_k s(x^k, B), divided among the instances of B that are most similar to
        it.
        """
        rows = bags.members
        s = kernel((self._validate_new(X)[rows] - self.mean_) / self.scale_, self.prototypes_,
                   1 / self.sigma2_)
        owner = bags.bag_of_member
        nearest = s == bag_max(s, _members_of(bags))[owner]
        share = nearest / np.maximum(_summed(nearest, owner, len(bags)), 1)[owner]
        return (share * s) @ self.weights_

    def witnesses(
        self, X: ArrayLike, bags: Bags, k: int, *, top: int = 5
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows of bag k and what they contribute to its score, largest first."""
        rows = bags.of(k)
        alone = Bags.from_lists([rows], bags.labels[k : k + 1])
        score = self.contributions(X, alone)
        best = np.argsort(-score, kind="stable")[:top]
        return rows[best], score[best]

    def _similarities(
        self, Z: NDArray, prototypes: NDArray, bags: Bags, monitor: Monitor | None
    ) -> NDArray[np.float64]:
        """s(x^k, B), (K, P), NaN for an empty bag. O(M P D)."""
        out = np.empty((len(bags), len(prototypes)))
        members, place = Z[bags.members], _members_of(bags)
        for some in slices(len(prototypes), CHUNK // max(len(members), 1), monitor, "Similarities"):
            out[:, some] = bag_max(kernel(members, prototypes[some], 1 / self.sigma2_), place)
        return out

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        Z = (X - self.mean_) / self.scale_
        score = (
            self._similarities(Z, self.prototypes_, bags, monitor) @ self.weights_ + self.intercept_
        )
        return np.where(bags.sizes > 0, score, np.nan)  # also where no prototype has a weight

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        out = np.empty(len(X))
        for rows in slices(len(X), CHUNK // max(len(self.prototypes_), 1), monitor, "Scores"):
            Z = (X[rows] - self.mean_) / self.scale_
            out[rows] = (
                kernel(Z, self.prototypes_, 1 / self.sigma2_) @ self.weights_ + self.intercept_
            )
        return out


def _refuse_large(n_bags: int, n: int) -> None:
    size = _BYTES * n_bags * n
    if size > _MAX_BYTES:
        raise TooLarge(
            f"{n_bags} bags by {n} instances need {size / 2**30:.0f} GiB",
            hint="Take fewer bags, or mi-svm-bag.",
        )


def _members_of(bags: Bags) -> Bags:
    """The same bags of a matrix whose rows are already in the order of the members."""
    return Bags(bags.indptr, np.arange(len(bags.members)), bags.labels, bags.ids, bags.classes)


def _summed(values: NDArray, owner: NDArray, n: int) -> NDArray[np.float64]:
    """Sums over the members of each bag, (n, P); 0 for an empty bag."""
    out = np.zeros((n, values.shape[1]))
    np.add.at(out, owner, values)
    return out
