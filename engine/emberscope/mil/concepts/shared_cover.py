"""Cover by boxes that have their features in common, beside boxes of features of their own."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import Monitor, Portion
from emberscope.mil import boxes, shared_boxes
from emberscope.mil.boxes import evidence
from emberscope.mil.concepts.cover import MOST_COUNTED, Box, Cover, Coverer, gains_of
from emberscope.mil.concepts.model import StandardBags
from emberscope.mil.shared_boxes import MOST, BagRows, bag_rows, best_shared

_LEAST = 0.1   # of the positive bags, which a box must hold beyond the others
_CLEARLY = 3.0  # nats by which boxes of features of their own must be better


class BestCoverer:
    """Finds boxes in bags: all of the same features, or of features of their own where these tell
    clearly more."""

    def __init__(self, bags: StandardBags, width: float | None, rng: np.random.Generator):
        self._positive = bags.positive
        only = (width,) if width else ()
        self._own = Coverer(bags, only or boxes.WIDTHS, rng)
        self._shared = SharedCoverer(bags, only or shared_boxes.WIDTHS, rng)

    def cover(self, watch: Monitor) -> Cover:
        """As many boxes as the bags speak for."""
        data = self._shared.data
        found = self._shared.boxes(MOST, Portion(watch, 0.0, 0.4))
        value, shared = trimmed(found, self._positive, data)
        found = self._own.boxes(MOST_COUNTED, Portion(watch, 0.4, 0.7), least=0.0)
        if found and trimmed(found, self._positive, data)[0] > value + _CLEARLY:
            return self._own.cover(found, Portion(watch, 0.7, 1.0))
        return Cover(shared, gains_of(shared, self._positive))

    def boxes(self, most: int, watch: Monitor) -> list[Box]:
        """At most so many boxes."""
        shared = self._shared.boxes(most, Portion(watch, 0.0, 0.5))
        own = self._own.boxes(most, Portion(watch, 0.5, 1.0))
        data = self._shared.data
        values = [worth(some, self._positive, data) if some else -np.inf
                  for some in (own, shared)]
        return own if values[0] > values[1] + _CLEARLY else shared


class SharedCoverer:
    """Finds boxes in bags, all of the same features."""

    def __init__(self, bags: StandardBags, widths: tuple[float, ...], rng: np.random.Generator):
        self.data, self._order = bag_rows(bags.Z, bags.indptr, bags.positive, widths, rng)
        self._bag = np.repeat(np.arange(len(bags.positive)), np.diff(self.data.indptr))
        self._positive = bags.positive

    def boxes(self, most: int, watch: Monitor) -> list[Box]:
        """At most so many boxes that together tell most."""
        data = self.data
        found = best_shared(data, watch, most=most)
        half = np.full(len(data.Z), np.inf)
        half[found.features] = found.half
        out = []
        for row in found.centers.tolist():
            inside = self._inside(data.Z[:, row], half) & (self._bag < data.positives)
            center = data.Z[:, inside].mean(axis=1)
            holds = np.zeros(len(self._positive), bool)
            holds[self._order[np.unique(self._bag[self._inside(center, half)])]] = True
            out.append(Box(center, half, 0.0, holds))
        return out

    def _inside(self, center: NDArray, half: NDArray) -> NDArray[np.bool_]:
        some = np.isfinite(half)
        off = np.abs(self.data.Z[some] - center[some, None])
        return np.asarray((off <= half[some, None]).all(axis=0))


def worth(found: list[Box], positive: NDArray, data: BagRows) -> float:
    """Evidence that boxes together tell bags apart, positive (K,), less the price of each and of
    their features, in nats."""
    union, K = np.any([box.holds for box in found], axis=0), len(found)
    P, N = float(positive.sum()), float((~positive).sum())
    told = evidence((union & positive).sum() - float(K), P - K, float((union & ~positive).sum()), N)
    half = np.array([box.half for box in found])
    counts = np.isfinite(half).sum(axis=1)
    shared = K == 1 or (half == half[0]).all()
    # a box with features of its own has a width of its own in each
    price = data.feature + (0.0 if shared else float(np.log(len(data.widths))))
    return float(told) - data.box * K - price * float(counts[0] if shared else counts.sum())


def trimmed(
    found: list[Box], positive: NDArray, data: BagRows
) -> tuple[float, list[Box]]:
    """What boxes are worth, and those that stay: one after the other goes as long as that helps, or
    as it adds little to the others. positive : (K,) labels of the bags."""
    kept, most = list(found), worth(found, positive, data)
    while len(kept) > 1:
        fewer = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
        values = [worth(some, positive, data) for some in fewer]
        weakest = int(np.argmax(values))
        others = np.any([box.holds for box in fewer[weakest]], axis=0)
        new = (kept[weakest].holds & ~others)[positive].mean()
        if values[weakest] < most and new >= _LEAST:
            break
        most, kept = max(most, values[weakest]), fewer[weakest]
    return most, kept
