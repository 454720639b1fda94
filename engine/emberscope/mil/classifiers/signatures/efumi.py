"""eFUMI: a target as one of the endmembers that instances are mixtures of."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import segment_argmax
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.signatures.endmembers import (
    N_BACKGROUND,
    background_endmembers,
    first_targets,
    pulled,
)
from emberscope.mil.classifiers.signatures.unmixing import left_over, unmixed
from emberscope.mil.classifiers.signatures.whitened import (
    REGULARIZATION,
    InWhitenedSpace,
    Whitened,
    of_length_one,
)
from emberscope.mil.training_bags import renumbered

_SETTLED = 1e-3  # change of an endmember, in deviations of the background
_USUAL = 0.95  # of negative instances gain less from the target than what counts as nothing


class EFUMI(InWhitenedSpace):
    """Instances are mixtures, x = p_T e_T + sum_k p_k e_k with shares of at least 0 and sum 1; only
    in positive bags some hold the target, p_T > 0.

        min  (1 - volume) / W sum_n w_n [z_n |x_n - p_n E|² + (1 - z_n) |x_n - q_n E_-|²]
             + volume / 10 mean over endmembers of |e - mu|²

    E are all endmembers and p_n shares of them, E_- those of the background and q_n shares of them;
    w_n is 1 in negative bags and `weight` N- / N+ in positive ones, of sum W; mu is the mean of all
    instances. z_n is how surely n holds the target: 0 in negative bags, 1 for the instance of a
    positive bag that gains most, else 1 - exp(-max(g_n / g - 1, 0)) of its gain
    g_n = |x_n - q_n E_-|² - |x_n - p_n E|², where 95 % of negative instances gain less than g.
    Alternates between z, the shares and the endmembers, which are the answer of linear equations.
    Instances are whitened first, see `InWhitenedSpace`; the score is along e_T - mean background.

    Attributes
    ----------
    endmembers_ : (1 + M, D), the target first, in units of the features. signature_ : (D,), target
    endmember less the background mean, of length 1. direction_ : (D,), the same in whitened space.
    background_, scale_ : (D,). whitening_ : (D, D). threshold_ : float.
    probability_ : (N,), z. history_ : largest change of an endmember in every round.

    Notes
    -----
    Jiao and Zare 2015, extended functions of multiple instances. Ours: whitened space, in which
    irrelevant features weigh no more than others; z by the gain of the target rather than by the
    distance from the background, which grows with every irrelevant feature; the best instance of a
    positive bag holds the target; shares without target have a sum of 1 of their own, else a share
    of target that costs nothing stands in for the mean; the number of background endmembers is
    given, not pruned; the first target is the best signature of MI-ACE. How far out e_T lies is not
    known where no instance is target alone. O(rounds N M (D + M²) + D³), TooLarge for more than
    6000 features.
    """

    n_background: int = N_BACKGROUND
    volume: float = param(
        0.2, low=0, high=1, open_high=True, group="Endmembers", title="Pull to the mean",
        grid=(0.05, 0.2, 0.5),
        help="How much endmembers are pulled towards the mean of all instances: more makes them "
        "less extreme and steadier.",
    )
    weight: float = param(
        1.0, low=0, open_low=True, high=100, group="Endmembers", advanced=True,
        title="Weight of positive bags",
        help="How much all instances of positive bags weigh together, those of negative ones 1.",
    )
    regularization: float = REGULARIZATION
    max_iter: int = param(
        30, low=1, high=1000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of shares and endmembers.",
    )
    aggregate: str = AGGREGATE
    state = (*InWhitenedSpace.state, "endmembers_", "direction_", "signature_", "probability_",
             "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the endmembers. Raises MissingLabels without a bag of each label, TooLarge for too
        many features."""
        watch = monitored(monitor)
        found = self._begin(X, y, bags, watch)
        data = _Mixed.of(found, self.weight)
        E = np.vstack([first_targets(found, 1, Portion(watch, 0.0, 0.1)), background_endmembers(
            data.A[data.negative], self.n_background, self.volume, Portion(watch, 0.1, 0.2))])
        history = []
        for round_ in range(self.max_iter):
            watch.step(0.2 + 0.7 * round_ / self.max_iter, f"Round {round_ + 1}")
            after, z = self._round(E, data)
            history.append(float(np.abs(after - E).max()))
            E = after
            if history[-1] < _SETTLED:
                break
        self.history_ = np.array(history)
        self.probability_ = np.zeros(len(found.W))
        self.probability_[data.rows] = z
        self.direction_ = of_length_one(E[:1] - found.W[data.rows[data.negative]].mean(axis=0))[0]
        self.signature_ = of_length_one(self._in_features(self.direction_[None], found.back))[0]
        self.endmembers_ = self.background_ + self._in_features(E, found.back)
        self._finish(found)
        return self

    def _answers(self, W: NDArray) -> NDArray[np.float64]:
        return W @ self.direction_

    def _round(
        self, E: NDArray, data: "_Mixed"
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Endmembers after one round, and how surely each instance holds the target."""
        without, full = unmixed(data.A, E[1:]), unmixed(data.A, E)
        gain = left_over(data.A, E[1:], without) - left_over(data.A, E, full)
        usual = max(float(np.quantile(gain[data.negative], _USUAL)), 1e-9)
        z = np.where(data.negative, 0.0, -np.expm1(-np.maximum(gain / usual - 1, 0)))
        z[data.members[segment_argmax(gain[data.members], data.indptr)]] = 1.0
        none = np.hstack([np.zeros((len(data.A), 1)), without])
        w = (1 - self.volume) * data.weight / data.weight.sum()
        S = (full * (w * z)[:, None]).T @ full + (none * (w * (1 - z))[:, None]).T @ none
        B = (full * (w * z)[:, None]).T @ data.A + (none * (w * (1 - z))[:, None]).T @ data.A
        return pulled(S, B, self.volume, data.A.mean(axis=0)), z


class _Mixed(NamedTuple):
    """Training instances, each once: A (n, D), rows (n,) of X; negative : (n,) bool; weight : (n,).

    indptr, members : the positive bags, members numbered within A.
    """

    A: NDArray[np.float64]
    rows: NDArray[np.int64]
    negative: NDArray[np.bool_]
    weight: NDArray[np.float64]
    indptr: NDArray[np.int64]
    members: NDArray[np.int64]

    @classmethod
    def of(cls, found: Whitened, weight: float) -> "_Mixed":
        """Instances of a negative bag are negative."""
        negatives, positives = found.background, renumbered(found.positive)[0]
        rows = np.concatenate([negatives, positives])
        negative = np.arange(len(rows)) < len(negatives)
        place = np.empty(len(found.W), np.int64)
        place[rows] = np.arange(len(rows))
        w = np.where(negative, 1.0, weight * len(negatives) / len(positives))
        return cls(found.W[rows], rows, negative, w, found.positive.indptr,
                   place[found.positive.members])
