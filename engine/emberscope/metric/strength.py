"""How strongly pairs may change distances: as much as pairs that were held out support,
which may be not at all."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from emberscope.metric.agreement import FOLDS, Agreement, agreement_of_folds, metric_of, pair_folds
from emberscope.metric.pairs import Pairs
from emberscope.metric.soft_equivalence import pair_moment, soft_weights

UNCHANGED = inf  # the softness at which distances stay as they are
_TRIED = (UNCHANGED, 3.0, 1.0, 0.3)  # gentlest first; below lies hardly more than one line
_NEAR = 0.25     # of the different pairs: how far the near end reaches, which neighbors are made of
_SURE = 1.6448536269514722  # standard errors: what would be better by chance in 5 of 100 cases
_LEAST = 5      # judged pairs of each kind, below which nothing is known
_TYPICAL = 1000  # pairs of instances drawn where one kind is missing
_AS_THEY_ARE = (
    "distances stay as they are. Set the softness, for example 0.3, to follow the pairs all the "
    "same."
)


@dataclass(frozen=True, slots=True)
class SoftFold:
    """Pairs to learn from and pairs to judge by;
    of what was learned eigenvalues (r,) and eigenvectors V (r, r)."""

    learned: Pairs
    judged: Pairs
    values: NDArray[np.float64]
    V: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SoftFolds:
    """Pairs of scores T (N, r) in folds, and the soft metric of each before its softness is chosen:
    made once, for the choice and for the agreement."""

    T: NDArray
    pairs: Pairs
    folds: tuple[SoftFold, ...]
    seed: int

    @classmethod
    def of(cls, T: NDArray, pairs: Pairs, *, push: float, seed: int = 0) -> "SoftFolds":
        """O(5 (P r² + r³))."""
        parted = pair_folds(pairs, len(T), seed=seed)
        folds = tuple(SoftFold(learned, judged,
                               *eigh(pair_moment(T, learned, push), check_finite=False))
                      for learned, judged in parted)
        return cls(T, pairs, folds, seed)

    def agreement(self, softness: float) -> Agreement:
        """That of held-out pairs with the metric of this softness:
        see `held_out_agreement`. O(P r²)."""
        each = ((f.learned, f.judged,
                 metric_of(self.T, f.V * np.sqrt(soft_weights(f.values, softness))))
                for f in self.folds)
        return agreement_of_folds(each, len(self.T), seed=self.seed)


@dataclass(frozen=True, slots=True)
class Strength:
    """softness : inf where distances stay as they are. order : the near order of held-out pairs
    with it, plain : that with unchanged distances, 0.125 by chance and 1 at best
    (see `supported_strength`); NaN where too few were judged.
    """

    softness: float
    order: float = np.nan
    plain: float = np.nan

    def words(self) -> str:
        """What was found, as a sentence."""
        if np.isnan(self.order):
            return ("Too few pairs could be held out to say whether they hold for others: "
                    f"{_AS_THEY_ARE}")
        if self.softness == UNCHANGED:
            return ("Held-out pairs of near chips are in no better order with changed distances: "
                    f"{_AS_THEY_ARE}")
        return (f"Held-out pairs support softness {self.softness:g}: their near order is "
                f"{self.order:.2f}, "
                f"{self.plain:.2f} with distances as they are; 1 is all alike pairs nearer than "
                "any that differ.")


def supported_strength(parted: SoftFolds) -> Strength:
    """The softness that held-out pairs support.

    Each of 0.3, 1, 3 and "as they are" learns from four folds of instances
    (see `held_out_agreement`) and orders the pairs of the fifth by distance. Judged is the near
    order: the area under the weighted ROC curve up to the nearest quarter of the pairs that differ,
    over that quarter, since votes of neighbors rest on what is near; the whole area grows with any
    line along which the means part, also where neighbors get worse. Of one kind of pairs only, they
    are judged against pairs of instances drawn at random. The gentlest is taken that is not worse
    than the best at 95 % (one side), and none where the best is not better than chance; by standard
    errors of paired differences (as DeLong et al. 1988), in the manner of Breiman et al. 1984: a
    metric that its own pairs cannot tell from none is not applied. O(P r²).
    """
    judged = _judged(parted)
    if judged is None:
        return Strength(UNCHANGED)
    apart, same, weight = judged
    places = [_near(d, same, weight) for d in apart.T]
    order = np.array([float(weight[same] @ place[same] / weight[same].sum()) for place in places])
    best = int(order.argmax())
    chance = order[best] - _NEAR / 2 <= _SURE * _deviation(places[best], same, weight)
    chosen = 0 if chance else next(k for k in range(
        len(_TRIED)
    ) if order[best] - order[k] <= _SURE * _deviation(
        places[best] - places[k], same, weight))
    return Strength(_TRIED[chosen], float(order[chosen]), float(order[0]))


def given_softness(softness: float | None, parted: SoftFolds, *, notes: list[str]) -> float:
    """Return the softness as it is, or in place of None the one that held-out pairs support;
    a note says why."""
    if softness is not None:
        return softness
    found = supported_strength(parted)
    notes.append(found.words())
    return found.softness


def _judged(
    parted: SoftFolds
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]] | None:
    """Squared distances (P, candidates) of held-out pairs, relative to those usual in their fold,
    which are alike (P,), and their weights (P,); None where there are too few.
    """
    T = parted.T
    others = _drawn(len(T), parted.pairs, parted.seed)
    found: list[tuple[NDArray, NDArray, NDArray]] = []
    for k, fold in enumerate(parted.folds):
        held = fold.judged if others is None else fold.judged.joined(
            others.take(np.arange(len(others)) % FOLDS == k)
        )
        square = np.square((T[held.rows[:, 0]] - T[held.rows[:, 1]]) @ fold.V)
        apart = (
            square @ np.stack([soft_weights(fold.values, softness) for softness in _TRIED], axis=1)
        )
        found.append((apart / np.maximum(np.median(apart, axis=0), np.finfo(float).tiny), held.same,
                      held.weight))
    if not found:
        return None
    apart, same, weight = (np.concatenate(arrays) for arrays in zip(*found))
    return (apart, same, weight) if min(same.sum(), (~same).sum()) >= _LEAST else None


def _drawn(n: int, pairs: Pairs, seed: int) -> Pairs | None:
    """Pairs of any instances, as the kind that is missing; None where both are there."""
    if pairs.same.any() and not pairs.same.all():
        return None
    rows = np.random.default_rng(seed).integers(0, n, (_TYPICAL, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    return Pairs(rows, np.full(len(rows), not pairs.same[0]), np.ones(len(rows)))


def _near(apart: NDArray, same: NDArray, weight: NDArray) -> NDArray[np.float64]:
    """(P,) what each pair does for the near order of squared distances (P,);
    its weighted mean over alike pairs is it.

    Of an alike pair max(0, q - F) / q, F the weighted share of different pairs that are nearer,
    ties a half. Of a different pair minus the share of alike ones with F < q that lie beyond it,
    over q: what it costs them.
    """
    out, q = np.empty(len(apart)), _NEAR
    nearer = _share_below(apart[~same], weight[~same], apart[same])
    out[same] = np.maximum(q - nearer, 0) / q
    reached = weight[same] * (nearer < q)
    beyond = reached.sum() - _share_below(apart[same], reached, apart[~same], total=1.0)
    out[~same] = -beyond / weight[same].sum() / q
    return out


def _share_below(
    of: NDArray, weight: NDArray, at: NDArray, *, total: float | None = None
) -> NDArray[np.float64]:
    """Weighted share (m,), or sum over `total`, of the values `of` (P,) that lie below each of `at`
    (m,); ties count a half."""
    order = np.argsort(of, kind="stable")
    up_to = np.append(0.0, np.cumsum(weight[order]))
    low, high = (up_to[np.searchsorted(of[order], at, side=side)] for side in ("left", "right"))
    return (low + high) / (2 * (up_to[-1] if total is None else total))


def _deviation(difference: NDArray, same: NDArray, weight: NDArray) -> float:
    """Standard error of the difference of two areas, from that of the placements (P,)."""
    variance = 0.0
    for kind in (same, ~same):
        w, d = weight[kind], difference[kind]
        spread = d - w @ d / w.sum()
        variance += float(np.square(w * spread).sum() / w.sum() ** 2 * len(w) / (len(w) - 1))
    return float(np.sqrt(variance))
