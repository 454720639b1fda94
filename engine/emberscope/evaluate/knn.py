"""k-NN classification with folds: in given coordinates, or honestly with the method fitted on the
other folds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.proportion import wilson_interval
from emberscope.evaluate.scores import accuracy, majority_rate
from emberscope.neighbors.graph import knn
from emberscope.neighbors.search import nearest

_LISTED = 32  # neighbors that all methods and scores share


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Out-of-fold classification of the labeled instances.

    accuracy : share of labeled instances classified right. interval : 95 % Wilson interval, which
    takes instances for independent (those of one bag are not). predictions : (N,) int64 class, 0
    where none was made.
    score : (N,) share of +1 among the neighbors in [0, 1], NaN where none. majority : accuracy of
    always saying the most frequent label. n : instances classified. per_fold : (F,) accuracy of
    each fold, in ascending fold number.
    """

    accuracy: float
    interval: tuple[float, float]
    predictions: NDArray[np.int64]
    score: NDArray
    majority: float
    n: int
    per_fold: NDArray


def knn_cross_validated(
    Z: NDArray, y: NDArray, fold: NDArray, *, k: int = 3, monitor: Monitor | None = None
) -> CrossValidated:
    """Classify the labeled instances of each fold by their k nearest labeled ones in the other
    folds.

    Parameters
    ----------
    Z : (N, d). Coordinates or features. y : (N,) int, 0 = unknown (takes no part).
    fold : (N,) int, folds grouped by bag and source; -1 = takes no part, -2 = votes for every fold,
        is not classified.
    k : int. A tied vote goes to the class of the nearest neighbor among the tied.

    Notes
    -----
    Honest for features. For coordinates of a supervised method it is not: those coordinates have
    seen the labels of the held-out fold; use `embed_cross_validated`. Voters are read off the
    shared neighbor lists (`neighbors.knn`) where these hold k of them; other instances are searched
    for theirs. Above 30 000 the lists are approximate.
    """
    Z, y, fold = _checked(Z, y, fold)
    watch = monitored(monitor)
    predictions, score = np.zeros(len(y), np.int64), np.full(len(y), np.nan)
    numbers = _folds(fold, y)
    done, voters = _listed_voters(Z, y, fold, k, Portion(watch, 0.0, 0.5))
    predictions[done], score[done] = _vote(y[voters])
    left = (y != 0) & (predictions == 0)
    for at, number in enumerate(numbers):
        watch.step(0.5 + 0.5 * at / len(numbers), f"Fold {at + 1} of {len(numbers)}")
        train = np.flatnonzero((fold != NO_PART) & (fold != number) & (y != 0))
        test = np.flatnonzero((fold == number) & left)
        if len(test):
            predictions[test], score[test] = knn_classify(Z[train], y[train], Z[test], k=k)
    return _summary(y, fold, predictions, score, numbers)


