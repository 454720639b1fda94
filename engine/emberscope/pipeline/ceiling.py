"""The ceiling of a feature set: held-out AUC of supervised classifiers that know every instance
label."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.bags.folds import grouped_folds
from emberscope.bags.model import Bags, Instances
from emberscope.base.folders import cache_folder
from emberscope.base.ids import label_of_bag
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.proportion import wilson_interval
from emberscope.course.inputs import Inputs, features, inputs_of, prepare
from emberscope.evaluate.held_out import N_FOLDS, bag_blocks
from emberscope.evaluate.scores import auc
from emberscope.labels.model import tight_box
from emberscope.pipeline.witnesses import targets
from emberscope.project.exchange.sources import names_of
from emberscope.project.model.parts import ALL, Part, packed
from emberscope.project.model.project import Project, Run
from emberscope.project.model.recipe import Recipe

_LEARNED = 2000  # instances a fit learns from at most
_TREES = 100
_INNER = 3       # folds inside the training folds, among which a classifier is chosen
_NO_CEILING = "No ceiling"
_BESIDE = {
    "witness_found_ceiling": "pointing",
    "inside_auc_ceiling": "auc",
    "map_accuracy_ceiling": "balanced",
}
NO_TRUTH = (
    "No ceiling: no label knows the tight box of its target, so which instances show one is "
    "unknown."
)
TOO_LITTLE = (
    "No ceiling for {}: targets, or ground, lie on too few frames to hold some of them out."
)
TOGETHER = "{} sources together"


def ceilings(
    project: Project,
    recipe: Recipe,
    *,
    monitor: Monitor | None = None,
    cache: str | Path | None = None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """What true labels of instances would reach on the features of a recipe, by source, and
    sentences about the rest.

    Parameters
    ----------
    project : its labels. Targets are instances whose center lies in a tight box or core grown by 8
        px; positive bags
        that know none take no part. recipe : bags and features; the rest of it is not used.

    Returns
    -------
    rows : per source, and of all sources whose labels lie on one block of frames, like single
        images, together: "source" (its name, or how many), "sources" (their names), "pointing"
        (share of positive bags whose best instance is a target) with "pointing_low" and
        "pointing_high" (95 % Wilson interval) and "pointing_chance" (of an instance at random),
        "auc" (area inside positive bags, mean of folds), "balanced" (mean of the shares of targets
        and of ground that are classified right), "bags" (positive ones with a target), "instances",
        "classifiers" (name -> in how many folds).

    Notes
    -----
    Folds of blocks of frames, as for other held-out numbers. In each, of 100 randomized trees
    (Geurts, Ernst and Wehenkel 2006) and a support vector machine with a Gaussian kernel the one
    with the larger area in three folds of the rest is fitted on all of it, on 2000 instances at
    most. About 10 s for 2000 instances of 281 features, and what the features take.
    Raises MissingLabels, FormatError (a source is gone), Cancelled.
    """
    folder = Path(cache) if cache is not None else cache_folder()
    found, notes = _ceilings(project, prepare(project, recipe, folder), recipe, monitored(monitor))
    return [row for _, row in found], notes


def measure_ceiling(
    project: Project, run: Run, *, cache: str | Path | None = None, monitor: Monitor | None = None
) -> Run:
    """The run with the ceiling of its features beside its numbers, by the truth that labels have
    now.

    Metrics, means over the sources that can be judged: "witness_found_ceiling", what pointing at
    targets reaches, "inside_auc_ceiling", the area inside positive bags, and
    "map_accuracy_ceiling", targets and ground classified right. The same by source among the parts
    of the run (`project.model.parts`); in its notes what could not be judged. Raises ProjectError,
    FormatError (a source is gone), Cancelled.
    """
    folder = Path(cache) if cache is not None else cache_folder()
    rows, notes = _ceilings(
        project, inputs_of(project, run, folder), run.recipe, monitored(monitor)
    )
    parts = [Part(sources[0], ALL, {name: float(row[key]) for name, key in _BESIDE.items()})
             for sources, row in rows if len(sources) == 1]
    means = {name: _mean([float(row[key]) for _, row in rows]) for name, key in _BESIDE.items()}
    found = {name: value for name, value in means.items() if np.isfinite(value)}
    said = [note for note in run.notes if not note.startswith(_NO_CEILING)]
    return msgspec.structs.replace(
        run, metrics={**run.metrics, **found}, notes=[*said, *notes],
        diagnostics={**run.diagnostics, **packed("ceilings", [Part(ALL, ALL, found), *parts])})


def _mean(values: list[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def _ceilings(
    project: Project, inputs: Inputs, recipe: Recipe, watch: Monitor
) -> tuple[list[tuple[list[int], dict[str, Any]]], list[str]]:
    """Rows with the ids of the sources they are of, and sentences about the rest."""
    instances, bags = inputs.made.instances, _judged(project, inputs.made.bags)
    if not (bags.labels > 0).any():
        return [], [NO_TRUTH]
    X = features(project.sources, inputs, recipe, Portion(watch, 0.0, 0.4))
    target = targets(project, instances)
    alone: list[int] = []
    together: list[int] = []
    for source in np.unique(instances.source[bags.members]).tolist():
        (alone if len(np.unique(_part(instances, bags, [source])[2])) > 1 else together).append(
            source
        )
    rows: list[tuple[list[int], dict[str, Any]]] = []
    notes: list[str] = []
    asked = [[source] for source in alone] + ([together] if together else [])
    for at, some in enumerate(asked):
        mine, own, blocks = _part(instances, bags, some)
        share = Portion(watch, 0.4 + 0.6 * at / len(asked), 0.4 + 0.6 * (at + 1) / len(asked))
        found = ceiling(X[mine], target[mine], own, blocks, seed=recipe.seed, monitor=share)
        refs = [project.sources[source] for source in some]
        if found is None:
            notes.append(TOO_LITTLE.format(names_of(refs)))
        else:
            names = [ref.name for ref in refs]
            name = names[0] if len(names) == 1 else TOGETHER.format(len(names))
            rows.append((some, {"source": name, "sources": names} | found))
    return rows, notes


def _part(
    instances: Instances, bags: Bags, sources: list[int]
) -> tuple[NDArray[np.int64], Bags, NDArray[np.int64]]:
    """The rows of some sources (n,), the bags over them, and the block of frames of each bag."""
    mine = np.flatnonzero(np.isin(instances.source, sources))
    own = bags.among(mine, len(instances))
    return mine, own, bag_blocks(instances.take(mine), own)


def ceiling(
    X: NDArray,
    target: NDArray[np.bool_],
    bags: Bags,
    groups: NDArray,
    *,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> dict[str, Any] | None:
    """The numbers of one source, see `ceilings`; None with too little to hold out.

    X : (N, D). target : (N,). bags : K labeled bags. groups : (K,) bags that are held out together.
    """
    watch = monitored(monitor)
    first = bags.first_bag(len(X))
    used = np.flatnonzero(first >= 0)
    X, target, group = X[used], target[used], groups[first[used]]
    bags = bags.among(used, len(first))
    if min(len(np.unique(group[target])), len(np.unique(group[~target]))) < 2:
        return None
    fold = _folds(group, target, N_FOLDS, seed)
    score, chosen = np.empty(len(X)), []
    for number in range(int(fold.max()) + 1):
        watch.step(number / (fold.max() + 1), f"Fold {number + 1} of {fold.max() + 1}")
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        name = _better(X[train], target[train], group[train], seed)
        score[test] = _fitted(name, X[train], target[train], seed)(X[test])
        chosen.append(name)
    shares = [float(np.mean((score > 0)[target == side] == side)) for side in (True, False)]
    counts = {name: chosen.count(name) for name in sorted(set(chosen))}
    return _pointing(score, target, bags) | {
        "auc": _inside(score, target, fold, bags), "balanced": float(np.mean(shares)),
        "instances": len(X),
        "classifiers": counts,
    }  # fmt: skip


def _judged(project: Project, bags: Bags) -> Bags:
    """Negative bags, and positive ones whose target is known."""
    known = [
        label < 0
        or (label > 0 and key in project.labels and tight_box(project.labels[key]) is not None)
        for label, key in zip(
            bags.labels.tolist(), (label_of_bag(int(id)) for id in bags.ids), strict=True
        )
    ]
    return bags.take(np.flatnonzero(np.array(known, bool) & (bags.sizes > 0)))


def _folds(group: NDArray, target: NDArray, n_folds: int, seed: int) -> NDArray[np.int64]:
    return grouped_folds(
        group, target.astype(int), n_folds=min(n_folds, len(np.unique(group))), seed=seed
    )


def _better(X: NDArray, target: NDArray, group: NDArray, seed: int) -> str:
    """The classifier with the larger area, held out inside; trees where nothing can be held out."""
    if len(np.unique(group)) < 2:
        return "trees"
    fold = _folds(group, target, _INNER, seed)
    areas = dict.fromkeys(("trees", "svm"), 0.0)
    for number in range(int(fold.max()) + 1):
        train, test = fold != number, fold == number
        if len(np.unique(target[train])) < 2 or len(np.unique(target[test])) < 2:
            continue
        for name in areas:
            areas[name] += auc(
                np.where(target[test], 1, -1), _fitted(name, X[train], target[train], seed)(X[test])
            )
    return max(areas, key=lambda name: areas[name])


def _fitted(name: str, X: NDArray, target: NDArray, seed: int) -> Callable[[NDArray], NDArray]:
    """A classifier that was fitted; it scores rows, above 0 for targets."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    if target.all() or not target.any():
        return lambda Q: np.full(len(Q), 1.0 if target.all() else -1.0)
    rng = np.random.default_rng(seed)
    learned = (
        np.arange(len(X)) if len(X) <= _LEARNED else rng.choice(len(X), _LEARNED, replace=False)
    )
    if name == "svm":
        machine = make_pipeline(StandardScaler(), SVC(C=10.0, class_weight="balanced")).fit(
            X[learned], target[learned]
        )
        return machine.decision_function
    trees = ExtraTreesClassifier(
        _TREES, min_samples_leaf=2, class_weight="balanced", random_state=seed
    )
    trees.fit(X[learned], target[learned])
    return lambda Q: trees.predict_proba(Q)[:, -1] - 0.5


