"""Cover: boxes in few features, one after the other where they explain most bags not explained yet,
and how many of them are more than chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.mil.boxes import PRICE, REACH, Field, failing, firsts, grown, settled
from emberscope.mil.concepts.model import SMALLEST, Concepts, StandardBags
from emberscope.neighbors.threads import each, thread_pool

CANDIDATES = 400
GROWN = 128  # candidates that boxes are grown around: those that few features tell most
_TOGETHER = 2  # features whose intervals speak for a candidate
MOST_COUNTED = 12  # concepts that a gain curve is drawn for
_UNUSED = 1e-4  # scale of features that a box does not use
_SHUFFLES = 8
_SURE = 2.5  # standard deviations above the mean: of largest values (Gumbel) 1 in 44 lies higher
# A further concept must explain so many bags more, and gain so much of what the largest gains
_FEWEST, _SHARE = 3, 0.2
_FINALISTS = 20
# Power of scores that are added: a few large ones speak for widths, many small ones less
_FEW_LARGE = 1.5
_CAPS = 3  # largest widths that are tried as the widest
_CHUNK = 16  # candidates at a time


@dataclass(frozen=True, slots=True)
class Box:
    """center, half (D,): half widths, inf where a feature does not count. score : evidence that it
    tells positive bags from negative ones, in nats, less the price of its features. holds (B,):
    bags with an instance in it."""

    center: NDArray[np.float64]
    half: NDArray[np.float64]
    score: float
    holds: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cover:
    """boxes : those beyond chance, one at least. gains : (n,), share of positive bags that each
    newly holds, less its share of negative ones; of these boxes first, then of those that chance
    finds as well."""

    boxes: list[Box]
    gains: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Concepts that the bags suggest."""
        return len(self.boxes)


