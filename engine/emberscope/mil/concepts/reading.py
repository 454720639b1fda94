"""What a person asks of concepts: which of them made a bag positive, by which instance,
and where they contradict."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_noisy_or

LIKELY, UNLIKELY = 0.5, 0.2
SURE = 0.9  # two concepts of a bag above it: it holds targets of two kinds
SHOWN = 0.05  # probability below which an instance is of no concept


@dataclass(frozen=True, slots=True)
class Reading:
    """probability : (N, K), that an instance is of a concept. bag : (B, K), that a bag holds one of
    it, NaN for an empty bag. cause : (M, K), of each member of a bag, that it is one where the bag
    holds one, in [0, 1]; of several members it need not add up to 1.
    """

    probability: NDArray[np.float64]
    bag: NDArray[np.float64]
    cause: NDArray[np.float64]

    @classmethod
    def of(cls, distance2: NDArray, bags: Bags) -> "Reading":
        """Of squared distances a (N, K) of the rows that bags name. O(M K)."""
        probability = np.exp(-distance2)
        bag = bag_noisy_or(probability, bags)
        owner = bags.bag_of_member
        own = probability[bags.members]
        cause = np.divide(own, bag[owner], out=np.zeros_like(own), where=bag[owner] > 0)
        return cls(probability, bag, np.minimum(cause, 1.0))

    def concept(self) -> NDArray[np.int64]:
        """The concept that each instance is most likely of, (N,); -1 where it is of none."""
        best = self.probability.argmax(axis=1)
        return np.where(self.probability.max(axis=1) >= SHOWN, best, -1)

    def nearest(self, k: int, n: int) -> NDArray[np.int64]:
        """The n instances most likely of concept k, best first."""
        return np.argsort(-self.probability[:, k], kind="stable")[:n]


def witnesses(distance2: NDArray, found: Reading, bags: Bags) -> NDArray[np.int64]:
    """Rows (K, B) of the instances that stand for concepts: the nearest of each positive bag where
    it is likely of this concept, and of no other more; else -1. distance2 : (N, K). O(M K)."""
    K, concept = distance2.shape[1], found.concept()
    out = np.full((K, len(bags)), -1)
    for b in np.flatnonzero((bags.labels > 0) & (bags.sizes > 0)).tolist():
        rows = bags.of(b)
        best = rows[distance2[rows].argmin(axis=0)]
        k = np.arange(K)
        likely = (found.probability[best, k] > LIKELY) & (concept[best] == k)
        out[:, b] = np.where(likely, best, -1)
    return out


def causes(
    distance2: NDArray, bags: Bags, k: int, *, top: int = 5
) -> list[tuple[int, int, float, float]]:
    """Why bag k is positive: rows (instance, concept, p, cause), the likeliest cause first."""
    rows = bags.of(k)
    if not len(rows):
        return []
    alone = Bags.from_lists([np.arange(len(rows))], bags.labels[k : k + 1])
    found = Reading.of(distance2[rows], alone)
    concept = found.cause.argmax(axis=1)
    share = found.cause[np.arange(len(rows)), concept]
    order = np.argsort(-share, kind="stable")[:top]
    return [
        (int(rows[i]), int(concept[i]), float(found.probability[i, concept[i]]), float(share[i]))
        for i in order
    ]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What labels and concepts disagree about.

    negative : rows of instances of negative bags that are likely of a concept: a wrong label,
    or a false concept.
    uncovered : numbers of positive bags that hold no concept: a wrong label, or too few concepts.
    several : numbers of bags that surely hold two concepts or more.
    """

    negative: NDArray[np.int64]
    uncovered: NDArray[np.int64]
    several: NDArray[np.int64]


def conflicts(found: Reading, bags: Bags) -> Conflicts:
    """The rows a person should look at, the most surprising first."""
    best = found.probability.max(axis=1)
    ground = np.unique(bags.members[bags.labels[bags.bag_of_member] < 0])
    ground = ground[best[ground] > LIKELY]
    most = np.where(bags.sizes > 0, np.nan_to_num(found.bag).max(axis=1), np.nan)
    uncovered = np.flatnonzero((bags.labels > 0) & (most < UNLIKELY))
    several = np.flatnonzero((np.nan_to_num(found.bag) > SURE).sum(axis=1) > 1)
    return Conflicts(ground[np.argsort(-best[ground], kind="stable")],
                     uncovered[np.argsort(most[uncovered])], several)
