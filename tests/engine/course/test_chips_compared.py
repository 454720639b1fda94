"""Methods that compare chips, on their way through a run: pixels as they are, and the changes that
do not matter."""

from typing import get_args

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import Cancelled, ParamError, TooLarge
from emberscope.base.monitor import Silent, Watch
from emberscope.catalogue import EMBEDDERS, load
from emberscope.course import cost
from emberscope.course.cost import estimate
from emberscope.course.stages import separation, spread
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.side_info import Invariance
from emberscope.metric.chip_distances import ChipDistances
from emberscope.metric.dissimilarities import KINDS
from emberscope.pipeline import measures, run
from emberscope.pipeline.conversion import features_of_run
from emberscope.project import PutSide
from emberscope.project.model.recipe import Distances

from .conftest import RECIPE

FORGIVING = {"distances": "registration", "n_neighbors": 5}
CHIPS = msgspec.structs.replace(
    RECIPE,
    features=FeatureRecipe(kind="pixels", chip=12),
    reduce=5,
    method="hybrid",
    params=FORGIVING,
)
UNMARKED = "Nothing is marked as not mattering: shifts of up to 2 px are taken."


def forgive(project, family="rotate", step=10.0, reach=20.0):
    project.apply(PutSide(after=[Invariance(id=900, family=family, step=step, reach=reach)]))


def test_chips_are_compared_whole_whatever_the_reduction_is(project, cache):
    found = run(project, CHIPS, cache=cache)
    assert found.metrics["d"] == 144
    assert UNMARKED in found.notes


def test_what_is_marked_as_not_mattering_is_forgiven(project, cache):
    plain = run(project, CHIPS, cache=cache)
    forgive(project)
    found = run(project, CHIPS, cache=cache)
    assert UNMARKED not in found.notes
    assert not np.allclose(found.Z, plain.Z)
    assert found.state["side"]["invariances"][0]["family"] == "rotate"


def test_a_recipe_that_ignores_side_information_forgives_what_it_would_without(project, cache):
    plain = run(project, CHIPS, cache=cache)
    forgive(project)
    ignoring = run(project, msgspec.structs.replace(CHIPS, ignore_side=True), cache=cache)
    np.testing.assert_array_equal(ignoring.Z, plain.Z)


def test_any_method_takes_distances_that_forgive_from_the_metric_before_it(project, cache):
    recipe = msgspec.structs.replace(
        CHIPS, method="isomap", params={"n_neighbors": 5}, metric="hybrid",
        metric_params={**FORGIVING, "strength": 0.0},
    )
    forgive(project)
    found = run(project, recipe, cache=cache)
    assert found.Z.shape[1] == 2
    assert not np.allclose(
        found.Z, run(project, msgspec.structs.replace(recipe, ignore_side=True), cache=cache).Z
    )


def test_features_that_are_no_pixels_are_refused_before_anything_is_computed(project, cache):
    recipe = msgspec.structs.replace(CHIPS, features=FeatureRecipe())
    with pytest.raises(
        ParamError,
        match=r"Hybrid embedding compares chips, and the features are hog\. Choose pixels",
    ):
        run(project, recipe, cache=cache)


def test_distances_of_features_are_reduced_as_ever(project, cache):
    recipe = msgspec.structs.replace(CHIPS, params={"distances": "geodesic"})
    assert run(project, recipe, cache=cache).metrics["d"] == 5
    assert (
        estimate(project, recipe, cache=cache).seconds
        <= estimate(project, CHIPS, cache=cache).seconds
    )


MEASURED = msgspec.structs.replace(
    CHIPS, method="isomap", params={"n_neighbors": 5}, distances="registration"
)


def measured(**changes):
    return msgspec.structs.replace(MEASURED, **changes)


