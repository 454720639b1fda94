"""Which distances pairs ask for: those by whose neighbors held-out pairs are named best, and of
equals those that leave most neighbors as they were, which may be the distances as they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.metric.agreement import (
    FOLDS,
    Agreement,
    agreement_of_folds,
    folds_of_pairs,
    largest_tied,
    metric_of,
)
from emberscope.metric.learned import MOST_COMPONENTS
from emberscope.metric.pairs import Pairs
from emberscope.metric.shapes import Axes, Features, Shape, any_pairs, axes_alone, axes_of
from emberscope.neighbors.threads import one_blas_thread

Measured = tuple[float | None, bool]  # of a shape

AS_THEY_ARE = Shape()
_RIDGES = (0.1, 1.0, 0.01, 10.0)
_SOFTNESS = (1.0, 0.3)  # below lies hardly more than a line
_ALONE, _ALONE_RIDGE = (0.3, 0.15), 0.1
_LEAST = 5       # judged pairs of each kind, below which nothing is known
_FITS, _MANY = 20, 200   # metrics learned without some pairs; pairs from which 5 are enough
_VOTES = 3       # pairs most like a held-out one, which vote
_BY_VOTES = 0.75  # share of votes in what is judged by; of distances, the rest
_USUAL = 200     # pairs of instances whose distance is the unit of a fold
_VOTERS, _JUDGED = 300, 200  # pairs of a fold at most
_SPREAD = 500  # instances by which a map of few dimensions is turned
_SAMPLE, _NEAR = 200, 5  # instances, and neighbors of each, by which changes are compared
_CLEAR = 1.5     # standard errors that make a difference clear
_ABOVE = 2.5     # the same above chance, where the best of many shapes is luckier than one
_ANYWAY = "Choose a softness, for example 0.3, to follow the pairs all the same."


def shapes_of(variant: str, softness: float | None, rank: int = 1) -> tuple[Shape, ...]:
    """What is tried for a variant of the equivalence metric: "auto", "mixed" (all but features
    alone), "soft", "ratio", "alone" or "rank". The first is taken where pairs cannot say."""
    if variant == "rank":
        return (Shape(rank=rank),)
    if variant == "alone":
        return tuple(Shape(each, _ALONE_RIDGE, alone=True)
                     for each in (_ALONE if softness is None else (softness,)))
    some = _SOFTNESS if softness is None else (softness,)
    if variant == "ratio":
        return tuple(Shape(each, ridge) for ridge in _RIDGES for each in some)
    if softness is not None:
        return (Shape(softness),)
    soft = (AS_THEY_ARE, *map(Shape, some))
    more = {"mixed": ("ratio",), "auto": ("ratio", "alone")}.get(variant, ())
    return sum((shapes_of(each, None) for each in more), soft)


LINES = (*(Shape(ridge=ridge, rank=1) for ridge in _RIDGES), Shape(rank=1))


@dataclass(frozen=True, slots=True)
class _Fold:
    """Pairs to learn from, numbers (m,) of those to judge by; what the former say of directions,
    by how these are measured."""

    learned: Pairs
    judged: NDArray[np.int64]
    axes: dict[Measured, Axes]


@dataclass(frozen=True, slots=True)
class Placed:
    """What each held-out pair does for each shape, the mean over the rounds: votes, apart
    (P, shapes), for the order by votes of the pairs most like it and for that by distance. same,
    weight (P,): of the pairs."""

    votes: NDArray[np.float64]
    apart: NDArray[np.float64]
    same: NDArray[np.bool_]
    weight: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeldOutPairs:
    """Pairs of scores T (N, r) in folds, and what each says of directions, before a shape is
    chosen: made once, for the choice and for the agreement.

    rounds : folds dealt anew, where ties leave only few of them.
    axes : what all pairs say of directions, by how these are measured.
    features : of the rows of T, for shapes that weigh them alone.
    dimensions : of the map whose neighbors count; None for all.
    """

    T: NDArray
    pairs: Pairs
    rounds: tuple[tuple[_Fold, ...], ...]
    axes: dict[Measured, Axes]
    features: Features
    dimensions: int | None

    @classmethod
    @one_blas_thread()  # small matrices: more threads wait for each other, and round
    def of(
        cls, T: NDArray, pairs: Pairs, *, push: float, shapes: Sequence[Shape],
        features: Features | None = None, dimensions: int | None = None,
    ) -> "HeldOutPairs":
        """Each fit leaves out as few pairs as 20 of them can, as 20 pairs say little anyway.
        O(20 (P r² + r³)) for each ridge among the shapes, and of those that weigh features alone
        O(20 P D). Without features these are the columns of T."""
        features = Features.of(T, np.arange(len(T))) if features is None else features
        ways = dict.fromkeys(shape.measured for shape in shapes)
        most = max(MOST_COMPONENTS, dimensions or 1)

        def axes(some: Pairs) -> dict[Measured, Axes]:
            return {(ridge, alone): axes_alone(features, some, ridge=ridge or 0.0, most=most)
                    if alone else axes_of(T, some, push=push, ridge=ridge)
                    for ridge, alone in ways}

        few = len(shapes) > 1 and len(pairs) < _MANY
        whole = len(pairs) // largest_tied(pairs, len(T))
        folds = int(np.clip(whole, FOLDS, _FITS)) if few else FOLDS
        return cls(T, pairs, tuple(
            tuple(_Fold(learned, judged, axes(learned))
                  for learned, judged in _dealt(pairs, len(T), folds, seed))
            for seed in range(_FITS // folds if few else 1)), axes(pairs), features, dimensions)

    @one_blas_thread()
    def agreement(self, shape: Shape) -> Agreement:
        """That of held-out pairs with distances of this shape, by the first round:
        see `held_out_agreement`. O(P r²)."""
        each = ((f.learned, self.pairs.take(f.judged),
                 metric_of(self._source(shape.alone), f.axes[shape.measured].map(shape)))
                for f in self.rounds[0])
        return agreement_of_folds(each, len(self.T))

    @one_blas_thread()
    def kept(self, shapes: Sequence[Shape]) -> NDArray[np.float64]:
        """Share (shapes,) of the nearest of some instances that stay among the nearest."""
        drawn = np.random.default_rng(0).permutation(len(self.T))[:_SAMPLE]
        plain = _nearest(self.T[drawn].astype(np.float64))
        maps = (self._source(shape.alone)[drawn].astype(np.float64)
                @ self.axes[shape.measured].map(shape) for shape in shapes)
        return np.array([(plain & _nearest(Z)).sum() / plain.sum() for Z in maps])

    @one_blas_thread()
    def placed(self, shapes: Sequence[Shape]) -> "Placed | None":
        """What the held-out pairs do for each shape; None where there are too few. As many pairs of
        any instances are the last where one kind is missing."""
        others = any_pairs(len(self.T), self.pairs)
        every = self.pairs if others is None else self.pairs.joined(
            others.take(np.arange(min(len(others), len(self.pairs)))))
        sums, count = np.zeros((2, len(every), len(shapes))), np.zeros(len(every))
        for folds in self.rounds:
            who, said = self._said(folds, shapes, every)
            same, weight = every.same[who], every.weight[who]
            if min(same.sum(), (~same).sum()) >= _LEAST:
                for by, each in enumerate(said):
                    sums[by, who] += np.stack([_places(d, same, weight) for d in each.T], axis=1)
                count[who] += 1
        held = count > 0
        if not held.any():
            return None
        votes, apart = sums[:, held] / count[held, None]
        return Placed(votes, apart, every.same[held], every.weight[held])

    def _said(
        self, folds: Sequence[_Fold], shapes: Sequence[Shape], every: Pairs
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers (m,) of the held-out pairs, and (2, m, shapes) how much the pairs learned from
        that are most like each of them speak for a different one; how far apart each is, in units
        of the usual distance of its fold."""
        rng = np.random.default_rng(0)
        extra = np.arange(len(self.pairs), len(every))
        drawn = rng.integers(0, len(self.T), (_USUAL, 2))
        who, found = [np.zeros(0, np.int64)], [np.zeros((2, 0, len(shapes)))]
        for k, fold in enumerate(folds):
            mine = extra % len(folds) == k
            who.append(rng.permutation(np.concatenate([fold.judged, extra[mine]]))[:_JUDGED])
            asked = fold.learned.joined(every.take(extra[~mine]))
            asked, rows = asked.take(rng.permutation(len(asked))[:_VOTERS]), every.rows[who[-1]]
            say = _alike(asked, every)
            said = np.empty((2, len(rows), len(shapes)))
            for at, Z in self._maps(fold, shapes, np.concatenate([rows, asked.rows, drawn])):
                held, others, any_two = np.split(Z, [len(rows), len(rows) + len(asked)])
                usual = float(np.median(_lengths(any_two)))
                said[0, :, at] = -pair_votes(held, others, say)
                said[1, :, at] = _lengths(held) / max(usual, np.finfo(float).tiny)
            found.append(said)
        return np.concatenate(who), np.concatenate(found, axis=1)

    def _maps(
        self, fold: _Fold, shapes: Sequence[Shape], rows: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Number of a shape, and the map (m, 2, s) of rows (m, 2) by what the fold learned, of as
        many dimensions as will be looked at."""
        drawn = np.random.default_rng(0).permutation(len(self.T))[:_SPREAD]
        for measured, axes in fold.axes.items():
            along = self._source(measured[1])[rows] @ axes.V
            d = self.dimensions or axes.V.shape[1]
            spread = np.atleast_2d(np.cov((self._source(measured[1])[drawn] @ axes.V).T))
            for at, shape in enumerate(shapes):
                if shape.measured == measured:
                    scale = axes.scale(shape)
                    Z = along[..., : len(scale)] * scale
                    if d < len(scale):
                        inner = spread[: len(scale), : len(scale)] * np.outer(scale, scale)
                        Z = Z @ np.linalg.eigh(inner)[1][:, -d:]
                    yield at, Z

    def _source(self, alone: bool) -> NDArray | Features:
        return self.features if alone else self.T


def in_order_of_values(T: NDArray, pairs: Pairs) -> tuple[NDArray[np.int64], Pairs]:
    """Rows of T (N, r) by their size in the first direction, whatever its sign, and the pairs of
    these, ascending: what is dealt into folds then does not depend on the order of the data."""
    order = np.argsort(np.abs(T[:, 0]), kind="stable")
    place = np.empty(len(T), np.int64)
    place[order] = np.arange(len(T))
    rows = np.sort(place[pairs.rows], axis=1)
    by_rows = np.lexsort((rows[:, 1], rows[:, 0]))
    return order, Pairs(rows, pairs.same, pairs.weight).take(by_rows)


def pair_votes(
    Z: NDArray, asked: NDArray, say: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sum (m,) of what those 3 say, say (P,), of the pairs that are asked, with ends at
    (P, 2, d), which lie nearest to each of the pairs Z (m, 2, d).

    Pairs lie near where both ends do, whichever way round: so it is asked whether neighbors tell
    what two instances are to each other, as they are asked of one when neighbors name it.
    O(m P d).
    """
    (a, b), (c, d) = Z.swapaxes(0, 1), asked.swapaxes(0, 1)
    # |a - c|² + |b - d|² and |a - d|² + |b - c|², but for the length of a and b
    straight, crossed = a @ c.T + b @ d.T, a @ d.T + b @ c.T
    apart = np.einsum("med,med->m", asked, asked) - 2 * np.maximum(straight, crossed)
    most = min(_VOTES, len(say))
    near = np.argpartition(apart, most - 1, axis=1)[:, :most]
    return np.asarray(say[near].sum(axis=1))


def _lengths(Z: NDArray) -> NDArray[np.float64]:
    """(m,) squared, of pairs with ends at Z (m, 2, d)."""
    d = Z[:, 0] - Z[:, 1]
    return np.asarray(np.einsum("md,md->m", d, d))


def _alike(pairs: Pairs, of: Pairs) -> NDArray[np.float64]:
    """(P,) how much each of the pairs speaks for alike, both kinds of the pairs `of` counting
    alike. Not of those learned from alone: who is missing would say who is held out."""
    whole = {kind: max(float(of.weight[of.same == kind].sum()), np.finfo(float).tiny)
             for kind in (True, False)}
    return np.asarray(np.where(pairs.same, 1 / whole[True], -1 / whole[False]) * pairs.weight)


@dataclass(frozen=True, slots=True)
class Choice:
    """shape : the one that held-out pairs support. order : how well it tells them apart, the chance
    that the pairs most like it speak more for an alike pair than for one that differs; plain : that
    of the first shape. NaN where too few could be judged.
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
            return ("Changed distances tell held-out pairs apart no clearly better: "
                    f"distances as they are. {_ANYWAY}")
        return (f"Held-out pairs support {self.shape.words}: the pairs most like it speak more for "
                f"an alike pair than for one that differs in {self.order:.0%}, in "
                f"{self.plain:.0%} with distances as they are; 50 % is chance.")


def chosen(held: HeldOutPairs, shapes: Sequence[Shape]) -> Choice:
    """The shape that held-out pairs support, as near to distances as they are as they allow.

    Each shape learns from some folds of instances (see `held_out_agreement`), and the 3 pairs
    learned from that are nearest to each pair of another fold vote whether it is alike
    (`pair_votes`). The area under the weighted ROC curve of the votes, the mean over rounds, is how
    well; that of the distances of the pairs counts a quarter. Alone it would be the wrong thing to
    ask: it rewards directions in which the means of classes part, at the cost of the neighbors in
    each of their groups. The first of `shapes` is taken where the best is not 2.5 standard errors
    above chance (as DeLong et al. 1988): the best of many shapes is luckier than one. Of one kind
    of pairs only, they are judged against pairs of instances drawn at random.

    Where the first is distances as they are, of the shapes that are not clearly worse than the
    best, by 1.5 standard errors, the one is taken that keeps most neighbors; else the best, the
    first of equals.
    O(rounds shapes P² r).
    """
    placed = held.placed(shapes) if len(shapes) > 1 else None
    if placed is None:
        return Choice(shapes[0])
    votes = _Order(placed.votes, placed.same, placed.weight)
    order = _Order(_BY_VOTES * placed.votes + (1 - _BY_VOTES) * placed.apart, placed.same,
                   placed.weight)
    best = int(order.areas.argmax())
    if not order.above_chance(best):
        best = 0
    elif shapes[0] == AS_THEY_ARE:
        best = _gentlest(order, held.kept(shapes))
    elif not order.clearly(best, 0):
        best = 0
    return Choice(shapes[best], float(votes.areas[best]), float(votes.areas[0]))


@dataclass(frozen=True, slots=True)
class _Order:
    """What each pair (P,) does for the order of each shape, (P, shapes); see `Placed`."""

    places: NDArray[np.float64]
    same: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @property
    def areas(self) -> NDArray[np.float64]:
        """(shapes,)."""
        weight = self.weight[self.same]
        return weight @ self.places[self.same] / weight.sum()

    def above_chance(self, a: int) -> bool:
        """Whether shape a clearly tells pairs apart at all."""
        error = _deviation(self.places[:, a], self.same, self.weight)
        return bool(self.areas[a] - 0.5 > _ABOVE * error)

    def clearly(self, a: int, b: int) -> bool:
        """Whether shape a clearly tells pairs apart better than b."""
        error = _deviation(self.places[:, a] - self.places[:, b], self.same, self.weight)
        return bool(self.areas[a] - self.areas[b] > _CLEAR * error)


def _gentlest(order: _Order, kept: NDArray) -> int:
    """Of the shapes that are not clearly worse than the best, the one that keeps most neighbors.
    kept : (shapes,) share of neighbors."""
    best = int(order.areas.argmax())
    as_good = [shape for shape in range(len(kept)) if not order.clearly(best, shape)]
    return max(as_good, key=lambda shape: kept[shape])


def _nearest(Z: NDArray) -> NDArray[np.bool_]:
    """(n, n) True for the 5 nearest of each of Z (n, r)."""
    square = np.einsum("nr,nr->n", Z, Z)
    apart = square - 2 * Z @ Z.T
    np.fill_diagonal(apart, np.inf)
    near = np.zeros(apart.shape, bool)
    np.put_along_axis(near, np.argsort(apart, axis=1, kind="stable")[:, :_NEAR], True, axis=1)
    return near


def _dealt(
    pairs: Pairs, n: int, folds: int, seed: int
) -> list[tuple[Pairs, NDArray[np.int64]]]:
    """`pair_folds`, with the numbers of the pairs that are judged."""
    ends = folds_of_pairs(pairs, n, seed, folds)[pairs.rows]
    inside = [np.flatnonzero((ends == k).all(axis=1)) for k in range(folds)]
    learned = [pairs.take((ends != k).all(axis=1)) for k in range(folds)]
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
