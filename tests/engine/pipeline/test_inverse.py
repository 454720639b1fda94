"""From places of a map back to chips."""

import msgspec
import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.features.recipe import FeatureRecipe
from emberscope.pipeline import chips_at, run
from emberscope.project.model.recipe import Recipe


@pytest.fixture
def made(project, cache):
    recipe = Recipe(
        method="pca",
        features=FeatureRecipe(kind="pixels", chip=8),
        reduce=10,
        params={"n_components": 2},
    )
    return run(project, recipe, cache=cache)


def test_the_middle_of_a_pca_map_is_the_mean_chip(made):
    chips = chips_at(made, np.zeros((1, 2)))
    assert chips.shape == (1, 8, 8)
    mean = np.asarray(made.state["reduction"]["mean"]).reshape(8, 8)
    np.testing.assert_allclose(chips[0], mean, atol=1e-4)


def test_places_of_instances_give_chips_that_differ(made):
    chips = chips_at(made, made.Z[:2])
    assert np.abs(chips[0] - chips[1]).max() > 0.01  # six other draws: 19.5 to 20.9


def test_other_features_than_pixels_are_refused_in_words(made):
    for features in (FeatureRecipe(), FeatureRecipe(kind="pixels", chip=8, bands=3)):
        other = msgspec.structs.replace(
            made, recipe=msgspec.structs.replace(made.recipe, features=features)
        )
        with pytest.raises(ParamError, match="need pixels"):
            chips_at(other, made.Z[:1])


def test_a_method_without_an_inverse_says_so(made):
    other = msgspec.structs.replace(
        made, recipe=msgspec.structs.replace(made.recipe, method="isomap")
    )
    with pytest.raises(ParamError, match="has no way back from the map"):
        chips_at(other, made.Z[:1])
