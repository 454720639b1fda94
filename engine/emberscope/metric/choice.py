"""Which distances pairs ask for: those that pairs which were held out support, and of equals those
that leave most neighbors as they were, which may be the distances as they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.agreement import (
    FOLDS,
    Agreement,
    agreement_of_folds,
    folds_of_pairs,
    metric_of,
)
from emberscope.metric.pairs import Pairs
from emberscope.metric.shapes import Axes, Shape, any_pairs, axes_of

AS_THEY_ARE = Shape()
_RIDGES = (0.1, 1.0, 0.01)
_SOFTNESS = (1.0, 0.3)  # below lies hardly more than a line
_LEAST = 5       # judged pairs of each kind, below which nothing is known
_ROUNDS, _MANY = 4, 400  # rounds at most; pairs from which one is enough
_USUAL = 1000    # pairs of instances whose distance is the unit of a fold
_SAMPLE, _NEAR = 200, 5  # instances, and neighbors of each, by which changes are compared
_GENTLE = 0.5    # share of neighbors that a gentle change keeps
_BEYOND = 2.0    # standard errors by which another change must be better than gentle ones
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
    """Pairs to learn from, numbers (m,) of those to judge by; what the former say of directions,
    by ridge."""

    learned: Pairs
    judged: NDArray[np.int64]
    axes: dict[float | None, Axes]


@dataclass(frozen=True, slots=True)
class HeldOutPairs:
    """Pairs of scores T (N, r) in folds, and what each says of directions, before a shape is
    chosen: made once, for the choice and for the agreement.

    rounds : folds dealt anew, as few pairs are in better or worse order by chance of the deal.
    axes : what all pairs say of directions, by ridge.
    """

    T: NDArray
    pairs: Pairs
    rounds: tuple[tuple[_Fold, ...], ...]
    axes: dict[float | None, Axes]

    @classmethod
    def of(
        cls, T: NDArray, pairs: Pairs, *, push: float, shapes: Sequence[Shape]
    ) -> "HeldOutPairs":
        """O(5 (P r² + r³)) for each ridge among the shapes and each round."""
        ridges = dict.fromkeys(shape.ridge for shape in shapes)

        def axes(some: Pairs) -> dict[float | None, Axes]:
            return {ridge: axes_of(T, some, push=push, ridge=ridge) for ridge in ridges}

        most = _ROUNDS if len(shapes) > 1 else 1
        return cls(T, pairs, tuple(
            tuple(_Fold(learned, judged, axes(learned))
                  for learned, judged in _dealt(pairs, len(T), seed))
            for seed in range(min(most, 1 + _MANY // len(pairs)))), axes(pairs))

    def agreement(self, shape: Shape) -> Agreement:
        """That of held-out pairs with distances of this shape, by the first round:
        see `held_out_agreement`. O(P r²)."""
        each = ((f.learned, self.pairs.take(f.judged),
                 metric_of(self.T, f.axes[shape.ridge].map(shape)))
                for f in self.rounds[0])
        return agreement_of_folds(each, len(self.T))

    def kept(self, shapes: Sequence[Shape]) -> NDArray[np.float64]:
        """Share (shapes,) of the nearest of some instances that stay among the nearest."""
        drawn = np.random.default_rng(0).permutation(len(self.T))[:_SAMPLE]
        some = self.T[drawn].astype(np.float64)
        plain = _nearest(some)
        return np.array([(plain & _nearest(some @ self.axes[shape.ridge].map(shape))).sum()
                         / plain.sum() for shape in shapes])

    def placed(
        self, shapes: Sequence[Shape]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]] | None:
        """What each pair (P,) does for the order of each shape (P, shapes), the mean over the
        rounds in which it was held out, which pairs are alike (P,), and their weights (P,); None
        where there are too few. Pairs of any instances are the last where one kind is missing.
        """
        others = any_pairs(len(self.T), self.pairs)
        every = self.pairs if others is None else self.pairs.joined(others)
        sums, count = np.zeros((len(every), len(shapes))), np.zeros(len(every))
        for folds in self.rounds:
            who, apart = self._apart(folds, shapes, every)
            same, weight = every.same[who], every.weight[who]
            if min(same.sum(), (~same).sum()) >= _LEAST:
                sums[who] += np.stack([_places(d, same, weight) for d in apart.T], axis=1)
                count[who] += 1
        held = count > 0
        if not held.any():
            return None
        return sums[held] / count[held, None], every.same[held], every.weight[held]

    def _apart(
        self, folds: Sequence[_Fold], shapes: Sequence[Shape], every: Pairs
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers (m,) of the held-out pairs, and their squared distances (m, shapes) in units of
        the usual one of their fold."""
        drawn = np.random.default_rng(0).integers(0, len(self.T), (_USUAL, 2))
        extra = np.arange(len(self.pairs), len(every))
        who, found = [np.zeros(0, np.int64)], [np.zeros((0, len(shapes)))]
        for k, fold in enumerate(folds):
            who.append(np.concatenate([fold.judged, extra[extra % FOLDS == k]]))
            apart = [metric_of(self.T, fold.axes[shape.ridge].map(shape)) for shape in shapes]
            usual = [max(float(np.median(d(drawn))), np.finfo(float).tiny) for d in apart]
            rows = every.rows[who[-1]]
            found.append(np.stack([d(rows) / one for d, one in zip(apart, usual)], axis=1))
        return np.concatenate(who), np.concatenate(found)


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
            return ("Held-out pairs are in no clearly better order with changed distances: "
                    f"distances as they are. {_ANYWAY}")
        return (f"Held-out pairs support {self.shape.words}: an alike pair is nearer than one "
                f"that differs in {self.order:.0%}, in {self.plain:.0%} with distances as they "
                "are; 50 % is chance.")


