"""Which two instances to ask a person about next, and what the answers so far are worth.

Imports nothing heavy: the window asks in a thread of its own,
so that a run in the worker does not hold a question up.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import joined
from emberscope.labels.side_info import Pair, SideInfo, SideRecord
from emberscope.metric.agreement import Agreement, held_out_agreement, metric_of, threshold
from emberscope.metric.pairs import Deck, Pairs, moments
from emberscope.metric.shapes import pair_moment, soft_map

CANDIDATES = 4  # pairs that are compared; why so few: see `questions`
_DRAWN = 64     # pairs drawn, of which the first that may be asked are the candidates
_ALL = 2000     # pairs, up to which all of them are looked at
_RECENT = 6     # pairs answered or skipped last, which the next one shall not resemble
_GROUND = 2000  # instances of known background that the nearest is sought among
_TYPICAL = 1000  # pairs of instances whose distances say how far an answer moved the metric
_ANSWERS = ("hand", "imported")  # origins of pairs that somebody looked at one by one

Two = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Question:
    """Are instances `a` and `b` alike? alike : how sure the metric is now that they are.
    change : by how much the metric would change, whatever the answer, as a share of it."""

    a: int
    b: int
    alike: float
    change: float


@dataclass(frozen=True, slots=True)
class Standing:
    """answered : pairs by hand, or of a table. agreement : of marked pairs held out. moved : by
    which share of itself the newest answer changed a distance, in the mean; NaN where there is
    none."""

    answered: int
    agreement: Agreement
    moved: float


def questions(
    deck: Deck, records: Iterable[SideRecord], *, attribute: str = "",
    skipped: Collection[Two] = (), count: int = 1, seed: int = 0,
) -> list[Question]:
    """The pairs of instances whose answers are worth most, best first; none where all follow.

    Parameters
    ----------
    records : side information of the project; pairs of `attribute` count. Pairs of bag labels say
        who is a target, so they take part only for the attribute "".
    skipped : pairs of ids that a person would not answer, the newest last: not asked again.
    count : questions; each further one is chosen as if those before were skipped.

    Notes
    -----
    Every other question is about a label, as long as one is open: of the instances whose label no
    one knows (members of positive bags) the one that looks least like a target, and the known
    background that is nearest to it. If they are alike, its label follows
    (`bags.pairs.labels_of_pairs`), and neighbors are named rightly. The others are about the
    metric.

    4 pairs are drawn, half of their instances by how likely they are targets.
    A pair of probability p to be alike is worth

        4 p (1 - p) (p |A_same - A| + (1 - p) |A_different - A|) / |A|

    with A the soft equivalence metric of all pairs so far and A_same, A_different the same after
    either answer (Frobenius norms), and up to half of it less where it resembles the last pairs.
    p = 1 / (1 + (d² / t²)²), t the distance that separates the known pairs best. The factor 4 p
    (1 - p) keeps from asking about the strangest instances, whose answer would change most
    (expected model change, Settles 2010) and nobody doubts.

    Why 4: the metric is made of means over pairs; more candidates make the pair taken less usual.

    A pair whose answer follows from others (alike is handed on) is not asked. The same arguments
    give the same questions. O(N + pairs + 8 r³).
    """
    rows_of = _Rows(deck.ids)
    marked, weak = _known(deck, records, attribute)
    recent = [two for two in map(rows_of.pair, skipped) if two is not None]
    found: list[Question] = []
    gone = {tuple(sorted(two)) for two in recent}
    draw = np.random.default_rng([seed, len(marked), len(gone)])
    metric = _Metric.of(deck, marked.joined(weak))
    for at in range(len(marked), len(marked) + count):
        last = np.array([*marked.rows.tolist(), *recent], np.int64).reshape(-1, 2)
        pairs = last[:0] if at % 2 or attribute else _about_a_label(deck, last, draw)
        if not len(pairs):
            pairs = _drawn(deck, draw)
            pairs = pairs[~_follows(pairs, marked, len(deck.ids))]
            new = [two for two in pairs.tolist() if tuple(sorted(two)) not in gone]
            pairs = np.array(new[:CANDIDATES], np.int64)
        if not len(pairs):
            break
        best, alike, change = metric.best(deck.T, pairs, marked.joined(weak), last[-_RECENT:])
        a, b = deck.ids[best].tolist()
        found.append(Question(a, b, alike, change))
        recent.append((int(best[0]), int(best[1])))
        gone.add(tuple(sorted(recent[-1])))
    return found


def standing(deck: Deck, records: Iterable[SideRecord], *, attribute: str = "") -> Standing:
    """How many pairs were answered, whether held-out ones agree,
    and what the newest changed. O(pairs r² + r³)."""
    records = list(records)
    marked, weak = _known(deck, records, attribute)
    by_hand = [
        r.id for r in records
        if isinstance(r, Pair) and r.attribute == attribute and r.origin in _ANSWERS
    ]

    def learn(some: Pairs) -> NDArray:
        return soft_map(pair_moment(deck.T, some, deck.push), deck.softness)

    held = held_out_agreement(marked, len(deck.ids), lambda some: metric_of(deck.T, learn(some)),
                              beside=weak)
    before, _ = _known(deck, [r for r in records if r.id != max(by_hand, default=-1)], attribute)
    if len(before) == len(marked):
        return Standing(len(by_hand), held, float("nan"))
    rows = np.random.default_rng(0).integers(0, len(deck.ids), (_TYPICAL, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    old, new = (np.sqrt(metric_of(deck.T, learn(some.joined(weak)))(rows))
                for some in (before, marked))
    known = old > 0
    moved = float(
        np.mean(np.abs(new[known] - old[known]) / old[known])
    ) if known.any() else float("nan")
    return Standing(len(by_hand), held, moved)


@dataclass(frozen=True, slots=True)
class _Metric:
    """The soft metric of pairs. alike, apart : (r, r) mean d d' of both kinds of pairs, of_alike,
    of_apart : their weights. W : (r, r) its map."""

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
        of_alike, of_apart = (float(pairs.weight[kind].sum()) for kind in (pairs.same, ~pairs.same))
        W = soft_map(alike - deck.push * apart, deck.softness)
        return cls(alike, apart, of_alike, of_apart, W, deck.softness, deck.push)

    def best(
        self, T: NDArray, pairs: NDArray[np.int64], known: Pairs, recent: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], float, float]:
        """The best of candidate pairs (C, 2), how likely it is alike,
        and the change that is expected of it."""
        d = T[pairs[:, 0]].astype(np.float64) - T[pairs[:, 1]]
        p = self._alike(T, d, known)
        change = p * self._change(d, same=True) + (1 - p) * self._change(d, same=False)
        at = int(np.argmax(4 * p * (1 - p) * self._unlike(T, d, recent) * change))
        return pairs[at], float(p[at]), float(change[at])

    def _alike(self, T: NDArray, d: NDArray, known: Pairs) -> NDArray:
        """(C,) how likely each pair is alike,
        by its squared distance and what separates the known ones."""
        apart = np.square(d @ self.W).sum(axis=1)
        level = threshold(metric_of(T, self.W)(known.rows), known.same) if len(known) else None
        level = float(np.median(apart)) if level is None else level
        return 1 / (1 + np.square(apart / max(level, np.finfo(float).tiny)))

    def _unlike(self, T: NDArray, d: NDArray, recent: NDArray[np.int64]) -> NDArray:
        """(C,) 1 for a pair that differs in other directions than the recent ones,
        down to a half."""
        if not len(recent):
            return np.ones(len(d))
        u, v = d @ self.W, (T[recent[:, 0]].astype(np.float64) - T[recent[:, 1]]) @ self.W
        u, v = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (u, v))
        return 1 - np.square(u @ v.T).max(axis=1) / 2

    def _change(self, d: NDArray, *, same: bool) -> NDArray:
        """(C,) |A' - A| / |A| after an answer of weight 1 about pairs with differences d (C, r)."""
        weight, mean = (self.of_alike, self.alike) if same else (self.of_apart, self.apart)
        step = (d[:, :, None] * d[:, None, :] - mean) / (weight + 1)
        M = self.alike - self.push * self.apart + (step if same else -self.push * step)
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
    """Marked pairs of the attribute that have a weight, and those of bag labels,
    as rows of the deck."""
    side = SideInfo.of([r for r in records if isinstance(r, Pair) and r.attribute == attribute],
                       deck.ids)
    marked = Pairs(side.pairs, side.same, side.pair_weight).take(side.pair_weight > 0)
    said = {tuple(sorted(two)) for two in marked.rows.tolist()}
    kept = [not attribute and tuple(sorted(two)) not in said for two in deck.weak.rows.tolist()]
    return marked, deck.weak.take(np.array(kept, bool))


