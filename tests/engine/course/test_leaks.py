"""Random labels and many features: whoever says more than chance of bags that are held out has
seen them."""

import pkgutil

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.make import MadeBags
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.course.labels import Labels
from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.split import Split
from emberscope.course.stage import Given
from emberscope.course.stages.classified import CLASSIFIED
from emberscope.course.stages.distances import SEEN
from emberscope.course.stages.embed import EMBED, Fitted
from emberscope.course.stages.features import FEATURES
from emberscope.course.stages.given import CORES, LABELS, MADE, PARTS
from emberscope.course.stages.reduce import REDUCED, Seen
from emberscope.course.stages.rests import RESTS
from emberscope.course.stages.separation import SEPARATION, FoldFits, separation
from emberscope.course.stages.side import SIDE
from emberscope.embedding.linear.pca import PCA
from emberscope.evaluate.bag_validation import validate_bags
from emberscope.evaluate.scores import auc
from emberscope.project import Recipe

DRAWS, BAGS, MEMBERS, WIDE = 3, 60, 3, 100
# Of an area of 30 and 30 bags without any signal, as Mann and Whitney have it; of the mean of the
# draws three times its error.
CHANCE = 3 * np.sqrt((BAGS + 1) / (12 * (BAGS / 2) ** 2)) / np.sqrt(DRAWS)


