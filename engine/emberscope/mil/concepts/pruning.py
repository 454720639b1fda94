"""Concepts that are the same are merged, weak ones go."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAME = 0.05  # of the memberships of two concepts that may differ
CONTRAST = 2.0
CLEAR = 5.0  # contrast of a concept that is no chance, though it covers few bags


@dataclass(frozen=True, slots=True)
class Limits:
    """What concepts must have to stay.

    merged_below : share of the memberships of two concepts that differs; less, and one of them
    goes. coverage : see `Strength`; None asks for half an equal share of the positive bags,
    and for a quarter of one where the contrast is 5 or more: kinds may be of unequally many bags.
    contrast : see `Strength`.
    """

    merged_below: float = SAME
    coverage: float | None = None
    contrast: float = CONTRAST

    def coverage_of(self, contrast: NDArray) -> NDArray[np.float64]:
        """Coverage that each of K concepts of this contrast (K,) must have, (K,)."""
        if self.coverage is not None:
            return np.full(len(contrast), self.coverage)
        return np.where(contrast >= CLEAR, 0.25, 0.5) / len(contrast)


STANDARD = Limits()


@dataclass(frozen=True, slots=True)
class Strength:
    """What speaks for each of K concepts.

    coverage : (K,) mean probability of positive bags. contrast : (K,) mean probability of its own
    positive bags over that of negative bags; near 1 it tells nothing, NaN where there is no
    negative bag. purity : (K,) share of positive bags among those of probability above 1/2, NaN
    where there is none. bags : (K,) sum of its memberships.
    """

    coverage: NDArray[np.float64]
    contrast: NDArray[np.float64]
    purity: NDArray[np.float64]
    bags: NDArray[np.float64]

    def take(self, which: NDArray) -> "Strength":
        """Of some of the concepts."""
        return Strength(self.coverage[which], self.contrast[which], self.purity[which],
                        self.bags[which])


def strength(probability: NDArray, u: NDArray, positive: NDArray) -> Strength:
    """Of probabilities (K, B) that a bag holds an instance of a concept, whatever its label,
    and memberships u (K, B).

    Karem 2019 compares all positive bags with all negative ones; the more concepts there are, the
    less any of them could reach. Here a concept answers for its own bags, weighted by membership.
    """
    own = np.where(positive, u, 0.0)
    ground, coverage = (_mean(probability[:, which]) for which in (~positive, positive))
    mean = (own * probability).sum(axis=1) / np.maximum(own.sum(axis=1), 1e-12)
    likely = probability > 0.5
    n = likely.sum(axis=1)
    purity = np.divide(likely[:, positive].sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    return Strength(coverage, mean / np.maximum(ground, 1e-12), purity, own.sum(axis=1))


def _mean(values: NDArray) -> NDArray[np.float64]:
    """(K,) of (K, B), NaN of no bags."""
    return values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)


def differing(u: NDArray) -> NDArray[np.float64]:
    """sum |u_k - u_q| / (sum u_k + sum u_q) of every pair of concepts, (K, K), in [0, 1];
    0 for two dead ones.

    u : (K, N+), possibilistic memberships of positive bags:
        negative ones belong to all and tell nothing.
    """
    total = u.sum(axis=1)
    both = total[:, None] + total
    apart = np.abs(u[:, None] - u[None]).sum(axis=2)
    return np.divide(apart, both, out=np.zeros_like(apart), where=both > 1e-12)


def distinct(u: NDArray, *, limit: float = SAME) -> NDArray[np.int64]:
    """Find the concepts that stay, (K',) ascending:
    of two that are nearly the same the one with the larger memberships.

    `u` : (K, B) memberships.
    """
    ratio, order = differing(u), np.argsort(-u.sum(axis=1), kind="stable")
    kept: list[int] = []
    for k in order.tolist():
        if all(ratio[k, q] >= limit for q in kept):
            kept.append(k)
    return np.sort(np.array(kept, np.int64))


def strong(
    found: Strength, *, coverage: float | NDArray, contrast: float
) -> NDArray[np.int64]:
    """Concepts of so much coverage, one number or (K,), and contrast at least, (K',) ascending;
    the one of largest coverage where none is.

    Printed thresholds are 0.5 and 5. Two concepts of equally many bags cover 0.5 each at best:
    half their share is asked.
    """
    kept = np.flatnonzero((found.coverage >= coverage) & (found.contrast >= contrast))
    return kept if len(kept) else np.array([int(found.coverage.argmax())])
