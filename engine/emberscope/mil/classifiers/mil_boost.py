"""MIL-Boost: boosted decision stumps whose bags are judged by a noisy-or of their instances."""

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from emberscope.bags.model import Bags
from emberscope.base.errors import TooLarge
from emberscope.base.kernels import njit
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifiers.stumps import SortedFeatures, Stump
from emberscope.mil.feature_choice import EVERY_FEATURE, ChoosesFeatures
from emberscope.mil.training_bags import renumbered

_LARGEST_VOTE = 10.0
_LEAST_GAIN = 1e-6  # of the log-likelihood; less ends the boosting
_LEAST = 1e-300  # of the evidence of a bag, whose logarithm is taken
_BYTES = 4 << 30  # of presorted features


class MILBoost(ChoosesFeatures):
    """An instance is a target with probability p = sigmoid(h(x)),
    a bag is positive unless none of its instances is.

    Maximizes the log-likelihood of the bag labels, sum_k L_k log p_k + (1 - L_k) log(1 - p_k) with
    L in {0, 1} and p_k = 1 - prod_n (1 - p_kn), over h(x) = bias + sum_t vote_t s_t(x), s_t in {-1,
    +1} decision stumps (Viola, Platt and Zhang 2005). Each round takes the stump that agrees best
    with the gradient p_kn (L_k - p_k) / p_k and the vote on [0, 10] that raises the likelihood
    most.

    Attributes
    ----------
    feature_ : (T,) int64, threshold_, vote_ : (T,) float64. A stump gives +vote where
        x[feature] > threshold, else -vote. bias_ : float, the start logit(1 / mean bag size), at
        most 0, and the votes of stumps that are constant.
    log_likelihood_ : (rounds + 1,), never decreasing.
        feature_importance_ : (D,), share of each feature in the votes.
    score_ : (N,) h of every instance, the log-odds of p.

    Notes
    -----
    The score of a bag is the log-odds of p_k; it grows with the number of instances. Everything is
    computed from -log(1 - p_k) = sum_n log(1 + exp(h_kn)), so that bags of 10^5 instances neither
    saturate nor lose their gradient; the bias keeps a bag of mean size undecided at the start.
    Boosting ends early where a round gains less than 1e-6. Bags of one instance: boosting with the
    logistic loss. Stumps do not care about the scale of features; no randomness, no reliance on the
    order of anything. O(N D log N) once, O(N D) per round, 5 N D bytes for the presorted features,
    TooLarge beyond 4 GB.
    """

    features: str = EVERY_FEATURE
    n_rounds: int = param(
        100, low=1, high=10_000, group="Boosting", title="Rounds", grid=(10, 30, 100),
        help="Stumps at most; more of them fit the training bags more closely.",
    )
    shrinkage: float = param(
        1.0, low=0, open_low=True, high=1, group="Boosting", title="Shrinkage",
        grid=(0.1, 0.3, 1.0),
        help="Share of the best vote each stump gets; small values need more rounds and mislead "
        "less.",
    )
    state = ("feature_", "threshold_", "vote_", "bias_", "log_likelihood_", "feature_importance_")
    space: ClassVar[Literal["instance", "bag", "embedded"]] = "instance"

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Boost. Raises MissingLabels without a positive and a negative bag,
        TooLarge (see Notes)."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        rows, used = renumbered(training.bags)
        if (size := 5 * len(rows) * X.shape[1]) > _BYTES:
            raise TooLarge(
                f"the sorted features of {len(rows)} instances need {size / 2**30:.1f} GB",
                hint="Choose smaller features, a reduction or a larger stride.",
            )
        self._boost(X[rows], used, watch)
        self.score_ = self._instance_scores(X, Portion(watch, 0.95, 1.0))
        return self

    def _boost(self, X: NDArray, bags: Bags, watch: Monitor) -> None:
        found = SortedFeatures(X, Portion(watch, 0.0, 0.1))
        start = -float(np.log(max(bags.sizes.mean() - 1, 1.0)))  # logit(1 / n), 0 for bags of one
        self.bias_, stumps, votes = start, [], []
        h = np.full(len(X), start)
        reached = [log_likelihood(h, bags)]
        for t in range(self.n_rounds):
            part = Portion(watch, 0.1 + 0.85 * t / self.n_rounds,
                           0.1 + 0.85 * (t + 1) / self.n_rounds)
            stump = found.best(likelihood_gradient(h, bags), part)
            says = _verdicts(stump, X)
            vote = self.shrinkage * _best_vote(h, says, bags)
            value = log_likelihood(h + vote * says, bags)
            if not value - reached[-1] >= _LEAST_GAIN:
                break
            h += vote * says
            reached.append(value)
            stumps.append(stump)
            votes.append(vote * stump.sign)
            part.step(1.0, f"Round {t + 1} of {self.n_rounds}")
        self._keep(stumps, np.array(votes), X.shape[1])
        self.log_likelihood_ = np.array(reached)

    def _keep(self, stumps: list[Stump], votes: NDArray, n_features: int) -> None:
        feature = np.array([stump.feature for stump in stumps], np.int64)
        self.bias_ = float(self.bias_ + votes[feature < 0].sum())
        self.feature_, self.vote_ = feature[feature >= 0], votes[feature >= 0]
        self.threshold_ = np.array([stump.threshold for stump in stumps])[feature >= 0]
        weight = np.bincount(self.feature_, np.abs(self.vote_), n_features)
        self.feature_importance_ = weight / max(float(weight.sum()), np.finfo(np.float64).tiny)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        watch = monitored(monitor)
        h = np.full(len(X), self.bias_)
        for t, feature in enumerate(self.feature_):
            h += np.where(X[:, feature] > self.threshold_[t], self.vote_[t], -self.vote_[t])
            watch.step(t / len(self.feature_), "Scoring")
        return h

    def _bag_scores(self, X: NDArray, bags: Bags, monitor: Monitor | None) -> NDArray[np.float64]:
        evidence = _evidence(self._instance_scores(X, monitor), bags)
        return evidence + _log_expm1_less(evidence)


