"""Measurements of metrics learned from classes, on tables that come with scikit-learn."""

import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError
from emberscope.base.monitor import Monitor
from emberscope.datasets.model import Points
from emberscope.evaluate.knn import knn_classify
from emberscope.metric.lmnn import LMNN
from emberscope.metric.nca import NCA

_VOTERS = 3
_TRAINING = 0.7
_METRICS: dict[str, type[NCA] | type[LMNN]] = {"nca": NCA, "lmnn": LMNN}


def neighbor_error(
    *, seed: int, monitor: Monitor, points: Points | None, data: str, metric: str = ""
) -> float:
    """Share of wrong 3-NN votes on 30 % of a table, drawn by `seed` class by class, learned from
    the other 70 %.

    data : "iris", "wine", "digits" or "breast_cancer". metric : "nca" or "lmnn" with all
    dimensions; "" for none. Features are divided by their deviations over the training rows. Raises
    DataError for other data or metrics.
    """
    X, y = _table(data)
    train = _training(y, seed)
    X = (X - X[train].mean(axis=0)) / np.maximum(X[train].std(axis=0), 1e-12)
    if metric:
        if metric not in _METRICS:
            raise DataError(f"there is no metric {metric!r}", hint=f"Known: {', '.join(_METRICS)}.")
        est = _METRICS[metric](n_components=None, random_state=seed).fit(
            X[train], y[train], monitor=monitor
        )
        X = est.transform(X)
    voted = knn_classify(
        np.ascontiguousarray(X[train]), y[train], np.ascontiguousarray(X[~train]), k=_VOTERS
    )[0]
    return float((voted != y[~train]).mean())


def _table(data: str) -> tuple[NDArray, NDArray[np.int64]]:
    """Rows and classes, which count from 1: 0 is unknown."""
    from sklearn import datasets

    known = ("iris", "wine", "digits", "breast_cancer")
    if data not in known:
        raise DataError(f"there is no table {data!r}", hint=f"Known: {', '.join(known)}.")
    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    return X, y.astype(np.int64) + 1


def _training(y: NDArray[np.int64], seed: int) -> NDArray[np.bool_]:
    draw, train = np.random.default_rng(seed), np.zeros(len(y), bool)
    for kind in np.unique(y):
        rows = draw.permutation(np.flatnonzero(y == kind))
        train[rows[: round(_TRAINING * len(rows))]] = True
    return train
