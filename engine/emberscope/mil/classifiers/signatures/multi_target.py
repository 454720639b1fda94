"""Multi-target MI-ACE: several target signatures, each of which some positive bags answer to."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_mean, segment_argmax
from emberscope.base.grouping import how_many
from emberscope.base.monitor import Monitor, Portion, monitored, slices
from emberscope.base.param import param
from emberscope.base.segments import segment_reduce
from emberscope.mil.classifier import AGGREGATE
from emberscope.mil.classifiers.signatures.whitened import (
    REGULARIZATION,
    InWhitenedSpace,
    Whitened,
    of_length_one,
)

STARTS = 1000  # instances of positive bags tried as a first signature, those farthest out
_VALUES = 1 << 20  # answers at a time

N_TARGETS = param(
    2, low=1, high=20, group="Bags", title="Signatures", grid=(1, 2, 3, 4),
    help="How many kinds of targets there are; one that explains no bag is dropped.",
)


class MultiTargetMIACE(InWhitenedSpace):
    """Signatures s_1 ... s_T in whitened space, |s_t| = 1; an instance answers by the best of them.

        max  1/K+ sum over positive bags of max_x max_t s_t'z(x)
           - 1/K- sum over negative bags of mean_x max_t s_t'z(x)
           - diversity mean over pairs of s_t's_u

    z(x) = w(x) / |w(x)| for the cosine detector, w(x) for the matched filter, w(x) as of
    `InWhitenedSpace`. Signatures are begun one after the other, each with the instance of a
    positive bag that raises the objective most; then every positive bag belongs to the signature
    that it answers best, and s_t becomes t / |t|, t = mean of the best instances of its bags - mean
    of the means of negative bags - diversity times the mean of the other signatures, until the same
    instances are chosen again. A signature that no bag belongs to is dropped.

    Attributes
    ----------
    signatures_ : (T, D), un-whitened: how targets differ from the background mean, in units of the
    features, of length 1. directions_ : (T, D), s_t. share_ : (T,) of positive bags that belong to
    each, largest first. background_, scale_ : (D,). whitening_ : (D, D). threshold_ : float.
    history_ : objective of every round.

    Notes
    -----
    Bocinsky 2019. The objective may fall from round to round: the answers of negative bags to
    several signatures take no part in one. Of more than 1000 instances in positive bags the 1000
    farthest from the background are starts, which is noted. O(T S N D + D³) for S starts; TooLarge
    for more than 6000 features.
    """

    n_targets: int = N_TARGETS
    detector: str = param(
        "cosine", choices=("cosine", "matched filter"), group="Bags", grid=(),
        help="Cosine is MI-ACE: the angle counts, however faint a target is. Matched filter is "
        "MI-SMF: strong targets answer more.",
    )
    diversity: float = param(
        0.0, low=0, high=1, group="Bags", advanced=True,
        help="How much signatures keep away from each other.",
    )
    regularization: float = REGULARIZATION
    max_iter: int = param(
        100, low=1, high=10_000, group="Computation", title="Rounds at most", advanced=True,
        help="Rounds of choosing instances and signatures; they usually settle within ten.",
    )
    aggregate: str = AGGREGATE
    state = (*InWhitenedSpace.state, "directions_", "signatures_", "share_", "history_")

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, *, bags: Bags | None = None,
        side: object = None, monitor: Monitor | None = None,
    ) -> Self:
        """Find the signatures. Raises MissingLabels without a bag of each label,
        TooLarge for too many features."""
        watch = monitored(monitor)
        found = self._begin(X, y, bags, watch)
        sides = Sides.of(found, unit=self.detector == "cosine")
        self.notes_ += sides.notes
        first = sides.begun(self.n_targets, self.diversity, Portion(watch, 0.0, 0.5))
        S, self.history_ = self._alternate(first, sides, Portion(watch, 0.5, 1.0))
        owner = (sides.P @ S.T)[sides.chosen(S)[1]].argmax(axis=1)
        share = np.bincount(owner, minlength=len(S)) / len(owner)
        order = np.argsort(-share, kind="stable")
        self.directions_, self.share_ = S[order], share[order]
        if len(order) < self.n_targets:
            self.notes_.append(f"{how_many(len(order), 'signature')} of {self.n_targets} "
                               f"explain{'s' * (len(order) == 1)} all positive bags; the others "
                               "were dropped.")
        self.signatures_ = of_length_one(self._in_features(self.directions_, found.back))
        self._finish(found)
        return self

    def _answers(self, W: NDArray) -> NDArray[np.float64]:
        Z = of_length_one(W) if self.detector == "cosine" else W
        return (Z @ self.directions_.T).max(axis=1)

    def _alternate(
        self, S: NDArray, sides: "Sides", watch: Monitor
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The signatures where the choice of instances settles, and the objective of every
        round."""
        history, before = [], b""
        for round_ in range(self.max_iter):
            watch.step(1 - 0.8**round_, f"Round {round_ + 1}")
            history.append(sides.objective(S, self.diversity))
            answers, rows = sides.chosen(S)
            owner = answers[rows].argmax(axis=1)
            if (now := rows.tobytes() + owner.tobytes()) == before:
                break
            before = now
            kept = np.unique(owner)
            means = np.array([sides.P[rows[owner == t]].mean(axis=0) for t in kept])
            others = (S[kept].sum(axis=0) - S[kept]) / max(len(kept) - 1, 1)
            S = of_length_one(means - sides.mean - self.diversity * others)
        return S, np.array(history)


