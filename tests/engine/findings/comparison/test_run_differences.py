"""Rows of the history tell runs apart."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.findings.comparison.run_differences import (
    data_words,
    differs,
    names_changed,
    same_data_words,
    settings_changed,
)
from emberscope.project import BagRecipe, FeatureRecipe, Recipe

from ...project.builders import a_run

RECIPE = Recipe(method="mida", params={"alpha": 1.0})


def run_of(recipe=RECIPE, marks=0, bags=1):
    ids = np.arange(bags) << 16
    return a_run(recipe=recipe, bag_ids=ids, diagnostics={"marks": np.ones((marks, 2), np.int64)})


def changed(**values):
    return run_of(msgspec.structs.replace(RECIPE, **values))


def test_the_same_recipe_on_the_same_labels_differs_in_nothing():
    assert differs(run_of(), run_of()) == differs(run_of(), None) == []


def test_patch_features_and_seed_are_named_with_their_new_values():
    assert differs(changed(bags=BagRecipe(patch=48)), run_of()) == ["patch 48"]
    assert differs(changed(features=FeatureRecipe(kind="hog+statistics")), run_of()) == [
        "hog+statistics"
    ]
    assert differs(changed(bags=BagRecipe(also=(64, 96))), run_of()) == ["also 64, 96"]
    assert differs(run_of(), changed(bags=BagRecipe(also=(64,)))) == ["also none"]
    assert differs(changed(seed=3, reduce=0), run_of()) == ["reduced to 0", "seed 3"]


def test_a_seed_that_stands_twice_in_a_recipe_is_one_setting():
    again = changed(seed=4, params={"alpha": 1.0, "random_state": 4})
    assert differs(again, run_of()) == ["seed 4"]
    assert names_changed(again, run_of()) == ["seed"]
    assert settings_changed(again, run_of()) == [("seed", "0", "4")]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "32 px hog"),
        ({"bags": BagRecipe(patch=48)}, "hog"),
        ({"bags": BagRecipe(also=(64, 96))}, "hog"),
        ({"bags": BagRecipe(stride=8)}, "32 px hog"),
        ({"features": FeatureRecipe(kind="pixels")}, "32 px"),
    ],
)
def test_what_differs_is_not_said_again_of_what_a_run_looks_at(values, words):
    assert same_data_words(changed(**values), run_of()) == words


def test_another_split_is_named():
    assert differs(changed(split=SplitRecipe(kind="clip", folds=3)), run_of()) == [
        "split clip",
        "folds 3",
    ]
    named = SplitRecipe(kind="hold-out", sources=("day", "night"))
    assert differs(changed(split=named), run_of()) == ["split hold-out", "held out day, night"]


def test_a_split_by_a_column_is_named_by_it_once():
    split = SplitRecipe(kind="column", column="light")
    assert differs(changed(split=split), run_of()) == ["split by light"]
    assert differs(changed(split=SplitRecipe(kind="clip")), changed(split=split)) == ["split clip"]


def test_parameters_are_compared_between_runs_of_one_method():
    assert differs(changed(params={"alpha": 0.5, "n_neighbors": 9}), run_of()) == [
        "alpha 0.5",
        "neighbors 9",
    ]
    assert differs(changed(params={}), run_of()) == ["alpha auto"]
    assert differs(changed(method="pca", params={}), run_of()) == []


def test_a_classifier_that_came_or_went_is_said():
    assert differs(changed(classifier="mil-boost"), run_of()) == ["classifier mil-boost"]
    assert differs(run_of(), changed(classifier="mil-boost")) == ["classifier none"]


def test_marks_and_bags_that_came_or_went_are_counted():
    assert differs(run_of(marks=2, bags=3), run_of()) == ["2 bags more", "2 marks more"]
    assert differs(run_of(), run_of(marks=1)) == ["1 mark fewer"]


def test_what_a_run_looks_at_is_its_patch_and_its_features():
    assert data_words(RECIPE) == "32 px hog"
    assert (
        data_words(msgspec.structs.replace(RECIPE, bags=BagRecipe(also=(64,))))
        == "32 and 64 px hog"
    )
    chips = msgspec.structs.replace(
        RECIPE, bags=BagRecipe(level="chip"), features=FeatureRecipe(kind="statistics")
    )
    assert data_words(chips) == "chips statistics"


def test_settings_are_listed_with_what_they_were():
    first, second = (run_of(Recipe(method="pca", reduce=reduce)) for reduce in (50, 10))
    assert settings_changed(second, first) == [("reduced to", "50", "10")]


def test_another_method_is_named_and_not_its_own_settings():
    first = run_of(Recipe(method="pca"))
    second = run_of(Recipe(method="mida", params={"alpha": 2.0}))
    assert settings_changed(second, first) == [("method", "pca", "mida")]
