"""Random labels and many features: whoever says more than chance of bags that are held out has
seen them."""

import numpy as np
import pytest

from emberscope.bags import Bags, Instances
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.course.labels import Labels
from emberscope.course.plan import plan_of
from emberscope.course.stages.separation import FoldFits, separation
from emberscope.evaluate.bag_validation import validate_bags
from emberscope.evaluate.scores import auc
from emberscope.project import Recipe

DRAWS, BAGS, MEMBERS, FEATURES = 3, 60, 3, 100
# Of an area of 30 and 30 bags without any signal, as Mann and Whitney have it; of the mean of the
# draws three times its error.
CHANCE = 3 * np.sqrt((BAGS + 1) / (12 * (BAGS / 2) ** 2)) / np.sqrt(DRAWS)


def draw(seed):
    """Bags with random labels on five clips, of instances with random features."""
    rng = np.random.default_rng(seed)
    n = BAGS * MEMBERS
    signs = rng.permutation(np.tile([1, -1], BAGS // 2))
    bags = Bags.from_column(np.repeat(np.arange(BAGS), MEMBERS), signs)
    boxes = np.stack([np.arange(n)] * 4, axis=1)
    place = np.repeat(np.arange(BAGS), MEMBERS)
    instances = Instances.at(place % 5, place // 5 * 100, boxes)
    y = bags.instance_labels(n)
    return rng.normal(size=(n, FEATURES)).astype(np.float32), Labels(y, bags, y, y, instances)


def chosen_by_labels(X, labels, count=5):
    """The features that differ most between the labels, of all bags: a leak."""
    y = labels.y > 0
    return X[:, np.argsort(-np.abs(X[y].mean(axis=0) - X[~y].mean(axis=0)))[:count]]


def held_out_area(recipe, X, labels):
    plan = plan_of(recipe, at_any_cost=True)
    fits = FoldFits.of(plan, labels, None, X.shape)
    Z = plan.method.make().fit(X, labels.known_to(plan.method.row), bags=labels.bags).embedding_
    found = separation(X, Z, labels, plan.split.parts(labels), fits=fits)
    return found.metrics["method_bag_auc"]


def test_features_chosen_by_labels_of_all_bags_are_seen_as_a_leak():
    areas = [held_out_area(Recipe(method="lda", split=SplitRecipe(kind="clip")),
                           chosen_by_labels(*drawn), drawn[1])
             for drawn in map(draw, range(DRAWS))]
    assert np.mean(areas) > 0.5 + CHANCE


@pytest.mark.parametrize("recipe", [
    {"method": "supervised-pca"}, {"method": "lda"}, {"method": "mida"}, {"method": "s-le"},
    {"method": "pca", "metric": "nca"},
], ids=lambda recipe: "-".join(recipe.values()))
def test_what_chooses_by_labels_is_at_chance_on_bags_it_has_not_seen(recipe):
    split = SplitRecipe(kind="clip")
    areas = [held_out_area(Recipe(**recipe, split=split), *drawn)
             for drawn in map(draw, range(DRAWS))]
    assert abs(np.mean(areas) - 0.5) < CHANCE


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