def _listed_voters(
    Z: NDArray, y: NDArray, fold: NDArray, k: int, watch: Monitor
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Instances whose neighbor lists hold k labeled ones of other folds, and these, nearest
    first."""
    rows = np.flatnonzero((y != 0) & (fold >= 0))
    Z = np.ascontiguousarray(Z, Z.dtype if Z.dtype in (np.float32, np.float64) else np.float64)
    near = knn(Z, min(_LISTED, len(Z) - 1), monitor=watch).idx[rows]
    may = (y[near] != 0) & (fold[near] != NO_PART) & (fold[near] != fold[rows, None])
    enough = may.sum(axis=1) >= k
    first = np.argsort(~may[enough], axis=1, kind="stable")[:, :k]
    return rows[enough], np.take_along_axis(near[enough], first, axis=1).astype(np.int64)


def embed_cross_validated(
    make_estimator: Callable[[], Any],
    X: NDArray,
    y: NDArray,
    bags: Bags | None,
    fold: NDArray,
    *,
    k: int = 3,
    monitor: Monitor | None = None,
) -> CrossValidated:
    """The same, with a method: for each fold it is fitted on the others and maps the held-out
    instances.

    Parameters
    ----------
    make_estimator : function without arguments that returns an unfitted method. X : (N, D). y,
        fold : as above.
    bags : of X, or None. Each fold's method gets the bags of its training instances (a bag that
        reaches into the held-out fold keeps its other members; folds grouped by bag have none).

    Notes
    -----
    Unlabeled training instances (y = 0) take part in the fit, not in the vote. One fit per fold.
    """
    X, y, fold = _checked(X, y, fold)
    watch = monitored(monitor)
    predictions, score = np.zeros(len(y), np.int64), np.full(len(y), np.nan)
    numbers = _folds(fold, y)
    for at, number in enumerate(numbers):
        share = Portion(watch, at / len(numbers), (at + 1) / len(numbers))
        share.step(0.0, f"Fold {at + 1} of {len(numbers)}")
        train = np.flatnonzero((fold != NO_PART) & (fold != number))
        test = np.flatnonzero((fold == number) & (y != 0))
        inner = None if bags is None else bags.among(train, len(X))
        estimator = make_estimator().fit(X[train], y[train], bags=inner, monitor=share)
        voters = y[train] != 0
        Z = estimator.embedding_[voters]
        predictions[test], score[test] = knn_classify(Z, y[train][voters],
                                                      estimator.transform(X[test]), k=k)
    return _summary(y, fold, predictions, score, numbers)


def knn_classify(
    Z: NDArray, y: NDArray, Q: NDArray, *, k: int = 3
) -> tuple[NDArray[np.int64], NDArray]:
    """Class (M,) and share of +1 (M,) among the k nearest rows of Z to each row of Q; k at most
    len(Z)."""
    return _vote(y[nearest(np.ascontiguousarray(Z), np.ascontiguousarray(Q), min(k, len(Z))).idx])


def _vote(labels: NDArray) -> tuple[NDArray[np.int64], NDArray]:
    """Class (M,) and share of +1 (M,) of the labels of neighbors (M, k), nearest first."""
    if not len(labels):
        return np.empty(0, np.int64), np.empty(0)
    classes, vote = np.unique(labels, return_inverse=True)
    votes = vote.reshape(labels.shape)
    counts = np.stack([(votes == c).sum(axis=1) for c in range(len(classes))], axis=1)
    # Of the classes with most votes, the one whose nearest member is nearest.
    leads = np.take_along_axis(counts, votes, axis=1) == counts.max(axis=1, keepdims=True)
    winner = np.take_along_axis(votes, leads.argmax(axis=1)[:, None], axis=1)[:, 0]
    return classes[winner].astype(np.int64), (labels == 1).mean(axis=1)


def _checked(X: NDArray, y: NDArray, fold: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    X, y, fold = np.asarray(X), np.asarray(y), np.asarray(fold)
    if y.shape != (len(X),) or fold.shape != (len(X),):
        raise DataError(f"{len(X)} instances, y of shape {y.shape}, folds of shape {fold.shape}")
    return X, y, fold


def _folds(fold: NDArray, y: NDArray) -> NDArray:
    sides = np.unique(fold[(fold != NO_PART) & (y != 0)])
    numbers = sides[sides != LEARNED]
    if len(sides) < 2 or not len(numbers):
        raise MissingLabels(f"labels lie in {len(numbers)} folds",
                            hint="Label instances of at least two folds.")
    return numbers


def _summary(
    y: NDArray, fold: NDArray, predictions: NDArray, score: NDArray, numbers: NDArray
) -> CrossValidated:
    done = predictions != 0
    hits = int((predictions[done] == y[done]).sum())
    n = int(done.sum())
    per_fold = np.array([accuracy(y[done & (fold == f)], predictions[done & (fold == f)])
                         for f in numbers])
    return CrossValidated(
        hits / n, wilson_interval(hits, n), predictions, score, majority_rate(y[done]), n, per_fold
    )