@dataclass(frozen=True, slots=True)
class Sides:
    """Instances of positive bags P (N+, D) and of negative bags Q (N-, D), one bag after the other,
    as a detector takes them.

    starts : (K+,) of the positive bags in P. own : the negative bags, of rows of Q. mean : (D,), of
    their means. candidates : (S, D), instances of positive bags of length 1, to begin with.
    notes : what was left out.
    """

    P: NDArray[np.float64]
    Q: NDArray[np.float64]
    starts: NDArray[np.int64]
    own: Bags
    mean: NDArray[np.float64]
    candidates: NDArray[np.float64]
    notes: list[str]

    @classmethod
    def of(cls, found: Whitened, *, unit: bool) -> "Sides":
        """unit : whether instances are brought to length 1."""
        positive, negative = found.positive, found.negative
        Z = of_length_one(found.W) if unit else found.W
        P, Q = Z[positive.members], Z[negative.members]
        own = replace(negative, members=np.arange(len(Q)))
        far = np.linalg.norm(found.W[positive.members], axis=1)
        rows = np.flatnonzero(far > 1e-9)
        notes = []
        if len(rows) > STARTS:
            rows = np.sort(rows[np.argsort(-far[rows], kind="stable")[:STARTS]])
            notes = [f"Of {len(far)} instances in positive bags {STARTS} were tried as first "
                     "signatures."]
        return cls(P, Q, positive.indptr[:-1], own, bag_mean(Q, own).mean(axis=0),
                   of_length_one(P[rows]), notes)

    def chosen(self, S: NDArray) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Answers to the signatures (N+, T), and the row of the best instance of each positive
        bag."""
        answers = self.P @ S.T
        ends = np.append(self.starts, len(self.P))
        return answers, segment_argmax(answers.max(axis=1), ends)

    def objective(self, S: NDArray, diversity: float) -> float:
        """Of signatures S (T, D)."""
        gain = segment_reduce(np.maximum, (self.P @ S.T).max(axis=1), self.starts).mean()
        loss = bag_mean((self.Q @ S.T).max(axis=1), self.own).mean()
        alike = (S @ S.T)[np.triu_indices(len(S), 1)]
        return float(gain - loss - diversity * (alike.mean() if len(alike) else 0.0))

    def begun(self, count: int, diversity: float, watch: Monitor) -> NDArray[np.float64]:
        """Signatures (count, D), one after the other the candidate that raises the objective
        most."""
        C, found = self.candidates, np.empty((0, self.P.shape[1]))
        high, low = np.full(len(self.P), -np.inf), np.full(len(self.Q), -np.inf)
        for number in range(count):
            part = Portion(watch, number / count, (number + 1) / count)
            raised = self._values(C, high, low, part)
            if len(found):
                raised = raised - diversity * (C @ found.T).mean(axis=1)
            at = int(np.argmax(np.round(raised, 12)))
            found = np.vstack([found, C[at]])
            high, low = np.maximum(high, self.P @ C[at]), np.maximum(low, self.Q @ C[at])
        return found

    def _values(
        self, C: NDArray, high: NDArray, low: NDArray, watch: Monitor
    ) -> NDArray[np.float64]:
        """The objective with each of the candidates C beside signatures of answers `high` (N+,) and
        `low` (N-,)."""
        out = np.empty(len(C))
        size = 1 / (self.own.sizes[self.own.bag_of_member] * len(self.own))
        for rows in slices(len(C), _VALUES // (len(self.P) + len(self.Q)), watch, "Signatures"):
            up = segment_reduce(np.maximum, np.maximum(C[rows] @ self.P.T, high), self.starts,
                                axis=1).mean(axis=1)
            out[rows] = up - np.maximum(C[rows] @ self.Q.T, low) @ size
        return out