def _drawn(deck: Deck, draw: np.random.Generator) -> NDArray[np.int64]:
    """(C, 2) pairs of rows, every other instance by how likely it is a target; all pairs of few,
    in any order."""
    n = len(deck.ids)
    if n * (n - 1) // 2 <= _ALL:
        return draw.permutation(np.argwhere(np.tri(n, k=-1)))
    total = deck.likely.sum()
    weight = 1 / n if total == 0 else (deck.likely / total + 1 / n) / 2
    pairs = draw.choice(n, (_DRAWN, 2), p=np.broadcast_to(weight, n))
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _about_a_label(
    deck: Deck, asked: NDArray[np.int64], draw: np.random.Generator
) -> NDArray[np.int64]:
    """Pair (1, 2) a known background with the least likely target among instances without a label
    that no asked pair (P, 2) holds; (0, 2) where there is none. O(N + ground r)."""
    unknown = deck.known == 0
    if len(unknown):
        unknown[asked] = False
    ground = draw.permutation(np.flatnonzero(deck.known < 0))[:_GROUND]
    unknown = draw.permutation(np.flatnonzero(unknown))
    if not len(ground) or not len(unknown):
        return np.empty((0, 2), np.int64)
    least = unknown[deck.likely[unknown].argmin()]
    nearest = ground[np.square(deck.T[ground] - deck.T[least]).sum(axis=1).argmin()]
    return np.array([[nearest, least]])


def _follows(pairs: NDArray[np.int64], marked: Pairs, n: int) -> NDArray[np.bool_]:
    """Tell (C,) whether the answer follows: both are in one group by pairs that are alike, or in
    two groups that a pair says differ."""
    i, j = marked.rows[marked.same].T
    group = joined(i, j, n)
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
