"""Classifiers of the catalogue, perhaps behind a reduction: built, validated over bags, and
described."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.model import Bags
from emberscope.base.errors import ParamError
from emberscope.base.monitor import Monitor
from emberscope.base.param import Param
from emberscope.base.proportion import wilson_interval
from emberscope.course.plan import check_classifies
from emberscope.evaluate.bag_validation import Model, Validated
from emberscope.evaluate.scores import auc, majority_rate, r_squared, root_mean_square
from emberscope.evaluate.within_clips import within_clips
from emberscope.mil.classifier import BagClassifier

_OF_REDUCTION = "reduce."


def model_of(
    method: str, reduce: str | None, settings: Mapping[str, str], *, seed: int = 0
) -> Model:
    """Classifier and reduction from typed settings ("k=v" texts). Raises ParamError.

    A name goes to the classifier where it has it, else to the reduction; "reduce.name" always to
    the reduction. "auto" means the grid of a parameter that has one.
    """
    check_classifies(method)
    if reduce is not None and catalogue.method(reduce).kind == "classifier":
        raise ParamError(f"{reduce} is a classifier, not a reduction",
                         hint="Give a method that makes coordinates.")
    own = _params(method)
    before = _params(reduce) if reduce is not None else {}
    mine, others = {}, {}
    for name, text in settings.items():
        plain = name.removeprefix(_OF_REDUCTION)
        if name in own:
            mine[name] = text
        elif plain in before:
            others[plain] = text
        else:
            owner = reduce if name.startswith(_OF_REDUCTION) else method
            has = (before if name.startswith(_OF_REDUCTION) else own) or {}
            raise ParamError(f"{owner} has no parameter {plain}",
                             hint=f"It has: {', '.join(has) or 'none'}.")
    params, grid = _read(own, mine, seed)
    reduction_params, reduction_grid = _read(before, others, seed)
    return Model(
        catalogue.load(method), params, grid, catalogue.load(reduce) if reduce is not None
        else None, reduction_params, reduction_grid,
    )


def fitted_to_all(
    model: Model, X: NDArray, bags: Bags, found: Sequence[Validated],
    monitor: Monitor | None = None,
) -> BagClassifier:
    """The classifier without its reduction, fitted to all bags, with the values that most folds
    chose; of equally many the first of `Model.candidates`."""
    often = Counter(repr(picked) for one in found for picked in one.chosen)
    best = max(model.candidates, key=lambda each: often[repr(model.open_values(each))])
    return model.classifier(**best[1]).fit(X, bags=bags, monitor=monitor)


def classification(
    labels: NDArray, found: Sequence[Validated], groups: NDArray | None = None,
    clips: NDArray | None = None
) -> dict[str, Any]:
    """Accuracy, area under the ROC curve and their 95 % intervals, of one or several repeats.

    labels : (K,) in {-1, 0, +1}; 0 takes no part. groups, clips : (K,) bags that depend on each
    other, and what areas are compared inside and are means over (`within_clips`); None: each bag is
    by itself, and all are of one clip. Intervals are means over repeats for the number of bags
    there is: repeating with other folds makes no more bags.
    majority : accuracy of always saying the same.
    """
    known = np.flatnonzero(found[0].fold >= 0)
    truth = labels[known]
    right = [float(((one.bag_score[known] > 0) == (truth > 0)).mean()) for one in found]
    group = (np.arange(len(labels)) if groups is None else groups)[known]
    clip = (np.zeros(len(labels), np.int64) if clips is None else clips)[known]
    areas = np.array([within_clips(truth, one.bag_score[known], group, clip).mean for one in found])
    accuracy, (mean_area, low, high) = float(np.mean(right)), areas.mean(axis=0).tolist()
    out: dict[str, Any] = {
        "accuracy": accuracy,
        "accuracy_interval": wilson_interval(round(accuracy * len(truth), 9), len(truth)),
        "auc": mean_area, "auc_interval": (low, high), "majority": majority_rate(truth),
    }
    if len(found) > 1:
        spread = {"accuracy_sd": np.std(right, ddof=1), "auc_sd": np.std(areas[:, 0], ddof=1)}
        out |= {name: round(float(value), 12) for name, value in spread.items()}
    if found[0].chosen[0]:
        out["chosen"] = _counted([picked for one in found for picked in one.chosen])
    return out


def fit_notes(found: Sequence[Validated]) -> list[str]:
    """What was noted where the model was fitted without a fold, each once, and in how many folds
    where not in all; of notes that differ in numbers only, the first.
    """
    folds = [dict.fromkeys(notes) for one in found for notes in one.notes]
    same: dict[str, list[str]] = {}
    for note in chain.from_iterable(folds):
        same.setdefault(re.sub(r"\d+(, \d+)*", "", note), []).append(note)
    return [
        notes[0] + (f" (In {len(notes)} of {len(folds)} folds.)" if len(notes) < len(folds) else "")
        for notes in same.values()
    ]


def chance_note(measured: Mapping[str, Any]) -> list[str]:
    """A warning where what `classification` says is no better than chance may give."""
    low, high = measured["auc_interval"]
    if not low <= 0.5:
        return []
    return [
        f"The bags may be separated no better than by chance (area {measured['auc']:.2f}, 95 % "
        f"interval {low:.2f} to "
        f"{high:.2f}): scores of their instances may rank background first."
    ]


def _counted(chosen: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """name -> value -> in how many folds it was chosen, most often first."""
    return {
        name: {str(value): count
               for value, count in Counter(picked[name] for picked in chosen).most_common()}
        for name in chosen[0]
    }


def size_auc(bags: Bags) -> float:
    """Area under the ROC curve of the number of instances alone, above 0.5 whichever kind is
    larger: what a classifier of whole bags can reach without looking at a feature. NaN where one
    label is missing."""
    known = np.flatnonzero((bags.labels != 0) & (bags.sizes > 0))
    area = auc(bags.labels[known], bags.sizes[known].astype(np.float64))
    return max(area, 1 - area)


def values_error(
    model: Model, values: NDArray | None, found: Sequence[Validated]
) -> dict[str, float]:
    """r2 and rmse of numbers of bags that were held out, means over repeats; empty where there are
    none, or the classifier predicts none.

    values : (K,), NaN where unknown.
    """
    if values is None or not getattr(model.classifier, "predicts_values", False):
        return {}
    known = np.flatnonzero((found[0].fold >= 0) & ~np.isnan(values))
    scores = [one.bag_score[known] for one in found]
    return {"r2": float(np.mean([r_squared(values[known], score) for score in scores])),
            "rmse": float(np.mean([root_mean_square(values[known], score) for score in scores]))}


def first_of_groups(bags: Bags, score: NDArray) -> dict[str, float]:
    """group_first, the share of groups of bags (`Bags.groups`) in which a positive bag scores
    highest, equal ones shared; group_first_chance, what chance would give; empty where no group
    holds bags of both labels. score : (K,), NaN where a bag takes no part."""
    if bags.groups is None:
        return {}
    found, chance = [], []
    for group in np.unique(bags.groups):
        inside = (bags.groups == group) & (bags.labels != 0) & np.isfinite(score)
        positive = bags.labels[inside] > 0
        if positive.any() and not positive.all():
            best = score[inside] == score[inside].max()
            found.append(positive[best].mean())
            chance.append(positive.mean())
    if not found:
        return {}
    return {"group_first": float(np.mean(found)), "group_first_chance": float(np.mean(chance))}


def most_often(chosen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The values that were chosen together in most folds; of equals those of the first fold."""
    counts = Counter(tuple(picked.items()) for picked in chosen)
    return dict(counts.most_common(1)[0][0]) if counts else {}


