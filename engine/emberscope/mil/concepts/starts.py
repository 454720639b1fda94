"""Where concepts start: at random instances, where negative instances are rare, or at clusters."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.monitor import monitored
from emberscope.mil.concepts.greedy_cover import concepts_at, widths_of
from emberscope.mil.concepts.model import Concepts, StandardBags
from emberscope.mil.concepts.plain.c_means import fuzzy, usual_fuzzifier
from emberscope.neighbors.threads import thread_pool

NEGATIVE_CLUSTERS = 100
_FLOOR = 0.05  # least standard deviation of a cluster, of that of its feature
_CLUSTERED = 4000  # instances, drawn
_TIGHT = 4  # place among the widths that a random start has: wider ones fail more often


def random_start(bags: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    """k different instances of positive bags."""
    own = np.flatnonzero(np.repeat(bags.positive, np.diff(bags.indptr)))
    rows = rng.choice(own, k, replace=len(own) < k)
    return concepts_at(bags.Z[rows], widths_of(bags.Z.shape[1])[_TIGHT])


def rare_start(bags: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    """Cluster, into k, the instance of each positive bag that is farthest from clusters of negative
    instances.

    Karem 2019, section 5.1.3. About four in ten such instances are background: ask for more
    concepts than there are.
    """
    negative = gaussian_clusters(_rows(bags, ~bags.positive), NEGATIVE_CLUSTERS, rng)
    rarity = negative.distance2(bags.Z).min(axis=1)
    starts = bags.indptr[:-1][bags.positive]
    ends = bags.indptr[1:][bags.positive]
    likely = np.array(
        [low + int(rarity[low:high].argmax()) for low, high in zip(starts, ends, strict=True)]
    )
    found = gaussian_clusters(bags.Z[likely], k, rng)
    return with_random(bags, found, k, rng)  # there may be fewer different instances


def clustered_start(bags: StandardBags, k: int, rng: np.random.Generator) -> Concepts:
    """Fuzzy c-means of the instances of positive bags, into k: places that are frequent there,
    ground among them. Ask for more concepts than there are."""
    Z = _rows(bags, bags.positive)
    rows = rng.choice(len(Z), min(len(Z), _CLUSTERED), replace=False)
    some = Z[np.sort(rows)]
    start = some[rng.choice(len(some), k, replace=len(some) < k)]
    with thread_pool():  # small products are slower on several threads
        found = fuzzy(some, start, usual_fuzzifier(Z.shape[1]), monitored(None))
    weight = found.memberships**found.fuzzifier
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
    variance = weight @ np.square(some) - np.square(found.centers)
    floor = np.square(_FLOOR * np.maximum(some.std(axis=0), 1e-3))
    return Concepts(found.centers, 1 / (2 * np.maximum(variance, floor)))


def with_random(
    bags: StandardBags, found: Concepts, k: int, rng: np.random.Generator
) -> Concepts:
    """k concepts: those found, and random starts where they are fewer."""
    if len(found) >= k:
        return found
    more = random_start(bags, k - len(found), rng)
    return Concepts(np.vstack([found.centers, more.centers]),
                    np.vstack([found.scales, more.scales]))


def gaussian_clusters(Z: NDArray, k: int, rng: np.random.Generator) -> Concepts:
    """k clusters (fewer where there are fewer different rows) by k-means,
    as concepts of their means and deviations."""
    from sklearn.cluster import KMeans

    k = min(k, len(np.unique(Z, axis=0)))
    labels = KMeans(k, n_init=1, random_state=int(rng.integers(2**31))).fit(Z).labels_
    centers = np.array([Z[labels == c].mean(axis=0) for c in range(k)])
    floor = _FLOOR * np.maximum(Z.std(axis=0), 1e-3)
    deviations = np.maximum([Z[labels == c].std(axis=0) for c in range(k)], floor)
    return Concepts(centers, 1 / (2 * deviations**2))


def _rows(bags: StandardBags, which: NDArray) -> NDArray[np.float64]:
    return bags.Z[np.repeat(which, np.diff(bags.indptr))]
