"""Recipes tried on held-out bags."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, DataError, MissingLabels
from emberscope.base.monitor import Silent, Watch
from emberscope.catalogue.usual import usual_recipe
from emberscope.course.inputs import prepare
from emberscope.features.extract import n_features
from emberscope.labels import TargetClass
from emberscope.pipeline import suggest as module
from emberscope.pipeline.suggest import BETTER, candidates, sampled, suggest
from emberscope.project import Project, PutClasses, PutLabels, Recipe, to_snapshot
from emberscope.tasks.recipes import SuggestRecipe
from emberscope.tasks.table import TABLE

pytestmark = pytest.mark.usefixtures("few_trees")


def test_the_recipe_that_tells_held_out_bags_apart_best_comes_with_its_reasons(project, cache):
    found = suggest(project, cache=cache, seconds=600)
    assert found.tried[0].recipe == found.recipe
    assert found.tried[0].area >= max(one.area for one in found.tried) - BETTER
    area, low, high = found.area
    assert 0 <= low <= area <= high <= 1
    sentences = " ".join(found.reasons)
    assert (
        f"an area of {area:.2f} ({low:.2f} to {high:.2f}, on bags that did not choose it)"
        in sentences
    )
    assert all(f"{one.area:.2f}" in sentences for one in found.tried)


def test_a_project_without_labels_of_both_kinds_gets_a_method_that_reads_none():
    recipe, why = usual_recipe(Project())
    assert recipe.method == "pca"
    assert "Without labels" in " ".join(why)


def test_nothing_is_tried_for_a_method_that_reads_no_bags():
    assert suggest(Project()).tried == []


def test_all_candidates_have_the_bags_of_the_usual_recipe():
    usual = Recipe(method="mi-umap", reduce=0)
    assert {other.bags for other in candidates(usual)} == {usual.bags}


def test_targets_of_several_classes_are_tried_with_a_method_that_sets_classes_apart(project, cache):
    project.apply(PutClasses(after=[TargetClass(id=7, name="Truck", role=1, slot=3)]))
    cars = [box for box in project.labels if box.class_id == 1 and box.frame % 2]
    project.apply(
        PutLabels(before=cars, after=[msgspec.structs.replace(box, class_id=7) for box in cars])
    )
    assert {one.recipe.method for one in suggest(project, cache=cache, seconds=600).tried} == {
        "mi-umap",
        "m-mida",
    }


def test_a_recipe_that_cannot_be_tried_is_named_and_does_not_end_the_others(
    project, cache, monkeypatch
):
    def refuse(*_, **__):
        raise DataError("all instances are the same")

    monkeypatch.setattr(module, "fitted_without", refuse)  # MIDA is judged by fits
    found = suggest(project, cache=cache, seconds=60)
    assert found.tried
    assert "MIDA cannot be tried: all instances are the same" in " ".join(found.reasons)


def test_components_of_a_trial_are_found_without_the_bags_that_judge_it(
    project, cache, monkeypatch
):
    fitted, judge = [], module.fitted_without

    def spy(make, X, *args, **rest):
        fitted.append((type(make()).__name__, X.shape[1]))
        return judge(make, X, *args, **rest)

    monkeypatch.setattr(module, "fitted_without", spy)
    hog = next(one for one in candidates(usual_recipe(project)[0]) if one.reduce)
    tried = module._tried(project, hog, cache, Silent())
    assert tried is not None
    assert fitted == [("MetricThenMethod", n_features(hog.features))]


def test_a_sample_holds_whole_bags_of_both_kinds(project, cache):
    inputs = prepare(project, Recipe(), cache)
    part = sampled(inputs, 20).made
    whole = dict(zip(inputs.made.bags.ids.tolist(), inputs.made.bags.sizes.tolist(), strict=True))
    assert {whole[key] for key in part.bags.ids.tolist()} == set(part.bags.sizes.tolist())
    assert set(part.bags.labels.tolist()) == {-1, 1}
    assert len(part.instances) < len(inputs.made.instances)


def test_time_that_is_up_is_said(project, cache):
    assert "time was up" in " ".join(suggest(project, cache=cache, seconds=0.0).reasons)


def test_an_area_that_may_be_chance_names_a_label_that_helps(project, cache, monkeypatch):
    monkeypatch.setattr(module, "area_of_chosen", lambda *_: (0.55, 0.4, 0.7))
    sentences = " ".join(suggest(project, cache=cache, seconds=0.0).reasons)
    assert "may be chance" in sentences
    assert "Label" in sentences


def test_it_can_be_cancelled(project, cache):
    def stop(fraction, message):
        raise Cancelled

    with pytest.raises(Cancelled):
        suggest(project, cache=cache, monitor=Watch(stop))


def test_the_worker_returns_plain_data(project, cache, monkeypatch):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(cache))
    monkeypatch.setattr(module, "candidates", lambda usual, **_: [usual])
    found = TABLE.answer(SuggestRecipe(snapshot=to_snapshot(project)), Watch())
    assert found.recipe.method
    assert found.reasons
    assert np.isfinite([one.area for one in found.tried]).all()
    assert found.area == suggest(project, cache=cache).area


def test_a_source_without_a_label_in_it_is_missing_labels(cache):
    with pytest.raises(MissingLabels):
        prepare(Project(), Recipe(), cache)


def test_reasons_say_how_far_to_trust_the_rules(project, cache, monkeypatch):
    monkeypatch.setattr(module, "candidates", lambda usual, **_: [usual])
    monkeypatch.setattr(module, "doubts", lambda scores, bags: ["The rules agree little."])
    assert "The rules agree little." in suggest(project, cache=cache).reasons
