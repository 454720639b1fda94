"""MI-ACE: the target signature that every positive bag answers to and no negative one,
for the cosine detector."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean, segment_argmax
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.signatures.whitened import (
    REGULARIZATION,
    InWhitenedSpace,
    of_length_one,
)

_STARTS = 5000  # instances of positive bags tried as the first signature
_VALUES = 1 << 20  # answers to starts at a time


class MIACE(InWhitenedSpace):
    """A signature s in whitened space, |s| = 1;
    the answer of an instance is the cosine between it and s.

        max_s  1/K+ sum over positive bags of max_x s'z(x)  -  1/K- sum over negative bags of mean_x
        s'z(x)

    z(x) = w(x) / |w(x)|, w(x) as of `InWhitenedSpace`. Alternates between the instances that answer
    best, one per positive bag, and s = t / |t|, t = mean of these - mean of the means of negative
    bags, until the same are chosen again. Starts from the instance of a positive bag that is the
    best signature.

    Attributes
    ----------
    signature_ : (D,), s un-whitened: how a target differs from the background mean, in units of the
    features, of length 1. direction_ : (D,), s. background_, scale_ : (D,). whitening_ : (D, D).
    threshold_ : float.
    history_ : objective after every round, never decreasing.

    Notes
    -----
    Zare, Jiao and Glenn 2018. Scores are answers less `threshold_`, the one that tells most
    training bags right; as these were seen in training, evaluation takes a threshold from inner
    folds on top. Features are put on one scale first, so that the regularization is a share of
    their variance; a constant feature counts for nothing. Of more than 5000 instances in positive
    bags only the 5000 farthest from the background, in whitened space, are starts, which is noted.
    O(N+² D + N D² + D³) for N+ of them. TooLarge for more than 6000 features. Bags of 10^5
    instances work.
    """

    regularization: float = REGULARIZATION
    max_iter: int = param(
        100, low=1, high=10_000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of choosing instances and the signature; it usually settles within ten.",
    )
    aggregate: str = AGGREGATE
    state = (*InWhitenedSpace.state, "direction_", "signature_", "history_")
    _unit: ClassVar[bool] = True  # whether instances are brought to length 1

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the signature. Raises MissingLabels without a bag of each label,
        TooLarge for too many features."""
        watch = monitored(monitor)
        found = self._begin(X, y, bags, watch)
        positive = found.positive
        far = np.linalg.norm(found.W[positive.members], axis=1)
        Z = self._scaled(found.W)
        P, mean = Z[positive.members], bag_mean(Z, found.negative).mean(axis=0)
        first = self._start(P, far, positive.indptr[:-1], mean, watch)
        self.direction_, self.history_ = self._signature(
            first, P, positive.indptr[:-1], mean, watch
        )
        self.signature_ = of_length_one(self._in_features(self.direction_[None], found.back))[0]
        self._finish(found)
        return self

    def _scaled(self, W: NDArray) -> NDArray[np.float64]:
        """Whitened instances as the detector takes them; one at the background mean stays 0."""
        return of_length_one(W) if self._unit else W

    def _answers(self, W: NDArray) -> NDArray[np.float64]:
        return self._scaled(W) @ self.direction_

    def _signature(
        self, s: NDArray, P: NDArray, starts: NDArray, mean: NDArray, watch: Monitor
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Best signature from s, and the objective after every round;
        P are the instances of positive bags."""
        chosen, history = None, []
        for round_ in range(self.max_iter):
            watch.step(1 - 0.5 * 0.8**round_, f"Round {round_ + 1}")
            answer = P @ s
            history.append(float(segment_reduce(np.maximum, answer, starts).mean() - s @ mean))
            best = segment_argmax(answer, np.append(starts, len(answer)))
            if chosen is not None and np.array_equal(best, chosen):
                break
            chosen = best
            t = P[chosen].mean(axis=0) - mean
            s = t / max(float(np.linalg.norm(t)), np.finfo(np.float64).tiny)
        return s, np.array(history)

    def _start(
        self, P: NDArray, far: NDArray, starts: NDArray, mean: NDArray, watch: Monitor
    ) -> NDArray[np.float64]:
        """The instance of a positive bag with the largest objective, of length 1;
        `far` from the background, (N+,)."""
        rows = np.flatnonzero(far > 1e-9)
        if len(rows) > _STARTS:
            rows = rows[np.argsort(-far[rows], kind="stable")[:_STARTS]]
            self.notes_.append(
                f"Of {len(P)} instances in positive bags {_STARTS} were tried as the first "
                "signature.")
        C = of_length_one(P[rows])
        value = np.empty(len(C))
        for part in slices(len(C), _VALUES // len(P), Portion(watch, 0.0, 0.5),
                           "First signature"):
            value[part] = segment_reduce(np.maximum, C[part] @ P.T, starts, axis=1).mean(axis=1)
        return C[int(np.argmax(np.round(value - C @ mean, 12)))]
