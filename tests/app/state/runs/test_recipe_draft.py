"""The recipe that would run next: what was set by hand stays, the rest follows the labels."""

from dataclasses import replace

import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.param import N_COMPONENTS, Param
from emberscope.project import BagRecipe, PutLabels, Recipe
from emberscope_app.state.runs.recipe_draft import RecipeDraft

D = replace(N_COMPONENTS, name="n_components", type="int")
GAMMA = Param("gamma", "float", 0.1, low=0, high=1)
K = Param("k", "int", 3, grid=(1, 3))
RULE = Param("rule", "str", "max", choices=("max", "mean"))
METHODS = {"pca": (D,), "mi-umap": (D,), "s-le": (D, GAMMA), "knn": (K, RULE)}


@pytest.fixture
def draft(session):
    found = RecipeDraft(session)
    found.show_project()
    found.take_params(METHODS)
    return found


def test_the_recipe_the_project_keeps_is_shown_as_it_is(session):
    session.project.settings["recipe"] = {"method": "s-le", "params": {"gamma": 0.5}, "reduce": 7}
    draft = RecipeDraft(session)
    draft.show_project()
    draft.take_params(METHODS)
    assert (draft.recipe.method, draft.recipe.params, draft.recipe.reduce) == (
        "s-le",
        {"gamma": 0.5},
        7,
    )


def test_a_chosen_method_starts_with_a_third_dimension_for_the_3d_map(draft):
    draft.choose("s-le")
    assert draft.recipe.params == {"n_components": 3}


def test_the_split_stays_whatever_else_is_chosen(draft):
    by_clip = SplitRecipe(kind="clip", folds=3)
    draft.show(Recipe(split=by_clip))
    draft.choose("s-le")
    draft.set_data(Recipe(bags=BagRecipe(patch=48)))
    assert draft.recipe.split == by_clip


def test_values_of_a_method_come_back_with_it(draft):
    draft.choose("s-le")
    draft.set_values({"n_components": 3, "gamma": 0.5})
    draft.choose("pca")
    assert draft.recipe.params == {"n_components": 3}
    draft.choose("s-le")
    assert draft.recipe.params == {"n_components": 3, "gamma": 0.5}


def test_until_one_is_chosen_the_method_is_the_suggested_one(draft, session):
    assert draft.method == "mi-umap"
    session.do(
        PutLabels(
            title="Delete",
            before=[label for label in session.project.labels if label.class_id == 2],
        )
    )
    draft.follow_labels()
    assert draft.method == "pca"


def test_a_chosen_method_stays_when_labels_change(draft, session):
    draft.choose("isomap")
    session.do(PutLabels(title="Delete a label", before=list(session.project.labels)[:1]))
    draft.follow_labels()
    assert draft.method == "isomap"


def test_bags_set_by_hand_stay_when_labels_change(draft, session):
    draft.set_data(Recipe(bags=BagRecipe(patch=17)))
    draft.follow_labels()
    assert draft.recipe.bags.patch == 17


def test_other_bags_may_suit_another_method(draft):
    draft.set_data(Recipe(bags=BagRecipe(level="chip")))
    assert draft.method == "s-le"


def test_a_value_that_is_none_stops_the_recipe_until_it_is_set(draft):
    draft.choose("s-le")
    draft.refuse("params", "Push: give 0 - 1.")
    assert draft.why_not() == "Push: give 0 - 1."
    draft.set_values({"gamma": 0.7})
    assert draft.why_not() == ""


@pytest.mark.parametrize("next_method", ["pca", "s-le"])
def test_a_method_that_is_chosen_starts_with_values_that_are_right(draft, next_method):
    draft.choose("s-le")
    draft.refuse("params", "Push: give 0 - 1.")
    draft.choose(next_method)
    assert draft.why_not() == ""


def test_a_classifier_of_the_map_is_part_of_the_recipe(draft):
    draft.set_classifier("svm-rbf", {}, choose=False, reads="map")
    assert draft.recipe.classifier_reads == "map"


def test_a_method_that_lacks_labels_says_so(draft):
    draft.labeled = {"target"}
    draft.set_classifier("knn", {}, choose=False)
    assert draft.why_not() == "The bag classifier needs a background label."


def test_a_method_that_needs_labels_there_are_none_of_says_which(draft, session):
    session.do(PutLabels(title="Delete", before=list(session.project.labels)))
    draft.follow_labels()
    draft.choose("mi-umap")
    missing = next(choice.missing for choice in draft.choices if choice.method.id == "mi-umap")
    assert missing
    assert draft.why_not() == f"{missing}."


def test_a_method_that_nobody_knows_is_not_asked_what_it_lacks(draft):
    draft.choices = []
    assert draft.why_not() == ""


def test_the_seed_of_a_recipe_is_that_of_its_method(draft):
    seeded = replace(D, name="random_state", default=0, low=0)
    draft.take_params({"pca": (D, seeded)})
    draft.show(Recipe(method="pca", seed=5))
    assert (draft.recipe.seed, draft.recipe.params) == (5, {"random_state": 5})


def test_values_that_are_chosen_inside_the_folds_are_not_named(draft):
    draft.set_classifier("knn", {"k": 7, "rule": "mean"}, choose=True)
    assert draft.recipe.classifier_params == {"rule": "mean"}
    draft.set_classifier("knn", {"k": 7, "rule": "mean"}, choose=False)
    assert draft.recipe.classifier_params == {"k": 7, "rule": "mean"}


def test_an_edit_is_told_from_a_proposal(draft):
    heard = []
    draft.changed.connect(heard.append)
    draft.follow_labels()
    draft.choose("pca")
    draft.follow_labels()
    assert heard == [{"choices", "data"}, {"method", "edited"}, {"choices"}]


def test_a_metric_that_can_compare_chips_forgives_changes_for_any_method(draft):
    draft.choose("s-le")
    draft.set_metric("hybrid", {}, ignore_side=False)
    assert (draft.may_compare_chips, draft.compares_chips) == (True, False)
    draft.compare_chips()
    assert draft.compares_chips
    assert (draft.recipe.method, draft.recipe.features.kind) == ("s-le", "pixels")
    assert draft.recipe.metric_params == {
        "distances": "registration",
        "strength": 0.0,
        "scale": "exact",
    }


def test_without_a_method_or_metric_that_compares_chips_nothing_is_forgiven(draft):
    draft.choose("s-le")
    draft.set_metric("equivalence-metric", {}, ignore_side=False)
    assert (draft.may_compare_chips, draft.compares_chips) == (False, False)
