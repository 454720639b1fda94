"""Methods that compare chips, on their way through a run: pixels as they are, and the changes that do not matter."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.features.recipe import FeatureRecipe
from emberscope.labels.side_info import Invariance
from emberscope.pipeline import run
from emberscope.pipeline.cost import estimate
from emberscope.project import PutSide

from .conftest import RECIPE

FORGIVING = {"distances": "registration", "n_neighbors": 5}
CHIPS = msgspec.structs.replace(
    RECIPE, features=FeatureRecipe(kind="pixels", chip=12), reduce=5, method="hybrid", params=FORGIVING
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
    assert not np.allclose(found.Z, run(project, msgspec.structs.replace(recipe, ignore_side=True), cache=cache).Z)


def test_features_that_are_no_pixels_are_refused_before_anything_is_computed(project, cache):
    recipe = msgspec.structs.replace(CHIPS, features=FeatureRecipe())
    with pytest.raises(ParamError, match=r"Hybrid embedding compares chips, and the features are hog\. Choose pixels"):
        run(project, recipe, cache=cache)


def test_distances_of_features_are_reduced_as_ever(project, cache):
    recipe = msgspec.structs.replace(CHIPS, params={"distances": "geodesic"})
    assert run(project, recipe, cache=cache).metrics["d"] == 5
    assert estimate(project, recipe, cache=cache).seconds <= estimate(project, CHIPS, cache=cache).seconds
