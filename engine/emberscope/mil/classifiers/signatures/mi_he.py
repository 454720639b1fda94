"""MI-HE: endmembers of targets and background under which every positive bag holds a target by the
hybrid detector."""

from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.signatures.endmembers import (
    N_BACKGROUND,
    background_endmembers,
    first_targets,
)
from emberscope.mil.classifiers.signatures.multi_target import N_TARGETS
from emberscope.mil.classifiers.signatures.unmixing import left_over, unmixed
from emberscope.mil.classifiers.signatures.whitened import (
    REGULARIZATION,
    InWhitenedSpace,
    Whitened,
    of_length_one,
)

_VOLUME = 0.1  # pull of the first background endmembers to the mean
_HALVINGS = 6
_SETTLED = 1e-5  # gain of the objective in a round
_NOTHING = 1e-9  # squared distance below which an instance is explained


class MIHE(InWhitenedSpace):
    """Endmembers of targets and background, E_+ and E_-, under which bags have their labels. With
    r(x) = |x - pE|² for shares p of all endmembers (at least 0, of sum 1), r_-(x) = |x - qE_-|² for
    shares q of those of the background, and Pr(x) = exp(-sharpness r(x) / r_-(x)):

        min  - mean over positive bags of log(mean over x of Pr(x)^power) / power
             + fidelity mean over negative x of r_-(x)
             + contrast / 2 mean over negative x of (x'p_+E_+)²

    The generalized mean of a bag stands for its best instance; the second part makes E_- explain
    the background, the third keeps targets from answering to it. An instance scores by the hybrid
    detector, 1 - r(x) / r_-(x): the share of what the background leaves over that a target
    explains. Instances are whitened first, see `InWhitenedSpace`.

    Attributes
    ----------
    endmembers_ : (T + M, D), targets first, in units of the features. signatures_ : (T, D), target
    endmembers less the background mean, of length 1. mixed_ : (T + M, D), endmembers in whitened
    space; n_targets_ : T. background_, scale_ : (D,). whitening_ : (D, D). threshold_ : float.
    history_ : objective after every round, never rising.

    Notes
    -----
    Jiao, Chen, McGarvey, Bohlman, Jiao and Zare 2018, multiple instance hybrid estimator. Ours:
    whitened space; shares of sum 1, which print has beside sparse codes; means in place of sums, so
    that weights do not depend on the numbers of bags; steps along the slope over its curvature,
    halved until the objective falls with shares found anew. The first targets are signatures as of
    `MultiTargetMIACE`. sharpness is half the number of features: log Pr is then the likelihood
    ratio of white noise. O(rounds N M (D + M²) + D³). TooLarge for more than 6000 features.
    """

    n_targets: int = replace(N_TARGETS, default=1, help="How many kinds of targets there are.")
    n_background: int = N_BACKGROUND
    sharpness: float | None = param(
        None, low=0, open_low=True, high=1e4, group="Endmembers", advanced=True,
        auto="half the number of features",
        help="How fast the probability of a target falls as it explains less.",
    )
    power: float = param(
        2.0, low=0, open_low=True, high=50, group="Bags", title="Power of the mean", advanced=True,
        help="Of the generalized mean over a bag: the larger, the more its best instance alone "
        "counts.",
    )
    fidelity: float = param(
        0.8, low=0, open_low=True, high=100, group="Endmembers", title="Weight of the background",
        grid=(0.2, 0.8, 3.0),
        help="How much it counts that background endmembers explain negative bags.",
    )
    contrast: float = param(
        0.01, low=0, high=100, group="Endmembers", advanced=True,
        help="How much answers of negative instances to targets cost.",
    )
    regularization: float = REGULARIZATION
    max_iter: int = param(
        50, low=1, high=1000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of shares and endmembers.",
    )
    aggregate: str = AGGREGATE
    state = (*InWhitenedSpace.state, "mixed_", "n_targets_", "endmembers_", "signatures_",
             "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the endmembers. Raises MissingLabels without a bag of each label, TooLarge for too
        many features."""
        watch = monitored(monitor)
        found = self._begin(X, y, bags, watch)
        targets = first_targets(found, self.n_targets, Portion(watch, 0.0, 0.1))
        negatives = found.W[found.background]
        E = np.vstack([targets, background_endmembers(negatives, self.n_background, _VOLUME,
                                                      Portion(watch, 0.1, 0.2))])
        self.n_targets_ = len(targets)
        self.mixed_, self.history_ = self._descend(E, found, negatives, watch)
        mean = negatives.mean(axis=0)
        self.signatures_ = of_length_one(
            self._in_features(self.mixed_[: self.n_targets_] - mean, found.back))
        self.endmembers_ = self.background_ + self._in_features(self.mixed_, found.back)
        self._finish(found)
        return self

    def _answers(self, W: NDArray) -> NDArray[np.float64]:
        E, background = self.mixed_, self.mixed_[self.n_targets_ :]
        without = left_over(W, background, unmixed(W, background))
        gain = without - left_over(W, E, unmixed(W, E))
        return np.maximum(gain, 0) / np.maximum(without, _NOTHING)

    def _descend(
        self, E: NDArray, found: Whitened, negatives: NDArray, watch: Monitor
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Endmembers of the lowest objective, and the objective after every round."""
        P, starts = found.W[found.positive.members], found.positive.indptr[:-1]
        now = self._state(E, P, starts, negatives)
        history = [now.objective]
        for round_ in range(self.max_iter):
            watch.step(0.2 + 0.7 * round_ / self.max_iter, f"Round {round_ + 1}")
            step, length = self._step(now, P, starts, negatives), 1.0
            for _ in range(_HALVINGS):
                after = self._state(now.E - length * step, P, starts, negatives)
                if after.objective < now.objective:
                    break
                length /= 2
            else:
                break
            history.append(after.objective)
            now = after
            if history[-2] - history[-1] < _SETTLED:
                break
        return now.E, np.array(history)

    def _state(self, E: NDArray, P: NDArray, starts: NDArray, Q: NDArray) -> "_State":
        """Shares and objective of endmembers E, for instances P of positive bags and negative
        ones Q."""
        T, beta = self.n_targets_, self.sharpness or E.shape[1] / 2
        p, q, a, c = (unmixed(Z, D) for Z in (P, Q) for D in (E, E[T:]))
        r, rest = left_over(P, E, p), np.maximum(left_over(P, E[T:], q), _NOTHING)
        log = -beta * self.power * r / rest
        top = segment_reduce(np.maximum, log, starts)
        sizes = np.diff(np.append(starts, len(P)))
        weight = np.exp(log - np.repeat(top, sizes))
        total = segment_reduce(np.add, weight, starts)
        bags = -(top + np.log(total / sizes)).mean() / self.power
        answer = np.einsum("nd,nd->n", a[:, :T] @ E[:T], Q)
        objective = (bags + self.fidelity * left_over(Q, E[T:], c).mean()
                     + self.contrast / 2 * np.square(answer).mean())
        share = weight / np.repeat(total * len(starts), sizes)
        return _State(E, p, q, a, c, r, rest, beta * share / rest, answer, float(objective))

    def _step(
        self, s: "_State", P: NDArray, starts: NDArray, Q: NDArray
    ) -> NDArray[np.float64]:
        """Slope of the objective by every endmember, over its curvature."""
        T = self.n_targets_
        left, alone = P - s.p @ s.E, P - s.q @ s.E[T:]
        slope = -2 * (s.p * s.pull[:, None]).T @ left
        bend = 2 * (np.square(s.p) * s.pull[:, None]).sum(axis=0)
        slope[T:] += 2 * (s.q * (s.pull * s.r / s.rest)[:, None]).T @ alone
        slope[T:] -= 2 * self.fidelity / len(Q) * s.c.T @ (Q - s.c @ s.E[T:])
        bend[T:] += 2 * self.fidelity / len(Q) * np.square(s.c).sum(axis=0)
        slope[:T] += self.contrast / len(Q) * (s.a[:, :T] * s.answer[:, None]).T @ Q
        return slope / np.maximum(bend, 1e-9 * max(float(bend.max()), 1e-300))[:, None]


class _State(NamedTuple):
    """Endmembers E (T + M, D) with the shares of positive bags p (N+, T + M) and q (N+, M) without
    targets, and of negative instances a, c; distances r, rest (N+,) of these; how much each
    instance pulls, (N+,); answer (N-,) to targets."""

    E: NDArray[np.float64]
    p: NDArray[np.float64]
    q: NDArray[np.float64]
    a: NDArray[np.float64]
    c: NDArray[np.float64]
    r: NDArray[np.float64]
    rest: NDArray[np.float64]
    pull: NDArray[np.float64]
    answer: NDArray[np.float64]
    objective: float
