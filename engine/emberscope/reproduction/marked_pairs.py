"""Measurements of a metric that is learned from a few marked pairs, on digits that come with
scikit-learn."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.course.of_points import fitted, plan_of_points
from emberscope.datasets.model import Points
from emberscope.labels.side_info import SideInfo
from emberscope.metric.equivalence import EquivalenceMetric

_DIGITS, _PER_DIGIT = (4, 9, 7, 3), 50
_ATTRIBUTES = {"A": (4, 9), "B": (4, 7)}  # the digits that have the attribute


def attribute_share(
    *,
    seed: int,
    monitor: Monitor,
    points: Points | None,
    seen: str,
    marked: str = "",
    alike: int = 0,
    different: int = 0,
    softness: float | None = None,
    method: str = "",
) -> float:
    """Scatter between digits with and without an attribute over all scatter, in 2-D, 50 images of
    4, 9, 7 and 3 each.

    seen : the attribute that is looked at, "A" (4 and 9 have it) or "B" (4 and 7). marked : the
    attribute that pairs tell, `alike` and `different` of them, drawn at random; "" for principal
    components without a metric. method : that embeds the images, by the distances of the metric
    where pairs are marked; "" for none after it. Raises DataError for another attribute.
    """
    for name in (seen, marked or seen):
        if name not in _ATTRIBUTES:
            raise DataError(
                f"there is no attribute {name!r}", hint=f"Known: {', '.join(_ATTRIBUTES)}."
            )
    draw = np.random.default_rng(seed)
    X, digit = _images(draw)
    d = None if method else 2
    if marked:
        side = _pairs(np.isin(digit, _ATTRIBUTES[marked]), alike, different, draw)
        metric = EquivalenceMetric(n_components=d, softness=softness)
        X = metric.fit(X, side=side, monitor=monitor).embedding_
    plan = plan_of_points(method or "pca", {"n_components": 2}, seed=seed)
    Z = fitted(plan, np.ascontiguousarray(X), monitor=monitor).embedding_
    has = np.isin(digit, _ATTRIBUTES[seen])
    means = np.where(has[:, None], Z[has].mean(axis=0), Z[~has].mean(axis=0))
    return float(np.square(means - Z.mean(axis=0)).sum() / np.square(Z - Z.mean(axis=0)).sum())


def _images(draw: np.random.Generator) -> tuple[NDArray, NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    rows = np.concatenate(
        [draw.choice(np.flatnonzero(y == digit), _PER_DIGIT, replace=False) for digit in _DIGITS]
    )
    return X[rows], y[rows].astype(np.int64)


def _pairs(
    has: NDArray[np.bool_], alike: int, different: int, draw: np.random.Generator
) -> SideInfo:
    every = np.stack(np.triu_indices(len(has), 1), axis=1)
    same = has[every[:, 0]] == has[every[:, 1]]
    kept = np.concatenate([draw.choice(np.flatnonzero(same == side), count, replace=False)
                           for side, count in ((True, alike), (False, different))])
    ones = np.ones(len(kept))
    return SideInfo(pairs=every[kept], same=same[kept], pair_weight=ones,
                    pair_attribute=np.zeros(len(kept), np.int64))
