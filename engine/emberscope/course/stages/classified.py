"""What a classifier beside the embedding says of bags that it was not fitted on."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.make import MadeBags
from emberscope.base.errors import EmberscopeError
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.course.classification import (
    chance_note,
    chosen_words,
    classification,
    fit_notes,
    most_often,
    size_auc,
)
from emberscope.course.components import FoldComponents, components_seconds
from emberscope.course.plan import Plan
from emberscope.course.scores import Saying, Scores, joined, ranks, size_notes
from emberscope.course.split import HeldBags
from emberscope.course.stage import Cost, Given, Size
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import MADE, PARTS
from emberscope.course.stages.reduce import REDUCED
from emberscope.course.versions import code_version
from emberscope.evaluate.bag_validation import INNER_FOLDS, Model, validate_bags
from emberscope.features.cache import digest
from emberscope.mil.training_bags import training_bags

NEAR = (
    "No classification of bags: all are on frames near each other, so none can judge. Label frames "
    "further apart."
)


class Classified(Saying):
    """Nothing where the recipe has no classifier."""

    inputs = (FEATURES, REDUCED, MADE, PARTS)

    def says(self, plan: Plan, given: Given) -> str:
        return catalogue.method(plan.recipe.classifier).title

    def key(self, plan: Plan, given: Given) -> str:
        made, recipe = given[MADE], plan.recipe
        bags = made.bags
        return digest([
            given.key(REDUCED), made.y, bags.indptr, bags.members, bags.labels, bags.classes,
            recipe.classifier, recipe.classifier_params, recipe.classifier_choose, plan.split,
            code_version(),
        ])  # fmt: skip

    def needed(self, plan: Plan, given: Given) -> bool:
        return plan.model is not None

    def compute(self, plan: Plan, given: Given, monitor: Monitor) -> Scores:
        assert plan.model is not None
        made = given[MADE]
        held = plan.split.of_bags(made.instances, made.bags, given[PARTS])
        return classified(given[REDUCED].X, made, plan.model, held, features=given[FEATURES],
                          title=self.says(plan, given), monitor=monitor)

    def cost(self, plan: Plan, size: Size) -> Cost:
        return Cost(classify_seconds(plan, size.n, size.narrow) + _components_seconds(plan, size))


def classify_seconds(plan: Plan, n: int, d: int) -> float:
    """What the fits of the classifier take; each fold splits its training bags again where a
    threshold is missing, or values are chosen."""
    if plan.model is None:
        return 0.0
    candidates = len(plan.model.candidates)
    inner = candidates > 1 or not getattr(plan.model.classifier, "calibrated", True)
    fits = 1 + INNER_FOLDS * candidates if inner else 1
    return plan.split.n_folds * fits * catalogue.estimate(plan.recipe.classifier, n, d)[0]


def _components_seconds(plan: Plan, size: Size) -> float:
    """What the components of all folds take, those inside training bags among them."""
    if plan.model is None:
        return 0.0
    return plan.split.n_folds * (1 + INNER_FOLDS) * components_seconds(
        size.n, size.wide, size.narrow)


def classified(
    X: NDArray, made: MadeBags, model: Model, held: HeldBags, *, features: NDArray, title: str,
    monitor: Monitor | None = None,
) -> Scores:
    """What a classifier says of bags and instances that it was not fitted on.

    Points: "classifier", ranks of the scores of instances: out of fold, in no bag that is held out
    by the classifier fitted on all bags, with the values chosen most often. Metrics: "bag_accuracy"
    and "bag_auc" with 95 % intervals ("_low", "_high"), "bag_majority", "bag_size_auc"
    (`size_auc`). Arrays: "bag_score" (K,), above 0 = positive, NaN for bags that are not held out.
    An instance marked as background is no candidate of its bag.

    X : (N, d), components of the `features` (N, D) where d < D. Those of a fold are found without
    the bags that it holds out.
    """
    watch = monitored(monitor)
    try:
        training = training_bags(made.y, made.bags, len(X))
        held = held.take(training.rows)
        folds = held.folds(training.bags.labels)
        if folds is None:
            return Scores(notes=[NEAR])
        folded = _after_components(model, X.shape[1]) if X.shape[1] < features.shape[1] else model
        found = validate_bags(folded, features, training.bags, folds=folds, seed=held.seed,
                              groups=held.block, monitor=Portion(watch, 0.0, 0.8))
    except EmberscopeError as error:
        return Scores(notes=[f"No classification of bags: {error}"])
    score, unseen = found.instance_score, np.isnan(found.instance_score)
    if unseen.any():
        usual = {**model.params, **most_often(found.chosen)}
        last = Portion(watch, 0.8, 1.0)
        whole = model.classifier(**usual).fit(X, bags=training.bags, monitor=last)
        score[unseen] = whole.score_instances(X[unseen])
    bag_score = np.full(len(made.bags), np.nan, np.float32)
    bag_score[training.rows] = found.bag_score
    measured = classification(training.bags.labels, [found], held.block, held.clip)
    metrics = {"bag_accuracy": measured["accuracy"], "bag_auc": measured["auc"],
               "bag_majority": measured["majority"]}
    for name in ("accuracy", "auc"):
        metrics[f"bag_{name}_low"], metrics[f"bag_{name}_high"] = measured[f"{name}_interval"]
    metrics["bag_size_auc"] = size_auc(training.bags)
    notes = training.notes + [f"{title}: {note}" for note in fit_notes([found])]
    notes += size_notes(training.bags)
    notes += chance_note(measured)
    notes += [chosen_words(title, measured["chosen"])] if "chosen" in measured else []
    return joined(Scores({"classifier": ranks(score)}, metrics, notes, {"bag_score": bag_score}))


def _after_components(model: Model, count: int) -> Model:
    return replace(model, reduction=FoldComponents, reduction_params={"most": count})


CLASSIFIED = Classified("classified")
