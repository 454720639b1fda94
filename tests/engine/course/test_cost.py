"""What a run will take."""

from typing import get_args, get_type_hints

import msgspec
import pytest

from emberscope import catalogue
from emberscope.bags.clip_sides import ClipSides
from emberscope.base.errors import ParamError, TooLarge
from emberscope.course import cost
from emberscope.course.cost import clip_sides
from emberscope.course.plan import plan_of
from emberscope.course.scores import Scores
from emberscope.course.stages import advice
from emberscope.course.stages.classified import classify_seconds
from emberscope.course.stages.features import seconds_per_instance
from emberscope.course.stages.separation import refit_seconds
from emberscope.course.stages.spread import spread_seconds
from emberscope.evaluate.held_out import N_FOLDS
from emberscope.features.extract import n_features
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.model import TargetClass
from emberscope.pipeline import estimate, run
from emberscope.project import PutClasses, PutLabels

from .conftest import N_FRAMES, RECIPE, a_box
from .test_split import PROJECT, clips, split


def test_an_estimate_counts_instances_bags_and_what_is_new(project, cache):
    found = estimate(project, RECIPE, cache=cache)
    assert (found.instances, found.bags, found.new_instances) == (
        5 * N_FRAMES,
        2 * N_FRAMES,
        5 * N_FRAMES,
    )
    assert found.seconds > 0 < found.bytes


def test_features_of_four_times_the_pixels_cost_about_four_times_as_much():
    for kind in ("hog", "statistics", "pixels", "hog+statistics"):
        small, large = (
            seconds_per_instance(FeatureRecipe(kind=kind, chip=chip)) for chip in (32, 64)
        )
        assert 3 < large / small < 4


def test_every_kind_of_features_has_a_cost():
    kinds = set(get_args(get_type_hints(FeatureRecipe)["kind"]))
    for kind in kinds - {"cnn"}:  # as long as its file takes
        assert 0 < seconds_per_instance(FeatureRecipe(kind=kind)) < 0.1


def test_features_that_are_kept_cost_nothing(project, cache):
    run(project, RECIPE, cache=cache)
    found = estimate(project, RECIPE, cache=cache)
    assert (found.new_instances, found.stages["features"]) == (0, 0.0)


def test_choosing_values_costs_five_fits_per_combination_and_fold():
    once = msgspec.structs.replace(RECIPE, classifier="knn")
    chosen = msgspec.structs.replace(once, classifier_choose=True)
    assert classify_seconds(plan_of(chosen), 100, 5) == pytest.approx(
        51 * N_FOLDS * _one_fit("knn")
    )
    assert classify_seconds(plan_of(once), 100, 5) <= 6 * N_FOLDS * _one_fit("knn")


def _one_fit(method):
    return catalogue.estimate(method, 100, 5)[0]


@pytest.mark.parametrize("wrong", [{"method": "knn"}, {"distances": "registration"}])
def test_what_cannot_be_run_has_no_estimate_either(project, cache, wrong):
    with pytest.raises(ParamError):
        estimate(project, msgspec.structs.replace(RECIPE, **wrong), cache=cache)


def test_an_estimate_reads_no_frame(project, cache, tmp_path):
    (tmp_path / "frames.npy").write_bytes(b"")
    assert estimate(project, RECIPE, cache=cache).instances == 5 * N_FRAMES


def with_method(method, **params):
    return msgspec.structs.replace(RECIPE, method=method, params=params)


def test_a_method_that_reads_labels_costs_one_fit_more_per_fold(project, cache):
    recipe = with_method("mida")
    found, free = estimate(project, recipe, cache=cache), estimate(project, RECIPE, cache=cache)
    wide = n_features(recipe.features)  # of which components are found again in every fold
    more = refit_seconds(plan_of(recipe), 5 * N_FRAMES, 10, wide) + spread_seconds(
        plan_of(recipe), 5 * N_FRAMES, 10
    )
    judged = [sum(one.stages[name] for name in ("separation", "spread")) for one in (found, free)]
    assert judged[0] - judged[1] == pytest.approx(more)
    assert refit_seconds(plan_of(recipe), 5 * N_FRAMES, 10) > 3 * found.stages["embed"]