def _pointing(score: NDArray, target: NDArray[np.bool_], bags: Bags) -> dict[str, Any]:
    """Over positive bags that show a target at all."""
    hits, chance = [], []
    for k in np.flatnonzero(bags.labels > 0).tolist():
        rows = bags.of(k)
        if target[rows].any():
            hits.append(float(target[rows][score[rows] == score[rows].max()].mean()))
            chance.append(float(target[rows].mean()))
    if not hits:
        return {"pointing": float("nan"), "bags": 0}
    low, high = wilson_interval(sum(hits), len(hits))
    return {
        "pointing": float(np.mean(hits)), "pointing_low": low, "pointing_high": high,
        "pointing_chance": float(np.mean(chance)), "bags": len(hits),
    }  # fmt: skip


def _inside(score: NDArray, target: NDArray[np.bool_], fold: NDArray, bags: Bags) -> float:
    """Area over the instances of positive bags: mean of folds, each by its size, as their scores
    have scales of their own; NaN where no fold has both kinds."""
    inside = np.zeros(len(score), bool)
    inside[bags.members[np.repeat(bags.labels > 0, bags.sizes)]] = True
    total = weight = 0.0
    for number in range(int(fold.max()) + 1):
        rows = inside & (fold == number)
        if len(np.unique(target[rows])) == 2:
            total += rows.sum() * auc(np.where(target[rows], 1, -1), score[rows])
            weight += rows.sum()
    return float(total / weight) if weight else float("nan")
