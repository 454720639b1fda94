"""A classifier on the map of a run: judged by bags that neither the map nor it has seen."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.findings.headline import split_said
from emberscope.labels import BACKGROUND, TargetClass
from emberscope.pipeline import run
from emberscope.project import PutClasses, PutLabels

from .conftest import RECIPE

HEADS = ("knn", "svm-linear", "svm-rbf", "network", "random-forest")


def on_map(classifier, method="mida", **more):
    return msgspec.structs.replace(RECIPE, method=method, classifier=classifier,
                                   classifier_reads="map", **more)


@pytest.mark.parametrize("head", HEADS)
def test_bags_are_told_apart_by_their_place_on_the_map(head, project, cache):
    found = run(project, on_map(head), cache=cache)
    assert found.metrics["bag_auc"] > 0.9
    assert found.metrics["bag_auc_low"] <= found.metrics["bag_auc"]
    assert found.metrics["bag_instance_auc"] > 0.9


def test_the_bags_of_the_headline_are_held_out_from_the_map_as_well(project, cache):
    found = run(project, on_map("svm-rbf"), cache=cache)
    held = np.isfinite(found.diagnostics["bag_score"])
    assert np.array_equal(held, found.diagnostics["bag_fold"] >= 0)


def test_a_map_that_was_made_from_labels_by_heart_judges_no_bag_it_has_seen(project, cache):
    rng = np.random.default_rng(0)
    rows = list(project.labels)
    kinds = rng.permutation([label.class_id for label in rows])
    project.apply(PutLabels(before=rows, after=[
        msgspec.structs.replace(label, class_id=int(kind))
        for label, kind in zip(rows, kinds, strict=True)]))
    found = run(project, on_map("knn", "s-le"), cache=cache)
    assert found.metrics["bag_auc_low"] < 0.5


def test_its_split_is_said_beside_its_score(project, cache):
    bags = on_map("knn", split=SplitRecipe(kind="bags", folds=3))
    assert split_said(run(project, bags, cache=cache), "bag_auc") == "split by bags"


def test_another_method_gives_another_verdict_and_the_same_is_kept(project, cache):
    first, second, again = (
        run(project, on_map("svm-linear", method), cache=cache).diagnostics["bag_score"]
        for method in ("pca", "mida", "pca")
    )
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, second, equal_nan=True)


def test_what_is_chosen_for_a_map_is_said(project, cache):
    notes = run(project, on_map("svm-linear", classifier_choose=True), cache=cache).notes
    (words,) = [note for note in notes if "chosen inside" in note]
    assert words.startswith("Linear SVM on the map, chosen inside the training folds")


def test_values_of_the_map_are_chosen_inside_the_training_folds(project, cache):
    few = on_map("knn", "s-le", map_choose=True, params={"n_components": 2, "gamma": 0.1})
    found = run(project, few, cache=cache)
    (words,) = [note for note in found.notes if "chosen inside" in note]
    assert "of the map neighbors " in words
    assert np.isfinite(found.metrics["bag_auc"])


def test_where_targets_are_of_several_classes_these_are_named_too(project, cache):
    project.apply(PutClasses(after=[TargetClass(id=4, name="Other", role=1, slot=3)]))
    rows = [label for label in project.labels if label.class_id != BACKGROUND]
    project.apply(PutLabels(before=rows, after=[
        msgspec.structs.replace(label, class_id=4 if at % 2 else label.class_id)
        for at, label in enumerate(rows)]))
    found = run(project, on_map("knn"), cache=cache)
    said = found.diagnostics["class_said"]
    assert said.shape == found.bag_ids.shape
    assert found.metrics["class_accuracy_low"] <= found.metrics["class_accuracy"]
    background = (found.bag_labels < 0) & (said >= 0)
    assert (said[background] == 0).mean() > 0.8
    assert split_said(found, "class_accuracy") == split_said(found, "bag_auc") != ""


def test_of_one_class_no_class_is_named(project, cache):
    assert "class_accuracy" not in run(project, on_map("knn"), cache=cache).metrics