def test_what_a_method_reads_depends_on_its_parameters(monkeypatch):
    recipe = with_method("pca")
    assert refit_seconds(plan_of(recipe), 100, 5) == 0
    monkeypatch.setattr(
        catalogue.load("pca"), "reads_labels", property(lambda self: self.n_components == 3)
    )
    assert refit_seconds(plan_of(recipe), 100, 5) == 0
    assert refit_seconds(plan_of(with_method("pca", n_components=3)), 100, 5) > 0


def test_two_more_fits_show_how_far_instances_move():
    assert spread_seconds(plan_of(with_method("pca")), 1000, 10) == 0
    for method in ("tsne", "laplacian-eigenmaps"):
        assert (
            spread_seconds(plan_of(with_method(method)), 1000, 10)
            == 2 * catalogue.estimate(method, 1000, 10)[0]
        )


def test_a_second_class_of_targets_is_learned_by_itself_by_some_rules_and_takes_its_time(
    project, cache
):
    recipe = with_method("mi-umap")
    one = estimate(project, recipe, cache=cache).stages["embed"]
    project.apply(PutClasses(after=[TargetClass(id=7, name="Truck", role=1, slot=3)]))
    project.apply(
        PutLabels(after=[a_box(project, 0, 7, 48, 0), a_box(project, 6, 7, 48, 0, place=1)])
    )
    assert 1.5 < estimate(project, recipe, cache=cache).stages["embed"] / one < 2.5


def test_an_estimate_repeats_what_a_run_found_out_about_the_data(project, cache, monkeypatch):
    def advise(X, neighbors, k, monitor):
        return Scores(metrics={"short_circuits": 2.0}, notes=[f"{k} of {len(X)}"])

    monkeypatch.setitem(advice.KINDS, "intrinsic dimension", lambda *_: Scores())
    monkeypatch.setitem(advice.KINDS, "short circuits", advise)
    recipe = with_method("isomap", n_neighbors=7)
    assert estimate(project, recipe, cache=cache).advice == ()
    found = run(project, recipe, cache=cache)
    assert found.metrics["short_circuits"] == 2.0
    assert f"7 of {5 * N_FRAMES}" in found.notes
    assert estimate(project, recipe, cache=cache).advice == (f"7 of {5 * N_FRAMES}",)
    assert estimate(project, with_method("isomap", n_neighbors=8), cache=cache).advice == ()
    project.apply(PutLabels(after=[a_box(project, 3, 1, 48, 0)]))
    assert estimate(project, recipe, cache=cache).advice == ()


def test_more_instances_than_a_method_takes_are_refused(project, cache, monkeypatch):
    row = next(row for row in catalogue.METHODS if row.max_n is not None)
    found = msgspec.structs.replace(RECIPE, method=row.id)
    monkeypatch.setattr(cost, "_free_memory", lambda: 1e18)
    few = estimate(project, found, cache=cache)
    many = type(few)(row.max_n + 1, few.bags, 0, few.features, few.stages, few.bytes)
    with pytest.raises(TooLarge, match=f"takes up to {row.max_n} instances"):
        cost.refuse_too_large(many, plan_of(found))


def test_an_estimate_says_on_which_side_of_the_split_the_clips_lie():
    labels = clips(2)
    parts = split(kind="hold-out", sources=("dusk",)).parts(labels)
    assert clip_sides(PROJECT, parts) == (
        ClipSides("day", 0, 6, 0), ClipSides("dusk", 6, 0, 0, (0,)))


def test_frames_of_one_clip_in_several_folds_are_on_both_sides():
    (sides,) = clip_sides(PROJECT, split(kind="bags").parts(clips(1)))
    assert sides.mixed
    assert not ClipSides("day", 6, 0, 0, (1,)).mixed