def draw(seed):
    """Bags with random labels on five clips, of instances with random features."""
    rng = np.random.default_rng(seed)
    n = BAGS * MEMBERS
    signs = rng.permutation(np.tile([1, -1], BAGS // 2))
    bags = Bags.from_column(np.repeat(np.arange(BAGS), MEMBERS), signs)
    x = 10 * np.arange(n)
    boxes = np.stack([x, np.zeros(n), x + 1, np.ones(n)], axis=1)
    place = np.repeat(np.arange(BAGS), MEMBERS)
    instances = Instances.at(place % 5, place // 5 * 100, boxes)
    y = bags.instance_labels(n)
    return rng.normal(size=(n, WIDE)).astype(np.float32), Labels(y, bags, y, y, instances)


def chosen_by_labels(X, labels, count=5):
    """The features that differ most between the labels, of all bags: a leak."""
    y = labels.y > 0
    return X[:, np.argsort(-np.abs(X[y].mean(axis=0) - X[~y].mean(axis=0)))[:count]]


def held_out_area(recipe, X, labels):
    plan = plan_of(recipe, at_any_cost=True)
    reduced = components(X, recipe.reduce)
    fits = FoldFits.of(plan, labels, None, reduced.shape, X)
    known = labels.known_to(plan.method.row)
    Z = plan.method.make().fit(reduced, known, bags=labels.bags).embedding_
    found = separation(reduced, Z, labels, plan.split.parts(labels), fits=fits)
    return found.metrics["method_bag_auc"]


def components(X, count):
    """Of all instances, as a run shows them."""
    return PCA(n_components=count).fit(X).embedding_ if count < X.shape[1] else X


def test_features_chosen_by_labels_of_all_bags_are_seen_as_a_leak():
    areas = [held_out_area(Recipe(method="lda", split=SplitRecipe(kind="clip")),
                           chosen_by_labels(*drawn), drawn[1])
             for drawn in map(draw, range(DRAWS))]
    assert np.mean(areas) > 0.5 + CHANCE


@pytest.mark.parametrize("recipe", [
    {"method": "supervised-pca"}, {"method": "lda"}, {"method": "mida"}, {"method": "s-le"},
    {"method": "pca", "metric": "nca"}, {"method": "lda", "reduce": 10},
], ids=lambda recipe: "-".join(map(str, recipe.values())))
def test_what_chooses_by_labels_is_at_chance_on_bags_it_has_not_seen(recipe):
    split = SplitRecipe(kind="clip")
    areas = [held_out_area(Recipe(**recipe, split=split), *drawn)
             for drawn in map(draw, range(DRAWS))]
    assert abs(np.mean(areas) - 0.5) < CHANCE


def test_a_method_that_holds_bags_back_is_fitted_anew_after_components_of_all_instances():
    X, labels = draw(0)
    plan = plan_of(Recipe(method="mi-umap", params={"n_epochs": 5}, reduce=5), at_any_cost=True)
    seen, told = Seen(components(X, 5)), labels.y.astype(float)  # as if it knew all labels
    given = Given().put(FEATURES, X).put(REDUCED, seen).put(SEEN, seen).put(SIDE, None)
    given.put(EMBED, Fitted(seen.X[:, :2], {"held_score_": told})).put(LABELS, labels)
    given.put(PARTS, plan.split.parts(labels))
    found = run_stages(plan, [SEPARATION], given)[SEPARATION]
    assert found.metrics["method_bag_auc"] < 0.9


@pytest.mark.parametrize("classifier", ["mi-svm-instance", "miles"])
def test_a_classifier_is_at_chance_on_bags_it_has_not_seen(classifier):
    areas = []
    for X, labels in map(draw, range(DRAWS)):
        plan = plan_of(Recipe(classifier=classifier, split=SplitRecipe(kind="clip")))
        held = plan.split.of_bags(labels.instances, labels.bags, plan.split.parts(labels))
        found = validate_bags(plan.model, X, labels.bags, folds=held.folds(labels.bags.labels),
                              groups=held.block)
        areas.append(auc(labels.bags.labels, found.bag_score))
    assert abs(np.mean(areas) - 0.5) < CHANCE


# Stage, what it fits in a fold, and where the rows are among its arguments
FITTED = {
    SEPARATION: ("emberscope.embedding.linear.lda.LDA.fit", 1),
    CLASSIFIED: ("emberscope.mil.classifiers.miles.MILES.fit", 1),
    RESTS: ("emberscope.course.background_checks._trees", 0),
}


def fitted_in_folds(stage, monkeypatch, X, labels):
    """The rows that a stage fits in each of five folds, after a reduction of all instances."""
    plan = plan_of(Recipe(method="lda", params={"n_components": 1}, reduce=5, classifier="miles",
                          classifier_params={"features": "all"}, split=SplitRecipe(kind="clip")),
                   at_any_cost=True)
    n, seen = len(X), Seen(components(X, 5))
    made = MadeBags(labels.instances, labels.bags, labels.y, np.empty(0, np.int64), [],
                    np.zeros(n, bool))
    shown = labels.bags.indptr[:-1][labels.bags.labels > 0]
    cores = {(int(labels.instances.source[k]), int(labels.instances.frame[k])):
             labels.instances.box[[k]] for k in shown}
    given = Given().put(FEATURES, X).put(REDUCED, seen).put(SEEN, seen).put(SIDE, None)
    given.put(EMBED, Fitted(seen.X[:, :1], {})).put(LABELS, labels).put(MADE, made)
    given.put(PARTS, plan.split.parts(labels)).put(CORES, cores)
    where, at = FITTED[stage]
    owner, name = where.rsplit(".", 1)
    fit, fitted = pkgutil.resolve_name(where), []

    def spy(*args, **rest):
        fitted.append(np.array(args[at]))
        return fit(*args, **rest)

    with monkeypatch.context() as patched:
        patched.setattr(pkgutil.resolve_name(owner), name, spy)
        run_stages(plan, [stage], given)
    return fitted[:5]


@pytest.mark.parametrize("stage", FITTED, ids=lambda stage: stage.name)
def test_components_of_a_fold_know_nothing_of_the_bags_it_holds_out(stage, monkeypatch):
    X, labels = draw(0)
    held = labels.instances.source == 0
    moved = X.copy()
    moved[held, 0] += 100 * np.arange(held.sum())  # the first component of all instances, then
    plain, other = (fitted_in_folds(stage, monkeypatch, each, labels) for each in (X, moved))
    fold = Split(SplitRecipe(kind="clip")).parts(labels).of_instance[held][0]
    assert np.array_equal(plain[fold], other[fold])
    assert len(plain[fold].T) == 5
