"""Measurements of target concepts: whether planted ones are found, and how well they sort the
bags."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.reduce import bag_max
from emberscope.base.errors import DataError, ParamError
from emberscope.base.monitor import Monitor
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.datasets.model import Points
from emberscope.datasets.planted_concepts import (
    ONE,
    SIDE,
    TWO,
    PlantedConcepts,
    disk_concepts,
    gaussian_concepts,
)
from emberscope.mil.concepts.model import Concepts

NEAR = 0.1  # of a planted center: there a concept is found
_APART = 0.45  # planted centers keep so far from each other, where print does not say
_DRAWS = 2000


def concepts_found(
    *, seed: int, monitor: Monitor, points: Points | None, data: str, method: str = "fcmi",
    set: Mapping[str, Any] | None = None, found: int | None = None, alone: bool = False,
) -> float:
    """1 where as many planted centers as `found` (None: all) have a concept within 0.1, else 0.

    data : "one" (Data-1TC) or "two" (Data-2TC). alone : and no concept lies elsewhere. Raises
    DataError for other data.
    """
    if data not in ("one", "two"):
        raise DataError(f"there are no planted concepts {data!r}", hint="Known: one, two.")
    made = disk_concepts(ONE if data == "one" else TWO, seed=seed)
    centers = _concepts(made, method, set, seed, monitor).centers
    apart = np.linalg.norm(made.centers[:, None] - centers, axis=2)
    reached = int((apart.min(axis=1) <= NEAR).sum())
    wanted = len(made.centers) if found is None else found
    return float(reached == wanted and (not alone or bool((apart.min(axis=0) <= NEAR).all())))


def concept_agreement(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    score: str = "rand",
    method: str = "fcmi",
    set: Mapping[str, Any] | None = None,
    n_concepts: int = 2,
    dimensions: int = 2,
    distance: float = 1.0,
    variance: float | Sequence[float] = 0.01,
    n_positive: int = 200,
    n_negative: int = 200,
    largest: int = 20,
    truth: bool = False,
) -> float:
    """How well concepts fit Gaussian ones planted in a square: the sensitivity study.

    Parameters
    ----------
    score : "rand", Rand index of the nearest concept of positive bags against the planted one.
        "centroid", mean distance of planted centers to the nearest concept. "overlap", equal error
        rate of bags by the nearest concept.
    n_concepts : 1 at (0.5, ...); 2 further ones `distance` apart on every axis; more: drawn, 0.45
    apart. variance : a
        number, or one list per axis and concept. n_positive : bags of each concept; n_negative :
        negative bags;
        largest : instances of a bag. truth : score the planted concepts themselves, the best that
        can be had.

    Raises ParamError for an unknown score.
    """
    if score not in ("rand", "centroid", "overlap"):
        raise ParamError(f"score is {score!r}", hint="Choose rand, centroid or overlap.")
    made = gaussian_concepts(
        _centers(n_concepts, dimensions, distance, seed), variance=np.array(variance, np.float64),
        n_positive=n_positive, n_negative=n_negative, largest=largest, seed=seed,
    )
    if truth:
        spread = np.broadcast_to(np.array(variance, np.float64), made.centers.shape)
        concepts = Concepts(made.centers, 1 / (2 * spread))
    else:
        settings = {"n_concepts": n_concepts, "prune": False, **(set or {})}
        concepts = _concepts(made, method, settings, seed, monitor)
    if score == "centroid":
        apart = np.linalg.norm(made.centers[:, None] - concepts.centers, axis=2)
        return float(apart.min(axis=1).mean())
    nearest = -bag_max(-concepts.distance2(made.X), made.bags)
    positive = made.bags.labels > 0
    if score == "rand":
        from sklearn.metrics import rand_score

        return float(rand_score(made.concept_of_bag[positive], nearest[positive].argmin(axis=1)))
    return equal_error(-nearest.min(axis=1), positive)


def equal_error(score: NDArray, positive: NDArray) -> float:
    """Largest over thresholds of the smaller of the shares of positives below and of negatives
    above it.

    score : (B,). positive : (B,) bool, both kinds.
    """
    low = np.searchsorted(np.sort(score[positive]), score, side="right") / positive.sum()
    high = 1 - np.searchsorted(np.sort(score[~positive]), score, side="right") / (~positive).sum()
    return float(np.minimum(low, high).max())


def _concepts(
    made: PlantedConcepts, method: str, set: Mapping[str, Any] | None, seed: int, monitor: Monitor
) -> Concepts:
    if not hasattr(catalogue.load(method), "concepts"):
        raise ParamError(f"{method} finds no concepts", hint="Name ccmi, fcmi or pcmi.")
    est = fitted(
        plan_of_points(method, set or {}, seed=seed), made.X, bags=made.bags, monitor=monitor
    )
    return est.concepts  # type: ignore[no-any-return]


def _centers(k: int, d: int, distance: float, seed: int) -> NDArray[np.float64]:
    if k <= 2:
        return np.stack([np.full(d, SIDE / 4), np.full(d, SIDE / 4 + distance)])[:k]
    rng = np.random.default_rng(seed)
    while True:  # a crowded start leaves no room for the last ones: begin again
        out = np.empty((0, d))
        for point in rng.uniform(0.075 * SIDE, 0.925 * SIDE, (_DRAWS, d)):
            if len(out) < k and (np.linalg.norm(out - point, axis=1) >= _APART).all():
                out = np.vstack([out, point])
        if len(out) == k:
            return out
