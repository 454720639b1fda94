"""Point sets: what `emberscope embed`, `emberscope classify` and `emberscope info` compute."""

import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import bag_groups, grouped_folds
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_max
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError, MissingLabels, NoOutOfSample, ParamError
from emberscope.base.files import written_whole
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.param import Param
from emberscope.datasets.points import Points
from emberscope.evaluate.knn import CrossValidated, embed_cross_validated, knn_cross_validated
from emberscope.evaluate.purity import neighborhood_purity
from emberscope.evaluate.scores import auc, auc_interval, majority_rate, wilson_interval
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import knn, neighborhood_graph
from emberscope.pipeline.advice import advice
from emberscope.pipeline.estimator import GRAPH_NEIGHBORS, variations_of
from emberscope.pipeline.scores import Scores, faithful, joined, steady
from emberscope.pipeline.stages import SHARED_NEIGHBORS

Arrays = dict[str, NDArray]
CHOICES_OF_K = (1, 3, 5, 9, 15)
INNER_FOLDS = 4
K = Param(
    "k", "int", 3, low=1, high=501, title="Neighbors k", help="Neighbors that vote.",
    auto="1, 3, 5, 9 or 15, chosen by cross-validation inside the training folds",
)


def embed_points(
    points: Points, *, method: str, settings: dict[str, str], seed: int = 0, spread: bool = False,
    monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """Fit a method to a point set.

    Parameters
    ----------
    spread : fit twice more, with other seeds or some neighbors more and fewer, to see how far instances move.

    Returns
    -------
    arrays : Z (N, d); Z_new (M, d) where there is X_new and the method has a rule; X_at (P, D) where there is Z_at;
        quality_* (N,) per point:
        `Faithfulness.points`, purity where there are labels, stability with `spread`.
    report : method, seconds, peak_mb, quality {trustworthiness, continuity, ... `Faithfulness.numbers`, purity,
        spread}; instances, dimensions; notes.
    """
    monitor = monitored(monitor)
    estimator = make(method, settings, seed=seed)
    missing = bool(np.isnan(points.X).any())
    if not missing:
        _check_different(points.X, 4)  # what faithfulness needs
    start = time.perf_counter()
    first = 0.3 if spread else 0.85
    estimator.fit(points.X, points.y, bags=points.bags, monitor=Portion(monitor, 0.0, first))
    seconds, peak = time.perf_counter() - start, peak_mb()
    Z = estimator.embedding_
    arrays, notes = {"Z": Z}, list(getattr(estimator, "notes_", []))
    if points.X_new is not None:
        try:
            arrays["Z_new"] = estimator.transform(points.X_new)
        except NoOutOfSample as error:
            notes.append(str(error))
    if missing:  # the scores compare with what the method takes the missing values to be
        points = replace(points, X=np.where(np.isnan(points.X), estimator.inverse_transform(Z), points.X))
    if points.Z_at is not None:
        arrays["X_at"] = _features_at(estimator, points.Z_at)
    again = Portion(monitor, first, 0.85)
    parts = [_spread_between_fits(points, method, estimator, seed, again)] if spread else []
    scores = joined(
        faithful(points.X, Z, monitor=Portion(monitor, 0.85, 1.0)), _purity(points, Z), *parts
    )
    arrays |= {f"quality_{name}": found for name, found in scores.points.items()}
    unknown = dict.fromkeys(("trustworthiness", "continuity"), float("nan"))  # first, also where there are none
    report = {
        "method": method, "seconds": round(seconds, 4), "peak_mb": round(peak, 1),
        "quality": {**unknown, **scores.metrics}, "instances": len(Z), "dimensions": int(Z.shape[1]),
        "notes": notes + scores.notes,
    }
    return arrays, report


def _features_at(estimator: Embedder, Z: NDArray) -> NDArray:
    """Features at places of the map. Raises DataError, ParamError."""
    back = getattr(estimator, "inverse_transform", None)
    if back is None:
        name = type(estimator).__name__
        raise ParamError(f"{name} has no inverse", hint="Leave Z_at out, or choose a method with one.")
    if Z.shape[1] != estimator.embedding_.shape[1]:
        what = f"Z_at has {Z.shape[1]} columns, the map {estimator.embedding_.shape[1]}"
        raise DataError(what, hint="Give places in the dimensions of the map.")
    return back(Z)


def _purity(points: Points, Z: NDArray) -> Scores:
    y: NDArray | None = points.y
    if y is None and points.bags is not None:
        y = points.bags.instance_labels(len(points.X))
    if y is None:
        return Scores()
    found = neighborhood_purity(Z, y, points.bags)
    return Scores({"purity": found}, {"purity": float(np.nanmean(found))}) if np.isfinite(found).any() else Scores()


def _spread_between_fits(points: Points, method: str, estimator: Embedder, seed: int, monitor: Monitor) -> Scores:
    fits = variations_of(method, estimator.get_params(deep=False), seed=seed)
    if not fits:
        return Scores(notes=["No spread between fits: the method draws no random numbers and takes no neighbors."])
    kind = catalogue.load(method)
    return steady(
        lambda number: kind(**fits[number]), points.X, estimator.embedding_, points.y, points.bags, fits=len(fits),
        monitor=monitor,
    )


def describe_points(points: Points, *, monitor: Monitor | None = None) -> dict[str, Any]:
    """What a point set holds: sizes, labels, parts of its neighborhood graph, intrinsic dimension, advice in notes."""
    watch = monitored(monitor)
    distinct = distinct_rows(points.X)
    facts: dict[str, Any] = {
        "kind": "points", "instances": len(points.X), "features": int(points.X.shape[1]), "copies": distinct.n_merged,
    }
    if points.y is not None:
        facts |= {"target": int((points.y > 0).sum()), "background": int((points.y < 0).sum())}
    if points.bags is not None:
        facts |= {"bags": len(points.bags), "positive bags": int((points.bags.labels > 0).sum())}
    if points.X_new is not None:
        facts["new instances"] = len(points.X_new)
    if len(distinct) < 3:
        return {**facts, "notes": []}
    X = points.X[distinct.rows]
    X = np.ascontiguousarray(X, X.dtype if X.dtype == np.float32 else np.float64)
    near = knn(X, min(SHARED_NEIGHBORS, len(X) - 1), monitor=Portion(watch, 0.0, 0.5))
    k = min(GRAPH_NEIGHBORS, near.k)
    graph = neighborhood_graph(X, near.first(k), components="keep")
    found = advice(X, near, k, monitor=Portion(watch, 0.5, 1.0))
    return {
        **facts, "neighbors": k, "components": graph.n_components, **found.metrics,
        "notes": [*graph.notes, *found.notes],
    }


def classify_points(
    points: Points, *, method: str = "knn", reduce: str | None = None, settings: dict[str, str], folds: int = 10,
    repeats: int = 1, seed: int = 0, monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """Out-of-fold k-NN classification of bags: a bag scores as its best instance, an instance as its neighbors.

    Instances of a training bag carry the bag's label; y only judges the instances then, it trains nothing. Without
    bags every instance is a bag of its own with the label y. Folds keep bags that share instances together.

    Parameters
    ----------
    settings : "k=v" texts: k, the neighbors that vote (a number or auto), and the parameters of `reduce`.
    repeats : with other folds.

    Returns
    -------
    arrays : bag_score (K,), instance_score (N,) averaged over repeats, NaN in no labelled bag; fold (K,) of the last
        repeat.
    report : accuracy, accuracy_interval, auc, auc_interval, instance_auc (where y is given), seconds, folds.
    """
    if method != "knn":
        raise ParamError(f"there is no classifier {method!r}", hint="Known classifiers: knn.")
    if repeats < 1:
        raise ParamError(f"repeats is {repeats}", hint="Give 1 or more.")
    k, rest = _split(settings, reduce, seed)
    _check_different(points.X, 2)
    monitor = monitored(monitor)
    bags = points.bags if points.bags is not None else _each_its_own(points)
    if len(np.unique(bags.labels[bags.labels != 0])) < 2:
        raise MissingLabels("the bags are of one class", hint="Give positive and negative bags in bag_y.")
    start = time.perf_counter()
    scores = np.zeros(len(points.X))
    bag_fold = np.zeros(len(bags), np.int64)
    for repeat in range(repeats):
        part = Portion(monitor, repeat / repeats, (repeat + 1) / repeats)
        bag_fold = grouped_folds(bag_groups(bags, len(points.X)), bags.labels, n_folds=folds, seed=seed + repeat)
        scores += _out_of_fold(points, bags, bag_fold, reduce, rest, k, seed, part) / repeats
    bag_score = bag_max(scores, bags)
    known = bags.labels != 0
    report = _classification(bags.labels[known], bag_score[known])
    if points.y is not None:
        judged = (points.y != 0) & np.isfinite(scores)
        if len(np.unique(points.y[judged])) == 2:
            report["instance_auc"] = auc(points.y[judged], scores[judged])
    report |= {"seconds": round(time.perf_counter() - start, 4), "folds": folds, "repeats": repeats, "method": method}
    report |= {"reduce": reduce or ""}
    return {"bag_score": bag_score, "instance_score": scores, "fold": bag_fold}, report


def takes_missing(method: str) -> bool:
    """Whether NaN in X is a value that is missing to this method. Raises ParamError for an unknown one."""
    return bool(catalogue.load(method).takes_missing)


def make(method: str, settings: dict[str, str], *, seed: int) -> Embedder:
    """An estimator of the catalogue from typed settings ("k=v" texts). Raises ParamError."""
    params = {param.name: param for param in catalogue.load(method).params}
    values: dict[str, Any] = {"random_state": seed} if "random_state" in params else {}
    for name, value in settings.items():
        if name not in params:
            raise ParamError(f"{method} has no parameter {name}", hint=f"It has: {', '.join(params) or 'none'}.")
        values[name] = params[name].parse(value)
    return catalogue.load(method)(**values)


def save_arrays(path: str | Path, arrays: Arrays) -> None:
    """Write arrays as .npz, whole or not at all."""
    with written_whole(path) as partial, partial.open("wb") as out:
        np.savez(out, **arrays)  # type: ignore[arg-type]  # its stub takes the names for allow_pickle


def check_place(path: str | Path) -> None:
    """Raise DataError where `save_arrays` could not write, before anything is computed."""
    path = Path(path)
    if path.is_dir():
        raise DataError("this is a folder", where=str(path), hint="Name a file.")
    if not path.parent.is_dir():
        raise DataError("there is no such folder", where=str(path.parent), hint="Make it first.")


def peak_mb() -> float:
    """Largest memory of this process so far, MiB."""
    try:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    except ImportError:
        import psutil

        return psutil.Process().memory_info().rss / 2**20


def _out_of_fold(
    points: Points, bags: Bags, bag_fold: NDArray, reduce: str | None, settings: dict[str, str], k: int | None,
    seed: int, monitor: Monitor,
) -> NDArray[np.float64]:
    """(N,) share of positive neighbors of each instance, with its fold left out; NaN for instances in no bag."""
    y = bags.instance_labels(len(points.X))

    def validated(fold: NDArray, k: int, monitor: Monitor | None = None) -> CrossValidated:
        if reduce is None:
            return knn_cross_validated(points.X, y, fold, k=k, monitor=monitor)
        return embed_cross_validated(
            lambda: make(reduce, settings, seed=seed), points.X, y, bags, fold, k=k, monitor=monitor
        )

    outer = _spread(bag_fold, bags, len(points.X))
    if k is not None:
        return validated(outer, k, monitor).score
    scores = np.full(len(points.X), np.nan)
    outside = cache(lambda k: validated(outer, k).score)  # several folds may choose the same k
    for f in np.unique(bag_fold):
        monitor.step(f / (bag_fold.max() + 1), f"Choosing k without fold {f + 1}")
        inner = _inner_folds(bags, bag_fold, f, len(points.X), seed)
        best = max(CHOICES_OF_K, key=lambda k: _bag_auc(bags, validated(inner, k).score, bag_fold != f))
        scores[outer == f] = outside(best)[outer == f]
    return scores


def _spread(bag_fold: NDArray, bags: Bags, n: int) -> NDArray[np.int64]:
    """(n,) fold of each instance, that of its bag; -1 in no bag."""
    fold = np.full(n, -1, np.int64)
    fold[bags.members] = bag_fold[bags.bag_of_member]
    return fold


def _inner_folds(bags: Bags, bag_fold: NDArray, left_out: int, n: int, seed: int) -> NDArray[np.int64]:
    """(n,) folds over the training bags of an outer fold; -1 for what is left out."""
    inside = bag_fold != left_out
    inner = np.full(len(bags), -1, np.int64)
    groups = bag_groups(bags, n)[inside]
    folds = min(INNER_FOLDS, len(np.unique(groups)))
    inner[inside] = grouped_folds(groups, bags.labels[inside], n_folds=folds, seed=seed)
    return _spread(inner, bags, n)


def _bag_auc(bags: Bags, score: NDArray, chosen: NDArray[np.bool_]) -> float:
    """AUC of the chosen labelled bags; ties between choices of k go to the smaller one."""
    known = chosen & (bags.labels != 0)
    area = auc(bags.labels[known], bag_max(np.nan_to_num(score), bags)[known])
    return area if np.isfinite(area) else 0.0


def _split(settings: dict[str, str], reduce: str | None, seed: int) -> tuple[int | None, dict[str, str]]:
    """k (None = auto), and the settings of the reduction, checked before anything is computed."""
    k = K.parse(settings["k"]) if "k" in settings else K.default
    rest = {name: value for name, value in settings.items() if name != "k"}
    if reduce is not None:
        make(reduce, rest, seed=seed)
    elif rest:
        raise ParamError(f"knn has no parameter {next(iter(rest))}", hint="It has: k.")
    return k, rest


def _check_different(X: NDArray, least: int) -> None:
    n = len(distinct_rows(X))
    if n < least:
        raise DataError(f"X has {n} different {'row' if n == 1 else 'rows'}", hint=f"Give at least {least}.")


def _each_its_own(points: Points) -> Bags:
    if points.y is None:
        raise DataError("there are neither bags nor y", hint="Give bag and bag_y, or y.")
    return Bags.from_column(np.arange(len(points.X)), points.y.astype(np.int8))


def _classification(labels: NDArray, score: NDArray) -> dict[str, Any]:
    right = int((np.where(score > 0.5, 1, -1) == labels).sum())
    area = auc(labels, score)
    return {
        "accuracy": right / len(labels), "accuracy_interval": wilson_interval(right, len(labels)), "auc": area,
        "auc_interval": auc_interval(area, int((labels > 0).sum()), int((labels < 0).sum())),
        "majority": majority_rate(labels),
    }