def chosen(held: HeldOutPairs, shapes: Sequence[Shape]) -> Choice:
    """The shape that held-out pairs support, as near to distances as they are as they allow.

    Each shape learns from four folds of instances (see `held_out_agreement`) and orders the pairs
    of the fifth by distance; the area under the weighted ROC curve of all of them, the mean over
    rounds, is how well. The first of `shapes` is taken where the best is not one standard error (as
    DeLong et al. 1988) above chance, and above the first: neighbors are then better off as they
    are. So it is where too few pairs could be held out. Of one kind of pairs only, they are judged
    against pairs of instances drawn at random.

    Pairs tell how far classes lie apart, not whether the groups of a class keep their neighbors. So
    where the first is distances as they are, see `_gentlest`; else the best is taken, the first of
    equals. O(rounds shapes P r²).
    """
    placed = held.placed(shapes) if len(shapes) > 1 else None
    if placed is None:
        return Choice(shapes[0])
    order = _Order(*placed)
    best = int(order.areas.argmax())
    if order.areas[best] - 0.5 <= _deviation(order.places[:, best], order.same, order.weight):
        best = 0
    elif shapes[0] == AS_THEY_ARE:
        best = _gentlest(order, held.kept(shapes))
    elif not order.clearly(best, 0, 1.0):
        best = 0
    return Choice(shapes[best], float(order.areas[best]), float(order.areas[0]))


@dataclass(frozen=True, slots=True)
class _Order:
    """What each pair does for the order of each shape; see `HeldOutPairs.placed`."""

    places: NDArray[np.float64]
    same: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @property
    def areas(self) -> NDArray[np.float64]:
        """(shapes,)."""
        weight = self.weight[self.same]
        return weight @ self.places[self.same] / weight.sum()

    def clearly(self, a: int, b: int, errors: float) -> bool:
        """Whether shape a orders better than b by more than so many standard errors."""
        gained = _deviation(self.places[:, a] - self.places[:, b], self.same, self.weight)
        return bool(self.areas[a] - self.areas[b] > errors * gained)


def _gentlest(order: _Order, kept: NDArray) -> int:
    """Of the shapes that are not clearly worse than the best, the one that keeps most neighbors.

    kept : (shapes,) share of neighbors. A shape that keeps less than half of them is the best only
    where it is two standard errors better than the best of the others.
    """
    areas = order.areas
    best, gentle = int(areas.argmax()), int(np.where(kept >= _GENTLE, areas, -np.inf).argmax())
    if kept[best] < _GENTLE and not order.clearly(best, gentle, _BEYOND):
        best = gentle
    as_good = [shape for shape in range(len(kept)) if not order.clearly(best, shape, 1.0)]
    return max(as_good, key=lambda shape: kept[shape])


def _nearest(Z: NDArray) -> NDArray[np.bool_]:
    """(n, n) True for the 5 nearest of each of Z (n, r)."""
    square = np.einsum("nr,nr->n", Z, Z)
    apart = square - 2 * Z @ Z.T
    np.fill_diagonal(apart, np.inf)
    near = np.zeros(apart.shape, bool)
    np.put_along_axis(near, np.argsort(apart, axis=1, kind="stable")[:, :_NEAR], True, axis=1)
    return near


def _dealt(pairs: Pairs, n: int, seed: int) -> list[tuple[Pairs, NDArray[np.int64]]]:
    """`pair_folds`, with the numbers of the pairs that are judged."""
    ends = folds_of_pairs(pairs, n, seed)[pairs.rows]
    inside = [np.flatnonzero((ends == k).all(axis=1)) for k in range(FOLDS)]
    learned = [pairs.take((ends != k).all(axis=1)) for k in range(FOLDS)]
    return [(some, judged) for some, judged in zip(learned, inside, strict=True)
            if len(some) and len(judged)]


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
    """Standard error of an area, or of a difference of two, from the placements (P,)."""
    variance = 0.0
    for kind in (same, ~same):
        w, d = weight[kind], places[kind]
        spread = d - w @ d / w.sum()
        variance += float(np.square(w * spread).sum() / w.sum() ** 2 * len(w) / (len(w) - 1))
    return float(np.sqrt(variance))
