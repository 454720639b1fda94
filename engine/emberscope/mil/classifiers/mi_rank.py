"""MI ranking: positive bags above negative ones, where a bag ranks by its best,
its mean or its leading instances."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import RANDOM_STATE, param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE, best_threshold
from emberscope.mil.classifiers.rank_svm import (
    PENALTY,
    bag_pairs,
    group_pairs,
    linear_scores,
    ranking_direction,
)
from emberscope.mil.feature_choice import ALL, AUTO, ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered

_LEAD = 5.0  # of softmax, as in bags.reduce
_TOLERANCE = 0.05  # of the margin, in every round


class MIRank(ChoosesFeatures):
    """A ranking SVM of bags whose score is that of their instances: f(B) = max,
    mean or softmax of w'x over x in B.

    Minimizes 1/2 ||w||^2 + gamma sum_mn zeta_mn so that f(B_m) >= f(B_n) + 1 - zeta_mn,
    zeta_mn >= 0, over pairs of a positive bag m and a negative bag n (Hu, Li and Yu 2008; eq 2-11
    and 2-12 of McCurley 2020, where zeta > 0 is a misprint). Alternates: every positive bag is
    represented by its witness under w (softmax: by its mean with weights exp(5 w'x)), every
    negative bag by a moving mean of its witnesses so far; a ranking SVM of the representatives
    gives w.

    Attributes
    ----------
    weights_ : (D,) float64, score = (x - mean_)/scale_ weights_ - threshold_. mean_, scale_ : (D,),
    of the training instances. threshold_ : tells most training bags right. score_ : (N,).
    history_ : (rounds,) objective after every round; n_pairs_ : preferences used.

    Notes
    -----
    Three levels, items, bags and boxes as Bergeron, Zaretzki, Breneman and Bennett 2008 name them,
    with `pairs` within groups: instances lie in bags and bags in groups (`Bags.groups`: blocks of
    frames, or the groups of a point set), and a bag is only compared with bags of its own group, so
    that what all bags of a group share, such as the light, says nothing. Starts from bag means.
    Ours: the moving mean (steps 2/(i + 3)). With the last witness alone every round lowers the
    instance that the round before raised, and the objective swings without end; with the mean it
    settles, as fictitious play does, for with fixed positive witnesses the problem is convex. The
    best direction is kept; it ends when ten rounds gained less than one percent, or after
    `max_iter`. With `aggregate` mean it is one round: RankSVM of bag means. Pairs and gamma as in
    RankSVM: at most 10^4 pairs, gamma = penalty K / P. Bags of one: the plain ranking SVM. Bags of
    10^5 instances work: O(N D) per round, memory 8 N D.
    """

    aggregate: str = replace(AGGREGATE, choices=("max", "mean", "softmax"))
    pairs: str = param(
        "all", choices=("all", "within groups"), group="Bags", title="Pairs compared",
        help="All: every positive bag above every negative one. Within groups: only bags of the "
        "same frames, or of one group of a point set, are compared; unless few are asked for, all "
        "features count then.",
    )
    penalty: float = PENALTY
    max_iter: int = param(
        60, low=1, high=1000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of witnesses and directions; it usually settles within thirty.",
    )
    standardize: bool = STANDARDIZE
    random_state: int = RANDOM_STATE
    state = ("mean_", "scale_", "weights_", "threshold_", "history_", "n_pairs_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the direction. Raises MissingLabels without a positive and a negative bag, DataError
        where pairs are within groups and no group holds both."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        used = training.bags
        self.mean_, self.scale_ = centered(X[np.unique(used.members)], standardize=self.standardize)
        # in the order of the bags
        A = np.asarray((X[used.members] - self.mean_) / self.scale_, np.float64)
        kept = replace(used, members=np.arange(len(A)))
        self.weights_ = self._alternate(A, kept, Portion(watch, 0.0, 0.9))
        self.threshold_ = 0.0
        self.threshold_ = best_threshold(used.labels, self._bag_scores(X, used, None))
        self.score_ = self._instance_scores(X, Portion(watch, 0.9, 1.0))
        return self

    @property
    def _asked(self) -> str:
        """Unasked, few features are those that tell bags of all groups apart: within groups others
        may."""
        within = self.pairs != "all" and self.features == AUTO
        return ALL if within else self.features

    def _alternate(self, A: NDArray[np.float64], bags: Bags, watch: Monitor) -> NDArray[np.float64]:
        """Witnesses and directions in turn; the direction of the lowest objective."""
        rng = np.random.default_rng(self.random_state)
        better, worse = (bag_pairs if self.pairs == "all" else group_pairs)(bags, rng)
        limit = self.penalty * len(bags) / len(better)
        share, alpha = 1 / bags.sizes[bags.bag_of_member].astype(np.float64), None
        negative = bags.labels[bags.bag_of_member] < 0
        best, history = np.zeros(A.shape[1]), []
        for i in range(self.max_iter):
            part = Portion(watch, i / self.max_iter, (i + 1) / self.max_iter)
            items = segment_reduce(np.add, A * share[:, None], bags.indptr[:-1])
            found = ranking_direction(
                items, better, worse, limit, rng=rng, alpha=alpha, tolerance=_TOLERANCE,
                monitor=part
            )
            score = REDUCTIONS[self.aggregate](A @ found.w, bags)
            broken = np.maximum(1 - score[better] + score[worse], 0.0).sum()
            history.append(float(found.w @ found.w / 2 + limit * broken))
            if history[-1] <= min(history):
                best = found.w
            leading, alpha = leading_shares(A @ found.w, bags, self.aggregate), found.alpha
            after = np.where(negative, share + (leading - share) * 2 / (i + 3), leading)
            if np.allclose(after, share) or _stalled(history):
                break
            share = after
        self.history_, self.n_pairs_ = np.array(history), len(better)
        return best

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        monitored(monitor).step(0.0, "Scoring")
        return linear_scores(X, self.mean_, self.scale_, self.weights_) - self.threshold_


def leading_shares(
    score: NDArray[np.float64], bags: Bags, aggregate: str
) -> NDArray[np.float64]:
    """How much every instance stands for its bag, (N,), of sum 1 in each: all alike for "mean", the
    best for "max", exp(5 score) for "softmax".

    score : (N,), of instances in the order of the bags, none empty.
    """
    owner = bags.bag_of_member
    if aggregate == "mean":
        return 1 / bags.sizes[owner].astype(np.float64)
    top = segment_reduce(np.maximum, score, bags.indptr[:-1])[owner]
    weight = ((score == top).astype(np.float64) if aggregate == "max"
              else np.exp(_LEAD * (score - top)))
    return weight / segment_reduce(np.add, weight, bags.indptr[:-1])[owner]


def _stalled(history: list[float]) -> bool:
    """Whether the last ten rounds gained less than one percent."""
    return len(history) > 10 and min(history[-10:]) > 0.99 * min(history[:-10])
