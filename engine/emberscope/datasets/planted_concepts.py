"""Bags around several target concepts in a square or cube: the generated sets that clustering of
bags was tried on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags

SIDE = 2.0  # of the square that background fills evenly
ONE, TWO = ((0.3, 0.5),), ((0.3, 0.5), (0.5, 1.5))
_RADIUS, _CLEAR = 0.1, 0.15
_INSIDE = 0.9  # share of a concept that background of other bags keeps out of


@dataclass(frozen=True, slots=True)
class PlantedConcepts:
    """X (N, D) float64. bags : positive ones hold one instance of one concept. centers (K, D).
    concept_of_bag (B,) int64, -1 for negative bags. concept (N,) int64 of instances, -1 for
    background."""

    X: NDArray[np.float64]
    bags: Bags
    centers: NDArray[np.float64]
    concept_of_bag: NDArray[np.int64]
    concept: NDArray[np.int64]


def disk_concepts(
    centers: tuple[tuple[float, float], ...] = TWO, *, n_positive: int = 20, n_negative: int = 20,
    seed: int = 0
) -> PlantedConcepts:
    """Bags of 2 to 6 instances in [0, 2]²; the first of a positive bag lies within 0.1 of its
    center.

    Karem 2019, section 5.2 (Data-1TC and Data-2TC). Other instances of a positive bag keep 0.15
    from the other centers, those of negative bags from all. n_positive : bags per concept.
    """
    rng = np.random.default_rng(seed)
    C = np.array(centers, np.float64)

    def target(k: int) -> NDArray:
        turn, radius = rng.uniform(0, 2 * np.pi), _RADIUS * np.sqrt(rng.uniform())
        return np.array(C[k] + radius * np.array([np.cos(turn), np.sin(turn)]))

    def clear(x: NDArray, of: NDArray) -> NDArray:
        return np.array((np.linalg.norm(x[:, None] - C[of], axis=2) > _CLEAR).all(axis=1))

    return _planted(rng, C, target, clear, (2, 6), n_positive, n_negative)


def gaussian_concepts(
    centers: NDArray, *, variance: float | NDArray = 0.01, n_positive: int = 200,
    n_negative: int = 200, largest: int = 20, seed: int = 0,
) -> PlantedConcepts:
    """Bags of 2 to `largest` instances in [0, 2]^D; one of a positive bag is drawn from its
    Gaussian concept.

    Karem 2019, section 5.2 (sensitivity study). variance : a number, (D,) or (K, D). Background of
    a bag keeps out of the ellipsoids that hold 90 % of the other concepts, of a negative bag out of
    all.
    """
    from scipy.stats import chi2

    rng = np.random.default_rng(seed)
    C = np.array(centers, np.float64)
    spread = np.sqrt(np.broadcast_to(variance, C.shape))
    limit = chi2.ppf(_INSIDE, C.shape[1])

    def target(k: int) -> NDArray:
        return np.array(C[k] + spread[k] * rng.normal(size=C.shape[1]))

    def clear(x: NDArray, of: NDArray) -> NDArray:
        return np.array((np.square((x[:, None] - C[of])
                                   / spread[of]).sum(axis=2) > limit).all(axis=1))

    return _planted(rng, C, target, clear, (2, largest), n_positive, n_negative)


def _planted(
    rng: np.random.Generator, C: NDArray, target: Callable[[int], NDArray],
    clear: Callable[[NDArray, NDArray], NDArray], sizes: tuple[int, int], n_positive: int,
    n_negative: int,
) -> PlantedConcepts:
    X, own, concept = [], [], []
    kinds = np.repeat([*range(len(C)), -1], [n_positive] * len(C) + [n_negative])
    for b, kind in enumerate(kinds.tolist()):
        n = int(rng.integers(sizes[0], sizes[1] + 1))
        others = np.setdiff1d(np.arange(len(C)), kind)
        here = [target(kind)[None]] if kind >= 0 else []
        here.append(_background(rng, n - len(here), C.shape[1], lambda x: clear(x, others)))  # noqa: B023
        X.append(np.vstack(here))
        own += [b] * n
        concept += [kind] * (kind >= 0) + [-1] * (n - (kind >= 0))
    bags = Bags.from_column(np.array(own), np.where(kinds >= 0, 1, -1))
    return PlantedConcepts(np.vstack(X), bags, C, kinds, np.array(concept))


def _background(
    rng: np.random.Generator, n: int, d: int, clear: Callable[[NDArray], NDArray]
) -> NDArray[np.float64]:
    """n points spread evenly over the square, where it is clear."""
    out = np.empty((0, d))
    while len(out) < n:
        drawn = rng.uniform(0, SIDE, (2 * n + 4, d))
        out = np.vstack([out, drawn[clear(drawn)]])
    return np.array(out[:n])
