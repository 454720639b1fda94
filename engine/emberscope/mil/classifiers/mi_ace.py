"""MI-ACE: the target signature that every positive bag answers to and no negative one,
for the cosine detector."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import REDUCTIONS, bag_mean, segment_argmax
from emberscope.base.errors import DataError, TooLarge
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE, best_threshold
from emberscope.mil.feature_choice import ChoosesFeatures
from emberscope.mil.scaling import centered

_STARTS = 5000  # instances of positive bags tried as the first signature
_VALUES = 1 << 20  # answers to starts at a time
_MOST_FEATURES = 6000


class MIACE(ChoosesFeatures):
    """A signature s in whitened space, |s| = 1;
    the answer of an instance is the cosine between it and s.

        max_s  1/K+ sum over positive bags of max_x s'z(x)  -  1/K- sum over negative bags of mean_x
        s'z(x)

    z(x) = w(x) / |w(x)|, w(x) = Lambda^-1/2 U'(x - mu) / scale, with mean mu and covariance U
    Lambda U' (plus `regularization` times the identity) of all negative instances. Alternates
    between the instances that answer best, one per positive bag, and s = t / |t|, t = mean of
    these - mean of the means of negative bags, until the same are chosen again. Starts from the
    instance of a positive bag that is the best signature.

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

    regularization: float = param(
        1e-3, low=0, open_low=True, high=10, group="Background", grid=(1e-3, 1e-2, 1e-1, 1.0),
        help="Variance added to the background in every direction, as a share of that of a "
        "feature. More where negative instances are few for so many features.",
    )
    max_iter: int = param(
        100, low=1, high=10_000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of choosing instances and the signature; it usually settles within ten.",
    )
    aggregate: str = AGGREGATE
    state = ("background_", "scale_", "whitening_", "direction_", "signature_", "threshold_",
             "history_")
    calibrated = False
    _unit: ClassVar[bool] = True  # whether instances are brought to length 1

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the signature. Raises MissingLabels without a bag of each label,
        TooLarge for too many features."""
        watch = monitored(monitor)
        X, training = self._training(X, y, bags, monitor)
        if X.shape[1] > _MOST_FEATURES:
            raise TooLarge(f"the covariance of {X.shape[1]} features",
                           hint="Reduce them by PCA first.")
        found = training.bags
        unwhitening = self._learn_background(X, found)
        positive, negative = (found.take(np.flatnonzero(found.labels == label))
                              for label in (1, -1))
        W = self._whitened(X)
        far = np.linalg.norm(W[positive.members], axis=1)
        Z = self._scaled(W)
        P, mean = Z[positive.members], bag_mean(Z, negative).mean(axis=0)
        first = self._start(P, far, positive.indptr[:-1], mean, watch)
        self.direction_, self.history_ = self._signature(
            first, P, positive.indptr[:-1], mean, watch
        )
        shown = np.where(np.isinf(self.scale_), 0.0, self.scale_) * (self.direction_ @ unwhitening)
        self.signature_ = shown / np.linalg.norm(shown)
        answer = Z @ self.direction_
        self.threshold_ = best_threshold(found.labels, REDUCTIONS[self.aggregate](answer, found))
        self.score_ = answer - self.threshold_
        return self

    def _learn_background(self, X: NDArray, bags: Bags) -> NDArray[np.float64]:
        """Mean and whitening of the negative instances;
        returns the inverse of the whitening, (D, D)."""
        negatives = np.unique(bags.members[bags.labels[bags.bag_of_member] < 0])
        _, self.scale_ = centered(X[np.unique(bags.members)], standardize=True)
        self.background_ = X[negatives].mean(axis=0, dtype=np.float64)
        B = (X[negatives] - self.background_) / self.scale_
        values, U = np.linalg.eigh(B.T @ B / len(B))
        root = np.sqrt(np.maximum(values, 0.0) + self.regularization)
        # symmetric: a sign or turn of the eigenvectors changes nothing
        self.whitening_ = U / root @ U.T
        return U * root @ U.T

    def _whitened(self, X: NDArray) -> NDArray[np.float64]:
        return ((X - self.background_) / self.scale_) @ self.whitening_

    def _scaled(self, W: NDArray) -> NDArray[np.float64]:
        """Whitened instances as the detector takes them; one at the background mean stays 0."""
        length = np.linalg.norm(W, axis=1, keepdims=True)
        return np.divide(W, length, out=np.zeros_like(W), where=length > 0) if self._unit else W

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
        if not len(rows):
            raise DataError("target and background instances are all the same",
                            hint="Choose other features.")
        if len(rows) > _STARTS:
            rows = rows[np.argsort(-far[rows], kind="stable")[:_STARTS]]
            self.notes_.append(
                f"Of {len(P)} instances in positive bags {_STARTS} were tried as the first "
                "signature.")
        C = P[rows] / np.linalg.norm(P[rows], axis=1, keepdims=True)
        value = np.empty(len(C))
        for part in slices(len(C), _VALUES // len(P), Portion(watch, 0.0, 0.5), "First signature"):
            value[part] = segment_reduce(np.maximum, C[part] @ P.T, starts, axis=1).mean(axis=1)
        return C[int(np.argmax(np.round(value - C @ mean, 12)))]

    def _instance_scores(self, X: NDArray, monitor: Monitor | None) -> NDArray[np.float64]:
        out = np.empty(len(X))
        for part in slices(len(X), _VALUES // X.shape[1], monitor, "Answers to the signature"):
            out[part] = self._scaled(self._whitened(X[part])) @ self.direction_
        return out - self.threshold_
