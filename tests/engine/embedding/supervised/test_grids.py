"""What is left open of S-LE and SE-Isomap is chosen by the training bags alone."""

import numpy as np
import pytest

from emberscope.bags.model import Bags
from emberscope.catalogue import load
from emberscope.course.classification import classification, model_of
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.evaluate.bag_validation import validate_bags

OPEN = {
    "s-le": {"n_components", "gamma", "n_neighbors", "out_of_sample"},
    "se-isomap": {"n_components", "alpha", "n_neighbors", "out_of_sample"},
}


def crossing(seed, n=80):
    """Two surfaces that cross, an instance a bag."""
    X, y = quadratic_surfaces(n, kind="crossing", seed=seed)
    return X, Bags.from_lists([np.array([i]) for i in range(len(X))], y)


def accuracy(method, settings, X, bags):
    found = validate_bags(model_of("knn", method, settings), X, bags, folds=3)
    return classification(bags.labels, [found])


@pytest.mark.parametrize("id", OPEN)
def test_the_settings_that_matter_have_values_to_try(id):
    assert {param.name for param in load(id).params if param.grid} == OPEN[id]


@pytest.mark.parametrize("id", [*OPEN, "mi-le", "mi-isomap"])
def test_every_value_to_try_is_allowed_and_the_default_is_among_them(id):
    for param in load(id).params:
        for value in param.grid:
            param.check(value)
        if param.grid and not param.auto:
            assert param.default in param.grid


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("id", OPEN)
def test_a_choice_inside_finds_how_new_instances_are_placed_best(id, seed):
    X, bags = crossing(seed)
    chosen = accuracy(id, {"out_of_sample": "auto"}, X, bags)
    usual = accuracy(id, {}, X, bags)
    assert chosen["accuracy"] > usual["accuracy"]
    assert chosen["chosen"]["reduce.out_of_sample"]["rbf"] >= 2


@pytest.mark.parametrize("name", ["gamma", "alpha"])
def test_labels_of_the_test_fold_do_not_matter_for_what_is_chosen(name):
    method = "s-le" if name == "gamma" else "se-isomap"
    X, bags = crossing(0, n=40)
    model = model_of("knn", method, {name: "auto"})
    first = validate_bags(model, X, bags, folds=2)
    turned = np.where(first.fold == 0, -bags.labels, bags.labels).astype(bags.labels.dtype)
    again = validate_bags(model, X, Bags.from_lists([np.array([i]) for i in range(80)], turned),
                          folds=first.fold)
    assert again.chosen[0] == first.chosen[0]
