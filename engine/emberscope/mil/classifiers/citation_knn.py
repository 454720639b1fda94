"""Citation-kNN: a bag takes the label of its nearest bags and of the bags that count it among their
nearest."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.distances import KINDS, bag_distances, own_distances
from emberscope.mil.feature_choice import KeepsBags
from emberscope.mil.scaling import STANDARDIZE, centered
from emberscope.mil.training_bags import renumbered

_VALUES = 1 << 22  # distances of instances to bags at a time
# distances that differ by less are equal: sums over a bag round by the order of its instances
TIED = 1 + 1e-9


class CitationKNN(KeepsBags):
    """References and citers of a bag vote; it is positive where more of them are positive than
    negative.

    References of a bag q are the `n_references` training bags nearest to it. Its citers are the
    training bags T that have fewer than `n_citers` other training bags nearer to them than q is.
    With p positive and n negative votes and the distances d+ and d- to the nearest positive and
    negative bag, the score of q is

        (p - n - 1/2 + 0.49 g) / (p + n),  g = (d- - d+) / (d- + d+)

    above 0 exactly where p > n, so a tie is negative; g orders bags with the same votes, never
    changes the decision. The score of an instance is the same with the minimal distance, to its
    nearest instance of each bag; a positive bag that holds the very instance (one of them, where
    there are more) has no vote: it knows no more than we do.

    Attributes
    ----------
    X_ : (n, D), training instances, (X - mean_) / scale_, in order of bags.
    indptr_ : (K+1,). labels_ : (K,) int8.
    radius_ : (K,), how near to a training bag another must be to be cited. witness_radius_ : (K,),
    the same of the minimal distance. mean_, scale_ : (D,).

    Notes
    -----
    Wang and Zucker 2000. The distance decides much where few instances of a positive bag are
    targets: all bags then hold background, and the minimal distance, the one of the paper, cannot
    tell them apart. In nested comparisons the average was never the worst, so it is the default.
    Differences from the paper: bags tied at the last place all vote, so that nothing depends on the
    order of bags; with fewer than `n_citers` other bags everything is cited.

    A training bag finds itself, at distance 0, among its references: its score is no estimate for
    new data. O(n² D) for n training instances, in blocks, and 8 n K bytes; TooLarge above 4 GiB. A
    bag of 10^5 instances works, but not with emd, which takes seconds for a hundred bags of a
    hundred instances.
    """

    distance: str = param(
        "average", choices=KINDS, group="Bags", title="Bag distance",
        grid=("min", "max", "average"),
        help="How far bags are apart. Min looks at the nearest pair only, which is blind where "
        "every bag holds background. Max looks at the instance that is worst off, average at all. "
        "Emd is slow.",
    )
    n_references: int = param(
        2, low=1, high=501, group="Bags", title="References", grid=(2, 4),
        help="Nearest bags that vote.",
    )
    n_citers: int = param(
        4, low=1, high=501, group="Bags", title="Citers", grid=(4, 6),
        help="A bag votes if it counts the new one among so many nearest.",
    )
    standardize: bool = STANDARDIZE
    state = (*KeepsBags.state, "radius_", "witness_radius_", "mean_", "scale_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Keep the bags and how near their neighbors are.
        Raises MissingLabels without a bag of each label."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        self.mean_, self.scale_ = centered(X[renumbered(training.bags)[0]],
                                           standardize=self.standardize)
        self._keep((X - self.mean_) / self.scale_, training.bags)
        between, nearest = own_distances(self.X_, self._kept, kind=self.distance,
                                         monitor=Portion(watch, 0.0, 0.9))
        minimal = segment_reduce(np.minimum, nearest, self.indptr_[:-1])
        self.radius_, self.witness_radius_ = self._radius(between), self._radius(minimal)
        self._learn(between, minimal)
        self.score_ = np.empty(len(X))
        self.score_[training.bags.members] = self._votes(
            self._without_own(nearest), self.witness_radius_, alone=True
        )
        rest = np.setdiff1d(np.arange(len(X)), training.bags.members)
        self.score_[rest] = self._instance_scores(X[rest], Portion(watch, 0.9, 1.0))
        return self

    def _learn(self, between: NDArray, minimal: NDArray) -> None:
        """What votes read beside labels, from the distances (K, K) between training bags and their
        minimal ones. A plain vote reads nothing."""

    def _radius(self, between: NDArray) -> NDArray[np.float64]:
        """Distance of each training bag to its `n_citers`-th nearest other one, (K,);
        inf where there is none."""
        if len(between) <= self.n_citers:
            return np.full(len(between), np.inf)
        others = between.copy()
        np.fill_diagonal(others, np.inf)
        return np.partition(others, self.n_citers - 1, axis=1)[:, self.n_citers - 1]

    def _without_own(self, nearest: NDArray) -> NDArray[np.float64]:
        """Distances of instances to bags (M, K), inf to one positive bag at distance 0,
        if there is another."""
        positive = np.flatnonzero(self.labels_ > 0)
        if len(positive) < 2:
            return nearest
        out = nearest.copy()
        zero = out[:, positive] == 0
        rows = np.flatnonzero(zero.any(axis=1))
        out[rows, positive[zero[rows].argmax(axis=1)]] = np.inf
        return out

    def _votes(
        self, distance: NDArray, radius: NDArray, *, alone: bool = False
    ) -> NDArray[np.float64]:
        """Scores (M,) from distances (M, K) to the training bags; inf has no vote. alone : of
        instances, whose distances are minimal ones."""
        return votes(distance, self.labels_ > 0, self.n_references, radius)

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        out = np.full(len(bags), np.nan)
        A = (X - self.mean_) / self.scale_
        distance = bag_distances(A, bags, self.X_, self._kept, kind=self.distance, monitor=monitor)
        full = bags.sizes > 0
        out[full] = self._votes(distance[full], self.radius_)
        return out

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        watch = monitored(monitor)
        out = np.empty(len(X))
        step = max(1, _VALUES // len(self.labels_))
        for start in range(0, len(X), step):
            A = (X[start : start + step] - self.mean_) / self.scale_
            alone = Bags.from_column(np.arange(len(A)), np.zeros(len(A)))
            part = Portion(watch, start / len(X), min(start + step, len(X)) / len(X))
            distance = bag_distances(A, alone, self.X_, self._kept, kind="min", monitor=part)
            out[start : start + step] = self._votes(self._without_own(distance),
                                                    self.witness_radius_, alone=True)
        return out


def votes(
    distance: NDArray, positive: NDArray, n_references: int, radius: NDArray
) -> NDArray[np.float64]:
    """Scores (M,) of bags at these distances (M, K) to training bags; inf has no vote.

    positive : (K,) bool, both kinds. n_references : nearest bags that vote. radius : (K,), within
    which a training bag cites another.
    """
    references, citers = voters(distance, n_references, radius)
    vote = references.astype(np.int64) + citers
    p, n = vote[:, positive].sum(axis=1), vote[:, ~positive].sum(axis=1)
    near, far = distance[:, positive].min(axis=1), distance[:, ~positive].min(axis=1)
    both = near + far
    g = np.divide(far - near, both, out=np.zeros(len(both)), where=both > 0)
    return (p - n - 0.5 + 0.49 * g) / (p + n)


def voters(
    distance: NDArray, n_references: int, radius: NDArray
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which training bags are references of bags at these distances (M, K), and which cite them;
    inf has no vote. radius : (K,), within which a training bag cites another."""
    last = min(n_references, distance.shape[1]) - 1
    known = np.isfinite(distance)
    nearest = np.partition(distance, last, axis=1)[:, [last]]
    return known & (distance <= TIED * nearest), known & (distance <= TIED * radius)