def log_likelihood(h: NDArray[np.float64], bags: Bags) -> float:
    """Of the bag labels, where instance n is a target with probability sigmoid(h[n]).
    O(M). `h` : (N,)."""
    evidence = _evidence(h, bags)
    return float(np.where(bags.labels > 0, _log_expm1_less(evidence), -evidence).sum())


def likelihood_gradient(h: NDArray[np.float64], bags: Bags) -> NDArray[np.float64]:
    """(N,) derivative of `log_likelihood` with respect to h:
    p_kn (L_k - p_k) / p_k summed over the bags of n. O(M)."""
    evidence = _evidence(h, bags)
    missed = np.exp(-evidence)  # 1 - p_k
    bag_weight = np.where(bags.labels > 0, missed / -np.expm1(-evidence), -1.0)
    p = np.exp(-np.logaddexp(0.0, -h))
    return np.asarray(np.bincount(bags.members, np.repeat(bag_weight, bags.sizes), len(h)) * p,
                      np.float64)


def _evidence(h: NDArray[np.float64], bags: Bags) -> NDArray[np.float64]:
    """-log(1 - p_k) of every bag; NaN for an empty one."""
    out = np.empty(len(bags))
    _add_softplus(np.ascontiguousarray(h, np.float64), bags.members, bags.indptr, out)
    return out


@njit(cache=True, nogil=True)
def _add_softplus(h: NDArray, members: NDArray, indptr: NDArray, out: NDArray) -> None:
    """Per bag the sum of log(1 + exp(h)) of its members:
    a search for the best vote asks for it some ten times."""
    for k in range(len(out)):
        total = 0.0
        for at in range(indptr[k], indptr[k + 1]):
            value = h[members[at]]
            total += np.log1p(np.exp(-abs(value))) + max(value, 0.0)
        out[k] = max(total, _LEAST) if indptr[k + 1] > indptr[k] else np.nan


def _log_expm1_less(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """log p_k = log(1 - exp(-evidence))."""
    return np.log(-np.expm1(-evidence))


def _verdicts(stump: Stump, X: NDArray) -> NDArray[np.float64]:
    """(N,) -1 or +1."""
    if stump.feature < 0:
        return np.full(len(X), float(stump.sign))
    return np.where(X[:, stump.feature] > stump.threshold, float(stump.sign), -float(stump.sign))


def _best_vote(h: NDArray, says: NDArray, bags: Bags) -> float:
    """The vote on [0, 10] that raises the likelihood most: Brent's method."""
    found = minimize_scalar(
        lambda vote: -log_likelihood(h + vote * says, bags), bounds=(0.0, _LARGEST_VOTE),
        method="bounded", options={"xatol": 1e-5},
    )
    return float(found.x)
