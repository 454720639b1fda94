"""Which distances pairs ask for: those that pairs which were held out support most,
which may be the distances as they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.agreement import FOLDS, Agreement, agreement_of_folds, metric_of, pair_folds
from emberscope.metric.pairs import Pairs
from emberscope.metric.shapes import Axes, Shape, any_pairs, axes_of

AS_THEY_ARE = Shape()
_RIDGES = (0.1, 1.0, 0.01)
_SOFTNESS = (1.0, 0.3)  # below lies hardly more than a line
_LEAST = 5       # judged pairs of each kind, below which nothing is known
_ROUNDS, _MANY = 4, 400  # rounds at most; pairs from which one is enough
_USUAL = 1000    # pairs of instances whose distance is the unit of a fold
_ANYWAY = "Choose a softness, for example 0.3, to follow the pairs all the same."


def shapes_of(variant: str, softness: float | None, rank: int = 1) -> tuple[Shape, ...]:
    """What is tried for a variant of the equivalence metric: "auto", "soft", "ratio" or "rank". The
    first is taken where pairs cannot say."""
    if variant == "rank":
        return (Shape(rank=rank),)
    some = _SOFTNESS if softness is None else (softness,)
    if variant == "ratio":
        return tuple(Shape(each, ridge) for ridge in _RIDGES for each in some)
    if softness is not None:
        return (Shape(softness),)
    soft = (AS_THEY_ARE, *map(Shape, some))
    return (*soft, *shapes_of("ratio", None)) if variant == "auto" else soft


LINES = (*(Shape(ridge=ridge, rank=1) for ridge in _RIDGES), Shape(rank=1))


@dataclass(frozen=True, slots=True)
class _Fold:
    """Pairs to learn from and to judge by; what those say of directions, by ridge."""

    learned: Pairs
    judged: Pairs
    axes: dict[float | None, Axes]


@dataclass(frozen=True, slots=True)
class HeldOutPairs:
    """Pairs of scores T (N, r) in folds, and what each says of directions, before a shape is
    chosen: made once, for the choice and for the agreement.

    rounds : folds dealt anew, as few pairs are in better or worse order by chance of the deal.
    """

    T: NDArray
    pairs: Pairs
    rounds: tuple[tuple[_Fold, ...], ...]

    @classmethod
    def of(
        cls, T: NDArray, pairs: Pairs, *, push: float, shapes: Sequence[Shape]
    ) -> "HeldOutPairs":
        """O(5 (P r² + r³)) for each ridge among the shapes and each round."""
        ridges = dict.fromkeys(shape.ridge for shape in shapes)
        most = _ROUNDS if len(shapes) > 1 else 1
        return cls(T, pairs, tuple(
            tuple(_Fold(learned, judged,
                        {ridge: axes_of(T, learned, push=push, ridge=ridge) for ridge in ridges})
                  for learned, judged in pair_folds(pairs, len(T), seed=seed))
            for seed in range(min(most, 1 + _MANY // len(pairs)))))

    def agreement(self, shape: Shape) -> Agreement:
        """That of held-out pairs with distances of this shape, by the first round:
        see `held_out_agreement`. O(P r²)."""
        each = ((f.learned, f.judged, metric_of(self.T, f.axes[shape.ridge].map(shape)))
                for f in self.rounds[0])
        return agreement_of_folds(each, len(self.T))

    def distances(
        self, shapes: Sequence[Shape]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]]:
        """Of each round squared distances (P, shapes) of held-out pairs, in units of the usual one
        of their fold, which are alike (P,), and their weights (P,); rounds with too few left out.
        """
        found = [self._judged(folds, shapes) for folds in self.rounds if folds]
        return [(d, same, weight) for d, same, weight in found
                if min(same.sum(), (~same).sum()) >= _LEAST]

    def _judged(
        self, folds: Sequence[_Fold], shapes: Sequence[Shape]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
        others = any_pairs(len(self.T), self.pairs)
        drawn = np.random.default_rng(0).integers(0, len(self.T), (_USUAL, 2))
        found: list[tuple[NDArray, NDArray, NDArray]] = []
        for k, fold in enumerate(folds):
            held = fold.judged if others is None else fold.judged.joined(
                others.take(np.arange(len(others)) % FOLDS == k)
            )
            apart = [metric_of(self.T, fold.axes[shape.ridge].map(shape)) for shape in shapes]
            usual = [max(float(np.median(d(drawn))), np.finfo(float).tiny) for d in apart]
            found.append((np.stack([d(held.rows) / one for d, one in zip(apart, usual)], axis=1),
                          held.same, held.weight))
        d, same, weight = (np.concatenate(arrays) for arrays in zip(*found))
        return d, same, weight


@dataclass(frozen=True, slots=True)
class Choice:
    """shape : the one that held-out pairs support. order : how well it orders them, the chance that
    an alike pair is nearer than one that differs; plain : that of distances as they are. NaN where
    too few could be judged.
    """

    shape: Shape
    order: float = np.nan
    plain: float = np.nan

    def words(self) -> str:
        """What was found, as a sentence."""
        if np.isnan(self.order):
            return ("Too few pairs could be held out to say whether they hold for others: "
                    f"{self.shape.words}. {_ANYWAY}")
        if self.shape == AS_THEY_ARE:
            return ("Held-out pairs are in no better order with changed distances: "
                    f"distances as they are. {_ANYWAY}")
        return (f"Held-out pairs support {self.shape.words} most: an alike pair is nearer than one "
                f"that differs in {self.order:.0%}, in {self.plain:.0%} with distances as they "
                "are; 50 % is chance.")


def chosen(held: HeldOutPairs, shapes: Sequence[Shape]) -> Choice:
    """The shape that held-out pairs support most.

    Each shape learns from four folds of instances (see `held_out_agreement`) and orders the pairs
    of the fifth by distance; the area under the weighted ROC curve of all of them, the mean over
    rounds, is how well. The best is taken, the first of equals; but the first of `shapes`, where
    the best is within a standard error (as DeLong et al. 1988) of chance, since then nothing
    helps, and where too few pairs could be held out. Of one kind of pairs only, they are judged
    against pairs of instances drawn at random. O(rounds shapes P r²).
    """
    judged = held.distances(shapes) if len(shapes) > 1 else []
    if not judged:
        return Choice(shapes[0])
    orders, errors = [], []
    for apart, same, weight in judged:
        places = [_places(d, same, weight) for d in apart.T]
        orders.append([float(weight[same] @ place[same] / weight[same].sum()) for place in places])
        errors.append([_deviation(place, same, weight) for place in places])
    order, error = np.mean(orders, axis=0), np.mean(errors, axis=0)
    best = int(order.argmax())
    if order[best] - 0.5 <= error[best]:
        best = 0
    return Choice(shapes[best], float(order[best]), float(order[0]))


def _places(apart: NDArray, same: NDArray, weight: NDArray) -> NDArray[np.float64]:
    """(P,) what each pair does for the area: of an alike pair the weighted share of different ones
    that are farther, ties a half, of a different pair minus the share of alike ones beyond it. The
    weighted mean over alike pairs is the area."""
    out = np.empty(len(apart))
    out[same] = 1 - _share_below(apart[~same], weight[~same], apart[same])
    out[~same] = _share_below(apart[same], weight[same], apart[~same]) - 1
    return out


def _share_below(of: NDArray, weight: NDArray, at: NDArray) -> NDArray[np.float64]:
    """Weighted share (m,) of the values `of` (P,) that lie below each of `at` (m,); ties count a
    half."""
    order = np.argsort(of, kind="stable")
    up_to = np.append(0.0, np.cumsum(weight[order]))
    low, high = (up_to[np.searchsorted(of[order], at, side=side)] for side in ("left", "right"))
    return (low + high) / (2 * up_to[-1])


def _deviation(places: NDArray, same: NDArray, weight: NDArray) -> float:
    """Standard error of an area, from the placements (P,)."""
    variance = 0.0
    for kind in (same, ~same):
        w, d = weight[kind], places[kind]
        spread = d - w @ d / w.sum()
        variance += float(np.square(w * spread).sum() / w.sum() ** 2 * len(w) / (len(w) - 1))
    return float(np.sqrt(variance))