class Coverer:
    """Finds boxes in bags."""

    def __init__(self, bags: StandardBags, widths: tuple[float, ...], rng: np.random.Generator):
        self.rng = rng
        self._indptr = bags.indptr
        Z = np.ascontiguousarray(bags.Z.T)
        n = len(bags.positive)
        half = REACH * np.array(sorted(widths))
        price = PRICE * float(np.log(len(Z) * len(half)))
        bag = np.repeat(np.arange(n), np.diff(bags.indptr))
        self._field = Field(Z, bag, bags.positive, np.ones(n), half, price)
        self._order = np.argsort(Z, axis=1, kind="stable")
        self._rows = self._drawn(bags.positive)

    def _drawn(self, positive: NDArray) -> NDArray[np.int64]:
        """Instances of positive bags, all or 400 of them."""
        rows = np.flatnonzero(positive[self._field.bag])
        if len(rows) > CANDIDATES:
            rows = np.sort(self.rng.choice(rows, CANDIDATES, replace=False))
        return rows

    def cover(self, found: list[Box], watch: Monitor) -> Cover:
        """As many of the boxes `found` as the bags speak for: the weakest goes as long as chance
        does as well."""
        kept = list(found)
        dropped: list[Box] = []
        while len(kept) > 1:
            weakest = min(kept, key=lambda box: box.score)
            others = [box for box in kept if box is not weakest]
            part = Portion(watch, len(dropped) / len(found), 1.0)
            if self._adds(weakest, others) and weakest.score > self._chance(others, part):
                break
            kept, dropped = others, [weakest, *dropped]
        return Cover(kept, gains_of([*kept, *dropped], self._field.positive))

    def _adds(self, box: Box, others: list[Box]) -> bool:
        """Whether a box explains enough that others do not."""
        positive = self._field.positive
        gains = gains_of([*others, box], positive)
        new = (box.holds & positive & (self._rest(others).weight > 0)).sum()
        return bool(new >= _FEWEST and gains[-1] >= _SHARE * gains.max())

    def _chance(self, others: list[Box], watch: Monitor) -> float:
        """The score that hardly a best box reaches where the labels of the bags that no
        other box explains are dealt out anew."""
        field, best = self._rest(others), []
        rest = np.flatnonzero(field.weight > 0)
        for i in range(_SHUFFLES):
            positive = field.positive.copy()
            positive[rest] = self.rng.permutation(positive[rest])
            part = Portion(watch, i / _SHUFFLES, (i + 1) / _SHUFFLES)
            box = self._best(field._replace(positive=positive), self._drawn(positive), part)
            best.append(0.0 if box is None else box.score)
        return float(np.mean(best) + _SURE * np.std(best))

    def boxes(self, most: int, watch: Monitor, *, least: float = -np.inf) -> list[Box]:
        """At most so many boxes, all scoring more than `least`, that together score most: with
        every width allowed, or with the narrower ones only. Wide boxes may hold two concepts."""
        tried, whole = [], self._field
        counts = range(len(whole.widths), max(0, len(whole.widths) - _CAPS), -1)
        for i, n in enumerate(counts):
            part = Portion(watch, i / len(counts), (i + 1) / len(counts))
            self._field = whole._replace(widths=whole.widths[:n])
            tried.append(self._one_by_one(most, part, least))
        self._field = whole
        return max(tried, key=lambda found: sum(max(box.score, 0.0) ** _FEW_LARGE for box in found))

    def _one_by_one(self, most: int, watch: Monitor, least: float) -> list[Box]:
        """One box after the other, each for the bags that no other holds, and after every new one
        all earlier ones again. Ends where no bag is left or a box scores `least` or less."""
        found: list[Box] = []
        for k in range(most):
            box = self._best(self._rest(found), self._rows,
                             Portion(watch, k / most, (k + 0.5) / most))
            if box is None or box.score <= least:
                break
            found.append(box)
            for i in range(len(found) - 1):
                part = Portion(watch, (k + 0.5) / most, (k + 1) / most)
                again = self._best(self._rest(found[:i] + found[i + 1 :]), self._rows, part)
                if again is not None:
                    found[i] = again
        return found

    def _rest(self, others: list[Box]) -> Field:
        """Bags without those positive ones that other boxes hold."""
        positive = self._field.positive
        taken = np.zeros(len(positive), bool)
        for box in others:
            taken |= box.holds & positive
        return self._field._replace(weight=np.where(taken, 0.0, 1.0))

    def _best(self, field: Field, rows: NDArray, watch: Monitor) -> Box | None:
        """The best box around any of these instances; None where their bags are all explained."""
        rows = rows[field.weight[field.bag[rows]] > 0]
        if len(rows) < 2:
            return None
        watch.step(0.0, "Starts of concepts")
        place = np.full(field.Z.shape[1], -1)
        place[rows] = np.arange(len(rows))
        first, wide = firsts(field, self._order, place, len(rows))
        likely = promising(first)
        rows, first, wide = rows[likely], first[:, likely], wide[:, likely]
        parts = [slice(i, i + _CHUNK) for i in range(0, len(rows), _CHUNK)]
        tasks = [(field, rows[p], np.ascontiguousarray(first[:, p]),
                  np.ascontiguousarray(wide[:, p])) for p in parts]
        with thread_pool() as pool:
            def tick() -> None:
                watch.step(0.0, "Starts of concepts")

            done = each(pool, grown, tasks, tick)
            score = np.concatenate([one[0] for one in done])
            half = np.vstack([one[1] for one in done])
            top = np.argsort(-score, kind="stable")[:_FINALISTS]
            ends = each(pool, settled, [
                (field, np.ascontiguousarray(field.Z[:, rows[j]]), half[j]) for j in top
            ], tick)
        score_, center, width = max(ends, key=lambda end: end[0])
        inside = failing(field, center, width) == 0
        holds = np.bincount(field.bag[inside], minlength=len(field.positive)) > 0
        return Box(center, width, float(score_), holds)


def promising(first: NDArray) -> NDArray[np.int64]:
    """Which of n candidates boxes are grown around, 128 at most, ascending: those whose two best
    intervals tell most together. first (D, n): see `firsts`. Growing costs most of the time."""
    if first.shape[1] <= GROWN:
        return np.arange(first.shape[1])
    best = -np.partition(-first, min(_TOGETHER, len(first)) - 1, axis=0)[:_TOGETHER]
    return np.sort(np.argsort(-best.sum(axis=0), kind="stable")[:GROWN])


def gains_of(boxes: list[Box], positive: NDArray) -> NDArray[np.float64]:
    """(K,) share of positive bags that each box newly holds, less its share of negative ones."""
    gains, taken = [], np.zeros(len(positive), bool)
    for box in boxes:
        new = box.holds & ~taken
        gains.append(new[positive].mean() - box.holds[~positive].mean())
        taken |= box.holds
    return np.array(gains)


def concepts_of(boxes: list[Box]) -> Concepts:
    """Concepts as wide as boxes, in their features; the others count for next to nothing."""
    half = np.array([box.half for box in boxes])
    scales = np.where(np.isfinite(half), 1 / (2 * (half / REACH) ** 2), _UNUSED)
    return Concepts(np.array([box.center for box in boxes]), np.maximum(scales, SMALLEST))