def test_a_recipe_knows_all_distances_of_chips():
    assert get_args(Distances) == ("euclidean", *KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_takes_distances_of_chips_as_they_are(project, cache, kind):
    forgive(project, "translate", 1.0, 1.0)
    found = run(project, measured(distances=kind), cache=cache)
    X = features_of_run(project, found, cache, Silent())
    assert X.shape[1] == 144
    rule = ChipDistances(kind, (Invariance(id=0, family="translate", step=1.0, reach=1.0),), 12)
    alone = load("isomap")(n_neighbors=5).measured_by(rule.between(X)).fit(X)
    np.testing.assert_allclose(
        found.Z, alone.embedding_, atol=1e-5 * np.abs(alone.embedding_).max()
    )


def test_neighbors_of_a_run_are_those_by_its_distances(project, cache):
    found = run(project, MEASURED, cache=cache)
    given = ChipDistances("registration", columns=12).between(
        features_of_run(project, found, cache, Silent())
    )
    far = given.squared + np.diag(np.full(len(given), np.inf))
    nearest = np.sort(far, axis=1)[:, :10]
    listed = np.take_along_axis(far, found.diagnostics["neighbors"].astype(int), axis=1)
    np.testing.assert_array_equal(listed, nearest)


def test_faithfulness_is_that_to_the_distances(project, cache):
    smacof = measured(method="smacof", params={})
    by_chips = run(project, smacof, cache=cache)
    plain = run(project, msgspec.structs.replace(smacof, distances="euclidean"), cache=cache)
    assert by_chips.metrics["stress"] != pytest.approx(plain.metrics["stress"])
    given = ChipDistances("registration", columns=12).between(
        features_of_run(project, by_chips, cache, Silent())
    )
    i, j = np.triu_indices(len(given), 1)
    apart = np.linalg.norm(by_chips.Z[i] - by_chips.Z[j], axis=1)
    best = given.of(i, j) @ apart / (apart @ apart)
    rest = given.of(i, j) - best * apart
    assert by_chips.metrics["stress"] == pytest.approx(
        np.linalg.norm(rest) / np.linalg.norm(given.of(i, j)), rel=1e-3
    )


def test_the_distances_are_kept_by_what_they_were_made_of(project, cache, monkeypatch):
    run(project, MEASURED, cache=cache)
    monkeypatch.setattr("emberscope.metric.chip_distances.dissimilarity", None)
    run(project, measured(method="mds", params={}), cache=cache)
    forgive(project)
    with pytest.raises(TypeError):
        run(project, MEASURED, cache=cache)


def test_what_is_not_marked_is_noted_once(project, cache):
    assert run(project, MEASURED, cache=cache).notes.count(UNMARKED) == 1
    forgive(project)
    assert UNMARKED not in run(project, MEASURED, cache=cache).notes


def test_without_side_information_the_run_is_that_of_the_features(project, cache):
    plain = run(project, measured(distances="euclidean"), cache=cache)
    ignoring = run(project, measured(ignore_side=True), cache=cache)
    np.testing.assert_array_equal(ignoring.Z, plain.Z)


@pytest.mark.parametrize(("method", "quick"), [
    ("mi-umap", {"n_epochs": 20}), ("mi-le", {"start": "density", "max_rounds": 1}),
    ("mi-isomap", {"start": "density", "max_rounds": 1}),
])
def test_methods_that_read_bags_embed_by_the_distances_and_are_judged_on_bags_held_out(
    project, cache, monkeypatch, method, quick
):
    forgive(project, "translate", 1.0, 1.0)
    found = run(project, measured(method=method, params=quick), cache=cache, at_any_cost=True)
    assert 0 <= found.metrics["method_bag_auc"] <= 1
    # Of the other run the coordinates are enough
    monkeypatch.setattr(separation, "REFIT_SECONDS", 0.0)
    monkeypatch.setattr(spread, "SPREAD_SECONDS", 0.0)
    plain = run(project, measured(method=method, params=quick, distances="euclidean"), cache=cache)
    assert not np.allclose(found.Z, plain.Z)


@pytest.mark.parametrize("method", [row.id for row in EMBEDDERS if not row.measured])
def test_a_method_that_takes_no_distances_refuses_them_in_one_sentence(project, cache, method):
    recipe = measured(method=method, params={})
    with pytest.raises(ParamError, match="takes no distances of chips"):
        run(project, recipe, cache=cache)


def test_a_metric_and_distances_of_chips_exclude_each_other(project, cache):
    with pytest.raises(
        ParamError, match="changes features, and registration distances compare chips"
    ):
        run(project, measured(metric="equivalence-metric"), cache=cache)


def test_distances_of_chips_need_pixels(project, cache):
    with pytest.raises(
        ParamError, match="registration distances compare chips, and the features are hog"
    ):
        run(project, measured(features=FeatureRecipe()), cache=cache)


def test_pixels_of_several_bands_are_no_chip_to_compare(project, cache):
    features = FeatureRecipe(kind="pixels", chip=12, bands=3)
    for recipe in (measured(features=features), msgspec.structs.replace(CHIPS, features=features)):
        with pytest.raises(ParamError, match="the features are pixels of 3 bands"):
            run(project, recipe, cache=cache)


def test_more_chips_than_can_be_compared_are_refused_before_the_start(project, cache, monkeypatch):
    monkeypatch.setattr(cost, "MOST", 3)
    for act in (estimate, run):
        with pytest.raises(TooLarge, match="compare up to 3 chips, there are 60"):
            act(project, MEASURED, cache=cache)


def test_the_estimate_counts_the_changes(project, cache):
    few = estimate(project, MEASURED, cache=cache).stages["distances"]
    forgive(project, "translate", 1.0, 5.0)
    assert estimate(project, MEASURED, cache=cache).stages["distances"] > few > 0


def test_comparing_chips_can_be_canceled(project, cache):
    seen = []
    def stop():
        return any("Dissimilarities" in words for words in seen)
    with pytest.raises(Cancelled):
        run(
            project,
            MEASURED,
            cache=cache,
            monitor=Watch(lambda _, words: seen.append(words), stop=stop),
        )


def test_a_method_that_reads_labels_is_judged_with_distances_of_its_own_folds(project, cache):
    forgive(project, "translate", 1.0, 1.0)
    found = run(
        project,
        measured(method="laplacian-eigenmaps", params={"n_neighbors": 5, "supervision": 0.5}),
        cache=cache,
        at_any_cost=True,
    )
    assert 0 <= found.metrics["method_bag_auc"] <= 1


def test_what_was_left_out_is_measured_with_the_same_distances(project, cache, monkeypatch):
    recipe = measured(method="umap", params={"n_epochs": 20, "n_neighbors": 5})
    whole = run(project, recipe, cache=cache, at_any_cost=True)
    monkeypatch.setattr("emberscope.course.stages.spread.SPREAD_SECONDS", 0.0)
    lacking = run(project, recipe, cache=cache / "other")
    assert "spread_seconds" in lacking.metrics
    found = measures.measure(project, lacking, cache=cache)
    assert found.metrics["spread"] == pytest.approx(whole.metrics["spread"], abs=1e-6)
