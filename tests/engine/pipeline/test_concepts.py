"""A run of a method that finds concepts keeps where its instances stand to them, and draws them on its map."""

import msgspec
import numpy as np
import pytest

from emberscope.features.recipe import FeatureRecipe
from emberscope.mil.concepts.model import Concepts
from emberscope.pipeline import mapped_centers, run
from emberscope.project.concepts import ELLIPSES, STARS, concepts_of, concepts_on
from emberscope.project.runs import check_run

from .conftest import RECIPE


@pytest.fixture
def made(project, cache):
    recipe = msgspec.structs.replace(RECIPE, method="fcmi", reduce=4, params={"n_concepts": 2})
    return run(project, recipe, cache=cache)


def test_every_concept_has_a_witness_among_the_instances_near_it(made):
    found = concepts_of(made)
    assert found is not None
    witnesses = np.concatenate([found.witnesses(k) for k in range(len(found))])
    assert len(witnesses)
    assert (found.probability[witnesses] > 0.5).all()


def test_stars_lie_where_the_map_takes_the_centers(made):
    from emberscope.mil.concepts.clustering import FCMI

    fitted = FCMI.from_state(made.state)
    assert isinstance(fitted.concepts, Concepts)
    np.testing.assert_allclose(made.diagnostics[STARS], fitted.transform(fitted.centers_), rtol=1e-3, atol=1e-3)
    assert made.diagnostics[ELLIPSES].shape == (len(fitted.centers_), 2, 2)
    check_run(made)


def test_another_method_keeps_none(project, cache):
    assert concepts_of(run(project, RECIPE, cache=cache)) is None


def test_a_linear_map_takes_the_centers_as_its_method_would(made, project, cache):
    pca = run(project, RECIPE, cache=cache, run_id=made.id + 1)
    np.testing.assert_allclose(concepts_on(made, pca).stars, mapped_centers(made, pca), rtol=1e-3, atol=1e-3)


def test_a_map_of_other_features_does_not_take_the_centers(made, project, cache):
    ehd = msgspec.structs.replace(RECIPE, features=FeatureRecipe(kind="ehd", chip=16))
    other = run(project, ehd, cache=cache, run_id=made.id + 1)
    assert mapped_centers(made, other) is None
    assert concepts_on(made, other).estimated
