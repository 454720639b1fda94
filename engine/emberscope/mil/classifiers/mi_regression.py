"""MI regression: a number of each bag, predicted by its best instances."""

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS
from emberscope.base.errors import DataError
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.mi_rank import leading_shares
from emberscope.mil.classifiers.rank_svm import linear_scores
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import STANDARDIZE, centered

_PENALTIES = np.logspace(-3, 4, 29)  # tried, times the mean eigenvalue
_STEP = 0.5  # of the way to the leading instances, in a round


class MIRegression(ChoosesFeatures):
    """A straight direction such that the number of a bag is that of its instances: f(B) = max, mean
    or softmax over x in B of f(x) = w'x + b.

        min over w, b  sum over bags of (v_B - f(B))² + penalty |w|²

    v_B is `Bags.values` where the bags have some, else their label. Alternates: every bag is
    represented by a mean of its instances, with the weights of those that lead it under f, of
    which half the way is gone in a round; ridge regression of the representatives gives f. Done
    from bag means and from all instances with the number of their bag, and the f of the least
    squared error of training bags stands. The score is f: above 0 where the number of the bag lies
    above the median, see `Bags.values`.

    Attributes
    ----------
    weights_ : (D,) float64, f(x) = (x - mean_)/scale_ weights_ + intercept_. mean_, scale_ : (D,),
    of the training instances. intercept_ : float. penalty_ : float, used. history_ : (rounds,) mean
    squared error of the training bags after every round.

    Notes
    -----
    Ray and Page 2001, multiple instance regression by one primary instance of each bag. There the
    primary instance is the one of the least error; here it is the largest, which a new bag has as
    well. With `aggregate` mean it is ridge regression of bag means, one round: the baseline. The
    penalty that is auto is the one of least leave-one-out error, in closed form. Labels of
    instances play no part but to leave known background out of positive bags. O(rounds (N D + K D
    min(K, D))). Bags of 10^5 instances work.
    """

    aggregate: str = replace(AGGREGATE, choices=("max", "mean", "softmax"), grid=("max", "mean"))
    penalty: float | None = param(
        None, low=0, open_low=True, high=1e9, group="Regression", auto="least leave-one-out error",
        help="How much large weights cost: more where features are many for so few bags.",
    )
    max_iter: int = param(
        50, low=1, high=1000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of leading instances and directions from each start.",
    )
    standardize: bool = STANDARDIZE
    state = ("weights_", "intercept_", "mean_", "scale_", "penalty_", "history_")
    predicts_values = True

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the direction. Raises MissingLabels without bags of two kinds, or above and below
        the median, DataError for a labeled bag whose number is unknown."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, watch)
        used = training.bags
        target = used.labels.astype(np.float64) if used.values is None else used.values
        if not np.isfinite(target).all():
            raise DataError(f"{how_many(int((~np.isfinite(target)).sum()), 'labeled bag')} without "
                            "a number", hint="Give these bags a number, or the label 0.")
        self.mean_, self.scale_ = centered(X[np.unique(used.members)], standardize=self.standardize)
        A = np.asarray((X[used.members] - self.mean_) / self.scale_, np.float64)
        own = replace(used, members=np.arange(len(A)))
        ends = [self._alternate(A, own, target, first, Portion(watch, at / 2, (at + 1) / 2))
                for at, first in enumerate(self._starts(A, own, target))]
        self.weights_, self.intercept_, self.penalty_, history = min(
            ends, key=lambda end: (round(end[3].min(), 12), end[3].size))
        self.history_ = history
        self.score_ = self._instance_scores(X, None)
        return self

    def _starts(self, A: NDArray, bags: Bags, target: NDArray) -> list[NDArray[np.float64]]:
        """First weights of the instances of every bag, (N,) each: equal, and those that lead by a
        regression of all instances."""
        owner = bags.bag_of_member
        equal = leading_shares(np.zeros(len(A)), bags, "mean")
        w, b, _ = ridge(A, target[owner], self.penalty)
        return [equal, leading_shares(A @ w + b, bags, self.aggregate)]

    def _alternate(
        self, A: NDArray, bags: Bags, target: NDArray, share: NDArray, watch: Monitor
    ) -> tuple[NDArray[np.float64], float, float, NDArray[np.float64]]:
        """Weights, intercept and penalty of the round of least error, and the errors of all."""
        history: list[float] = []
        best: tuple[NDArray, float, float] = (np.zeros(A.shape[1]), float(target.mean()), 1.0)
        for round_ in range(self.max_iter):
            watch.step(round_ / self.max_iter, f"Round {round_ + 1}")
            items = segment_reduce(np.add, A * share[:, None], bags.indptr[:-1])
            w, b, penalty = ridge(items, target, self.penalty)
            score = A @ w + b
            error = target - REDUCTIONS[self.aggregate](score, bags)
            history.append(float(np.square(error).mean()))
            if history[-1] <= min(history):
                best = w, b, penalty
            after = share + _STEP * (leading_shares(score, bags, self.aggregate) - share)
            if np.allclose(after, share):
                break
            share = after
        return *best, np.array(history)

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        return linear_scores(X, self.mean_, self.scale_, self.weights_) + self.intercept_


def ridge(
    A: NDArray[np.float64], target: NDArray[np.float64], penalty: float | None
) -> tuple[NDArray[np.float64], float, float]:
    """argmin over w, b of |target - A w - b|² + penalty |w|²: w (D,), b, and the penalty used.

    A : (n, D). target : (n,). penalty : None takes the one of least leave-one-out error, in closed
    form. O(n D min(n, D)).
    """
    mean, center = A.mean(axis=0), float(target.mean())
    U, s, Vt = np.linalg.svd(A - mean, full_matrices=False)
    projected = U.T @ (target - center)
    if penalty is None:
        scale = max(float(np.square(s).sum()) / max(len(s), 1), 1e-300)
        errors = []
        for tried in _PENALTIES * scale:
            shrink = s**2 / (s**2 + tried)
            left = target - center - U @ (shrink * projected)
            lever = np.minimum(np.square(U) @ shrink + 1 / len(A), 1 - 1e-9)
            errors.append(float(np.square(left / (1 - lever)).mean()))
        penalty = float(_PENALTIES[int(np.argmin(np.round(errors, 12)))] * scale)
    w = Vt.T @ (s / np.maximum(s**2 + penalty, 1e-300) * projected)
    return w, center - float(mean @ w), penalty
