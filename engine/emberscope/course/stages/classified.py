"""What a classifier beside the embedding says of bags that it was not fitted on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.make import MadeBags
from emberscope.base.errors import EmberscopeError, MissingLabels
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.catalogue.classifier_title import classifier_title
from emberscope.course.classification import (
    chance_note,
    chosen_words,
    classification,
    fit_notes,
    most_often,
    size_auc,
    values_error,
)
from emberscope.course.components import FoldComponents, components_seconds
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores, joined, ranks, size_notes
from emberscope.course.split import HeldBags
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.embed import EMBED
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import LABELS, MADE, PARTS
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.stages.separation import seconds_without_fold
from emberscope.course.stages.side import SIDE
from emberscope.course.versions import code_version
from emberscope.evaluate.bag_validation import INNER_FOLDS, Model, Validated, validate_bags
from emberscope.evaluate.class_validation import UNKNOWN, Classes, kinds_of, validate_classes
from emberscope.evaluate.learned_from import LearnedFrom
from emberscope.evaluate.within_clips import within_clips
from emberscope.features.cache import digest
from emberscope.mil.training_bags import TrainingBags, training_bags
from emberscope.project.model.recipe import MAP

_PAIRS = 6  # of classes, about: three of targets, and background
NEAR = (
    "No classification of bags: all are on frames near each other, so none can judge. Label frames "
    "further apart."
)


@dataclass(frozen=True, slots=True)
class Read:
    """What a classifier reads. X : (N, D) what fits without a fold begin with. model : the
    classifier behind what makes its input of X. last : (N, d) what it reads of all instances."""

    X: NDArray
    model: Model
    last: NDArray


class Classified(Saying):
    """Nothing where the recipe has no classifier. On a map the bags are held out that the headline
    holds out."""

    inputs = (FEATURES, REDUCED, EMBED, MADE, LABELS, PARTS, SIDE)

    def says(self, plan: Plan, given: Given) -> str:
        return classifier_title(plan.recipe)

    def key(self, plan: Plan, given: Given) -> str:
        made, recipe = given[MADE], plan.recipe
        bags = made.bags
        seen = given.key(REDUCED)
        on_map = [given.key(EMBED), recipe.metric, recipe.metric_params,
                  recipe.map_choose] if _on_map(plan) else []
        return digest([
            seen, made.y, bags.indptr, bags.members, bags.labels, bags.classes, bags.values,
            recipe.classifier, recipe.classifier_params, recipe.classifier_choose, plan.split,
            on_map, code_version(),
        ])  # fmt: skip

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.model is not None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        assert plan.model is not None
        made, parts = given[MADE], given[PARTS]
        held = plan.split.of_bags(made.instances, made.bags, parts)
        if _on_map(plan) and parts is not None:
            held = replace(held, group=parts.group, fold=parts.fold)
        read = _from_map(plan, given) if _on_map(plan) else _from_features(plan, given)
        said = classified(read, made, held, title=self.says(plan, given), monitor=monitor)
        if _on_map(plan) and parts is not None and "bag_auc" in said.metrics:
            said.metrics["bag_auc_by_clip"] = float(parts.by_clip)
        return said

    def cost(self, plan: Plan, size: Size) -> Cost:
        if not _on_map(plan):
            components = _components_seconds(plan, size)
            own = 0.0 if plan.model is None else _class_seconds(plan, size, size.narrow)
            return Cost(classify_seconds(plan, size.n, size.narrow) + components + own)
        maps = _maps(plan) * _chooses(plan)
        again = plan.split.n_folds * (1 + INNER_FOLDS * maps) * (1 + size.several)
        map_seconds = seconds_without_fold(plan, size.n, size.narrow, size.wide)
        d = _map_width(plan)
        own = classify_seconds(plan, size.n, d) + _class_seconds(plan, size, d)
        return Cost(own + again * map_seconds)


def _on_map(plan: Plan) -> bool:
    return plan.model is not None and plan.recipe.classifier_reads == MAP


def _maps(plan: Plan) -> int:
    """How many maps are made of a part of the bags, one for each combination of its values."""
    assert plan.model is not None
    return math.prod(len(values) for values in plan.model.reduction_grid.values())


def _map_width(plan: Plan) -> int:
    """How many coordinates the map has, about."""
    usual = plan.method.declared.get("n_components")
    wanted = plan.method.values.get("n_components", usual.default if usual is not None else None)
    return wanted if isinstance(wanted, int) else 2


def _from_features(plan: Plan, given: Given) -> Read:
    """The components of a fold are found without the bags that it holds out."""
    assert plan.model is not None
    X, wide = given[REDUCED].X, given[FEATURES]
    narrow = X.shape[1] < wide.shape[1]
    return Read(wide, _after_components(plan.model, X.shape[1]) if narrow else plan.model, X)


def _from_map(plan: Plan, given: Given) -> Read:
    """The map of a fold, with the components and the metric before it, is made without the bags
    that it holds out."""
    assert plan.model is not None
    X, wide, labels = given[REDUCED].X, given[FEATURES], given[LABELS]
    narrow = X.shape[1] < wide.shape[1]
    made = partial(plan.whole, X.shape[1] if narrow else 0)
    known = LearnedFrom(labels.known_to(plan.method.row), given[SIDE])
    recipe = plan.recipe
    key = digest([given.key(EMBED), recipe.metric, recipe.metric_params, narrow])
    model = replace(plan.model, reduction=made, learned_from=known, reduction_key=key)
    return Read(wide if narrow else X, model, given[EMBED].Z)


def classify_seconds(plan: Plan, n: int, d: int) -> float:
    """What the fits of the classifier take; each fold splits its training bags again where a
    threshold is missing, or values are chosen."""
    if plan.model is None:
        return 0.0
    fits = 1 + INNER_FOLDS * len(plan.model.candidates) * _chooses(plan)
    return plan.split.n_folds * fits * catalogue.estimate(
        plan.recipe.classifier, n, d, plan.recipe.classifier_params)[0]


def _class_seconds(plan: Plan, size: Size, d: int) -> float:
    """What naming classes takes beside: machines for pairs of classes, each on a part of the
    instances."""
    if not size.several:
        return 0.0
    inner = _chooses(plan)
    fits = plan.split.n_folds * (1 + INNER_FOLDS * inner) * _PAIRS
    return fits * catalogue.estimate(
        plan.recipe.classifier, size.n // 2, d, plan.recipe.classifier_params)[0]


def _chooses(plan: Plan) -> bool:
    """Whether training bags are split again, for values or for a threshold."""
    assert plan.model is not None
    calibrated = getattr(plan.model.classifier, "calibrated", True)
    return len(plan.model.candidates) > 1 or not calibrated


def _components_seconds(plan: Plan, size: Size) -> float:
    """What the components of all folds take, those inside training bags among them."""
    if plan.model is None:
        return 0.0
    return plan.split.n_folds * (1 + INNER_FOLDS) * components_seconds(
        size.n, size.wide, size.narrow)


def classified(
    read: Read, made: MadeBags, held: HeldBags, *, title: str, monitor: Monitor | None = None
) -> Scores:
    """What a classifier says of bags and instances that it was not fitted on.

    Points: "classifier", ranks of the scores of instances: out of fold, in no bag that is held out
    by the classifier fitted on all bags, with the values chosen most often. Metrics: "bag_accuracy"
    and "bag_auc" with 95 % intervals ("_low", "_high"), "bag_majority", "bag_size_auc"
    (`size_auc`), "bag_instance_auc" with its interval: how instances are ranked, by what is known
    of them for certain and by the labels of their bags. Arrays: "bag_score" (K,), above 0 =
    positive, NaN for bags that are not held out; "class_said" (K,) int64, as of `class_validation`,
    where targets are of several classes: then "class_accuracy" with its interval and
    "class_majority" are metrics, of each fold by the values that were chosen without it;
    "classifier_held" (N,) float32, scores of instances out of fold, NaN in no bag that is held out;
    "classifier_fold" (K,) int64, -1 for bags that are not held out.

    An instance marked as background is no candidate of its bag.
    """
    watch = monitored(monitor)
    X, model = read.X, read.model
    try:
        training = training_bags(made.y, made.bags, len(X))
        held = held.take(training.rows)
        folds = held.folds(training.bags.labels)
        if folds is None:
            return Scores(notes=[NEAR])
        found = validate_bags(model, X, training.bags, folds=folds, seed=held.seed,
                              groups=held.block, monitor=Portion(watch, 0.0, 0.5))
        of_classes = _classes(read, training, held, found, Portion(watch, 0.5, 0.8))
    except EmberscopeError as error:
        return Scores(notes=[f"No classification of bags: {error}"])
    score, unseen = found.instance_score.copy(), np.isnan(found.instance_score)
    if unseen.any():
        usual = model.with_values(most_often(found.chosen)).params
        last = Portion(watch, 0.8, 1.0)
        whole = model.classifier(**usual).fit(read.last, bags=training.bags, monitor=last)
        score[unseen] = whole.score_instances(read.last[unseen])
    bag_score = np.full(len(made.bags), np.nan, np.float32)
    bag_score[training.rows] = found.bag_score
    fold = np.full(len(made.bags), NO_PART, np.int64)
    fold[training.rows] = np.maximum(found.fold, NO_PART)
    measured = classification(training.bags.labels, [found], held.block, held.clip)
    metrics = _metrics(measured, training, found.instance_score, held)
    errors = values_error(model, training.bags.values, [found])
    metrics |= {f"bag_{name}": error for name, error in errors.items()}
    notes = training.notes + [f"{title}: {note}" for note in fit_notes([found])]
    notes += size_notes(training.bags)
    notes += chance_note(measured)
    notes += [chosen_words(title, measured["chosen"])] if "chosen" in measured else []
    arrays: dict[str, NDArray] = {"bag_score": bag_score, "classifier_fold": fold,
                                  "classifier_held": found.instance_score.astype(np.float32)}
    return joined(Scores({"classifier": ranks(score)}, metrics, notes, arrays),
                  _of_all_bags(of_classes, training, len(made.bags)))


def _classes(
    read: Read, training: TrainingBags, held: HeldBags, found: Validated, monitor: Monitor
) -> Scores:
    """The classes of held-out bags where targets are of several, each fold by the values that were
    chosen without it; array and metrics of the bags that take part."""
    kinds = kinds_of(training.bags)
    if len(np.unique(kinds[kinds > 0])) < 2:
        return Scores()
    classes = np.full(len(kinds), UNKNOWN, np.int64)
    numbers = np.unique(found.fold[found.fold >= 0])
    for at, (f, picked) in enumerate(zip(numbers, found.chosen, strict=True)):
        judges = found.fold == f
        alone = np.where(judges, 0, np.where(found.fold == NO_PART, NO_PART, LEARNED))
        model = read.model.with_values(picked)
        part = Portion(monitor, at / len(numbers), (at + 1) / len(numbers))
        try:
            said = validate_classes(model, read.X, training.bags, folds=alone, seed=held.seed,
                                    groups=held.block, monitor=part)
        except MissingLabels as error:
            return Scores(notes=[f"No classes of bags: {error}"])
        classes[judges] = said.said[judges]
    truth = np.where(classes != UNKNOWN, kinds, UNKNOWN)
    measured = Classes(truth, classes, found.chosen).measured
    low, high = measured["class_accuracy_interval"]
    metrics = {"class_accuracy": measured["class_accuracy"], "class_accuracy_low": low,
               "class_accuracy_high": high, "class_majority": measured["class_majority"]}
    return Scores(metrics=metrics, arrays={"class_said": classes})


def _of_all_bags(found: Scores, training: TrainingBags, count: int) -> Scores:
    if "class_said" not in found.arrays:
        return found
    said = np.full(count, UNKNOWN, np.int64)
    said[training.rows] = found.arrays["class_said"]
    return msgspec.structs.replace(found, arrays={"class_said": said})


def _metrics(
    measured: Mapping[str, Any], training: TrainingBags, score: NDArray, held: HeldBags
) -> dict[str, float]:
    metrics = {"bag_accuracy": measured["accuracy"], "bag_auc": measured["auc"],
               "bag_majority": measured["majority"]}
    for name in ("accuracy", "auc"):
        metrics[f"bag_{name}_low"], metrics[f"bag_{name}_high"] = measured[f"{name}_interval"]
    metrics["bag_size_auc"] = size_auc(training.bags)
    rows, first = np.unique(training.bags.members, return_index=True)
    owner, done = training.bags.bag_of_member[first], np.isfinite(score[rows])
    y = training.bags.instance_labels(len(score))[rows][done]
    area = within_clips(y, score[rows][done], held.block[owner][done], held.clip[owner][done]).mean
    if np.isfinite(area.value):
        names = ("bag_instance_auc", "bag_instance_auc_low", "bag_instance_auc_high")
        metrics.update(zip(names, map(float, area), strict=True))
    return metrics


def _after_components(model: Model, count: int) -> Model:
    return replace(model, reduction=FoldComponents, reduction_params={"most": count})


CLASSIFIED = Classified("classified")