def chosen_words(title: str, counts: Mapping[str, Mapping[str, int]]) -> str:
    """"Citation-kNN, chosen inside the training folds: distance max in 4 of 5, min in 1; citers 6
    in 5 of 5."""
    folds = sum(next(iter(counts.values())).values())
    parts = []
    for name, values in counts.items():
        shares = [f"{value} in {count} of {folds}" if not at else f"{value} in {count}"
                for at, (value, count) in enumerate(values.items())]
        short = name.removeprefix(_OF_REDUCTION).removeprefix("n_").replace("_", " ")
        whose = "of the map " * name.startswith(_OF_REDUCTION)
        parts.append(f"{whose}{short} {', '.join(shares)}")
    return f"{title}, chosen inside the training folds: {'; '.join(parts)}."


def _params(method: str) -> dict[str, Param]:
    return {param.name: param for param in catalogue.load(method).params}


def _read(
    known: Mapping[str, Param], texts: Mapping[str, str], seed: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values, and the grids of those that are open."""
    values: dict[str, Any] = {"random_state": seed} if "random_state" in known else {}
    grid: dict[str, Any] = {}
    for name, text in texts.items():
        param, auto = known[name], text.strip().lower() == "auto"
        if auto and param.grid:
            grid[name] = param.grid
        elif auto and not param.auto:
            raise ParamError(f"{name} has no values to choose among",
                             hint=f"Give {param.range_text}.")
        else:
            values[name] = known[name].parse(text)
    return values, grid
