"""Point sets: what `emberscope embed`, `emberscope classify` and `emberscope info` compute."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import bag_groups, connected_groups
from emberscope.bags.model import Bags
from emberscope.bags.reduce import bag_argmax
from emberscope.base.embedder import Embedder
from emberscope.base.errors import DataError, NoOutOfSample, ParamError
from emberscope.base.files import written_whole
from emberscope.base.grouping import how_many
from emberscope.base.labels import read_labels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.classification import (
    chance_note,
    classification,
    first_of_groups,
    fit_notes,
    fitted_to_all,
    model_of,
    size_auc,
    values_error,
)
from emberscope.course.labels import Labels, labeled
from emberscope.course.of_points import begin_with, plan_of_points
from emberscope.course.plan import GRAPH_NEIGHBORS, Plan, check_takes
from emberscope.course.runner import run_stages
from emberscope.course.scores import Scores, joined
from emberscope.course.stage import Given, Size, Stage
from emberscope.course.stages.advice import advice
from emberscope.course.stages.agreement import agreement
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.faithful import FAITHFUL
from emberscope.course.stages.given import LABELS, PARTS
from emberscope.course.stages.graph import SHARED_NEIGHBORS
from emberscope.course.stages.held_out import HELD_OUT_AREA
from emberscope.course.stages.metric import METRIC
from emberscope.course.stages.reduce import REDUCED, Seen
from emberscope.course.stages.spread import NO_SPREAD, SPREAD
from emberscope.datasets.model import Points
from emberscope.evaluate.bag_validation import Model, Validated, validate_bags
from emberscope.evaluate.loadings import loadings
from emberscope.evaluate.purity import neighborhood_purity
from emberscope.evaluate.scores import auc, grouped_auc_interval
from emberscope.evaluate.unlike import Known, novelty_in_bags
from emberscope.findings.point_concepts import point_concepts
from emberscope.findings.split_sides import dealt_words
from emberscope.neighbors.distances import Distances
from emberscope.neighbors.duplicates import distinct_rows
from emberscope.neighbors.graph import knn, neighborhood_graph

Arrays = dict[str, NDArray]
NO_NUMBERS = NO_SPREAD + "the method draws no random numbers and takes no neighbors."


# First in a report, also where there are none
_UNKNOWN = dict.fromkeys(("trustworthiness", "continuity"), float("nan"))


def embed_points(
    points: Points, *, method: str, settings: dict[str, str], metric: str = "",
    distances: Distances | None = None, seed: int = 0, spread: bool = False, held_out: bool = False,
    bags_only: bool = False, ways: Sequence[tuple[int, int]] = (), together: Sequence[str] = (),
    monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """Fit a method to a point set.

    Parameters
    ----------
    bags_only : the method gets no y; that only judges purity.
    metric : id of a metric that changes the distances first; its settings are called "metric.k".
    distances : between the rows of X, in place of those of X; ParamError for a method that takes
        none, or a metric. points.classes : for methods that read labels of instances; DataError for
        those that tell target from background.
    spread : fit twice more, with other seeds or numbers of neighbors: how far instances move.
    held_out : fit once more per fold of the bags: how well it tells bags apart it has not seen.
    ways, together : see `point_actions`.

    Returns
    -------
    arrays : Z (N, d); Z_new (M, d) where there is X_new and the method has a rule; novelty_new
        (M,) where there is X_new, see `evaluate.unlike.Known.novelty`; X_at (P, D)
        where there is Z_at; witness (N,), how target-like a method that reads bags finds each
        instance; labels (N,), those it imputed; loadings (D, d), see `evaluate.loadings`, of a
        linear method; concept_*, see `point_concepts`; action_* and what belongs to them, see
        `point_actions`; quality_* (N,) per point:
        `Faithfulness.points`, purity where there are labels, stability with `spread`.
    report : method, seconds, peak_mb, quality {trustworthiness, continuity, ...
        `Faithfulness.numbers`, purity, spread, method_bag_auc with its ends _low and _high};
        instances, dimensions; notes; split, how bags were held out, in words, where they were;
        concepts, and actions, ways and together, a record each, of a method that has them.
    """
    plan = plan_of_points(method, settings, metric=metric, seed=seed)
    _check_distances(plan, distances)
    _check_can_fit(points, plan.method.row, bags_only=bags_only, held_out=held_out)
    monitor, start = monitored(monitor), time.perf_counter()
    labels = _labels(points, bags_only=bags_only, held_out=held_out)
    given, (n, d) = begin_with(points.X, labels, points.side, plan), points.X.shape
    first, size = 0.3 if spread or held_out else 0.85, Size(n, d, d)
    part = Portion(monitor, 0.0, first)
    run_stages(plan, _fitting(given, points.X, distances), given, size=size, monitor=part)
    seconds, peak = time.perf_counter() - start, peak_mb()
    notes = _notes_of_fit(plan, given)
    arrays = {"Z": given[EMBED].Z, **_of_new(given, points, notes)}
    _fill_in(plan, given)  # the scores compare with what the method takes missing values to be
    found, records = _explanations(plan, given, points, ways, together)
    part = Portion(monitor, first, 1.0)
    scores = _faithful(plan, given, points, spread=spread, held_out=held_out, monitor=part)
    arrays |= found | {f"quality_{name}": value for name, value in scores.points.items()}
    report = {
        "method": method, "seconds": round(seconds, 4), "peak_mb": round(peak, 1),
        "quality": _UNKNOWN | scores.metrics, "instances": len(points.X),
        "dimensions": given[EMBED].Z.shape[1], "notes": notes + scores.notes, **records,
        **_split(given, scores),
    }
    return arrays, report


def _faithful(
    plan: Plan, given: Given, points: Points, *, spread: bool, held_out: bool, monitor: Monitor
) -> Scores:
    """How far to believe the map, and what more was asked."""
    (n, d), said = points.X.shape, [Scores(notes=[NO_NUMBERS])] if spread and not plan.fits else []
    asked: list[Stage[Scores]] = [SPREAD] * spread + [HELD_OUT_AREA] * held_out
    size = Size(n, d, d)
    run_stages(plan, asked, given, size=size, monitor=Portion(monitor, 0.0, 0.8))
    run_stages(plan, (FAITHFUL,), given, size=size, monitor=Portion(monitor, 0.8, 1.0))
    return joined(
        given[FAITHFUL], Scores(metrics=agreement(given[SEEN].metric or given[EMBED].state)),
        _purity(points, plan, given[EMBED].Z), *said, *(given[stage] for stage in asked),
    )


def _split(given: Given, scores: Scores) -> dict[str, str]:
    """How bags were held out, in words, where they were."""
    parts = given[PARTS]
    if parts is None or "method_bag_auc" not in scores.metrics:
        return {}
    held = parts.fold >= 0
    return {"split": dealt_words(len(np.unique(parts.fold[held])), held, parts.group)}


def _check_distances(plan: Plan, distances: Distances | None) -> None:
    """Raise ParamError for distances that are given to a method that takes none, or beside a
    metric."""
    if distances is None:
        return
    check_takes(plan.method.row, "distances")
    if plan.metric is not None:
        raise ParamError(f"{plan.metric.row.short} changes features, and distances are given",
                         hint="Choose one of them.")


def _fitting(
    given: Given, X: NDArray, distances: Distances | None
) -> tuple[Stage[Any], ...]:
    """The stages up to the fit; of distances that are given the fit alone."""
    if distances is None:
        return (METRIC, SEEN, EMBED)
    given.put(SEEN, Seen(X, distances=distances))
    return (EMBED,)


def _labels(points: Points, *, bags_only: bool, held_out: bool) -> Labels:
    """What judges, and what the method learns from: with bags_only the bags alone."""
    known = None if bags_only else points.y if points.classes is None else points.classes
    if points.bags is None:
        return Labels(np.zeros(len(points.X), np.int8), None, known, known)
    y = points.bags.instance_labels(len(points.X))
    return Labels(y, points.bags, known, known, groups=kept_together(points) if held_out else None)


def _fill_in(plan: Plan, given: Given) -> None:
    """Missing values, NaN, become what the fitted method takes them to be."""
    seen, fitted = given[SEEN], given[EMBED]
    missing = np.isnan(seen.X)
    if missing.any():
        filled = np.where(missing, fitted.method.inverse_transform(fitted.Z), seen.X)
        given.put(SEEN, replace(seen, X=filled))
        if plan.metric is None:
            given.put(REDUCED, Seen(filled))


def _notes_of_fit(plan: Plan, given: Given) -> list[str]:
    """What the metric and the method say of their fits, and that labels of instances took part
    beside bags."""
    notes = [*given[SEEN].notes, *getattr(given[EMBED].method, "notes_", [])]
    labels = given[LABELS]
    if labels.known is not None and labels.bags is not None and plan.method.row.needs != "none":
        notes.append("Labels of instances took part (y); --bags-only keeps them for judging.")
    return notes


def _placed(given: Given, X_new: NDArray | None, notes: list[str]) -> Arrays:
    """Coordinates of new points, where there are any and the method has a rule."""
    if X_new is None:
        return {}
    metric = given[SEEN].learned
    try:
        return {
            "Z_new": given[EMBED].method.transform(
                X_new if metric is None else metric.transform(X_new)
            )
        }
    except NoOutOfSample as error:
        notes.append(f"No Z_new: {error}")
        return {}


def _of_new(given: Given, points: Points, notes: list[str]) -> Arrays:
    """What is written of new points, where there are any."""
    return _placed(given, points.X_new, notes) | _unlike(given, points, notes)


def _unlike(given: Given, points: Points, notes: list[str]) -> Arrays:
    """How unlike all that the method learned from new points are, where there are any; how many of
    them is noted."""
    if points.X_new is None or np.isnan(points.X).any() or np.isnan(points.X_new).any():
        return {}
    metric, n = given[SEEN].learned, len(points.X)
    place = np.arange(n) if points.bags is None else _groups_of_rows(points.bags, n)
    X_new = points.X_new if metric is None else metric.transform(points.X_new)
    novelty = Known(given[SEEN].X, place).novelty(X_new)
    notes.append(f"{int((novelty > 1).sum())} of {how_many(len(novelty), 'new instance')} lie "
                 "farther from all that the method learned from than 99 % of that does from other "
                 "bags (novelty_new above 1).")
    return {"novelty_new": novelty}


def _groups_of_rows(bags: Bags, n: int) -> NDArray[np.int64]:
    """(N,) number of the first bag of each row; of a row in none a number of its own."""
    first = bags.first_bag(n)
    return np.where(first >= 0, first, len(bags) + np.arange(n))


def _explanations(
    plan: Plan, given: Given, points: Points, ways: Sequence[tuple[int, int]],
    together: Sequence[str],
) -> tuple[Arrays, dict[str, Any]]:
    """What a method says of its instances, of its axes, of places of the map, of concepts and of
    actions."""
    Z_at = points.Z_at
    X, Z, method = given[SEEN].X, given[EMBED].Z, given[EMBED].method
    out: Arrays = {} if Z_at is None else {"X_at": _features_at(method, plan.method.row, Z_at)}
    found = {"witness": getattr(method, "score_", None), "labels": getattr(method, "labels_", None)}
    out |= {
        name: values
        for name, values in found.items()
        if values is not None and np.shape(values) == (len(X),)
    }
    if plan.method.row.linear:
        out["loadings"] = loadings(X, Z)
    of_concepts, concepts = point_concepts(method, X, points.bags)
    of_actions, actions = _actions(given, points, ways, together)
    return out | of_concepts | of_actions, concepts | actions


def _actions(
    given: Given, points: Points, ways: Sequence[tuple[int, int]], together: Sequence[str]
) -> tuple[Arrays, dict[str, Any]]:
    """See `point_actions`; new views as the method got the known ones."""
    from emberscope.pipeline.point_actions import point_actions

    metric = given[SEEN].learned
    if metric is not None and points.X_new is not None:
        points = replace(points, X_new=metric.transform(points.X_new))
    return point_actions(given[EMBED].method, points, ways=ways, together=together)


def _features_at(method: Embedder, row: catalogue.Method, Z: NDArray) -> NDArray:
    """Features at places of the map. Raises DataError, ParamError."""
    back = getattr(method, "inverse_transform", None)
    if back is None:
        raise ParamError(f"{row.short} has no way back from the map",
                         hint="Leave Z_at out, or choose another method.")
    if Z.shape[1] != method.embedding_.shape[1]:
        what = f"Z_at has {Z.shape[1]} columns, the map {method.embedding_.shape[1]}"
        raise DataError(what, hint="Give places in the dimensions of the map.")
    return back(Z)


def _check_can_fit(
    points: Points, row: catalogue.Method, *, bags_only: bool, held_out: bool
) -> None:
    """Raise DataError where bags are missing that are asked for, or the method cannot take the
    points."""
    if bags_only and points.bags is None:
        raise DataError("there are no bags to learn from alone", hint="Give bag and bag_y.")
    _check_takes(row, points, bags_only)
    if not np.isnan(points.X).any():
        _check_different(points.X, 4)  # what faithfulness needs
    if held_out and points.bags is None:
        raise DataError("there are no bags to hold out", hint="Give bag and bag_y.")


def _check_takes(row: catalogue.Method, points: Points, bags_only: bool) -> None:
    """Raise DataError where y names classes and the method tells target from background."""
    if points.classes is None or bags_only or row.needs in ("none", "instance"):
        return
    readers = ", ".join(other.id for other in catalogue.EMBEDDERS if other.needs == "instance")
    raise DataError(
        f"y names classes, and {row.short} tells target from background",
        hint=f"Give y of -1, 0 (unknown) and +1, or choose one of {readers}.",
    )


def _purity(points: Points, plan: Plan, Z: NDArray) -> Scores:
    """With a note where the embedding was made from the labels that it is judged by."""
    y: NDArray | None = points.y
    if points.classes is not None:
        y = read_labels(points.classes).code
    elif y is not None and points.bags is None and plan.method.row.needs == "instance":
        y = read_labels(y).told_apart().code  # as the method read it
    if y is None and points.bags is not None:
        y = points.bags.instance_labels(len(points.X))
    found = np.full(1, np.nan) if y is None else neighborhood_purity(Z, y, points.bags)
    if not np.isfinite(found).any():
        return Scores()
    notes = (
        ["Purity rests on labels that Z was made from: it proves nothing."]
        if plan.reads_labels
        else []
    )
    return Scores({"purity": found}, {"purity": float(np.nanmean(found))}, notes)


def describe_points(points: Points, *, monitor: Monitor | None = None) -> dict[str, Any]:
    """What a point set holds: sizes, labels, parts of its neighborhood graph, intrinsic dimension,
    advice in notes."""
    watch = monitored(monitor)
    distinct = distinct_rows(points.X)
    facts: dict[str, Any] = {
        "kind": "points",
        "instances": len(points.X),
        "features": int(points.X.shape[1]),
        "copies": distinct.n_merged,
    }
    if points.y is not None:
        facts |= {"target": int((points.y > 0).sum()), "background": int((points.y < 0).sum())}
    if points.classes is not None:
        labels = read_labels(points.classes)
        facts |= {"classes": int(labels.code.max()), "labeled": int((labels.code > 0).sum())}
    if points.bags is not None:
        facts |= {"bags": len(points.bags), "positive bags": int((points.bags.labels > 0).sum())}
        facts |= {"negative bags": int((points.bags.labels < 0).sum())}
    if points.columns:
        facts["columns"] = ", ".join(points.columns)
    opens = catalogue.unlock_words(_labeled(points))
    if points.X_new is not None:
        facts["new instances"] = len(points.X_new)
    if len(distinct) < 3:
        return {**facts, "notes": [f"{opens}."] if opens else []}
    X = points.X[distinct.rows]
    X = np.ascontiguousarray(X, X.dtype if X.dtype == np.float32 else np.float64)
    near = knn(X, min(SHARED_NEIGHBORS, len(X) - 1), monitor=Portion(watch, 0.0, 0.5))
    k = min(GRAPH_NEIGHBORS, near.k)
    graph = neighborhood_graph(X, near.first(k), components="keep")
    found = advice(X, near, k, monitor=Portion(watch, 0.5, 1.0))
    return {
        **facts, "neighbors": k, "components": graph.n_components, **found.metrics,
        "notes": [*graph.notes, *found.notes, *([f"{opens}."] if opens else [])],
    }


def _labeled(points: Points) -> set[str]:
    """Which of the kinds of labels that methods need there are."""
    if points.classes is not None and points.bags is None:
        # Each class is the background of the others
        return {catalogue.TARGET, catalogue.BACKGROUND}
    signs = (
        points.bags.labels
        if points.bags is not None
        else points.y
        if points.y is not None
        else np.empty(0)
    )
    return labeled(signs, points.bags)


def classify_points(
    points: Points, *, method: str = "knn", reduce: str | None = None, settings: dict[str, str],
    folds: int = 10, repeats: int = 1, seed: int = 0, monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """Out-of-fold classification of bags, see `evaluate.bag_validation`.

    The bags alone train; y only judges the instances. Without bags every instance is a bag of its
    own with the label y.

    Parameters
    ----------
    settings : "k=v" texts: parameters of the classifier, then of the reduction ("reduce.k=v" where
        both have one); v = auto: chosen in an inner loop, for parameters with a grid.
    repeats : with other folds.

    Returns
    -------
    arrays : bag_score (K,), above 0 = positive, instance_score (N,), both averaged over repeats,
        NaN in no labeled bag; witness (K,) int64, the row of highest score in each bag, -1 where
        there is none; fold (K,) of the last repeat; concept_*, see `point_concepts`, of a method
        that finds concepts, fitted to all bags; novelty (N,) and bag_novelty (K,), how unlike the
        labeled bags of other groups each is.
    report : accuracy, accuracy_interval, auc, auc_interval, instance_auc and instance_auc_interval
        (where y is given), seconds, folds; of several repeats the means, with their standard
        deviations accuracy_sd, auc_sd; split, how bags were held out, in words; chosen, how often
        which values; size_auc, what the size of bags alone reaches; r2 and rmse,
        see `values_error`, where bags have numbers and the method predicts them; group_first and
        group_first_chance, see `first_of_groups`, where there are groups; concepts, a record each;
        notes.
        Raises ParamError for repeats below 1.
    """
    if repeats < 1:
        raise ParamError(f"repeats is {repeats}", hint="Give 1 or more.")
    model = model_of(method, reduce, settings, seed=seed)
    _check_different(points.X, 2)
    monitor = monitored(monitor)
    bags = points.bags if points.bags is not None else _each_its_own(points)
    bags, groups = replace(bags, groups=points.groups), kept_together(points)
    start = time.perf_counter()
    found = _repeated(model, points.X, bags, groups, (folds, repeats, seed), monitor)
    bag_score = np.mean([one.bag_score for one in found], axis=0)
    report = classification(bags.labels, found, groups) | values_error(model, bags.values, found)
    report |= first_of_groups(bags, bag_score) | {"size_auc": size_auc(bags)}
    report["notes"] = fit_notes(found) + chance_note(report)
    instance_score = np.mean([one.instance_score for one in found], axis=0)
    if points.y is not None:
        report |= _judged(points.y, instance_score, bags, groups)
    report |= {
        "seconds": round(time.perf_counter() - start, 4), "folds": folds, "repeats": repeats,
        "method": method, "reduce": reduce or "",
    }
    of = "bag" if points.bags is not None else "instance"
    report["split"] = dealt_words(folds, found[-1].fold >= 0, groups, repeats=repeats, of=of)
    concepts, records = _concepts_of_all(model, points.X, bags, found, Portion(monitor, 0.95, 1.0))
    report |= records
    arrays = {"bag_score": bag_score, "instance_score": instance_score,
              "witness": _witnesses(instance_score, bags)}
    unlike, said = bag_novelty(points)
    report["notes"] += said
    return {**arrays, "fold": found[-1].fold, **unlike, **concepts}, report


def bag_novelty(points: Points) -> tuple[Arrays, list[str]]:
    """How unlike the labeled bags of other groups the instances (N,) and the bags (K,) of a point
    set are, and a sentence on those of bags without a label."""
    bags = points.bags if points.bags is not None else _each_its_own(points)
    novelty, of_bags = novelty_in_bags(points.X, bags, kept_together(points))
    far = of_bags[(bags.labels == 0) & (bags.sizes > 0)]
    notes = [f"{int((far > 1).sum())} of {how_many(len(far), 'bag')} without a label lie farther "
             "from labeled bags than 99 % of their instances do from each other "
             "(bag_novelty above 1)."] * bool(len(far))
    return {"novelty": novelty, "bag_novelty": of_bags}, notes


def _repeated(
    model: Model, X: NDArray, bags: Bags, groups: NDArray, often: tuple[int, int, int],
    monitor: Monitor,
) -> list[Validated]:
    """Validations with other folds. often : how many folds, how many repeats, and the seed."""
    folds, repeats, seed = often
    parts = [Portion(monitor, 0.95 * at / repeats, 0.95 * (at + 1) / repeats)
             for at in range(repeats)]
    return [validate_bags(model, X, bags, folds=folds, seed=seed + at, groups=groups, monitor=part)
            for at, part in enumerate(parts)]


def _concepts_of_all(
    model: Model, X: NDArray, bags: Bags, found: list[Validated], monitor: Monitor
) -> tuple[Arrays, dict[str, Any]]:
    """What `point_concepts` says of a fit to all bags; nothing of a classifier that finds no
    concepts, and of one behind a reduction, whose concepts are not of features."""
    if model.reduction is not None or not hasattr(model.classifier, "concepts"):
        return {}, {}
    return point_concepts(fitted_to_all(model, X, bags, found, monitor), X, bags)


def _judged(y: NDArray, score: NDArray, bags: Bags, groups: NDArray) -> dict[str, Any]:
    """The area under the ROC curve of instances with its interval; nothing where one label is
    missing."""
    known = (y != 0) & np.isfinite(score)
    if len(np.unique(y[known])) < 2:
        return {}
    group = np.full(len(y), -1)
    group[bags.members] = groups[bags.bag_of_member]  # bags that share an instance are in one group
    interval = grouped_auc_interval(y[known], score[known], group[known])
    return {"instance_auc": auc(y[known], score[known]), "instance_auc_interval": interval}


def _witnesses(score: NDArray, bags: Bags) -> NDArray[np.int64]:
    """(K,) row of the highest score in each bag, -1 in a bag without scores."""
    best = bag_argmax(np.nan_to_num(score, nan=-np.inf), bags)
    return np.where(np.isfinite(score[best]), best, -1)


def convert_points(
    points: Points,
    *,
    variant: str = "global",
    projection: str = "pole",
    n_components: int | None = None,
    settings: Mapping[str, str] | None = None,
    monitor: Monitor | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """One vector per bag, as a point set of its own: see `pipeline.conversion.convert_bags`.

    Raises DataError without bags.
    """
    from emberscope.pipeline.conversion import convert_bags

    if points.bags is None:
        raise DataError(
            "there are no bags to convert", hint="Give bag and bag_y, or indptr, members and bag_y."
        )
    return convert_bags(
        points.X, points.bags, variant=variant, projection=projection, n_components=n_components,
        settings=settings, groups=kept_together(points), monitor=monitor,
    )


def kept_together(points: Points) -> NDArray[np.int64]:
    """(K,) number of the group of every bag: those that share instances, or have one number in
    `groups`."""
    bags = points.bags if points.bags is not None else _each_its_own(points)
    own = bag_groups(bags, len(points.X))
    if points.groups is None:
        return own
    sharing = Bags.from_column(own, np.zeros(own.max(initial=-1) + 1))
    return connected_groups(sharing, len(bags), also=points.groups)


def takes_missing(method: str) -> bool:
    """Whether NaN in X is a value that is missing to this method. Raises ParamError for an unknown
    one."""
    return bool(catalogue.load(method).takes_missing)


def save_arrays(path: str | Path, arrays: Arrays) -> None:
    """Write arrays as .npz, whole or not at all. `arrays` : by name, of any shape."""
    with written_whole(path) as partial, partial.open("wb") as out:
        np.savez(out, **arrays)  # type: ignore[arg-type]  # its stub takes the names for allow_pickle


def peak_mb() -> float:
    """Largest memory of this process so far, MiB."""
    try:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    except ImportError:
        import psutil

        return psutil.Process().memory_info().rss / 2**20


def _check_different(X: NDArray, least: int) -> None:
    n = len(distinct_rows(X))
    if n < least:
        raise DataError(
            f"X has {n} different {'row' if n == 1 else 'rows'}", hint=f"Give at least {least}."
        )


def _each_its_own(points: Points) -> Bags:
    if points.classes is not None:
        raise DataError(
            "y names classes",
            hint="Classifiers tell target from background: give y of -1, 0 and +1.",
        )
    if points.y is None:
        raise DataError("there are neither bags nor y", hint="Give bag and bag_y, or y.")
    return Bags.from_column(np.arange(len(points.X)), points.y)
