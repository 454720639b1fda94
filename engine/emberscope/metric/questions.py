"""Which two instances to ask a person about next, and what the answers so far are worth.

Imports nothing heavy: the window asks in a thread of its own, so that a run in the worker does not hold a question up.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from emberscope.labels.side_info import Pair, SideInfo, SideRecord
from emberscope.metric.agreement import Agreement, held_out_agreement, metric_of, threshold
from emberscope.metric.pairs import Pairs, moments
from emberscope.metric.soft import pair_moment, soft_map

POOL = 240         # instances that a question is sought among
_NEAR = 4          # nearest of each in the pool that it is compared with
_CANDIDATES = 400  # pairs whose change is estimated
_EXACT = 10        # of which so many are computed in full
_FLOOR = 0.05      # weight in the draw of an instance that is surely no target
_RECENT = 6        # pairs answered or skipped last, which the next one shall not resemble
_TYPICAL = 1000    # pairs of instances whose distances say how far an answer moved the metric

Two = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Deck:
    """What questions are drawn from, made once of a run.

    ids : (N,) int64 of the instances. T : (N, r) float32, their principal scores of mean variance 1. weak : pairs that
    follow from bag labels, as rows. likely : (N,) in [0, 1], how likely each is a target. softness, push : of the
    equivalence metric.
    """

    ids: NDArray[np.int64]
    T: NDArray[np.float32]
    weak: Pairs
    likely: NDArray[np.float64]
    softness: float = 0.3
    push: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """Are instances `a` and `b` alike? alike : how sure the metric is now that they are. change : by how much the
    metric would change, whatever the answer, as a share of it."""

    a: int
    b: int
    alike: float
    change: float


@dataclass(frozen=True, slots=True)
class Standing:
    """answered : pairs by hand. agreement : of marked pairs held out. moved : by which share of itself the newest
    answer changed a distance, in the mean; NaN where there is none."""

    answered: int
    agreement: Agreement
    moved: float


def questions(
    deck: Deck, records: Iterable[SideRecord], *, attribute: str = "", skipped: Collection[Two] = (), count: int = 1,
    seed: int = 0,
) -> list[Question]:
    """The pairs of instances whose answers are worth most, the best first; none where every answer follows already.

    Parameters
    ----------
    records : side information of the project; pairs of `attribute` count. Pairs of bag labels say who is a target, so
        they take part only for the attribute "".
    skipped : pairs of ids that a person would not answer, the newest last; they are not asked again.
    count : questions; each further one is chosen as if those before were skipped.

    Notes
    -----
    240 instances are drawn, likely targets more often, and of them 400 pairs: each with its nearest, and random ones.
    A pair of probability p to be alike is worth

        4 p (1 - p) (p |A_same - A| + (1 - p) |A_different - A|) / |A|

    with A the soft equivalence metric of all pairs so far and A_same, A_different the same after either answer
    (Frobenius norms). All 400 are estimated by the derivative of A, the best 10 computed. p = 1 / (1 + (d² / t²)²), t
    the distance that separates the known pairs best. The change alone (expected model change, Settles 2010) asks about
    the strangest instances, whose answer nobody doubts: on digits 40 such questions left a metric worse than random
    ones did; hence the factor 4 p (1 - p). A pair that resembles the last ones is worth up to half as much. A pair whose
    answer follows from others (alike is handed on) is not asked. The same arguments give the same questions.
    O(240² r + 400 r² + 40 r³), no matter how many instances.
    """
    rows_of = _Rows(deck.ids)
    marked, weak = _known(deck, records, attribute)
    recent = [two for two in map(rows_of.pair, skipped) if two is not None]
    found: list[Question] = []
    gone = {tuple(sorted(two)) for two in recent}
    draw = np.random.default_rng([seed, len(marked), len(gone)])
    metric = _Metric.of(deck, marked.joined(weak))
    for _ in range(count):
        pairs = _candidates(deck, metric, draw)
        pairs = pairs[~_follows(pairs, marked, len(deck.ids))]
        pairs = pairs[[tuple(sorted(two)) not in gone for two in pairs.tolist()]] if gone else pairs
        if not len(pairs):
            break
        last = np.array([*marked.rows[-_RECENT:].tolist(), *recent[-_RECENT:]], np.int64).reshape(-1, 2)
        best, alike, change = metric.best(deck.T, pairs, marked.joined(weak), last)
        a, b = deck.ids[best].tolist()
        found.append(Question(a, b, alike, change))
        recent.append((int(best[0]), int(best[1])))
        gone.add(tuple(sorted(recent[-1])))
    return found


def standing(deck: Deck, records: Iterable[SideRecord], *, attribute: str = "") -> Standing:
    """How many pairs were answered, whether held-out ones agree, and what the newest changed. O(pairs r² + r³)."""
    records = list(records)
    marked, weak = _known(deck, records, attribute)
    by_hand = [r.id for r in records if isinstance(r, Pair) and r.attribute == attribute and r.origin == "hand"]

    def learn(some: Pairs) -> NDArray:
        return soft_map(pair_moment(deck.T, some, deck.push), deck.softness)

    held = held_out_agreement(marked, len(deck.ids), lambda some: metric_of(deck.T, learn(some)), beside=weak)
    before, _ = _known(deck, [r for r in records if r.id != max(by_hand, default=-1)], attribute)
    if len(before) == len(marked):
        return Standing(len(by_hand), held, float("nan"))
    rows = np.random.default_rng(0).integers(0, len(deck.ids), (_TYPICAL, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    old, new = (np.sqrt(metric_of(deck.T, learn(some.joined(weak)))(rows)) for some in (before, marked))
    known = old > 0
    moved = float(np.mean(np.abs(new[known] - old[known]) / old[known])) if known.any() else float("nan")
    return Standing(len(by_hand), held, moved)


@dataclass(frozen=True, slots=True)
class _Metric:
    """The soft metric of pairs. values (r,), V (r, r) : of M. alike, apart (r, r) : mean d d' of both kinds of pairs;
    of_alike, of_apart : their weights. W : (r, r) its map. A : (r, r)."""

    values: NDArray
    V: NDArray
    alike: NDArray
    apart: NDArray
    of_alike: float
    of_apart: float
    W: NDArray
    softness: float
    push: float

    @classmethod
    def of(cls, deck: Deck, pairs: Pairs) -> "_Metric":
        alike, apart = moments(deck.T, pairs)
        none = np.zeros((deck.T.shape[1], deck.T.shape[1]))
        alike, apart = none if alike is None else alike, none if apart is None else apart
        M = alike - deck.push * apart
        values, V = np.linalg.eigh(M)
        weights = [float(pairs.weight[kind].sum()) for kind in (pairs.same, ~pairs.same)]
        return cls(values, V, alike, apart, *weights, soft_map(M, deck.softness), deck.softness, deck.push)

    def best(
        self, T: NDArray, pairs: NDArray[np.int64], known: Pairs, recent: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], float, float]:
        """The best of candidate pairs (C, 2), how likely it is alike, and the change that is expected of it."""
        d = T[pairs[:, 0]].astype(np.float64) - T[pairs[:, 1]]
        p = self._alike(T, d, known)
        sense = 4 * p * (1 - p) * self._unlike(T, d, recent)
        rough = sense * (p * self._slope(d, same=True) + (1 - p) * self._slope(d, same=False))
        few = np.argsort(-rough, kind="stable")[:_EXACT]
        change = p[few] * self._change(d[few], same=True) + (1 - p[few]) * self._change(d[few], same=False)
        at = int(np.argmax(sense[few] * change))
        return pairs[few[at]], float(p[few[at]]), float(change[at])

    def _alike(self, T: NDArray, d: NDArray, known: Pairs) -> NDArray:
        """(C,) how likely each pair is alike, by its squared distance and what separates the known ones."""
        apart = np.square(d @ self.W).sum(axis=1)
        level = threshold(metric_of(T, self.W)(known.rows), known.same) if len(known) else None
        level = float(np.median(apart)) if level is None else level
        return 1 / (1 + np.square(apart / max(level, np.finfo(float).tiny)))

    def _unlike(self, T: NDArray, d: NDArray, recent: NDArray[np.int64]) -> NDArray:
        """(C,) 1 for a pair that differs in other directions than the recent ones, down to a half."""
        if not len(recent):
            return np.ones(len(d))
        u, v = d @ self.W, (T[recent[:, 0]].astype(np.float64) - T[recent[:, 1]]) @ self.W
        u, v = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (u, v))
        return 1 - np.square(u @ v.T).max(axis=1) / 2

    def _step(self, *, same: bool) -> tuple[float, NDArray]:
        """An answer changes M by share * (d d' - mean) of its kind: the share, with its sign, and the mean."""
        if same:
            return 1 / (self.of_alike + 1), self.alike
        return -self.push / (self.of_apart + 1), self.apart

    def _slope(self, d: NDArray, *, same: bool) -> NDArray:
        """(C,) |A' - A| / |A| to first order, by the derivative of exp(-M / tau) in the eigenvectors of M."""
        largest = np.abs(self.values).max()
        if largest == 0:  # nothing is known: all directions are alike, and the longest differences move most
            return np.square(d).sum(axis=1)
        tau = self.softness * largest
        E = np.exp(-(self.values - self.values[0]) / tau)
        gap = self.values[:, None] - self.values
        near = np.abs(gap) < 1e-9 * largest
        rate = np.where(near, -E[:, None] / tau, (E[:, None] - E) / np.where(near, 1.0, gap))
        share, mean = self._step(same=same)
        x, S = d @ self.V, self.V.T @ mean @ self.V
        at = int(np.abs(self.values).argmax())
        stretch = E * (self.values - self.values[0]) / tau / self.values[at]  # the largest eigenvalue sets tau
        dM = share * (np.square(x) - np.diag(S))
        diagonal = np.diag(rate) * dM + stretch * dM[:, at, None]
        diagonal -= diagonal.sum(axis=1, keepdims=True) * E / E.sum()
        beside = np.square(rate - np.diag(np.diag(rate)))  # |rate o (x x' - S)|^2 beside the diagonal, without a tensor
        rest = np.einsum("ci,ij,cj->c", np.square(x), beside, np.square(x), optimize=True)
        rest += (beside * S * S).sum() - 2 * np.einsum("ci,ij,cj->c", x, beside * S, x, optimize=True)
        square = np.square(diagonal).sum(axis=1) + share**2 * np.maximum(rest, 0)
        return np.sqrt(square) / np.linalg.norm(E)

    def _change(self, d: NDArray, *, same: bool) -> NDArray:
        """(C,) |A' - A| / |A| in full."""
        share, mean = self._step(same=same)
        M = self.alike - self.push * self.apart + share * (d[:, :, None] * d[:, None, :] - mean)
        A = self.W @ self.W.T
        return np.linalg.norm(_soft(M, self.softness) - A, axis=(1, 2)) / np.linalg.norm(A)


def _soft(M: NDArray, softness: float) -> NDArray:
    """W W' of `soft_map` for many M (C, r, r) at once."""
    values, V = np.linalg.eigh(M)
    tau = softness * np.abs(values).max(axis=1, keepdims=True)
    weight = np.exp(-(values - values[:, :1]) / np.where(tau > 0, tau, 1.0))
    weight *= M.shape[1] / weight.sum(axis=1, keepdims=True)
    return (V * weight[:, None, :]) @ V.transpose(0, 2, 1)


def _known(deck: Deck, records: Iterable[SideRecord], attribute: str) -> tuple[Pairs, Pairs]:
    """Marked pairs of the attribute that have a weight, and those of bag labels, as rows of the deck."""
    side = SideInfo.of([r for r in records if isinstance(r, Pair) and r.attribute == attribute], deck.ids)
    marked = Pairs(side.pairs, side.same, side.pair_weight).take(side.pair_weight > 0)
    said = {tuple(sorted(two)) for two in marked.rows.tolist()}
    kept = [not attribute and tuple(sorted(two)) not in said for two in deck.weak.rows.tolist()]
    return marked, deck.weak.take(np.array(kept, bool))


def _candidates(deck: Deck, metric: _Metric, draw: np.random.Generator) -> NDArray[np.int64]:
    """(C, 2) pairs of rows among a pool: neighbors by the metric, and as many random ones."""
    n = len(deck.ids)
    chance = np.log(_FLOOR + deck.likely) + draw.gumbel(size=n)  # a draw without replacement by these weights
    pool = np.argpartition(-chance, min(POOL, n) - 1)[:POOL] if n else np.empty(0, np.int64)
    m = len(pool)
    if m < 2:
        return np.empty((0, 2), np.int64)
    Z = deck.T[pool].astype(np.float64) @ metric.W
    square = np.einsum("nk,nk->n", Z, Z)
    apart = square[:, None] + square - 2 * Z @ Z.T
    np.fill_diagonal(apart, np.inf)
    k = min(_NEAR, m - 1)
    near = np.stack([np.repeat(np.arange(m), k), np.argpartition(apart, k - 1, axis=1)[:, :k].ravel()], axis=1)
    far = np.stack([draw.integers(0, m, _CANDIDATES), (draw.integers(1, m, _CANDIDATES))], axis=1)
    far[:, 1] = (far[:, 0] + far[:, 1]) % m
    halves = [draw.permutation(half)[: _CANDIDATES // 2] for half in (near, far)]
    return pool[np.unique(np.sort(np.concatenate(halves), axis=1), axis=0)].astype(np.int64)


def _follows(pairs: NDArray[np.int64], marked: Pairs, n: int) -> NDArray[np.bool_]:
    """(C,) whether the answer follows: one group by pairs that are alike, or two groups that a pair says differ."""
    i, j = marked.rows[marked.same].T
    group = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)[1]
    apart = {tuple(sorted(two)) for two in group[marked.rows[~marked.same]].tolist()}
    of = group[pairs]
    known = np.array([tuple(sorted(two)) in apart for two in of.tolist()], bool)
    return (of[:, 0] == of[:, 1]) | known


class _Rows:
    """From ids to rows."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def pair(self, two: Two) -> Two | None:
        """Rows of two ids, None where one is not there."""
        at = np.minimum(np.searchsorted(self._sorted, two), len(self._sorted) - 1)
        if not len(self._sorted) or not (self._sorted[at] == two).all():
            return None
        a, b = self._order[at].tolist()
        return a, b
